import type { Principal } from '../../access/principal.ts';
import { type Bound, statement } from '../../graph/statement.ts';
import type { WalkedAttribute } from '../../model/attribute.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type Kind, perKind } from '../../model/kind.ts';
import { RECORD_TYPES } from '../../model/record-type.ts';
import type { Engine } from '../engine.ts';
import { permitted, seesEverything, VIEW } from './facts.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Numbers of records as a caller sees them who does not see every record. The statements add up what needs no look at
 * single records; what does comes in rows of its own with the records that must be visible for it to count.
 */

type CountReader = Pick<Engine, 'graph' | 'judge' | 'facts'>;

type Judged = readonly (readonly [id: string, entityType: string])[];

type VisibleRow = {
  readonly id: string;
  readonly judged: Judged;
  /** What counts once, however many rows tell of it; null when the row is told of nowhere else. */
  readonly unit?: string | null;
  readonly count?: number;
  readonly row?: JsonObject;
};

type Types = { readonly hiddenTypes: readonly string[]; readonly judgedTypes: readonly string[] };

type CountParams = Types & { readonly ids: readonly string[]; readonly limit: number };

type CountMember = {
  readonly name: string;
  readonly attribute: WalkedAttribute;
  readonly size: (value: Json) => number;
  readonly statement: Bound<CountParams, VisibleRow>;
};

const PARAMS = ['ids', 'hiddenTypes', 'judgedTypes', 'limit'] as const;

/** The members of a kind that count records; asking for them declares their statements. */
export const countMembers = perKind((kind: Kind): readonly CountMember[] =>
  Object.entries(kind.attributes).flatMap(([name, attribute]) => {
    if (attribute.store !== 'walked' || attribute.visible === undefined) return [];
    const told = attribute.answers === 'rows' ? (['row'] as const) : (['unit', 'count'] as const);
    const bound = statement<CountParams, VisibleRow>(attribute.visible.statement, {
      params: PARAMS,
      row: ['id', 'judged', ...told],
    });
    return [{ name, attribute, size: attribute.visible.size, statement: bound }];
  }),
);

/** So many records are looked at for the numbers of one answer; numbers beyond that are left out of it. */
const MAX_COUNTED = 50_000;

const countedValue = ({ counts, beside }: Snapshot, { name }: CountMember): Json | undefined =>
  counts[name] ?? beside[name];

/** How the types of records divide for a caller. People see themselves, so that users are looked at one by one. */
const typesFor = ({ judge }: CountReader, principal: Principal): Types => {
  const filters = RECORD_TYPES.map((type) => [type, judge.filter(principal, VIEW, type)] as const);
  const isHidden = ([type, filter]: (typeof filters)[number]) => filter === 'none' && type !== 'user';
  return {
    hiddenTypes: filters.filter(isHidden).map(([type]) => type),
    judgedTypes: filters.filter((one) => one[1] !== 'all' && !isHidden(one)).map(([type]) => type),
  };
};

type Asked = { readonly member: CountMember; readonly ids: readonly string[] };

/** What is looked at within the bound: small numbers first, so that one huge number does not cost all the others. */
const withinBudget = (records: readonly Snapshot[]): readonly Asked[] => {
  const wanted = records.flatMap((record) =>
    countMembers(record.kind).flatMap((member) => {
      const value = countedValue(record, member);
      return value === undefined ? [] : [{ member, id: record.id, size: member.size(value) }];
    }),
  );
  const asked = new Map<CountMember, string[]>();
  let left = MAX_COUNTED;
  for (const { member, id, size } of wanted.sort((one, other) => one.size - other.size)) {
    left -= size;
    if (left < 0) break;
    const ids = asked.get(member);
    if (ids) ids.push(id);
    else asked.set(member, [id]);
  }
  return [...asked].map(([member, ids]) => ({ member, ids }));
};

type Accepts = (judged: Judged) => boolean;

/** Tells of what was found whether the caller sees all that it takes. */
const acceptor = async (reader: CountReader, principal: Principal, rows: readonly VisibleRow[]): Promise<Accepts> => {
  const types = new Map(rows.flatMap(({ judged }) => judged));
  const found = [...types].map(([entityId, entityType]) => ({ entityId, entityType }));
  const sees = await permitted(reader, principal, VIEW, found);
  const visible = new Set(found.filter((_, at) => sees[at]).map(({ entityId }) => entityId));
  visible.add(principal.id);
  return (judged) => judged.every(([id]) => visible.has(id));
};

const totalOfRows = (rows: readonly VisibleRow[]): number => {
  const units = new Set<string>();
  let total = 0;
  for (const { unit, count = 0 } of rows) {
    if (unit && units.has(unit)) continue;
    if (unit) units.add(unit);
    total += count;
  }
  return total;
};

const valueFrom = ({ attribute }: CountMember, rows: readonly VisibleRow[]): Json =>
  attribute.answers === 'rows'
    ? (attribute.make?.(rows.flatMap(({ row }) => (row ? [row] : []))) ?? null)
    : totalOfRows(rows);

/** The values that the caller is answered, by member and record. */
const readVisible = async (
  reader: CountReader,
  principal: Principal,
  asked: readonly Asked[],
): Promise<ReadonlyMap<CountMember, ReadonlyMap<string, Json>>> => {
  const types = typesFor(reader, principal);
  // Others may have come to be since the numbers were read, and a person may be a member many times.
  const limit = 2 * MAX_COUNTED;
  const found = await Promise.all(
    asked.map(async ({ member, ids }) => reader.graph.read(member.statement, { ids, ...types, limit })),
  );
  const accepts = await acceptor(reader, principal, found.flat());
  const values = new Map<CountMember, ReadonlyMap<string, Json>>();
  for (const [at, { member, ids }] of asked.entries()) {
    const rows = found[at] ?? [];
    if (rows.length >= limit) continue;
    const byId = new Map<string, VisibleRow[]>(ids.map((id) => [id, []]));
    for (const row of rows) if (accepts(row.judged)) byId.get(row.id)?.push(row);
    values.set(member, new Map([...byId].map(([id, some]) => [id, valueFrom(member, some)])));
  }
  return values;
};

const without = <T>(values: Readonly<Record<string, T>>, names: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)));

/** Records whose numbers count what the caller may see. A caller who sees everything pays nothing. */
export const countVisible = async (
  reader: CountReader,
  principal: Principal,
  records: readonly Snapshot[],
): Promise<readonly Snapshot[]> => {
  const isCounting = (record: Snapshot) =>
    countMembers(record.kind).some((member) => countedValue(record, member) !== undefined);
  if (seesEverything(reader, principal) || !records.some(isCounting)) return records;
  const values = await readVisible(reader, principal, withinBudget(records));
  return records.map((record) => {
    const members = countMembers(record.kind).filter((member) => countedValue(record, member) !== undefined);
    if (members.length === 0) return record;
    const names = new Set(members.map(({ name }) => name));
    const [counts, beside] = [without(record.counts, names), without(record.beside, names)];
    for (const member of members) {
      const value = values.get(member)?.get(record.id);
      if (value === undefined) continue;
      if (typeof value === 'number') counts[member.name] = value;
      else beside[member.name] = value;
    }
    return { ...record, counts, beside };
  });
};
