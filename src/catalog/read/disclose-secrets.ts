import type { Principal } from '../../access/principal.ts';
import type { StoredAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Engine } from '../engine.ts';
import { filterPermittedIds } from './facts.ts';
import { type Snapshot, storedMembers } from './snapshot.ts';

/** The members of a kind that hold secrets, each with the operation that allows a caller to see it. */
const secretMembers = memoisePerKind((kind): readonly (readonly [name: string, operation: string])[] =>
  storedMembers(kind).flatMap(([name, attribute]) =>
    attribute.store === 'secret' ? [[name, (attribute as StoredAttribute).disclosedBy] as const] : [],
  ),
);

type DisclosureReader = Pick<Engine, 'authorizer' | 'facts'>;

/** Adds to each record of one kind the members that the caller may see unmasked. */
const discloseSecretsOfKind = async (
  reader: DisclosureReader,
  principal: Principal,
  records: readonly Snapshot[],
): Promise<ReadonlyMap<Snapshot, ReadonlySet<string>>> => {
  const disclosed = new Map(records.map((record) => [record, new Set<string>()]));
  const [first] = records;
  if (!first) return disclosed;
  for (const [name, operation] of secretMembers(first.kind)) {
    const holders = records.filter(({ values }) => values[name] !== undefined);
    // Rights are not asked about nothing: whoever signs up has none yet.
    if (holders.length === 0) continue;
    const ids = holders.map(({ id }) => id);
    const accepted = new Set(await filterPermittedIds(reader, principal, [operation], first.kind.entityType, ids));
    for (const record of holders) if (accepted.has(record.id)) disclosed.get(record)?.add(name);
  }
  return disclosed;
};

/** Discloses secrets in records of any kinds where the caller holds the operation that the secret needs. */
export const discloseAllSecrets = async (
  reader: DisclosureReader,
  principal: Principal,
  records: readonly Snapshot[],
): Promise<readonly Snapshot[]> => {
  const held = records.filter(({ kind }) => secretMembers(kind).length > 0);
  if (held.length === 0) return records;
  const kinds = [...new Set(held.map(({ kind }) => kind))];
  const found = await Promise.all(
    kinds.map((kind) =>
      discloseSecretsOfKind(
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

/** Discloses the secrets of one record that the caller may see. */
export const discloseSecrets = async (
  reader: DisclosureReader,
  principal: Principal,
  record: Snapshot,
): Promise<Snapshot> => (await discloseAllSecrets(reader, principal, [record]))[0] ?? record;

/** Whether a caller may see any secret of any record below a path, such as `/v1/services/databaseServices`. */
export const disclosesBelow =
  ({ authorizer, registry }: Pick<Engine, 'authorizer' | 'registry'>) =>
  (principal: Principal, path: string): boolean =>
    registry.kinds.some(
      (kind) =>
        `${path}/`.startsWith(`/v1/${kind.path}/`) &&
        secretMembers(kind).some(
          ([, operation]) => authorizer.filter(principal, [operation], kind.entityType) !== 'none',
        ),
    );
