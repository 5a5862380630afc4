import type { Graph } from '../../graph/client.ts';
import type { Log } from '../../http/log.ts';
import { chunk } from '../../model/chunk.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { type Capabilities, probeCapabilities } from './capabilities.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import {
  MAX_SEARCHES_PER_REQUEST,
  type ServerResult,
  type ServerSearch,
  type TypesenseClient,
  TypesenseFault,
} from './client.ts';
import { collectionAliasOf } from './collection-schema.ts';
import { type CollectionDifference, compareCollection } from './compare-collection.ts';
import { buildEngineAnswer, type EngineAnswer } from './engine-answer.ts';
import { type FeedFailure, type FeedItem, feedCollections } from './feed.ts';
import { type EngineQuery, planSearches } from './plan-searches.ts';
import { findOverdueUnsent, markUnsent, readFeeding, updateFeeding } from './queries.ts';
import { type RebuiltCollection, rebuildCollections } from './rebuild.ts';
import { locateKindStarts } from './search-after.ts';
import { type CollectionSurvey, surveyCollections } from './survey-collections.ts';

/**
 * Read this file first. Searching: `plan-searches.ts` with `filter-condition.ts` and `condition.ts` (translate the
 * request), `client.ts` (calls the server), `engine-answer.ts` and `search-after.ts`. Writing: `collection-schema.ts`,
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

export type RebuildOptions = {
  readonly batch?: number;
  readonly progress?: (sent: number) => void;
  readonly isWanted?: () => boolean;
};

export type TypesenseEngineOptions = {
  /** How long the circuit breaker blocks requests. */
  readonly openMs?: number;
  /** How long a survey of the server's collections stays valid. */
  readonly surveyTtlMs?: number;
  /** How long a replaced collection is kept. */
  readonly keepMs?: number;
  /** How long a change may stay unsent before the server is too far behind to answer. */
  readonly lagMs?: number;
};

const DEFAULT_OPTIONS: Required<TypesenseEngineOptions> = Object.freeze({
  openMs: 30_000,
  surveyTtlMs: 5000,
  keepMs: 600_000,
  lagMs: 5000,
});

export type TypesenseEngineDeps = {
  readonly typesense: TypesenseClient;
  readonly graph: Graph;
  readonly kinds: readonly Kind[];
  readonly prefix: string;
  /** Distinguishes this server from others that were fed at other times. */
  readonly server: string;
  readonly log: Pick<Log, 'warn'>;
  readonly now?: () => number;
  readonly options?: TypesenseEngineOptions;
};

const MARK_BATCH = 1000;

type SurveyState = { readonly survey: CollectionSurvey; readonly isBehind: boolean; readonly at: number };

