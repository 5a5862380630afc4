import type { NameFold } from '../../model/kind/columns.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { fqnPart } from '../../model/name.ts';
import type { ColumnNode, ColumnTrees } from './column-tree.ts';

/** Finds columns of a record by the names that requests and nested values use: `parent.child`, quoted or not. */

/** A column, the columns that contain it, and its name relative to its record. */
export type PlacedColumn = {
  readonly node: ColumnNode;
  readonly above: readonly ColumnNode[];
  readonly name: string;
};

export type ColumnFinder = {
  /** Finds the column with a name, compared by the case rules of the record. */
  readonly named: (name: string) => PlacedColumn | undefined;
  readonly byKey: ReadonlyMap<string, PlacedColumn>;
};

type ColumnPath = Omit<PlacedColumn, 'name'> & { readonly plain: string; readonly quoted: string };

const joinPath = (above: string, part: string): string => (above === '' ? part : `${above}.${part}`);

const listColumnPaths = (
  nodes: readonly ColumnNode[],
  above: readonly ColumnNode[] = [],
  plain = '',
  quoted = '',
): ColumnPath[] =>
  nodes.flatMap((node) => {
    const name = String(node.values['name']);
    const place = { node, above, plain: joinPath(plain, name), quoted: joinPath(quoted, fqnPart(name)) };
    return [place, ...listColumnPaths(node.children, [...above, node], place.plain, place.quoted)];
  });

const createTreeFinder = (nodes: readonly ColumnNode[], fold: NameFold): ColumnFinder => {
  const places = listColumnPaths(nodes);
  // A quoted name can mean only one column, so it overrides unquoted names.
  const byName = new Map(places.map((place) => [fold(place.plain), place]));
  for (const place of places) byName.set(fold(place.quoted), place);
  const placed = ({ node, above, plain, quoted }: ColumnPath): PlacedColumn => ({
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

const sectionFolds = memoisePerKind((kind) =>
  kind.columnTrees.map(([section, { nameKey }]) => [section, nameKey] as const),
);

/** Creates the finder for the columns of all trees of a record. */
export const createColumnFinder = (kind: Kind, columns: ColumnTrees): ColumnFinder => {
  const finders = sectionFolds(kind).map(([section, fold]) => createTreeFinder(columns[section] ?? [], fold));
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
