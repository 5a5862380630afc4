import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { deleteExpiredCredentials } from './queries.ts';

type ExpiryBounds = { readonly batch: number; readonly batches: number };

const EXPIRY_BOUNDS: ExpiryBounds = Object.freeze({ batch: 1000, batches: 100 });

/** Removes expired sessions, tokens, logouts and failed logins in small transactions. */
export const removeExpiredCredentials = async (
  graph: Graph,
  now: number,
  bounds: ExpiryBounds = EXPIRY_BOUNDS,
): Promise<void> => {
  for (let done = 0; done < bounds.batches; done += 1) {
    const expired = { now: encodeProperty(now), limit: bounds.batch };
    const [part] = await graph.write((transaction) => transaction.run(deleteExpiredCredentials, expired));
    if ((part?.removed ?? 0) < bounds.batch) return;
  }
};
