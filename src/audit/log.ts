import { CatalogError } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { Log } from '../http/log.ts';
import { type AuditEntry, type AuditInput, buildNextEntry, encodeEntry } from './entry.ts';
import { createEntryThrottle, type EntryThrottleOptions } from './entry-throttle.ts';
import { createEntries, lockAuditHead } from './queries.ts';

/** Writes the audit log. Processes that share a store append to one chain, because each of them locks its head. */
export type AuditLog = {
  /**
   * Resolves when the entry is stored; rejects when it cannot be stored now. The act has already happened, so the entry
   * stays queued even then and is written as soon as possible.
   */
  record(input: AuditInput): Promise<void>;
  /** Throws unavailable while too many entries wait. Acts that must be recorded should not be done then. */
  assertWritable(): void;
  /** Queues an entry without waiting. Frequent acts of one caller are counted instead of written one by one. */
  note(input: AuditInput): void;
  start(): void;
  /** Writes the waiting entries. */
  stop(): Promise<void>;
};

export type AuditOptions = {
  readonly batch: number;
  readonly mostWaiting: number;
  readonly retryMs: number;
  readonly flushMs: number;
  readonly throttle: Partial<EntryThrottleOptions>;
};

const OPTIONS: AuditOptions = Object.freeze({
  batch: 500,
  mostWaiting: 10_000,
  retryMs: 1000,
  flushMs: 60_000,
  throttle: {},
});

const MOST_REPORTED = 100;

type QueuedEntry = {
  readonly input: AuditInput;
  readonly at: number;
  /** Whether the entry is queued even when the queue is full. */
  readonly mustKeep: boolean;
  readonly resolve?: () => void;
  readonly reject?: (failure: unknown) => void;
};

type AuditLogDeps = {
  readonly graph: Graph;
  readonly clock: () => number;
  readonly log: Pick<Log, 'error'>;
  readonly options?: Partial<AuditOptions>;
};

const toEntryRow = (entry: AuditEntry): Record<string, unknown> =>
  Object.fromEntries(Object.entries(encodeEntry(entry)).map(([name, value]) => [name, encodeProperty(value)]));

/** Appends entries in one short transaction: it locks the head first, so that nobody else can append meanwhile. */
export const appendAuditEntries = (graph: Graph, some: readonly Pick<QueuedEntry, 'input' | 'at'>[]): Promise<void> =>
  graph.write(async (transaction) => {
    const [head] = await transaction.run(lockAuditHead, {});
    if (!head) throw new Error('the audit log has no head');
    let end: { readonly seq: number; readonly hash: string } = head;
    const entries = some.map(({ at, input }) => {
      const entry = buildNextEntry(end, at, input);
      end = entry;
      return entry;
    });
    await transaction.run(createEntries, {
      seq: encodeProperty(end.seq),
      hash: end.hash,
      rows: entries.map(toEntryRow),
    });
  });

export const createAuditLog = ({ graph, clock, log, options: overrides = {} }: AuditLogDeps): AuditLog => {
  const options = { ...OPTIONS, ...overrides };
  const throttle = createEntryThrottle(clock, options.throttle);
  let waiting: QueuedEntry[] = [];
  let dropped = 0;
  let writing: Promise<void> | undefined;
  let flushing: NodeJS.Timeout | undefined;
  let isClosing = false;
  let hasFailed = false;

  const takeBatch = (): QueuedEntry[] => {
    const some = waiting.slice(0, options.batch);
    waiting = waiting.slice(options.batch);
    if (dropped === 0) return some;
    const droppedEntry: QueuedEntry = {
      at: clock(),
      mustKeep: false,
      input: { actor: 'system', action: 'refused', details: { dropped } },
    };
    dropped = 0;
    return [...some, droppedEntry];
  };

  /** Rejects the promises of the entries and queues the entries again. */
  const requeue = (some: readonly QueuedEntry[], failure: unknown): void => {
    for (const { reject } of some) reject?.(failure);
    waiting = [...some.map(({ input, at, mustKeep }) => ({ input, at, mustKeep })), ...waiting];
  };

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0 || dropped > 0) {
      const some = takeBatch();
      try {
        await appendAuditEntries(graph, some);
        for (const { resolve } of some) resolve?.();
      } catch (failure) {
        requeue(some, failure);
        log.error('entries of the audit log could not be written', { waiting: waiting.length }, failure);
        hasFailed = true;
        if (!isClosing) setTimeout(startWriting, options.retryMs).unref();
        return;
      }
    }
  };

  const startWriting = (): void => {
    if (writing) return;
    hasFailed = false;
    writing = writeAll().finally(() => {
      writing = undefined;
      // An entry that arrived just as the loop ended would otherwise wait for the next one.
      if (waiting.length > 0 && !hasFailed) startWriting();
    });
  };

  const isFull = (): boolean => waiting.length >= options.mostWaiting;

  const enqueue = (entry: QueuedEntry): void => {
    // Only the few requests that were in progress when the limit was reached can exceed it.
    if (isFull() && !entry.mustKeep) {
      dropped += 1;
      return;
    }
    waiting.push(entry);
    startWriting();
  };

  const noteAll = (inputs: readonly AuditInput[]): void => {
    for (const input of inputs) enqueue({ input, at: clock(), mustKeep: false });
  };

  /** Writes entries that could not be stored before the process ends to its own log. */
  const reportUnwritten = (): void => {
    if (waiting.length === 0) return;
    const acts = waiting.filter(({ mustKeep }) => mustKeep).slice(0, MOST_REPORTED);
    const entries = acts.map(({ at, input: { actor, action, target } }) => ({ at, actor, action, target }));
    log.error('entries of the audit log are lost', { lost: waiting.length, entries: JSON.stringify(entries) });
  };

  return Object.freeze({
    record: (input: AuditInput) =>
      new Promise<void>((resolve, reject) => enqueue({ input, at: clock(), mustKeep: true, resolve, reject })),
    assertWritable: () => {
      if (isFull()) throw new CatalogError('unavailable', 'The audit log cannot be written at the moment');
    },
    note: (input: AuditInput) => noteAll(throttle.admit(input)),
    start: () => {
      isClosing = false;
      flushing ??= setInterval(() => noteAll(throttle.close()), options.flushMs).unref();
    },
    stop: async () => {
      clearInterval(flushing);
      flushing = undefined;
      noteAll(throttle.close());
      isClosing = true;
      await writing;
      await writeAll();
      reportUnwritten();
    },
  });
};
