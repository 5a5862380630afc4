import type { Graph } from '../graph/client.ts';
import { DAY_MS } from '../model/time.ts';

/**
 * Forgetting what was told again and again of the same thing: profiles, results. How long it is kept, and how much of each
 * series, is said by whoever runs the program; nothing is forgotten unless they say so.
 */

/** Where a look begins, and how many rows it looks at and removes at most. */
export type Look = { readonly edge: string; readonly limit: number };

/** How much was looked at and removed, and where the next look begins; there is nothing behind an edge of null. */
export type Looked = { readonly seen: number; readonly removed: number; readonly edge: string | null };

/** What is kept; none stands for everything. */
export type Kept = { readonly days: number; readonly rows: number };

/** Series of one sort, as their room declares them. What is removed is worked out in the order of some index. */
export type SeriesSort = {
  /** Tells it apart from all others. */
  readonly name: string;
  readonly kept: Kept;
  /** Removes what was told before a moment, from an edge on; never the newest row of a series. */
  readonly removeOld: (graph: Graph, before: number, look: Look) => Promise<Looked>;
  /** Removes all but the newest rows of series, from an edge on. */
  readonly removeExcess: (graph: Graph, kept: number, look: Look) => Promise<Looked>;
};

export type Bounds = {
  /** What one transaction looks at and removes, and how many of them one round has at most for each sort and rule. */
  readonly batch: number;
  readonly batches: number;
};

const BOUNDS: Bounds = Object.freeze({ batch: 1000, batches: 200 });

type Remove = (look: Look) => Promise<Looked>;

/** Goes on where the last round ended; answers where the next one begins, which is at the beginning after the end. */
const goOn = async (remove: Remove, from: string, { batch, batches }: Bounds): Promise<string> => {
  let edge = from;
  for (let round = 0; round < batches; round += 1) {
    const looked = await remove({ edge, limit: batch });
    // Where as much was removed as may be at once, there may be more of it in the same place.
    if (looked.removed >= batch) continue;
    if (looked.seen < batch || looked.edge === null) return '';
    edge = looked.edge;
  }
  return edge;
};

/** Forgets what has had its time, or is too much, a bounded amount of it with each call. */
export const createRetention = (
  graph: Graph,
  sorts: readonly SeriesSort[],
  wished: Partial<Bounds> = {},
): ((now: number) => Promise<void>) => {
  const bounds = { ...BOUNDS, ...wished };
  const edges = new Map<string, string>();
  const advance = async (rule: string, remove: Remove): Promise<void> => {
    edges.set(rule, await goOn(remove, edges.get(rule) ?? '', bounds));
  };
  return async (now) => {
    for (const { name, kept, removeOld, removeExcess } of sorts) {
      const before = now - kept.days * DAY_MS;
      if (kept.days > 0) await advance(`${name} by age`, (look) => removeOld(graph, before, look));
      if (kept.rows > 0) await advance(`${name} by number`, (look) => removeExcess(graph, kept.rows, look));
    }
  };
};
