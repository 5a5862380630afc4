import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { JsonObject } from '../../model/json.ts';
import { documentIndexName } from '../../search-documents/index/fulltext-index.ts';
import type { TypesenseEngine } from '../typesense/engine.ts';
import { createFacetValueLookup, type FacetValueLookup } from './aggregate.ts';
import { type AnswerCache, createAnswerCache } from './answer-cache.ts';

/** The caller of a search, and the base of the URLs in the answer. */
export type SearchCaller = {
  readonly principal: Principal;
  readonly hrefBase: string;
  /** Counts the characters of documents, where their work must not block the event loop. */
  readonly countWork?: (characters: number) => void;
};

export type SearchPrincipal = Pick<SearchCaller, 'principal'>;

/** A record whose upstream records a caller wants. */
export type UpstreamTarget = { readonly id: string; readonly entityType: string; readonly fullyQualifiedName: string };

/**
 * Reads the upstream records, by ids, that the caller may see. The result takes the targets once their names are known.
 */
export type ReadUpstream = (
  caller: SearchCaller,
  ids: readonly string[],
) => Promise<(targets: readonly UpstreamTarget[]) => ReadonlyMap<string, readonly JsonObject[]>>;

/** The dependencies of searches, created once per process. */
export type SearchContext = {
  readonly engine: Engine;
  /** The name of the full-text index. */
  readonly index: string;
  readonly facetValues: FacetValueLookup;
  /** Caches recent facet counts of unfiltered searches. */
  readonly facetCache: AnswerCache<JsonObject>;
  readonly upstreamOf: ReadUpstream;
  /** The time limit of a search, in milliseconds. */
  readonly patienceMs: number;
  /** The second engine, which is asked first if configured, and the callback for its answers. */
  readonly typesense?: TypesenseEngine | undefined;
  readonly answeredBeside?: () => void;
  /** The callback for what may help the caller of a search. */
  readonly onHint?: (hint: string) => void;
};

/** The age and the number of cached facet counts. */
const FACET_CACHE = { ttlMs: 5000, maxEntries: 100 };

export const createSearchContext = (
  engine: Engine,
  { upstreamOf, patienceMs, typesense }: Pick<SearchContext, 'upstreamOf' | 'patienceMs' | 'typesense'>,
): SearchContext => ({
  engine,
  index: documentIndexName(engine.registry.kinds),
  facetValues: createFacetValueLookup(engine),
  facetCache: createAnswerCache(FACET_CACHE),
  upstreamOf,
  patienceMs,
  typesense,
});

/** The record of a document, for reading its upstream records. */
export const upstreamTargetOf = (document: JsonObject): UpstreamTarget => ({
  id: String(document['id']),
  entityType: String(document['entityType']),
  fullyQualifiedName: String(document['fullyQualifiedName']),
});
