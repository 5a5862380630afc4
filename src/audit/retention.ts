import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { deleteEntries, listEntriesForward, lockAuditHead } from './queries.ts';

const BATCH_SIZE = 1000;

/** Removes one batch of expired entries from the start, and returns their number. */
const removeExpiredBatch = (graph: Graph, before: number): Promise<number> =>
  graph.write(async (transaction) => {
    const [head] = await transaction.run(lockAuditHead, {});
    if (!head || head.seq === head.anchorSeq) return 0;
    const first = { after: head.anchorSeq, until: head.seq, limit: BATCH_SIZE };
    const rows = await transaction.run(listEntriesForward, {
      ...first,
      from: null,
      to: null,
      actor: null,
      action: null,
    });
    // The clock may have been set back, so an entry stays as long as an earlier one does.
    const young = rows.findIndex(({ entry }) => entry.at >= before);
    const expired = young < 0 ? rows : rows.slice(0, young);
    const last = expired.at(-1)?.entry;
    if (!last) return 0;
    await transaction.run(deleteEntries, { seq: encodeProperty(last.seq), hash: last.hash });
    return expired.length;
  });

/** Removes entries older than a time. The head keeps the hash of the last one, so that the rest still verifies. */
export const removeExpiredEntries = async (graph: Graph, before: number): Promise<void> => {
  while ((await removeExpiredBatch(graph, before)) === BATCH_SIZE);
};
