import { CatalogError } from '../errors.ts';
import type { Graph, Transaction } from './client.ts';
import { hasVanished, isClientFailure } from './failure.ts';
import { createGathering } from './gather.ts';
import { type Bound, statement } from './statement.ts';

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
};

/** A write as the engine hands it over: steps that stand or fall together. */
export type Write = {
  /** Records touched (ids, and the names being taken): no two writes of one batch may share one. */
  readonly keys: readonly string[];
  readonly steps: readonly Step[];
};

export type Committer = (write: Write) => Promise<void>;

/** What follows from the writes of a batch, as the last part of their transaction. */
export type Finish = (transaction: Transaction, writes: readonly Write[]) => Promise<void>;

type Waiting = {
  readonly write: Write;
  readonly weight: number;
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

/** How many nodes a row is about: itself, and those that it brings along. */
const weightOf = ({ columns, results }: WriteRow): number => {
  const along = columns ?? results;
  return Array.isArray(along) ? along.length + 1 : 1;
};

const weigh = (write: Write): number =>
  write.steps.reduce((sum, step) => sum + step.rows.reduce((rows, row) => rows + weightOf(row), 0), 0);

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

const findReceipt = statement<{ ids: readonly unknown[] }, { id: string }>('store/find_receipt', {
  params: ['ids'],
  row: ['id'],
});

const tookPlace = async (graph: Graph, parts: readonly Merged[]): Promise<boolean> => {
  const ids = parts.flatMap(({ rows }) => rows.flatMap(({ event }) => (event ? [event.id] : [])));
  return ids.length > 0 && (await graph.read(findReceipt, { ids })).length > 0;
};

/**
 * The driver sends a transaction again when the connection broke, be it between the commit and its answer. The second
 * time then trips over what the first has written, its events at the latest, and a caller would hear that somebody
 * else has taken the name that is now its own. So the events of the first time are looked for before a failure counts.
 */
const runBatch = async (graph: Graph, writes: readonly Write[], finish: Finish | undefined): Promise<void> => {
  const parts = merge(writes);
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
      await finish?.(transaction, writes);
    });
  } catch (failure) {
    if (times === 1 || !(await tookPlace(graph, parts))) throw failure;
  }
};

/** How often a batch begins again because something that it had found was removed before it could be locked. */
const MOST_VANISHED = 5;

type Limits = {
  readonly maxWrites: number;
  readonly maxWeight: number;
  readonly maxInFlight: number;
  readonly maxWaiting: number;
};

const DEFAULT_LIMITS: Limits = { maxWrites: 1000, maxWeight: 20_000, maxInFlight: 1, maxWaiting: 50_000 };

/**
 * Gathers writes that arrive while a transaction is under way into the next one. A batch holds at most one write per
 * record, because two rows for one record in one statement both read the old state and one of them would be lost.
 * When a batch fails it is split until the guilty write stands alone; the others succeed.
 */
export const createCommitter = (graph: Graph, limits: Partial<Limits> = {}, finish?: Finish): Committer => {
  const { maxWrites, maxWeight, maxInFlight, maxWaiting } = { ...DEFAULT_LIMITS, ...limits };
  let waiting: Waiting[] = [];
  let inFlight = 0;
  graph.observer.queueDepth('commit', () => waiting.length);

  /** Takes writes in order of arrival; one whose record is already in the batch waits, and so does everything of its. */
  const takeBatch = (): Waiting[] => {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const held = new Set<string>();
    let weight = 0;
    for (const entry of waiting) {
      const full = batch.length >= maxWrites || (batch.length > 0 && weight + entry.weight > maxWeight);
      const clash = entry.write.keys.some((key) => held.has(key));
      for (const key of entry.write.keys) held.add(key);
      if (full || clash) left.push(entry);
      else {
        batch.push(entry);
        weight += entry.weight;
      }
    }
    waiting = left;
    return batch;
  };

  const attempt = async (batch: readonly Waiting[], vanished = 0): Promise<void> => {
    try {
      await runBatch(
        graph,
        batch.map((entry) => entry.write),
        finish,
      );
      for (const entry of batch) entry.resolve();
    } catch (failure) {
      await recover(batch, failure, vanished);
    }
  };

  const recover = async (batch: readonly Waiting[], failure: unknown, vanished: number): Promise<void> => {
    if (failure instanceof GroundLost) {
      const rest = batch.filter((entry, index) => {
        if (!failure.failures.has(index)) return true;
        entry.reject(failure.failures.get(index));
        return false;
      });
      if (rest.length > 0) await attempt(rest);
      return;
    }
    if (hasVanished(failure) && vanished < MOST_VANISHED) {
      await attempt(batch, vanished + 1);
      return;
    }
    if (batch.length === 1 || !isClientFailure(failure)) {
      for (const entry of batch) entry.reject(failure);
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await attempt(batch.slice(0, middle));
    await attempt(batch.slice(middle));
  };

  const pump = () => {
    while (inFlight < maxInFlight && waiting.length > 0) {
      const batch = takeBatch();
      inFlight += 1;
      graph.observer.batch('commit', batch.length);
      void attempt(batch).finally(() => {
        inFlight -= 1;
        gather();
      });
    }
  };

  const gather = createGathering(pump);

  return (write) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) {
        reject(new CatalogError('unavailable', 'Too many writes are waiting for the database'));
        return;
      }
      waiting.push({ write, weight: weigh(write), resolve, reject });
      gather();
    });
};
