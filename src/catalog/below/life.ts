import type { Step, Write } from '../../graph/commit.ts';
import type { JsonObject } from '../../model/json.ts';
import { nextVersion } from '../../model/version.ts';
import type { Engine, Writer } from '../engine.ts';
import { changeEvent } from '../plan/change-event.ts';
import { voidCredentialSteps } from '../plan/credentials.ts';
import { planLifeChange } from '../plan/life.ts';
import { keptForm } from '../read/kept.ts';
import type { Snapshot } from '../read/snapshot.ts';

/** Hiding, bringing back and removing: what it means for one record, whatever hangs below it. */

export type Turn = { readonly before: Snapshot; readonly after: Snapshot };

const CHANGE_NAME = 'deleted';

/** The same record hidden or brought back, one version on. */
export const turned = (writer: Writer, engine: Engine, before: Snapshot, deleted: boolean): Turn => {
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

export const lifeSteps = (engine: Engine, writer: Writer, turn: Turn, rootId: string, recursive: boolean): Step[] => {
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
  const change = { before, after, formerJson: JSON.stringify(keptForm(engine, before)), event: told };
  const steward = engine.stewards.get(after.kind.entityType);
  const others = (after.deleted ? steward?.rest : steward?.resume)?.(after) ?? [];
  const voided = voidCredentialSteps(before, after, engine.clock());
  return [...planLifeChange(change, rootId), ...voided, ...others];
};

/** Hides or brings back one record below a root, unless somebody did that since it was asked for. */
export const turnBelow = (
  engine: Engine,
  writer: Writer,
  rootId: string,
  record: Snapshot,
  deleted: boolean,
): Step[] =>
  record.deleted === deleted ? [] : lifeSteps(engine, writer, turned(writer, engine, record, deleted), rootId, true);

/** What is told of a record that is removed for good. */
export const farewell = (engine: Engine, writer: Writer, record: Snapshot, recursive: boolean): JsonObject => ({
  ...changeEvent({
    eventType: 'entityDeleted',
    record: { ...record, updatedAt: Math.max(engine.clock(), record.updatedAt) },
    previousVersion: record.version,
    entity: keptForm(engine, record),
    principal: writer.principal,
  }),
  ...(recursive ? { recursive: true } : {}),
});

/** What else changes when records are removed for good: some stand for columns of others, some are needed by others. */
export const partings = async (engine: Engine, writer: Writer, going: readonly Snapshot[]): Promise<Write> => {
  const ids = new Set(going.map(({ id }) => id));
  const standing = new Set(engine.registry.kinds.flatMap(({ tracedParts }) => tracedParts?.kind ?? []));
  const parts = going.filter(({ kind }) => standing.has(kind.entityType));
  const writes = await Promise.all([
    ...(parts.length > 0 ? [engine.partsGone(parts, ids)] : []),
    ...[...engine.stewards].flatMap(([type, { part }]) => {
      const records = going.filter(({ kind }) => kind.entityType === type);
      return part && records.length > 0 ? [part(engine, writer, records, ids)] : [];
    }),
  ]);
  return { keys: writes.flatMap(({ keys }) => keys), steps: writes.flatMap(({ steps }) => steps) };
};
