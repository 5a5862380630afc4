import type { Graph } from './client.ts';
import { hasCommitReceipt, writeCommitReceipts } from './commit-receipt.ts';
import type { CommitFinisher, WriteRequest, WriteStatementRow, WriteStep } from './group-commit.ts';

/** Commits the writes of one batch in one transaction. */

/** Thrown inside a transaction to roll it back because some writes matched nothing. */
export class MissingRowsError extends Error {
  readonly failures: ReadonlyMap<number, unknown>;
  constructor(failures: ReadonlyMap<number, unknown>) {
    super('some rows of the batch found nothing to act on');
    this.failures = failures;
  }
}

type MergedStep = {
  readonly statement: WriteStep['statement'];
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

export const needsReceipt = (writes: readonly WriteRequest[]): boolean =>
  writes.some(({ steps }) => steps.some(({ once, rows }) => once && rows.length > 0));

/**
 * Runs a batch in one transaction. A transaction is retried when the connection broke, possibly after its commit. The
 * retry then fails on what the first attempt wrote, at the latest on its events, and the caller would be told that its
 * own new name is taken. So before a failure is reported, the events and receipts of the first attempt are looked up.
 */
export const runBatch = async (
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
