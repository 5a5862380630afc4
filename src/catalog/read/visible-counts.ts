import type { Principal } from '../../access/principal.ts';
import { type BoundStatement, statement } from '../../graph/statement.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { ComputedAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { listRecordTypes } from '../../model/kind/record-type.ts';
import type { Engine } from '../engine.ts';
import { canSeeEverything, checkPermissions, VIEW_OPERATIONS } from './facts.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Counts records for a caller who does not see every record. The statements sum up what needs no check of single
 * records; the rest comes in separate rows, with the records that must be visible for the row to count.
 */

type CountReader = Pick<Engine, 'graph' | 'authorizer' | 'facts'>;

type JudgedRecords = readonly (readonly [id: string, entityType: string])[];

type VisibleCountRow = {
  readonly id: string;
  readonly judged: JudgedRecords;
  /** The unit that counts once, however many rows contain it; null when no other row does. */
  readonly unit?: string | null;
  readonly count?: number;
  readonly row?: JsonObject;
};

type JudgedTypes = { readonly hiddenTypes: readonly string[]; readonly judgedTypes: readonly string[] };

type VisibleCountParams = JudgedTypes & { readonly ids: readonly string[]; readonly limit: number };

type CountMember = {
  readonly name: string;
  readonly attribute: ComputedAttribute;
  readonly size: (value: Json) => number;
  readonly statement: BoundStatement<VisibleCountParams, VisibleCountRow>;
};

const VISIBLE_COUNT_PARAMS = ['ids', 'hiddenTypes', 'judgedTypes', 'limit'] as const;

/** The members of a kind that count records; a request for them declares their statements. */
export const countingMembers = memoisePerKind((kind: Kind): readonly CountMember[] =>
  Object.entries(kind.attributes).flatMap(([name, attribute]) => {
    if (attribute.store !== 'walked' || attribute.visible === undefined) return [];
    const names = attribute.answers === 'rows' ? (['row'] as const) : (['unit', 'count'] as const);
    const bound = statement<VisibleCountParams, VisibleCountRow>(attribute.visible.statement, {
      params: VISIBLE_COUNT_PARAMS,
      row: ['id', 'judged', ...names],
    });
    return [{ name, attribute, size: attribute.visible.size, statement: bound }];
  }),
);

/** The maximum number of records checked for the counts of one answer; counts beyond that are left out. */
const MAX_COUNTED = 50_000;

const readCountValue = ({ counts, computed }: Snapshot, { name }: CountMember): Json | undefined =>
  counts[name] ?? computed[name];

/**
 * Divides the record types by how the caller's rights are checked. People see themselves, so users are checked one by
 * one.
 */
const splitTypes = ({ authorizer }: CountReader, principal: Principal): JudgedTypes => {
  const filters = listRecordTypes().map((type) => [type, authorizer.filter(principal, VIEW_OPERATIONS, type)] as const);
  const isHidden = ([type, filter]: (typeof filters)[number]) => filter === 'none' && type !== 'user';
  return {
    hiddenTypes: filters.filter(isHidden).map(([type]) => type),
    judgedTypes: filters.filter((one) => one[1] !== 'all' && !isHidden(one)).map(([type]) => type),
  };
};

type CountRequest = { readonly member: CountMember; readonly ids: readonly string[] };

/**
 * Chooses the counts to check within the limit, small ones first, so that one huge count does not displace all others.
 */
const selectWithinBudget = (records: readonly Snapshot[]): readonly CountRequest[] => {
  const wanted = records.flatMap((record) =>
    countingMembers(record.kind).flatMap((member) => {
      const value = readCountValue(record, member);
      return value === undefined ? [] : [{ member, id: record.id, size: member.size(value) }];
    }),
  );
  const requested = new Map<CountMember, string[]>();
  let left = MAX_COUNTED;
  for (const { member, id, size } of wanted.sort((one, other) => one.size - other.size)) {
    left -= size;
    if (left < 0) break;
    const ids = requested.get(member);
    if (ids) ids.push(id);
    else requested.set(member, [id]);
  }
  return [...requested].map(([member, ids]) => ({ member, ids }));
};

