import { isArray, isObject, type Json, type JsonObject, member } from '../model/json.ts';

/** What is said of changes to what a record says, in the order in which it is said. */
const CHANGE_VERBS = [
  ['fieldsUpdated', 'changed'],
  ['fieldsAdded', 'added'],
  ['fieldsDeleted', 'removed'],
] as const;

/** What is said of happenings that are no change of what a record says. */
const EVENT_SENTENCES: Readonly<Record<string, string>> = {
  entityCreated: 'created',
  entitySoftDeleted: 'deleted',
  entityDeleted: 'deleted for good',
  entityRestored: 'restored',
  entityLineageAdded: 'lineage added',
  entityLineageUpdated: 'lineage changed',
  entityLineageDeleted: 'lineage removed',
};

/** A summary is a line, whatever changed: the event itself tells the whole. */
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

/** The names of everything that a change description tells of. */
export const changedFieldNames = (change: JsonObject): string[] =>
  CHANGE_VERBS.flatMap(([list]) => fieldNames(member(change, list)));

/** What happened, in a few words: «description changed; tags added». */
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
