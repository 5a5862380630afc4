import { notAllowedMessage } from '../../access/authorization.ts';
import type { Principal } from '../../access/principal.ts';
import { CatalogError } from '../../errors.ts';
import type { Engine } from '../engine.ts';
import { checkPermissions, VIEW_OPERATIONS, withView } from '../read/facts.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { type DescendantKey, type DescendantScope, listDescendants } from './queries.ts';

/**
 * Authorization for the descendants that are deleted or restored together with a record. The caller must have the right
 * to change all of them, otherwise nothing changes: a request answers 403, and a row of a bulk request or a job fails
 * the same way.
 */

/**
 * An error message names at most `MAX_NAMED` refused records, chosen from the first `MAX_CHECKED` that the caller may
 * see.
 */
const MAX_NAMED = 5;
const MAX_CHECKED = 200;

const PAGE_SIZE = 5000;

export type DescendantPermission = {
  readonly root: Snapshot;
  readonly operation: 'Delete' | 'EditAll';
  /** The descendants that change together with the root. */
  readonly reach: DescendantScope;
  /** All these descendants, if they are few enough to have been read already. */
  readonly rows?: readonly DescendantKey[];
};

/** Returns the types for which the caller's right depends on the single record. */
const restrictedTypes = (engine: Engine, principal: Principal, operation: string): readonly string[] =>
  engine.registry.kinds
    .map(({ entityType }) => entityType)
    .filter((entityType) => engine.authorizer.filter(principal, withView([operation]), entityType) !== 'all');

/** Whether the decision depends on single descendants, so that they must be read. */
export const needsDescendantCheck = (
  engine: Engine,
  principal: Principal,
  operation: DescendantPermission['operation'],
): boolean => restrictedTypes(engine, principal, operation).length > 0;

async function* readDescendantPages(
  engine: Engine,
  request: DescendantPermission,
  types: readonly string[],
): AsyncGenerator<readonly DescendantKey[]> {
  const { root, reach, rows } = request;
  if (rows) return yield rows.filter(({ entityType }) => types.includes(entityType));
  for (let after = ''; ; ) {
    const page = await engine.graph.read(listDescendants, { id: root.id, types, reach, after, limit: PAGE_SIZE });
    yield page;
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return;
    after = last.id;
  }
}

type DeniedDescendants = { count: number; readonly first: DescendantKey[] };

const findDenied = async (
  engine: Engine,
  principal: Principal,
  request: DescendantPermission,
): Promise<DeniedDescendants> => {
  const refused: DeniedDescendants = { count: 0, first: [] };
  const types = restrictedTypes(engine, principal, request.operation);
  if (types.length === 0) return refused;
  for await (const page of readDescendantPages(engine, request, types)) {
    const found = page.map(({ id, entityType }) => ({ entityId: id, entityType }));
    const accepted = await checkPermissions(engine, principal, [request.operation], found);
    const denied = page.filter((_, at) => !accepted[at]);
    refused.count += denied.length;
    refused.first.push(...denied.slice(0, MAX_CHECKED - refused.first.length));
  }
  return refused;
};

/** Returns the names of some refused records, without those that the caller may not see. */
const readVisibleNames = async (
  engine: Engine,
  principal: Principal,
  rows: readonly DescendantKey[],
): Promise<string[]> => {
  const found = rows.map(({ id, entityType }) => ({ entityId: id, entityType }));
  const visible = await checkPermissions(engine, principal, VIEW_OPERATIONS, found);
  const shown = rows.filter((_, at) => visible[at]).slice(0, MAX_NAMED);
  const refs = await Promise.all(shown.map(({ id }) => engine.store.referenceById(id)));
  return refs.flatMap((ref) => (ref ? [`${ref.entityType} ${ref.fullyQualifiedName}`] : [])).sort();
};

/**
 * Throws forbidden unless the caller may change every record that changes with the root. The message counts the refused
 * records and names some.
 */
export const authorizeDescendants = async (
  engine: Engine,
  principal: Principal,
  request: DescendantPermission,
): Promise<void> => {
  const { count, first } = await findDenied(engine, principal, request);
  if (count === 0) return;
  const names = await readVisibleNames(engine, principal, first);
  const { kind, fullyQualifiedName } = request.root;
  const these = names.length === 0 ? '' : `: ${names.join(', ')}${count > names.length ? ', …' : ''}`;
  throw new CatalogError(
    'forbidden',
    `${notAllowedMessage(principal, [request.operation])} for ${count} of the descendants of ${kind.entityType} ${fullyQualifiedName}${these}`,
  );
};
