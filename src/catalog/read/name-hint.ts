import type { Principal } from '../../access/principal.ts';
import { withPositions } from '../../graph/statement.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { fqnPart, splitFqn } from '../../model/name.ts';
import type { Engine } from '../engine.ts';
import { readReferences } from '../queries.ts';
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

/** Answers a hint that names a record which the caller may see, or undefined. */
export const findNameHint = async (
  engine: Engine,
  principal: Principal,
  { entityType }: Kind,
  fqn: string,
): Promise<string | undefined> => {
  const parts = splitFqn(fqn);
  const candidates = [...changeCase(parts), ...(parts.length > MAX_PARTS ? [] : joinParts(parts))];
  const rows = withPositions([...new Set(candidates)].map((candidate) => ({ entityType, fqn: candidate })));
  const found = await engine.graph.read(readReferences, { rows });
  const node = found.map((row) => row.node).find((one) => one && !one.deleted);
  if (!node) return undefined;
  const [isVisible] = await checkPermissions(engine, principal, VIEW_OPERATIONS, [{ entityType, entityId: node.id }]);
  return isVisible ? `Did you mean ${node.fullyQualifiedName}?` : undefined;
};
