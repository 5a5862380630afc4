import { groupBy } from '../../model/group-by.ts';
import type { LineageDirection } from './walk-edges.ts';

/** The breadth-first walk over lineage edges that all answers are built on. */

type NodePair = readonly [from: string, to: string, ...rest: unknown[]];

/** The edges that leave each record in the direction of a walk. */
export type LeavingEdges<E> = { get(id: string): readonly E[] | undefined };

const NEAR_SIDE = { upstream: 1, downstream: 0 } as const;
const FAR_SIDE = { upstream: 0, downstream: 1 } as const;

/** Returns the lookup of the end of an edge where a walk in this direction arrives. */
export const farEndOf = (direction: LineageDirection): ((edge: NodePair) => string) => {
  const side = FAR_SIDE[direction];
  return (edge) => edge[side];
};

/** Returns the lookup of the end of an edge that a walk in this direction leaves. */
export const nearEndOf = (direction: LineageDirection): ((edge: NodePair) => string) => {
  const side = NEAR_SIDE[direction];
  return (edge) => edge[side];
};

/** Groups edges by the record that they leave in the direction of a walk. */
export const groupLeavingEdges = <E extends NodePair>(direction: LineageDirection, edges: Iterable<E>) =>
  groupBy(edges, nearEndOf(direction));

export type WalkRules<E> = {
  readonly starts: readonly string[];
  readonly depth: number;
  readonly farOf: (edge: E) => string;
  /** Whether a record may be reached; nothing is reached through any other. */
  readonly canReach?: (id: string) => boolean;
  /** Selects the records from which the walk continues, among those reached by one step. */
  readonly select?: (reached: readonly string[]) => readonly string[];
};

export type WalkStep<E> = {
  readonly depth: number;
  /** The edges along which the step went, including those to records that were reached before. */
  readonly edges: readonly E[];
  /** The selected ones of the records that this step reached first. */
  readonly reached: readonly string[];
};

/**
 * Walks edges breadth-first, one step at a time, for as long as there are edges. Each record is reached once, so each
 * edge is passed once. A caller that adds edges between two steps finds them considered by the next step.
 */
export function* walkBreadthFirst<E>(
  leaving: LeavingEdges<E>,
  { starts, depth: maxDepth, farOf, canReach, select }: WalkRules<E>,
): Generator<WalkStep<E>, undefined> {
  const passed = new Set(starts);
  let frontier: readonly string[] = starts;
  for (let depth = 1; depth <= maxDepth && frontier.length > 0; depth += 1) {
    const edges: E[] = [];
    const fresh: string[] = [];
    for (const id of frontier) {
      for (const edge of leaving.get(id) ?? []) {
        const far = farOf(edge);
        if (canReach && !canReach(far)) continue;
        edges.push(edge);
        if (passed.has(far)) continue;
        passed.add(far);
        fresh.push(far);
      }
    }
    if (edges.length === 0) return;
    frontier = select ? select(fresh) : fresh;
    yield { depth, edges, reached: frontier };
  }
}
