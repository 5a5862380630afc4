import { ok } from '../support/expect.ts';
import type { Client } from '../support/service.ts';

/**
 * Has the graph in memory compared with the database at its next use. It otherwise counts as up to date for two seconds,
 * but whoever decides about edges sees what there is, even who decides about none. The tests of importance and communities
 * show that it is compared by itself as well.
 */
export const compareAgain = async (admin: Client): Promise<void> => {
  ok(await admin.post('/v1/lineage/agreement/confirm', { edges: [] }));
};
