import { readDocuments } from '../../catalog/read/documents.ts';
import { redactorFor } from '../../catalog/read/visibility.ts';
import type { JsonObject } from '../../model/json.ts';
import { piecesOf } from '../../model/pieces.ts';
import type { Asked } from '../asked/parameters.ts';
import type { Behind, PageRow } from '../asked/sort.ts';
import { openHits } from './find.ts';
import { tookTooLong } from './patience.ts';
import type { Caller, SearchRoom } from './room.ts';

/** Going through everything that a search finds, in its order, without holding more than a part of it. */

/** Finding a page costs as much as finding everything, so pages are long; documents are long themselves. */
const FOUND_AT_ONCE = 10_000;
const READ_AT_ONCE = 500;

/** Everything that is found: how much it is, and its documents, a few at a time. */
export type Walk = { readonly total: number; readonly documents: () => AsyncGenerator<readonly JsonObject[]> };

const behindOf = (row: PageRow): Behind => ({
  isMissing: row.key === '',
  key: row.key,
  name: row.name,
  id: row.id,
});

/** Finds out what there is to go through; throws unavailable when that takes too long. */
export const walkHits = async (room: SearchRoom, asked: Asked, caller: Caller, most: number): Promise<Walk> => {
  const hits = await openHits(room, { ...asked, size: 0, tracksTotal: true }, caller);
  if (!hits) throw tookTooLong();
  const { engine } = room;
  async function* rows(): AsyncGenerator<readonly PageRow[]> {
    let [from, left, behind] = [asked.from, most, asked.behind];
    while (left > 0) {
      const page = await hits?.page({ from, size: Math.min(left, FOUND_AT_ONCE), behind });
      if (!page) throw tookTooLong();
      const last = page.at(-1);
      if (!last) return;
      yield page;
      [from, left, behind] = [0, left - page.length, behindOf(last)];
    }
  }
  async function* documents(): AsyncGenerator<readonly JsonObject[]> {
    for await (const page of rows()) {
      for (const some of piecesOf(page, READ_AT_ONCE)) {
        const read = await readDocuments(
          engine,
          some,
          caller.hrefBase,
          undefined,
          redactorFor(engine, caller.principal),
        );
        yield some.flatMap(({ id }): JsonObject[] => {
          const document = read.get(id);
          return document ? [document] : [];
        });
      }
    }
  }
  return { total: Math.max(0, hits.total - asked.from), documents };
};
