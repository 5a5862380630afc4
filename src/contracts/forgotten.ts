import type { Graph } from '../graph/client.ts';
import { deleteSpent } from './queries.ts';

export type Clearing = {
  /** What one transaction removes, and how many of them one round has at most. */
  readonly batch: number;
  readonly batches: number;
};

const CLEARING: Clearing = Object.freeze({ batch: 5000, batches: 1000 });

/** Clears away results that contracts forgot when they were hidden, a bounded amount of them. */
export const clearForgotten = async (graph: Graph, wished: Partial<Clearing> = {}): Promise<void> => {
  const { batch, batches } = { ...CLEARING, ...wished };
  for (let round = 0; round < batches; round += 1) {
    const [cleared] = await graph.write((transaction) => transaction.run(deleteSpent, { limit: batch }));
    if (!cleared) return;
  }
};
