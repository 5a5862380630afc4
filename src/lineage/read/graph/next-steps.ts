import type { Graph } from '../../../graph/client.ts';
import type { LineageDirection } from '../walk-edges.ts';
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

/** Reads the records one step away, as one row per edge, at most `limit` rows. */
export const readNextSteps = async (
  graph: Graph,
  direction: LineageDirection,
  ids: readonly string[],
  limit: number,
): Promise<StepRow[]> =>
  toStepRows(await graph.read(listNextSteps[direction], { ids, limit }), direction === 'downstream' ? 1 : 0);

/** Reads the steps along edges without column mappings. */
export const readNextStepsWithoutColumns = async (
  graph: Graph,
  direction: LineageDirection,
  ids: readonly string[],
  limit: number,
): Promise<StepRow[]> =>
  toStepRows(
    await graph.read(listNextStepsWithoutColumns[direction], { ids, limit }),
    direction === 'downstream' ? 1 : 0,
  );

/**
 * Whether the record of a step is living. Columns of deleted records are returned only so that they count towards the
 * limit.
 */
export const isLivingStep = ({ node }: ColumnStepRow): boolean => node.deleted !== true;

/** Reads the columns one step away with the records that own them, including deleted records. */
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
