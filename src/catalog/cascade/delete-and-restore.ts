/** Deletes and restores records together with their descendants. */
import { badRequest, CatalogError, recordNotFound } from '../../errors.ts';
import { isStillConnected } from '../../graph/database-failure.ts';
import type { WriteStep } from '../../graph/group-commit.ts';
import type { JobWork } from '../../jobs/job-operation.ts';
import {
  type CascadeRow,
  confirmRestored,
  confirmSoftDeleted,
  countSeriesRows,
  type DescendantRow,
  walkDepths,
  walkDescendants,
} from '../cascade-queries.ts';
import type { Engine, WriteResult, Writer } from '../engine.ts';
import { planDeletion, planMarkForDeletion } from '../plan/lifecycle.ts';
import { createStep, descendantsChangedError, STEP_ORDER, StaleStateError } from '../plan/step.ts';
import { authorizeRecord, checkPermissions, VIEW_OPERATIONS } from '../read/facts.ts';
import { writeFields } from '../read/fields.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { type Address, addressKey } from '../read/store.ts';
import { systemRecordError } from '../resolve/write-context.ts';
import { authorizeDescendants, needsDescendantCheck } from './authorize-descendants.ts';
import { type BatchWrite, commitWithDescendants, readAllRecords } from './cascade.ts';
import { HARD_DELETE, LIFECYCLE, RESTORE, SOFT_DELETE } from './cascade-table.ts';
import {
  buildDeletionEvent,
  buildLifecycleChange,
  descendantLifecycleSteps,
  lifecycleSteps,
  planRemovalSteps,
} from './lifecycle.ts';
import { findIncomingRecord } from './queries.ts';

export type DeletionRequest = {
  readonly hardDelete: boolean;
  readonly recursive: boolean;
  /** Whether the kind's own operation calls this, which may delete records that the common operations refuse. */
  readonly isByOwnOperation?: boolean;
  /** Throws when the record does not satisfy the request's preconditions. */
  readonly precondition?: (record: Snapshot) => void;
};

/** A record that is deleted or restored, with its descendants. */
type LifecycleScope = {
  readonly root: Snapshot;
  /** The descendants of the root, or one more than a request may change. */
  readonly below: readonly DescendantRow[];
  /** Whether the descendants are deleted or restored as well. */
  readonly recursive: boolean;
  /** The job that makes the change, if a job does. */
  readonly work: JobWork | undefined;
};

const readDescendants = (engine: Engine, root: Snapshot): Promise<DescendantRow[]> =>
  engine.graph.read(walkDescendants, { id: root.id, limit: engine.limits.cascadeRows + 1 });

/** Whether a job must carry out the change of so many descendants after the answer. */
const exceedsRequestLimit = (engine: Engine, below: readonly DescendantRow[]): boolean =>
  below.length > engine.limits.cascadeRows;

const buildBatchWrite = (root: Snapshot, records: readonly Snapshot[], steps: readonly WriteStep[]): BatchWrite => ({
  keys: [root.id, ...records.map((record) => record.id)],
  steps,
  records,
});

/** Builds what all deletions and restorations share when they run as a cascade. */
const buildCascadeStart = (
  engine: Engine,
  { root, below, recursive }: LifecycleScope,
  steps: () => readonly WriteStep[],
) => ({
  family: LIFECYCLE,
  params: {},
  root,
  change: () => buildBatchWrite(root, [], steps()),
  isFar: exceedsRequestLimit(engine, below),
  isAlone: !recursive,
});

const buildDeletionJob = ({ root }: LifecycleScope, hardDelete: boolean) => ({
  operation: 'DELETE',
  recursive: true,
  input: { id: root.id, hardDelete, recursive: true },
});

/** Whether the root and these descendants fit one transaction. */
const fitsOneTransaction = (engine: Engine, { below }: LifecycleScope, rows: readonly unknown[]): boolean =>
  !exceedsRequestLimit(engine, below) && rows.length < engine.limits.batchRows;

/** Reads the records that one transaction changes; gives up when they are too much work for the event loop. */
const readWithinBudget = async (engine: Engine, { countWork }: Writer, rows: readonly CascadeRow[]) => {
  const records = await readAllRecords(engine, rows);
  countWork?.(records.reduce((sum, { weight }) => sum + weight, 0));
  return records;
};

