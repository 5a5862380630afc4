import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import { canSeeEverything } from '../../../catalog/read/facts.ts';
import { withPositions } from '../../../graph/statement.ts';
import type { LevelKind } from '../../../model/schemas/lineage/lineage-scene.ts';
import type { SceneNode } from './build-scene.ts';
import { assetTypesBelow, isHolder, levelOf } from './levels.ts';
import { countAssetsInDomains, countAssetsInProducts, countAssetsInScopes } from './queries.ts';

/** Counts what is in the services, databases, schemas, domains and data products of a scene. */

type LevelCounts = ReadonlyMap<LevelKind, number>;

/** No type is counted any further in one of them. */
const MOST_COUNTED = 100_000;

type AssetCount = { readonly id: string; readonly entityType: string; readonly count: number };

const countBelowNames = async (
  { graph, registry }: Engine,
  nodes: readonly SceneNode[],
  includeDeleted: boolean,
): Promise<readonly AssetCount[]> => {
  const asked = nodes.flatMap(({ ref }) =>
    assetTypesBelow(registry, ref).map((entityType) => ({
      id: ref.node.id,
      entityType,
      scope: ref.node.fullyQualifiedName,
    })),
  );
  if (asked.length === 0) return [];
  const rows = withPositions(asked.map(({ entityType, scope }) => ({ entityType, scope })));
  const found = await graph.read(countAssetsInScopes, { rows, includeDeleted, limit: MOST_COUNTED });
  return found.flatMap(({ at, count }) => {
    const row = asked[at];
    return row ? [{ id: row.id, entityType: row.entityType, count }] : [];
  });
};

const countMembers = async (
  { graph, registry }: Engine,
  statement: typeof countAssetsInDomains,
  nodes: readonly SceneNode[],
  includeDeleted: boolean,
): Promise<readonly AssetCount[]> => {
  if (nodes.length === 0) return [];
  const ids = nodes.map(({ ref }) => ref.node.id);
  return graph.read(statement, {
    ids,
    entityTypes: assetTypesBelow(registry),
    includeDeleted,
    limit: MOST_COUNTED,
  });
};

/** Counts the assets that nodes stand for, by ID; nothing for callers who may not see all of them. */
export const countHeldAssets = async (
  engine: Engine,
  principal: Principal,
  nodes: readonly SceneNode[],
  includeDeleted: boolean,
): Promise<ReadonlyMap<string, LevelCounts>> => {
  if (!canSeeEverything(engine, principal)) return new Map();
  const holders = nodes.filter(({ ref }) => isHolder(ref.level));
  const at = (...levels: LevelKind[]) => holders.filter(({ ref }) => levels.includes(ref.level));
  const found = await Promise.all([
    countBelowNames(engine, at('service', 'database', 'schema'), includeDeleted),
    countMembers(engine, countAssetsInDomains, at('domain'), includeDeleted),
    countMembers(engine, countAssetsInProducts, at('dataProduct'), includeDeleted),
  ]);
  const counts = new Map<string, Map<LevelKind, number>>();
  for (const { id, entityType, count } of found.flat()) {
    const own = counts.get(id) ?? new Map<LevelKind, number>();
    if (count > 0) own.set(levelOf(engine.registry, { entityType }), count);
    counts.set(id, own);
  }
  return counts;
};
