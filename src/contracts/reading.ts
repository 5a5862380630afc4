import type { Principal } from '../access/principal.ts';
import type { Pointer } from '../catalog/desire/candidate.ts';
import type { Engine } from '../catalog/engine.ts';
import { idAddress, viewFor } from '../catalog/read/answer.ts';
import { acceptedIds, permit } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import { render, renderRef, type View } from '../catalog/read/render.ts';
import { refOf, type Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { badRequest, recordNotFound } from '../errors.ts';
import type { Call } from '../http/route.ts';
import type { JsonObject } from '../model/json.ts';
import { isUuid } from '../model/uuid.ts';
import { effectiveContract, effectiveOf } from './effective.ts';
import { CONTRACT } from './steward.ts';
import { findSubject, refuseType } from './subject.ts';

/** How the operations of contracts find what they are about. */

/** The record that the parameters of a request name. */
export const subjectIn = (call: Call): Pointer & { readonly id: string; readonly type: string } => {
  const id = call.query.get('entityId');
  const type = call.query.get('entityType');
  if (!id) throw badRequest('[entityId must not be null]');
  if (!type) throw badRequest('[entityType must not be null]');
  if (!isUuid(id)) throw badRequest('[entityId must be a UUID]');
  refuseType(type);
  return { id: id.toLowerCase(), type };
};

/** The record that a request is about, if the caller may do that to it. */
export const permittedSubject = async (
  engine: Engine,
  call: Call,
  operations: readonly string[],
): Promise<Snapshot> => {
  const subject = await findSubject(engine, subjectIn(call));
  await permit(engine, call.principal, operations, subject);
  return subject;
};

/** The living contract in the path, if the caller may do that to it. */
export const permittedContract = async (
  engine: Engine,
  call: Call,
  operations: readonly string[],
  fields?: ReadonlySet<string>,
): Promise<Snapshot> => {
  const kind = kindNamed(engine.registry, CONTRACT);
  const { id } = idAddress(call);
  const record = isUuid(id) ? await engine.store.record(kind, { id }, fields ?? writeFields(kind)) : undefined;
  if (!record || record.deleted) throw recordNotFound(CONTRACT, id);
  await permit(engine, call.principal, operations, record);
  return record;
};

/** The id of what a contract is about. */
export const entityIdOf = ({ values }: Snapshot): string => String(values['entityId']);

/** How the service itself sees records of a request: whole, but for secrets. */
export const wholeView =
  (engine: Engine, call: Call) =>
  (fields: ReadonlySet<string>): View =>
    viewFor(engine, call, fields);

/** What holds for a record; for a reader only what they may see, and for the service itself all of it. */
export const readEffective = async (
  engine: Engine,
  subject: Snapshot,
  view: View,
  reader?: Principal,
): Promise<{
  readonly contract: JsonObject | undefined;
  readonly own: Snapshot | undefined;
  readonly product: Snapshot | undefined;
}> => {
  const found = await effectiveOf(engine, subject.id, view.fields);
  const ids = [found.own, found.product].flatMap((record) => record?.id ?? []);
  const visible = new Set(reader ? await acceptedIds(engine, reader, ['ViewBasic'], CONTRACT, ids) : ids);
  const [own, product] = [found.own, found.product].map((record) =>
    record && visible.has(record.id) ? record : undefined,
  );
  const [mine, theirs] = [own, product].map((record) => (record ? render(record, view) : undefined));
  const entity = renderRef(refOf(subject), view);
  return { contract: effectiveContract(mine, theirs, entity, view.fields.has('status')), own, product };
};
