import type { Graph } from '../../../graph/client.ts';
import { type LineageBudget, type LineageDirection, walkVisibleEdges } from '../walk-edges.ts';
import type { FoundEdges, LineageWalker } from '../walker.ts';
import { readNextSteps } from './next-steps.ts';
import type { StepRow } from './queries.ts';

/** Reads the records one step away from some records; callers use at most one row more than `limit`. */
export type StepReader = (
  direction: LineageDirection,
  ids: readonly string[],
  limit: number,
) => Promise<readonly StepRow[]>;

/**
 * From very few records, several steps are read at once, because repeated queries cost more than larger results. From
 * more records, most of the rows would never be used.
 */
const LOOK_AHEAD_STEPS = 4;
const MAX_LOOK_AHEAD_STARTS = 4;
const LOOK_AHEAD_BUDGET: LineageBudget = { nodes: 1000, edges: 3000 };

/** Groups the steps of a walk by the record where they begin; undefined when the walk exceeded its budget. */
const indexSteps = (direction: LineageDirection, starts: readonly string[], { edges, nodes }: FoundEdges) => {
  if (edges.length > LOOK_AHEAD_BUDGET.edges || nodes.length + starts.length > LOOK_AHEAD_BUDGET.nodes)
    return undefined;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const steps = new Map<string, StepRow[]>(starts.map((id) => [id, []]));
  const walk = walkVisibleEdges(direction, starts, edges, LOOK_AHEAD_STEPS, () => true);
  walk.steps.forEach((step, at) => {
    for (const [from, to] of step) {
      const [near, far] = direction === 'downstream' ? [from, to] : [to, from];
      const node = byId.get(far);
      if (node && node.deleted !== true) steps.get(near)?.push({ from, to, node });
      // Records at the end of the walk were reached but not expanded.
      if (at < LOOK_AHEAD_STEPS - 1 && !steps.has(far)) steps.set(far, []);
    }
  });
  return steps;
};

/** Creates a step reader that reads ahead when a step starts from few records. */
export const createLookAheadReader = (graph: Graph, walker: LineageWalker): StepReader => {
  const known = { upstream: new Map<string, StepRow[]>(), downstream: new Map<string, StepRow[]>() };

  const learn = async (direction: LineageDirection, ids: readonly string[]): Promise<boolean> => {
    if (ids.length > MAX_LOOK_AHEAD_STARTS) return false;
    const steps = indexSteps(direction, ids, await walker.walk(direction, ids, LOOK_AHEAD_STEPS, LOOK_AHEAD_BUDGET));
    for (const [id, rows] of steps ?? []) known[direction].set(id, rows);
    return steps !== undefined;
  };

  return async (direction, ids, limit) => {
    const seen = known[direction];
    const unseen = ids.filter((id) => !seen.has(id));
    if (unseen.length > 0 && !(await learn(direction, unseen))) return readNextSteps(graph, direction, ids, limit);
    return ids.flatMap((id) => seen.get(id) ?? []);
  };
};
