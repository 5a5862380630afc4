import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import { categoryOf, type IssueCollector, issues } from './issue.ts';
import { MOST_COLUMNS, MOST_OBJECTS } from './limits.ts';
import { at, invalidDocument, type Problem, typeOf } from './problem.ts';
import type { Leaf, Members, Shape } from './shape.ts';
import type { VersionSpeech } from './speech.ts';

/**
 * Checks a document against what its version is made of and straightens what is only written differently. All problems
 * are collected before one is told.
 */

type LeafShape = Extract<Shape, { leaf: Leaf }>;

type Walk = { readonly problems: Problem[]; readonly findings: IssueCollector };

/** More problems than this are not looked for: twenty are told. */
const ENOUGH = 200;

const problem = (walk: Walk, path: string, text: string): undefined => {
  if (walk.problems.length < ENOUGH) walk.problems.push({ path, text });
  return undefined;
};

const straightened = (walk: Walk, path: string, message: string): void =>
  walk.findings.add({ severity: 'info', category: categoryOf(path), field: fieldOf(path), path, message });

const fieldOf = (path: string): string => /[^.[\]]*$/.exec(path.replace(/(\[\d+\])+$/, ''))?.[0] ?? path;

const EXPECTED: Readonly<Record<Leaf, string>> = {
  text: 'string',
  id: 'string',
  number: 'number',
  integer: 'integer',
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

/** The value of a leaf as later steps want it, or undefined when it is of another type. */
const leafValue = (value: Json, leaf: Leaf, path: string, walk: Walk): Json | undefined => {
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
      return typeof value === 'number' ? value : undefined;
    case 'integer':
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
      straightened(walk, path, 'a list of approvers is read as one text');
      return value.join(', ');
    case 'texts':
      if (typeof value !== 'string') return isArray(value) ? value : undefined;
      straightened(walk, path, 'one text is read as a list of one');
      return [value];
  }
};

const checkedLeaf = (value: Json, shape: LeafShape, path: string, walk: Walk): Json | undefined => {
  const read = leafValue(value, shape.leaf, path, walk);
  if (read === undefined) return problem(walk, path, `expected ${EXPECTED[shape.leaf]}, got ${typeOf(value)}`);
  if (shape.leaf === 'texts' && isArray(read)) {
    for (const [index, item] of read.entries()) {
      if (typeof item !== 'string') problem(walk, at(path, index), `expected string, got ${typeOf(item)}`);
    }
  }
  const { words } = shape;
  if (words && typeof read === 'string' && !words.includes(shape.anyCase ? read.toLowerCase() : read)) {
    walk.findings.add({
      severity: 'warning',
      category: categoryOf(path),
      field: fieldOf(path),
      path,
      message: 'the standard does not know this word: it is kept and not interpreted',
    });
  }
  return read;
};

const checked = (value: Json, shape: Shape, path: string, walk: Walk): Json | undefined => {
  if ('leaf' in shape) return checkedLeaf(value, shape, path, walk);
  if ('listOrObject' in shape) return checked(value, shape.listOrObject[isObject(value) ? 1 : 0], path, walk);
  if ('list' in shape) {
    const items = shape.keyed && isObject(value) ? entriesOf(value, path, walk) : value;
    if (!isArray(items)) return problem(walk, path, `expected array, got ${typeOf(value)}`);
    const inner = shape.list();
    return items.flatMap((item, index) => {
      const read = checked(item, inner, at(path, index), walk);
      return read === undefined ? [] : [read];
    });
  }
  if (typeof value === 'string' && shape.sole !== undefined) {
    straightened(walk, path, `a text is read as ${shape.sole}`);
    return { [shape.sole]: value };
  }
  if (!isObject(value)) return problem(walk, path, `expected object, got ${typeOf(value)}`);
  return checkedObject(value, shape.members(value), path, walk);
};

const entriesOf = (value: JsonObject, path: string, walk: Walk): readonly Json[] => {
  straightened(walk, path, 'an object is read as a list of properties');
  return Object.entries(value).map(([property, inner]) => ({ property, value: inner }));
};

