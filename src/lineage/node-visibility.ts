import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { canSeeEverything, checkPermissions, VIEW_OPERATIONS } from '../catalog/read/facts.ts';

/** Whether the caller may see the record with this ID. */
export type NodeVisibility = (id: string) => boolean;

/** Determines which of some records the principal may see; a principal who may see all records needs no query. */
export const readNodeVisibility = async (
  engine: Engine,
  principal: Principal,
  nodes: readonly Pick<RefNode, 'id' | 'entityType'>[],
): Promise<NodeVisibility> => {
  if (canSeeEverything(engine, principal)) return () => true;
  const distinct = [...new Map(nodes.map((node) => [node.id, node])).values()];
  const seen = await checkPermissions(
    engine,
    principal,
    VIEW_OPERATIONS,
    distinct.map(({ id, entityType }) => ({ entityId: id, entityType })),
  );
  const ids = new Set(distinct.flatMap(({ id }, at) => (seen[at] ? [id] : [])));
  return (id) => ids.has(id);
};

/** Reads the records with some IDs that the principal may see, each once. */
export const readVisibleReferences = async (
  engine: Engine,
  principal: Principal,
  ids: readonly (string | null | undefined)[],
): Promise<readonly RefNode[]> => {
  const distinct = [...new Set(ids.flatMap((id) => id ?? []))];
  const found = (await Promise.all(distinct.map((id) => engine.store.referenceById(id)))).flatMap((node) => node ?? []);
  const sees = await readNodeVisibility(engine, principal, found);
  return found.filter(({ id }) => sees(id));
};

/** Types of which the principal may see no record, and types whose records must be judged one by one. */
export type TypeVisibility = { readonly hiddenTypes: readonly string[]; readonly judgedTypes: readonly string[] };

export const typeVisibilityOf = ({ authorizer, registry }: Engine, principal: Principal): TypeVisibility => {
  const rights = registry.kinds.map(({ entityType }) => ({
    entityType,
    filter: authorizer.filter(principal, VIEW_OPERATIONS, entityType),
  }));
  return {
    hiddenTypes: rights.flatMap(({ entityType, filter }) => (filter === 'none' ? [entityType] : [])),
    judgedTypes: rights.flatMap(({ entityType, filter }) => (typeof filter === 'string' ? [] : [entityType])),
  };
};
