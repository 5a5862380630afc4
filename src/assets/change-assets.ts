import type { Engine } from '../catalog/engine.ts';
import { createView } from '../catalog/read/answer.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { parseRecordPointer } from '../catalog/resolve/record-pointers.ts';
import { resolvePointer } from '../catalog/resolve/references.ts';
import { type BulkFailure, type BulkSuccess, toBulkFailure } from '../catalog/write/bulk.ts';
import { reviseRecord } from '../catalog/write/update.ts';
import { badRequest } from '../errors.ts';
import type { Call } from '../http/route.ts';
import { type JsonObject, withMember } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { operationsToPatch } from '../model/kind/required-operations.ts';

export type AssetChange = {
  readonly holder: Snapshot;
  readonly assets: readonly JsonObject[];
  readonly adds: boolean;
  readonly dryRun: boolean;
};

/** Adds or removes a holder in the asset's own list. Inherited holders are not part of that list. */
const reviseHolders = (document: JsonObject, member: string, holder: Snapshot, adds: boolean): JsonObject => {
  const present = (document[member] ?? []) as readonly JsonObject[];
  const others = present.filter((ref) => ref['id'] !== holder.id && ref['inherited'] !== true);
  const ref = { id: holder.id, type: holder.kind.entityType };
  return withMember(document, member, adds ? [...others, ref] : others);
};

const resolveAssetKind = (engine: Engine, entityType: string, member: string): Kind => {
  const kind = engine.registry.byType.get(entityType);
  if (!kind || !(kind.gated as readonly string[]).includes(member))
    throw badRequest(`The entity type ${entityType} has no ${member}`);
  return kind;
};

const changeAsset = async (engine: Engine, call: Call, change: AssetChange, ref: JsonObject): Promise<BulkSuccess> => {
  const target = await resolvePointer(engine, parseRecordPointer(ref), []);
  const member = change.holder.kind.assets?.member ?? 'domains';
  const kind = resolveAssetKind(engine, target.entityType, member);
  const revise = (document: JsonObject) => reviseHolders(document, member, change.holder, change.adds);
  await reviseRecord(
    engine,
    { kind, principal: call.principal },
    {
      address: { id: target.id },
      revise,
      touched: [member],
      isJsonPatch: false,
      dryRun: change.dryRun ? 'whole' : undefined,
      // Callers who may patch this field of the asset may also change it here.
      operations: (document) => operationsToPatch(kind, document, { form: 'merge', members: revise(document) }),
      precondition: () => {},
      viewFor: (fields) => createView(engine, call, fields),
    },
  );
  return { request: ref, status: 200 };
};

/** Adds assets to a holder or removes them, each independently. A dry run reports what would be refused. */
export const changeAssets = async (
  engine: Engine,
  call: Call,
  change: AssetChange,
): Promise<{ passed: BulkSuccess[]; failed: BulkFailure[] }> => {
  const passed: BulkSuccess[] = [];
  const failed: BulkFailure[] = [];
  await Promise.all(
    change.assets.map(async (ref) => {
      try {
        passed.push(await changeAsset(engine, call, change, ref));
      } catch (failure) {
        failed.push(toBulkFailure(ref, failure));
      }
    }),
  );
  return { passed, failed };
};
