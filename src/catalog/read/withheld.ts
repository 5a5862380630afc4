import type { Principal } from '../../access/principal.ts';
import type { StoredAttribute } from '../../model/attribute.ts';
import type { Json } from '../../model/json.ts';
import { type Kind, perKind } from '../../model/kind.ts';
import { byName } from '../../model/policy-values.ts';
import type { Engine } from '../engine.ts';
import { columnFinder, type PlacedColumn } from './column-paths.ts';
import type { ColumnNode } from './column-tree.ts';
import { discloseAll } from './disclosure.ts';
import { permitted } from './facts.ts';
import { listTaggedColumns } from './facts-queries.ts';
import { type Parts, partAttributes } from './parts.ts';
import { type Snapshot, storedMembers } from './snapshot.ts';
import { countVisible } from './visible-counts.ts';

/**
 * Values of columns with personal data are not for everybody who may see what was sampled or measured of the record: they
 * are for its owners, for administrators and for whoever measures: a bot is shown no more than its policies let it see.
 */

const SENSITIVE = 'PII.Sensitive';

const withholdingMembers = perKind((kind) =>
  storedMembers(kind).flatMap(([name, attribute]) => {
    const { withholding } = attribute as StoredAttribute;
    return withholding ? [[name, withholding] as const] : [];
  }),
);

type Reader = Pick<Engine, 'graph' | 'facts' | 'judge'>;

const holdsAny = ({ kind, values, beside }: Snapshot): boolean =>
  withholdingMembers(kind).some(([name]) => values[name] !== undefined) ||
  partAttributes(kind).some(([name, { withhold }]) => withhold !== undefined && beside[name] !== undefined);

const OWNERS = new Set(['owners'] as const);

/**
 * The right to measure must be given by its name, as the policy of the built-in profiler bot gives it. The plain name is
 * asked for too, because a denial of `EditAll` denies it.
 */
const MEASURE: readonly string[] = ['EditDataProfile', byName('EditDataProfile')];

type Held = Pick<Snapshot, 'id' | 'kind'>;

/** The ids of the records that the caller may not measure. */
const notMeasured = async (reader: Reader, principal: Principal, records: readonly Held[]): Promise<string[]> => {
  const found = records.map(({ id, kind }) => ({ entityId: id, entityType: kind.entityType }));
  const measures = await permitted(reader, principal, MEASURE, found);
  return records.filter((_, at) => !measures[at]).map(({ id }) => id);
};

/** The records that the caller does not own, be it by a team. */
const notOwned = async (reader: Reader, principal: Principal, ids: readonly string[]): Promise<readonly string[]> => {
  const facts = await reader.facts.many(ids, OWNERS);
  const mine = new Set([principal.id, ...(principal.membership?.teamIds ?? [])]);
  return ids.filter((id) => !facts.get(id)?.ownerIds.some((owner) => mine.has(owner)));
};

/** The keys of the columns whose values a caller may not see, by record; records of which all may be seen are left out. */
export const withheldColumns = async (
  reader: Reader,
  principal: Principal,
  records: readonly Held[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const found = new Map<string, Set<string>>();
  if (principal.isAdmin || records.length === 0) return found;
  const ids = records.map(({ id }) => id);
  for (const { id, key } of await reader.graph.read(listTaggedColumns, { ids, tag: SENSITIVE })) {
    const keys = found.get(id);
    if (keys) keys.add(key);
    else found.set(id, new Set([key]));
  }
  if (found.size === 0) return found;
  const unmeasured = await notMeasured(
    reader,
    principal,
    records.filter(({ id }) => found.has(id)),
  );
  const left = new Set(await notOwned(reader, principal, unmeasured));
  return new Map([...found].filter(([id]) => left.has(id)));
};

const holds = ({ key, children }: ColumnNode, keys: ReadonlySet<string>): boolean =>
  keys.has(key) || children.some((child) => holds(child, keys));

/** What lies in such a column is a part of its values. */
export const isWithheld = ({ node, above }: PlacedColumn, keys: ReadonlySet<string>): boolean =>
  keys.has(node.key) || above.some(({ key }) => keys.has(key));

/** Whether the values of a column, or of one that lies in it, are withheld; by its name. */
const hiderOf = (
  { kind, columns }: Pick<Snapshot, 'kind' | 'columns'>,
  keys: ReadonlySet<string>,
): ((name: string) => boolean) => {
  const { named } = columnFinder(kind, columns);
  return (name) => {
    const column = named(name);
    return column !== undefined && (isWithheld(column, keys) || holds(column.node, keys));
  };
};

const hideValues = (record: Snapshot, keys: ReadonlySet<string>): Snapshot['values'] => {
  const members = withholdingMembers(record.kind).filter(([name]) => record.values[name] !== undefined);
  if (members.length === 0) return record.values;
  const isHidden = hiderOf(record, keys);
  const hidden = members.map(([name, { hide }]) => [name, hide(record.values[name] ?? null, isHidden)] as const);
  return { ...record.values, ...Object.fromEntries(hidden) };
};

const hideBeside = ({ kind, columns, beside }: Snapshot, keys: ReadonlySet<string>): Snapshot['beside'] => {
  const { byKey } = columnFinder(kind, columns);
  const hidden = partAttributes(kind).flatMap(([name, { withhold }]) => {
    const parts = beside[name] as unknown as Parts | undefined;
    if (!parts || !withhold) return [];
    const shown = Object.entries(parts.columns).map(([key, part]) => {
      const column = byKey.get(key);
      return [key, column && !isWithheld(column, keys) ? part : withhold(part)] as const;
    });
    return [[name, { ...parts, columns: Object.fromEntries(shown) } as unknown as Json] as const];
  });
  return { ...beside, ...Object.fromEntries(hidden) };
};

/** Records as a caller may see them. */
export const withholdAll = async (
  reader: Reader,
  principal: Principal,
  read: readonly Snapshot[],
): Promise<readonly Snapshot[]> => {
  const records = await discloseAll(reader, principal, await countVisible(reader, principal, read));
  if (principal.isAdmin) return records;
  const held = records.filter(holdsAny);
  if (held.length === 0) return records;
  const withheld = await withheldColumns(reader, principal, held);
  if (withheld.size === 0) return records;
  return records.map((record) => {
    const keys = withheld.get(record.id);
    return keys ? { ...record, values: hideValues(record, keys), beside: hideBeside(record, keys) } : record;
  });
};

/** A record as a caller may see it. */
export const withhold = async (reader: Reader, principal: Principal, record: Snapshot): Promise<Snapshot> =>
  (await withholdAll(reader, principal, [record]))[0] ?? record;

/** What is meant by values that a caller sends back after seeing them as `seen`: what was withheld of them stays. */
export const keepWithheld = async (
  reader: Reader,
  principal: Principal,
  { kind, stored, seen }: { readonly kind: Kind; readonly stored: Snapshot; readonly seen: Snapshot },
  given: Readonly<Record<string, Json>>,
): Promise<Readonly<Record<string, Json>>> => {
  if (stored === seen || withholdingMembers(kind).length === 0) return given;
  const keys = (await withheldColumns(reader, principal, [stored])).get(stored.id) ?? new Set<string>();
  const isHidden = hiderOf(stored, keys);
  const kept = withholdingMembers(kind).flatMap(([name, { keep }]) => {
    const [value, former] = [given[name], stored.values[name]];
    return value === undefined || former === undefined ? [] : [[name, keep(value, former, isHidden)] as const];
  });
  return { ...given, ...Object.fromEntries(kept) };
};
