import { badRequest, recordNotFound } from '../errors.ts';
import type { Step } from '../graph/commit.ts';
import type { JsonObject } from '../model/json.ts';

import { nextVersion } from '../model/version.ts';
import { changeEvent } from './change-event.ts';
import { keptForm } from './desk.ts';
import type { Engine, Writer, Written } from './engine.ts';
import { writeFields } from './fields.ts';
import { planDelete, planLifeChange } from './plan-life.ts';
import { type DescendantRow, walkDescendants } from './queries.ts';
import type { Snapshot } from './snapshot.ts';
import { type Address, keyOf } from './store.ts';

export type Removal = { readonly hardDelete: boolean; readonly recursive: boolean };

/** What one transaction of a cascade may touch. */
const CASCADE_BATCH = 1000;

/** The snapshots of a cascade's records, kind by kind. */
const readAll = async (engine: Engine, rows: readonly DescendantRow[]): Promise<Snapshot[]> => {
  const byType = new Map<string, string[]>();
  for (const row of rows) byType.set(row.entityType, [...(byType.get(row.entityType) ?? []), row.id]);
  const read = [...byType].map(([type, ids]) => {
    const kind = engine.registry.byType.get(type);
    return kind ? engine.store.records(kind, ids, writeFields(kind)) : Promise.resolve([]);
  });
  return (await Promise.all(read)).flat();
};

const chunks = <T>(items: readonly T[], size: number): T[][] => {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
};

type StepsFor = (record: Snapshot) => Step[];

/** Runs a cascade in bounded transactions, in the order of its records. */
const runCascade = async (engine: Engine, records: readonly Snapshot[], stepsFor: StepsFor): Promise<void> => {
  for (const batch of chunks(records, CASCADE_BATCH)) {
    await engine.commit({ keys: batch.map((record) => record.id), steps: batch.flatMap(stepsFor) });
    for (const record of batch) engine.written(record);
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

const hide = async (
  engine: Engine,
  writer: Writer,
  root: Snapshot,
  below: readonly DescendantRow[],
): Promise<Written> => {
  const descendants = await readAll(
    engine,
    below.filter((row) => !row.deleted),
  );
  const turn = turned(writer, engine, root, true);
  // What hangs below goes first: when the process dies on the way, the root is still there to be deleted again.
  await runCascade(engine, descendants, (record) =>
    lifeSteps(engine, writer, turned(writer, engine, record, true), root.id, true),
  );
  await runCascade(engine, [root], () => lifeSteps(engine, writer, turn, root.id, descendants.length > 0));
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
  const descendants = await readAll(engine, below);
  await runCascade(engine, descendants, (record) => planDelete(record, farewell(engine, writer, record, true)));
  await runCascade(engine, [root], (record) => planDelete(record, farewell(engine, writer, record, below.length > 0)));
  return { outcome: 'entityDeleted', record: root };
};

const refuseSystem = (record: Snapshot) => {
  if (record.values['provider'] !== 'system' && !record.kind.undeletable?.includes(record.name)) return;
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
  refuseSystem(found);
  return engine.serial(`${kind.label} ${found.id}`, async () => {
    const root = await find();
    if (!root || (root.deleted && !hard)) throw recordNotFound(kind.entityType, keyOf(address));
    const below = await engine.graph.read(walkDescendants, { id: root.id });
    const standing = hard ? below : below.filter((row) => !row.deleted);
    if (standing.length > 0 && !removal.recursive) throw badRequest(`${kind.entityType} is not empty`);
    return hard ? destroy(engine, writer, root, below) : hide(engine, writer, root, below);
  });
};

/** Brings a deleted record back, with everything that was deleted together with it. */
export const reviveRecord = async (engine: Engine, writer: Writer, root: Snapshot): Promise<Written> => {
  const below = await engine.graph.read(walkDescendants, { id: root.id });
  const descendants = await readAll(
    engine,
    below.filter((row) => row.deleted && row.deletedWith === root.id),
  );
  const turn = turned(writer, engine, root, false);
  await runCascade(engine, [root], () => lifeSteps(engine, writer, turn, root.id, descendants.length > 0));
  await runCascade(engine, descendants, (record) =>
    lifeSteps(engine, writer, turned(writer, engine, record, false), root.id, true),
  );
  return { outcome: 'entityRestored', record: turn.after };
};

/** PUT restore: a record that already lives is answered as it is. */
export const restoreRecord = async (engine: Engine, writer: Writer, id: string): Promise<Written> => {
  const { kind, principal } = writer;
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  if (!record) throw recordNotFound(kind.entityType, id);
  engine.authorize(principal, ['EditAll'], { resource: kind.entityType, record });
  if (!record.deleted) return { outcome: 'entityNoChange', record };
  return engine.serial(`${kind.label} ${id}`, () => reviveRecord(engine, writer, record));
};
