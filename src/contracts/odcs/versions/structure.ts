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
import { LEAVES } from './leaves.ts';
import {
  isInRange,
  type LeafType,
  type MemberShapes,
  membersOf,
  type ObjectShape,
  type ValueShape,
} from './member-shapes.ts';
import { toValueShape } from './shape.ts';
import { isVersion2, NEWEST_VERSION, type OdcsVersion } from './version.ts';

/**
 * Checks a document against the shape of its version and normalizes alternative notations; all faults are collected
 * before one error is thrown. Members that a version does not define become custom properties and return from there.
 */

/** The names of the list of objects, of the list of columns and of a column's name, and the kinds of documents. */
const NAMES = { kinds: ['DataContract'], objects: 'schema', columns: 'properties', column: 'name' };
const NAMES_2: typeof NAMES = {
  kinds: ['DataContract', 'virtualDataset', 'managedDataset'],
  objects: 'dataset',
  columns: 'columns',
  column: 'column',
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

/** Normalizes the value of a leaf; undefined when it has another type. */
const readLeaf = (value: Json, leaf: LeafType, path: string, walk: CheckWalk): Json | undefined => {
  const { fits, read, note } = LEAVES[leaf];
  if (fits(value)) return value;
  const found = read?.(value);
  if (found !== undefined && found !== value && note !== undefined) noteNormalised(walk, path, note);
  return found;
};

const checkLeaf = (value: Json, shape: LeafShape, path: string, walk: CheckWalk): Json | undefined => {
  const read = readLeaf(value, shape.leaf, path, walk);
  if (read === undefined)
    return addProblem(walk, path, `expected ${LEAVES[shape.leaf].expected}, got ${jsonTypeOf(value)}`);
  if (LEAVES[shape.leaf].expected === 'array' && isArray(read)) {
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
const checkPropertyNames = (object: JsonObject, names: typeof NAMES, path: string, walk: CheckWalk): number => {
  const found = member(object, names.columns) ?? null;
  const seen = new Set<string>();
  let count = 0;
  for (const [index, column] of (isArray(found) ? found : []).entries()) {
    if (!isObject(column)) continue;
    const inner = joinPath(joinPath(path, names.columns), index);
    const name = member(column, names.column);
    if (typeof name === 'string') {
      if (seen.has(name)) addProblem(walk, joinPath(inner, names.column), 'duplicate property name');
      seen.add(name);
    }
    count += 1 + checkPropertyNames(column, names, inner, walk);
  }
  const items = member(object, 'items') ?? null;
  return isObject(items) ? count + checkPropertyNames(items, names, joinPath(path, 'items'), walk) : count;
};

const checkObjects = (document: JsonObject, names: typeof NAMES, walk: CheckWalk): void => {
  const written = member(document, names.objects) ?? null;
  const wrapped = isObject(written) ? (member(written, 'tables') ?? null) : written;
  const path = isObject(written) ? joinPath(names.objects, 'tables') : names.objects;
  if (!isArray(wrapped)) return;
  if (wrapped.length > MAX_SCHEMA_OBJECTS) {
    addProblem(walk, path, `more than ${MAX_SCHEMA_OBJECTS} objects`);
    return;
  }
  for (const [index, object] of wrapped.entries()) {
    if (!isObject(object)) continue;
    const inner = joinPath(path, index);
    if (checkPropertyNames(object, names, inner, walk) > MAX_OBJECT_COLUMNS) {
      addProblem(walk, inner, `more than ${MAX_OBJECT_COLUMNS} columns`);
    }
  }
};

/** Validates and normalizes a document of a version. Throws with all its faults. */
export const checkDocument = (
  source: JsonObject,
  shape: ObjectShape,
  version: OdcsVersion,
  findings: IssueCollector,
): JsonObject => {
  const walk: CheckWalk = { version, problems: [], findings };
  const names = isVersion2(version) ? NAMES_2 : NAMES;
  const result = checkObject(source, membersOf(shape, version), '', walk);
  const kind = member(source, 'kind');
  if (typeof kind === 'string' && !names.kinds.includes(kind)) {
    addProblem(walk, 'kind', `must be one of ${names.kinds.join(', ')}`);
  }
  checkObjects(source, names, walk);
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
