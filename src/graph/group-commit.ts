import { randomUUID } from 'node:crypto';
import { CatalogError } from '../errors.ts';
import type { Graph, Transaction } from './client.ts';
import { hasCommitReceipt, writeCommitReceipts } from './commit-receipt.ts';
import { isClientFailure, isEntityGone, isTransient } from './database-failure.ts';
import { createDeferredPump } from './deferred-pump.ts';
import type { BoundStatement } from './statement.ts';

/**
 * A row of a write statement. `at` comes back for every row that found what it needed. A row that makes an event has
 * the event's properties in `event`.
 */
export type WriteStatementRow = { readonly event?: { readonly id: unknown }; readonly [member: string]: unknown };

type WriteStatement = BoundStatement<{ rows: readonly WriteStatementRow[] }, { at: number }>;

/**
 * One step of a write: rows for one statement. When the statement does not answer for a row, the whole write of that
 * row fails with the step's error, because what it was based on is gone.
 */
export type WriteStep = {
  readonly statement: WriteStatement;
  readonly rows: readonly WriteStatementRow[];
  /** What to tell the caller when a row found nothing; absent when finding nothing is fine. */
  readonly missingRowError?: () => unknown;
  /** Statements run in this order inside the transaction, whatever order writes arrive in. */
  readonly order: number;
  /** Done twice it would count twice, and makes no event that tells: its transaction leaves a receipt. */
  readonly once?: true;
};

/** A write as the engine hands it over: steps that stand or fall together. */
export type WriteRequest = {
  /** Records touched (ids, and the names being taken): no two writes of one batch may share one. */
  readonly keys: readonly string[];
  readonly steps: readonly WriteStep[];
  /** What it weighs at least, where its rows do not tell: what follows from them may be more work than they are. */
  readonly weight?: number;
};

export type Committer = (write: WriteRequest) => Promise<void>;

/** What follows from the writes of a batch, as the last part of their transaction. */
export type CommitFinisher = (transaction: Transaction, writes: readonly WriteRequest[]) => Promise<void>;

/** Heavy writes have a lane of their own, so that nobody waits for them but whoever touches the same records. */
type CommitLane = 'light' | 'heavy';

type PendingWrite = {
  readonly write: WriteRequest;
  readonly weight: number;
  readonly lane: CommitLane;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
};

/** Thrown inside the transaction to roll it back when some writes found their ground gone. */
class MissingRowsError extends Error {
  readonly failures: ReadonlyMap<number, unknown>;
  constructor(failures: ReadonlyMap<number, unknown>) {
    super('some rows of the batch found nothing to act on');
    this.failures = failures;
  }
}

/** So many characters of a long text are as much work as a node; short texts belong to their nodes. */
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

/** How many nodes a row is about: itself, those that it brings along, and what its texts are worth. */
const rowWeight = ({ columns, results, properties, changes, state, event }: WriteStatementRow): number => {
  const along = columns ?? results;
  const texts = [properties, changes, state, event].reduce((sum: number, part) => sum + longTextLength(part), 0);
  return (Array.isArray(along) ? along.length : 0) + 1 + Math.floor(texts / CHARACTERS_PER_NODE);
};

/** What a text adds to the weight of a write. */
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

/** Every transaction takes its locks in the same order, so that two of them rarely wait for each other in a circle. */
const compareByLock = (a: WriteStatementRow, b: WriteStatementRow): number => {
  const [left, right] = [lockKey(a), lockKey(b)];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** Joins the steps of all writes by statement; `at` is the index by which a row is told apart. */
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
 * A transaction is sent again when the connection broke, be it between the commit and its answer. The second
 * time then trips over what the first has written, its events at the latest, and a caller would hear that somebody
 * else has taken the name that is now its own. So the events of the first time are looked for before a failure counts.
 */
const runBatch = async (
  graph: Graph,
  writes: readonly WriteRequest[],
  finish: CommitFinisher | undefined,
  { receipt, earlier }: { readonly receipt: readonly string[]; readonly earlier: readonly string[] | undefined },
): Promise<void> => {
  const parts = mergeSteps(writes);
  // What failed as a part of a larger batch may have taken place with all of that, its answer lost.
  if (earlier && (await hasCommitted(graph, parts, earlier))) return;
  let times = 0;
  try {
    await graph.write(async (transaction) => {
      times += 1;
      // All statements go out at once; the server runs them in order and the answers are read as they come.
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

/** How often a batch begins again because something that it had found was removed before it could be locked. */
const MAX_VANISHED_RETRIES = 5;

type CommitLimits = {
  readonly maxWrites: number;
  readonly maxWeight: number;
  readonly maxInFlight: number;
  readonly maxWaiting: number;
  /** From this weight on a write goes by the lane of the heavy ones. */
  readonly heavyWeight: number;
  /** How long the parts of a batch that failed for a passing reason are tried again, and how many at a time. */
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

/** How a part of a batch is tried that failed as a whole: until when, and what the earlier tries have left. */
type RetryTrial = { readonly until: number; readonly receipts: readonly string[] };

type RetryBatch = { readonly batch: readonly PendingWrite[]; readonly trial: RetryTrial };

const splitInHalves = <T>(items: readonly T[]): (readonly T[])[] => {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
};

/**
 * Gathers writes that arrive while a transaction is under way into the next one. A batch holds at most one write per
 * record, because two rows for one record in one statement both read the old state and one of them would be lost.
 * When a batch fails it is split until the guilty write stands alone; the others succeed. When it fails because it took
 * too long or met others, its halves are tried again beside the lanes, so that later writes do not wait for them.
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
  /** The records of all writes that are under way, in whatever lane. */
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
   * Takes writes of one lane in order of arrival. One whose record is in the batch or under way waits, and so does
   * everything of its; so does whatever comes after a write of the other lane to the same record.
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

  /** Lets the halves of a batch be tried again beside the lanes, unless that has been tried for long enough. */
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
