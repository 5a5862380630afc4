import type { Graph } from '../../graph/client.ts';
import type { Log } from '../../http/log.ts';
import type { Kind } from '../../model/kind.ts';
import { piecesOf } from '../../model/pieces.ts';
import { answerOf, type EngineAnswer } from './answer.ts';
import { planFor, type Question } from './ask.ts';
import { startsBehind } from './behind.ts';
import { createBreaker } from './breaker.ts';
import { type Capabilities, probe } from './capabilities.ts';
import { type Found, MOST_SEARCHES, type Search, type Typesense, TypesenseFault } from './client.ts';
import { type Survey, surveyOf } from './collections.ts';
import { compare, type Difference } from './compare.ts';
import { type Feed, feedTo, type Unfed } from './feed.ts';
import { findOverdue, markUnsent, putFeeding, readFeeding } from './queries.ts';
import { type Rebuilt, rebuild } from './rebuild.ts';
import { aliasOf } from './schema.ts';

/**
 * The engine beside the graph (search.md 7). It answers what its server is known to answer exactly; whatever else is asked,
 * and while it is away, behind or being filled, the graph answers.
 */
export type TypesenseEngine = {
  /** Looks again what the server can do and which collections it has. Throws when it is away. */
  readonly survey: () => Promise<Survey>;
  /** What the server can do, as far as that is known. */
  readonly capabilities: () => Capabilities | undefined;
  /** The answer to a question; undefined where the graph must answer it. */
  readonly answer: (question: Question, kinds: readonly Kind[], now: number) => Promise<EngineAnswer | undefined>;
  /** Sends records as they are now; answers those that were refused. Throws when the server is away. */
  readonly feed: (feeds: readonly Feed[], mayWrite: () => boolean) => Promise<readonly Unfed[]>;
  /** Fills new collections and lets them serve. */
  readonly rebuild: (kinds: readonly Kind[], options?: RebuildOptions) => Promise<readonly Rebuilt[]>;
  /** Compares what serves for a kind with the graph; undefined where nothing serves. */
  readonly compare: (kind: Kind) => Promise<Difference | undefined>;
  /** Notes whatever differs from the graph, so that it is sent; answers how much that is. */
  readonly mend: () => Promise<number>;
  /** Kinds for which nothing serves that has the fields it should have. */
  readonly unserved: () => Promise<readonly Kind[]>;
  /** Sees to it that the server is fed with every change and that something serves for every kind. */
  readonly tend: (options?: RebuildOptions) => Promise<void>;
  /** Removes collections that no alias is pointed at and that have been so for a while; answers their names. */
  readonly sweep: (olderThanMs: number) => Promise<readonly string[]>;
  /** Whether a failure is the server's. */
  readonly isAway: (failure: unknown) => boolean;
  readonly close: () => void;
};

export type RebuildOptions = {
  readonly batch?: number;
  readonly progress?: (sent: number) => void;
  readonly isWanted?: () => boolean;
};

export type EngineOptions = {
  /** How long the breaker keeps requests away. */
  readonly openMs?: number;
  /** How long what was learned of the server's collections is believed. */
  readonly believeMs?: number;
  /** How long a collection that served is kept. */
  readonly keepMs?: number;
  /** How long a change may be unsent before the server is too far behind to be asked. */
  readonly lagMs?: number;
};

const OPTIONS: Required<EngineOptions> = Object.freeze({
  openMs: 30_000,
  believeMs: 5000,
  keepMs: 600_000,
  lagMs: 5000,
});

export type EngineDeps = {
  readonly typesense: Typesense;
  readonly graph: Graph;
  readonly kinds: readonly Kind[];
  readonly prefix: string;
  /** What tells this server from others that may be fed at other times. */
  readonly server: string;
  readonly log: Pick<Log, 'warn'>;
  readonly now?: () => number;
  readonly options?: EngineOptions;
};

const NOTED_AT_ONCE = 1000;

type Known = { readonly survey: Survey; readonly isBehind: boolean; readonly at: number };

