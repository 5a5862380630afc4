import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { createView, idAddress } from '../catalog/read/answer.ts';
import { authorizeRecord, filterPermittedIds } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import { renderRecord, renderRef, type View } from '../catalog/read/render.ts';
import { type Snapshot, toRefNode } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import type { RecordPointer } from '../catalog/resolve/record-pointers.ts';
import { badRequest, recordNotFound } from '../errors.ts';
import type { Call } from '../http/route.ts';
import type { JsonObject } from '../model/json.ts';
import { isUuid } from '../model/uuid.ts';
import { buildEffectiveContract, findEffectiveContracts } from './effective-contract.ts';
import { CONTRACT } from './hooks.ts';
import { assertContractable, findSubject } from './subject.ts';

/**
 * Request helpers that locate the contract or the record of a contract operation and check the caller's permissions.
 */

/** Parses `entityId` and `entityType` from the query. */
export const parseSubjectPointer = (
  { registry }: Engine,
  call: Call,
): RecordPointer & { readonly id: string; readonly type: string } => {
  const id = call.query.get('entityId');
  const type = call.query.get('entityType');
  if (!id) throw badRequest('[entityId must not be null]');
  if (!type) throw badRequest('[entityType must not be null]');
  if (!isUuid(id)) throw badRequest('[entityId must be a UUID]');
  assertContractable(registry, type);
  return { id: id.toLowerCase(), type };
};

/** Finds the record that the query points at. Throws when the caller lacks the permission for the operations. */
export const findPermittedSubject = async (
  engine: Engine,
  call: Call,
  operations: readonly string[],
): Promise<Snapshot> => {
  const subject = await findSubject(engine, parseSubjectPointer(engine, call));
  await authorizeRecord(engine, call.principal, operations, subject);
  return subject;
};

/** Finds the live contract in the path. Throws when the caller lacks the permission for the operations. */
export const findPermittedContract = async (
  engine: Engine,
  call: Call,
  operations: readonly string[],
  fields?: ReadonlySet<string>,
): Promise<Snapshot> => {
  const kind = requireKind(engine.registry, CONTRACT);
  const { id } = idAddress(call);
  const record = isUuid(id) ? await engine.store.record(kind, { id }, fields ?? writeFields(kind)) : undefined;
  if (!record || record.deleted) throw recordNotFound(CONTRACT, id);
  await authorizeRecord(engine, call.principal, operations, record);
  return record;
};

/** The ID of the record that a contract is about. */
export const entityIdOf = ({ values }: Snapshot): string => String(values['entityId']);

/** The service's own view of records: unredacted, except for secrets. */
export const serviceView =
  (engine: Engine, call: Call) =>
  (fields: ReadonlySet<string>): View =>
    createView(engine, call, fields);

/**
 * Reads the effective contract of a record. A caller's view contains only what the caller may see; the service's view
 * contains everything.
 */
export const readEffectiveContract = async (
  engine: Engine,
  subject: Snapshot,
  view: View,
  reader?: Principal,
): Promise<{
  readonly contract: JsonObject | undefined;
  readonly own: Snapshot | undefined;
  readonly product: Snapshot | undefined;
}> => {
  const found = await findEffectiveContracts(engine, subject.id, view.fields);
  const ids = [found.own, found.product].flatMap((record) => record?.id ?? []);
  const visible = new Set(reader ? await filterPermittedIds(engine, reader, ['ViewBasic'], CONTRACT, ids) : ids);
  const [own, product] = [found.own, found.product].map((record) =>
    record && visible.has(record.id) ? record : undefined,
  );
  const [ownJson, productJson] = [own, product].map((record) => (record ? renderRecord(record, view) : undefined));
  const entity = renderRef(toRefNode(subject), view);
  return { contract: buildEffectiveContract(ownJson, productJson, entity, view.fields.has('status')), own, product };
};
