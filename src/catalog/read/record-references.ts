import { isArray, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { parseRecordType } from '../../model/kind/record-type.ts';
import { listNamedRecords, parseCondition } from '../../model/language/condition.ts';
import { type EntityLink, isEntityLink, parseEntityLink } from '../../model/language/entity-link.ts';
import { splitFqn } from '../../model/name.ts';
import { isUuid } from '../../model/uuid.ts';

/**
 * Finds the references to other records in the JSON of an answer, in every form in which the contract writes them.
 * `redact.ts` leaves hidden ones out of a value, `visibility.ts` looks up which ones a caller may see, and
 * `desire/restore.ts` puts hidden ones back when a caller writes what they were shown.
 */

/** A record that a value refers to: by its id, with its type where the value says it, or by its name. */
export type RecordReference =
  | { readonly by: 'id'; readonly id: string; readonly type: string | undefined }
  | { readonly by: 'name'; readonly types: readonly string[]; readonly fqn: string };

/** One text for one record, however often a value refers to it. */
export const referenceKey = (reference: RecordReference): string =>
  reference.by === 'id' ? reference.id : `${reference.types.join(' ')} ${reference.fqn}`;

const USER: readonly string[] = ['user'];
const TABLE: readonly string[] = ['table'];

/** How many parts the name of a table has; what follows names a column of it. */
const TABLE_DEPTH = 4;

const referenceByName = (types: readonly string[], fqn: string): RecordReference => ({ by: 'name', types, fqn });

const referenceById = (type: string, text: string): RecordReference | undefined =>
  isUuid(text) ? { by: 'id', id: text.toLowerCase(), type } : undefined;

const userReference = (name: string): RecordReference => referenceByName(USER, name);

const tableOfColumn = (fqn: string): RecordReference | undefined => {
  try {
    const parts = splitFqn(fqn);
    if (parts.length < TABLE_DEPTH) return undefined;
    return referenceByName(TABLE, parts.slice(0, TABLE_DEPTH).map(quoted).join('.'));
  } catch {
    // A text that is no name refers to nothing.
    return undefined;
  }
};

const quoted = (part: string): string => (part.includes('.') ? `"${part}"` : part);

const parseLinkReference = (text: string): RecordReference | undefined => {
  if (!isEntityLink(text)) return undefined;
  const { entityType, fqn }: EntityLink = parseEntityLink(text);
  const type = parseRecordType(entityType);
  return type === undefined ? undefined : referenceByName([type], fqn);
};

/** What the text of a member names: one record, several, or none. */
type NamedReferences = RecordReference | readonly RecordReference[] | undefined;

/** The records that the condition of a policy names. */
const referencesInCondition = (text: string): readonly RecordReference[] => {
  try {
    return listNamedRecords(parseCondition(text)).map(({ kinds, fqn }) => referenceByName(kinds, fqn));
  } catch {
    // Other rules have conditions in other languages, which name no records.
    return [];
  }
};

/** Members whose text is the name of another record, or a list of such names. */
const NAMING_MEMBERS: Readonly<Record<string, (text: string) => NamedReferences>> = {
  updatedBy: userReference,
  createdBy: userReference,
  impersonatedBy: userReference,
  appliedBy: userReference,
  userName: userReference,
  usedBy: userReference,
  actor: userReference,
  testCaseName: (text) => referenceByName(['testCase'], text),
  testDefinition: (text) => referenceByName(['testDefinition'], text),
  tier: (text) => referenceByName(TAG, text),
  condition: referencesInCondition,
  // Events and changes name these by their ids alone.
  domains: (text) => referenceById('domain', text),
  tests: (text) => referenceById('testCase', text),
  entityLink: parseLinkReference,
  entityFQN: tableOfColumn,
  originEntityFQN: tableOfColumn,
  referredColumns: tableOfColumn,
  upstream: tableOfColumn,
};

const NONE: readonly RecordReference[] = [];

/** The records that the text of a member names. */
export const referencesInMember = (name: string, text: string): readonly RecordReference[] => {
  const named = Object.hasOwn(NAMING_MEMBERS, name) ? NAMING_MEMBERS[name]?.(text) : undefined;
  if (named === undefined) return NONE;
  return 'by' in named ? [named] : named;
};

const textAt = (object: JsonObject, name: string): string | undefined => {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
};

const TERM: readonly string[] = ['glossaryTerm'];
const TAG: readonly string[] = ['tag'];

/**
 * The record that an object stands for: a reference, a label, or the short form of a record. An object with a version is
 * a whole record: the route that answers it has decided that the caller may see it.
 */
export const toRecordReference = (object: JsonObject): RecordReference | undefined => {
  const tagFqn = textAt(object, 'tagFQN');
  if (tagFqn !== undefined) return referenceByName(object['source'] === 'Glossary' ? TERM : TAG, tagFqn);
  const fqn = textAt(object, 'fullyQualifiedName');
  const id = textAt(object, 'id');
  if (id === undefined) return fqn !== undefined && 'joinCount' in object ? tableOfColumn(fqn) : undefined;
  if (!isUuid(id) || typeof object['version'] === 'number' || object['hidden'] === true) return undefined;
  const type = parseRecordType(textAt(object, 'type') ?? textAt(object, 'entityType') ?? '');
  // The id of an event is its own; it tells of the record that it names.
  if ('eventType' in object && type !== undefined) return referenceById(type, textAt(object, 'entityId') ?? '');
  return type === undefined && fqn === undefined ? undefined : { by: 'id', id: id.toLowerCase(), type };
};

/** Members whose texts are JSON again: the values of a change, and the states of a record. */
const JSON_MEMBERS: ReadonlySet<string> = new Set(['oldValue', 'newValue', 'versions']);

/** The member that an object tells the change of; undefined where it tells of none. */
export const changedMember = (object: JsonObject): string | undefined => {
  const name = textAt(object, 'name');
  const isChange = name !== undefined && ('oldValue' in object || 'newValue' in object);
  return isChange ? name.slice(name.lastIndexOf('.') + 1) : undefined;
};

/** By what name a member is looked at: the value of a change stands for the member that was changed. */
export const innerMemberName = (name: string, changed: string | undefined): string =>
  changed !== undefined && (name === 'oldValue' || name === 'newValue') ? `=${changed}` : name;

/** The value that a text of such a member holds; undefined where it holds no object and no list. */
export const innerJson = (name: string, text: string): Json | undefined => {
  if (!(JSON_MEMBERS.has(name) || name.startsWith('=')) || !/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};

/** The member that a name by which a value is looked at stands for. */
export const memberNameOf = (name: string): string => (name.startsWith('=') ? name.slice(1) : name);

type OnReference = (reference: RecordReference) => void;

const visitText = (name: string, text: string, found: OnReference): void => {
  const inner = innerJson(name, text);
  if (inner !== undefined) {
    visitReferences(inner, found, memberNameOf(name));
    return;
  }
  for (const reference of referencesInMember(memberNameOf(name), text)) found(reference);
};

/** Finds all references in a value. `name` is that of the member whose value it is. */
export const visitReferences = (value: Json, found: OnReference, name = ''): void => {
  if (typeof value === 'string') {
    visitText(name, value, found);
    return;
  }
  if (isArray(value)) {
    for (const item of value) visitReferences(item, found, name);
    return;
  }
  if (!isObject(value)) return;
  const reference = toRecordReference(value);
  if (reference) found(reference);
  const changed = changedMember(value);
  for (const member of Object.keys(value))
    visitReferences(value[member] ?? null, found, innerMemberName(member, changed));
};
