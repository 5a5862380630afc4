import { badRequest, CatalogError, recordNotFound } from '../../errors.ts';
import type { Step } from '../../graph/commit.ts';
import { isStillTied } from '../../graph/failure.ts';
import type { Work } from '../../jobs/work.ts';
import { systemRecord } from '../desire/desk.ts';
import type { Engine, Writer, Written } from '../engine.ts';
import { planDelete, planDoom } from '../plan/life.ts';
import { leftBehind, ORDER, StaleState, step } from '../plan/step.ts';
import {
  type CascadeRow,
  confirmHidden,
  confirmRestored,
  countParts,
  type DescendantRow,
  walkDepths,
  walkDescendants,
} from '../queries.ts';
import { permit } from '../read/facts.ts';
import { writeFields } from '../read/fields.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { type Address, keyOf } from '../read/store.ts';
import { changeBelow, readAll, type Treatment } from './cascade.ts';
import { DESTROY, HIDE, LIFE, RESTORE } from './cascades.ts';
import { farewell, lifeSteps, partings, turnBelow, turned } from './life.ts';
import { mustJudgeBelow, permitBelow } from './permit-below.ts';
import { findIncoming } from './queries.ts';

export type Removal = {
  readonly hardDelete: boolean;
  readonly recursive: boolean;
  /** By an operation of the kind's own, which removes what the common ones do not. */
  readonly isOwn?: boolean;
  /** Refuses the record found, by throwing, when the request's preconditions do not hold. */
  readonly precondition?: (record: Snapshot) => void;
};

/** A record whose life changes, with what hangs below it. */
type Cut = {
  readonly root: Snapshot;
  /** What hangs below the root, or one more than may be changed within a request. */
  readonly below: readonly DescendantRow[];
  /** Whether what hangs below goes the same way. */
  readonly recursive: boolean;
  /** The job within which it is changed, if it is one. */
  readonly work: Work | undefined;
};

const walkBelow = (engine: Engine, root: Snapshot): Promise<DescendantRow[]> =>
  engine.graph.read(walkDescendants, { id: root.id, limit: engine.limits.cascadeRows + 1 });

/** Whether a change of so many records is carried on by a job after the answer. */
const reachesFar = (engine: Engine, below: readonly DescendantRow[]): boolean =>
  below.length > engine.limits.cascadeRows;

const treatmentOf = (root: Snapshot, records: readonly Snapshot[], steps: readonly Step[]): Treatment => ({
  keys: [root.id, ...records.map((record) => record.id)],
  steps,
  records,
});

/** What all changes of a life have in common, if they are carried downwards step by step. */
const beginningOf = (engine: Engine, { root, below, recursive }: Cut, steps: () => readonly Step[]) => ({
  family: LIFE,
  params: {},
  root,
  change: () => treatmentOf(root, [], steps()),
  isFar: reachesFar(engine, below),
  isAlone: !recursive,
});

const removing = ({ root }: Cut, hardDelete: boolean) => ({
  operation: 'DELETE',
  recursive: true,
  input: { id: root.id, hardDelete, recursive: true },
});

/** Whether one transaction holds the root and those records below it. */
const fitsOne = (engine: Engine, { below }: Cut, rows: readonly unknown[]): boolean =>
  !reachesFar(engine, below) && rows.length < engine.limits.batchRows;

/** The records of rows that one transaction changes, unless that is more than the event loop should work off. */
const readAffordable = async (engine: Engine, { spend }: Writer, rows: readonly CascadeRow[]) => {
  const records = await readAll(engine, rows);
  spend?.(records.reduce((sum, { weight }) => sum + weight, 0));
  return records;
};

const hide = async (engine: Engine, writer: Writer, cut: Cut): Promise<Written> => {
  const { root, below, recursive, work } = cut;
  const turn = turned(writer, engine, root, true);
  const steps = lifeSteps(engine, writer, turn, root.id, below.length > 0);
  const living = recursive ? below.filter((row) => !row.deleted) : [];
  const whole = async () => {
    const records = await readAffordable(engine, writer, living);
    const others = records.flatMap((record) => turnBelow(engine, writer, root.id, record, true));
    const nothingLives = step(confirmHidden, ORDER.verify, [{ id: root.id }], leftBehind);
    return treatmentOf(root, records, [...steps, ...others, nothingLives]);
  };
  const common = beginningOf(engine, cut, () => steps);
  const beginning = { ...common, cascade: HIDE, rootDeleted: true, job: removing(cut, false) };
  const atOnce = !recursive || fitsOne(engine, cut, living) ? await whole() : undefined;
  await changeBelow(engine, writer, beginning, atOnce, work);
  return { outcome: 'entitySoftDeleted', record: turn.after };
};

/** How much was told of the root and of what hangs below it; where that is many records anyway, nobody needs to know. */
const partsOf = async (engine: Engine, { root, below }: Cut): Promise<number> => {
  if (reachesFar(engine, below)) return 0;
  const [found] = await engine.graph.read(countParts, { id: root.id });
  return found?.parts ?? 0;
};

