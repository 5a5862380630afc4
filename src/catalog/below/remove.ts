import { badRequest, CatalogError, recordNotFound } from '../../errors.ts';
import type { Step } from '../../graph/commit.ts';
import { isStillTied } from '../../graph/failure.ts';
import type { Work } from '../../jobs/work.ts';
import { systemRecord } from '../desire/desk.ts';
import type { Engine, Writer, Written } from '../engine.ts';
import { planDelete, planDoom } from '../plan/life.ts';
import { StaleState } from '../plan/step.ts';
import { type DescendantRow, walkDescendants } from '../queries.ts';
import { writeFields } from '../read/fields.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { type Address, keyOf } from '../read/store.ts';
import { beginCascade, supersede } from './cascade.ts';
import { DESTROY, HIDE, LIFE, RESTORE } from './cascades.ts';
import { farewell, lifeSteps, turned } from './life.ts';

export type Removal = { readonly hardDelete: boolean; readonly recursive: boolean };

/** What one transaction of a cascade may touch. */
const CASCADE_BATCH = 1000;

const readKind = (engine: Engine, type: string, ids: readonly string[]): Promise<Snapshot[]> => {
  const kind = engine.registry.byType.get(type);
  return kind ? engine.store.records(kind, ids, writeFields(kind)) : Promise.resolve([]);
};

const groupBy = <T>(items: readonly T[], key: (item: T) => string): T[][] => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return [...groups.values()];
};

const chunks = <T>(items: readonly T[], size: number): T[][] => {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
};

type StepsFor = (record: Snapshot) => Step[];

const commitAll = async (engine: Engine, records: readonly Snapshot[], stepsFor: StepsFor): Promise<void> => {
  await engine.commit({ keys: records.map((record) => record.id), steps: records.flatMap(stepsFor) });
  for (const record of records) engine.written(record);
};

/** Runs a cascade in bounded transactions; each holds records of one kind at one distance from the root. */
const runCascade = async (
  engine: Engine,
  rows: readonly DescendantRow[],
  order: 'inwards' | 'outwards',
  stepsFor: StepsFor,
): Promise<void> => {
  const sorted = [...rows].sort((a, b) => (order === 'inwards' ? b.depth - a.depth : a.depth - b.depth));
  for (const group of groupBy(sorted, (row) => `${row.depth} ${row.entityType}`)) {
    for (const batch of chunks(group, CASCADE_BATCH)) {
      const records = await readKind(
        engine,
        batch[0]?.entityType ?? '',
        batch.map((row) => row.id),
      );
      await commitAll(engine, records, stepsFor);
    }
  }
};

/** What hangs below a record, or one more than may be changed within a request. */
const walkBelow = (engine: Engine, root: Snapshot): Promise<DescendantRow[]> =>
  engine.graph.read(walkDescendants, { id: root.id, limit: engine.limits.cascadeRows + 1 });

/** Whether a change of so many records is carried on by a job instead of within the request. */
const reachesFar = (engine: Engine, below: readonly DescendantRow[]): boolean =>
  below.length > engine.limits.cascadeRows;

const livingBelow = async (engine: Engine, root: Snapshot): Promise<DescendantRow[]> =>
  (await walkBelow(engine, root)).filter((row) => !row.deleted);

/** A record whose life changes, with what hangs below it. */
type Cut = {
  readonly root: Snapshot;
  readonly below: readonly DescendantRow[];
  /** The job within which it is changed, if it is one. */
  readonly work: Work | undefined;
};

/** The change of the root of a cascade; what an earlier one had still to do below it is no longer wanted. */
const rootSteps = (root: Snapshot, steps: readonly Step[]): Step[] => [...steps, supersede(root.id, LIFE)];

const hideNow = async (engine: Engine, writer: Writer, { root, below }: Cut, steps: readonly Step[]): Promise<void> => {
  const hideOne = (record: Snapshot) => lifeSteps(engine, writer, turned(writer, engine, record, true), root.id, true);
  // What hangs below goes first: when the process dies on the way, the root is still there to be deleted again.
  await runCascade(
    engine,
    below.filter((row) => !row.deleted),
    'inwards',
    hideOne,
  );
  await commitAll(engine, [root], () => rootSteps(root, steps));
  // Nothing can be hung below any more; what came in while the cascade ran follows now.
  for (let late = await livingBelow(engine, root); late.length > 0; late = await livingBelow(engine, root)) {
    await runCascade(engine, late, 'inwards', hideOne);
  }
};

