import type { Graph } from '../../graph/client.ts';
import { encodeProperty } from '../../graph/encode-property.ts';
import { statement } from '../../graph/statement.ts';

const markUnusedCopies = statement<
  { after: string; limit: number; now: unknown },
  { last: string | null; looked: number; marked: number }
>('catalog/write/update_unused_text_copies', { params: ['after', 'limit', 'now'], row: ['last', 'looked', 'marked'] });

const deleteUnusedCopyBatch = statement<{ before: number; limit: number }, { removed: number }>(
  'catalog/write/delete_unused_text_copies',
  {
    params: ['before', 'limit'],
    row: ['removed'],
  },
);

export type UnusedCopyOptions = { readonly batch: number; readonly graceMs: number };

const OPTIONS: UnusedCopyOptions = Object.freeze({ batch: 1000, graceMs: 600_000 });

/**
 * Removes copies of long texts whose record is gone and whose events have expired. A copy is marked first and removed
 * by a later call, so that an event that was being written at the time of the mark is seen.
 */
export const deleteUnusedCopies = async (
  graph: Graph,
  now: number,
  overrides: Partial<UnusedCopyOptions> = {},
): Promise<void> => {
  const { batch, graceMs } = { ...OPTIONS, ...overrides };
  const removeSome = async (): Promise<number> => {
    const [row] = await graph.write((transaction) =>
      transaction.run(deleteUnusedCopyBatch, { before: now - graceMs, limit: batch }),
    );
    return row?.removed ?? 0;
  };
  const markAfter = async (after: string): Promise<string | undefined> => {
    const params = { after, limit: batch, now: encodeProperty(now) };
    const [row] = await graph.write((transaction) => transaction.run(markUnusedCopies, params));
    return row && row.looked >= batch ? (row.last ?? undefined) : undefined;
  };
  while ((await removeSome()) >= batch);
  for (let after: string | undefined = ''; after !== undefined; ) after = await markAfter(after);
};