const softDeleteRecord = async (engine: Engine, writer: Writer, cut: LifecycleScope): Promise<WriteResult> => {
  const { root, below, recursive, work } = cut;
  const turn = buildLifecycleChange(writer, engine, root, true);
  const steps = lifecycleSteps(engine, writer, turn, root.id, below.length > 0);
  const living = recursive ? below.filter((row) => !row.deleted) : [];
  const whole = async () => {
    const records = await readWithinBudget(engine, writer, living);
    const others = records.flatMap((record) => descendantLifecycleSteps(engine, writer, root.id, record, true));
    const confirmation = createStep(confirmSoftDeleted, STEP_ORDER.verify, [{ id: root.id }], descendantsChangedError);
    return buildBatchWrite(root, records, [...steps, ...others, confirmation]);
  };
  const common = buildCascadeStart(engine, cut, () => steps);
  const beginning = { ...common, cascade: SOFT_DELETE, rootDeleted: true, job: buildDeletionJob(cut, false) };
  const atOnce = !recursive || fitsOneTransaction(engine, cut, living) ? await whole() : undefined;
  await commitWithDescendants(engine, writer, beginning, atOnce, work);
  return { outcome: 'entitySoftDeleted', record: turn.after };
};

/**
 * Counts the results and measurements of the root and its descendants. The count is skipped when the number of records
 * already exceeds the limit of a request.
 */
const countSeriesRowsIn = async (engine: Engine, { root, below }: LifecycleScope): Promise<number> => {
  if (exceedsRequestLimit(engine, below)) return 0;
  const [found] = await engine.graph.read(countSeriesRows, { id: root.id });
  return found?.parts ?? 0;
};

const hardDeleteRecord = async (engine: Engine, writer: Writer, cut: LifecycleScope): Promise<WriteResult> => {
  const { root, below, work } = cut;
  const { cascadeSeriesRows, batchSeriesRows } = engine.limits;
  const parts = await countSeriesRowsIn(engine, cut);
  const limit = engine.limits.batchRows;
  const whole = async () => {
    const rows = below.length === 0 ? [] : await engine.graph.read(walkDepths, { id: root.id, limit });
    const depths = new Map(rows.map(({ id, depth }) => [id, depth]));
    const records = await readWithinBudget(engine, writer, rows);
    const removeOne = (record: Snapshot, recursive: boolean) =>
      planDeletion(record, buildDeletionEvent(engine, writer, record, recursive), depths.get(record.id));
    const others = records.flatMap((record) => removeOne(record, true));
    const removalSteps = await planRemovalSteps(engine, writer, [root, ...records]);
    const steps = [...others, ...removeOne(root, below.length > 0), ...removalSteps.steps];
    const treatment = buildBatchWrite(root, records, steps);
    return { ...treatment, keys: [...treatment.keys, ...removalSteps.keys] };
  };
  const common = buildCascadeStart(engine, cut, () =>
    planMarkForDeletion(root, buildDeletionEvent(engine, writer, root, true)),
  );
  const isFar = common.isFar || parts > cascadeSeriesRows;
  const beginning = { ...common, isFar, cascade: HARD_DELETE, rootDeleted: true, job: buildDeletionJob(cut, true) };
  const isLight = parts <= batchSeriesRows && fitsOneTransaction(engine, cut, below);
  await commitWithDescendants(engine, writer, beginning, isLight ? await whole() : undefined, work);
  return { outcome: 'entityDeleted', record: root };
};

/** How often a deletion or restoration starts again because descendants changed meanwhile. */
const MAX_ATTEMPTS = 20;

/** Retries on the current state as long as the error reports a concurrent change. */
const retryLifecycleChange = async (work: () => Promise<WriteResult>): Promise<WriteResult> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof StaleStateError) && !isStillConnected(failure)) throw failure;
      if (attempt === MAX_ATTEMPTS)
        throw new CatalogError('unavailable', 'The asset is being changed too often, try again shortly');
    }
  }
};

const isSystemRecord = ({ registry }: Engine, { kind, name, values }: Snapshot): boolean =>
  values['provider'] === 'system' ||
  values['allowDelete'] === false ||
  kind.undeletableNames?.includes(name) === true ||
  (kind.describesKinds === true && registry.byType.has(name));

const refuseSystemRecord = (engine: Engine, record: Snapshot) => {
  if (isSystemRecord(engine, record)) throw systemRecordError(record.kind, record.name, 'deleted');
};

const isHardDelete = ({ kind }: Writer, removal: DeletionRequest): boolean => removal.hardDelete || !kind.softDeletable;

