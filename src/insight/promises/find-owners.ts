import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';

/** Finds which of some assets have an owner, their own or inherited, among those that the caller may see. */
export const findOwned = async (
  engine: Engine,
  principal: Principal,
  ids: readonly string[],
): Promise<ReadonlySet<string>> => {
  const facts = await engine.facts.readMany(ids, new Set(['owners']));
  const owners = [...facts.values()].flatMap(({ ownerIds, owningTeamIds }) =>
    ownerIds.map((id) => ({ id, entityType: owningTeamIds.includes(id) ? 'team' : 'user' })),
  );
  const sees = await readNodeVisibility(engine, principal, owners);
  return new Set([...facts].flatMap(([id, { ownerIds }]) => (ownerIds.some(sees) ? [id] : [])));
};