export const createTypesenseEngine = ({
  typesense,
  graph,
  kinds: allKinds,
  prefix,
  server,
  log,
  now = Date.now,
  options: given = {},
}: TypesenseEngineDeps): TypesenseEngine => {
  const options = { ...DEFAULT_OPTIONS, ...given };
  const kinds = allKinds.filter(({ search }) => search.index !== undefined);
  const byType = new Map(kinds.map((kind) => [kind.entityType, kind]));
  const breaker = createCircuitBreaker(() => performance.now(), options.openMs);
  const timers = new Set<NodeJS.Timeout>();
  let can: Capabilities | undefined;
  let known: SurveyState | undefined;
  let isSurveying = false;
  let feeds: Promise<unknown> = Promise.resolve();

  const noteFailure = (failure: unknown): void => {
    if (failure instanceof TypesenseFault && failure.kind === 'away') breaker.trip();
  };

  const survey = async (): Promise<CollectionSurvey> => {
    try {
      can ??= await probeCapabilities(typesense, prefix, now());
      const [found, [overdue], [feeding]] = await Promise.all([
        surveyCollections(typesense, prefix, kinds),
        graph.read(findOverdueUnsent, { forMs: options.lagMs }),
        graph.read(readFeeding, {}),
      ]);
      // A server that was not fed for a while lacks the changes of that time.
      const isBehind = overdue !== undefined || feeding?.server !== server;
      known = { survey: found, isBehind, at: performance.now() };
      breaker.reset();
      return found;
    } catch (failure) {
      // A server that comes back may be a different one.
      can = undefined;
      known = undefined;
      noteFailure(failure);
      throw failure;
    }
  };

  /** Refreshes an expired survey in the background, so that no request waits for it. */
  const surveyInBackground = async (): Promise<void> => {
    if (isSurveying) return;
    isSurveying = true;
    try {
      await survey();
    } catch (failure) {
      log.warn('Typesense could not be looked at', {}, failure);
    } finally {
      isSurveying = false;
    }
  };

  const searchAll = async (searches: readonly ServerSearch[]): Promise<readonly ServerResult[]> => {
    const answers = await Promise.all(chunk(searches, MAX_SEARCHES_PER_REQUEST).map((some) => typesense.search(some)));
    return answers.flat();
  };

  const answer: TypesenseEngine['answer'] = async (question, wanted, at) => {
    if (!breaker.isClosed()) return undefined;
    if (!known || performance.now() - known.at > options.surveyTtlMs) void surveyInBackground();
    if (!known || !can || known.isBehind || wanted.length === 0) return undefined;
    const { serving } = known.survey;
    if (!wanted.every((kind) => serving.has(kind))) return undefined;
    const here = { now: at, can, aliasFor: (kind: Kind) => collectionAliasOf(prefix, kind) };
    try {
      const starts = question.behind ? await locateKindStarts(question, wanted, here, searchAll) : undefined;
      const plan = planSearches(question, wanted, here, starts);
      if (!plan) return undefined;
      return buildEngineAnswer(plan, question.size, await searchAll(plan.searches));
    } catch (failure) {
      if (!(failure instanceof TypesenseFault)) throw failure;
      noteFailure(failure);
      // The collections are not as the last survey found them.
      if (failure.kind !== 'refused') known = undefined;
      log.warn('Typesense did not answer', { kind: failure.kind }, failure);
      return undefined;
    }
  };

  /** Runs one feed after another, so that two of one process never overtake each other. */
  const feed: TypesenseEngine['feed'] = (some, mayWrite) => {
    const work = async () => {
      const found = await surveyCollections(typesense, prefix, kinds);
      return feedCollections({ graph, typesense, kinds: byType, mayWrite }, found, some);
    };
    const turn = feeds.then(work, work);
    feeds = turn.catch(noteFailure);
    return turn;
  };

  const writeFeeding = (fed: string | null) =>
    graph.write((transaction) => transaction.run(updateFeeding, { rows: [{ server: fed }] }));

  const dropLater = (collection: string): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      typesense
        .dropCollection(collection)
        .catch((failure: unknown) => log.warn('a collection was kept', { collection }, failure));
    }, options.keepMs);
    timer.unref();
    timers.add(timer);
  };

  const rebuildAndSurvey: TypesenseEngine['rebuild'] = async (wanted, rebuildOptions = {}) => {
    const done = await rebuildCollections({ graph, typesense, kinds: byType, prefix, now, ...rebuildOptions }, wanted);
    for (const { previous } of done) if (previous !== undefined) dropLater(previous);
    await survey();
    return done;
  };

  const compareOne = async (kind: Kind): Promise<CollectionDifference | undefined> => {
    const { serving } = await surveyCollections(typesense, prefix, [kind]);
    const collection = serving.get(kind)?.name;
    return collection === undefined ? undefined : compareCollection(graph, typesense, kind, collection);
  };

  const unserved = async (): Promise<readonly Kind[]> => {
    const { serving } = await surveyCollections(typesense, prefix, kinds);
    return kinds.filter((kind) => !serving.has(kind));
  };

  return {
    survey,
    isAway: (failure) => failure instanceof TypesenseFault,
    capabilities: () => can,
    answer,
    feed,
    rebuild: rebuildAndSurvey,
    compare: compareOne,
    repair: async () => {
      let count = 0;
      for (const kind of kinds) {
        const { missing = [], outdated = [], extra = [] } = (await compareOne(kind)) ?? {};
        const ids = [...missing, ...outdated, ...extra];
        count += ids.length;
        for (const some of chunk(ids, MARK_BATCH)) {
          const rows = some.map((id) => ({ id, entityType: kind.entityType }));
          await graph.write((transaction) => transaction.run(markUnsent, { rows }));
        }
      }
      return count;
    },
    unserved,
    maintain: async (rebuildOptions) => {
      const [feeding] = await graph.read(readFeeding, {});
      const isFed = feeding?.server === server;
      // Changes are queued from here on, so the collections that are filled now miss none.
      if (!isFed) await writeFeeding(null);
      const wanted = isFed ? await unserved() : kinds;
      if (wanted.length > 0) await rebuildAndSurvey(wanted, rebuildOptions);
      if (!isFed) await writeFeeding(server);
    },
    deleteUnused: async (olderThanMs) => {
      const { unused } = await surveyCollections(typesense, prefix, kinds);
      const old = unused.filter(({ made }) => now() - made > olderThanMs).map(({ name }) => name);
      for (const name of old) await typesense.dropCollection(name);
      return old;
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      typesense.close();
    },
  };
};
