import type { RefNode } from '../../../catalog/queries.ts';
import type { Graph } from '../../../graph/client.ts';
import { groupBy } from '../../../model/group-by.ts';
import { decodeDetails } from '../../edge.ts';
import { columnPairsOf } from '../../merge-assertions.ts';
import type { EdgeTuple } from '../../queries.ts';
import { farEndOf, nearEndOf } from '../breadth-first.ts';
import type { LineageDirection } from '../walk-edges.ts';
import { columnPathBelow } from './change-certainty.ts';
import { readNextColumns } from './next-steps.ts';

/** Steps from column to column, in the present by their keys and in the past by the mappings of edges. */

/** A column of a record. */
export type TrailColumn = {
  /** The key of the column, or the ID of the record that represents it; empty in the past, which has no keys. */
  readonly key: string;
  /** The ID of the record that has the column. */
  readonly id: string;
  /** The name below the record. */
  readonly name: string;
};

/** The step from a column to the next one, whose record is `node`. */
export type ColumnHop = { readonly near: TrailColumn; readonly far: TrailColumn; readonly node: RefNode };

export type NextColumns = { readonly hops: readonly ColumnHop[]; readonly isCut: boolean };

export const columnId = ({ id, name }: Pick<TrailColumn, 'id' | 'name'>): string => `${id}\u0001${name}`;

/** Reads the columns one step away from some columns, at most so many steps. */
export const readColumnHops = async (
  graph: Graph,
  direction: LineageDirection,
  near: readonly TrailColumn[],
  most: number,
): Promise<NextColumns> => {
  const byKey = groupBy(near, ({ key }) => key);
  const rows = await readNextColumns(graph, direction, [...byKey.keys()], most + 1);
  const hops = rows.flatMap(({ from, to, far, name, node }) =>
    (byKey.get(direction === 'downstream' ? from : to) ?? []).map((column) => ({
      near: column,
      far: { key: far, id: node.id, name: columnPathBelow(node, name) },
      node,
    })),
  );
  return { hops, isCut: rows.length > most };
};

/** Returns the steps along edges whose mappings join one of some columns to another column. */
export const hopsAlongMappings = (
  direction: LineageDirection,
  near: readonly TrailColumn[],
  edges: readonly EdgeTuple[],
  nodes: ReadonlyMap<string, RefNode>,
): readonly ColumnHop[] => {
  const byId = new Map(near.map((column) => [columnId(column), column]));
  const [nearOf, farOf] = [nearEndOf(direction), farEndOf(direction)];
  return edges.flatMap((edge): ColumnHop[] => {
    const [, , pipelineId, text] = edge;
    const node = nodes.get(farOf(edge));
    if (!node) return [];
    return [...columnPairsOf(decodeDetails(text, pipelineId).mappings).values()].flatMap((pair): ColumnHop[] => {
      const [nearName, farName] = direction === 'downstream' ? [pair.from, pair.to] : [pair.to, pair.from];
      const column = byId.get(columnId({ id: nearOf(edge), name: nearName }));
      return column ? [{ near: column, far: { key: '', id: node.id, name: farName }, node }] : [];
    });
  });
};
