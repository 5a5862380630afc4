import type { Fold } from '../../model/columns.ts';
import { type Kind, perKind } from '../../model/kind.ts';
import { fqnPart } from '../../model/name.ts';
import type { ColumnNode, ColumnTrees } from './column-tree.ts';

/** Columns of a record by the names that requests and nested values give them: `parent.child`, quoted or not. */

/** A column, the columns it lies in, and what it is called below its record. */
export type PlacedColumn = {
  readonly node: ColumnNode;
  readonly above: readonly ColumnNode[];
  readonly name: string;
};

export type ColumnFinder = {
  /** The column that a name means, in the spelling of its record. */
  readonly named: (name: string) => PlacedColumn | undefined;
  readonly byKey: ReadonlyMap<string, PlacedColumn>;
};

type Place = Omit<PlacedColumn, 'name'> & { readonly plain: string; readonly quoted: string };

const joined = (above: string, part: string): string => (above === '' ? part : `${above}.${part}`);

const placesOf = (nodes: readonly ColumnNode[], above: readonly ColumnNode[] = [], plain = '', quoted = ''): Place[] =>
  nodes.flatMap((node) => {
    const name = String(node.values['name']);
    const place = { node, above, plain: joined(plain, name), quoted: joined(quoted, fqnPart(name)) };
    return [place, ...placesOf(node.children, [...above, node], place.plain, place.quoted)];
  });

const findIn = (nodes: readonly ColumnNode[], fold: Fold): ColumnFinder => {
  const places = placesOf(nodes);
  // What is written in quotes can mean one column only, so it has the last word.
  const byName = new Map(places.map((place) => [fold(place.plain), place]));
  for (const place of places) byName.set(fold(place.quoted), place);
  const placed = ({ node, above, plain, quoted }: Place): PlacedColumn => ({
    node,
    above,
    name: byName.get(fold(plain))?.node === node ? plain : quoted,
  });
  return {
    named: (name) => {
      const place = byName.get(fold(name));
      return place && placed(place);
    },
    byKey: new Map(places.map((place) => [place.node.key, placed(place)])),
  };
};

const foldsOf = perKind((kind) => kind.trees.map(([section, { fold }]) => [section, fold] as const));

/** The columns of a record, over all its trees. */
export const columnFinder = (kind: Kind, columns: ColumnTrees): ColumnFinder => {
  const finders = foldsOf(kind).map(([section, fold]) => findIn(columns[section] ?? [], fold));
  const [only] = finders;
  if (only && finders.length === 1) return only;
  return {
    named: (name) => {
      for (const finder of finders) {
        const found = finder.named(name);
        if (found) return found;
      }
      return undefined;
    },
    byKey: new Map(finders.flatMap(({ byKey }) => [...byKey])),
  };
};
