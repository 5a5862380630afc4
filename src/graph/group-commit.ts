import { randomUUID } from 'node:crypto';
import { CatalogError } from '../errors.ts';
import type { Graph, Transaction } from './client.ts';
import { hasCommitReceipt, writeCommitReceipts } from './commit-receipt.ts';
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
};

/** Thrown inside a transaction to roll it back because some writes matched nothing. */
class MissingRowsError extends Error {
  readonly failures: ReadonlyMap<number, unknown>;
  constructor(failures: ReadonlyMap<number, unknown>) {
    super('some rows of the batch found nothing to act on');
    this.failures = failures;
  }
}

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
const rowWeight = ({ columns, results, properties, changes, state, event }: WriteStatementRow): number => {
  const along = columns ?? results;
  const texts = [properties, changes, state, event].reduce((sum: number, part) => sum + longTextLength(part), 0);
  return (Array.isArray(along) ? along.length : 0) + 1 + Math.floor(texts / CHARACTERS_PER_NODE);
};

/** The weight that a text adds to a write. */
export const textWeight = (text: string): number => Math.floor(text.length / CHARACTERS_PER_NODE);

const writeWeight = (write: WriteRequest): number =>
  write.steps.reduce((sum, step) => sum + step.rows.reduce((rows, row) => rows + rowWeight(row), 0), write.weight ?? 0);

type MergedStep = {
  readonly statement: WriteStatement;
  readonly order: number;
  readonly rows: WriteStatementRow[];
  readonly owners: number[];
  readonly missing: ((() => unknown) | undefined)[];
};

const lockKey = (row: WriteStatementRow): string =>
  String(row['from'] ?? row['id'] ?? row['ownerId'] ?? row['entityId'] ?? '');

