import type { Graph } from '../graph/client.ts';
import { DAY_MS } from '../model/time.ts';

/**
 * Deletes old entries of series such as profiles and test results. The operator configures the age and the number of
 * entries per series; by default nothing is deleted.
 */

/** Where a scan begins, and how many rows it reads and deletes at most. */
export type RetentionScan = { readonly edge: string; readonly limit: number };

/** How many rows a scan read and deleted, and where the next one begins; an edge of null means that none are left. */
export type RetentionScanResult = { readonly seen: number; readonly removed: number; readonly edge: string | null };

/** The limits of retention; 0 means no limit. */
export type RetentionPolicy = { readonly days: number; readonly rows: number };

/** Series of one type, declared by their own folder. Deletions follow the order of an index. */
export type RetainedSeries = {
  /** The unique name of the type. */
  readonly name: string;
  readonly policy: RetentionPolicy;
  /** Deletes rows older than a moment, starting at an edge, but never the newest row of a series. */
  readonly removeOld: (graph: Graph, before: number, look: RetentionScan) => Promise<RetentionScanResult>;
  /** Deletes all but the newest rows of each series, starting at an edge. */
  readonly removeExcess: (graph: Graph, kept: number, look: RetentionScan) => Promise<RetentionScanResult>;
};

export type BatchLimits = {
  /**
   * The maximum number of rows that one transaction reads and deletes, and of transactions per round for each type
   * and rule.
   */
  readonly batch: number;
  readonly batches: number;
};

const DEFAULT_LIMITS: BatchLimits = Object.freeze({ batch: 1000, batches: 200 });

type RemoveBatch = (look: RetentionScan) => Promise<RetentionScanResult>;

/** Continues where the last round ended and returns where the next one begins: at the start after reaching the end. */
const resumeRemoval = async (remove: RemoveBatch, from: string, { batch, batches }: BatchLimits): Promise<string> => {
  let edge = from;
  for (let round = 0; round < batches; round += 1) {
    const scanned = await remove({ edge, limit: batch });
    // A scan that deleted a full batch may have left more rows at the same edge.
    if (scanned.removed >= batch) continue;
    if (scanned.seen < batch || scanned.edge === null) return '';
    edge = scanned.edge;
  }
  return edge;
};

/** Deletes expired and excess rows, a bounded number per call. */
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
