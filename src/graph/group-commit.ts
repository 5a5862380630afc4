import { randomUUID } from 'node:crypto';
import { CatalogError } from '../errors.ts';
import type { TraceCaller, TraceHeaders } from '../tracing/tracing.ts';
import type { Graph, GraphObserver, Transaction } from './client.ts';
import { MissingRowsError, needsReceipt, runBatch } from './commit-batch.ts';
import { isClientFailure, isEntityGone, isTransient } from './database-failure.ts';
import { createDeferredPump } from './deferred-pump.ts';
import type { BoundStatement } from './statement.ts';

/** Combines writes of many requests into shared transactions. */

/**
 * A row of a write statement. The statement returns `at` for every row that matched. A row that creates an event has
 * the event's properties in `event`.
 */
export type WriteStatementRow = { readonly event?: { readonly id: unknown }; readonly [member: string]: unknown };

type WriteStatement = BoundStatement<{ rows: readonly WriteStatementRow[] }, { at: number }>;

/**
 * One step of a write: rows for one statement. When the statement returns nothing for a row, the whole write fails with
 * the step's error, because a node that it needs is gone.
 */
export type WriteStep = {
  readonly statement: WriteStatement;
  readonly rows: readonly WriteStatementRow[];
  /** The error when a row matched nothing. Absent when that is fine. */
  readonly missingRowError?: () => unknown;
  /** The position of the statement in the transaction, whatever order writes arrive in. */
  readonly order: number;
  /**
   * The step must not be applied twice and creates no event that would reveal a first commit, so its transaction writes
   * a receipt.
   */
  readonly once?: true;
};

/** The steps of one write, which are committed together or not at all. */
export type WriteRequest = {
  /** The records and names that the write touches. Two writes of one batch may not share a key. */
  readonly keys: readonly string[];
  readonly steps: readonly WriteStep[];
  /** The minimum weight, for writes that cause more work than their rows show. */
  readonly weight?: number;
};

export type Committer = (write: WriteRequest) => Promise<void>;

/** Runs at the end of a batch's transaction, for what all its writes have in common. */
export type CommitFinisher = (transaction: Transaction, writes: readonly WriteRequest[]) => Promise<void>;

/** Heavy writes have a lane of their own, so that only writes of the same records wait for them. */
type CommitLane = 'light' | 'heavy';

type PendingWrite = {
  readonly write: WriteRequest;
  readonly weight: number;
  readonly lane: CommitLane;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  readonly caller: TraceCaller | undefined;
};

/** The length of text that costs as much as a node. Shorter texts count with their nodes. */
const CHARACTERS_PER_NODE = 256;
const LONG_TEXT = 16 * 1024;

const longTextLength = (values: unknown): number => {
  let length = 0;
  if (typeof values !== 'object' || values === null) return 0;
  for (const value of Object.values(values)) {
    if (typeof value === 'string' && value.length > LONG_TEXT) length += value.length;
  }
  return length;
};

/** The weight of a row, in nodes: itself, the nodes it creates or changes, and its long texts. */
const rowWeight = ({ columns, results, assertions, properties, changes, state, event }: WriteStatementRow): number => {
  const along = columns ?? results ?? assertions;
  const said = Array.isArray(assertions) ? assertions : [];
  const texts = [properties, changes, state, event, ...said].reduce(
    (sum: number, part) => sum + longTextLength(part),
    0,
  );
  return (Array.isArray(along) ? along.length : 0) + 1 + Math.floor(texts / CHARACTERS_PER_NODE);
};

/** The weight that a text adds to a write. */
export const textWeight = (text: string): number => Math.floor(text.length / CHARACTERS_PER_NODE);

const writeWeight = (write: WriteRequest): number =>
  write.steps.reduce((sum, step) => sum + step.rows.reduce((rows, row) => rows + rowWeight(row), 0), write.weight ?? 0);

/** How often a batch is retried because a node was removed between its match and its lock. */
const MAX_VANISHED_RETRIES = 5;

type CommitLimits = {
  readonly maxWrites: number;
  readonly maxWeight: number;
  readonly maxInFlight: number;
  readonly maxWaiting: number;
  /** A write of at least this weight uses the heavy lane. */
  readonly heavyWeight: number;
  /** How long the parts of a batch are retried after a transient failure, and how many at a time. */
  readonly maxAgainMs: number;
  readonly maxAgainInFlight: number;
};

const DEFAULT_LIMITS: CommitLimits = {
  maxWrites: 1000,
  maxWeight: 20_000,
  maxInFlight: 1,
  maxWaiting: 50_000,
  heavyWeight: 2000,
  maxAgainMs: 120_000,
  maxAgainInFlight: 2,
};

