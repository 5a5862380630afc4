import * as assert from 'uvu/assert';
import { isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { column, openWorld, type World } from '../lineage/fixture.ts';
import { HIDING } from '../lineage/read/graph/fixture.ts';
import { ok } from '../support/expect.ts';
import { manyOr } from '../support/representatives.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import type { Client } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { makeClassification } from './label-fixture.ts';
import { randomFrom } from './random-graphs.ts';
import {
  type Copy,
  comparable,
  drawChanges,
  drawPlan,
  makeChange,
  makeCopy,
  type Plan,
  type PlannedChange,
  toChange,
} from './what-if-fixture.ts';

/**
 * Compares what changes would do with what they do: the same changes are asked about one copy of random lineage and
 * really made in another one, where the operations themselves are asked.
 */

const test = suite('insight: what if, on random lineage');

const SEEDS = [3, 17, 71, 204].slice(0, manyOr(2, 4));
const SIZE = 12;
const EDGES = 22;
const CHANGES = 14;

let world: World;
let secret: string;
let rights: RightsFactory;
let reader: Person;

test.before(async () => {
  world = await openWorld();
  secret = `${await makeClassification(world)}.Secret`;
  rights = createRightsFactory(world.service);
  reader = await rights.person([HIDING]);
});

test.after(() => rights.clear());

const ask = async (
  copy: Copy,
  changes: readonly PlannedChange[],
  question: JsonObject,
  client: Client = world.admin,
): Promise<JsonObject> => {
  const body = { changes: changes.map((one) => toChange(copy, one)), ...question };
  return ok(await client.post('/v1/lineage/what-if', body as unknown as JsonObject));
};

/** The tables that changes leave. */
const listLeft = (changes: readonly PlannedChange[]): readonly number[] => {
  const gone = new Set(changes.flatMap((one) => (one.op === 'removeAsset' ? [one.table] : [])));
  return Array.from({ length: SIZE }, (_, index) => index).filter((index) => !gone.has(index));
};

type Drawn = { readonly random: () => number; readonly plan: Plan; readonly changes: readonly PlannedChange[] };

const draw = (seed: number): Drawn => {
  const random = randomFrom(seed);
  const plan = drawPlan(random, SIZE, EDGES);
  return { random, plan, changes: drawChanges(random, plan, CHANGES) };
};

const idAt = (copy: Copy, index: number): string => copy.tables[index]?.id ?? '';

/** Nodes, edges and pairs of columns around a table, written so that they can be compared. */
const readAround = async (client: Client, copy: Copy, index: number, depth: number) => {
  const query = `id=${idAt(copy, index)}&upstreamDepth=${depth}&downstreamDepth=${depth}&columns=true`;
  const reply = await client.get(`/v1/lineage/graph?${query}`);
  if (reply.status === 404) return { nodes: [], edges: [], columnEdges: [] };
  const graph = comparable(copy, ok(reply)) as JsonObject;
  const texts = (name: string, write: (one: JsonObject) => string) =>
    (graph[name] as readonly JsonObject[]).map(write).sort();
  return {
    nodes: texts('nodes', ({ id }) => String(id)),
    edges: texts('edges', ({ fromEntity, toEntity }) => `${fromEntity} ${toEntity}`),
    columnEdges: texts(
      'columnEdges',
      ({ fromColumn, toColumn, function: how = '' }) => `${fromColumn} ${toColumn} ${how}`,
    ),
  };
};

const without = (all: readonly string[], others: readonly string[]) => all.filter((one) => !others.includes(one));

/** What a diff says, in the same form. */
const readPart = (copy: Copy, part: Json) => {
  const { nodes, edges, columnEdges } = comparable(copy, part) as Record<string, readonly JsonObject[]>;
  return {
    nodes: (nodes ?? []).map(({ id }) => String(id)).sort(),
    edges: (edges ?? []).map(({ fromEntity, toEntity }) => `${fromEntity} ${toEntity}`).sort(),
    columnEdges: (columnEdges ?? [])
      .map(({ fromColumn, toColumn, function: how = '' }) => `${fromColumn} ${toColumn} ${how}`)
      .sort(),
  };
};

/** Compares what one caller is told of the changes with what the caller then sees. */
const createComparison = (client: Client, { plan, random, changes }: Drawn, asked: Copy, made: Copy) => {
  const isAdmin = client === world.admin;
  const left = listLeft(changes).filter((index) => isAdmin || !plan.tables[index]?.isHidden);
  const before = new Map<number, Awaited<ReturnType<typeof readAround>>>();
  const compareTable = async (index: number): Promise<number> => {
    const change = ['drop', 'rename', 'retype'][Math.floor(random() * 3)] ?? 'drop';
    const around = { id: idAt(asked, index), upstreamDepth: 3, downstreamDepth: 3 };
    const { impact, diff } = (await ask(asked, changes, { ask: ['impact', 'diff'], change, ...around }, client)) as {
      impact: JsonObject;
      diff: JsonObject;
    };
    const real = ok(await client.get(`/v1/lineage/impact?id=${idAt(made, index)}&change=${change}`));
    const [one, other] = [withContracts(asked, impact), withContracts(made, real)];
    assert.equal(one, other, `impact of table ${index} by ${JSON.stringify(changes)}`);
    const [old, next] = [before.get(index), await readAround(client, made, index, 3)];
    const [added, removed] = [readPart(asked, diff['added'] as Json), readPart(asked, diff['removed'] as Json)];
    for (const name of ['nodes', 'edges', 'columnEdges'] as const) {
      assert.equal(added[name], without(next[name], old?.[name] ?? []), `added ${name} at ${index}`);
      assert.equal(removed[name], without(old?.[name] ?? [], next[name]), `removed ${name} at ${index}`);
    }
    return real.affected.length;
  };
  return {
    readBefore: async () => {
      for (const index of left) before.set(index, await readAround(client, made, index, 3));
    },
    compareTables: async () => {
      let affected = 0;
      for (const index of left) affected += await compareTable(index);
      assert.ok(affected > 0, 'something is affected at all');
    },
    compareLabels: async () => {
      const real = ok(await client.get(`/v1/lineage/propagation?tag=${secret}&limit=1000&scope=${made.schema}`));
      const question = { ask: ['propagation'], tag: secret, scope: asked.schema, limit: 1000 };
      const { propagation } = (await ask(asked, changes, question, client)) as { propagation: JsonObject };
      assert.equal(labelsOf(asked, propagation), labelsOf(made, real));
      return real.data.length as number;
    },
  };
};

for (const seed of SEEDS) {
  test(`impact, differences and labels are as if the changes were made (seed ${seed})`, async () => {
    const drawn = draw(seed);
    const [asked, made] = [await makeCopy(world, drawn.plan, secret), await makeCopy(world, drawn.plan, secret)];
    const comparisons = [world.admin, reader].map((client) => createComparison(client, drawn, asked, made));
    for (const { readBefore } of comparisons) await readBefore();
    for (const change of drawn.changes) await makeChange(world.admin, made, change);
    for (const { compareTables } of comparisons) await compareTables();
    const labels = await Promise.all(comparisons.map(({ compareLabels }) => compareLabels()));
    assert.ok((labels[0] ?? 0) > 0, 'a label is inherited at all');
  });
}

/** IDs of contracts differ between copies, and of several ways as short as each other any may be shown. */
const withContracts = (copy: Copy, impact: JsonObject): Json => {
  const strip = (value: Json): Json => {
    if (isArray(value)) return value.map(strip);
    if (!isObject(value)) return value;
    const { broken, id, ...others } = value as Record<string, Json>;
    if (broken !== undefined) return { ...others, broken };
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        name === 'path' ? (member as readonly Json[]).length : strip(member as Json),
      ]),
    );
  };
  return comparable(copy, strip(impact));
};

