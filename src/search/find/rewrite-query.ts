import { CatalogError } from '../../errors.ts';
import { isQueryTooLarge } from '../../graph/database-failure.ts';
import { MAX_QUERY_CLAUSES } from '../../search-documents/index/lucene.ts';
import type { SearchRequest } from '../request/search-request.ts';

/** Asking for less when the index cannot answer all that is asked. */

/** The caller asks for more than one query can ask for. */
class TooManyClauses extends CatalogError {
  constructor() {
    super('bad_request', `[the query asks for too much: more than ${MAX_QUERY_CLAUSES} conditions]`);
  }
}

export const tooManyClauses = () => new TooManyClauses();

const isTooManyClauses = (failure: unknown): boolean => isQueryTooLarge(failure) || failure instanceof TooManyClauses;

/** What is asked for instead: first without words that are only spelled alike, then piece by piece. */
const rewriteRequest = (request: SearchRequest): SearchRequest | undefined => {
  if (request.q.is === 'simple' && !request.q.isSpelledRight)
    return { ...request, q: { ...request.q, isSpelledRight: true } };
  return request.isSplit ? undefined : { ...request, isSplit: true };
};

/**
 * Asks, and when that is too much for the index, for less at once. How many words of it are spelled like one that was typed
 * only the index knows, and each of them is a condition: where there are too many, people are taken to have spelled theirs
 * right. What is still too much is asked for in several queries.
 */
export const runWithRewrites = async <T>(
  request: SearchRequest,
  run: (request: SearchRequest) => Promise<T>,
): Promise<T> => {
  try {
    return await run(request);
  } catch (failure) {
    if (!isTooManyClauses(failure)) throw failure;
    const rewritten = rewriteRequest(request);
    if (!rewritten) throw tooManyClauses();
    return runWithRewrites(rewritten, run);
  }
};
