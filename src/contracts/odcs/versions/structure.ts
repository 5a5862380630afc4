import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
  withoutMember,
} from '../../../model/json.ts';
import {
  createIssueCollector,
  type DocumentProblem,
  type IssueCollector,
  invalidDocumentError,
  issueCategoryOf,
  joinPath,
  jsonTypeOf,
  MAX_OBJECT_COLUMNS,
  MAX_SCHEMA_OBJECTS,
} from '../issues.ts';
import {
  isInRange,
  type LeafType,
  type MemberShapes,
  membersOf,
  type ObjectShape,
  type ValueShape,
} from './member-shapes.ts';
import { toValueShape } from './shape.ts';
import { NEWEST_VERSION, type OdcsVersion } from './version.ts';

/**
 * Checks a document against the shape of its version and normalizes alternative notations; all faults are collected
 * before one error is thrown. Members that a version does not define become custom properties and return from there.
 */

/** The member names that differ between versions. */
export type VersionVocabulary = {
  readonly document: ObjectShape;
  readonly kinds: readonly string[];
  /** The names of the list of objects, of the list of columns and of a column's name. */
  readonly objects: string;
  readonly columns: string;
  readonly column: string;
};

type LeafShape = Extract<ValueShape, { leaf: LeafType }>;

type CheckWalk = {
  readonly version: OdcsVersion;
  readonly problems: DocumentProblem[];
  readonly findings: IssueCollector;
};

/** The maximum number of faults to collect; a message shows twenty. */
const MAX_PROBLEMS = 200;

const addProblem = (walk: CheckWalk, path: string, text: string): undefined => {
  if (walk.problems.length < MAX_PROBLEMS) walk.problems.push({ path, text });
  return undefined;
};

const noteNormalised = (walk: CheckWalk, path: string, message: string): void =>
  walk.findings.add({ severity: 'info', category: issueCategoryOf(path), field: fieldOf(path), path, message });

const fieldOf = (path: string): string => /[^.[\]]*$/.exec(path.replace(/(\[\d+\])+$/, ''))?.[0] ?? path;

const EXPECTED: Readonly<Record<LeafType, string>> = {
  text: 'string',
  id: 'string',
  number: 'number',
  integer: 'integer',
  count: 'integer',
  positive: 'number',
  names: 'array',
  flag: 'boolean',
  scalar: 'scalar',
  json: 'value',
  map: 'object',
  approvers: 'string',
  texts: 'array',
  spokenFlag: 'boolean',
  spokenNumber: 'number',
  lines: 'string',
};

const isTexts = (value: Json): value is readonly string[] =>
  isArray(value) && value.every((item) => typeof item === 'string');

/** Normalizes the value of a leaf; undefined when it has another type. */
const readLeaf = (value: Json, leaf: LeafType, path: string, walk: CheckWalk): Json | undefined => {
  switch (leaf) {
    case 'json':
      return value;
    case 'scalar':
      return typeof value === 'object' && value !== null ? undefined : value;
    case 'map':
      return isObject(value) ? value : undefined;
    case 'text':
    case 'id':
      return typeof value === 'string' ? value : undefined;
    case 'number':
    case 'positive':
      return typeof value === 'number' ? value : undefined;
    case 'integer':
    case 'count':
      return Number.isInteger(value) ? value : undefined;
    case 'flag':
      return typeof value === 'boolean' ? value : undefined;
    case 'spokenFlag':
      if (typeof value === 'boolean') return value;
      return typeof value === 'string' && /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : undefined;
    case 'spokenNumber':
      if (typeof value === 'number') return value;
      return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
        ? Number(value)
        : undefined;
    case 'lines':
      if (typeof value === 'string') return value;
      return isTexts(value) ? value.join('\n') : undefined;
    case 'approvers':
      if (typeof value === 'string') return value;
      if (!isTexts(value)) return undefined;
      noteNormalised(walk, path, 'a list of approvers is read as one text');
      return value.join(', ');
    case 'texts':
    case 'names':
      if (typeof value !== 'string') return isArray(value) ? value : undefined;
      noteNormalised(walk, path, 'one text is read as a list of one');
      return [value];
  }
};

const checkLeaf = (value: Json, shape: LeafShape, path: string, walk: CheckWalk): Json | undefined => {
  const read = readLeaf(value, shape.leaf, path, walk);
  if (read === undefined) return addProblem(walk, path, `expected ${EXPECTED[shape.leaf]}, got ${jsonTypeOf(value)}`);
  if (EXPECTED[shape.leaf] === 'array' && isArray(read)) {
    for (const [index, item] of read.entries()) {
      if (typeof item !== 'string') addProblem(walk, joinPath(path, index), `expected string, got ${jsonTypeOf(item)}`);
    }
  }
  const { words } = shape;
  if (words && typeof read === 'string' && !words.includes(shape.anyCase ? read.toLowerCase() : read)) {
    walk.findings.add({
      severity: 'warning',
      category: issueCategoryOf(path),
      field: fieldOf(path),
      path,
      message: 'the standard does not know this word: it is kept and not interpreted',
    });
  }
  return read;
};

