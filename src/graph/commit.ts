import { randomUUID } from 'node:crypto';
import { CatalogError } from '../errors.ts';
import type { Graph, Transaction } from './client.ts';
import { hasVanished, isClientFailure, isPassing } from './failure.ts';
import { createGathering } from './gather.ts';
import { hasReceipt, leaveReceipts } from './receipt.ts';
import type { Bound } from './statement.ts';

/**
 * A row of a write statement. `at` comes back for every row that found what it needed. A row that makes an event has
 * the event's properties in `event`.
 */
export type WriteRow = { readonly event?: { readonly id: unknown }; readonly [member: string]: unknown };

type WriteStatement = Bound<{ rows: readonly WriteRow[] }, { at: number }>;

/**
 * One step of a write: rows for one statement. When the statement does not answer for a row, the whole write of that
 * row fails with the step's error, because what it was based on is gone.
 */
export type Step = {
  readonly statement: WriteStatement;
  readonly rows: readonly WriteRow[];
  /** What to tell the caller when a row found nothing; absent when finding nothing is fine. */
  readonly missing?: () => unknown;
  /** Statements run in this order inside the transaction, whatever order writes arrive in. */
  readonly order: number;
  /** Done twice it would count twice, and makes no event that tells: its transaction leaves a receipt. */
  readonly once?: true;
};

/** A write as the engine hands it over: steps that stand or fall together. */
export type Write = {
  /** Records touched (ids, and the names being taken): no two writes of one batch may share one. */
  readonly keys: readonly string[];
  readonly steps: readonly Step[];
  /** What it weighs at least, where its rows do not tell: what follows from them may be more work than they are. */
  readonly weight?: number;
};

export type Committer = (write: Write) => Promise<void>;

/** What follows from the writes of a batch, as the last part of their transaction. */
export type Finish = (transaction: Transaction, writes: readonly Write[]) => Promise<void>;

/** Heavy writes have a lane of their own, so that nobody waits for them but whoever touches the same records. */
type Lane = 'light' | 'heavy';

type Waiting = {
  readonly write: Write;
  readonly weight: number;
  readonly lane: Lane;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
};

/** Thrown inside the transaction to roll it back when some writes found their ground gone. */
class GroundLost extends Error {
  readonly failures: ReadonlyMap<number, unknown>;
  constructor(failures: ReadonlyMap<number, unknown>) {
    super('some rows of the batch found nothing to act on');
    this.failures = failures;
  }
}

/** So many characters of a long text are as much work as a node; short texts belong to their nodes. */
const CHARACTERS_PER_NODE = 256;
const LONG_TEXT = 16 * 1024;

const textLengthOf = (values: unknown): number => {
  let length = 0;
  if (typeof values !== 'object' || values === null) return 0;
  for (const value of Object.values(values)) {
    if (typeof value === 'string' && value.length > LONG_TEXT) length += value.length;
  }
  return length;
};

/** How many nodes a row is about: itself, those that it brings along, and what its texts are worth. */
const weightOf = ({ columns, results, properties, changes, state, event }: WriteRow): number => {
  const along = columns ?? results;
  const texts = [properties, changes, state, event].reduce((sum: number, part) => sum + textLengthOf(part), 0);
  return (Array.isArray(along) ? along.length : 0) + 1 + Math.floor(texts / CHARACTERS_PER_NODE);
};

/** What a text adds to the weight of a write. */
export const weightOfText = (text: string): number => Math.floor(text.length / CHARACTERS_PER_NODE);

const weigh = (write: Write): number =>
  write.steps.reduce((sum, step) => sum + step.rows.reduce((rows, row) => rows + weightOf(row), 0), write.weight ?? 0);

type Merged = {
  readonly statement: WriteStatement;
  readonly order: number;
  readonly rows: WriteRow[];
  readonly owners: number[];
  readonly missing: ((() => unknown) | undefined)[];
};

const lockKey = (row: WriteRow): string => String(row['from'] ?? row['id'] ?? row['ownerId'] ?? row['entityId'] ?? '');

