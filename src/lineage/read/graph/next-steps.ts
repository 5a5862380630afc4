import type { Graph } from '../../../graph/client.ts';
import { farEndOf } from '../breadth-first.ts';
import type { LineageDirection } from '../walk-edges.ts';
import {
  type ColumnStepRow,
  listNextColumns,
  listNextSteps,
  listNextStepsWithoutColumns,
  type StepRow,
} from './queries.ts';

type ReadSteps = (
  graph: Graph,
  direction: LineageDirection,
  ids: readonly string[],
  limit: number,
) => Promise<StepRow[]>;

const createStepReader =
  (statements: typeof listNextSteps): ReadSteps =>
  async (graph, direction, ids, limit) => {
    const farOf = farEndOf(direction);
    const steps = await graph.read(statements[direction], { ids, limit });
    return steps.flatMap(({ hops, nodes }) => {
      const byId = new Map(nodes.map((node) => [node.id, node]));
      return hops.flatMap((hop): StepRow[] => {
        const node = byId.get(farOf(hop));
        return node ? [{ from: hop[0], to: hop[1], node }] : [];
      });
    });
  };

/** Reads the records one step away, as one row per edge, at most `limit` rows. */
export const readNextSteps = createStepReader(listNextSteps);

/** Reads the steps along edges without column mappings. */
export const readNextStepsWithoutColumns = createStepReader(listNextStepsWithoutColumns);

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