const checkValue = (value: Json, shape: ValueShape, path: string, walk: CheckWalk): Json | undefined => {
  if ('leaf' in shape) return checkLeaf(value, shape, path, walk);
  if ('listOrObject' in shape) return checkValue(value, shape.listOrObject[isObject(value) ? 1 : 0], path, walk);
  if ('list' in shape) {
    const items = shape.keyed && isObject(value) ? toPropertyList(value, path, walk) : value;
    if (!isArray(items)) return addProblem(walk, path, `expected array, got ${jsonTypeOf(value)}`);
    const inner = shape.list();
    return items.flatMap((item, index) => {
      const read = checkValue(item, inner, joinPath(path, index), walk);
      return read === undefined ? [] : [read];
    });
  }
  const inner = shape.object(isObject(value) ? value : {});
  const { sole } = inner;
  if (typeof value === 'string' && sole !== undefined) {
    noteNormalised(walk, path, `a text is read as ${sole}`);
    return { [sole]: value };
  }
  if (!isObject(value)) return addProblem(walk, path, `expected object, got ${jsonTypeOf(value)}`);
  return checkObject(value, membersOf(inner, walk.version), path, walk);
};

const toPropertyList = (value: JsonObject, path: string, walk: CheckWalk): readonly Json[] => {
  noteNormalised(walk, path, 'an object is read as a list of properties');
  return Object.entries(value).map(([property, inner]) => ({ property, value: inner }));
};

const keepsNull = (shape: ValueShape): boolean => 'leaf' in shape && (shape.leaf === 'json' || shape.leaf === 'scalar');

const checkObject = (object: JsonObject, members: MemberShapes, path: string, walk: CheckWalk): JsonObject => {
  const result: MutableJsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    const known = Object.hasOwn(members, name) ? members[name] : undefined;
    const inner = joinPath(path, name);
    if (!known) {
      noteUnknownKey(walk, inner, name);
      setMember(result, name, value);
    } else if (value === null && !keepsNull(known.shape)) {
      // A null member counts as missing: official documents of 2.x contain many.
      if (known.required && isInRange(walk.version, known.required))
        addProblem(walk, inner, 'required field is missing');
    } else {
      const read = checkValue(value, known.shape, inner, walk);
      if (read !== undefined) setMember(result, name, read);
    }
  }
  for (const [name, { required }] of Object.entries(members)) {
    if (required && isInRange(walk.version, required) && !Object.hasOwn(object, name)) {
      addProblem(walk, joinPath(path, name), 'required field is missing');
    }
  }
  return result;
};

const noteUnknownKey = (walk: CheckWalk, path: string, name: string): void =>
  walk.findings.add({
    severity: 'warning',
    category: issueCategoryOf(path),
    field: name,
    path,
    message: 'the standard does not define this member: it is kept and not interpreted',
  });

/** Checks the names in members that contain properties. */
const checkPropertyNames = (
  object: JsonObject,
  vocabulary: VersionVocabulary,
  path: string,
  walk: CheckWalk,
): number => {
  const found = member(object, vocabulary.columns) ?? null;
  const seen = new Set<string>();
  let count = 0;
  for (const [index, column] of (isArray(found) ? found : []).entries()) {
    if (!isObject(column)) continue;
    const inner = joinPath(joinPath(path, vocabulary.columns), index);
    const name = member(column, vocabulary.column);
    if (typeof name === 'string') {
      if (seen.has(name)) addProblem(walk, joinPath(inner, vocabulary.column), 'duplicate property name');
      seen.add(name);
    }
    count += 1 + checkPropertyNames(column, vocabulary, inner, walk);
  }
  const items = member(object, 'items') ?? null;
  return isObject(items) ? count + checkPropertyNames(items, vocabulary, joinPath(path, 'items'), walk) : count;
};

