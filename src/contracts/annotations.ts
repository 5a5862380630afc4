import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { checkPermissions, VIEW_OPERATIONS } from '../catalog/read/facts.ts';
import { redactValues } from '../catalog/read/redaction.ts';
import type { JsonObject } from '../model/json.ts';
import { CONTRACT, findContractOf } from './hooks.ts';

/** The member of a contract for what its document says of the asset besides the schema. */
export const ANNOTATIONS = 'odcsAnnotations';

const FIELDS: ReadonlySet<string> = new Set([ANNOTATIONS]);

/** Reads the annotations of a record's contract; empty when there are none or the caller may not see the contract. */
export const readVisibleAnnotations = async (
  engine: Engine,
  principal: Principal,
  entityId: string,
): Promise<JsonObject> => {
  const contract = await findContractOf(engine, entityId, FIELDS);
  const annotations = contract?.values[ANNOTATIONS] as JsonObject | undefined;
  if (!contract || contract.deleted || annotations === undefined) return {};
  const [isSeen] = await checkPermissions(engine, principal, VIEW_OPERATIONS, [
    { entityType: CONTRACT, entityId: contract.id },
  ]);
  const [shown = {}] = isSeen ? await redactValues(engine, principal, [annotations]) : [];
  return shown;
};