/** The retry of a part of a failed batch: its deadline, and the receipts of the earlier attempts. */
type RetryTrial = { readonly until: number; readonly receipts: readonly string[] };

type RetryBatch = { readonly batch: readonly PendingWrite[]; readonly trial: RetryTrial };

const splitInHalves = <T>(items: readonly T[]): (readonly T[])[] => {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
};

/** The lanes of writes, and the retries outside them. */
type BatchLane = CommitLane | 'again';

type CommitQueue = {
  readonly graph: Graph;
  readonly limits: CommitLimits;
  readonly finish: CommitFinisher | undefined;
  waiting: PendingWrite[];
  readonly retries: RetryBatch[];
  /** The number of running batches, and the most there may be. */
  readonly inFlight: Record<BatchLane, number>;
  readonly most: Readonly<Record<BatchLane, number>>;
  /** The keys of all running writes of both lanes. */
  readonly busy: Set<string>;
  /** Starts the next batches after the callers just answered had a turn to write again. */
  readonly schedulePump: () => void;
};

const release = ({ busy, schedulePump }: CommitQueue, { write }: PendingWrite): void => {
  for (const key of write.keys) busy.delete(key);
  schedulePump();
};

const accept = (queue: CommitQueue, entry: PendingWrite): void => {
  release(queue, entry);
  entry.resolve();
};

const refuse = (queue: CommitQueue, entry: PendingWrite, reason: unknown): void => {
  release(queue, entry);
  entry.reject(reason);
};

/**
 * Takes the next writes of a lane in order of arrival. A write waits when one of its keys is in the batch, in a
 * running write, or in an earlier waiting write of either lane.
 */
const takeBatch = (queue: CommitQueue, lane: CommitLane): PendingWrite[] => {
  const { busy, limits } = queue;
  const maxWrites = lane === 'heavy' ? 1 : limits.maxWrites;
  const batch: PendingWrite[] = [];
  const left: PendingWrite[] = [];
  const held = new Set<string>();
  let weight = 0;
  for (const entry of queue.waiting) {
    const isFull = batch.length >= maxWrites || (batch.length > 0 && weight + entry.weight > limits.maxWeight);
    const clashes = entry.write.keys.some((key) => held.has(key) || busy.has(key));
    for (const key of entry.write.keys) held.add(key);
    if (entry.lane !== lane || isFull || clashes) left.push(entry);
    else {
      batch.push(entry);
      weight += entry.weight;
    }
  }
  queue.waiting = left;
  for (const { write } of batch) for (const key of write.keys) busy.add(key);
  return batch;
};

/** An attempt at a batch that failed. */
type FailedAttempt = {
  readonly trial: RetryTrial | undefined;
  readonly receipt: readonly string[];
  readonly vanished: number;
};

const traceBatch = (
  { graph: { observer } }: CommitQueue,
  batch: readonly PendingWrite[],
  work: () => Promise<void>,
): Promise<void> =>
  observer.tracing
    ? observer.tracing.shared(
        'commit',
        batch.map(({ caller }) => caller),
        work,
      )
    : work();

const attempt = async (
  queue: CommitQueue,
  batch: readonly PendingWrite[],
  trial?: RetryTrial,
  vanished = 0,
): Promise<void> => {
  const writes = batch.map((entry) => entry.write);
  const receipt = needsReceipt(writes) ? [randomUUID()] : [];
  try {
    await traceBatch(queue, batch, () =>
      runBatch(queue.graph, writes, queue.finish, { receipt, earlier: trial?.receipts }),
    );
    for (const entry of batch) accept(queue, entry);
  } catch (failure) {
    await recover(queue, batch, failure, { trial, receipt, vanished });
  }
};

/** Retries the halves of a batch outside the lanes, unless the deadline has passed. */
const queueRetry = (
  { retries, limits }: CommitQueue,
  batch: readonly PendingWrite[],
  { trial, receipt }: FailedAttempt,
): boolean => {
  const until = trial?.until ?? performance.now() + limits.maxAgainMs;
  if (performance.now() >= until) return false;
  const next = { until, receipts: [...(trial?.receipts ?? []), ...receipt] };
  retries.push(...splitInHalves(batch).map((half) => ({ batch: half, trial: next })));
  return true;
};

/** Refuses the writes that matched nothing and answers the others. */
const refuseMissing = (
  queue: CommitQueue,
  batch: readonly PendingWrite[],
  { failures }: MissingRowsError,
): PendingWrite[] =>
  batch.filter((entry, index) => {
    if (!failures.has(index)) return true;
    refuse(queue, entry, failures.get(index));
    return false;
  });