export const createTypesenseEngine = ({
  typesense,
  graph,
  kinds: allKinds,
  prefix,
  server,
  log,
  now = Date.now,
  options: wished = {},
}: EngineDeps): TypesenseEngine => {
  const options = { ...OPTIONS, ...wished };
  const kinds = allKinds.filter(({ search }) => search.index !== undefined);
  const byType = new Map(kinds.map((kind) => [kind.entityType, kind]));
  const breaker = createBreaker(() => performance.now(), options.openMs);
  const timers = new Set<NodeJS.Timeout>();
  let can: Capabilities | undefined;
  let known: Known | undefined;
  let isLearning = false;
  let feeds: Promise<unknown> = Promise.resolve();

  const noted = (failure: unknown): void => {
    if (failure instanceof TypesenseFault && failure.kind === 'away') breaker.trip();
  };

  const survey = async (): Promise<Survey> => {
    try {
      can ??= await probe(typesense, prefix, now());
      const [found, [overdue], [feeding]] = await Promise.all([
        surveyOf(typesense, prefix, kinds),
        graph.read(findOverdue, { forMs: options.lagMs }),
        graph.read(readFeeding, {}),
      ]);
      // Of what happened while nobody fed this server, it knows nothing.
      const isBehind = overdue !== undefined || feeding?.server !== server;
      known = { survey: found, isBehind, at: performance.now() };
      breaker.reset();
      return found;
    } catch (failure) {
      // A server that comes back may be another.
      can = undefined;
      known = undefined;
      noted(failure);
      throw failure;
    }
  };

  /** Learns anew in the background what is believed no longer; nobody waits for it. */
  const learn = async (): Promise<void> => {
    if (isLearning) return;
    isLearning = true;
    try {
      await survey();
    } catch (failure) {
      log.warn('Typesense could not be looked at', {}, failure);
    } finally {
      isLearning = false;
    }
  };

  const searchAll = async (searches: readonly Search[]): Promise<readonly Found[]> => {
    const answers = await Promise.all(piecesOf(searches, MOST_SEARCHES).map((some) => typesense.search(some)));
    return answers.flat();
  };

  const answer: TypesenseEngine['answer'] = async (question, wanted, at) => {
    if (!breaker.isClosed()) return undefined;
    if (!known || performance.now() - known.at > options.believeMs) void learn();
    if (!known || !can || known.isBehind || wanted.length === 0) return undefined;
    const { serving } = known.survey;
    if (!wanted.every((kind) => serving.has(kind))) return undefined;
    const here = { now: at, can, aliasFor: (kind: Kind) => aliasOf(prefix, kind) };
    try {
      const starts = question.behind ? await startsBehind(question, wanted, here, searchAll) : undefined;
      const plan = planFor(question, wanted, here, starts);
      if (!plan) return undefined;
      return answerOf(plan, question.size, await searchAll(plan.searches));
    } catch (failure) {
      if (!(failure instanceof TypesenseFault)) throw failure;
      noted(failure);
      // What it has is not what was believed.
      if (failure.kind !== 'refused') known = undefined;
      log.warn('Typesense did not answer', { kind: failure.kind }, failure);
      return undefined;
    }
  };

  /** One feed after another: two of one process never overtake each other. */
  const feed: TypesenseEngine['feed'] = (some, mayWrite) => {
    const work = async () => {
      const found = await surveyOf(typesense, prefix, kinds);
      return feedTo({ graph, typesense, kinds: byType, mayWrite }, found, some);
    };
    const turn = feeds.then(work, work);
    feeds = turn.catch(noted);
    return turn;
  };

  const say = (fed: string | null) =>
    graph.write((transaction) => transaction.run(putFeeding, { rows: [{ server: fed }] }));

  const dropLater = (collection: string): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      typesense
        .drop(collection)
        .catch((failure: unknown) => log.warn('a collection was kept', { collection }, failure));
    }, options.keepMs);
    timer.unref();
    timers.add(timer);
  };

  const refill: TypesenseEngine['rebuild'] = async (wanted, told = {}) => {
    const done = await rebuild({ graph, typesense, kinds: byType, prefix, now, ...told }, wanted);
    for (const { before } of done) if (before !== undefined) dropLater(before);
    await survey();
    return done;
  };

  const compareOne = async (kind: Kind): Promise<Difference | undefined> => {
    const { serving } = await surveyOf(typesense, prefix, [kind]);
    const collection = serving.get(kind)?.name;
    return collection === undefined ? undefined : compare(graph, typesense, kind, collection);
  };

  const unserved = async (): Promise<readonly Kind[]> => {
    const { serving } = await surveyOf(typesense, prefix, kinds);
    return kinds.filter((kind) => !serving.has(kind));
  };

  return {
    survey,
    isAway: (failure) => failure instanceof TypesenseFault,
    capabilities: () => can,
    answer,
    feed,
    rebuild: refill,
    compare: compareOne,
    mend: async () => {
      let count = 0;
      for (const kind of kinds) {
        const { missing = [], outdated = [], extra = [] } = (await compareOne(kind)) ?? {};
        const ids = [...missing, ...outdated, ...extra];
        count += ids.length;
        for (const some of piecesOf(ids, NOTED_AT_ONCE)) {
          const rows = some.map((id) => ({ id, entityType: kind.entityType }));
          await graph.write((transaction) => transaction.run(markUnsent, { rows }));
        }
      }
      return count;
    },
    unserved,
    tend: async (told) => {
      const [feeding] = await graph.read(readFeeding, {});
      const isFed = feeding?.server === server;
      // Changes are noted from here on, so what is filled now misses none of them.
      if (!isFed) await say(null);
      const wanted = isFed ? await unserved() : kinds;
      if (wanted.length > 0) await refill(wanted, told);
      if (!isFed) await say(server);
    },
    sweep: async (olderThanMs) => {
      const { unused } = await surveyOf(typesense, prefix, kinds);
      const old = unused.filter(({ made }) => now() - made > olderThanMs).map(({ name }) => name);
      for (const name of old) await typesense.drop(name);
      return old;
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      typesense.close();
    },
  };
};