const destroy = async (engine: Engine, writer: Writer, cut: Cut): Promise<Written> => {
  const { root, below, work } = cut;
  const { cascadeParts, batchParts } = engine.limits;
  const parts = await partsOf(engine, cut);
  const limit = engine.limits.batchRows;
  const whole = async () => {
    const rows = below.length === 0 ? [] : await engine.graph.read(walkDepths, { id: root.id, limit });
    const depths = new Map(rows.map(({ id, depth }) => [id, depth]));
    const records = await readAffordable(engine, writer, rows);
    const removeOne = (record: Snapshot, recursive: boolean) =>
      planDelete(record, farewell(engine, writer, record, recursive), depths.get(record.id));
    const others = records.flatMap((record) => removeOne(record, true));
    const parted = await partings(engine, writer, [root, ...records]);
    const steps = [...others, ...removeOne(root, below.length > 0), ...parted.steps];
    const treatment = treatmentOf(root, records, steps);
    return { ...treatment, keys: [...treatment.keys, ...parted.keys] };
  };
  const common = beginningOf(engine, cut, () => planDoom(root, farewell(engine, writer, root, true)));
  const isFar = common.isFar || parts > cascadeParts;
  const beginning = { ...common, isFar, cascade: DESTROY, rootDeleted: true, job: removing(cut, true) };
  const isLight = parts <= batchParts && fitsOne(engine, cut, below);
  await changeBelow(engine, writer, beginning, isLight ? await whole() : undefined, work);
  return { outcome: 'entityDeleted', record: root };
};

/** How often a cascade starts again because something changed below it on the way. */
const ATTEMPTS = 20;

/** Starts again on what is there now, as long as the failure says that something else came in between. */
const persist = async (work: () => Promise<Written>): Promise<Written> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof StaleState) && !isStillTied(failure)) throw failure;
      if (attempt === ATTEMPTS)
        throw new CatalogError('unavailable', 'The record is being changed too often at the moment');
    }
  }
};

const isSystem = ({ registry }: Engine, { kind, name, values }: Snapshot): boolean =>
  values['provider'] === 'system' ||
  values['allowDelete'] === false ||
  kind.undeletable?.includes(name) === true ||
  (kind.describesKinds === true && registry.byType.has(name));

const refuseSystem = (engine: Engine, record: Snapshot) => {
  if (isSystem(engine, record)) throw systemRecord(record.kind, record.name, 'deleted');
};

const isHard = ({ kind }: Writer, removal: Removal): boolean => removal.hardDelete || !kind.softDeletable;

/** The record as far as it can still be removed this way. */
const findRemovable = async (engine: Engine, writer: Writer, address: Address, removal: Removal): Promise<Snapshot> => {
  const { kind } = writer;
  const found = await engine.store.record(kind, address, writeFields(kind));
  if (!found || (found.deleted && !isHard(writer, removal))) throw recordNotFound(kind.entityType, keyOf(address));
  return found;
};

/** What goes with a record of a kind without being asked for. */
const isPart = ({ kind }: Writer, { entityType }: DescendantRow): boolean => kind.parts?.includes(entityType) === true;

const refuseFull = (writer: Writer, below: readonly DescendantRow[], removal: Removal): void => {
  const standing = isHard(writer, removal) ? below : below.filter((row) => !row.deleted);
  if (standing.some((row) => !isPart(writer, row)) && !removal.recursive)
    throw badRequest(`${writer.kind.entityType} is not empty`);
};

/** Lets the caller remove what goes with a record. Its own parts are judged with it. */
const permitRemoval = (
  engine: Engine,
  writer: Writer,
  root: Snapshot,
  below: readonly DescendantRow[],
  removal: Removal,
): Promise<void> => {
  const isAll = isHard(writer, removal);
  const going = below.filter((row) => !isPart(writer, row) && (isAll || !row.deleted));
  const rows = reachesFar(engine, below) ? {} : { rows: going };
  const reach = isAll ? 'all' : 'living';
  return permitBelow(engine, writer.principal, { root, operation: 'Delete', reach, ...rows });
};

/** What others cannot do without is not removed as long as there are any, hidden ones too. */
const refuseNeeded = async (engine: Engine, { id, kind }: Snapshot): Promise<void> => {
  if (!kind.neededBy) return;
  const [one] = await engine.graph.read(findIncoming.for(kind.neededBy), { id });
  if (one) throw badRequest(`${kind.entityType} is not empty: ${one.name} needs it`);
};

const admitRemoval = async (engine: Engine, writer: Writer, address: Address, removal: Removal): Promise<Snapshot> => {
  const found = await findRemovable(engine, writer, address, removal);
  writer.spend?.(found.weight);
  await permit(engine, writer.principal, ['Delete'], found);
  removal.precondition?.(found);
  refuseSystem(engine, found);
  const elsewhere = removal.isOwn ? undefined : found.kind.removedElsewhere?.(found.values);
  if (elsewhere !== undefined) throw badRequest(`[${elsewhere}]`);
  return found;
};

