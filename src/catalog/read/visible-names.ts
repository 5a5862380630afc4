import type { Principal } from '../../access/principal.ts';
import { type Kind, resolveFqnText } from '../../model/kind/kind.ts';
import { parseRecordType } from '../../model/kind/record-type.ts';
import type { Engine } from '../engine.ts';
import type { TargetNode } from '../queries.ts';
import { checkPermissions, VIEW_OPERATIONS } from './facts.ts';

type NameVisibilityReader = Pick<Engine, 'authorizer' | 'facts' | 'store' | 'registry'>;

type NamedTarget = { readonly entityType: string | undefined; readonly fqn: string };

const findNamed = async ({ store }: NameVisibilityReader, kind: Kind, fqn: string): Promise<TargetNode | undefined> => {
  try {
    return await store.reference(kind, resolveFqnText(kind, fqn));
  } catch {
    // A text that is not a valid name of the kind matches no record.
    return undefined;
  }
};

const isTargetVisible = async (
  reader: NameVisibilityReader,
  principal: Principal,
  { entityType, fqn }: NamedTarget,
): Promise<boolean> => {
  const { authorizer, registry } = reader;
  const type = parseRecordType(entityType ?? '');
  const filter = type === undefined ? undefined : authorizer.filter(principal, VIEW_OPERATIONS, type);
  if (typeof filter === 'string') return filter === 'all';
  const kind = type === undefined ? undefined : registry.byType.get(type);
  const kinds = entityType === undefined ? registry.kinds : kind ? [kind] : [];
  const found = (await Promise.all(kinds.map((one) => findNamed(reader, one, fqn)))).filter(
    (node) => node !== undefined,
  );
  const sees = await checkPermissions(
    reader,
    principal,
    VIEW_OPERATIONS,
    found.map((node) => ({ entityType: node.entityType, entityId: node.id })),
  );
  return found.length > 0 && sees.every(Boolean);
};

/**
 * Checks which names the caller may see. A name without a type is visible when every record of that name is; a record
 * that does not exist counts as hidden unless the caller sees its whole type.
 */
export const areNamesVisible = (
  reader: NameVisibilityReader,
  principal: Principal,
  targets: readonly NamedTarget[],
): Promise<readonly boolean[]> => Promise.all(targets.map((target) => isTargetVisible(reader, principal, target)));