/** Finds the record, and throws if it cannot be deleted this way. */
const findDeletable = async (
  engine: Engine,
  writer: Writer,
  address: Address,
  removal: DeletionRequest,
): Promise<Snapshot> => {
  const { kind } = writer;
  const found = await engine.store.record(kind, address, writeFields(kind));
  if (!found || (found.deleted && !isHardDelete(writer, removal)))
    throw recordNotFound(kind.entityType, addressKey(address));
  return found;
};

/** Whether a descendant is a part that is always deleted with the record. */
const isPartKind = ({ kind }: Writer, { entityType }: DescendantRow): boolean =>
  kind.partKinds?.includes(entityType) === true;

const refuseNonEmpty = (writer: Writer, below: readonly DescendantRow[], removal: DeletionRequest): void => {
  const blocking = isHardDelete(writer, removal) ? below : below.filter((row) => !row.deleted);
  if (blocking.some((row) => !isPartKind(writer, row)) && !removal.recursive)
    throw badRequest(`${writer.kind.entityType} is not empty`);
};

/**
 * Throws forbidden unless the caller may delete the descendants. The record's own parts share the decision about the
 * record.
 */
const authorizeDeletion = (
  engine: Engine,
  writer: Writer,
  root: Snapshot,
  below: readonly DescendantRow[],
  removal: DeletionRequest,
): Promise<void> => {
  const isAll = isHardDelete(writer, removal);
  const deletedRows = below.filter((row) => !isPartKind(writer, row) && (isAll || !row.deleted));
  const rows = exceedsRequestLimit(engine, below) ? {} : { rows: deletedRows };
  const reach = isAll ? 'all' : 'living';
  return authorizeDescendants(engine, writer.principal, { root, operation: 'Delete', reach, ...rows });
};

/** Refuses to delete a record that other records require, of which it names one that the caller sees. */
const refuseRequired = async (engine: Engine, { principal }: Writer, { id, kind }: Snapshot): Promise<void> => {
  if (!kind.requiredByEdge) return;
  const [one] = await engine.graph.read(findIncomingRecord.for(kind.requiredByEdge), { id });
  if (!one) return;
  const [isSeen] = await checkPermissions(engine, principal, VIEW_OPERATIONS, [one]);
  throw badRequest(`${kind.entityType} is not empty: ${isSeen ? one.name : 'a record'} needs it`);
};

const findAndAuthorizeDeletion = async (
  engine: Engine,
  writer: Writer,
  address: Address,
  removal: DeletionRequest,
): Promise<Snapshot> => {
  const found = await findDeletable(engine, writer, address, removal);
  writer.countWork?.(found.weight);
  await authorizeRecord(engine, writer.principal, ['Delete'], found);
  removal.precondition?.(found);
  refuseSystemRecord(engine, found);
  const elsewhere = removal.isByOwnOperation ? undefined : found.kind.undeletableReason?.(found.values);
  if (elsewhere !== undefined) throw badRequest(`[${elsewhere}]`);
  return found;
};

/** Throws what `deleteRecord` would throw in the current state, and returns the record that it would delete. */
export const checkDeletion = async (
  engine: Engine,
  writer: Writer,
  address: Address,
  removal: DeletionRequest,
): Promise<Snapshot> => {
  const found = await findAndAuthorizeDeletion(engine, writer, address, removal);
  if (removal.recursive && !needsDescendantCheck(engine, writer.principal, 'Delete')) return found;
  const below = await readDescendants(engine, found);
  refuseNonEmpty(writer, below, removal);
  await authorizeDeletion(engine, writer, found, below, removal);
  return found;
};

/**
 * DELETE: soft-deletes or hard-deletes a record, with its descendants if requested. When there are more descendants
 * than a request may change, only the record itself changes before the answer, and a job does the rest.
 */
export const deleteRecord = async (
  engine: Engine,
  writer: Writer,
  address: Address,
  removal: DeletionRequest,
  work?: JobWork,
): Promise<WriteResult> => {
  const found = await findAndAuthorizeDeletion(engine, writer, address, removal);
  const deleteOnce = async (): Promise<WriteResult> => {
    const root = await findDeletable(engine, writer, address, removal);
    removal.precondition?.(root);
    const below = await readDescendants(engine, root);
    refuseNonEmpty(writer, below, removal);
    await authorizeDeletion(engine, writer, root, below, removal);
    if (isHardDelete(writer, removal)) await refuseRequired(engine, writer, root);
    const recursive = removal.recursive || below.some((row) => isPartKind(writer, row));
    const cut = { root, below, recursive, work };
    return isHardDelete(writer, removal)
      ? hardDeleteRecord(engine, writer, cut)
      : softDeleteRecord(engine, writer, cut);
  };
  return engine.serial(`${writer.kind.label} ${found.id}`, () => retryLifecycleChange(deleteOnce));
};

