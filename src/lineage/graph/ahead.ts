import type { Graph } from '../../graph/client.ts';
import { type Budget, type Direction, walkFrom } from '../subgraph.ts';
import type { Found, Walker } from '../walk.ts';
import { readNext } from './next.ts';
import type { NextRow } from './queries.ts';

/** Tells what is one step away from some records; at most one more than `limit` is of interest. */
export type Stepper = (direction: Direction, ids: readonly string[], limit: number) => Promise<readonly NextRow[]>;

/**
 * From very few records, so many steps are looked at together: asking several times costs more than answering more. From
 * more than that, most of what is looked at would be looked at in vain.
 */
const AHEAD = 4;
const FEW = 4;
const ROOM: Budget = { nodes: 1000, edges: 3000 };

/** The steps from everything that was walked through, by where they begin; nothing when there was too much of it. */
const stepsIn = (direction: Direction, starts: readonly string[], { edges, nodes }: Found) => {
  if (edges.length > ROOM.edges || nodes.length + starts.length > ROOM.nodes) return undefined;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const steps = new Map<string, NextRow[]>(starts.map((id) => [id, []]));
  const walk = walkFrom(direction, starts, edges, AHEAD, () => true);
  walk.steps.forEach((step, at) => {
    for (const [from, to] of step) {
      const [near, far] = direction === 'downstream' ? [from, to] : [to, from];
      const node = byId.get(far);
      if (node && node.deleted !== true) steps.get(near)?.push({ from, to, node });
      // What lies at the end of the walk was reached and not walked through.
      if (at < AHEAD - 1 && !steps.has(far)) steps.set(far, []);
    }
  });
  return steps;
};

/** Takes steps one after the other, looking ahead where there is little to see. */
export const lookingAhead = (graph: Graph, walker: Walker): Stepper => {
  const known = { upstream: new Map<string, NextRow[]>(), downstream: new Map<string, NextRow[]>() };

  const learn = async (direction: Direction, ids: readonly string[]): Promise<boolean> => {
    if (ids.length > FEW) return false;
    const steps = stepsIn(direction, ids, await walker.walk(direction, ids, AHEAD, ROOM));
    for (const [id, rows] of steps ?? []) known[direction].set(id, rows);
    return steps !== undefined;
  };

  return async (direction, ids, limit) => {
    const seen = known[direction];
    const unseen = ids.filter((id) => !seen.has(id));
    if (unseen.length > 0 && !(await learn(direction, unseen))) return readNext(graph, direction, ids, limit);
    return ids.flatMap((id) => seen.get(id) ?? []);
  };
};
