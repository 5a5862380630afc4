import { type Kind, memoisePerKind } from '../../model/kind/kind.ts';
import { type FieldClass, fieldClassesOf } from '../fields.ts';
import { slotsOf } from './slots.ts';
import { fieldCode } from './terms.ts';

/**
 * The places of documents and what the index knows of each. Most it tells apart; of some it only knows that something is
 * there and which words stand in any of them: that leaves few documents, and those are looked at themselves. A table has
 * ten columns and more, so what is kept of each of them decides how large the index is and how long a write takes.
 */
export type IndexedField = {
  readonly path: readonly string[];
  /** The short name the index has for it. */
  readonly code: string;
  /** How what stands there is compared; undefined where documents have nothing to compare. */
  readonly class: FieldClass | undefined;
  /** Whether every value has a term of its own. */
  readonly hasTerms: boolean;
  /** Whether its words have a slot of their own. */
  readonly hasSlot: boolean;
  /** Whether it is the full name of a column, which begins with that of its record. */
  readonly isColumnName: boolean;
  /** The place of a member of what stands there. */
  readonly child: (name: string) => IndexedField;
};

/** What is told apart of every column or field. */
const INDEXED_COLUMN_MEMBERS: ReadonlySet<string> = new Set([
  'name',
  'displayName',
  'dataType',
  'constraint',
  'tags.tagFQN',
]);

/** What is told apart of a record that is referred to, a flag of its own being none of it. */
const UNINDEXED_MEMBERS: ReadonlySet<string> = new Set(['description', 'deleted', 'inherited', 'href']);

/** What a place inside of a column is called there, however deep the column is; undefined for any other place. */
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

/** Those of custom properties come and go. */
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

/** The place of whole documents of a kind. */
export const rootFieldOf = memoisePerKind((kind): IndexedField => createIndexedField(kind, []));

/** A place of documents of a kind. */
export const indexedFieldOf = (kind: Kind, path: readonly string[]): IndexedField =>
  path.reduce((place, name) => place.child(name), rootFieldOf(kind));

/** The terms that tell the values of a place apart: every one of its values has such a term. */
export const termFormOf = ({ class: how }: IndexedField): 'folded' | 'exact' | 'number' => {
  if (how === 'number' || how === 'date') return 'number';
  return how === 'exact' ? 'exact' : 'folded';
};
