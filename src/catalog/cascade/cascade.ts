import { setTimeout as sleep } from 'node:timers/promises';
import { CatalogError } from '../../errors.ts';
import { isStillConnected } from '../../graph/database-failure.ts';
import type { WriteStep } from '../../graph/group-commit.ts';
import type { JobWork } from '../../jobs/job-operation.ts';
import type { NewJob } from '../../jobs/job-queue.ts';
import { chunk } from '../../model/chunk.ts';
import type { JsonObject } from '../../model/json.ts';
import {
  type CascadeRow,
  createIntents,
  deleteIntents,
  deleteSupersededIntents,
  listOrphanedIntents,
  lockIntents,
  readIntent,
  updateIntents,
} from '../cascade-queries.ts';
import type { Engine, Writer } from '../engine.ts';
import { createStep, DescendantsChangedError, STEP_ORDER, StaleStateError } from '../plan/step.ts';
import type { PropertyMap } from '../queries.ts';
import { writeFields } from '../read/fields.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { requireKind } from '../registry.ts';

/**
 * Carries a change of a record to its descendants.
 *
 * A change that fits one transaction is committed in one, which ends by checking that no descendant was left out:
 * `commitWithDescendants` with a `whole`. A larger change starts a cascade: the change of the root is committed
 * together with an *intent* that says what remains to be done, and with a job that does it. Up to `limits.cascadeRows`
 * records, the process that received the request runs the job itself, and answers when the job is done or when it must
 * give it up; beyond that, the job waits in the queue and the answer does not wait for it. Either way the job has a
 * lease, and any process that finds the lease expired continues the job.
 *
 * The job (`resumeCascade`, called by the operation's `run`) repeatedly asks the cascade for the remaining records, in
 * transactions of at most `limits.batchRows` records. The remaining records are always read from the graph, never
 * counted: a record that was changed no longer shows up, so any process can continue after any crash, and records that
 * were added late are changed as well. Every transaction first locks the root and checks that the intent still exists;
 * a later change of the root in the same family removes the intent (`supersedeStep`), and then the job ends without an
 * error.
 *
 * To add a cascade, add an entry of type `Cascade` to `cascade-table.ts`, an operation to `write/job-operations.ts`
 * that calls `resumeCascade`, and a call of `commitWithDescendants` where the root changes. `family` says which changes
 * of one root supersede each other: soft deletions, restorations and hard deletions do; a rename continues whatever
 * happens to the root, so it has a family of its own.
 */
export type Cascade = {
  /** Returns at most `limit` remaining records, each ready to be changed now and in any order. */
  readonly listRemaining: (engine: Engine, intent: CascadeIntent, limit: number) => Promise<readonly CascadeRow[]>;
  /** Plans the change of one record. Afterwards `listRemaining` must not return that record again. */
  readonly planRecord?: (engine: Engine, intent: CascadeIntent, record: Snapshot) => readonly WriteStep[];
  /** Plans the change of a batch for which the rows hold enough information, so that the records need not be read. */
  readonly planRows?: (engine: Engine, intent: CascadeIntent, rows: readonly CascadeRow[]) => Promise<BatchWrite>;
  /** Plans the last steps, committed in the transaction that removes the intent. */
  readonly planFinish?: (engine: Engine, intent: CascadeIntent) => Promise<readonly WriteStep[]>;
};

/** The write of one transaction: the keys it locks, its steps, and the records that are different afterwards. */
export type BatchWrite = {
  readonly keys: readonly string[];
  readonly steps: readonly WriteStep[];
  readonly records: readonly Snapshot[];
};

/** All cascades, by the name that intents store. */
export type Cascades = Readonly<Record<string, Cascade>>;

/** What remains to be done for the descendants of a root. */
export type CascadeIntent = {
  /** The id of the job that carries out the intent. */
  readonly id: string;
  /** The name of the cascade in the table of cascades. */
  readonly cascade: string;
  readonly rootId: string;
  readonly rootType: string;
  /** The principal who requested the change, with the kind of the root. */
  readonly writer: Writer;
  /** What the cascade needs to know in addition to the root. */
  readonly params: JsonObject;
};