type IsVisible = (judged: JudgedRecords) => boolean;

/** Creates the check whether the caller sees all records that a row requires. */
const createAcceptor = async (
  reader: CountReader,
  principal: Principal,
  rows: readonly VisibleCountRow[],
): Promise<IsVisible> => {
  const types = new Map(rows.flatMap(({ judged }) => judged));
  const found = [...types].map(([entityId, entityType]) => ({ entityId, entityType }));
  const sees = await checkPermissions(reader, principal, VIEW_OPERATIONS, found);
  const visible = new Set(found.filter((_, at) => sees[at]).map(({ entityId }) => entityId));
  visible.add(principal.id);
  return (judged) => judged.every(([id]) => visible.has(id));
};

const sumCounts = (rows: readonly VisibleCountRow[]): number => {
  const units = new Set<string>();
  let total = 0;
  for (const { unit, count = 0 } of rows) {
    if (unit && units.has(unit)) continue;
    if (unit) units.add(unit);
    total += count;
  }
  return total;
};

const buildCountValue = ({ attribute }: CountMember, rows: readonly VisibleCountRow[]): Json =>
  attribute.answers === 'rows'
    ? (attribute.make?.(rows.flatMap(({ row }) => (row ? [row] : []))) ?? null)
    : sumCounts(rows);

/** Reads the counts that the caller gets, by member and record. */
const readVisibleCounts = async (
  reader: CountReader,
  principal: Principal,
  requested: readonly CountRequest[],
): Promise<ReadonlyMap<CountMember, ReadonlyMap<string, Json>>> => {
  const types = splitTypes(reader, principal);
  // Records may have been added since the numbers were read, and a person may be a member several times.
  const limit = 2 * MAX_COUNTED;
  const found = await Promise.all(
    requested.map(async ({ member, ids }) => reader.graph.read(member.statement, { ids, ...types, limit })),
  );
  const accepts = await createAcceptor(reader, principal, found.flat());
  const values = new Map<CountMember, ReadonlyMap<string, Json>>();
  for (const [at, { member, ids }] of requested.entries()) {
    const rows = found[at] ?? [];
    if (rows.length >= limit) continue;
    const byId = new Map<string, VisibleCountRow[]>(ids.map((id) => [id, []]));
    for (const row of rows) if (accepts(row.judged)) byId.get(row.id)?.push(row);
    values.set(member, new Map([...byId].map(([id, some]) => [id, buildCountValue(member, some)])));
  }
  return values;
};

const omitMembers = <T>(values: Readonly<Record<string, T>>, names: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)));

/** Returns records whose counts include only what the caller may see. A caller who sees everything pays nothing. */
export const applyVisibleCounts = async (
  reader: CountReader,
  principal: Principal,
  records: readonly Snapshot[],
): Promise<readonly Snapshot[]> => {
  const isCounting = (record: Snapshot) =>
    countingMembers(record.kind).some((member) => readCountValue(record, member) !== undefined);
  if (canSeeEverything(reader, principal) || !records.some(isCounting)) return records;
  const values = await readVisibleCounts(reader, principal, selectWithinBudget(records));
  return records.map((record) => {
    const members = countingMembers(record.kind).filter((member) => readCountValue(record, member) !== undefined);
    if (members.length === 0) return record;
    const names = new Set(members.map(({ name }) => name));
    const [counts, computed] = [omitMembers(record.counts, names), omitMembers(record.computed, names)];
    for (const member of members) {
      const value = values.get(member)?.get(record.id);
      if (value === undefined) continue;
      if (typeof value === 'number') counts[member.name] = value;
      else computed[member.name] = value;
    }
    return { ...record, counts, computed };
  });
};
