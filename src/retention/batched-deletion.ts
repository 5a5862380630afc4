import type { Graph } from '../graph/client.ts';
import type { BoundStatement } from '../graph/statement.ts';
import type { BatchLimits } from './retention.ts';

const DEFAULT_LIMITS: BatchLimits = Object.freeze({ batch: 5000, batches: 1000 });

/**
 * Deletes leftovers that were too many for the transaction that orphaned them, a bounded number per call. The
 * statement returns no row when nothing is left.
 */
export const createBatchedDeletion =
  (statement: BoundStatement<{ limit: number }, { removed: number }>) =>
  async (graph: Graph, options: Partial<BatchLimits> = {}): Promise<void> => {
    const { batch, batches } = { ...DEFAULT_LIMITS, ...options };
    for (let round = 0; round < batches; round += 1) {
      const [cleared] = await graph.write((transaction) => transaction.run(statement, { limit: batch }));
      if (!cleared) return;
    }
  };
