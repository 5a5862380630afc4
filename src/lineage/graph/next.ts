import type { Graph } from '../../graph/client.ts';
import type { Direction } from '../subgraph.ts';
import { listNext, listNextBare, listNextColumns, type NextColumnRow, type NextRow, type NextStep } from './queries.ts';

const rowsOf = (steps: readonly NextStep[], far: 0 | 1): NextRow[] =>
  steps.flatMap(({ hops, nodes }) => {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    return hops.flatMap((hop): NextRow[] => {
      const node = byId.get(hop[far]);
      return node ? [{ from: hop[0], to: hop[1], node }] : [];
    });
  });

/** The records one step away from some others; as many rows as there are edges, and no more than `limit`. */
export const readNext = async (
  graph: Graph,
  direction: Direction,
  ids: readonly string[],
  limit: number,
): Promise<NextRow[]> =>
  rowsOf(await graph.read(listNext[direction], { ids, limit }), direction === 'downstream' ? 1 : 0);

/** The same downstream, by those edges only of which nobody says what columns they join. */
export const readNextBare = async (graph: Graph, ids: readonly string[], limit: number): Promise<NextRow[]> =>
  rowsOf(await graph.read(listNextBare, { ids, limit }), 1);

/** Whether what is one step away is there: columns of deleted records are told of only so that they are counted. */
export const isLiving = ({ node }: NextColumnRow): boolean => node.deleted !== true;

/** The columns one step away from some others, with the records whose columns they are, be these deleted. */
export const readNextColumns = async (
  graph: Graph,
  direction: Direction,
  ids: readonly string[],
  limit: number,
): Promise<NextColumnRow[]> => {
  const rows = await graph.read(listNextColumns[direction], { ids, limit });
  return rows.flatMap(({ reachedFrom, far, name, node }) =>
    reachedFrom.map((near) =>
      direction === 'downstream' ? { from: near, to: far, far, name, node } : { from: far, to: near, far, name, node },
    ),
  );
};
