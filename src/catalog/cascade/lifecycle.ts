import type { WriteRequest, WriteStep } from '../../graph/group-commit.ts';
import type { JsonObject } from '../../model/json.ts';
import { nextVersion } from '../../model/version.ts';
import type { Engine, Writer } from '../engine.ts';
import { buildChangeEvent } from '../plan/change-event.ts';
import { revokeCredentialSteps } from '../plan/credentials.ts';
import { planLifecycleChange } from '../plan/lifecycle.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { storedSnapshot } from '../read/stored-snapshot.ts';

/** Plans the soft deletion, restoration and hard deletion of single records, without their descendants. */

export type LifecycleChange = { readonly before: Snapshot; readonly after: Snapshot };

const DELETED_MEMBER = 'deleted';

/** Builds the next version of a record, soft-deleted or restored. */
export const buildLifecycleChange = (
  writer: Writer,
  engine: Engine,
  before: Snapshot,
  deleted: boolean,
): LifecycleChange => {
  const change = {
    previousVersion: before.version,
    fieldsAdded: [],
    fieldsUpdated: [{ name: DELETED_MEMBER, oldValue: !deleted, newValue: deleted }],
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

export const lifecycleSteps = (
  engine: Engine,
  writer: Writer,
  turn: LifecycleChange,
  rootId: string,
  recursive: boolean,
): WriteStep[] => {
  const { before, after } = turn;
  const event = buildChangeEvent({
    eventType: after.deleted ? 'entitySoftDeleted' : 'entityRestored',
    record: after,
    previousVersion: before.version,
    entity: storedSnapshot(engine, after),
    principal: writer.principal,
    change: JSON.parse(after.changeDescription ?? '{}') as JsonObject,
  });
  const published = recursive ? { ...event, recursive: true } : event;
  const change = { before, after, formerJson: JSON.stringify(storedSnapshot(engine, before)), event: published };
  const hooks = engine.kindHooks.get(after.kind.entityType);
  const others = (after.deleted ? hooks?.onSoftDelete : hooks?.onRestore)?.(after) ?? [];
  const revocations = revokeCredentialSteps(before, after, engine.clock());
  return [...planLifecycleChange(change, rootId), ...revocations, ...others];
};

/** Plans the soft deletion or restoration of one descendant, unless another change has already done it. */
export const descendantLifecycleSteps = (
  engine: Engine,
  writer: Writer,
  rootId: string,
  record: Snapshot,
  deleted: boolean,
): WriteStep[] =>
  record.deleted === deleted
    ? []
    : lifecycleSteps(engine, writer, buildLifecycleChange(writer, engine, record, deleted), rootId, true);

/** Builds the event of a hard deletion. */
export const buildDeletionEvent = (
  engine: Engine,
  writer: Writer,
  record: Snapshot,
  recursive: boolean,
): JsonObject => ({
  ...buildChangeEvent({
    eventType: 'entityDeleted',
    record: { ...record, updatedAt: Math.max(engine.clock(), record.updatedAt) },
    previousVersion: record.version,
    entity: storedSnapshot(engine, record),
    principal: writer.principal,
  }),
  ...(recursive ? { recursive: true } : {}),
});

/**
 * Plans the other writes of a hard deletion: some records stand for columns of other records, and other records require
 * some.
 */
export const planRemovalSteps = async (
  engine: Engine,
  writer: Writer,
  deleted: readonly Snapshot[],
): Promise<WriteRequest> => {
  const ids = new Set(deleted.map(({ id }) => id));
  const partTypes = new Set(engine.registry.kinds.flatMap(({ lineageParts }) => lineageParts?.kind ?? []));
  const parts = deleted.filter(({ kind }) => partTypes.has(kind.entityType));
  const writes = await Promise.all([
    ...(parts.length > 0 ? [engine.onPartsDeleted(parts, ids)] : []),
    ...[...engine.kindHooks].flatMap(([type, { onHardDelete }]) => {
      const records = deleted.filter(({ kind }) => kind.entityType === type);
      return onHardDelete && records.length > 0 ? [onHardDelete(engine, writer, records, ids)] : [];
    }),
  ]);
  return { keys: writes.flatMap(({ keys }) => keys), steps: writes.flatMap(({ steps }) => steps) };
};