const recover = async (
  queue: CommitQueue,
  batch: readonly PendingWrite[],
  failure: unknown,
  failed: FailedAttempt,
): Promise<void> => {
  const { trial, vanished } = failed;
  if (failure instanceof MissingRowsError) {
    const rest = refuseMissing(queue, batch, failure);
    if (rest.length > 0) await attempt(queue, rest, trial);
    return;
  }
  if (isEntityGone(failure) && vanished < MAX_VANISHED_RETRIES) {
    await attempt(queue, batch, trial, vanished + 1);
    return;
  }
  if (batch.length > 1 && isTransient(failure) && queueRetry(queue, batch, failed)) return;
  if (batch.length === 1 || !isClientFailure(failure)) {
    for (const entry of batch) refuse(queue, entry, failure);
    return;
  }
  for (const half of splitInHalves(batch)) await attempt(queue, half, trial);
};

const startBatch = (queue: CommitQueue, lane: BatchLane, batch: readonly PendingWrite[], trial?: RetryTrial): void => {
  queue.inFlight[lane] += 1;
  queue.graph.observer.batch('commit', batch.length);
  void attempt(queue, batch, trial).finally(() => {
    queue.inFlight[lane] -= 1;
    queue.schedulePump();
  });
};

const pump = (queue: CommitQueue): void => {
  const { inFlight, most, retries } = queue;
  while (inFlight.again < most.again) {
    const next = retries.shift();
    if (!next) break;
    startBatch(queue, 'again', next.batch, next.trial);
  }
  for (const lane of ['light', 'heavy'] as const) {
    while (inFlight[lane] < most[lane] && queue.waiting.length > 0) {
      const batch = takeBatch(queue, lane);
      if (batch.length === 0) break;
      startBatch(queue, lane, batch);
    }
  }
};

const openCommitQueue = (graph: Graph, limits: CommitLimits, finish: CommitFinisher | undefined): CommitQueue => {
  const queue: CommitQueue = {
    graph,
    limits,
    finish,
    waiting: [],
    retries: [],
    inFlight: { light: 0, heavy: 0, again: 0 },
    most: { light: limits.maxInFlight, heavy: 1, again: limits.maxAgainInFlight },
    busy: new Set(),
    schedulePump: createDeferredPump(() => pump(queue)),
  };
  graph.observer.queueDepth('commit', () => queue.waiting.length);
  return queue;
};

/** Adds to the events of a write which span has caused them, so that their deliveries can be linked to it. */
const addCause = (write: WriteRequest, cause: TraceHeaders | undefined): WriteRequest => {
  if (cause === undefined) return write;
  const { traceparent } = cause;
  const steps = write.steps.map((step) =>
    step.rows.some(({ event }) => event !== undefined)
      ? {
          ...step,
          rows: step.rows.map((row) => (row.event ? { ...row, event: { ...row.event, traceparent } } : row)),
        }
      : step,
  );
  return { ...write, steps };
};

/**
 * Gathers writes that arrive during a transaction into the next one. A batch holds at most one write per record,
 * because two rows for one record in one statement would both read the old state, and one of them would be lost. A
 * failed batch is split until the faulty write is alone, so that the others succeed. After a timeout or a lock
 * conflict, its halves are retried outside the lanes, so that later writes do not wait for them.
 */
export const createCommitter = (
  graph: Graph,
  limits: Partial<CommitLimits> = {},
  finish?: CommitFinisher,
): Committer => {
  const queue = openCommitQueue(graph, { ...DEFAULT_LIMITS, ...limits }, finish);
  const { maxWaiting, heavyWeight } = queue.limits;
  return (given) =>
    new Promise((resolve, reject) => {
      if (queue.waiting.length >= maxWaiting) {
        reject(new CatalogError('unavailable', 'Too many writes are waiting for the database'));
        return;
      }
      const { tracing } = graph.observer;
      const write = tracing ? addCause(given, tracing.headers()) : given;
      const weight = writeWeight(write);
      const caller = tracing?.caller();
      queue.waiting.push({ write, weight, lane: weight >= heavyWeight ? 'heavy' : 'light', resolve, reject, caller });
      queue.schedulePump();
    });
};

/** How many dry runs there may be at a time: one that waits for a lock must not hold up all others. */
const MAX_DRY_RUNS = 4;

/**
 * Creates a committer that rolls every write back. Each has a transaction of its own, because another one in the same
 * transaction might take away what refuses it.
 */
export const createDryCommitter = (graph: Graph, finish?: CommitFinisher): Committer => {
  const { observer } = graph;
  const named: GraphObserver = {
    ...observer,
    batch: (_name, size) => observer.batch('dry run', size),
    queueDepth: (_name, read) => observer.queueDepth('dry run', read),
  };
  const dry = { ...graph, write: graph.tryWrite, observer: named };
  return createCommitter(dry, { maxWrites: 1, maxInFlight: MAX_DRY_RUNS }, finish);
};
