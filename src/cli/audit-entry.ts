import { userInfo } from 'node:os';
import type { AuditInput } from '../audit/entry.ts';
import { appendAuditEntries } from '../audit/log.ts';
import type { StoreAddress } from '../backup/store-connection.ts';
import { openGraph } from '../graph/client.ts';

/** The time limit for the short write of one entry, long enough for a busy store. */
const WRITE_MS = 30_000;

/** Adds an audit entry for a shell command. The actor is the user of the operating system. */
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
