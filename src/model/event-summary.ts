import { isArray, isObject, type Json, type JsonObject, member } from './json.ts';

/** The verbs for the parts of a change description, in the order of the summary. */
const CHANGE_VERBS = [
  ['fieldsUpdated', 'changed'],
  ['fieldsAdded', 'added'],
  ['fieldsDeleted', 'removed'],
] as const;

/** The summaries of events without a change description. */
const EVENT_SENTENCES: Readonly<Record<string, string>> = {
  entityCreated: 'created',
  entitySoftDeleted: 'deleted',
  entityDeleted: 'deleted for good',
  entityRestored: 'restored',
  entityLineageAdded: 'lineage added',
  entityLineageUpdated: 'lineage changed',
  entityLineageDeleted: 'lineage removed',
};

/** A summary is one line; the event itself has the details. */
const MAX_PARTS = 5;
const MAX_NAME_LENGTH = 100;

const shorten = (name: string): string =>
  name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH - 1)}…` : name;

const fieldNames = (fields: Json | undefined): string[] =>
  isArray(fields)
    ? fields.flatMap((field) => {
        const name = isObject(field) ? member(field, 'name') : undefined;
        return typeof name === 'string' ? [name] : [];
      })
    : [];

/** The names of all fields in a change description. */
export const changedFieldNames = (change: JsonObject): string[] =>
  CHANGE_VERBS.flatMap(([list]) => fieldNames(member(change, list)));

/** Summarizes an event in a few words: «description changed; tags added». */
export const summariseEvent = (eventType: string, change: JsonObject | undefined): string => {
  const sentence = EVENT_SENTENCES[eventType];
  if (sentence !== undefined) return sentence;
  const parts = CHANGE_VERBS.flatMap(([list, verb]) =>
    fieldNames(change && member(change, list)).map((name) => `${shorten(name)} ${verb}`),
  );
  if (parts.length === 0) return 'changed';
  const more = parts.length > MAX_PARTS ? [`and ${parts.length - MAX_PARTS} more`] : [];
  return [...parts.slice(0, MAX_PARTS), ...more].join('; ');
};
