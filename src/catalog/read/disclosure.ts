import type { Principal } from '../../access/principal.ts';
import type { StoredAttribute } from '../../model/attribute.ts';
import { perKind } from '../../model/kind.ts';
import type { Engine } from '../engine.ts';
import { acceptedIds } from './facts.ts';
import { type Snapshot, storedMembers } from './snapshot.ts';

/** The members of a kind that hold secrets, and the operation that lets a caller see each of them. */
const secretMembers = perKind((kind): readonly (readonly [name: string, operation: string])[] =>
  storedMembers(kind).flatMap(([name, attribute]) =>
    attribute.store === 'secret' ? [[name, (attribute as StoredAttribute).disclosedBy] as const] : [],
  ),
);

type Reader = Pick<Engine, 'judge' | 'facts'>;

/** Records of one kind, each with the members that the caller may see unmasked. */
const discloseKind = async (
  reader: Reader,
  principal: Principal,
  records: readonly Snapshot[],
): Promise<ReadonlyMap<Snapshot, ReadonlySet<string>>> => {
  const disclosed = new Map(records.map((record) => [record, new Set<string>()]));
  const [first] = records;
  if (!first) return disclosed;
  for (const [name, operation] of secretMembers(first.kind)) {
    const holders = records.filter(({ values }) => values[name] !== undefined);
    const ids = holders.map(({ id }) => id);
    const accepted = new Set(await acceptedIds(reader, principal, [operation], first.kind.entityType, ids));
    for (const record of holders) if (accepted.has(record.id)) disclosed.get(record)?.add(name);
  }
  return disclosed;
};

/** Records of any kinds with their secrets disclosed as far as the caller holds the operation that each secret needs. */
export const discloseAll = async (
  reader: Reader,
  principal: Principal,
  records: readonly Snapshot[],
): Promise<readonly Snapshot[]> => {
  const held = records.filter(({ kind }) => secretMembers(kind).length > 0);
  if (held.length === 0) return records;
  const kinds = [...new Set(held.map(({ kind }) => kind))];
  const found = await Promise.all(
    kinds.map((kind) =>
      discloseKind(
        reader,
        principal,
        held.filter((record) => record.kind === kind),
      ),
    ),
  );
  const disclosed = new Map(found.flatMap((some) => [...some]));
  return records.map((record) => {
    const names = disclosed.get(record);
    return names !== undefined && names.size > 0 ? { ...record, disclosed: names } : record;
  });
};

/** One record with its secrets disclosed as far as the caller may see them. */
export const disclose = async (reader: Reader, principal: Principal, record: Snapshot): Promise<Snapshot> =>
  (await discloseAll(reader, principal, [record]))[0] ?? record;

/** Whether a caller may see any secret of any record below a path, such as `/v1/services/databaseServices`. */
export const disclosesBelow =
  ({ judge, registry }: Pick<Engine, 'judge' | 'registry'>) =>
  (principal: Principal, path: string): boolean =>
    registry.kinds.some(
      (kind) =>
        `${path}/`.startsWith(`/v1/${kind.path}/`) &&
        secretMembers(kind).some(([, operation]) => judge.filter(principal, [operation], kind.entityType) !== 'none'),
    );
