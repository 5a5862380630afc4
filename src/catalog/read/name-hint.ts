import type { Principal } from '../../access/principal.ts';
import type { MissingRecord } from '../../errors.ts';
import { withPositions } from '../../graph/statement.ts';
import { helpIfAvailable } from '../../http/hint.ts';
import { fqnPart, splitFqn } from '../../model/name.ts';
import { isUuid } from '../../model/uuid.ts';
import type { Engine } from '../engine.ts';
import { readReferences } from '../queries.ts';
import { requireKind } from '../registry.ts';
import { checkPermissions, VIEW_OPERATIONS } from './facts.ts';

/** Suggests the name that was probably meant by one that nothing has. */

/** A name with more parts is compared as it is only. */
const MAX_PARTS = 8;

const quoteParts = (parts: readonly string[]): string => parts.map(fqnPart).join('.');

/** The spellings of a name in which some consecutive parts are one name with dots in it, which has to be quoted. */
const joinParts = (parts: readonly string[]): string[] =>
  parts.flatMap((_, from) =>
    parts
      .slice(from + 1)
      .map((_part, more) => [
        ...parts.slice(0, from),
        parts.slice(from, from + more + 2).join('.'),
        ...parts.slice(from + more + 2),
      ])
      .map(quoteParts),
  );

/** Systems write names in one letter case and people in another; a service keeps the name that it was given. */
const changeCase = ([service = '', ...below]: readonly string[]): string[] =>
  [(text: string) => text.toLowerCase(), (text: string) => text.toUpperCase()].flatMap((change) => {
    const rest = below.map(change);
    return [quoteParts([change(service), ...rest]), quoteParts([service, ...rest])];
  });

/** What a request names may be no name at all. */
const isFullName = (text: string): boolean => {
  try {
    return splitFqn(text).length > 0;
  } catch {
    return false;
  }
};

/** Finds the first of the spellings that is the name of a record of these types which the caller may see. */
const findVisibleName = async (
  engine: Engine,
  principal: Principal,
  entityTypes: readonly string[],
  key: string,
): Promise<string | undefined> => {
  const parts = splitFqn(key);
  const candidates = [key, ...changeCase(parts), ...(parts.length > MAX_PARTS ? [] : joinParts(parts))];
  const spellings = [...new Set(candidates)];
  const rows = withPositions(spellings.flatMap((fqn) => entityTypes.map((entityType) => ({ entityType, fqn }))));
  const found = await engine.graph.read(readReferences, { rows });
  const nodes = found.flatMap(({ node }) => (node && !node.deleted ? [node] : []));
  if (nodes.length === 0) return undefined;
  const places = nodes.map(({ id, entityType }) => ({ entityType, entityId: id }));
  const isVisible = await checkPermissions(engine, principal, VIEW_OPERATIONS, places);
  return nodes.find((_, at) => isVisible[at])?.fullyQualifiedName;
};

/** Answers a hint that names a record which the caller may see, or undefined. */
export const findNameHint = async (
  engine: Engine,
  principal: Principal,
  missing: MissingRecord,
): Promise<string | undefined> => {
  if (isUuid(missing.key) || !isFullName(missing.key)) return undefined;
  const name = await helpIfAvailable(() => findVisibleName(engine, principal, [missing.entityType], missing.key));
  if (name === undefined) return undefined;
  // Somebody has named a record where its ID is asked.
  const { path } = requireKind(engine.registry, missing.entityType);
  return `Did you mean ${name === missing.key ? `/v1/${path}/name/${encodeURIComponent(name)}` : name}?`;
};

/** Answers a hint at the asset of any type that was probably meant by a scope, or undefined when the scope is one. */
export const findScopeHint = async (
  engine: Engine,
  principal: Principal,
  scope: string,
): Promise<string | undefined> => {
  if (!isFullName(scope)) return undefined;
  const entityTypes = engine.registry.kinds.map(({ entityType }) => entityType);
  const name = await helpIfAvailable(() => findVisibleName(engine, principal, entityTypes, scope));
  return name === undefined || name === scope ? undefined : `Did you mean ${name}?`;
};
