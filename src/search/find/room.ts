import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { JsonObject } from '../../model/json.ts';
import { documentIndex } from '../index/schema.ts';
import type { TypesenseEngine } from '../typesense/engine.ts';
import { createMeanings, type Meanings } from './aggregate.ts';
import { createRecent, type Recent } from './recent.ts';

/** Who searches, and what addresses in the answer begin with. */
export type Caller = {
  readonly principal: Principal;
  readonly hrefBase: string;
  /** Counts the text of documents, where the event loop must not be held for them. */
  readonly spend?: (characters: number) => void;
};

export type Sight = Pick<Caller, 'principal'>;

/** A record of which somebody wants to know what feeds it. */
export type Target = { readonly id: string; readonly entityType: string; readonly fullyQualifiedName: string };

/** Reads what feeds records, by their ids, as far as the caller may see it; it is told when their names are known. */
export type UpstreamOf = (
  caller: Caller,
  ids: readonly string[],
) => Promise<(targets: readonly Target[]) => ReadonlyMap<string, readonly JsonObject[]>>;

/** What searches work with. Made once per process. */
export type SearchRoom = {
  readonly engine: Engine;
  /** The name of the full-text index. */
  readonly index: string;
  readonly meanings: Meanings;
  /** What everything was counted by a moment ago. */
  readonly facets: Recent<JsonObject>;
  readonly upstreamOf: UpstreamOf;
  /** However long it takes, a search answers by then. */
  readonly patienceMs: number;
  /** The engine that is asked first, where there is one, and who is told when it answers. */
  readonly typesense?: TypesenseEngine | undefined;
  readonly answeredBeside?: () => void;
};

/** How old what everything is counted by may be, and for how many sights of it that is kept. */
const FACETS = { keptMs: 5000, most: 100 };

export const openSearchRoom = (
  engine: Engine,
  { upstreamOf, patienceMs, typesense }: Pick<SearchRoom, 'upstreamOf' | 'patienceMs' | 'typesense'>,
): SearchRoom => ({
  engine,
  index: documentIndex(engine.registry.kinds),
  meanings: createMeanings(engine),
  facets: createRecent(FACETS),
  upstreamOf,
  patienceMs,
  typesense,
});

/** The record of a document, for those who want to know what feeds it. */
export const targetOf = (document: JsonObject): Target => ({
  id: String(document['id']),
  entityType: String(document['entityType']),
  fullyQualifiedName: String(document['fullyQualifiedName']),
});
