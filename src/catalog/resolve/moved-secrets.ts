import { badRequest } from '../../errors.ts';
import type { Json } from '../../model/json.ts';
import type { StoredAttribute } from '../../model/kind/attribute.ts';
import { findMovedSecret } from '../../model/secret-masking.ts';
import { filterPermittedIds } from '../read/facts.ts';
import { type Snapshot, storedMembers } from '../read/snapshot.ts';
import type { Candidate } from './candidate.ts';
import type { WriteActor, WriteContext } from './write-context.ts';

type Moved = {
  readonly member: string;
  readonly secret: string;
  readonly address: string;
  readonly disclosedBy: string;
};

/** Finds the secrets of the record that a request leaves masked although it changes where they are sent. */
const findMovedSecrets = (
  { secrets }: WriteContext,
  { kind, values }: Snapshot,
  requested: Candidate['values'],
): readonly Moved[] =>
  storedMembers(kind).flatMap(([member, attribute]) => {
    const { store, normaliseGiven, disclosedBy } = attribute as StoredAttribute;
    const [stored, given]: readonly (Json | undefined)[] = [values[member], requested[member]];
    // A member that settles what is given drops secrets of other addresses itself.
    if (store !== 'secret' || normaliseGiven || stored === undefined || given === undefined) return [];
    const moved = findMovedSecret(given, secrets.open(stored));
    return moved ? [{ member, disclosedBy, ...moved }] : [];
  });

/**
 * Throws bad_request when a masked secret would be sent to another address than the one it was given for. Whoever may see
 * the secret could give it again anyway, and is let through.
 */
export const refuseMovedSecrets = async (
  context: WriteContext,
  { principal }: WriteActor,
  before: Snapshot,
  requested: Candidate['values'],
): Promise<void> => {
  for (const { member, secret, address, disclosedBy } of findMovedSecrets(context, before, requested)) {
    const permitted = await filterPermittedIds(context, principal, [disclosedBy], before.kind.entityType, [before.id]);
    if (permitted.length > 0) continue;
    throw badRequest(`[${member}.${secret} must be given again, because ${member}.${address} has changed]`);
  }
};
