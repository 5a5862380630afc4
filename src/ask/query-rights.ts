import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { filterPermittedIds, VIEW_OPERATIONS } from '../catalog/read/facts.ts';
import { badRequest } from '../errors.ts';
import type { Kind } from '../model/kind/kind.ts';
import { listJudgedIds } from './queries.ts';
import type { QueryUse } from './translate/scope.ts';
import type { QueryRights } from './translate/visible-nodes.ts';
import { COLUMN_LABEL } from './view.ts';

/** Finds out which of the records that a query may meet the caller may see. */

export type JudgedRights = QueryRights & { readonly seen: readonly string[] };

/** Records whose own facts decide are judged before the query, so only so many can be met. */
const MAX_JUDGED = 50_000;

/** The kinds that a query may meet; columns are seen with the records that have them. */
const kindsOf = ({ registry }: Engine, { labels }: QueryUse): readonly Kind[] => {
  if (labels.has('*')) return registry.kinds;
  const hasColumns = labels.has(COLUMN_LABEL);
  return registry.kinds.filter(({ label, columnTrees }) => labels.has(label) || (hasColumns && columnTrees.length > 0));
};

const tooMany = () =>
  badRequest(
    `[query: it may meet more than ${MAX_JUDGED} assets that you may see or not each for itself; name labels of fewer in it]`,
  );

/** Judges the records that a query may meet, as far as their kind alone does not decide. */
export const judgeQuery = async (
  engine: Engine,
  principal: Principal,
  use: QueryUse,
  includesDeleted: boolean,
): Promise<JudgedRights> => {
  const operations = [...new Set([...VIEW_OPERATIONS, ...use.operations])];
  const hidden: string[] = [];
  const judged: string[] = [];
  const seen: string[] = [];
  let left = MAX_JUDGED;
  for (const { entityType, label } of kindsOf(engine, use)) {
    const filter = engine.authorizer.filter(principal, operations, entityType);
    if (filter === 'all') continue;
    if (filter === 'none') {
      hidden.push(label);
      continue;
    }
    const deletions = includesDeleted ? [false, true] : [false];
    const rows = await engine.graph.read(listJudgedIds, { entityType, deletions, limit: left + 1 });
    if (rows.length > left) throw tooMany();
    left -= rows.length;
    const ids = rows.map(({ id }) => id);
    judged.push(label);
    seen.push(...(await filterPermittedIds(engine, principal, operations, entityType, ids)));
  }
  return { hidden, judged, seen };
};