/** Every transaction takes its locks in the same order, so that two of them rarely wait for each other in a circle. */
const byLock = (a: WriteRow, b: WriteRow): number => {
  const [left, right] = [lockKey(a), lockKey(b)];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** Joins the steps of all writes by statement; `at` is the index by which a row is told apart. */
const merge = (writes: readonly Write[]): Merged[] => {
  const merged = new Map<string, Merged>();
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
        target.missing.push(step.missing);
      }
    }
  });
  for (const part of merged.values()) part.rows.sort(byLock);
  return [...merged.values()].sort((a, b) => a.order - b.order);
};

const lostRows = (part: Merged, answered: readonly { at: number }[], failures: Map<number, unknown>) => {
  if (answered.length === part.rows.length) return;
  const seen = new Set(answered.map((row) => row.at));
  part.rows.forEach((_, at) => {
    const missing = part.missing[at];
    const owner = part.owners[at];
    if (!seen.has(at) && missing && owner !== undefined && !failures.has(owner)) failures.set(owner, missing());
  });
};

const tookPlace = async (graph: Graph, parts: readonly Merged[], receipts: readonly string[]): Promise<boolean> => {
  const ids = parts.flatMap(({ rows }) => rows.flatMap(({ event }) => (event ? [event.id] : [])));
  return hasReceipt(graph, [...ids, ...receipts]);
};

const needsReceipt = (writes: readonly Write[]): boolean =>
  writes.some(({ steps }) => steps.some(({ once, rows }) => once && rows.length > 0));

/**
 * A transaction is sent again when the connection broke, be it between the commit and its answer. The second
 * time then trips over what the first has written, its events at the latest, and a caller would hear that somebody
 * else has taken the name that is now its own. So the events of the first time are looked for before a failure counts.
 */
const runBatch = async (
  graph: Graph,
  writes: readonly Write[],
  finish: Finish | undefined,
  { receipt, earlier }: { readonly receipt: readonly string[]; readonly earlier: readonly string[] | undefined },
): Promise<void> => {
  const parts = merge(writes);
  // What failed as a part of a larger batch may have taken place with all of that, its answer lost.
  if (earlier && (await tookPlace(graph, parts, earlier))) return;
  let times = 0;
  try {
    await graph.write(async (transaction) => {
      times += 1;
      // All statements go out at once; the server runs them in order and the answers are read as they come.
      const answers = await Promise.all(parts.map((part) => transaction.run(part.statement, { rows: part.rows })));
      const failures = new Map<number, unknown>();
      parts.forEach((part, index) => {
        lostRows(part, answers[index] ?? [], failures);
      });
      if (failures.size > 0) throw new GroundLost(failures);
      if (receipt.length > 0) await leaveReceipts(transaction, receipt);
      await finish?.(transaction, writes);
    });
  } catch (failure) {
    if (times === 1 || !(await tookPlace(graph, parts, receipt))) throw failure;
  }
};

/** How often a batch begins again because something that it had found was removed before it could be locked. */
const MOST_VANISHED = 5;

