import { splitName } from '../api/full-name.ts';
import { readableName } from './member-words.ts';

/** What happened to a record, in words. */

type FieldChange = { readonly name: string };

export type EventFacts = {
  readonly eventType: string;
  readonly changeDescription?: {
    readonly fieldsAdded: readonly FieldChange[];
    readonly fieldsUpdated: readonly FieldChange[];
    readonly fieldsDeleted: readonly FieldChange[];
  };
};

const VERBS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    entityCreated: 'created it',
    entitySoftDeleted: 'deleted it',
    entityDeleted: 'deleted it for good',
    entityRestored: 'restored it',
    entityLineageAdded: 'added an edge of its lineage',
    entityLineageUpdated: 'changed an edge of its lineage',
    entityLineageDeleted: 'removed an edge of its lineage',
    logicalTestCaseAdded: 'added test cases',
  }),
);

const MOST_NAMES = 4;

/** The name of a field as people read it: of a column only its name and what changed there. */
const readable = (name: string): string => {
  const [first = '', ...rest] = splitName(name);
  return [readableName(first).toLowerCase(), ...rest].join(' › ');
};

const listNames = (changes: readonly FieldChange[]): string => {
  const names = [...new Set(changes.map(({ name }) => readable(name)))];
  const more = names.length - MOST_NAMES;
  return more > 0 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${more} more` : names.join(', ');
};

const describeUpdate = ({ changeDescription }: EventFacts): string => {
  const { fieldsAdded = [], fieldsUpdated = [], fieldsDeleted = [] } = changeDescription ?? {};
  const only = (name: string): boolean =>
    [...fieldsAdded, ...fieldsUpdated, ...fieldsDeleted].every((change) => change.name === name);
  if (fieldsAdded.length + fieldsUpdated.length + fieldsDeleted.length === 0) return 'changed it';
  if (only('followers')) return fieldsAdded.length > 0 ? 'began to follow it' : 'no longer follows it';
  if (only('votes')) return 'voted on it';
  const parts = [
    fieldsUpdated.length > 0 ? `changed ${listNames(fieldsUpdated)}` : '',
    fieldsAdded.length > 0 ? `added ${listNames(fieldsAdded)}` : '',
    fieldsDeleted.length > 0 ? `removed ${listNames(fieldsDeleted)}` : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
};

export const describeEvent = (event: EventFacts): string => VERBS.get(event.eventType) ?? describeUpdate(event);
