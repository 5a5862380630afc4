import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { type FieldClass, fieldClassesOf } from '../fields.ts';
import { slotsOf } from './slots.ts';
import { fieldCode } from './terms.ts';

/**
 * A path in documents, and what the index stores about it. Most paths have their own terms or words; for the others the
 * index knows only that a value exists and which words any of them contain, which leaves few documents to check one by
 * one. A table often has ten or more columns, so what is stored per column decides the size of the index and the time
 * of a write.
 */
export type IndexedField = {
  readonly path: readonly string[];
  /** The short name of the path in the index. */
  readonly code: string;
  /** How the values are compared; undefined if nothing there can be compared. */
  readonly class: FieldClass | undefined;
  /** Whether every value has a term of its own. */
  readonly hasTerms: boolean;
  /** Whether the words have a slot of their own. */
  readonly hasSlot: boolean;
  /** Whether it is the fully qualified name of a column, which starts with that of its record. */
  readonly isColumnName: boolean;
  /** Returns the field of a member at this path. */
  readonly child: (name: string) => IndexedField;
};

/** The paths of what a record is called. */
export const NAME_PATHS: readonly (readonly string[])[] = [['displayName'], ['name']];

export const isNamePath = (path: readonly string[]): boolean =>
  path.length === 1 && NAME_PATHS.some(([name]) => name === path[0]);

/** The members of columns and fields that are indexed separately. */
const INDEXED_COLUMN_MEMBERS: ReadonlySet<string> = new Set([
  'name',
  'displayName',
  'dataType',
  'constraint',
  'tags.tagFQN',
]);

/** The members of references that are not indexed separately. */
const UNINDEXED_MEMBERS: ReadonlySet<string> = new Set(['description', 'deleted', 'inherited', 'href']);

/** Returns the path of a member inside its column, whatever the depth of the column; undefined for any other path. */
const pathInsideColumn = (kind: Kind, path: readonly string[]): readonly string[] | undefined => {
  for (const [name, { container, childrenMember }] of kind.columnTrees) {
    const tree = container ? [name, container.member] : [name];
    if (path.length <= tree.length || tree.some((step, index) => path[index] !== step)) continue;
    let rest = path.slice(tree.length);
    while (rest.length > 1 && rest[0] === childrenMember) rest = rest.slice(1);
    return rest;
  }
  return undefined;
};

const hasTermsAt = (kind: Kind, path: readonly string[]): boolean => {
  const inside = pathInsideColumn(kind, path);
  if (inside) return INDEXED_COLUMN_MEMBERS.has(inside.join('.'));
  return path.length === 1 || !UNINDEXED_MEMBERS.has(path.at(-1) ?? '');
};

/** The maximum number of cached members, because custom properties come and go. */
const MAX_CACHED_MEMBERS = 5000;

const createIndexedField = (kind: Kind, path: readonly string[]): IndexedField => {
  const members = new Map<string, IndexedField>();
  return {
    path,
    code: fieldCode(path),
    class: fieldClassesOf(kind)(path),
    hasTerms: hasTermsAt(kind, path),
    isColumnName: pathInsideColumn(kind, path)?.join('.') === 'fullyQualifiedName',
    hasSlot: slotsOf(kind).some(({ onlyField }) => onlyField === path.join('.')),
    child: (name) => {
      const known = members.get(name);
      if (known) return known;
      if (members.size >= MAX_CACHED_MEMBERS) members.clear();
      const place = createIndexedField(kind, [...path, name]);
      members.set(name, place);
      return place;
    },
  };
};

/** The field of the whole document of a kind. */
export const rootFieldOf = memoisePerKind((kind): IndexedField => createIndexedField(kind, []));

/** The field of a path in documents of a kind. */
export const indexedFieldOf = (kind: Kind, path: readonly string[]): IndexedField =>
  path.reduce((place, name) => place.child(name), rootFieldOf(kind));

/** The form of the terms that distinguish the values of a field; every value has such a term. */
export const termFormOf = ({ class: how }: IndexedField): 'folded' | 'exact' | 'number' => {
  if (how === 'number' || how === 'date') return 'number';
  return how === 'exact' ? 'exact' : 'folded';
};
