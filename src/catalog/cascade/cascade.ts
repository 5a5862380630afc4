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
 * Changes of a record that are carried to what hangs below it.
 *
 * What one transaction holds is done in one, which ends by making sure that nothing was left out: `changeBelow` given the
 * `whole` of it. Anything more is begun: the change of the root is committed together with an *intent* on it that says what
 * has still to be done below, and with a job that does it. Up to `limits.cascadeRows` records the process that was asked
 * takes that job itself, and answers when it is done or when it has to let go of it; beyond, the job waits in the queue and
 * the answer does not wait for it. Either way the job has a lease, and whoever finds that run out goes on with it.
 *
 * The job (`continueCascade`, called by the operation's `run`) asks the cascade again and again what is left, in
 * transactions of at most `limits.batchRows` records. What is left is always read from the graph, never counted: a record
 * that was treated no longer shows up, so any process can go on after any crash, and what came in late is treated as well.
 * Every transaction first locks the root and makes sure that the intent still holds; a later change of the root of the same
 * family removes it (`supersede`), and then the job ends without a fault.
 *
 * A new kind of such change is an entry of type `Cascade` in the table of `cascades.ts`, an operation in `operations.ts`
 * that calls `continueCascade`, and a call of `changeBelow` where the root is changed. `family` says which changes of one
 * root replace each other: hiding, restoring and removing do; a rename goes on whatever becomes of the root's life, so it
 * is a family of its own.
 */
export type Cascade = {
  /** What is still to be done, at most `limit` records, each ready to be treated now and in any order. */
  readonly listRemaining: (engine: Engine, intent: CascadeIntent, limit: number) => Promise<readonly CascadeRow[]>;
  /** How one record is treated. Afterwards `remaining` must not name it any more. */
  readonly planRecord?: (engine: Engine, intent: CascadeIntent, record: Snapshot) => readonly WriteStep[];
  /** The same where the rows of a batch say all there is to know, so that their records need not be read. */
  readonly planRows?: (engine: Engine, intent: CascadeIntent, rows: readonly CascadeRow[]) => Promise<BatchWrite>;
  /** What is done when nothing is left, in the transaction that removes the intent. */
  readonly planFinish?: (engine: Engine, intent: CascadeIntent) => Promise<readonly WriteStep[]>;
};

/** What one transaction does: whom it touches, how, and which records are others afterwards. */
export type BatchWrite = {
  readonly keys: readonly string[];
  readonly steps: readonly WriteStep[];
  readonly records: readonly Snapshot[];
};

/** Every far-reaching change there is, by the name that intents carry. */
export type Cascades = Readonly<Record<string, Cascade>>;

/** What has still to be done below a root. */
export type CascadeIntent = {
  /** The id of the job that does it. */
  readonly id: string;
  /** Its entry in the table of cascades. */
  readonly cascade: string;
  readonly rootId: string;
  readonly rootType: string;
  /** Whoever asked for the change, on the kind of the root. */
  readonly writer: Writer;
  /** What the cascade needs to know beside the root. */
  readonly params: JsonObject;
};

/** How many transactions' worth of what is left is asked for at once: not before each of them, and never everything. */
const BATCHES_PER_READ = 20;

/** How often in a row a cascade may find that somebody else changed what it was about to change. */
const MAX_CONFLICTS = 50;

/** Somebody changed the root again, so that the rest of this change is no longer wanted. */
class SupersededError extends Error {}

/** What is part of every change of a root: it ends what is still under way below it. */
const supersedeStep = (rootId: string, family: string): WriteStep =>
  createStep(deleteSupersededIntents, STEP_ORDER.supersede, [{ id: rootId, family }]);

export type CascadeStart = {
  readonly cascade: string;
  /** Which changes of one root replace each other. */
  readonly family: string;
  readonly params: JsonObject;
  readonly root: Snapshot;
  /** Whether the root is deleted after its change, if the intent holds only as long as that stays so. */
  readonly rootDeleted?: boolean;
  /** The change of the root itself, worked out when it is needed. */
  readonly change: () => BatchWrite | Promise<BatchWrite>;
  /** Whether more records may hang below the root than are changed before the answer. */
  readonly isFar: boolean;
  /** Whether what hangs below is left alone, so that all is done at once or nothing. */
  readonly isAlone?: boolean;
  readonly job: Pick<NewJob, 'operation' | 'input'> & Partial<NewJob>;
};

/** A job that only carries on what a request has begun; such a job cannot be cancelled. */
const prepareJob = ({ jobs }: Engine, writer: Writer, { root, job, isFar }: CascadeStart) =>
  (isFar ? jobs.prepare : jobs.prepareImmediate)({
    entityType: root.kind.entityType,
    targetFqn: root.fullyQualifiedName,
    actor: writer.principal,
    committed: true,
    ...job,
  });

/**
 * Commits the change of a root together with the intent to carry it downwards. Within a job (`work`) that job carries it
 * on; otherwise one comes to be in the same transaction, so that there is never one without the other.
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

/** Answers false, with nothing changed, when something would have been left out. */
const commitAtOnce = async (
  engine: Engine,
  { root, family, isAlone }: CascadeStart,
  { keys, steps, records }: BatchWrite,
  work: JobWork | undefined,
): Promise<boolean> => {
  try {
    // A job that was killed after this must not do it again: meanwhile somebody may have wanted it otherwise.
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
 * Commits the change of a root and carries it to what hangs below: at once where `whole` holds all there is, and step by
 * step where there is more than that, or where there turns out to be.
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

/** The records of rows that are all of one kind. */
const readBatch = async (engine: Engine, rows: readonly CascadeRow[]): Promise<Snapshot[]> => {
  const kind = requireKind(engine.registry, rows[0]?.entityType ?? '');
  return engine.store.records(
    kind,
    rows.map((row) => row.id),
    writeFields(kind),
  );
};

/** Pieces of a list in which no more was told of the records than one transaction treats, unless it is one alone. */
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

/** Rows of one kind each, at most `size` of them, and no more than one transaction holds. */
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

/** The records of rows of any kinds, of which one transaction holds all. */
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
        throw new CatalogError('unavailable', 'The records are being changed too often at the moment');
      }
      // Fewer records at once are less likely to meet somebody else; those that were met are asked for again.
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
      // Something came to hang below the root between the last look and the end.
      if (!isConflict(failure)) throw failure;
    }
  }
};

/**
 * Carries the intent of a job to its end, as far as it is still wanted. Answers false when the job has none: then nothing
 * was begun yet, or everything is done.
 */
export const resumeCascade = async (engine: Engine, work: JobWork, cascades: Cascades): Promise<boolean> => {
  const intent = await findIntent(engine, work.job.jobId);
  if (!intent) return false;
  const cascade = cascades[intent.cascade];
  if (!cascade) throw new Error(`no cascade is called ${intent.cascade}`);
  try {
    await runCascade(engine, work, intent, cascade);
  } catch (failure) {
    if (!(failure instanceof SupersededError)) throw failure;
  }
  return true;
};

const ADOPTION_BATCH = 100;

/** Gives intents whose job came to a bad end another one: what is half done must not stay so. */
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
    const alreadyAdopted = () => new SupersededError('somebody else was faster');
    await engine.commit({
      keys: [intentId],
      steps: [createStep(updateIntents, STEP_ORDER.saveIntent, [{ intentId, jobId }], alreadyAdopted), ...steps],
    });
  }
  engine.jobs.announce();
};
