import type { EdgeTuple } from '../../queries.ts';
import { farEndOf, groupLeavingEdges, walkBreadthFirst } from '../breadth-first.ts';
import type { LineageDirection } from '../walk-edges.ts';

/**
 * Measures the distance of each record from the nearest root. Records that are not open are reached but not walked through;
 * missing ones are not reached at all.
 */
export const measureDepths = (
  direction: LineageDirection,
  roots: readonly string[],
  edges: readonly EdgeTuple[],
  maxDepth: number,
  { isThere, isOpen }: { readonly isThere: (id: string) => boolean; readonly isOpen: (id: string) => boolean },
): ReadonlyMap<string, number> => {
  const depths = new Map(roots.map((root) => [root, 0]));
  const farOf = farEndOf(direction);
  const select = (reached: readonly string[]) => reached.filter(isOpen);
  const walk = { starts: roots, depth: maxDepth, farOf, canReach: isThere, select };
  for (const step of walkBreadthFirst(groupLeavingEdges(direction, edges), walk)) {
    for (const edge of step.edges) if (!depths.has(farOf(edge))) depths.set(farOf(edge), step.depth);
  }
  return depths;
};

/** Combines both directions into one depth per record: the smaller distance, negative upstream. */
export const signedDepths = (
  up: ReadonlyMap<string, number>,
  down: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> => {
  const depths = new Map(down);
  for (const [id, steps] of up) {
    const known = depths.get(id);
    if (known === undefined || steps < known) depths.set(id, -steps);
  }
  return depths;
};

/** Two kept records and what lies between them on a shortest way: omitted records in the direction of the data. */
export type GraphBridge = { readonly from: string; readonly to: string; readonly over: readonly string[] };

export type Bridges = { readonly bridges: readonly GraphBridge[]; readonly isCut: boolean };

/** The omitted records on the way to one of them, which each was reached from the one before. */
const wayTo = (id: string, reachedFrom: ReadonlyMap<string, string>): readonly string[] => {
  const way = [id];
  for (let before = reachedFrom.get(id); before !== undefined; before = reachedFrom.get(before)) way.push(before);
  return way.reverse();
};

/**
 * Connects kept records when data flows between them through omitted ones. It examines at most `steps` edges and
 * returns at most `most` bridges, because many omitted records can connect every record with every other.
 */
export const bridgeNodes = (
  edges: readonly EdgeTuple[],
  { keeps, isOpen }: { readonly keeps: (id: string) => boolean; readonly isOpen: (id: string) => boolean },
  most: number,
  steps: number,
): Bridges => {
  const leaving = groupLeavingEdges('downstream', edges);
  const bridges: GraphBridge[] = [];
  let left = steps;
  for (const start of leaving.keys()) {
    if (!keeps(start) || !isOpen(start)) continue;
    const direct = new Set((leaving.get(start) ?? []).map(([, to]) => to).filter(keeps));
    const seen = new Set([start, ...direct]);
    const reachedFrom = new Map<string, string>();
    const waiting = (leaving.get(start) ?? []).map(([, to]) => to).filter((id) => !keeps(id));
    for (const id of waiting) seen.add(id);
    // The list grows while it is gone through, so that what is nearer comes first.
    for (const id of waiting) {
      if (!isOpen(id)) continue;
      for (const [, to] of leaving.get(id) ?? []) {
        left -= 1;
        if (left < 0) return { bridges, isCut: true };
        if (seen.has(to)) continue;
        seen.add(to);
        if (!keeps(to)) {
          reachedFrom.set(to, id);
          waiting.push(to);
          continue;
        }
        if (bridges.length === most) return { bridges, isCut: true };
        bridges.push({ from: start, to, over: wayTo(id, reachedFrom) });
      }
    }
  }
  return { bridges, isCut: false };
};
