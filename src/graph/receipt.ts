import type { Graph, Transaction } from './client.ts';
import { statement } from './statement.ts';

const findReceipt = statement<{ ids: readonly unknown[] }, { id: string }>('store/find_receipt', {
  params: ['ids'],
  row: ['id'],
});
const createReceipts = statement<{ ids: readonly string[] }, { id: string }>('store/create_receipt', {
  params: ['ids'],
  row: ['id'],
});
const deleteReceipts = statement<{ ageMs: number; limit: number }, { removed: number }>('store/delete_receipt', {
  params: ['ageMs', 'limit'],
  row: ['removed'],
});

/** Far longer than a transaction is sent again. */
const KEPT_MS = 24 * 60 * 60 * 1000;
const REMOVED_AT_ONCE = 1000;
const MOST_REMOVALS = 100;

/** Whether a transaction took place that wrote one of these events or left one of these receipts. */
export const hasReceipt = async (graph: Graph, ids: readonly unknown[]): Promise<boolean> =>
  ids.length > 0 && (await graph.read(findReceipt, { ids })).length > 0;

/** Makes the transaction fail when it is sent again after it took place. */
export const leaveReceipts = async (transaction: Transaction, ids: readonly string[]): Promise<void> => {
  await transaction.run(createReceipts, { ids });
};

/** Removes the receipts that nobody looks for any more. */
export const removeOldReceipts = async (graph: Graph): Promise<void> => {
  const old = { ageMs: KEPT_MS, limit: REMOVED_AT_ONCE };
  for (let round = 0; round < MOST_REMOVALS; round += 1) {
    const [row] = await graph.write((transaction) => transaction.run(deleteReceipts, old));
    if ((row?.removed ?? 0) < REMOVED_AT_ONCE) return;
  }
};
