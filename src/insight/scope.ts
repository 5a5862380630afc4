import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { readReferences } from '../catalog/queries.ts';
import { findScopeHint } from '../catalog/read/name-hint.ts';
import { CatalogError } from '../errors.ts';
import { withPositions } from '../graph/statement.ts';
import { readNodeVisibility } from '../lineage/node-visibility.ts';
import { isFqnWithin } from '../model/name.ts';

/** A part of the catalog: everything that has this full name or lies below it. The empty name is the whole catalog. */
export type Scope = { readonly fqn: string };

/** Whether a name is that of a scope or lies below it. */
export const isInScope = ({ fqn }: Scope, name: string): boolean => fqn === '' || isFqnWithin(name, fqn);

/**
 * Finds what a scope names; records of several kinds may share a full name. Throws not_found when the caller sees none.
 * Deleted records are found only when `alsoDeleted` is true.
 */
export const requireScope = async (
  engine: Engine,
  principal: Principal,
  fqn: string,
  alsoDeleted = false,
): Promise<Scope> => {
  if (fqn === '') return { fqn };
  const names = engine.registry.kinds.map(({ entityType }) => ({ entityType, fqn }));
  const found = await engine.graph.read(readReferences, { rows: withPositions(names) });
  const nodes = found.flatMap(({ node }) => (node && (alsoDeleted || !node.deleted) ? [node] : []));
  const sees = await readNodeVisibility(engine, principal, nodes);
  if (nodes.some(({ id }) => sees(id))) return { fqn };
  const hint = await findScopeHint(engine, principal, fqn);
  throw new CatalogError('not_found', `entity instance for ${fqn} not found`, { hint });
};