const filterDeletedWith = (root: Snapshot, below: readonly DescendantRow[]): DescendantRow[] =>
  below.filter((row) => row.deleted && row.deletedWith === root.id);

/** Throws forbidden unless the caller may restore everything that was deleted together with a record. */
const authorizeRestoration = (
  engine: Engine,
  { principal }: Writer,
  root: Snapshot,
  below: readonly DescendantRow[],
): Promise<void> => {
  const rows = exceedsRequestLimit(engine, below) ? {} : { rows: filterDeletedWith(root, below) };
  return authorizeDescendants(engine, principal, { root, operation: 'EditAll', reach: 'fallen', ...rows });
};

/** Restores a deleted record with everything that was deleted together with it. */
export const restoreDeletedRecord = async (
  engine: Engine,
  writer: Writer,
  root: Snapshot,
  work?: JobWork,
): Promise<WriteResult> => {
  const cut: LifecycleScope = { root, below: await readDescendants(engine, root), recursive: true, work };
  const deletedRows = filterDeletedWith(root, cut.below);
  await authorizeRestoration(engine, writer, root, cut.below);
  const turn = buildLifecycleChange(writer, engine, root, false);
  const steps = lifecycleSteps(engine, writer, turn, root.id, deletedRows.length > 0);
  const whole = async () => {
    const records = await readWithinBudget(engine, writer, deletedRows);
    const others = records.flatMap((record) => descendantLifecycleSteps(engine, writer, root.id, record, false));
    // A deleted record gets no new descendants, so a record that had none needs no final check.
    const rows = cut.below.length > 0 ? [{ id: root.id }] : [];
    return buildBatchWrite(root, records, [
      ...steps,
      ...others,
      createStep(confirmRestored, STEP_ORDER.verify, rows, descendantsChangedError),
    ]);
  };
  const job = { operation: 'RESTORE', recursive: true, input: { id: root.id } };
  const beginning = { ...buildCascadeStart(engine, cut, () => steps), cascade: RESTORE, rootDeleted: false, job };
  await commitWithDescendants(
    engine,
    writer,
    beginning,
    fitsOneTransaction(engine, cut, deletedRows) ? await whole() : undefined,
    work,
  );
  return { outcome: 'entityRestored', record: turn.after };
};

/** Finds the record to restore, and throws unless the caller may restore it. */
const findRestorable = async (
  engine: Engine,
  { kind, principal, countWork }: Writer,
  id: string,
  precondition: (record: Snapshot) => void = () => {},
): Promise<Snapshot> => {
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  if (!record) throw recordNotFound(kind.entityType, id);
  countWork?.(record.weight);
  await authorizeRecord(engine, principal, ['EditAll'], record);
  precondition(record);
  return record;
};

/** Throws what `restoreRecord` would throw in the current state, and returns the record that it would restore. */
export const checkRestoration = async (
  engine: Engine,
  writer: Writer,
  id: string,
  precondition: (record: Snapshot) => void,
): Promise<Snapshot> => {
  const record = await findRestorable(engine, writer, id, precondition);
  if (!record.deleted || !needsDescendantCheck(engine, writer.principal, 'EditAll')) return record;
  await authorizeRestoration(engine, writer, record, await readDescendants(engine, record));
  return record;
};

/** PUT restore: returns a record that is not deleted unchanged. */
export const restoreRecord = (
  engine: Engine,
  writer: Writer,
  id: string,
  { work, precondition }: { readonly work?: JobWork; readonly precondition?: (record: Snapshot) => void } = {},
): Promise<WriteResult> => {
  const restoreOnce = async (): Promise<WriteResult> => {
    const record = await findRestorable(engine, writer, id, precondition);
    return record.deleted ? restoreDeletedRecord(engine, writer, record, work) : { outcome: 'entityNoChange', record };
  };
  return engine.serial(`${writer.kind.label} ${id}`, () => retryLifecycleChange(restoreOnce));
};
