import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { checkPermissions, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';

/** Answers the ids of those records that the caller may see. */
export const readVisibleIds = async (
  engine: Engine,
  principal: Principal,
  refs: readonly RefNode[],
): Promise<ReadonlySet<string>> => {
  const records = refs.map(({ id, entityType }) => ({ entityId: id, entityType }));
  const seen = await checkPermissions(engine, principal, VIEW_OPERATIONS, records);
  return new Set(refs.flatMap(({ id }, at) => (seen[at] ? [id] : [])));
};