type Limits = {
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

const DEFAULT_LIMITS: Limits = {
  maxWrites: 1000,
  maxWeight: 20_000,
  maxInFlight: 1,
  maxWaiting: 50_000,
  heavyWeight: 2000,
  maxAgainMs: 120_000,
  maxAgainInFlight: 2,
};

/** How a part of a batch is tried that failed as a whole: until when, and what the earlier tries have left. */
type Trial = { readonly until: number; readonly receipts: readonly string[] };

type Again = { readonly batch: readonly Waiting[]; readonly trial: Trial };

const halves = <T>(items: readonly T[]): (readonly T[])[] => {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
};

/**
 * Gathers writes that arrive while a transaction is under way into the next one. A batch holds at most one write per
 * record, because two rows for one record in one statement both read the old state and one of them would be lost.
 * When a batch fails it is split until the guilty write stands alone; the others succeed. When it fails because it took
 * too long or met others, its halves are tried again beside the lanes, so that later writes do not wait for them.
 */
export const createCommitter = (graph: Graph, limits: Partial<Limits> = {}, finish?: Finish): Committer => {
  const bounds = { ...DEFAULT_LIMITS, ...limits };
  const { maxWrites, maxWeight, maxWaiting, heavyWeight, maxAgainMs } = bounds;
  let waiting: Waiting[] = [];
  const again: Again[] = [];
  const inFlight = { light: 0, heavy: 0, again: 0 };
  const most = { light: bounds.maxInFlight, heavy: 1, again: bounds.maxAgainInFlight };
  /** The records of all writes that are under way, in whatever lane. */
  const busy = new Set<string>();
  graph.observer.queueDepth('commit', () => waiting.length);

  const release = ({ write }: Waiting): void => {
    for (const key of write.keys) busy.delete(key);
    gather();
  };
  const accept = (entry: Waiting): void => {
    release(entry);
    entry.resolve();
  };
  const refuse = (entry: Waiting, reason: unknown): void => {
    release(entry);
    entry.reject(reason);
  };

  /**
   * Takes writes of one lane in order of arrival. One whose record is in the batch or under way waits, and so does
   * everything of its; so does whatever comes after a write of the other lane to the same record.
   */
  const takeBatch = (lane: Lane): Waiting[] => {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
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

  const attempt = async (batch: readonly Waiting[], trial?: Trial, vanished = 0): Promise<void> => {
    const writes = batch.map((entry) => entry.write);
    const receipt = needsReceipt(writes) ? [randomUUID()] : [];
    try {
      await runBatch(graph, writes, finish, { receipt, earlier: trial?.receipts });
      for (const entry of batch) accept(entry);
    } catch (failure) {
      await recover(batch, failure, { trial, receipt, vanished });
    }
  };

  type Failed = { readonly trial: Trial | undefined; readonly receipt: readonly string[]; readonly vanished: number };

  /** Lets the halves of a batch be tried again beside the lanes, unless that has been tried for long enough. */
  const tryAgain = (batch: readonly Waiting[], { trial, receipt }: Failed): boolean => {
    const until = trial?.until ?? performance.now() + maxAgainMs;
    if (performance.now() >= until) return false;
    const next = { until, receipts: [...(trial?.receipts ?? []), ...receipt] };
    again.push(...halves(batch).map((half) => ({ batch: half, trial: next })));
    return true;
  };

  const recover = async (batch: readonly Waiting[], failure: unknown, failed: Failed): Promise<void> => {
    const { trial, vanished } = failed;
    if (failure instanceof GroundLost) {
      const rest = batch.filter((entry, index) => {
        if (!failure.failures.has(index)) return true;
        refuse(entry, failure.failures.get(index));
        return false;
      });
      if (rest.length > 0) await attempt(rest, trial);
      return;
    }
    if (hasVanished(failure) && vanished < MOST_VANISHED) {
      await attempt(batch, trial, vanished + 1);
      return;
    }
    if (batch.length > 1 && isPassing(failure) && tryAgain(batch, failed)) return;
    if (batch.length === 1 || !isClientFailure(failure)) {
      for (const entry of batch) refuse(entry, failure);
      return;
    }
    for (const half of halves(batch)) await attempt(half, trial);
  };

  const start = (lane: keyof typeof inFlight, batch: readonly Waiting[], trial?: Trial): void => {
    inFlight[lane] += 1;
    graph.observer.batch('commit', batch.length);
    void attempt(batch, trial).finally(() => {
      inFlight[lane] -= 1;
      gather();
    });
  };

  const pump = () => {
    while (inFlight.again < most.again) {
      const next = again.shift();
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

  const gather = createGathering(pump);

  return (write) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) {
        reject(new CatalogError('unavailable', 'Too many writes are waiting for the database'));
        return;
      }
      const weight = weigh(write);
      waiting.push({ write, weight, lane: weight >= heavyWeight ? 'heavy' : 'light', resolve, reject });
      gather();
    });
};
