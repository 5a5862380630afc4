import * as v from 'valibot';
import type { Principal } from '../../access/principal.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { check } from '../../model/validate.ts';
import { compare } from '../desire/difference.ts';
import { slotOf } from '../desire/resolve.ts';
import type { Engine } from '../engine.ts';
import { planChange } from '../plan/change.ts';
import { namingTarget } from '../plan/edges.ts';
import { ORDER, StaleState, step } from '../plan/step.ts';
import { checkNamings, listNamings, type NamingRow } from '../queries.ts';
import { writeFields } from '../read/fields.ts';
import type { Named, Snapshot } from '../read/snapshot.ts';
import { kindNamed, type Registry } from '../registry.ts';
import type { Treatment } from './cascade.ts';

/**
 * Texts that name records instead of pointing at them: the conditions of policies. They get the new name of a record in
 * the very transaction in which the record gets it, so that at no moment a rule means nobody. Which texts name a record is
 * kept beside their owners and found by the name. A transaction that would leave a text behind, because it came to name
 * the record meanwhile, is undone and tried again.
 */

/** A record that gets another name. */
export type Renaming = {
  readonly id: string;
  readonly entityType: string;
  readonly from: string;
  readonly to: string;
};

const NOTHING: Treatment = { keys: [], steps: [], records: [] };

/** Somebody changed a name, or a text that names a record, while the record was being renamed. */
export class Overtaken extends StaleState {}

const moved = () => new Overtaken('texts that name the record changed since they were read');

/** The kinds among these whose records texts can name. */
export const nameableAmong = ({ kinds }: Registry, entityTypes: readonly string[]): string[] => {
  const nameable = new Set(kinds.flatMap(({ namingTexts }) => namingTexts?.kinds ?? []));
  return entityTypes.filter((entityType) => nameable.has(entityType));
};

/** A record with texts, and whom it means by those of their names that change. */
type Owner = { readonly id: string; readonly entityType: string; readonly meant: Map<string, Renaming> };

const ownersOf = (rows: readonly NamingRow[], renamings: readonly Renaming[]): Owner[] => {
  const owners = new Map<string, Owner>();
  for (const { at, ownerId, ownerType, slot } of rows) {
    const owner = owners.get(ownerId) ?? { id: ownerId, entityType: ownerType, meant: new Map() };
    owners.set(ownerId, owner);
    const renaming = renamings[at];
    if (renaming) owner.meant.set(slot, renaming);
  }
  return [...owners.values()];
};

const readOwners = async (engine: Engine, owners: readonly Owner[]): Promise<Snapshot[]> => {
  const types = [...new Set(owners.map(({ entityType }) => entityType))];
  const found = await Promise.all(
    types.map((entityType) => {
      const kind = kindNamed(engine.registry, entityType);
      const ids = owners.filter((owner) => owner.entityType === entityType).map(({ id }) => id);
      return engine.store.records(kind, ids, writeFields(kind));
    }),
  );
  return found.flat();
};

type Revision = { readonly before: Snapshot; readonly after: Snapshot };

/** The owner of texts in which some of the names are others. */
const revise = (engine: Engine, principal: Principal, before: Snapshot, { meant }: Owner): Revision => {
  const { namingTexts } = before.kind;
  const named = new Map<string, Named>();
  const values = namingTexts?.rename(before.values, (one) => {
    const renaming = meant.get(slotOf(one));
    if (!renaming) return one.fqn;
    const { id, entityType, to } = renaming;
    const slot = slotOf({ ...one, fqn: to });
    named.set(slot, { node: { id, entityType, fullyQualifiedName: to }, slot });
    return to;
  });
  const after = {
    ...before,
    values: { ...before.values, ...values },
    named: [...named.values()],
    updatedAt: Math.max(engine.clock(), before.updatedAt),
    updatedBy: principal.name,
    impersonatedBy: principal.impersonatedBy,
  };
  return { before, after };
};

/** A text may only become what a request could have made of it; otherwise the renaming is refused, whose fault it is. */
const refuseUnfit = ({ before, after }: Revision): void => {
  for (const [name, attribute] of Object.entries(after.kind.members)) {
    const value = after.values[name];
    if (value === before.values[name] || !('schema' in attribute) || !attribute.schema) continue;
    try {
      check(v.object({ [name]: attribute.schema }), { [name]: value });
    } catch (failure) {
      if (!(failure instanceof CatalogError)) throw failure;
      const owner = `${after.kind.entityType} ${after.fullyQualifiedName}`;
      throw badRequest(`${failure.message} in ${owner}, which would have to name the record anew`);
    }
  }
};

const planRevision = (engine: Engine, principal: Principal, { before, after }: Revision) => {
  const { change, version } = compare(engine, before, after, false);
  return change && planChange(engine, principal, { before, after: { ...after, version }, description: change }, moved);
};

/** How many names the texts of one owner may hold on average before they are too many. */
const NAMES_PER_OWNER = 10;

const formerTarget = ({ entityType, from }: Renaming): string => namingTarget(entityType, from);

const findOwners = async (engine: Engine, renamings: readonly Renaming[], mayRefuse: boolean): Promise<Owner[]> => {
  const { cascadeRows } = engine.limits;
  const most = cascadeRows * NAMES_PER_OWNER;
  const rows = renamings.map((renaming, at) => ({ at, target: formerTarget(renaming) }));
  const found = await engine.graph.read(listNamings, { rows, limit: most + 1 });
  const owners = ownersOf(found, renamings);
  if (found.length <= most && owners.length <= cascadeRows) return owners;
  if (!mayRefuse) throw moved();
  throw badRequest(
    `[name must not be changed where the texts of more than ${cascadeRows} records would change with it]`,
  );
};

/**
 * Works out what happens to the texts that name records which are about to get other names. Within a request
 * (`mayRefuse`) too many texts, and a text that would become too long, are refused; a job fails at too many, with the
 * failure of a lost race, and has fewer of the records renamed at once.
 */
export const rewriteTexts = async (
  engine: Engine,
  principal: Principal,
  all: readonly Renaming[],
  mayRefuse: boolean,
): Promise<Treatment> => {
  const types = new Set(nameableAmong(engine.registry, [...new Set(all.map(({ entityType }) => entityType))]));
  const renamings = all.filter(({ entityType, from, to }) => from !== to && types.has(entityType));
  if (renamings.length === 0) return NOTHING;
  const owners = new Map((await findOwners(engine, renamings, mayRefuse)).map((owner) => [owner.id, owner]));
  const revisions = (await readOwners(engine, [...owners.values()])).flatMap((before) => {
    const owner = owners.get(before.id);
    return owner ? [revise(engine, principal, before, owner)] : [];
  });
  if (mayRefuse) for (const revision of revisions) refuseUnfit(revision);
  const planned = revisions.flatMap((revision) => planRevision(engine, principal, revision) ?? []);
  const nobodyLeft = renamings.map((renaming) => ({ target: formerTarget(renaming) }));
  return {
    keys: planned.flatMap(({ plan }) => plan.keys),
    steps: [...planned.flatMap(({ plan }) => plan.steps), step(checkNamings, ORDER.verify, nobodyLeft, moved)],
    records: planned.map(({ record }) => record),
  };
};
