import { type Kind, perKind } from '../../model/kind.ts';
import { classesOf, type FieldClass } from '../fields.ts';
import { slotsOf } from './slots.ts';
import { codeOf } from './terms.ts';

/**
 * The places of documents and what the index knows of each. Most it tells apart; of some it only knows that something is
 * there and which words stand in any of them: that leaves few documents, and those are looked at themselves. A table has
 * ten columns and more, so what is kept of each of them decides how large the index is and how long a write takes.
 */
export type Place = {
  readonly path: readonly string[];
  /** The short name the index has for it. */
  readonly code: string;
  /** How what stands there is compared; undefined where documents have nothing to compare. */
  readonly class: FieldClass | undefined;
  /** Whether every value has a term of its own. */
  readonly isApart: boolean;
  /** Whether its words have a slot of their own. */
  readonly isSlotted: boolean;
  /** Whether it is the full name of a column, which begins with that of its record. */
  readonly isColumnName: boolean;
  /** The place of a member of what stands there. */
  readonly at: (name: string) => Place;
};

/** What is told apart of every column or field. */
const OF_COLUMNS: ReadonlySet<string> = new Set(['name', 'displayName', 'dataType', 'constraint', 'tags.tagFQN']);

/** What is told apart of a record that is referred to, a flag of its own being none of it. */
const UNTOLD: ReadonlySet<string> = new Set(['description', 'deleted', 'inherited', 'href']);

/** What a place inside of a column is called there, however deep the column is; undefined for any other place. */
const insideColumn = (kind: Kind, path: readonly string[]): readonly string[] | undefined => {
  for (const [name, { inside, nest }] of kind.trees) {
    const tree = inside ? [name, inside.member] : [name];
    if (path.length <= tree.length || tree.some((step, index) => path[index] !== step)) continue;
    let rest = path.slice(tree.length);
    while (rest.length > 1 && rest[0] === nest) rest = rest.slice(1);
    return rest;
  }
  return undefined;
};

const isToldApart = (kind: Kind, path: readonly string[]): boolean => {
  const inside = insideColumn(kind, path);
  if (inside) return OF_COLUMNS.has(inside.join('.'));
  return path.length === 1 || !UNTOLD.has(path.at(-1) ?? '');
};

/** Those of custom properties come and go. */
const MOST_MEMBERS = 5000;

const placeAt = (kind: Kind, path: readonly string[]): Place => {
  const members = new Map<string, Place>();
  return {
    path,
    code: codeOf(path),
    class: classesOf(kind)(path),
    isApart: isToldApart(kind, path),
    isColumnName: insideColumn(kind, path)?.join('.') === 'fullyQualifiedName',
    isSlotted: slotsOf(kind).some(({ only }) => only === path.join('.')),
    at: (name) => {
      const known = members.get(name);
      if (known) return known;
      if (members.size >= MOST_MEMBERS) members.clear();
      const place = placeAt(kind, [...path, name]);
      members.set(name, place);
      return place;
    },
  };
};

/** The place of whole documents of a kind. */
export const placesOf = perKind((kind): Place => placeAt(kind, []));

/** A place of documents of a kind. */
export const placeOf = (kind: Kind, path: readonly string[]): Place =>
  path.reduce((place, name) => place.at(name), placesOf(kind));

/** The terms that tell the values of a place apart: every one of its values has such a term. */
export const sortOf = ({ class: how }: Place): 'folded' | 'exact' | 'number' => {
  if (how === 'number' || how === 'date') return 'number';
  return how === 'exact' ? 'exact' : 'folded';
};