/**
 * The number of batches that one read of remaining records fetches: neither a read per batch, nor all records at once.
 */
const BATCHES_PER_READ = 20;

/** The number of consecutive conflicts with other writers after which a cascade gives up. */
const MAX_CONFLICTS = 50;

/** Thrown when a later change of the root superseded the cascade. */
class SupersededError extends Error {}

/** Every change of a root contains this step: it removes the intents that are still pending below the root. */
const supersedeStep = (rootId: string, family: string): WriteStep =>
  createStep(deleteSupersededIntents, STEP_ORDER.supersede, [{ id: rootId, family }]);

export type CascadeStart = {
  readonly cascade: string;
  /** The family: a change of the root supersedes pending changes of the same family. */
  readonly family: string;
  readonly params: JsonObject;
  readonly root: Snapshot;
  /** The root's deletion state after the change, if the intent holds only as long as that state stays. */
  readonly rootDeleted?: boolean;
  /** Plans the change of the root; called only when it is needed. */
  readonly change: () => BatchWrite | Promise<BatchWrite>;
  /** Whether the root may have more descendants than a request changes before its answer. */
  readonly isFar: boolean;
  /** Whether the descendants stay unchanged, so that the change fits one transaction. */
  readonly isAlone?: boolean;
  readonly job: Pick<NewJob, 'operation' | 'input'> & Partial<NewJob>;
};

/** Prepares a job that only continues what a request has begun; such a job cannot be cancelled. */
const prepareJob = ({ jobs }: Engine, writer: Writer, { root, job, isFar }: CascadeStart) =>
  (isFar ? jobs.prepare : jobs.prepareImmediate)({
    entityType: root.kind.entityType,
    targetFqn: root.fullyQualifiedName,
    actor: writer.principal,
    committed: true,
    ...job,
  });

/**
 * Commits the change of a root together with the intent for its descendants. Within a job (`work`) that job continues
 * the cascade; otherwise the same transaction creates a job, so that an intent never exists without one.
 */
const startCascade = async (engine: Engine, writer: Writer, start: CascadeStart, work?: JobWork): Promise<void> => {
  const { root, cascade, family, params, rootDeleted } = start;
  const change = await start.change();
  const prepared = work ? undefined : prepareJob(engine, writer, start);
  const id = work?.job.jobId ?? prepared?.jobId;
  const properties = {
    id,
    cascade,
    family,
    operation: work?.job.operation ?? start.job.operation,
    rootDeleted: rootDeleted ?? null,
    entityType: writer.kind.entityType,
    principalJson: JSON.stringify(writer.principal),
    paramsJson: JSON.stringify(params),
  };
  await engine.commit({
    keys: change.keys,
    steps: [
      ...change.steps,
      supersedeStep(root.id, family),
      createStep(createIntents, STEP_ORDER.saveIntent, [{ id: root.id, properties }]),
      ...(prepared?.steps ?? []),
      ...(work?.saveSteps({ committed: true }) ?? []),
    ],
  });
  for (const record of [root, ...change.records]) engine.onWritten(record);
  await prepared?.start();
};

/** Returns false, and changes nothing, when a descendant would have been left out. */
const commitAtOnce = async (
  engine: Engine,
  { root, family, isAlone }: CascadeStart,
  { keys, steps, records }: BatchWrite,
  work: JobWork | undefined,
): Promise<boolean> => {
  try {
    // A job that is killed after this commit must not repeat it: another request may have changed the record since.
    const done = work?.saveSteps({ committed: true, progress: records.length, total: records.length }) ?? [];
    await engine.commit({ keys, steps: [...steps, supersedeStep(root.id, family), ...done] });
  } catch (failure) {
    if (failure instanceof DescendantsChangedError && !isAlone) return false;
    throw failure;
  }
  for (const record of [root, ...records]) engine.onWritten(record);
  return true;
};

/**
 * Commits the change of a root and carries it to the descendants: in one transaction if `whole` covers all of them, and
 * as a cascade if there are more, or turn out to be more.
 */
