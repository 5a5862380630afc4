import type { Client } from '@modelcontextprotocol/client';
import * as assert from 'uvu/assert';
import { compareAgain } from '../insight/compare-again.ts';
import { ok } from '../support/expect.ts';
import { connectMcp, toolAnswer } from '../support/mcp-client.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a list that ends early says how much is missing, and that what it says leads to the rest. */

const test = suite('mcp: what answers leave out');

/** Two ways that meet and lead on, another pair of tables, and two alone. */
const EDGES = [
  ['t0', 't1'],
  ['t0', 't2'],
  ['t1', 't3'],
  ['t2', 't3'],
  ['t3', 't4'],
  ['t4', 't5'],
  ['u0', 'u1'],
] as const;
const LONE = ['o0', 'o1', 'o2'];
const TABLES = [...new Set([...EDGES.flat(), ...LONE])];
const WORD = uniqueName('leftout').replaceAll('_', '');
const LONG = 'long '.repeat(100);

let service: Service;
let schema: string;
let tag: string;
let client: Client;

const fqnOf = (table: string): string => `${schema}.${table}`;

const ask = (name: string, given: Record<string, unknown>) => toolAnswer(client, name, { maxTokens: 20_000, ...given });

const createTag = async (): Promise<string> => {
  const classification = uniqueName('Secret').replaceAll('_', '');
  ok(await service.admin.post('/v1/classifications', { name: classification, description: 'Secret.' }), 201);
  ok(await service.admin.post('/v1/tags', { name: 'Much', classification, description: 'Much.' }), 201);
  return `${classification}.Much`;
};

test.before(async () => {
  service = await openService();
  tag = await createTag();
  const name = uniqueName('leftout');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  schema = `${name}.db.public`;
  for (const table of TABLES) {
    const tags = table === 't0' ? [{ tagFQN: tag }] : [];
    const columns = [{ name: 'c', dataType: 'INT', description: LONG, tags }];
    const body = { name: table, databaseSchema: schema, description: `${WORD} ${LONG}`, columns };
    ok(await service.admin.post('/v1/tables', body), 201);
  }
  const edges = EDGES.map(([from, to]) => ({
    fromEntity: { type: 'table', fullyQualifiedName: fqnOf(from) },
    toEntity: { type: 'table', fullyQualifiedName: fqnOf(to) },
    lineageDetails: { columnsLineage: [{ fromColumns: [`${fqnOf(from)}.c`], toColumn: `${fqnOf(to)}.c` }] },
  }));
  assert.is(ok(await service.admin.put('/v1/lineage/bulk', edges)).numberOfRowsFailed, 0);
  await compareAgain(service.admin);
  client = await connectMcp(service, await service.token('admin'));
});

test.after(() => client.close());

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Row = any;

/** The parts of a text that a pattern names. The text must be as the pattern says. */
const partsOf = (text: string, pattern: RegExp): readonly string[] => {
  assert.match(text, pattern);
  return pattern.exec(text)?.slice(1) ?? [];
};

/** Reads lists one row at a time, each time by what the answer before says of the rest. */
const followPages = async (name: string, given: Record<string, unknown>, lists: readonly string[]) => {
  const rows: Row[] = [];
  const counts: (number | undefined)[] = [];
  let next: Record<string, unknown> = {};
  for (let calls = 0; calls < 50; calls += 1) {
    const answer = await ask(name, { ...given, ...next, limit: 1 });
    const page = lists.flatMap((list) => answer[list] ?? []);
    assert.is(page.length, 1, `${name}: ${JSON.stringify(answer)}`);
    rows.push(...page);
    if (answer.omitted === undefined) return { rows, counts };
    const [{ list, count, more }] = answer.omitted;
    assert.ok(lists.includes(list));
    counts.push(count);
    const [argument = '', value = ''] = partsOf(more, /^(after|offset)=(\S+)$/);
    next = { [argument]: argument === 'offset' ? Number(value) : value };
  }
  throw new Error(`${name} has no end`);
};

const PAGED: readonly (readonly [string, () => Record<string, unknown>, readonly string[], number])[] = [
  ['search', () => ({ query: `description:${WORD}`, type: 'table' }), ['hits'], TABLES.length],
  ['inherited_labels', () => ({ tag, scope: schema }), ['columns'], 5],
  ['label_flows', () => ({ tag, types: 'table', scope: schema }), ['flows'], 5],
  ['important_assets', () => ({ scope: schema }), ['assets'], TABLES.length - LONE.length],
  ['single_points', () => ({ scope: schema }), ['assets', 'bridges'], 5],
  ['communities', () => ({ scope: schema, minSize: 2 }), ['groups'], 2],
  ['promises', () => ({ type: 'table', fqn: fqnOf('t5') }), ['ways'], 2],
  ['lineage_agreement', () => ({ scope: schema }), ['edges'], EDGES.length],
];

