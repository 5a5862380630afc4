import { badRequest, CatalogError } from '../../errors.ts';
import {
  equalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../json.ts';

/** Parses and applies JSON Patch and merge patch. */

type PatchPointer = readonly string[];
type PatchPlacement = {
  readonly op: 'add' | 'replace' | 'test';
  readonly at: string;
  readonly path: PatchPointer;
  readonly value: Json;
};
type PatchRemoval = { readonly op: 'remove'; readonly at: string; readonly path: PatchPointer };
type PatchTransfer = {
  readonly op: 'move' | 'copy';
  readonly at: string;
  readonly path: PatchPointer;
  readonly start: string;
  readonly from: PatchPointer;
};

/** One operation of a JSON Patch (RFC 6902). `at` and `start` are its pointers as sent. */
export type PatchOperation = PatchPlacement | PatchRemoval | PatchTransfer;

/** A validated patch: operations of RFC 6902, or a merge document of RFC 7396. */
export type Patch =
  | { readonly form: 'operations'; readonly operations: readonly PatchOperation[] }
  | { readonly form: 'merge'; readonly members: JsonObject };

const MAX_OPERATIONS = 2_000;
const MAX_POINTER_LENGTH = 32_768;

/** The nesting limit of request bodies. A patch may not build a deeper document. */
const MAX_RESULT_DEPTH = 100;

/** How many characters `move` and `copy` may transfer in one patch, because every copy may double the document. */
const MAX_COPIED_SIZE = 8 * 1024 * 1024;

/** The cost of a value in addition to its text, so that many small values are not cheaper to send than to process. */
const VALUE_SIZE = 8;

const patchError = (op: string, at: string, reason: string) =>
  badRequest(`Patch operation ${op.slice(0, 20)} ${at.slice(0, 200)}: ${reason}`);

const pointerText = (op: string, operation: JsonObject, name: 'path' | 'from'): string => {
  const pointer = member(operation, name);
  if (typeof pointer !== 'string') throw patchError(op, '', `${name} must be a string`);
  const isWellFormed = (pointer === '' || pointer.startsWith('/')) && !/~(?![01])/.test(pointer);
  if (!isWellFormed || pointer.length > MAX_POINTER_LENGTH)
    throw patchError(op, pointer, `${name} is not a JSON pointer`);
  return pointer;
};

/** Splits a well-formed JSON pointer into its unescaped parts. */
export const parsePointer = (pointer: string): PatchPointer => {
  const parts = pointer.split('/').slice(1);
  return pointer.includes('~') ? parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')) : parts;
};

const parseTransfer = (op: PatchTransfer['op'], at: string, start: string): PatchTransfer => {
  if (op === 'move' && at.startsWith(`${start}/`)) throw patchError(op, at, 'a value cannot be moved into itself');
  return { op, at, path: parsePointer(at), start, from: parsePointer(start) };
};

const parseOperation = (operation: Json): PatchOperation => {
  if (!isObject(operation)) throw badRequest('Every patch operation must be an object');
  const op = member(operation, 'op');
  if (typeof op !== 'string') throw badRequest('Every patch operation must have an op');
  const at = pointerText(op, operation, 'path');
  if (op === 'remove') return { op, at, path: parsePointer(at) };
  if (op === 'move' || op === 'copy') return parseTransfer(op, at, pointerText(op, operation, 'from'));
  if (op !== 'add' && op !== 'replace' && op !== 'test') throw patchError(op, at, 'op is unknown');
  const value = member(operation, 'value');
  if (value === undefined) throw patchError(op, at, 'value is missing');
  return { op, at, path: parsePointer(at), value };
};

/**
 * Parses a request body as a patch: an array is a JSON Patch, an object a merge patch. Throws bad_request for anything
 * else, and for a malformed operation.
 */
export const parsePatch = (body: unknown): Patch => {
  if (isObject(body)) return { form: 'merge', members: body };
  if (!isArray(body)) throw badRequest('A patch must be an array of operations or an object');
  if (body.length > MAX_OPERATIONS) {
    throw new CatalogError('payload_too_large', `A patch must have at most ${MAX_OPERATIONS} operations`);
  }
  return { form: 'operations', operations: body.map(parseOperation) };
};

/**
 * A document being patched. Containers in `owned` were created by this patch and may be changed; every other one is
 * shared with the caller and is copied before its first change.
 */
type PatchDraft = { root: Json; readonly owned: WeakSet<object>; copiedSize: number };

const parseIndex = (name: string): number => (/^(0|[1-9]\d{0,9})$/.test(name) ? Number(name) : -1);

const childAt = (parent: Json | undefined, name: string): Json | undefined => {
  if (isArray(parent)) return parent[parseIndex(name)];
  return isObject(parent) ? member(parent, name) : undefined;
};

/** Answers the value at the end of a path, if there is one. */
export const valueAtPointer = (root: Json, path: PatchPointer): Json | undefined =>
  path.reduce<Json | undefined>(childAt, root);

const writable = (draft: PatchDraft, value: Json | undefined): Json[] | MutableJsonObject | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (draft.owned.has(value)) return value as Json[] | MutableJsonObject;
  const copy = isArray(value) ? value.slice() : { ...value };
  draft.owned.add(copy);
  return copy;
};

