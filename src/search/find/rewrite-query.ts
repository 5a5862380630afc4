import { CatalogError } from '../../errors.ts';
import { isQueryTooLarge } from '../../graph/database-failure.ts';
import { MAX_QUERY_CLAUSES } from '../../search-documents/index/lucene.ts';
import type { SearchRequest } from '../request/search-request.ts';

/** Retries a search in a simpler form when the index cannot run it as a whole. */

/** The query has more clauses than the index accepts. */
class TooManyClauses extends CatalogError {
  constructor() {
    super('bad_request', `[the query asks for too much: more than ${MAX_QUERY_CLAUSES} conditions]`);
  }
}

export const tooManyClauses = () => new TooManyClauses();

const isTooManyClauses = (failure: unknown): boolean => isQueryTooLarge(failure) || failure instanceof TooManyClauses;

/** The simpler form of a request: first without typing mistakes, then split into several queries. */
const rewriteRequest = (request: SearchRequest): SearchRequest | undefined => {
  if (request.q.is === 'simple' && !request.q.isSpelledRight)
    return { ...request, q: { ...request.q, isSpelledRight: true } };
  return request.isSplit ? undefined : { ...request, isSplit: true };
};

/**
 * Runs a search, and again in a simpler form when it has too many clauses. Only the index knows how many similar words
 * a typed word has, and each is a clause: if there are too many, the search tolerates no typing mistakes. A request
 * that is still too large is split into several queries.
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
