import type { Graph } from '../graph/client.ts';
import { DAY_MS } from '../model/time.ts';

/**
 * Forgetting what was told again and again of the same thing: profiles, results. How long it is kept, and how much of each
 * series, is said by whoever runs the program; nothing is forgotten unless they say so.
 */

/** Where a look begins, and how many rows it looks at and removes at most. */
export type RetentionScan = { readonly edge: string; readonly limit: number };

/** How much was looked at and removed, and where the next look begins; there is nothing behind an edge of null. */
export type RetentionScanResult = { readonly seen: number; readonly removed: number; readonly edge: string | null };

/** What is kept; none stands for everything. */
export type RetentionPolicy = { readonly days: number; readonly rows: number };

/** Series of one sort, as their room declares them. What is removed is worked out in the order of some index. */
export type RetainedSeries = {
  /** Tells it apart from all others. */
  readonly name: string;
  readonly policy: RetentionPolicy;
  /** Removes what was told before a moment, from an edge on; never the newest row of a series. */
  readonly removeOld: (graph: Graph, before: number, look: RetentionScan) => Promise<RetentionScanResult>;
  /** Removes all but the newest rows of series, from an edge on. */
  readonly removeExcess: (graph: Graph, kept: number, look: RetentionScan) => Promise<RetentionScanResult>;
};

export type BatchLimits = {
  /** What one transaction looks at and removes, and how many of them one round has at most for each sort and rule. */
  readonly batch: number;
  readonly batches: number;
};

const DEFAULT_LIMITS: BatchLimits = Object.freeze({ batch: 1000, batches: 200 });

type RemoveBatch = (look: RetentionScan) => Promise<RetentionScanResult>;

/** Goes on where the last round ended; answers where the next one begins, which is at the beginning after the end. */
const resumeRemoval = async (remove: RemoveBatch, from: string, { batch, batches }: BatchLimits): Promise<string> => {
  let edge = from;
  for (let round = 0; round < batches; round += 1) {
    const scanned = await remove({ edge, limit: batch });
    // Where as much was removed as may be at once, there may be more of it in the same place.
    if (scanned.removed >= batch) continue;
    if (scanned.seen < batch || scanned.edge === null) return '';
    edge = scanned.edge;
  }
  return edge;
};

/** Forgets what has had its time, or is too much, a bounded amount of it with each call. */
export const createRetention = (
  graph: Graph,
  series: readonly RetainedSeries[],
  options: Partial<BatchLimits> = {},
): ((now: number) => Promise<void>) => {
  const bounds = { ...DEFAULT_LIMITS, ...options };
  const edges = new Map<string, string>();
  const advance = async (rule: string, remove: RemoveBatch): Promise<void> => {
    edges.set(rule, await resumeRemoval(remove, edges.get(rule) ?? '', bounds));
  };
  return async (now) => {
    for (const { name, policy, removeOld, removeExcess } of series) {
      const before = now - policy.days * DAY_MS;
      if (policy.days > 0) await advance(`${name} by age`, (look) => removeOld(graph, before, look));
      if (policy.rows > 0) await advance(`${name} by number`, (look) => removeExcess(graph, policy.rows, look));
    }
  };
};