/** Orders rows by their locks. All transactions lock in the same order, so deadlocks are rare. */
const compareByLock = (a: WriteStatementRow, b: WriteStatementRow): number => {
  const [left, right] = [lockKey(a), lockKey(b)];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** Merges the steps of all writes by statement. `at` is the index that identifies a row. */
const mergeSteps = (writes: readonly WriteRequest[]): MergedStep[] => {
  const merged = new Map<string, MergedStep>();
  writes.forEach((write, owner) => {
    for (const step of write.steps) {
      if (step.rows.length === 0) continue;
      const key = `${step.order}:${step.statement.name}`;
      const target = merged.get(key) ?? {
        statement: step.statement,
        order: step.order,
        rows: [],
        owners: [],
        missing: [],
      };
      merged.set(key, target);
      for (const row of step.rows) {
        target.rows.push({ ...row, at: target.rows.length });
        target.owners.push(owner);
        target.missing.push(step.missingRowError);
      }
    }
  });
  for (const part of merged.values()) part.rows.sort(compareByLock);
  return [...merged.values()].sort((a, b) => a.order - b.order);
};

const collectMissingRows = (part: MergedStep, answered: readonly { at: number }[], failures: Map<number, unknown>) => {
  if (answered.length === part.rows.length) return;
  const seen = new Set(answered.map((row) => row.at));
  part.rows.forEach((_, at) => {
    const missing = part.missing[at];
    const owner = part.owners[at];
    if (!seen.has(at) && missing && owner !== undefined && !failures.has(owner)) failures.set(owner, missing());
  });
};

const hasCommitted = async (
  graph: Graph,
  parts: readonly MergedStep[],
  receipts: readonly string[],
): Promise<boolean> => {
  const ids = parts.flatMap(({ rows }) => rows.flatMap(({ event }) => (event ? [event.id] : [])));
  return hasCommitReceipt(graph, [...ids, ...receipts]);
};

const needsReceipt = (writes: readonly WriteRequest[]): boolean =>
  writes.some(({ steps }) => steps.some(({ once, rows }) => once && rows.length > 0));

/**
 * Runs a batch in one transaction. A transaction is retried when the connection broke, possibly after its commit. The
 * retry then fails on what the first attempt wrote, at the latest on its events, and the caller would be told that its
 * own new name is taken. So before a failure is reported, the events and receipts of the first attempt are looked up.
 */
const runBatch = async (
  graph: Graph,
  writes: readonly WriteRequest[],
  finish: CommitFinisher | undefined,
  { receipt, earlier }: { readonly receipt: readonly string[]; readonly earlier: readonly string[] | undefined },
): Promise<void> => {
  const parts = mergeSteps(writes);
  // A part of a larger batch that failed may have been committed with that batch, whose answer was lost.
  if (earlier && (await hasCommitted(graph, parts, earlier))) return;
  let times = 0;
  try {
    await graph.write(async (transaction) => {
      times += 1;
      // All statements are sent at once. The server runs them in order, and the answers are read as they arrive.
      const answers = await Promise.all(parts.map((part) => transaction.run(part.statement, { rows: part.rows })));
      const failures = new Map<number, unknown>();
      parts.forEach((part, index) => {
        collectMissingRows(part, answers[index] ?? [], failures);
      });
      if (failures.size > 0) throw new MissingRowsError(failures);
      if (receipt.length > 0) await writeCommitReceipts(transaction, receipt);
      await finish?.(transaction, writes);
    });
  } catch (failure) {
    if (times === 1 || !(await hasCommitted(graph, parts, receipt))) throw failure;
  }
};

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
  const bounds = { ...DEFAULT_LIMITS, ...limits };
  const { maxWrites, maxWeight, maxWaiting, heavyWeight, maxAgainMs } = bounds;
  let waiting: PendingWrite[] = [];
  const retries: RetryBatch[] = [];
  const inFlight = { light: 0, heavy: 0, again: 0 };
  const most = { light: bounds.maxInFlight, heavy: 1, again: bounds.maxAgainInFlight };
  /** The keys of all running writes of both lanes. */
  const busy = new Set<string>();
  graph.observer.queueDepth('commit', () => waiting.length);

  const release = ({ write }: PendingWrite): void => {
    for (const key of write.keys) busy.delete(key);
    schedulePump();
  };
  const accept = (entry: PendingWrite): void => {
    release(entry);
    entry.resolve();
  };
  const refuse = (entry: PendingWrite, reason: unknown): void => {
    release(entry);
    entry.reject(reason);
  };

  /**
   * Takes the next writes of a lane in order of arrival. A write waits when one of its keys is in the batch, in a
   * running write, or in an earlier waiting write of either lane.
   */
  const takeBatch = (lane: CommitLane): PendingWrite[] => {
    const batch: PendingWrite[] = [];
    const left: PendingWrite[] = [];
    const held = new Set<string>();
    let weight = 0;
    for (const entry of waiting) {
      const isFull =
        batch.length >= (lane === 'heavy' ? 1 : maxWrites) || (batch.length > 0 && weight + entry.weight > maxWeight);
      const clashes = entry.write.keys.some((key) => held.has(key) || busy.has(key));
      for (const key of entry.write.keys) held.add(key);
      if (entry.lane !== lane || isFull || clashes) left.push(entry);
      else {
        batch.push(entry);
        weight += entry.weight;
      }
    }
    waiting = left;
    for (const { write } of batch) for (const key of write.keys) busy.add(key);
    return batch;
  };

  const attempt = async (batch: readonly PendingWrite[], trial?: RetryTrial, vanished = 0): Promise<void> => {
    const writes = batch.map((entry) => entry.write);
    const receipt = needsReceipt(writes) ? [randomUUID()] : [];
    try {
      await runBatch(graph, writes, finish, { receipt, earlier: trial?.receipts });
      for (const entry of batch) accept(entry);
    } catch (failure) {
      await recover(batch, failure, { trial, receipt, vanished });
    }
  };

  type Failed = {
    readonly trial: RetryTrial | undefined;
    readonly receipt: readonly string[];
    readonly vanished: number;
  };

  /** Retries the halves of a batch outside the lanes, unless the deadline has passed. */
  const queueRetry = (batch: readonly PendingWrite[], { trial, receipt }: Failed): boolean => {
    const until = trial?.until ?? performance.now() + maxAgainMs;
    if (performance.now() >= until) return false;
    const next = { until, receipts: [...(trial?.receipts ?? []), ...receipt] };
    retries.push(...splitInHalves(batch).map((half) => ({ batch: half, trial: next })));
    return true;
  };

  const recover = async (batch: readonly PendingWrite[], failure: unknown, failed: Failed): Promise<void> => {
    const { trial, vanished } = failed;
    if (failure instanceof MissingRowsError) {
      const rest = batch.filter((entry, index) => {
        if (!failure.failures.has(index)) return true;
        refuse(entry, failure.failures.get(index));
        return false;
      });
      if (rest.length > 0) await attempt(rest, trial);
      return;
    }
    if (isEntityGone(failure) && vanished < MAX_VANISHED_RETRIES) {
      await attempt(batch, trial, vanished + 1);
      return;
    }
    if (batch.length > 1 && isTransient(failure) && queueRetry(batch, failed)) return;
    if (batch.length === 1 || !isClientFailure(failure)) {
      for (const entry of batch) refuse(entry, failure);
      return;
    }
    for (const half of splitInHalves(batch)) await attempt(half, trial);
  };

  const start = (lane: keyof typeof inFlight, batch: readonly PendingWrite[], trial?: RetryTrial): void => {
    inFlight[lane] += 1;
    graph.observer.batch('commit', batch.length);
    void attempt(batch, trial).finally(() => {
      inFlight[lane] -= 1;
      schedulePump();
    });
  };

  const pump = () => {
    while (inFlight.again < most.again) {
      const next = retries.shift();
      if (!next) break;
      start('again', next.batch, next.trial);
    }
    for (const lane of ['light', 'heavy'] as const) {
      while (inFlight[lane] < most[lane] && waiting.length > 0) {
        const batch = takeBatch(lane);
        if (batch.length === 0) break;
        start(lane, batch);
      }
    }
  };

  const schedulePump = createDeferredPump(pump);

  return (write) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) {
        reject(new CatalogError('unavailable', 'Too many writes are waiting for the database'));
        return;
      }
      const weight = writeWeight(write);
      waiting.push({ write, weight, lane: weight >= heavyWeight ? 'heavy' : 'light', resolve, reject });
      schedulePump();
    });
};
