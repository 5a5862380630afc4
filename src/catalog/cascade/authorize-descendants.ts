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

/** An error message names at most so many refused records. */
const MAX_NAMED = 5;

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

/** The refused descendants that the caller sees. Nothing is told of the others, and neither is their number. */
type DeniedDescendants = { isAny: boolean; visible: number; readonly first: DescendantKey[] };

const toTypedIds = (rows: readonly DescendantKey[]) => rows.map(({ id, entityType }) => ({ entityId: id, entityType }));

const findDenied = async (
  engine: Engine,
  principal: Principal,
  request: DescendantPermission,
): Promise<DeniedDescendants> => {
  const refused: DeniedDescendants = { isAny: false, visible: 0, first: [] };
  const types = restrictedTypes(engine, principal, request.operation);
  if (types.length === 0) return refused;
  for await (const page of readDescendantPages(engine, request, types)) {
    const accepted = await checkPermissions(engine, principal, [request.operation], toTypedIds(page));
    const denied = page.filter((_, at) => !accepted[at]);
    if (denied.length === 0) continue;
    const seen = await checkPermissions(engine, principal, VIEW_OPERATIONS, toTypedIds(denied));
    const visible = denied.filter((_, at) => seen[at]);
    refused.isAny = true;
    refused.visible += visible.length;
    refused.first.push(...visible.slice(0, MAX_NAMED - refused.first.length));
  }
  return refused;
};

const readNames = async (engine: Engine, rows: readonly DescendantKey[]): Promise<string[]> => {
  const refs = await Promise.all(rows.map(({ id }) => engine.store.referenceById(id)));
  return refs.flatMap((ref) => (ref ? [`${ref.entityType} ${ref.fullyQualifiedName}`] : [])).sort();
};

/**
 * Throws forbidden unless the caller may change every record that changes with the root. The message counts the refused
 * records that the caller sees, and names some.
 */
export const authorizeDescendants = async (
  engine: Engine,
  principal: Principal,
  request: DescendantPermission,
): Promise<void> => {
  const { isAny, visible, first } = await findDenied(engine, principal, request);
  if (!isAny) return;
  const names = await readNames(engine, first);
  const { kind, fullyQualifiedName } = request.root;
  const number = visible === 0 ? '' : `${visible} of the `;
  const these = names.length === 0 ? '' : `: ${names.join(', ')}${visible > names.length ? ', …' : ''}`;
  throw new CatalogError(
    'forbidden',
    `${notAllowedMessage(principal, [request.operation])} for ${number}descendants of ${kind.entityType} ${fullyQualifiedName}${these}`,
  );
};
