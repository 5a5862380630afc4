import { readDocuments } from '../../catalog/read/documents.ts';
import { createRedactor } from '../../catalog/read/redaction.ts';
import { chunk } from '../../model/chunk.ts';
import type { JsonObject } from '../../model/json.ts';
import type { HitRow, SearchAfter } from '../request/hit-sort.ts';
import type { SearchRequest } from '../request/search-request.ts';
import { openHits } from './run-search.ts';
import type { SearchCaller, SearchContext } from './search-context.ts';
import { timeBudgetError } from './time-budget.ts';

/** Reads all hits of a search in order, a part at a time. */

/**
 * Finding a page costs as much as finding everything, so pages are long; documents are large, so few are read at once.
 */
const FOUND_AT_ONCE = 10_000;
const READ_AT_ONCE = 500;

/** All hits: their number, and their documents in small batches. */
export type HitWalk = { readonly total: number; readonly documents: () => AsyncGenerator<readonly JsonObject[]> };

const searchAfterOf = (row: HitRow): SearchAfter => ({
  isMissing: row.key === '',
  key: row.key,
  name: row.name,
  id: row.id,
});

/** Opens the hits of a search; throws unavailable when that takes too long. */
export const walkHits = async (
  context: SearchContext,
  request: SearchRequest,
  caller: SearchCaller,
  most: number,
): Promise<HitWalk> => {
  const hits = await openHits(context, { ...request, size: 0, tracksTotal: true }, caller);
  if (!hits) throw timeBudgetError();
  const { engine } = context;
  async function* rows(): AsyncGenerator<readonly HitRow[]> {
    let [from, left, behind] = [request.from, most, request.behind];
    while (left > 0) {
      const page = await hits?.page({ from, size: Math.min(left, FOUND_AT_ONCE), behind });
      if (!page) throw timeBudgetError();
      const last = page.at(-1);
      if (!last) return;
      yield page;
      [from, left, behind] = [0, left - page.length, searchAfterOf(last)];
    }
  }
  async function* documents(): AsyncGenerator<readonly JsonObject[]> {
    for await (const page of rows()) {
      for (const some of chunk(page, READ_AT_ONCE)) {
        const read = await readDocuments(engine, some, {
          hrefBase: caller.hrefBase,
          redact: createRedactor(engine, caller.principal),
        });
        yield some.flatMap(({ id }): JsonObject[] => {
          const document = read.get(id);
          return document ? [document] : [];
        });
      }
    }
  }
  return { total: Math.max(0, hits.total - request.from), documents };
};
