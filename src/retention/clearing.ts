import type { Graph } from '../graph/client.ts';
import type { Bound } from '../graph/statement.ts';
import type { Bounds } from './retention.ts';

const BOUNDS: Bounds = Object.freeze({ batch: 5000, batches: 1000 });

/**
 * Clears away what was left behind because it was too much for the transaction that made it useless, a bounded amount of
 * it with each call. The statement answers nothing when there is nothing left.
 */
export const clearing =
  (statement: Bound<{ limit: number }, { removed: number }>) =>
  async (graph: Graph, wished: Partial<Bounds> = {}): Promise<void> => {
    const { batch, batches } = { ...BOUNDS, ...wished };
    for (let round = 0; round < batches; round += 1) {
      const [cleared] = await graph.write((transaction) => transaction.run(statement, { limit: batch }));
      if (!cleared) return;
    }
  };