const setChild = (parent: Json[] | MutableJsonObject, name: string, value: Json): void => {
  if (Array.isArray(parent)) parent[parseIndex(name)] = value;
  else setMember(parent, name, value);
};

/** Answers the array or object that holds the end of a path, ready to be changed; undefined when there is none. */
const writableParent = (draft: PatchDraft, path: PatchPointer): Json[] | MutableJsonObject | undefined => {
  let parent = writable(draft, draft.root);
  if (parent === undefined) return undefined;
  draft.root = parent;
  for (const name of path.slice(0, -1)) {
    const child: Json[] | MutableJsonObject | undefined = writable(draft, childAt(parent, name));
    if (child === undefined) return undefined;
    setChild(parent, name, child);
    parent = child;
  }
  return parent;
};

type JsonExtent = { readonly depth: number; readonly size: number };

const measureJson = (value: Json): JsonExtent => {
  if (typeof value === 'string') return { depth: 0, size: value.length + VALUE_SIZE };
  if (typeof value !== 'object' || value === null) return { depth: 0, size: VALUE_SIZE };
  let depth = 0;
  let size = VALUE_SIZE;
  for (const [name, child] of Object.entries(value)) {
    const extent = measureJson(child);
    depth = Math.max(depth, extent.depth);
    size += extent.size + name.length;
  }
  return { depth: depth + 1, size };
};

const checkDepth = (operation: PatchOperation, { depth }: JsonExtent): void => {
  if (operation.path.length + depth > MAX_RESULT_DEPTH)
    throw patchError(operation.op, operation.at, 'the result is nested too deeply');
};

const insertItem = (operation: PatchOperation, parent: Json[], name: string, value: Json): void => {
  const index = name === '-' ? parent.length : parseIndex(name);
  if (index < 0 || index > parent.length) throw patchError(operation.op, operation.at, 'the index is out of range');
  parent.splice(index, 0, value);
};

/** Creates `extension` together with its first member, because custom properties are written one by one. */
const createExtension = (draft: PatchDraft, { path }: PatchOperation): void => {
  const parent = path.slice(0, -1);
  if (parent.at(-1) !== 'extension' || valueAtPointer(draft.root, parent) !== undefined) return;
  const holder = writableParent(draft, parent);
  if (isObject(holder)) setMember(holder, 'extension', {});
};

const addValue = (draft: PatchDraft, operation: PatchOperation, value: Json): void => {
  const name = operation.path.at(-1);
  if (name === undefined) {
    draft.root = value;
    return;
  }
  createExtension(draft, operation);
  const parent = writableParent(draft, operation.path);
  if (parent === undefined) throw patchError(operation.op, operation.at, 'the parent does not exist');
  if (Array.isArray(parent)) insertItem(operation, parent, name, value);
  else setMember(parent, name, value);
};

const replaceValue = (draft: PatchDraft, { op, at, path, value }: PatchPlacement): void => {
  if (valueAtPointer(draft.root, path) === undefined) throw patchError(op, at, 'there is nothing to replace');
  const name = path.at(-1);
  const parent = name === undefined ? undefined : writableParent(draft, path);
  if (name === undefined || parent === undefined) draft.root = value;
  else setChild(parent, name, value);
};

/**
 * Whether a value is a reference (`id` and `type`) or a tag label (`tagFQN`), whose absent members may be removed
 * without an error.
 */
const isValueObject = (value: Json | undefined): boolean =>
  isObject(value) && (Object.hasOwn(value, 'tagFQN') || (Object.hasOwn(value, 'id') && Object.hasOwn(value, 'type')));

const leadsThroughValueObject = (root: Json, path: PatchPointer): boolean => {
  let value: Json | undefined = root;
  return path.slice(0, -1).some((name) => {
    value = childAt(value, name);
    return isValueObject(value);
  });
};

const removeValue = (draft: PatchDraft, op: string, at: string, path: PatchPointer): void => {
  const name = path.at(-1);
  if (name === undefined) throw patchError(op, at, 'the whole document cannot be removed');
  if (valueAtPointer(draft.root, path) === undefined) {
    if (op === 'remove' && leadsThroughValueObject(draft.root, path)) return;
    throw patchError(op, at, 'there is nothing to remove');
  }
  const parent = writableParent(draft, path);
  if (Array.isArray(parent)) parent.splice(parseIndex(name), 1);
  else if (parent !== undefined) delete parent[name];
};

