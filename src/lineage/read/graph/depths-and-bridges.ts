import type { EdgeTuple } from '../../queries.ts';
import { farEndOf, groupLeavingEdges, walkBreadthFirst } from '../breadth-first.ts';
import type { LineageDirection } from '../subgraph.ts';

/**
 * Measures the distance of each record from the root. Records that are not open are reached but not walked through;
 * missing ones are not reached at all.
 */
export const measureDepths = (
  direction: LineageDirection,
  root: string,
  edges: readonly EdgeTuple[],
  maxDepth: number,
  { isThere, isOpen }: { readonly isThere: (id: string) => boolean; readonly isOpen: (id: string) => boolean },
): ReadonlyMap<string, number> => {
  const depths = new Map([[root, 0]]);
  const farOf = farEndOf(direction);
  const select = (reached: readonly string[]) => reached.filter(isOpen);
  const walk = { starts: [root], depth: maxDepth, farOf, canReach: isThere, select };
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

export type Bridges = { readonly pairs: readonly (readonly [from: string, to: string])[]; readonly isCut: boolean };

/**
 * Connects kept records when data flows between them through omitted ones. It examines at most `steps` edges and
 * returns at most `most` pairs, because many omitted records can connect every record with every other.
 */
export const bridgeNodes = (
  edges: readonly EdgeTuple[],
  { keeps, isOpen }: { readonly keeps: (id: string) => boolean; readonly isOpen: (id: string) => boolean },
  most: number,
  steps: number,
): Bridges => {
  const leaving = groupLeavingEdges('downstream', edges);
  const pairs: (readonly [string, string])[] = [];
  let left = steps;
  for (const start of leaving.keys()) {
    if (!keeps(start) || !isOpen(start)) continue;
    const direct = new Set((leaving.get(start) ?? []).map(([, to]) => to).filter(keeps));
    const seen = new Set([start, ...direct]);
    const waiting = (leaving.get(start) ?? []).map(([, to]) => to).filter((id) => !keeps(id));
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      if (!isOpen(id)) continue;
      for (const [, to] of leaving.get(id) ?? []) {
        left -= 1;
        if (left < 0) return { pairs, isCut: true };
        if (seen.has(to)) continue;
        if (!keeps(to)) waiting.push(to);
        else {
          seen.add(to);
          if (pairs.length === most) return { pairs, isCut: true };
          pairs.push([start, to]);
        }
      }
    }
  }
  return { pairs, isCut: false };
};
