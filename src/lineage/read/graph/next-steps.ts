import type { Graph } from '../../../graph/client.ts';
import type { LineageDirection } from '../subgraph.ts';
import {
  type ColumnStepRow,
  listNextColumns,
  listNextSteps,
  listNextStepsWithoutColumns,
  type NextStepsRow,
  type StepRow,
} from './queries.ts';

const toStepRows = (steps: readonly NextStepsRow[], far: 0 | 1): StepRow[] =>
  steps.flatMap(({ hops, nodes }) => {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    return hops.flatMap((hop): StepRow[] => {
      const node = byId.get(hop[far]);
      return node ? [{ from: hop[0], to: hop[1], node }] : [];
    });
  });

/** The records one step away from some others; as many rows as there are edges, and no more than `limit`. */
export const readNextSteps = async (
  graph: Graph,
  direction: LineageDirection,
  ids: readonly string[],
  limit: number,
): Promise<StepRow[]> =>
  toStepRows(await graph.read(listNextSteps[direction], { ids, limit }), direction === 'downstream' ? 1 : 0);

/** The same downstream, by those edges only of which nobody says what columns they join. */
export const readNextStepsWithoutColumns = async (
  graph: Graph,
  ids: readonly string[],
  limit: number,
): Promise<StepRow[]> => toStepRows(await graph.read(listNextStepsWithoutColumns, { ids, limit }), 1);

/** Whether what is one step away is there: columns of deleted records are told of only so that they are counted. */
export const isLivingStep = ({ node }: ColumnStepRow): boolean => node.deleted !== true;

/** The columns one step away from some others, with the records whose columns they are, be these deleted. */
export const readNextColumns = async (
  graph: Graph,
  direction: LineageDirection,
  ids: readonly string[],
  limit: number,
): Promise<ColumnStepRow[]> => {
  const rows = await graph.read(listNextColumns[direction], { ids, limit });
  return rows.flatMap(({ reachedFrom, far, name, node }) =>
    reachedFrom.map((near) =>
      direction === 'downstream' ? { from: near, to: far, far, name, node } : { from: far, to: near, far, name, node },
    ),
  );
};