const keepsNull = (shape: Shape): boolean => 'leaf' in shape && (shape.leaf === 'json' || shape.leaf === 'scalar');

const checkedObject = (object: JsonObject, members: Members, path: string, walk: Walk): JsonObject => {
  const result: MutableJsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    const known = Object.hasOwn(members, name) ? members[name] : undefined;
    const inner = at(path, name);
    if (!known) {
      unknownKey(walk, inner, name);
      setMember(result, name, value);
    } else if (value === null && !keepsNull(known.shape)) {
      // A member without a value says nothing: official documents of 2.x hold many.
      if (known.required) problem(walk, inner, 'required field is missing');
    } else {
      const read = checked(value, known.shape, inner, walk);
      if (read !== undefined) setMember(result, name, read);
    }
  }
  for (const [name, { required }] of Object.entries(members)) {
    if (required && !Object.hasOwn(object, name)) problem(walk, at(path, name), 'required field is missing');
  }
  return result;
};

const unknownKey = (walk: Walk, path: string, name: string): void =>
  walk.findings.add({
    severity: 'warning',
    category: categoryOf(path),
    field: name,
    path,
    message: 'the standard does not define this member: it is kept and not interpreted',
  });

/** Members that hold properties, and what names one. */
const assertNames = (object: JsonObject, speech: VersionSpeech, path: string, walk: Walk): number => {
  const found = member(object, speech.columns) ?? null;
  const seen = new Set<string>();
  let count = 0;
  for (const [index, column] of (isArray(found) ? found : []).entries()) {
    if (!isObject(column)) continue;
    const inner = at(at(path, speech.columns), index);
    const name = member(column, speech.column);
    if (typeof name === 'string') {
      if (seen.has(name)) problem(walk, at(inner, speech.column), 'duplicate property name');
      seen.add(name);
    }
    count += 1 + assertNames(column, speech, inner, walk);
  }
  const items = member(object, 'items') ?? null;
  return isObject(items) ? count + assertNames(items, speech, at(path, 'items'), walk) : count;
};

const assertObjects = (document: JsonObject, speech: VersionSpeech, walk: Walk): void => {
  const written = member(document, speech.objects) ?? null;
  const wrapped = isObject(written) ? (member(written, 'tables') ?? null) : written;
  const path = isObject(written) ? at(speech.objects, 'tables') : speech.objects;
  if (!isArray(wrapped)) return;
  if (wrapped.length > MOST_OBJECTS) {
    problem(walk, path, `more than ${MOST_OBJECTS} objects`);
    return;
  }
  for (const [index, object] of wrapped.entries()) {
    if (!isObject(object)) continue;
    const inner = at(path, index);
    if (assertNames(object, speech, inner, walk) > MOST_COLUMNS) {
      problem(walk, inner, `more than ${MOST_COLUMNS} columns`);
    }
  }
};

/** The document as its version has it, straightened; every other document is refused with all that is wrong in it. */
export const structured = (source: JsonObject, speech: VersionSpeech, findings: IssueCollector): JsonObject => {
  const walk: Walk = { problems: [], findings };
  const result = checkedObject(source, speech.members, '', walk);
  const kind = member(source, 'kind');
  if (typeof kind === 'string' && !speech.kinds.includes(kind)) {
    problem(walk, 'kind', `must be one of ${speech.kinds.join(', ')}`);
  }
  assertObjects(source, speech, walk);
  if (walk.problems.length > 0) throw invalidDocument(walk.problems);
  return result;
};

/** A value that waited in a place of another shape, straightened for its own; undefined when it does not belong there. */
export const shaped = (value: Json, shape: Shape): Json | undefined => {
  const walk: Walk = { problems: [], findings: issues() };
  const result = checked(value, shape, '', walk);
  return walk.problems.length === 0 ? result : undefined;
};

/**
 * A document that came from another version without what only looks like a member of this one: nobody checked it
 * under the name it has now.
 */
export const withoutMisfits = (document: JsonObject, members: Members): JsonObject =>
  checkedObject(document, members, '', { problems: [], findings: issues() });