const transferValue = (draft: PatchDraft, operation: PatchTransfer): void => {
  const { op, at, path, start, from } = operation;
  const value = valueAtPointer(draft.root, from);
  if (value === undefined) throw patchError(op, at, `there is nothing at ${start.slice(0, 200)}`);
  if (op === 'move' && from.length === path.length && operation.start === at) return;
  const extent = measureJson(value);
  draft.copiedSize += extent.size;
  if (draft.copiedSize > MAX_COPIED_SIZE) throw patchError(op, at, 'the patch moves or copies too much');
  checkDepth(operation, extent);
  if (op === 'move') removeValue(draft, op, start, from);
  addValue(draft, operation, op === 'move' ? value : structuredClone(value));
};

const testValue = (draft: PatchDraft, { op, at, path, value }: PatchPlacement): void => {
  if (!equalJson(valueAtPointer(draft.root, path), value)) throw patchError(op, at, 'the value is a different one');
};

const applyOperation = (draft: PatchDraft, operation: PatchOperation): void => {
  if (operation.op === 'remove') removeValue(draft, operation.op, operation.at, operation.path);
  else if ('from' in operation) transferValue(draft, operation);
  else if (operation.op === 'test') testValue(draft, operation);
  else {
    checkDepth(operation, measureJson(operation.value));
    if (operation.op === 'add') addValue(draft, operation, operation.value);
    else replaceValue(draft, operation);
  }
};

const mergePatch = (target: Json | undefined, patch: Json): Json => {
  if (!isObject(patch)) return patch;
  const result: MutableJsonObject = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else setMember(result, name, mergePatch(member(result, name), value));
  }
  return result;
};

/**
 * Applies a patch. The given document is never changed, and unchanged parts are shared with it. Throws bad_request with
 * operation and path when an operation does not apply, and then nothing is applied. Beyond the standards: `remove` of
 * an absent member below a reference or tag label succeeds, and `add` creates a missing parent called `extension`.
 */
export const applyPatch = (document: JsonObject, patch: Patch): JsonObject => {
  const draft: PatchDraft = { root: document, owned: new WeakSet(), copiedSize: 0 };
  if (patch.form === 'merge') draft.root = mergePatch(document, patch.members);
  else for (const operation of patch.operations) applyOperation(draft, operation);
  if (!isObject(draft.root)) throw badRequest('The patched document must be an object');
  return draft.root;
};

const touchedMergePaths = (document: Json | undefined, patch: JsonObject, prefix: string): string[] =>
  Object.entries(patch).flatMap(([name, value]) => {
    const path = `${prefix}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const present = isObject(document) ? member(document, name) : undefined;
    if (value === null ? present === undefined : equalJson(present, value)) return [];
    return isObject(value) && isObject(present) ? touchedMergePaths(present, value, path) : [path];
  });

/**
 * Answers the pointers that a patch writes to: those of its operations (`move` writes both ends, `test` none), or the
 * members of a merge patch that differ from the document, down to where both are objects.
 */
export const pathsWrittenByPatch = (document: JsonObject, patch: Patch): string[] => {
  if (patch.form === 'merge') return touchedMergePaths(document, patch.members, '');
  const paths = patch.operations.flatMap((operation) => {
    if (operation.op === 'test') return [];
    return operation.op === 'move' ? [operation.start, operation.at] : [operation.at];
  });
  return [...new Set(paths)];
};

/** Answers the pointers that a patch compares, copies or moves. */
export const pathsReadByPatch = (patch: Patch): string[] => {
  if (patch.form === 'merge') return [];
  return patch.operations.flatMap((operation) => {
    if (operation.op === 'test') return [operation.at];
    return 'start' in operation ? [operation.start] : [];
  });
};

const valuesGivenAt = (path: PatchPointer, value: Json): readonly (readonly [string, Json])[] => {
  const [name, index, ...deeper] = path;
  if (name === undefined) return isObject(value) ? Object.entries(value) : [];
  if (index === undefined) return [[name, value]];
  return deeper.length === 0 ? [[name, [value]]] : [];
};

/**
 * Answers the values that a patch gives to members of the document, with their names. One item for a list counts as a
 * list of that item. Only the patch is read, not the document; deeper values are left out.
 */
export const valuesGivenByPatch = (patch: Patch): readonly (readonly [string, Json])[] => {
  if (patch.form === 'merge') return Object.entries(patch.members);
  return patch.operations.flatMap((operation) =>
    operation.op === 'add' || operation.op === 'replace' ? valuesGivenAt(operation.path, operation.value) : [],
  );
};

/** Answers the members of a document that a patch writes, tests or copies, and that must be read for it. */
export const membersUsedByPatch = (patch: Patch): string[] => {
  if (patch.form === 'merge') return Object.keys(patch.members);
  const paths = patch.operations.flatMap((operation) =>
    'from' in operation ? [operation.path, operation.from] : [operation.path],
  );
  return [...new Set(paths.flatMap((path) => path.slice(0, 1)))];
};