export const commitWithDescendants = async (
  engine: Engine,
  writer: Writer,
  start: CascadeStart,
  whole: BatchWrite | undefined,
  work?: JobWork,
): Promise<void> => {
  if (whole && (await commitAtOnce(engine, start, whole, work))) return;
  await startCascade(engine, writer, start, work);
};

const decodeIntent = (engine: Engine, intent: PropertyMap, rootId: string, rootType: string): CascadeIntent => {
  const kind = requireKind(engine.registry, intent['entityType'] as string);
  return {
    id: intent['id'] as string,
    cascade: intent['cascade'] as string,
    rootId,
    rootType,
    writer: { kind, principal: JSON.parse(intent['principalJson'] as string) },
    params: JSON.parse(intent['paramsJson'] as string) as JsonObject,
  };
};

const findIntent = async (engine: Engine, id: string): Promise<CascadeIntent | undefined> => {
  const [found] = await engine.graph.read(readIntent, { id });
  return found && decodeIntent(engine, found.intent, found.rootId, found.rootType);
};

const lockIntentStep = (intent: CascadeIntent): WriteStep =>
  createStep(
    lockIntents,
    STEP_ORDER.lock - 1,
    [{ intentId: intent.id }],
    () => new SupersededError('the root was changed again'),
  );

/** Reads the records of rows of one kind. */
const readBatch = async (engine: Engine, rows: readonly CascadeRow[]): Promise<Snapshot[]> => {
  const kind = requireKind(engine.registry, rows[0]?.entityType ?? '');
  return engine.store.records(
    kind,
    rows.map((row) => row.id),
    writeFields(kind),
  );
};

/**
 * Splits a list so that the results and measurements of each part fit one transaction; a record that exceeds the limit
 * gets a part of its own.
 */
const splitByWeight = (rows: readonly CascadeRow[], limit: number): CascadeRow[][] => {
  const pieces: CascadeRow[][] = [];
  let weight = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const { parts = 0 } = row;
    if (weight + parts > limit) {
      pieces.push([]);
      weight = 0;
    }
    weight += parts;
    pieces.at(-1)?.push(row);
  }
  return pieces;
};

/** Splits rows into batches of one kind with at most `size` rows, each small enough for one transaction. */
const splitIntoBatches = ({ limits }: Engine, rows: readonly CascadeRow[], size: number): CascadeRow[][] => {
  const byType = new Map<string, CascadeRow[]>();
  for (const row of rows) {
    const same = byType.get(row.entityType);
    if (same) same.push(row);
    else byType.set(row.entityType, [row]);
  }
  return [...byType.values()].flatMap((same) =>
    chunk(same, size).flatMap((piece) => splitByWeight(piece, limits.batchSeriesRows)),
  );
};

/** Reads the records of rows of any kind; all of them must fit one transaction. */
export const readAllRecords = async (engine: Engine, rows: readonly CascadeRow[]): Promise<Snapshot[]> => {
  const batches = await Promise.all(
    splitIntoBatches(engine, rows, engine.limits.batchRows).map((batch) => readBatch(engine, batch)),
  );
  return batches.flat();
};

const isConflict = (failure: unknown): boolean => failure instanceof StaleStateError || isStillConnected(failure);

type CascadeProgress = { done: number; size: number; conflicts: number };

const EMPTY_WRITE: BatchWrite = { keys: [], steps: [], records: [] };

const planBatch = async (
  engine: Engine,
  intent: CascadeIntent,
  { planRecord, planRows }: Cascade,
  rows: readonly CascadeRow[],
): Promise<BatchWrite> => {
  if (!planRecord) return (await planRows?.(engine, intent, rows)) ?? EMPTY_WRITE;
  const records = await readBatch(engine, rows);
  return { keys: [], steps: records.flatMap((record) => planRecord(engine, intent, record)), records };
};

const commitBatch = async (
  engine: Engine,
  work: JobWork,
  intent: CascadeIntent,
  cascade: Cascade,
  rows: readonly CascadeRow[],
  course: CascadeProgress,
): Promise<void> => {
  const { keys, steps, records } = await planBatch(engine, intent, cascade, rows);
  const progress = course.done + rows.length;
  await engine.commit({
    keys: [intent.rootId, ...rows.map((row) => row.id), ...keys],
    steps: [lockIntentStep(intent), ...steps, ...work.saveSteps({ progress })],
  });
  for (const record of records) engine.onWritten(record);
  course.done = progress;
};

