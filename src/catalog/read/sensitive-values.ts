import type { Principal } from '../../access/principal.ts';
import { groupBy } from '../../model/group-by.ts';
import type { Json } from '../../model/json.ts';
import type { StoredAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { byNameOnly } from '../../model/schemas/access/policy.ts';
import type { Engine } from '../engine.ts';
import { createColumnFinder, type PlacedColumn } from './column-paths.ts';
import type { ColumnNode } from './column-tree.ts';
import { type ComputedParts, computedPartMembers } from './computed-parts.ts';
import { discloseAllSecrets } from './disclose-secrets.ts';
import { checkPermissions } from './facts.ts';
import { ADOPTED, type AppointedOwner, listOwners, listTaggedColumns } from './facts-queries.ts';
import { filterNearest, type Snapshot, storedMembers } from './snapshot.ts';
import { applyVisibleCounts } from './visible-counts.ts';

/**
 * Redacts sampled and measured values of columns with personal data. Their readers are the owners whom somebody else
 * appointed, administrators, and callers with the right to write profiles; a bot sees only what its policies allow.
 */

const SENSITIVE_TAG = 'PII.Sensitive';

const columnRedactionMembers = memoisePerKind((kind) =>
  storedMembers(kind).flatMap(([name, attribute]) => {
    const { columnRedaction } = attribute as StoredAttribute;
    return columnRedaction ? [[name, columnRedaction] as const] : [];
  }),
);

type SensitiveValueReader = Pick<Engine, 'graph' | 'facts' | 'authorizer'>;

const hasSensitiveMembers = ({ kind, values, computed }: Snapshot): boolean =>
  columnRedactionMembers(kind).some(([name]) => values[name] !== undefined) ||
  computedPartMembers(kind).some(([name, { redactPart }]) => redactPart !== undefined && computed[name] !== undefined);

/**
 * The right to measure must be granted by its own name, as the policy of the built-in profiler bot does. The plain name
 * is checked too, because a denial of `EditAll` denies it.
 */
const MEASURE_OPERATIONS: readonly string[] = ['EditDataProfile', byNameOnly('EditDataProfile')];

type TypedRecord = Pick<Snapshot, 'id' | 'kind'>;

/** Returns the ids of the records that the caller may not measure. */
const filterNotMeasurable = async (
  reader: SensitiveValueReader,
  principal: Principal,
  records: readonly TypedRecord[],
): Promise<string[]> => {
  const found = records.map(({ id, kind }) => ({ entityId: id, entityType: kind.entityType }));
  const measures = await checkPermissions(reader, principal, MEASURE_OPERATIONS, found);
  return records.filter((_, at) => !measures[at]).map(({ id }) => id);
};

/** Whether somebody else appointed the owner. Who takes what has no owner is shown nothing for it. */
const isAppointed = ({ appointedBy }: AppointedOwner, { name }: Principal): boolean =>
  appointedBy === null || (appointedBy !== ADOPTED && appointedBy !== name);

/** Returns the records of which neither the caller nor one of the caller's teams is an appointed owner. */
const filterNotOwned = async (
  { graph }: SensitiveValueReader,
  principal: Principal,
  ids: readonly string[],
): Promise<readonly string[]> => {
  const mine = new Set([principal.id, ...(principal.membership?.teamIds ?? [])]);
  const owners = groupBy(await graph.read(listOwners, { ids }), ({ id }) => id);
  const isOwned = (id: string) =>
    filterNearest(owners.get(id) ?? []).some((one) => mine.has(one.owner) && isAppointed(one, principal));
  return ids.filter((id) => !isOwned(id));
};

/**
 * Returns the keys of the columns whose values the caller may not see, by record; records without such columns are left
 * out.
 */
export const findRedactedColumns = async (
  reader: SensitiveValueReader,
  principal: Principal,
  records: readonly TypedRecord[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const found = new Map<string, Set<string>>();
  if (principal.isAdmin || records.length === 0) return found;
  const ids = records.map(({ id }) => id);
  for (const { id, key } of await reader.graph.read(listTaggedColumns, { ids, tag: SENSITIVE_TAG })) {
    const keys = found.get(id);
    if (keys) keys.add(key);
    else found.set(id, new Set([key]));
  }
  if (found.size === 0) return found;
  const unmeasured = await filterNotMeasurable(
    reader,
    principal,
    records.filter(({ id }) => found.has(id)),
  );
  const left = new Set(await filterNotOwned(reader, principal, unmeasured));
  return new Map([...found].filter(([id]) => left.has(id)));
};

const containsColumn = ({ key, children }: ColumnNode, keys: ReadonlySet<string>): boolean =>
  keys.has(key) || children.some((child) => containsColumn(child, keys));

/** Whether a column or one of its ancestors is redacted: nested columns are part of the values. */
export const isColumnRedacted = ({ node, above }: PlacedColumn, keys: ReadonlySet<string>): boolean =>
  keys.has(node.key) || above.some(({ key }) => keys.has(key));

/** Creates the check, by column name, whether the values of a column or of one nested in it are redacted. */
const createColumnCheck = (
  { kind, columns }: Pick<Snapshot, 'kind' | 'columns'>,
  keys: ReadonlySet<string>,
): ((name: string) => boolean) => {
  const { named } = createColumnFinder(kind, columns);
  return (name) => {
    const column = named(name);
    return column !== undefined && (isColumnRedacted(column, keys) || containsColumn(column.node, keys));
  };
};

const redactMemberValues = (record: Snapshot, keys: ReadonlySet<string>): Snapshot['values'] => {
  const members = columnRedactionMembers(record.kind).filter(([name]) => record.values[name] !== undefined);
  if (members.length === 0) return record.values;
  const isHidden = createColumnCheck(record, keys);
  const hidden = members.map(([name, { redact }]) => [name, redact(record.values[name] ?? null, isHidden)] as const);
  return { ...record.values, ...Object.fromEntries(hidden) };
};

const redactComputed = ({ kind, columns, computed }: Snapshot, keys: ReadonlySet<string>): Snapshot['computed'] => {
  const { byKey } = createColumnFinder(kind, columns);
  const hidden = computedPartMembers(kind).flatMap(([name, { redactPart }]) => {
    const parts = computed[name] as unknown as ComputedParts | undefined;
    if (!parts || !redactPart) return [];
    const shown = Object.entries(parts.columns).map(([key, part]) => {
      const column = byKey.get(key);
      return [key, column && !isColumnRedacted(column, keys) ? part : redactPart(part)] as const;
    });
    return [[name, { ...parts, columns: Object.fromEntries(shown) } as unknown as Json] as const];
  });
  return { ...computed, ...Object.fromEntries(hidden) };
};

/** Redacts records for a caller. */
export const redactRecords = async (
  reader: SensitiveValueReader,
  principal: Principal,
  read: readonly Snapshot[],
): Promise<readonly Snapshot[]> => {
  const records = await discloseAllSecrets(reader, principal, await applyVisibleCounts(reader, principal, read));
  if (principal.isAdmin) return records;
  const held = records.filter(hasSensitiveMembers);
  if (held.length === 0) return records;
  const redactedColumns = await findRedactedColumns(reader, principal, held);
  if (redactedColumns.size === 0) return records;
  return records.map((record) => {
    const keys = redactedColumns.get(record.id);
    return keys
      ? { ...record, values: redactMemberValues(record, keys), computed: redactComputed(record, keys) }
      : record;
  });
};

/** Redacts one record for a caller. */
export const redactRecord = async (
  reader: SensitiveValueReader,
  principal: Principal,
  record: Snapshot,
): Promise<Snapshot> => (await redactRecords(reader, principal, [record]))[0] ?? record;

/** Restores redacted parts of values that a caller sends back after reading them as `seen`. */
export const restoreRedacted = async (
  reader: SensitiveValueReader,
  principal: Principal,
  { kind, stored, seen }: { readonly kind: Kind; readonly stored: Snapshot; readonly seen: Snapshot },
  given: Readonly<Record<string, Json>>,
): Promise<Readonly<Record<string, Json>>> => {
  if (stored === seen || columnRedactionMembers(kind).length === 0) return given;
  const keys = (await findRedactedColumns(reader, principal, [stored])).get(stored.id) ?? new Set<string>();
  const isHidden = createColumnCheck(stored, keys);
  const kept = columnRedactionMembers(kind).flatMap(([name, { restoreRedacted }]) => {
    const [value, former] = [given[name], stored.values[name]];
    return value === undefined || former === undefined
      ? []
      : [[name, restoreRedacted(value, former, isHidden)] as const];
  });
  return { ...given, ...Object.fromEntries(kept) };
};
