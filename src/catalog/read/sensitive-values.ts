import type { Principal } from '../../access/principal.ts';
import { groupBy } from '../../model/group-by.ts';
import { equalJson, type Json, type JsonObject } from '../../model/json.ts';
import type { StoredAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { ValueRedaction } from '../../model/kind/value-redaction.ts';
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

/**
 * Columns by key, with the moment until which their values are withheld: without end while they are labelled, and else
 * the time of the last profile that was stored while they were.
 */
export type WithheldColumns = ReadonlyMap<string, number>;

/** The moment for values that do not say when they were measured, such as a sample: only a present label hides them. */
const NO_MOMENT = Number.POSITIVE_INFINITY;

const NO_COLUMNS: WithheldColumns = new Map();

/** Finds the columns with sensitive values, by record; records without such columns are left out. */
export const findSensitiveColumns = async (
  { graph }: Pick<Engine, 'graph'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WithheldColumns>> => {
  const rows = groupBy(await graph.read(listTaggedColumns, { ids, tag: SENSITIVE_TAG }), ({ id }) => id);
  return new Map(
    [...rows].map(([id, columns]) => [
      id,
      new Map(columns.map(({ key, isTagged, until }) => [key, isTagged ? NO_MOMENT : Number(until)])),
    ]),
  );
};

type HeldRecord = TypedRecord & { readonly values?: Snapshot['values'] };

/** The columns whose data was sensitive when a value was stored, as the value names them. */
const maskedColumns = ({ masks }: ValueRedaction, values: Snapshot['values']): readonly string[] =>
  (values[masks] ?? []) as readonly string[];

const hasMaskedColumns = ({ kind, values = {} }: HeldRecord): boolean =>
  columnRedactionMembers(kind).some(([, redaction]) => maskedColumns(redaction, values).length > 0);

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

/** Returns the columns whose values the caller may not see, by record; records without such columns are left out. */
export const findRedactedColumns = async (
  reader: SensitiveValueReader,
  principal: Principal,
  records: readonly HeldRecord[],
): Promise<ReadonlyMap<string, WithheldColumns>> => {
  if (principal.isAdmin || records.length === 0) return new Map();
  const ids = records.map(({ id }) => id);
  const found = await findSensitiveColumns(reader, ids);
  const concerned = records.filter((record) => found.has(record.id) || hasMaskedColumns(record));
  if (concerned.length === 0) return found;
  const unmeasured = await filterNotMeasurable(reader, principal, concerned);
  const left = await filterNotOwned(reader, principal, unmeasured);
  return new Map(left.map((id) => [id, found.get(id) ?? NO_COLUMNS]));
};

const isWithheld = ({ key }: ColumnNode, withheld: WithheldColumns, moment: number): boolean =>
  moment <= (withheld.get(key) ?? Number.NEGATIVE_INFINITY);

const containsColumn = (column: ColumnNode, withheld: WithheldColumns): boolean =>
  isWithheld(column, withheld, NO_MOMENT) || column.children.some((child) => containsColumn(child, withheld));

/**
 * Whether values of a column that were measured at a moment are withheld, by the column or one of its ancestors: nested
 * columns are part of the values.
 */
export const isColumnRedacted = (
  { node, above }: PlacedColumn,
  withheld: WithheldColumns,
  moment: number = NO_MOMENT,
): boolean => isWithheld(node, withheld, moment) || above.some((one) => isWithheld(one, withheld, moment));

/** Creates the check, by column name, whether the values of a column or of one nested in it are redacted. */
const createColumnCheck = (
  { kind, columns }: Pick<Snapshot, 'kind' | 'columns'>,
  withheld: WithheldColumns,
): ((name: string) => boolean) => {
  const { named } = createColumnFinder(kind, columns);
  return (name) => {
    const column = named(name);
    return column !== undefined && (isColumnRedacted(column, withheld) || containsColumn(column.node, withheld));
  };
};

/** Creates the check, by column name, whether data of a column is redacted: by its label, then or now. */
const createValueCheck = (
  record: Pick<Snapshot, 'kind' | 'columns' | 'values'>,
  withheld: WithheldColumns,
  redaction: ValueRedaction,
): ((name: string) => boolean) => {
  const masked = new Set(maskedColumns(redaction, record.values));
  const isLabelled = createColumnCheck(record, withheld);
  return (name) => masked.has(name) || isLabelled(name);
};

const redactMemberValues = (record: Snapshot, withheld: WithheldColumns): Snapshot['values'] => {
  const members = columnRedactionMembers(record.kind).filter(([name]) => record.values[name] !== undefined);
  if (members.length === 0) return record.values;
  const hidden = members.map(([name, redaction]) => {
    const isHidden = createValueCheck(record, withheld, redaction);
    return [name, redaction.redact(record.values[name] ?? null, isHidden)] as const;
  });
  return { ...record.values, ...Object.fromEntries(hidden) };
};

/** Returns when values were measured. */
export const measuredAt = ({ timestamp }: JsonObject): number => Number(timestamp ?? Number.NEGATIVE_INFINITY);

const redactComputed = ({ kind, columns, computed }: Snapshot, withheld: WithheldColumns): Snapshot['computed'] => {
  const { byKey } = createColumnFinder(kind, columns);
  const hidden = computedPartMembers(kind).flatMap(([name, { redactPart }]) => {
    const parts = computed[name] as unknown as ComputedParts | undefined;
    if (!parts || !redactPart) return [];
    const shown = Object.entries(parts.columns).map(([key, part]) => {
      const column = byKey.get(key);
      const isShown = column && !isColumnRedacted(column, withheld, measuredAt(part));
      return [key, isShown ? part : redactPart(part)] as const;
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
    const withheld = redactedColumns.get(record.id);
    return withheld
      ? { ...record, values: redactMemberValues(record, withheld), computed: redactComputed(record, withheld) }
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
  const withheld = (await findRedactedColumns(reader, principal, [stored])).get(stored.id);
  if (!withheld) return given;
  const kept = columnRedactionMembers(kind).flatMap(([name, redaction]) => {
    const [value, former] = [given[name], stored.values[name]];
    if (value === undefined || former === undefined) return [];
    return [[name, redaction.restoreRedacted(value, former, createValueCheck(stored, withheld, redaction))] as const];
  });
  return { ...given, ...Object.fromEntries(kept) };
};

/** Returns the columns of a value whose data is sensitive by their present labels, as the value names them. */
export const listSensitiveColumns = async (
  reader: SensitiveValueReader,
  record: Pick<Snapshot, 'id' | 'kind' | 'columns'>,
  names: readonly string[],
): Promise<readonly string[]> => {
  const withheld = (await findSensitiveColumns(reader, [record.id])).get(record.id);
  return withheld ? names.filter(createColumnCheck(record, withheld)) : [];
};

type StoredChange = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** The members that the request names. It may set them to what they are. */
  readonly touched: readonly string[];
};

/**
 * Keeps for the changed values of a record which of their data is sensitive, so that it stays hidden when labels or
 * columns are gone. What was hidden from the writer stays hidden, because it may be among what the writer sent back.
 */
export const maskChangedValues = async (
  reader: SensitiveValueReader,
  principal: Principal,
  { before, after, touched }: StoredChange,
): Promise<Snapshot> => {
  const changed = columnRedactionMembers(after.kind).filter(
    ([name]) =>
      after.values[name] !== undefined &&
      (touched.includes(name) || !equalJson(after.values[name], before.values[name])),
  );
  if (changed.length === 0) return after;
  const isBlind = (await findRedactedColumns(reader, principal, [before])).has(before.id);
  const masks = changed.map(async ([name, redaction]) => {
    const names = redaction.columnsOf(after.values[name] ?? null);
    const kept = new Set(isBlind ? maskedColumns(redaction, before.values) : []);
    for (const one of await listSensitiveColumns(reader, before, names)) kept.add(one);
    return [redaction.masks, names.filter((one) => kept.has(one))] as const;
  });
  return { ...after, values: { ...after.values, ...Object.fromEntries(await Promise.all(masks)) } };
};
