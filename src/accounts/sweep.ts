import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/property.ts';
import { deleteExpired } from './queries.ts';

type Bounds = { readonly batch: number; readonly batches: number };

const BOUNDS: Bounds = Object.freeze({ batch: 1000, batches: 100 });

/** Removes sessions, tokens, logouts and failed logins that have had their time, in small transactions. */
export const removeExpired = async (graph: Graph, now: number, bounds: Bounds = BOUNDS): Promise<void> => {
  for (let done = 0; done < bounds.batches; done += 1) {
    const expired = { now: encodeProperty(now), limit: bounds.batch };
    const [part] = await graph.write((transaction) => transaction.run(deleteExpired, expired));
    if ((part?.removed ?? 0) < bounds.batch) return;
  }
};
