import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { JsonObject } from '../../model/json.ts';
import { documentIndexName } from '../../search-documents/index/fulltext-index.ts';
import type { TypesenseEngine } from '../typesense/engine.ts';
import { createFacetValueLookup, type FacetValueLookup } from './aggregate.ts';
import { type AnswerCache, createAnswerCache } from './answer-cache.ts';

/** Who searches, and what addresses in the answer begin with. */
export type SearchCaller = {
  readonly principal: Principal;
  readonly hrefBase: string;
  /** Counts the text of documents, where the event loop must not be held for them. */
  readonly spend?: (characters: number) => void;
};

export type SearchPrincipal = Pick<SearchCaller, 'principal'>;

/** A record of which somebody wants to know what feeds it. */
export type UpstreamTarget = { readonly id: string; readonly entityType: string; readonly fullyQualifiedName: string };

/** Reads what feeds records, by their ids, as far as the caller may see it; it is told when their names are known. */
export type ReadUpstream = (
  caller: SearchCaller,
  ids: readonly string[],
) => Promise<(targets: readonly UpstreamTarget[]) => ReadonlyMap<string, readonly JsonObject[]>>;

/** What searches work with. Made once per process. */
export type SearchContext = {
  readonly engine: Engine;
  /** The name of the full-text index. */
  readonly index: string;
  readonly facetValues: FacetValueLookup;
  /** What everything was counted by a moment ago. */
  readonly facetCache: AnswerCache<JsonObject>;
  readonly upstreamOf: ReadUpstream;
  /** However long it takes, a search answers by then. */
  readonly patienceMs: number;
  /** The engine that is asked first, where there is one, and who is told when it answers. */
  readonly typesense?: TypesenseEngine | undefined;
  readonly answeredBeside?: () => void;
};

/** How old what everything is counted by may be, and for how many sights of it that is kept. */
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

/** The record of a document, for those who want to know what feeds it. */
export const upstreamTargetOf = (document: JsonObject): UpstreamTarget => ({
  id: String(document['id']),
  entityType: String(document['entityType']),
  fullyQualifiedName: String(document['fullyQualifiedName']),
});