const checkObjects = (document: JsonObject, vocabulary: VersionVocabulary, walk: CheckWalk): void => {
  const written = member(document, vocabulary.objects) ?? null;
  const wrapped = isObject(written) ? (member(written, 'tables') ?? null) : written;
  const path = isObject(written) ? joinPath(vocabulary.objects, 'tables') : vocabulary.objects;
  if (!isArray(wrapped)) return;
  if (wrapped.length > MAX_SCHEMA_OBJECTS) {
    addProblem(walk, path, `more than ${MAX_SCHEMA_OBJECTS} objects`);
    return;
  }
  for (const [index, object] of wrapped.entries()) {
    if (!isObject(object)) continue;
    const inner = joinPath(path, index);
    if (checkPropertyNames(object, vocabulary, inner, walk) > MAX_OBJECT_COLUMNS) {
      addProblem(walk, inner, `more than ${MAX_OBJECT_COLUMNS} columns`);
    }
  }
};

/** Validates and normalizes a document of a version. Throws with all its faults. */
export const checkDocument = (
  source: JsonObject,
  vocabulary: VersionVocabulary,
  version: OdcsVersion,
  findings: IssueCollector,
): JsonObject => {
  const walk: CheckWalk = { version, problems: [], findings };
  const result = checkObject(source, membersOf(vocabulary.document, version), '', walk);
  const kind = member(source, 'kind');
  if (typeof kind === 'string' && !vocabulary.kinds.includes(kind)) {
    addProblem(walk, 'kind', `must be one of ${vocabulary.kinds.join(', ')}`);
  }
  checkObjects(source, vocabulary, walk);
  if (walk.problems.length > 0) throw invalidDocumentError(walk.problems);
  return result;
};

const createSilentWalk = (): CheckWalk => ({
  version: NEWEST_VERSION,
  problems: [],
  findings: createIssueCollector(),
});

/** Normalizes a value that was stored in a place of another shape; undefined when it does not fit. */
export const coerceToShape = (value: Json, shape: ValueShape): Json | undefined => {
  const walk = createSilentWalk();
  const result = checkValue(value, shape, '', walk);
  return walk.problems.length === 0 ? result : undefined;
};

/** Normalizes an object that was stored in a place of another shape; undefined when it does not fit. */
export const coerceToObject = (value: Json, shape: ObjectShape): JsonObject | undefined => {
  const result = coerceToShape(value, toValueShape(shape));
  return result !== undefined && isObject(result) ? result : undefined;
};

/**
 * Removes from a converted document the members that have a name of this version by chance, because they were not
 * validated under that name.
 */
export const removeMisfits = (document: JsonObject, shape: ObjectShape): JsonObject =>
  checkObject(document, membersOf(shape, NEWEST_VERSION), '', createSilentWalk());

/** The name of the custom property that stands for a member of the root or of an object. */
const deferredName = (name: string): string => `odcs${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Adds a custom property to a list and replaces an existing one with that name. */
const replaceCustomProperty = (list: Json | undefined, property: string, value: Json): readonly Json[] => [
  ...(list !== undefined && isArray(list) ? list : []).filter(
    (entry) => !isObject(entry) || member(entry, 'property') !== property,
  ),
  { property, value },
];

/** Adds a member to the custom properties of its object. */
export const deferMember = (object: JsonObject, name: string, value: Json): JsonObject => ({
  ...object,
  customProperties: replaceCustomProperty(member(object, 'customProperties'), deferredName(name), value),
});

/** Moves members of a document or object to its custom properties. */
export const deferMembers = (object: JsonObject, names: readonly string[]): JsonObject => {
  let result = object;
  for (const name of names) {
    const value = member(object, name);
    if (value === undefined || (isArray(value) && value.length === 0)) continue;
    result = deferMember(withoutMember(result, name), name, value);
  }
  return result;
};

/**
 * Restores the members of a document or object from its custom properties. A list that an old version can only partly
 * represent is also stored completely, and that complete list replaces the partial one: those members are `yielding`.
 */
export const restoreMembers = (
  object: JsonObject,
  { members }: ObjectShape,
  yielding: readonly string[] = [],
): JsonObject => {
  const list = member(object, 'customProperties') ?? null;
  if (!isArray(list)) return object;
  const names = Object.keys(members).filter((name) => members[name]?.deferred);
  const taken = new Map<string, Json>();
  const kept = list.filter((entry) => {
    const name = isObject(entry)
      ? names.find((candidate) => deferredName(candidate) === member(entry, 'property'))
      : undefined;
    const value = isObject(entry) ? member(entry, 'value') : undefined;
    if (name === undefined || value === undefined || taken.has(name)) return true;
    if (member(object, name) !== undefined && !yielding.includes(name)) return true;
    const shape = members[name]?.shape;
    const found = shape && coerceToShape(value, shape);
    if (found === undefined) return true;
    taken.set(name, found);
    return false;
  });
  if (taken.size === 0) return object;
  const result: MutableJsonObject = { ...object };
  if (kept.length > 0) result['customProperties'] = kept;
  else delete result['customProperties'];
  for (const [name, value] of taken) setMember(result, name, value);
  return result;
};
