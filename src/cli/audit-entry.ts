import { userInfo } from 'node:os';
import type { AuditInput } from '../audit/entry.ts';
import { appendAuditEntries } from '../audit/log.ts';
import type { StoreAddress } from '../backup/store-connection.ts';
import { openGraph } from '../graph/client.ts';

/** Long enough for a store that is busy; the entry is one short write. */
const WRITE_MS = 30_000;

/** Adds what a command of the shell did to the audit log of a store. The actor is whoever the operating system knows. */
export const auditCommandRun = async (
  address: StoreAddress,
  { action, details }: Required<Pick<AuditInput, 'action' | 'details'>>,
): Promise<void> => {
  const graph = openGraph({ ...address, transactionMs: WRITE_MS });
  try {
    const input = { actor: `shell:${userInfo().username}`, action, details };
    await appendAuditEntries(graph, [{ at: Date.now(), input }]);
  } finally {
    await graph.close();
  }
};
