import { badRequest, CatalogError, recordNotFound } from '../errors.ts';
import type { Step } from '../graph/commit.ts';
import { isStillTied } from '../graph/failure.ts';
import type { JsonObject } from '../model/json.ts';
import { nextVersion } from '../model/version.ts';
import { changeEvent } from './change-event.ts';
import { keptForm } from './desk.ts';
import type { Engine, Writer, Written } from './engine.ts';
import { writeFields } from './fields.ts';
import { planDelete, planLifeChange } from './plan-life.ts';
import { type DescendantRow, walkDescendants } from './queries.ts';
import type { Snapshot } from './snapshot.ts';
import { StaleState } from './step.ts';
import { type Address, keyOf } from './store.ts';

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

type Turn = { readonly before: Snapshot; readonly after: Snapshot };

const CHANGE_NAME = 'deleted';

/** The same record hidden or brought back, one version on. */
const turned = (writer: Writer, engine: Engine, before: Snapshot, deleted: boolean): Turn => {
  const change = {
    previousVersion: before.version,
    fieldsAdded: [],
    fieldsUpdated: [{ name: CHANGE_NAME, oldValue: !deleted, newValue: deleted }],
    fieldsDeleted: [],
  };
  return {
    before,
    after: {
      ...before,
      deleted,
      version: nextVersion(before.version, 'minor'),
      updatedAt: Math.max(engine.clock(), before.updatedAt),
      updatedBy: writer.principal.name,
      impersonatedBy: writer.principal.impersonatedBy,
      changeDescription: JSON.stringify(change),
    },
  };
};

const lifeSteps = (engine: Engine, writer: Writer, turn: Turn, rootId: string, recursive: boolean): Step[] => {
  const { before, after } = turn;
  const event = changeEvent({
    eventType: after.deleted ? 'entitySoftDeleted' : 'entityRestored',
    record: after,
    previousVersion: before.version,
    entity: keptForm(engine, after),
    principal: writer.principal,
    change: JSON.parse(after.changeDescription ?? '{}') as JsonObject,
  });
  const told = recursive ? { ...event, recursive: true } : event;
  return planLifeChange({ before, after, formerJson: JSON.stringify(keptForm(engine, before)), event: told }, rootId);
};

const livingBelow = async (engine: Engine, root: Snapshot): Promise<DescendantRow[]> =>
  (await engine.graph.read(walkDescendants, { id: root.id })).filter((row) => !row.deleted);

const hide = async (
  engine: Engine,
  writer: Writer,
  root: Snapshot,
  below: readonly DescendantRow[],
): Promise<Written> => {
  const hideOne = (record: Snapshot) => lifeSteps(engine, writer, turned(writer, engine, record, true), root.id, true);
  const turn = turned(writer, engine, root, true);
  // What hangs below goes first: when the process dies on the way, the root is still there to be deleted again.
  await runCascade(
    engine,
    below.filter((row) => !row.deleted),
    'inwards',
    hideOne,
  );
  await commitAll(engine, [root], () => lifeSteps(engine, writer, turn, root.id, below.length > 0));
  // Nothing can be hung below any more; what came in while the cascade ran follows now.
  for (let late = await livingBelow(engine, root); late.length > 0; late = await livingBelow(engine, root)) {
    await runCascade(engine, late, 'inwards', hideOne);
  }
  return { outcome: 'entitySoftDeleted', record: turn.after };
};

const farewell = (engine: Engine, writer: Writer, record: Snapshot, recursive: boolean): JsonObject => ({
  ...changeEvent({
    eventType: 'entityDeleted',
    record: { ...record, updatedAt: Math.max(engine.clock(), record.updatedAt) },
    previousVersion: record.version,
    entity: keptForm(engine, record),
    principal: writer.principal,
  }),
  ...(recursive ? { recursive: true } : {}),
});

const destroy = async (
  engine: Engine,
  writer: Writer,
  root: Snapshot,
  below: readonly DescendantRow[],
): Promise<Written> => {
  const removeOne = (recursive: boolean) => (record: Snapshot) =>
    planDelete(record, farewell(engine, writer, record, recursive));
  await runCascade(engine, below, 'inwards', removeOne(true));
  await commitAll(engine, [root], removeOne(below.length > 0));
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
  kind.undeletable?.includes(name) === true ||
  (kind.describesKinds === true && registry.byType.has(name));

const refuseSystem = (engine: Engine, record: Snapshot) => {
  if (!isSystem(engine, record)) return;
  throw badRequest(`System entity [${record.name}] of type ${record.kind.entityType} can not be deleted.`);
};

/** DELETE: hides a record, or removes it for good, together with what hangs below it when asked to. */
export const removeRecord = async (
  engine: Engine,
  writer: Writer,
  address: Address,
  removal: Removal,
): Promise<Written> => {
  const { kind, principal } = writer;
  const hard = removal.hardDelete || !kind.softDeletable;
  const find = () => engine.store.record(kind, address, writeFields(kind));
  const found = await find();
  if (!found || (found.deleted && !hard)) throw recordNotFound(kind.entityType, keyOf(address));
  engine.authorize(principal, ['Delete'], { resource: kind.entityType, record: found });
  refuseSystem(engine, found);
  const removeOnce = async (): Promise<Written> => {
    const root = await find();
    if (!root || (root.deleted && !hard)) throw recordNotFound(kind.entityType, keyOf(address));
    const below = await engine.graph.read(walkDescendants, { id: root.id });
    const standing = hard ? below : below.filter((row) => !row.deleted);
    if (standing.length > 0 && !removal.recursive) throw badRequest(`${kind.entityType} is not empty`);
    return hard ? destroy(engine, writer, root, below) : hide(engine, writer, root, below);
  };
  return engine.serial(`${kind.label} ${found.id}`, () => persist(removeOnce));
};

/** Brings a deleted record back, with everything that was deleted together with it. */
export const reviveRecord = async (engine: Engine, writer: Writer, root: Snapshot): Promise<Written> => {
  const below = await engine.graph.read(walkDescendants, { id: root.id });
  const fallen = below.filter((row) => row.deleted && row.deletedWith === root.id);
  const turn = turned(writer, engine, root, false);
  await commitAll(engine, [root], () => lifeSteps(engine, writer, turn, root.id, fallen.length > 0));
  await runCascade(engine, fallen, 'outwards', (record) =>
    lifeSteps(engine, writer, turned(writer, engine, record, false), root.id, true),
  );
  return { outcome: 'entityRestored', record: turn.after };
};

/** PUT restore: a record that already lives is answered as it is. */
export const restoreRecord = (engine: Engine, writer: Writer, id: string): Promise<Written> => {
  const { kind, principal } = writer;
  const restoreOnce = async (): Promise<Written> => {
    const record = await engine.store.record(kind, { id }, writeFields(kind));
    if (!record) throw recordNotFound(kind.entityType, id);
    engine.authorize(principal, ['EditAll'], { resource: kind.entityType, record });
    return record.deleted ? reviveRecord(engine, writer, record) : { outcome: 'entityNoChange', record };
  };
  return engine.serial(`${kind.label} ${id}`, () => persist(restoreOnce));
};
