import { isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { column, feed, type Made, type World } from '../lineage/fixture.ts';
import { SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { ok } from '../support/expect.ts';
import { type Client, uniqueName } from '../support/service.ts';
import { labelled } from './label-fixture.ts';

/** Random lineage as a plan, which is made as often as a test needs it, and changes that are really made. */

export type PlannedEdge = {
  readonly from: number;
  readonly to: number;
  /** Pairs of columns with a function, if there is one. */
  readonly pairs: readonly (readonly [from: string, to: string, how?: string])[];
  readonly source?: string;
  readonly sql?: string;
};

export type PlannedTable = {
  readonly columns: readonly string[];
  readonly secret: readonly string[];
  /** The columns that its contract promises. */
  readonly promised: readonly string[] | undefined;
  /** Whether some may not see it; no change names it then. */
  readonly isHidden: boolean;
};

export type Plan = { readonly tables: readonly PlannedTable[]; readonly edges: readonly PlannedEdge[] };

export type PlannedChange =
  | ({ readonly op: 'putEdge' } & PlannedEdge)
  | { readonly op: 'removeEdge'; readonly from: number; readonly to: number }
  | { readonly op: 'putColumns'; readonly table: number; readonly columns: readonly string[] }
  | { readonly op: 'removeAsset'; readonly table: number };

/** The tables of one copy of a plan, in its order. */
export type Copy = { readonly schema: string; readonly tables: readonly Made[] };

const NAMES = ['a', 'b', 'c', 'd'];

const pick = <T>(random: () => number, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;

const some = <T>(random: () => number, all: readonly T[], chance: number): readonly T[] =>
  all.filter(() => random() < chance);

/** Draws an edge between two tables whose columns are known. */
const drawEdge = (random: () => number, columns: readonly (readonly string[])[]): PlannedEdge => {
  const from = Math.floor(random() * columns.length);
  const to = (from + 1 + Math.floor(random() * (columns.length - 1))) % columns.length;
  const [origins, targets] = [columns[from] ?? [], columns[to] ?? []];
  const count = origins.length === 0 || targets.length === 0 ? 0 : Math.floor(random() * 4);
  const pairs = Array.from({ length: count }, () => {
    const [origin, target] = [pick(random, origins), pick(random, targets)];
    const how = random() < 0.2 ? 'sha256(x)' : random() < 0.2 ? 'upper(x)' : undefined;
    return how === undefined ? ([origin, target] as const) : ([origin, target, how] as const);
  });
  const source = random() < 0.4 ? { source: 'QueryLineage' } : {};
  return { from, to, pairs, ...source, ...(random() < 0.3 ? { sql: 'select 1' } : {}) };
};

export const drawPlan = (random: () => number, size: number, edges: number): Plan => {
  const tables = Array.from({ length: size }, (): PlannedTable => {
    const columns = NAMES.slice(0, 2 + Math.floor(random() * 3));
    return {
      columns,
      secret: some(random, columns, 0.15),
      promised: random() < 0.4 ? some(random, columns, 0.6) : undefined,
      isHidden: random() < 0.15,
    };
  });
  const named = tables.map(({ columns }) => columns);
  return { tables, edges: Array.from({ length: edges }, () => drawEdge(random, named)) };
};

/** Draws changes that can be made one after another. */
export const drawChanges = (random: () => number, plan: Plan, count: number): readonly PlannedChange[] => {
  const columns = plan.tables.map((table) => [...table.columns]);
  // What is hidden counts as gone: whoever cannot see it can neither change nor remove it.
  const hidden = plan.tables.flatMap(({ isHidden }, index) => (isHidden ? [index] : []));
  const gone = new Set<number>(hidden);
  const present = new Set(
    plan.edges.filter(({ from, to }) => !gone.has(from) && !gone.has(to)).map(({ from, to }) => `${from} ${to}`),
  );
  const changes: PlannedChange[] = [];
  for (let at = 0; at < count; at += 1) {
    const kind = random();
    if (kind < 0.4) {
      const edge = drawEdge(random, columns);
      if (gone.has(edge.from) || gone.has(edge.to)) continue;
      present.add(`${edge.from} ${edge.to}`);
      changes.push({ op: 'putEdge', ...edge });
    } else if (kind < 0.65 && present.size > 0) {
      const key = pick(random, [...present]);
      present.delete(key);
      const [from = 0, to = 0] = key.split(' ').map(Number);
      changes.push({ op: 'removeEdge', from, to });
    } else if (kind < 0.92) {
      const table = Math.floor(random() * columns.length);
      if (gone.has(table)) continue;
      const kept = some(random, columns[table] ?? [], 0.7);
      const fresh = random() < 0.4 ? [`x${at}`] : [];
      const next = [...kept, ...fresh];
      if (next.length === 0) continue;
      columns[table] = next;
      changes.push({ op: 'putColumns', table, columns: next });
    } else {
      const table = Math.floor(random() * columns.length);
      if (gone.has(table)) continue;
      gone.add(table);
      for (const key of present) if (key.split(' ').map(Number).includes(table)) present.delete(key);
      changes.push({ op: 'removeAsset', table });
    }
  }
  return changes;
};

const detailsOf = ({ tables }: Copy, { from, to, pairs, source, sql }: PlannedEdge): JsonObject => {
  const [one, other] = [tables[from], tables[to]];
  return {
    ...(source === undefined ? {} : { source }),
    ...(sql === undefined ? {} : { sqlQuery: sql }),
    columnsLineage: pairs.map(([origin, target, how]) => ({
      fromColumns: [`${one?.fullyQualifiedName}.${origin}`],
      toColumn: `${other?.fullyQualifiedName}.${target}`,
      ...(how === undefined ? {} : { function: how }),
    })),
  };
};

const at = ({ tables }: Copy, index: number): Made => tables[index] as Made;

const putPlannedEdge = async (client: Client, copy: Copy, edge: PlannedEdge): Promise<void> => {
  ok(await feed(client, at(copy, edge.from), at(copy, edge.to), detailsOf(copy, edge)));
};

/** Makes a copy of a plan in a schema of its own. */
export const makeCopy = async (world: World, { tables, edges }: Plan, tag: string): Promise<Copy> => {
  const [database] = [world.schemaFqn.split('.').slice(0, -1).join('.')];
  const schema = await world.make('databaseSchemas', { name: uniqueName('copy'), database });
  const made: Made[] = [];
  for (const [index, { columns, secret, promised, isHidden }] of tables.entries()) {
    const table = await world.make('tables', {
      name: `t${String(index).padStart(2, '0')}`,
      databaseSchema: schema.fullyQualifiedName,
      columns: columns.map((name) => (secret.includes(name) ? labelled(name, tag) : column(name))),
      ...(isHidden ? { tags: [SENSITIVE] } : {}),
    });
    made.push(table);
    if (promised === undefined) continue;
    const contract = {
      name: 'promise',
      entity: { id: table.id, type: 'table' },
      schema: promised.map((name) => column(name)),
    };
    ok(await world.admin.post('/v1/dataContracts', contract), 201);
  }
  const copy = { schema: schema.fullyQualifiedName, tables: made };
  for (const edge of edges) await putPlannedEdge(world.admin, copy, edge);
  return copy;
};

/** A change as a request of what-if has it. */
export const toChange = (copy: Copy, change: PlannedChange): JsonObject => {
  const ref = (index: number): JsonObject => ({ id: at(copy, index).id, type: 'table' });
  switch (change.op) {
    case 'putEdge':
      return { op: 'putEdge', from: ref(change.from), to: ref(change.to), lineageDetails: detailsOf(copy, change) };
    case 'removeEdge':
      return { op: 'removeEdge', from: ref(change.from), to: ref(change.to) };
    case 'putColumns':
      return { op: 'putColumns', entity: ref(change.table), columns: change.columns.map((name) => column(name)) };
    case 'removeAsset':
      return { op: 'removeAsset', entity: ref(change.table) };
  }
};

const patchColumns = async (client: Client, table: Made, names: readonly string[]): Promise<void> => {
  const { columns } = ok(await client.get(`/v1/tables/${table.id}?fields=columns,tags`)) as { columns: JsonObject[] };
  const value = names.map((name) => columns.find((one) => one['name'] === name) ?? column(name));
  const patch = [{ op: 'replace', path: '/columns', value }];
  ok(await client.patch(`/v1/tables/${table.id}`, patch as unknown as Json));
};

/** Really makes a change. */
export const makeChange = async (client: Client, copy: Copy, change: PlannedChange): Promise<void> => {
  switch (change.op) {
    case 'putEdge':
      return putPlannedEdge(client, copy, change);
    case 'removeEdge': {
      const [from, to] = [at(copy, change.from), at(copy, change.to)];
      ok(await client.delete(`/v1/lineage/table/${from.id}/table/${to.id}`));
      return;
    }
    case 'putColumns':
      return patchColumns(client, at(copy, change.table), change.columns);
    case 'removeAsset':
      ok(await client.delete(`/v1/tables/${at(copy, change.table).id}?hardDelete=true&recursive=true`));
  }
};

/** Members that differ between any two copies. */
const OWN_MEMBERS = new Set(['createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'href', 'after']);

const sortKey = (value: Json): string => JSON.stringify(value);

/** Writes an answer so that those of two copies can be compared: names for IDs, and lists in an order of their own. */
export const comparable = ({ schema, tables }: Copy, answer: Json): Json => {
  const names = new Map(tables.map(({ id, name }) => [id, name]));
  const walk = (value: Json): Json => {
    if (typeof value === 'string') return names.get(value) ?? value.replaceAll(schema, 'SCHEMA');
    if (isArray(value)) return value.map(walk).sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !OWN_MEMBERS.has(name))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, member]) => [name, walk(member as Json)]),
    );
  };
  return walk(answer);
};
