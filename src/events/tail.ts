import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Graph } from '../graph/client.ts';
import { createWakeablePause } from '../graph/wakeable-pause.ts';
import type { Log } from '../http/log.ts';
import type { JsonObject } from '../model/json.ts';
import { createAdaptivePageSize } from './adaptive-page-size.ts';
import { filterComplete } from './event-expiry.ts';
import { type EventHead, type EventRow, listEventsAfter, readEventHead } from './queries.ts';
import { EVENT_SEQUENCE } from './sequencer.ts';
import { unpackFirstEvents } from './unpack-events.ts';
import { type SequenceWaiter, waitForSequence } from './waiters.ts';

/** An event as it is read by its number. */
export type NumberedEvent = EventRow & {
  /** The whole event; it is parsed once for all its readers. */
  readonly value: () => JsonObject;
};

/**
 * The events of the database in the order of their numbers, for all readers in this process. A reader that has seen all
 * events up to a number asks for the next and misses none, because the numbers have no gaps.
 */
export type EventTail = {
  /** The last number that was assigned, and the first whose event is still stored. */
  head(): Promise<EventHead>;
  /** Reads some events after a number, in order; none when none are known yet, and then a reader waits for them. */
  after(seq: number, limit: number): Promise<readonly NumberedEvent[]>;
  /**
   * Waits until there may be an event after a number, until the timeout, or until the signal; returns whether there may
   * be one.
   */
  waitAfter(seq: number, ms: number, signal?: AbortSignal): Promise<boolean>;
  /** Signals that this process has assigned numbers. */
  wake(): void;
  /** `stop` releases all waiters. Until the next `start`, waiting ends after one interval of polling. */
  start(): void;
  stop(): Promise<void>;
};

export type EventTailOptions = {
  /** How often it looks for numbers that another process assigns, and that its own process assigns. */
  readonly pollMs: number;
  readonly alonePollMs: number;
  /** How many events are read at once, and how many of the newest stay in the cache. */
  readonly batch: number;
  readonly cachedEvents: number;
  readonly cachedCharacters: number;
  /** How long a missing number may take to become visible, and how often it is looked for at least. */
  readonly missingGraceMs: number;
  readonly missingGraceReads: number;
};

const DEFAULT_TAIL_OPTIONS: EventTailOptions = Object.freeze({
  pollMs: 100,
  alonePollMs: 1000,
  batch: 200,
  cachedEvents: 2000,
  cachedCharacters: 16 * 1024 * 1024,
  missingGraceMs: 5000,
  missingGraceReads: 5,
});

export type EventTailDeps = {
  readonly graph: Graph;
  readonly log: Pick<Log, 'warn'>;
  /** Whether this process assigns the numbers, so that `wake` reports them. */
  readonly isSequencerLocal: () => boolean;
  readonly options?: Partial<EventTailOptions>;
};

const toNumberedEvent = (row: EventRow): NumberedEvent => {
  let value: JsonObject | undefined;
  return {
    ...row,
    value: () => {
      value ??= JSON.parse(row.json) as JsonObject;
      return value;
    },
  };
};

/** The most characters that one read returns; a longer event is returned alone. */
const MAX_HANDOUT_CHARACTERS = 512 * 1024;
const LONG_EVENT = 64 * 1024;

const limitCharacters = (events: readonly NumberedEvent[]): readonly NumberedEvent[] => {
  let characters = 0;
  const end = events.findIndex(({ json }, at) => {
    characters += json.length;
    return at > 0 && characters > MAX_HANDOUT_CHARACTERS;
  });
  return end === -1 ? events : events.slice(0, end);
};

/** Counts the rows without a gap. Below the first number that is certainly kept, events may already be removed. */
const countContiguous = (rows: readonly EventRow[], after: number, first: number): number => {
  let expected = after + 1;
  for (const [index, { seq }] of rows.entries()) {
    if (seq !== expected && seq > first) return index;
    expected = seq + 1;
  }
  return rows.length;
};