const commitBatches = async (
  engine: Engine,
  work: JobWork,
  intent: CascadeIntent,
  cascade: Cascade,
  rows: readonly CascadeRow[],
  course: CascadeProgress,
): Promise<void> => {
  for (const batch of splitIntoBatches(engine, rows, course.size)) {
    work.checkCommitted();
    try {
      await commitBatch(engine, work, intent, cascade, batch, course);
      course.conflicts = 0;
      course.size = Math.min(engine.limits.batchRows, course.size * 2);
    } catch (failure) {
      if (!isConflict(failure)) throw failure;
      course.conflicts += 1;
      if (course.conflicts > MAX_CONFLICTS) {
        throw new CatalogError('unavailable', 'The assets are being changed too often, try again shortly');
      }
      // Smaller batches are less likely to conflict with other writers; records that conflicted are read again.
      course.size = Math.max(1, Math.floor(course.size / 4));
      await sleep(Math.random() * 10 * course.conflicts);
      return;
    }
  }
};

const finishCascade = async (engine: Engine, intent: CascadeIntent, cascade: Cascade): Promise<void> => {
  const last = (await cascade.planFinish?.(engine, intent)) ?? [];
  await engine.commit({
    keys: [intent.rootId],
    steps: [
      lockIntentStep(intent),
      ...last,
      createStep(deleteIntents, STEP_ORDER.saveIntent, [{ intentId: intent.id }]),
    ],
  });
};

const runCascade = async (engine: Engine, work: JobWork, intent: CascadeIntent, cascade: Cascade): Promise<void> => {
  const { batchRows } = engine.limits;
  const course: CascadeProgress = { done: work.job.progress, size: batchRows, conflicts: 0 };
  for (;;) {
    work.checkCommitted();
    const rows = await cascade.listRemaining(engine, intent, BATCHES_PER_READ * batchRows);
    if (rows.length > 0) {
      await work.save({ total: course.done + rows.length });
      await commitBatches(engine, work, intent, cascade, rows, course);
      continue;
    }
    try {
      return await finishCascade(engine, intent, cascade);
    } catch (failure) {
      // A descendant was added between the last read and the final check.
      if (!isConflict(failure)) throw failure;
    }
  }
};

/**
 * Carries out the intent of a job until it is done or superseded. Returns false when the job has no intent: then either
 * nothing was started yet, or everything is done.
 */
export const resumeCascade = async (engine: Engine, work: JobWork, cascades: Cascades): Promise<boolean> => {
  const intent = await findIntent(engine, work.job.jobId);
  if (!intent) return false;
  const cascade = cascades[intent.cascade];
  if (!cascade) throw new Error(`unknown cascade ${intent.cascade}`);
  try {
    await runCascade(engine, work, intent, cascade);
  } catch (failure) {
    if (!(failure instanceof SupersededError)) throw failure;
  }
  return true;
};

const ADOPTION_BATCH = 100;

/** Assigns a new job to each intent whose job failed, so that no cascade stays half done. */
export const adoptOrphanedIntents = async (engine: Engine): Promise<void> => {
  for (const { intent, rootType, rootFqn } of await engine.graph.read(listOrphanedIntents, { limit: ADOPTION_BATCH })) {
    const intentId = intent['id'] as string;
    const { jobId, steps } = engine.jobs.prepare({
      operation: intent['operation'] as string,
      entityType: rootType,
      targetFqn: rootFqn,
      actor: JSON.parse(intent['principalJson'] as string),
      input: {},
      committed: true,
    });
    const alreadyAdopted = () => new SupersededError('another process adopted the intent first');
    await engine.commit({
      keys: [intentId],
      steps: [createStep(updateIntents, STEP_ORDER.saveIntent, [{ intentId, jobId }], alreadyAdopted), ...steps],
    });
  }
  engine.jobs.announce();
};