const hide = async (engine: Engine, writer: Writer, cut: Cut): Promise<Written> => {
  const { root, below, work } = cut;
  const turn = turned(writer, engine, root, true);
  const steps = lifeSteps(engine, writer, turn, root.id, below.length > 0);
  if (reachesFar(engine, below)) {
    const job = { operation: 'DELETE', recursive: true, input: { id: root.id, hardDelete: false, recursive: true } };
    const intent = { cascade: HIDE, family: LIFE, params: {}, rootDeleted: true };
    await beginCascade(engine, writer, { ...intent, root, steps, job }, work);
  } else await hideNow(engine, writer, cut, steps);
  return { outcome: 'entitySoftDeleted', record: turn.after };
};

const destroy = async (engine: Engine, writer: Writer, { root, below, work }: Cut): Promise<Written> => {
  if (reachesFar(engine, below)) {
    const job = { operation: 'DELETE', recursive: true, input: { id: root.id, hardDelete: true, recursive: true } };
    const intent = { cascade: DESTROY, family: LIFE, params: {}, rootDeleted: true };
    const steps = planDoom(root, farewell(engine, writer, root, true));
    await beginCascade(engine, writer, { ...intent, root, steps, job }, work);
  } else {
    const removeOne = (recursive: boolean) => (record: Snapshot) =>
      planDelete(record, farewell(engine, writer, record, recursive));
    await runCascade(engine, below, 'inwards', removeOne(true));
    await commitAll(engine, [root], (record) => rootSteps(root, removeOne(below.length > 0)(record)));
  }
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

const refuseFull = (writer: Writer, below: readonly DescendantRow[], removal: Removal): void => {
  const standing = isHard(writer, removal) ? below : below.filter((row) => !row.deleted);
  if (standing.length > 0 && !removal.recursive) throw badRequest(`${writer.kind.entityType} is not empty`);
};

const admitRemoval = async (engine: Engine, writer: Writer, address: Address, removal: Removal): Promise<Snapshot> => {
  const found = await findRemovable(engine, writer, address, removal);
  engine.authorize(writer.principal, ['Delete'], { resource: writer.kind.entityType, record: found });
  refuseSystem(engine, found);
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
  if (!removal.recursive) refuseFull(writer, await walkBelow(engine, found), removal);
  return found;
};

/**
 * DELETE: hides a record, or removes it for good, together with what hangs below it when asked to. Where that is more than
 * a request may change, only the record itself is changed here; a job, or the one this happens in, does the rest.
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
    const below = await walkBelow(engine, root);
    refuseFull(writer, below, removal);
    return isHard(writer, removal)
      ? destroy(engine, writer, { root, below, work })
      : hide(engine, writer, { root, below, work });
  };
  return engine.serial(`${writer.kind.label} ${found.id}`, () => persist(removeOnce));
};

/** Brings a deleted record back, with everything that was deleted together with it. */
export const reviveRecord = async (engine: Engine, writer: Writer, root: Snapshot, work?: Work): Promise<Written> => {
  const below = await walkBelow(engine, root);
  const fallen = below.filter((row) => row.deleted && row.deletedWith === root.id);
  const turn = turned(writer, engine, root, false);
  const steps = lifeSteps(engine, writer, turn, root.id, fallen.length > 0);
  if (reachesFar(engine, below)) {
    const job = { operation: 'RESTORE', recursive: true, input: { id: root.id } };
    const intent = { cascade: RESTORE, family: LIFE, params: {}, rootDeleted: false };
    await beginCascade(engine, writer, { ...intent, root, steps, job }, work);
  } else {
    await commitAll(engine, [root], () => rootSteps(root, steps));
    await runCascade(engine, fallen, 'outwards', (record) =>
      lifeSteps(engine, writer, turned(writer, engine, record, false), root.id, true),
    );
  }
  return { outcome: 'entityRestored', record: turn.after };
};

/** The record to be restored, if the caller may. */
export const checkRestore = async (engine: Engine, { kind, principal }: Writer, id: string): Promise<Snapshot> => {
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  if (!record) throw recordNotFound(kind.entityType, id);
  engine.authorize(principal, ['EditAll'], { resource: kind.entityType, record });
  return record;
};

/** PUT restore: a record that already lives is answered as it is. */
export const restoreRecord = (engine: Engine, writer: Writer, id: string, work?: Work): Promise<Written> => {
  const restoreOnce = async (): Promise<Written> => {
    const record = await checkRestore(engine, writer, id);
    return record.deleted ? reviveRecord(engine, writer, record, work) : { outcome: 'entityNoChange', record };
  };
  return engine.serial(`${writer.kind.label} ${id}`, () => persist(restoreOnce));
};