for (const [name, given, lists, least] of PAGED) {
  test(`${name} is read to its end by what each answer says of the rest`, async () => {
    const whole = await ask(name, { ...given(), limit: name === 'search' ? 50 : 1000 });
    assert.is(whole.omitted, undefined);
    const all: Row[] = lists.flatMap((list) => whole[list] ?? []);
    assert.ok(all.length >= least, `${all.length} rows: ${JSON.stringify(all)}`);
    const { rows, counts } = await followPages(name, given(), lists);
    const keysOf = (some: readonly Row[]) => some.map((row) => JSON.stringify(row)).sort();
    assert.equal(keysOf(rows), keysOf(all));
    assert.is(counts[0], all.length - 1, 'the first answer says how many are missing');
  });
}

test('a later page of a search still counts what is missing', async () => {
  const { omitted } = await ask('search', { query: `description:${WORD}`, type: 'table', limit: 2, offset: 3 });
  assert.equal(omitted, [{ list: 'hits', count: TABLES.length - 5, more: 'offset=5' }]);
});

test('what does not fit and what was not read are counted together', async () => {
  const given = { query: `description:${WORD}`, type: 'table', limit: 10, maxTokens: 500 };
  const { hits, omitted } = await ask('search', given);
  assert.ok(hits.length < 10);
  const [{ count, more }] = omitted;
  assert.is(count, TABLES.length - hits.length);
  assert.match(
    more,
    new RegExp(`^list=hits and skip=${hits.length}, or raise maxTokens, or .*; behind these: offset=10$`),
  );
});

test('a text that is cut says how much is missing and what has it', async () => {
  const restOf = (text: string) => partsOf(text, / \((\d+) more characters: (.+)\)$/);
  const { hits } = await ask('search', { query: `description:${WORD}`, limit: 1 });
  assert.is(restOf(hits[0].description)[1], 'get_asset');
  const { columns } = await ask('get_asset', { fqn: fqnOf('t0') });
  const [missing, way] = restOf(columns[0].description);
  assert.equal([Number(missing), way], [LONG.length - 200, 'column=c']);
  const one = await ask('get_asset', { fqn: fqnOf('t0'), column: 'c' });
  assert.equal([one.columns.length, one.columns[0].description], [1, LONG]);
});

test('lineage that ends at its depth says where it goes on', async () => {
  const { assets, note } = await ask('lineage', { fqn: fqnOf('t0'), depth: 1 });
  assert.equal(
    assets.map(({ fqn, beyond }: Row) => [fqn, beyond]),
    [
      [fqnOf('t0'), undefined],
      [fqnOf('t1'), 1],
      [fqnOf('t2'), 1],
    ],
  );
  assert.match(note, /^Depth 1 ends at 2 assets with more neighbours \(beyond\): raise depth, or ask from one of them/);
  assert.is((await ask('lineage', { fqn: fqnOf('t0'), depth: 4 })).note, undefined);
  const cut = await ask('trail', { fqn: fqnOf('t5'), column: 'c', depth: 1 });
  assert.equal(cut.origins, [`${fqnOf('t4')}.c`]);
  assert.match(cut.note, /^Depth 1 ends at 1 assets/);
  assert.is((await ask('trail', { fqn: fqnOf('t5'), column: 'c' })).note, undefined);
});

test('as many paths as were asked for may not be all', async () => {
  const given = { from: fqnOf('t0'), to: fqnOf('t5') };
  const { paths, omitted } = await ask('paths', { ...given, limit: 1 });
  assert.is(paths.length, 1);
  assert.equal(omitted, [{ list: 'paths', more: 'there may be longer ones: raise limit' }]);
  const all = await ask('paths', given);
  assert.equal([all.paths.length, all.omitted], [2, undefined]);
});

test('each list of health that ends early says so', async () => {
  const { orphans, omitted, truncated } = await ask('health', { scope: schema, limit: 1 });
  assert.is(orphans.length, 1);
  assert.equal(
    truncated,
    omitted.map(({ list }: Row) => list),
  );
  const { more } = omitted.find(({ list }: Row) => list === 'orphans');
  assert.is(more, 'raise limit, or ask for a smaller scope');
  const all = await ask('health', { scope: schema });
  assert.equal(all.orphans.map(({ fqn }: Row) => fqn).sort(), LONE.map(fqnOf));
  assert.is(all.omitted, undefined);
});

test('a query that ends at its limit says how to go on', async () => {
  const query = 'MATCH (t:Table) WHERE t.fullyQualifiedName STARTS WITH $schema RETURN t.name AS name ORDER BY name';
  const given = { parameters: { schema: `${schema}.` }, limit: 4 };
  const { rows, omitted, truncated } = await ask('ask_graph', { query, ...given });
  assert.equal([rows.length, truncated], [4, true]);
  assert.equal(omitted, [{ list: 'rows', more: 'raise limit, or end the query with SKIP 4' }]);
  const rest = await ask('ask_graph', { query: `${query} SKIP 4`, ...given, limit: 100 });
  assert.equal(
    [...rows, ...rest.rows].map(({ name }) => name),
    [...TABLES].sort(),
  );
  assert.is(rest.omitted, undefined);
});

test('communities name as many members as are asked for, and count all', async () => {
  const { groups } = await ask('communities', { scope: schema, minSize: 2, members: 1 });
  assert.ok(groups.every(({ members, size }: Row) => members.length === 1 && size >= 2));
});

test.run();
