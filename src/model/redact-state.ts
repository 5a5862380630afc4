import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject, member } from './json.ts';

const CHANGE_MEMBERS = ['changeDescription', 'incrementalChangeDescription'];

/** How the states of a record are redacted in one member. */
export type MemberRedaction = {
  readonly member: string;
  readonly redact: (value: Json) => Json;
  /** Redacts an entry of a change description that is about the member or a part of it. */
  readonly redactEntry: (entry: JsonObject) => JsonObject;
};

const rewriteChange = (change: Json, { member: name, redactEntry }: MemberRedaction): Json => {
  if (!isObject(change)) return change;
  const isAbout = (entry: Json): entry is JsonObject =>
    isObject(entry) && String(entry['name']).split('.', 1)[0] === name;
  const lists = Object.entries(change).map(([kind, list]) => [
    kind,
    isArray(list) ? list.map((entry) => (isAbout(entry) ? redactEntry(entry) : entry)) : list,
  ]);
  return Object.fromEntries(lists) as JsonObject;
};

/** Redacts a member in a stored version of a record or in an event, and in what its change descriptions say of it. */
export const redactStateMember = (state: JsonObject, redaction: MemberRedaction): JsonObject => {
  const out: MutableJsonObject = { ...state };
  const value = out[redaction.member];
  if (value !== undefined) out[redaction.member] = redaction.redact(value);
  for (const name of CHANGE_MEMBERS) {
    const change = out[name];
    if (change !== undefined) out[name] = rewriteChange(change, redaction);
  }
  return out;
};

/** Redacts an event as a whole and the state of the record that it tells. */
export const redactEventText = (json: string, redact: (state: JsonObject) => JsonObject): string => {
  const event = redact(JSON.parse(json) as JsonObject);
  const entity = member(event, 'entity');
  return JSON.stringify(isObject(entity) ? { ...event, entity: redact(entity) } : event);
};