/**
 * Reads events without skipping one. An index does not change atomically: a reader may see a later event of a batch
 * before an earlier one. The reader therefore stops at a missing number until that has been missing too long to appear;
 * then the event was removed.
 */
const createEventReader = ({ graph, log }: EventTailDeps, options: EventTailOptions) => {
  const pieces = createAdaptivePageSize(options.batch);
  const missing = new Map<number, { readonly sinceMs: number; looks: number }>();

  const isGivenUp = (seq: number): boolean => {
    const now = performance.now();
    const known = missing.get(seq);
    if (known === undefined) {
      if (missing.size > 1000) missing.clear();
      missing.set(seq, { sinceMs: now, looks: 1 });
      return false;
    }
    known.looks += 1;
    // A stalled database uses up the time without showing anything, so the number of reads counts too.
    if (now - known.sinceMs < options.missingGraceMs || known.looks < options.missingGraceReads) return false;
    log.warn('an event is missing and was skipped', { seq });
    return true;
  };

  const head = async (): Promise<EventHead> =>
    (await graph.read(readEventHead, { name: EVENT_SEQUENCE }))[0] ?? { last: 0, first: 1 };

  const read = async (after: number, limit: number): Promise<NumberedEvent[]> => {
    const found = await graph.read(listEventsAfter, { after, limit: Math.min(limit, pieces.size()) });
    const rows = filterComplete<EventRow>(found);
    pieces.adapt(rows);
    let contiguous = countContiguous(rows, after, 0);
    if (contiguous < rows.length) contiguous = countContiguous(rows, after, (await head()).first);
    // The reader continues after a missing number that will not appear any more.
    if (contiguous === 0 && rows.length > 0 && isGivenUp(after + 1)) {
      contiguous = countContiguous(rows, (rows[0]?.seq ?? 0) - 1, 0);
    }
    return (await unpackFirstEvents(graph, rows.slice(0, contiguous))).map(toNumberedEvent);
  };

  return { head, read };
};

/** A cache of the newest events. */
const createRecentEvents = ({ cachedEvents, cachedCharacters }: EventTailOptions) => {
  const events: NumberedEvent[] = [];
  let characters = 0;

  const drop = (count: number) => {
    for (const event of events.splice(0, count)) characters -= event.json.length;
  };

  return {
    add: (more: readonly NumberedEvent[]) => {
      events.push(...more);
      for (const event of more) characters += event.json.length;
      if (events.length > cachedEvents) drop(events.length - cachedEvents);
      while (events.length > 1 && characters > cachedCharacters) drop(1);
    },
    /** Returns the cached events after a number; undefined when an earlier event may exist outside the cache. */
    after: (seq: number, limit: number): readonly NumberedEvent[] | undefined => {
      const start = events.findLastIndex((event) => event.seq <= seq) + 1;
      if (start === 0 && events[0]?.seq !== seq + 1) return undefined;
      return start === events.length ? undefined : events.slice(start, start + limit);
    },
    forget: () => drop(events.length),
  };
};

type TailState = {
  readonly deps: EventTailDeps;
  readonly options: EventTailOptions;
  readonly reader: ReturnType<typeof createEventReader>;
  readonly recent: ReturnType<typeof createRecentEvents>;
  readonly waiters: Set<SequenceWaiter>;
  /** The pause between two polls. */
  readonly idle: ReturnType<typeof createWakeablePause>;
  /** The number up to which the polls have read. */
  newest: number | undefined;
  /** When the last poll began. */
  polledMs: number;
  looping: Promise<void> | undefined;
  isStopping: boolean;
};

const createTailState = (deps: EventTailDeps): TailState => {
  const options = { ...DEFAULT_TAIL_OPTIONS, ...deps.options };
  return {
    deps,
    options,
    reader: createEventReader(deps, options),
    recent: createRecentEvents(options),
    waiters: new Set(),
    idle: createWakeablePause(),
    newest: undefined,
    polledMs: Number.NEGATIVE_INFINITY,
    looping: undefined,
    isStopping: false,
  };
};