/** The sources of all copies count in the summary, and labels have times. */
const labelsOf = (copy: Copy, propagation: JsonObject): Json => {
  const { data, summary } = propagation as { data: readonly JsonObject[]; summary: JsonObject };
  const { sources: _, ...states } = summary;
  const rows = data.map(({ label, confidence, ...row }) => {
    const { appliedAt: _at, appliedBy: _by, ...own } = label as JsonObject;
    return { ...row, label: own, confidence: Math.round(Number(confidence) * 100) };
  });
  return comparable(copy, { rows, states } as unknown as Json);
};

/** The clauses that checks of single assets report, once each. */
const listBreaks = (copy: Copy, answers: readonly JsonObject[]): readonly string[] => {
  const all = answers.flatMap(({ breaks }) => breaks as readonly JsonObject[]);
  const texts = all.map((one) => {
    const { entity, clause } = comparable(copy, one) as { entity: JsonObject; clause: string };
    return `${entity['id']} ${clause}`;
  });
  return [...new Set(texts)].sort();
};

for (const seed of SEEDS) {
  test(`contracts break as single checks of each asset say (seed ${seed})`, async () => {
    const { plan, changes } = draw(seed + 1);
    const [asked, made] = [await makeCopy(world, plan, secret), await makeCopy(world, plan, secret)];
    // The other copy gets the new edges, and keeps what is removed so that each removal can be checked by itself.
    const columns = plan.tables.map((table) => ({
      all: [...table.columns],
      last: undefined as readonly string[] | undefined,
    }));
    for (const change of changes) {
      if (change.op === 'removeAsset') {
        columns[change.table] = { all: columns[change.table]?.all ?? [], last: [] };
        continue;
      }
      if (change.op !== 'putColumns') {
        await makeChange(world.admin, made, change);
        continue;
      }
      const own = columns[change.table];
      const all = [...new Set([...change.columns, ...(own?.all ?? [])])];
      columns[change.table] = { all, last: change.columns };
      await makeChange(world.admin, made, { ...change, columns: all });
    }
    const checks: JsonObject[] = [];
    for (const [index, { last }] of columns.entries()) {
      if (last === undefined) continue;
      const body = {
        entity: { id: idAt(made, index), type: 'table' },
        proposed: { columns: last.map((name) => column(name)) },
      };
      checks.push(ok(await world.admin.post('/v1/dataContracts/check', body)));
    }
    const { contracts } = (await ask(asked, changes, { ask: ['contracts'] })) as { contracts: JsonObject };
    assert.equal(listBreaks(asked, [contracts]), listBreaks(made, checks), JSON.stringify(changes));
    const affected = checks.flatMap((one) => (one['affected'] as JsonObject)['assets'] as readonly JsonObject[]);
    const names = (copy: Copy, rows: readonly JsonObject[]) =>
      [...new Set(rows.map((row) => String((comparable(copy, row['entity'] as Json) as JsonObject)['id'])))].sort();
    const own = (contracts['affected'] as JsonObject)['assets'] as readonly JsonObject[];
    assert.equal(names(asked, own), names(made, affected));
    assert.is(contracts['verdict'], listBreaks(made, checks).length > 0 ? 'breaks' : 'ok');
  });
}

test.run();
