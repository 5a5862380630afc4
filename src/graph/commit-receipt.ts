import type { Graph, Transaction } from './client.ts';
import { statement } from './statement.ts';

/** Receipts of transactions that create no event, so that a retry can tell whether the first attempt committed. */

const findCommitReceipt = statement<{ ids: readonly unknown[] }, { id: string }>('graph/find_commit_receipt', {
  params: ['ids'],
  row: ['id'],
});
const createCommitReceipts = statement<{ ids: readonly string[] }, { id: string }>('graph/create_commit_receipts', {
  params: ['ids'],
  row: ['id'],
});
const deleteCommitReceipts = statement<{ ageMs: number; limit: number }, { removed: number }>(
  'graph/delete_commit_receipts',
  {
    params: ['ageMs', 'limit'],
    row: ['removed'],
  },
);

/** Far longer than a transaction is retried. */
const RECEIPT_RETENTION_MS = 24 * 60 * 60 * 1000;
const REMOVAL_BATCH = 1000;
const MAX_REMOVALS = 100;

/** Whether a transaction committed that wrote one of these events or receipts. */
export const hasCommitReceipt = async (graph: Graph, ids: readonly unknown[]): Promise<boolean> =>
  ids.length > 0 && (await graph.read(findCommitReceipt, { ids })).length > 0;

/** Writes receipts, so that the transaction fails when it is retried after it has committed. */
export const writeCommitReceipts = async (transaction: Transaction, ids: readonly string[]): Promise<void> => {
  await transaction.run(createCommitReceipts, { ids });
};

/** Removes receipts that no retry can need any more. */
export const removeOldCommitReceipts = async (graph: Graph): Promise<void> => {
  const old = { ageMs: RECEIPT_RETENTION_MS, limit: REMOVAL_BATCH };
  for (let round = 0; round < MAX_REMOVALS; round += 1) {
    const [row] = await graph.write((transaction) => transaction.run(deleteCommitReceipts, old));
    if ((row?.removed ?? 0) < REMOVAL_BATCH) return;
  }
};