const releaseWaiters = ({ waiters, newest = 0, isStopping }: TailState): void => {
  for (const waiter of [...waiters]) {
    const hasNewer = waiter.seq < newest;
    if (isStopping || hasNewer) waiter.resolve(hasNewer);
  }
};

/** Finds where to continue. After a time without waiters, events that were written in the meantime are skipped. */
const rewindToWaiters = (state: TailState): void => {
  const from = Math.min(...[...state.waiters].map(({ seq }) => seq));
  if (state.newest !== undefined && state.newest >= from) return;
  state.newest = from;
  state.recent.forget();
};

const readNewEvents = async (state: TailState): Promise<boolean> => {
  const after = state.newest ?? 0;
  state.polledMs = performance.now();
  const found = await state.reader.read(after, state.options.batch);
  state.recent.add(found);
  state.newest = found.at(-1)?.seq ?? after;
  releaseWaiters(state);
  return found.length > 0;
};

/** Polls while there are waiters. */
const pollForWaiters = async (state: TailState): Promise<void> => {
  const { deps, options } = state;
  rewindToWaiters(state);
  while (!state.isStopping && state.waiters.size > 0) {
    let isMore = false;
    try {
      isMore = await readNewEvents(state);
    } catch (failure) {
      deps.log.warn('events could not be read', {}, failure);
    }
    if (!isMore) await state.idle.pause(deps.isSequencerLocal() ? options.alonePollMs : options.pollMs);
  }
  state.looping = undefined;
};

const isUpToDate = ({ newest }: TailState, seq: number): boolean => newest !== undefined && newest <= seq;

/**
 * A reader that finds nothing although newer numbers are known waits like any other: their events may appear later, or
 * have been removed. It would otherwise be sent to look for them again at once.
 */
const followReader = (state: TailState, seq: number): void => {
  if (state.newest === undefined || state.newest <= seq) return;
  state.newest = seq;
  state.recent.forget();
};

const readAfter = async (state: TailState, seq: number, limit: number): Promise<readonly NumberedEvent[]> => {
  const { recent, reader, options } = state;
  const cached = recent.after(seq, limit);
  // Every delivery asks once more after each event. The poll of a moment ago has already read what there is, and a reader
  // that waits now starts the next poll.
  if (!cached && isUpToDate(state, seq) && performance.now() - state.polledMs < options.pollMs) return [];
  const events = limitCharacters(cached ?? (await reader.read(seq, limit)));
  if (events.length === 0) followReader(state, seq);
  // The reader parses the events; parsing several long ones must not happen in one turn of the event loop.
  if ((events[0]?.json.length ?? 0) > LONG_EVENT) await nextTurn();
  return events;
};

const waitAfter = async (
  state: TailState,
  seq: number,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<boolean> => {
  const hasNewer = state.newest !== undefined && seq < state.newest;
  if (signal?.aborted || hasNewer) return hasNewer;
  // A reader that waits in a loop must not use up a processor while the tail is stopped.
  if (state.isStopping) {
    await sleep(Math.min(ms, state.options.pollMs), undefined, { signal, ref: false }).catch(() => {});
    return false;
  }
  const waiting = waitForSequence(state.waiters, seq, ms, signal);
  state.looping ??= pollForWaiters(state);
  return waiting;
};

export const createEventTail = (deps: EventTailDeps): EventTail => {
  const state = createTailState(deps);
  return {
    head: state.reader.head,
    after: (seq, limit) => readAfter(state, seq, limit),
    waitAfter: (seq, ms, signal) => waitAfter(state, seq, ms, signal),
    wake: state.idle.wake,
    start: () => {
      state.isStopping = false;
    },
    stop: async () => {
      state.isStopping = true;
      state.idle.wake();
      releaseWaiters(state);
      await state.looping;
    },
  };
};