/** Refuses what `removeRecord` would refuse as things stand, and answers the record that it would remove. */
export const checkRemoval = async (
  engine: Engine,
  writer: Writer,
  address: Address,
  removal: Removal,
): Promise<Snapshot> => {
  const found = await admitRemoval(engine, writer, address, removal);
  if (removal.recursive && !mustJudgeBelow(engine, writer.principal, 'Delete')) return found;
  const below = await walkBelow(engine, found);
  refuseFull(writer, below, removal);
  await permitRemoval(engine, writer, found, below, removal);
  return found;
};

/**
 * DELETE: hides a record, or removes it for good, together with what hangs below it when asked to. Where that is more than
 * a request may change, only the record itself is changed before the answer; a job does the rest.
 */
export const removeRecord = async (
  engine: Engine,
  writer: Writer,
  address: Address,
  removal: Removal,
  work?: Work,
): Promise<Written> => {
  const found = await admitRemoval(engine, writer, address, removal);
  const removeOnce = async (): Promise<Written> => {
    const root = await findRemovable(engine, writer, address, removal);
    removal.precondition?.(root);
    const below = await walkBelow(engine, root);
    refuseFull(writer, below, removal);
    await permitRemoval(engine, writer, root, below, removal);
    if (isHard(writer, removal)) await refuseNeeded(engine, root);
    const recursive = removal.recursive || below.some((row) => isPart(writer, row));
    const cut = { root, below, recursive, work };
    return isHard(writer, removal) ? destroy(engine, writer, cut) : hide(engine, writer, cut);
  };
  return engine.serial(`${writer.kind.label} ${found.id}`, () => persist(removeOnce));
};

const fallenWith = (root: Snapshot, below: readonly DescendantRow[]): DescendantRow[] =>
  below.filter((row) => row.deleted && row.deletedWith === root.id);

/** Lets the caller bring back what was deleted together with a record. */
const permitRevival = (
  engine: Engine,
  { principal }: Writer,
  root: Snapshot,
  below: readonly DescendantRow[],
): Promise<void> => {
  const rows = reachesFar(engine, below) ? {} : { rows: fallenWith(root, below) };
  return permitBelow(engine, principal, { root, operation: 'EditAll', reach: 'fallen', ...rows });
};

/** Brings a deleted record back, with everything that was deleted together with it. */
export const reviveRecord = async (engine: Engine, writer: Writer, root: Snapshot, work?: Work): Promise<Written> => {
  const cut: Cut = { root, below: await walkBelow(engine, root), recursive: true, work };
  const fallen = fallenWith(root, cut.below);
  await permitRevival(engine, writer, root, cut.below);
  const turn = turned(writer, engine, root, false);
  const steps = lifeSteps(engine, writer, turn, root.id, fallen.length > 0);
  const whole = async () => {
    const records = await readAffordable(engine, writer, fallen);
    const others = records.flatMap((record) => turnBelow(engine, writer, root.id, record, false));
    // Nothing comes to hang below a deleted record, so that where nothing hung there is nothing to be made sure of.
    const rows = cut.below.length > 0 ? [{ id: root.id }] : [];
    return treatmentOf(root, records, [...steps, ...others, step(confirmRestored, ORDER.verify, rows, leftBehind)]);
  };
  const job = { operation: 'RESTORE', recursive: true, input: { id: root.id } };
  const beginning = { ...beginningOf(engine, cut, () => steps), cascade: RESTORE, rootDeleted: false, job };
  await changeBelow(engine, writer, beginning, fitsOne(engine, cut, fallen) ? await whole() : undefined, work);
  return { outcome: 'entityRestored', record: turn.after };
};

/** The record to be restored, if the caller may. */
const checkRestore = async (
  engine: Engine,
  { kind, principal, spend }: Writer,
  id: string,
  precondition: (record: Snapshot) => void = () => {},
): Promise<Snapshot> => {
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  if (!record) throw recordNotFound(kind.entityType, id);
  spend?.(record.weight);
  await permit(engine, principal, ['EditAll'], record);
  precondition(record);
  return record;
};

/** Refuses what `restoreRecord` would refuse as things stand, and answers the record that it would bring back. */
export const checkRestoreBelow = async (
  engine: Engine,
  writer: Writer,
  id: string,
  precondition: (record: Snapshot) => void,
): Promise<Snapshot> => {
  const record = await checkRestore(engine, writer, id, precondition);
  if (!record.deleted || !mustJudgeBelow(engine, writer.principal, 'EditAll')) return record;
  await permitRevival(engine, writer, record, await walkBelow(engine, record));
  return record;
};

/** PUT restore: a record that already lives is answered as it is. */
export const restoreRecord = (
  engine: Engine,
  writer: Writer,
  id: string,
  { work, precondition }: { readonly work?: Work; readonly precondition?: (record: Snapshot) => void } = {},
): Promise<Written> => {
  const restoreOnce = async (): Promise<Written> => {
    const record = await checkRestore(engine, writer, id, precondition);
    return record.deleted ? reviveRecord(engine, writer, record, work) : { outcome: 'entityNoChange', record };
  };
  return engine.serial(`${writer.kind.label} ${id}`, () => persist(restoreOnce));
};
