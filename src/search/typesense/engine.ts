import type { Kind } from '../../model/kind/kind.ts';
import { answerQuery } from './answer-query.ts';
import type { Capabilities } from './capabilities.ts';
import { TypesenseFault } from './client.ts';
import type { CollectionDifference } from './compare-collection.ts';
import type { EngineAnswer } from './engine-answer.ts';
import { createEngineState, surveyServer, type TypesenseEngineDeps } from './engine-state.ts';
import type { FeedFailure, FeedItem } from './feed.ts';
import {
  compareKind,
  deleteUnusedCollections,
  feedInTurn,
  listUnservedKinds,
  maintainCollections,
  type RebuildOptions,
  rebuildKinds,
  repairCollections,
} from './maintain-collections.ts';
import type { EngineQuery } from './plan-searches.ts';
import type { RebuiltCollection } from './rebuild.ts';
import type { CollectionSurvey } from './survey-collections.ts';

/**
 * Read this file first, then `engine-state.ts` (what is known about the server). Searching: `answer-query.ts`,
 * `plan-searches.ts` with `filter-condition.ts` and `condition.ts` (translate the request), `client.ts` (calls the
 * server), `engine-answer.ts` and `search-after.ts`. Writing: `maintain-collections.ts`, `collection-schema.ts`,
 * `import-line.ts` and `value-encoding.ts` (how documents are stored), `indexer.ts` with `feed.ts` (send changes),
 * `rebuild.ts` and `compare-collection.ts`. `capabilities.ts` tests what the server can do.
 */

/**
 * Typesense as a second engine (search.md 7). It answers only what its server is known to answer exactly; Neo4j answers
 * everything else, and also while the server is unavailable, behind or being filled.
 */
export type TypesenseEngine = {
  /** Reads again what the server can do and which collections it has. Throws when it is unavailable. */
  readonly survey: () => Promise<CollectionSurvey>;
  /** The capabilities of the server, if known. */
  readonly capabilities: () => Capabilities | undefined;
  /** Answers a query; undefined when Neo4j must answer it. */
  readonly answer: (question: EngineQuery, kinds: readonly Kind[], now: number) => Promise<EngineAnswer | undefined>;
  /** Sends the current state of records; returns those that were rejected. Throws when the server is unavailable. */
  readonly feed: (feeds: readonly FeedItem[], mayWrite: () => boolean) => Promise<readonly FeedFailure[]>;
  /** Fills new collections and switches the aliases to them. */
  readonly rebuild: (kinds: readonly Kind[], options?: RebuildOptions) => Promise<readonly RebuiltCollection[]>;
  /** Compares the serving collection of a kind with the graph; undefined when none serves. */
  readonly compare: (kind: Kind) => Promise<CollectionDifference | undefined>;
  /** Queues all differences from the graph for sending; returns how many there are. */
  readonly repair: () => Promise<number>;
  /** The kinds without a serving collection that has the current fields. */
  readonly unserved: () => Promise<readonly Kind[]>;
  /** Ensures that every change is sent to the server and that every kind has a serving collection. */
  readonly maintain: (options?: RebuildOptions) => Promise<void>;
  /** Removes collections that have had no alias for a while; returns their names. */
  readonly deleteUnused: (olderThanMs: number) => Promise<readonly string[]>;
  /** Whether the server caused a failure. */
  readonly isAway: (failure: unknown) => boolean;
  readonly close: () => void;
};

export const createTypesenseEngine = (deps: TypesenseEngineDeps): TypesenseEngine => {
  const state = createEngineState(deps);
  return {
    survey: () => surveyServer(state),
    isAway: (failure) => failure instanceof TypesenseFault,
    capabilities: () => state.capabilities,
    answer: (question, kinds, now) => answerQuery(state, question, kinds, now),
    feed: (feeds, mayWrite) => feedInTurn(state, feeds, mayWrite),
    rebuild: (kinds, options) => rebuildKinds(state, kinds, options),
    compare: (kind) => compareKind(state, kind),
    repair: () => repairCollections(state),
    unserved: () => listUnservedKinds(state),
    maintain: (options) => maintainCollections(state, options),
    deleteUnused: (olderThanMs) => deleteUnusedCollections(state, olderThanMs),
    close: () => {
      for (const timer of state.dropTimers) clearTimeout(timer);
      state.dropTimers.clear();
      state.typesense.close();
    },
  };
};
