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

type AuditQueue = Omit<AuditLogDeps, 'options'> & {
  readonly options: AuditOptions;
  waiting: QueuedEntry[];
  /** The number of entries that found the queue full since the last batch. */
  dropped: number;
  writing: Promise<void> | undefined;
  isClosing: boolean;
  hasFailed: boolean;
};

const takeBatch = (queue: AuditQueue): QueuedEntry[] => {
  const { dropped, options, clock } = queue;
  const some = queue.waiting.slice(0, options.batch);
  queue.waiting = queue.waiting.slice(options.batch);
  if (dropped === 0) return some;
  const droppedEntry: QueuedEntry = {
    at: clock(),
    mustKeep: false,
    input: { actor: 'system', action: 'refused', details: { dropped } },
  };
  queue.dropped = 0;
  return [...some, droppedEntry];
};

/** Rejects the promises of the entries and queues the entries again. */
const requeue = (queue: AuditQueue, some: readonly QueuedEntry[], failure: unknown): void => {
  for (const { reject } of some) reject?.(failure);
  queue.waiting = [...some.map(({ input, at, mustKeep }) => ({ input, at, mustKeep })), ...queue.waiting];
};

const writeAll = async (queue: AuditQueue): Promise<void> => {
  while (queue.waiting.length > 0 || queue.dropped > 0) {
    const some = takeBatch(queue);
    try {
      await appendAuditEntries(queue.graph, some);
      for (const { resolve } of some) resolve?.();
    } catch (failure) {
      requeue(queue, some, failure);
      const waiting = queue.waiting.length;
      queue.log.error('entries of the audit log could not be written', { waiting }, failure);
      queue.hasFailed = true;
      if (!queue.isClosing) setTimeout(() => startWriting(queue), queue.options.retryMs).unref();
      return;
    }
  }
};

const startWriting = (queue: AuditQueue): void => {
  if (queue.writing) return;
  queue.hasFailed = false;
  queue.writing = writeAll(queue).finally(() => {
    queue.writing = undefined;
    // An entry that arrived just as the loop ended would otherwise wait for the next one.
    if (queue.waiting.length > 0 && !queue.hasFailed) startWriting(queue);
  });
};

const isFull = ({ waiting, options }: AuditQueue): boolean => waiting.length >= options.mostWaiting;

const enqueue = (queue: AuditQueue, entry: QueuedEntry): void => {
  // Only the few requests that were in progress when the limit was reached can exceed it.
  if (isFull(queue) && !entry.mustKeep) {
    queue.dropped += 1;
    return;
  }
  queue.waiting.push(entry);
  startWriting(queue);
};

const enqueueNotes = (queue: AuditQueue, inputs: readonly AuditInput[]): void => {
  for (const input of inputs) enqueue(queue, { input, at: queue.clock(), mustKeep: false });
};

/** Writes entries that could not be stored before the process ends to its own log. */
const reportUnwritten = ({ waiting, log }: AuditQueue): void => {
  if (waiting.length === 0) return;
  const acts = waiting.filter(({ mustKeep }) => mustKeep).slice(0, MOST_REPORTED);
  const entries = acts.map(({ at, input: { actor, action, target } }) => ({ at, actor, action, target }));
  log.error('entries of the audit log are lost', { lost: waiting.length, entries: JSON.stringify(entries) });
};

const writeRemaining = async (queue: AuditQueue): Promise<void> => {
  queue.isClosing = true;
  await queue.writing;
  await writeAll(queue);
  reportUnwritten(queue);
};

export const createAuditLog = ({ options: overrides = {}, ...deps }: AuditLogDeps): AuditLog => {
  const options = { ...OPTIONS, ...overrides };
  const throttle = createEntryThrottle(deps.clock, options.throttle);
  const state = { waiting: [], dropped: 0, writing: undefined, isClosing: false, hasFailed: false };
  const queue: AuditQueue = { ...deps, options, ...state };
  let flushing: NodeJS.Timeout | undefined;

  return Object.freeze({
    record: (input: AuditInput) =>
      new Promise<void>((resolve, reject) =>
        enqueue(queue, { input, at: deps.clock(), mustKeep: true, resolve, reject }),
      ),
    assertWritable: () => {
      if (isFull(queue)) throw new CatalogError('unavailable', 'The audit log cannot be written at the moment');
    },
    note: (input: AuditInput) => enqueueNotes(queue, throttle.admit(input)),
    start: () => {
      queue.isClosing = false;
      flushing ??= setInterval(() => enqueueNotes(queue, throttle.close()), options.flushMs).unref();
    },
    stop: async () => {
      clearInterval(flushing);
      flushing = undefined;
      enqueueNotes(queue, throttle.close());
      await writeRemaining(queue);
    },
  });
};
