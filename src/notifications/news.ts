import { type Waiter, waitAmong } from '../events/waiters.ts';
import type { Graph } from '../graph/client.ts';
import { createPause } from '../graph/pause.ts';
import type { Log } from '../http/log.ts';
import { listHearers, PROGRESS, readProgress } from './queries.ts';

/**
 * Who was told of something, for everybody in this process who listens. It is looked once for all of them, how far people
 * have been told and which of those who listen were, whichever process does the telling.
 */
export type News = {
  /** The number up to which everybody has been told of all events. */
  head(): Promise<number>;
  /** The same as far as it is known here; undefined before anybody listened. */
  known(): number | undefined;
  /** Waits until somebody was told of an event after a number, or so long, or until the signal; answers which it was. */
  wait(userId: string, seq: number, ms: number, signal: AbortSignal): Promise<boolean>;
  /** Says that this process has told people of something. */
  wake(): void;
  start(): void;
  stop(): Promise<void>;
};

export type NewsOptions = {
  /** How often it looks for what another process tells, and for what its own has said it tells. */
  readonly pollMs: number;
  readonly alonePollMs: number;
};

const OPTIONS: NewsOptions = Object.freeze({ pollMs: 100, alonePollMs: 1000 });

export type NewsDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  /** Whether it is this process that tells people, so that it is told of it. */
  readonly isToldOfAll: () => boolean;
  readonly options?: Partial<NewsOptions>;
};

/** Somebody who listens, or did lately: between two waits of theirs no news gets lost. */
type Hearer = {
  /** A number up to which there is, or may be, something they have not looked at. */
  newsAt: number;
  lastSeenMs: number;
  readonly waiters: Set<Waiter>;
};

/** How long somebody is remembered who waits no more: longer than it takes to tell them of a lot. */
const REMEMBERED_MS = 60_000;

export const createNews = ({ graph, log, isToldOfAll, options: wished = {} }: NewsDeps): News => {
  const options = { ...OPTIONS, ...wished };
  const hearers = new Map<string, Hearer>();
  const { wake, pause } = createPause();
  let known: number | undefined;
  let looping: Promise<void> | undefined;
  let isStopping = false;

  const head = async (): Promise<number> => (await graph.read(readProgress, { name: PROGRESS }))[0]?.seq ?? 0;

  const isHeard = (): boolean => [...hearers.values()].some(({ waiters }) => waiters.size > 0);

  const forget = (): void => {
    const before = performance.now() - REMEMBERED_MS;
    for (const [userId, { waiters, lastSeenMs }] of hearers) {
      if (waiters.size === 0 && lastSeenMs < before) hearers.delete(userId);
    }
  };

  const announce = (hearer: Hearer, upTo: number): void => {
    hearer.newsAt = upTo;
    for (const waiter of [...hearer.waiters]) if (waiter.seq < upTo) waiter.resolve(true);
  };

  const look = async (): Promise<void> => {
    forget();
    const asked = [...hearers.keys()];
    const [after, upTo] = [known ?? 0, await head()];
    if (upTo <= after) return;
    const rows = await graph.read(listHearers, { userIds: asked, after, upTo });
    known = upTo;
    const [told, all] = [new Set(rows.map(({ userId }) => userId)), new Set(asked)];
    // Whoever came meanwhile was not asked about, and looks for themselves.
    for (const [userId, hearer] of hearers) if (told.has(userId) || !all.has(userId)) announce(hearer, upTo);
  };

  /** Looks for as long as somebody waits. */
  const loop = async (): Promise<void> => {
    while (!isStopping && isHeard()) {
      await look().catch((failure: unknown) => log.warn('news could not be read', {}, failure));
      await pause(isToldOfAll() ? options.alonePollMs : options.pollMs);
    }
    looping = undefined;
  };

  /** Somebody who was not there before may have been told of anything since the number they name. */
  const introduce = (userId: string, seq: number): Hearer => {
    known ??= seq;
    const hearer = { newsAt: known, lastSeenMs: 0, waiters: new Set<Waiter>() };
    hearers.set(userId, hearer);
    return hearer;
  };

  return {
    head,
    known: () => known,
    wait: async (userId, seq, ms, signal) => {
      const hearer = hearers.get(userId) ?? introduce(userId, seq);
      hearer.lastSeenMs = performance.now();
      const isNews = seq < hearer.newsAt;
      if (isStopping || signal.aborted || isNews) return isNews;
      const waiting = waitAmong(hearer.waiters, seq, ms, signal);
      looping ??= loop();
      const found = await waiting;
      hearer.lastSeenMs = performance.now();
      return found;
    },
    wake,
    start: () => {
      isStopping = false;
    },
    stop: async () => {
      isStopping = true;
      wake();
      for (const { waiters } of hearers.values()) for (const waiter of [...waiters]) waiter.resolve(false);
      await looping;
    },
  };
};
