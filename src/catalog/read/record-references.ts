import { isArray, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { parseRecordType } from '../../model/kind/record-type.ts';
import { listNamedRecords, parseCondition } from '../../model/language/condition.ts';
import { type EntityLink, isEntityLink, parseEntityLink } from '../../model/language/entity-link.ts';
import { WAY_MARK } from '../../model/lineage-way.ts';
import { splitFqn } from '../../model/name.ts';
import { isUuid } from '../../model/uuid.ts';

/**
 * Finds references to other records in the JSON of an answer, in every form that the contract uses. `redact-value.ts`
 * removes hidden references from a value, `redaction.ts` looks up which records a caller may see, and
 * `resolve/restore-redacted.ts` puts hidden references back when a caller writes the value they were shown.
 */

/** A reference from a value to a record: by id, with the type if the value has one, or by name. */
export type RecordReference =
  | { readonly by: 'id'; readonly id: string; readonly type: string | undefined }
  | { readonly by: 'name'; readonly types: readonly string[]; readonly fqn: string };

/** The same key for every reference to one record. */
export const referenceKey = (reference: RecordReference): string =>
  reference.by === 'id' ? reference.id : `${reference.types.join(' ')} ${reference.fqn}`;

/** The kinds of records that runs of pipelines read and write. */
const DATASETS: readonly string[] = [
  'table',
  'topic',
  'container',
  'searchIndex',
  'dashboardDataModel',
  'dashboard',
  'mlmodel',
  'apiEndpoint',
  'file',
];

const USER: readonly string[] = ['user'];
const TABLE: readonly string[] = ['table'];

/** The number of parts in a table's name; any further part names a column. */
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
    // A text that is not a valid name refers to no record.
    return undefined;
  }
};

/** Assets right below a service, with columns of their own or with columns in columns. */
const HOLDERS: readonly string[] = ['topic', 'container', 'dashboard', 'mlmodel', 'searchIndex', 'pipeline'];
const NESTING_HOLDERS: readonly string[] = ['topic', 'mlmodel', 'searchIndex'];

/** Finds the asset of a column on a way. What cannot be told from the name is no asset that anybody sees. */
const holderOfColumn = (fqn: string): RecordReference => {
  try {
    const parts = splitFqn(fqn);
    if (parts.length <= TABLE_DEPTH) {
      const types = parts.length === TABLE_DEPTH ? NESTING_HOLDERS : HOLDERS;
      return referenceByName(types, parts.slice(0, 2).map(quoted).join('.'));
    }
  } catch {
    // A text that is not a valid name refers to no record.
  }
  return tableOfColumn(fqn) ?? referenceByName(TABLE, fqn);
};

/** The assets on the way by which a label came; other reasons name none. */
const referencesOfWay = (text: string): NamedReferences =>
  text.includes(WAY_MARK) ? text.split(WAY_MARK).map(holderOfColumn) : undefined;

const quoted = (part: string): string => (part.includes('.') ? `"${part}"` : part);

const parseLinkReference = (text: string): RecordReference | undefined => {
  if (!isEntityLink(text)) return undefined;
  const { entityType, fqn }: EntityLink = parseEntityLink(text);
  const type = parseRecordType(entityType);
  return type === undefined ? undefined : referenceByName([type], fqn);
};

/** The references in the text of a member: one, several, or none. */
type NamedReferences = RecordReference | readonly RecordReference[] | undefined;

/** Finds the records that the condition of a policy names. */
const referencesInCondition = (text: string): readonly RecordReference[] => {
  try {
    return listNamedRecords(parseCondition(text)).map(({ kinds, fqn }) => referenceByName(kinds, fqn));
  } catch {
    // Rules of other kinds have conditions in other languages, which name no records.
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
  // Events and changes contain only the ids of these records.
  domains: (text) => referenceById('domain', text),
  tests: (text) => referenceById('testCase', text),
  entityLink: parseLinkReference,
  datasetFQN: (text) => referenceByName(DATASETS, text),
  entityFQN: tableOfColumn,
  originEntityFQN: tableOfColumn,
  referredColumns: tableOfColumn,
  upstream: tableOfColumn,
  labelReason: referencesOfWay,
};

/** Whether the texts of a member name other records, which a caller may not see. */
export const namesRecords = (member: string): boolean => Object.hasOwn(NAMING_MEMBERS, member);

const NONE: readonly RecordReference[] = [];

/** Finds the records that the text of a member names. */
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
 * Returns the record that an object represents: a reference, a label, or the short form of a record. An object with a
 * version is a whole record: the route that returns it has already decided that the caller may see it.
 */
export const toRecordReference = (object: JsonObject): RecordReference | undefined => {
  const tagFqn = textAt(object, 'tagFQN');
  if (tagFqn !== undefined) return referenceByName(object['source'] === 'Glossary' ? TERM : TAG, tagFqn);
  const fqn = textAt(object, 'fullyQualifiedName');
  const id = textAt(object, 'id');
  if (id === undefined) return fqn !== undefined && 'joinCount' in object ? tableOfColumn(fqn) : undefined;
  if (!isUuid(id) || typeof object['version'] === 'number' || object['hidden'] === true) return undefined;
  const type = parseRecordType(textAt(object, 'type') ?? textAt(object, 'entityType') ?? '');
  // The `id` of an event is its own, so the reference is its `entityId`.
  if ('eventType' in object && type !== undefined) return referenceById(type, textAt(object, 'entityId') ?? '');
  return type === undefined && fqn === undefined ? undefined : { by: 'id', id: id.toLowerCase(), type };
};

/** Members whose texts contain JSON: the values of a change, and the states of a record. */
const JSON_MEMBERS: ReadonlySet<string> = new Set(['oldValue', 'newValue', 'versions']);

/** Returns the name of the member whose change an object describes; undefined for other objects. */
export const changedMember = (object: JsonObject): string | undefined => {
  const name = textAt(object, 'name');
  const isChange = name !== undefined && ('oldValue' in object || 'newValue' in object);
  return isChange ? name.slice(name.lastIndexOf('.') + 1) : undefined;
};

/**
 * Returns the name for visiting a member: the value of a change is visited under the name of the changed member, and the
 * reason of a label under a name of its own.
 */
export const innerMemberName = (name: string, object: JsonObject, changed: string | undefined): string => {
  if (changed !== undefined && (name === 'oldValue' || name === 'newValue')) return `=${changed}`;
  return name === 'reason' && 'tagFQN' in object ? 'labelReason' : name;
};

/** Parses the text of such a member; undefined when it holds neither an object nor a list. */
export const innerJson = (name: string, text: string): Json | undefined => {
  if (!(JSON_MEMBERS.has(name) || name.startsWith('=')) || !/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};

/** Converts the name of a visit back to the name of its member. */
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

/** Visits all references in a value; `name` is the name of the member that holds it. */
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
    visitReferences(value[member] ?? null, found, innerMemberName(member, value, changed));
};
