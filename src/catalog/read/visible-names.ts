import type { Principal } from '../../access/principal.ts';
import { type Kind, lookupFqn } from '../../model/kind.ts';
import { recordType } from '../../model/record-type.ts';
import type { Engine } from '../engine.ts';
import type { TargetNode } from '../queries.ts';
import { permitted, VIEW } from './facts.ts';

type Reader = Pick<Engine, 'judge' | 'facts' | 'store' | 'registry'>;

type Target = { readonly entityType: string | undefined; readonly fqn: string };

const findNamed = async ({ store }: Reader, kind: Kind, fqn: string): Promise<TargetNode | undefined> => {
  try {
    return await store.reference(kind, lookupFqn(kind, fqn));
  } catch {
    // A text that is no name of such a record names none.
    return undefined;
  }
};

const seesOne = async (reader: Reader, principal: Principal, { entityType, fqn }: Target): Promise<boolean> => {
  const { judge, registry } = reader;
  const type = recordType(entityType ?? '');
  const filter = type === undefined ? undefined : judge.filter(principal, VIEW, type);
  if (typeof filter === 'string') return filter === 'all';
  const kind = type === undefined ? undefined : registry.byType.get(type);
  const kinds = entityType === undefined ? registry.kinds : kind ? [kind] : [];
  const found = (await Promise.all(kinds.map((one) => findNamed(reader, one, fqn)))).filter(
    (node) => node !== undefined,
  );
  const sees = await permitted(
    reader,
    principal,
    VIEW,
    found.map((node) => ({ entityType: node.entityType, entityId: node.id })),
  );
  return found.length > 0 && sees.every(Boolean);
};

/**
 * Which records of some names the caller may see. Of a name without a type every record must be visible that has it, and a
 * record that is gone counts as hidden unless the caller sees all of its type.
 */
export const seesNamed = (
  reader: Reader,
  principal: Principal,
  targets: readonly Target[],
): Promise<readonly boolean[]> => Promise.all(targets.map((target) => seesOne(reader, principal, target)));
