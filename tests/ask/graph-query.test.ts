import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { column, edgeBody, feed, type Made, mapping, openWorld, type World } from '../lineage/fixture.ts';
import { waitForRunning } from '../support/endless-statement.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { anonymous, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { ask, post, rowsOf } from './fixture.ts';

/** Shows what queries answer of known records, their bounds, and the document of what they may ask for. */

const test = suite('ask: queries to the graph');

let world: World;
let orders: Made;
let mart: Made;
let report: Made;

test.before(async () => {
  world = await openWorld();
  orders = await world.table('orders', [column('id', { dataType: 'BIGINT' }), column('mail')]);
  mart = await world.table('mart', [column('contact'), column('day')]);
  report = await world.table('report', [column('total')]);
  const details = { columnsLineage: [mapping(orders, ['mail'], mart, 'contact')] } as unknown as JsonObject;
  ok(await world.admin.put('/v1/lineage', edgeBody(orders, mart, details)));
  ok(await feed(world.admin, mart, report));
});

const named = (text: string): JsonObject => ({ scope: world.schemaFqn, text });

test('nodes, edges, paths and columns are answered as the view has them', async () => {
  const [[node, edge, columns]] = (await rowsOf(
    world.admin,
    'MATCH (a:Table {id: $id})-[e:FEEDS]->(b) RETURN a, e, [(a)-[:HAS_COLUMN]->(c) | c.name] AS columns',
    { id: orders.id },
    // biome-ignore lint/suspicious/noExplicitAny: a missing row must fail the assertion.
  )) as any;
  assert.is(node.label, 'Table');
  assert.equal([node.id, node.name, node.fullyQualifiedName], [orders.id, orders.name, orders.fullyQualifiedName]);
  assert.is(node.entityType, 'table');
  assert.is(node.deleted, false);
  for (const hidden of ['sortKey', 'revision', 'columnsJson', 'scope1']) assert.not.ok(hidden in node, hidden);
  assert.not.ok('displayName' in node, 'what a node has no value for is left out');
  assert.equal([edge.type, edge.from, edge.to, edge.source], ['FEEDS', orders.id, mart.id, 'Manual']);
  assert.not.ok('detailsJson' in edge);
  assert.equal([...columns].sort(), ['id', 'mail']);
  const [[path]] = (await rowsOf(world.admin, 'MATCH p = (a {id: $id})-[:FEEDS*2..2]->(b) RETURN p', {
    id: orders.id,
    // biome-ignore lint/suspicious/noExplicitAny: as above.
  })) as any;
  assert.equal(
    path.nodes.map((one: { id: string }) => one.id),
    [orders.id, mart.id, report.id],
  );
  assert.equal(
    path.edges.map((one: { type: string }) => one.type),
    ['FEEDS', 'FEEDS'],
  );
  const derived = await rowsOf(
    world.admin,
    'MATCH (c:Column)-[:DERIVES]->(d) WHERE c.fullyQualifiedName = $text RETURN d.fullyQualifiedName, d',
    named(`${orders.fullyQualifiedName}.mail`),
  );
  assert.equal(derived[0]?.[0], `${mart.fullyQualifiedName}.contact`);
  assert.equal(derived[0]?.[1]?.label, 'Column');
});

const SCOPED = 'MATCH (t:Table) WHERE t.fullyQualifiedName STARTS WITH $scope ';

const CASES: readonly (readonly [query: string, rows: () => unknown])[] = [
  [`${SCOPED}RETURN count(*) AS n`, () => [[3]]],
  [`${SCOPED}RETURN t.name ORDER BY t.name`, () => [orders, mart, report].map(({ name }) => [name]).sort()],
  [
    `${SCOPED}RETURN t.name AS name ORDER BY name DESC LIMIT 1`,
    () => [[[orders, mart, report].map(({ name }) => name).sort()[2]]],
  ],
  [
    `${SCOPED}RETURN t.name ORDER BY t.name SKIP 1 LIMIT $one`,
    () => [[[orders, mart, report].map(({ name }) => name).sort()[1]]],
  ],
  [`${SCOPED}AND NOT (t)-[:FEEDS]->() RETURN t.id`, () => [[report.id]]],
  [`${SCOPED}AND EXISTS { (t)<-[:FEEDS]-(u) WHERE u.id = $first } RETURN t.id`, () => [[mart.id]]],
  [`${SCOPED}RETURN t.id, COUNT { (t)-[:FEEDS*1..5]->() } AS n ORDER BY n DESC LIMIT 1`, () => [[orders.id, 2]]],
  [
    `${SCOPED}WITH t, COUNT { (t)-[:HAS_COLUMN]->() } AS n WHERE n > 1 RETURN sum(n) AS all, max(n), collect(n)`,
    () => [[4, 2, [2, 2]]],
  ],
  [`${SCOPED}OPTIONAL MATCH (t)-[:FEEDS]->(u) WITH t, u ORDER BY t.name RETURN count(t), count(u)`, () => [[3, 2]]],
  [`${SCOPED}RETURN DISTINCT t.entityType`, () => [['table']]],
  ['UNWIND [3, 1, 2, null] AS x RETURN x ORDER BY x', () => [[1], [2], [3], [null]]],
  ['UNWIND [1, 2] AS x RETURN x UNION UNWIND [2, 3] AS x RETURN x', () => [[1], [2], [3]]],
  ['UNWIND [1, 2] AS x RETURN x UNION ALL UNWIND [2, 3] AS x RETURN x', () => [[1], [2], [2], [3]]],
  [
    'RETURN [x IN range(1, 5) WHERE x % 2 = 1 | x * x] AS l, all(x IN [1, 2] WHERE x > 0) AS a, any(x IN [] WHERE x) AS b',
    () => [[[1, 9, 25], true, false]],
  ],
  [
    'RETURN single(x IN [1, 2] WHERE x = 2) AS s, none(x IN [1] WHERE x = 2) AS n, reduce(s = 0, x IN [1, 2] | s + x) AS r',
    () => [[true, true, 3]],
  ],
  [
    'RETURN [x IN [1, 2] | [y IN [x, 10] | x + y]] AS nested',
    () => [
      [
        [
          [2, 11],
          [4, 12],
        ],
      ],
    ],
  ],
  [
    "RETURN 1 + 2 * 3 ^ 2 AS a, -1 < 0 < 1 AS b, 7 % 4 AS c, 'a' + 'b' AS d, [1] + 2 AS e, NOT false XOR true AS f",
    () => [[19, true, 3, 'ab', [1, 2], false]],
  ],
  [
    "RETURN CASE 2 WHEN 1 THEN 'one' WHEN 2 THEN 'two' END AS a, CASE WHEN 1 > 2 THEN 1 ELSE 2 END AS b, coalesce(null, 5) AS c",
    () => [['two', 2, 5]],
  ],
  [
    "RETURN toUpper('é') AS u, split('a,b', ',') AS s, substring('abc', 1) AS t, replace('aa', 'a', 'b') AS r, size('abc') AS n",
    () => [['É', ['a', 'b'], 'bc', 'bb', 3]],
  ],
  [
    "RETURN date('2026-01-31') AS d, date('2026-01-31').month AS m, duration.inDays(date('2026-01-01'), date('2026-01-31')).days AS n",
    () => [['2026-01-31', 1, 30]],
  ],
  [
    'RETURN $list[0] AS a, $list[1..] AS b, $map.k AS c, {k: $one}.k AS d, $text IN $list AS e',
    () => [['x', ['y'], 7, 1, false]],
  ],
  ["RETURN 'it''s' AS a, \"q\\\"\\u00e9\\n\" AS b, /* a */ 1.5e1 AS c // b", () => null],
  ['RETURN "q\\"\\u00e9\\n" AS b, /* a */ 1.5e1 AS c, .5 AS d // b', () => [['q"é\n', 15, 0.5]]],
  [
    'MATCH (t:Table {id: $first}) RETURN t{.name, .id, type: t.entityType, k: [1]} AS m',
    () => [[{ name: orders.name, id: orders.id, type: 'table', k: [1] }]],
  ],
  [
    'MATCH (t {id: $first}) RETURN t:Asset AS a, t:Topic AS b, labels(t) AS c, t.partitions IS NULL AS d',
    () => [[true, false, ['Table'], true]],
  ],
  [
    'MATCH (t:Table {id: $first}) WITH {a: 1, b: t} AS m RETURN m{.a, c: m.b.id} AS m, properties(m).b.name AS name',
    () => [[{ a: 1, c: orders.id }, orders.name]],
  ],
  [
    'WITH {a: 1, b: [2]} AS m RETURN m{.*, c: 3} AS m, properties(m).b AS b, keys({k: 1}) AS k',
    () => [[{ a: 1, b: [2], c: 3 }, [2], ['k']]],
  ],
  ['MATCH (t:Table {id: $first})--(x:DatabaseSchema) RETURN x.fullyQualifiedName', () => [[world.schemaFqn]]],
  [
    'MATCH (t:Table {id: $first})-[r]->(x:Table) RETURN type(r), startNode(r).id = t.id, endNode(r).id = x.id',
    () => [['FEEDS', true, true]],
  ],
  [
    'MATCH p = (:Table {id: $first})-[:FEEDS]->{1,3}(x) RETURN length(p) AS n, [y IN nodes(p) | y.id][-1] = x.id ORDER BY n',
    () => [
      [1, true],
      [2, true],
    ],
  ],
  ['MATCH (t:Table {id: $first}) MATCH (t)-[:FEEDS]->(u) MATCH (u)-[:FEEDS]->(v) RETURN v.id', () => [[report.id]]],
  ['MATCH (a:Table {id: $first}), (b:Table {id: a.id}) RETURN a = b AS same', () => [[true]]],
  ['MATCH (t:Topic&Asset {id: $first}) RETURN t', () => []],
  ['MATCH (t:Table|Topic {id: $first}) WHERE t:Table OR t:Topic RETURN t.id', () => [[orders.id]]],
  ['MATCH (t:`Table` {`id`: $first}) RETURN t.`id` AS `the id`', () => [[orders.id]]],
];

for (const [query, rows] of CASES) {
  test(`answers ${query.slice(0, 110)}`, async () => {
    const parameters = { scope: world.schemaFqn, first: orders.id, one: 1, list: ['x', 'y'], map: { k: 7 }, text: 'z' };
    const wanted = rows();
    if (wanted === null) return expectRefused(await post(world.admin, query, parameters), 400, /^\[query line 1/);
    assert.equal(await rowsOf(world.admin, query, parameters), wanted);
  });
}

test('the answer names its columns, and says when it is cut at the limit', async () => {
  const query = 'UNWIND range(1, 20) AS x RETURN x, x * 2';
  const all = await ask(world.admin, query);
  assert.equal([all.columns, all.rows.length, all.truncated], [['x', 'x * 2'], 20, false]);
  assert.type(all.tookMs, 'number');
  const cut = await ask(world.admin, query, {}, { limit: 7 });
  assert.equal([cut.rows.length, cut.truncated, cut.rows[6]], [7, true, [7, 14]]);
  assert.is((await ask(world.admin, query, {}, { limit: 20 })).truncated, false);
  const union = `${query} UNION ALL ${query}`;
  assert.is((await ask(world.admin, union, {}, { limit: 30 })).rows.length, 30);
  const sorted = await rowsOf(world.admin, 'UNWIND range(1, 5000) AS x RETURN x ORDER BY x DESC', {}, { limit: 3 });
  assert.equal(sorted, [[5000], [4999], [4998]]);
});

test('an answer of too much text is cut before the limit of rows', async () => {
  const text = 'x'.repeat(60_000);
  const { rows, truncated } = await ask(world.admin, 'UNWIND range(1, 1000) AS x RETURN $text', { text });
  assert.is(truncated, true);
  assert.ok(rows.length > 100 && rows.length < 1000, String(rows.length));
});

test('deleted assets are in the view only where they are asked for, and their columns neither', async () => {
  const gone = await world.table('gone', [column('secret_column')]);
  ok(await feed(world.admin, orders, gone));
  ok(await world.admin.delete(`/v1/tables/${gone.id}`));
  const queries = [
    'MATCH (t:Table {id: $id}) RETURN count(*)',
    'MATCH (t {id: $id}) RETURN count(*)',
    'MATCH (c:Column) WHERE c.fullyQualifiedName STARTS WITH $name RETURN count(*)',
    'MATCH (:Table {id: $first})-[:FEEDS]->(t {id: $id}) RETURN count(*)',
  ];
  for (const query of queries) {
    const parameters = { id: gone.id, name: gone.fullyQualifiedName, first: orders.id };
    assert.equal(await rowsOf(world.admin, query, parameters), [[0]], query);
    if (query.includes('FEEDS')) continue;
    assert.equal(await rowsOf(world.admin, query, parameters, { includeDeleted: true }), [[1]], query);
  }
  ok(await world.admin.delete(`/v1/tables/${gone.id}?hardDelete=true`));
});

test('the database ends a query that takes too long, also one that computes and never answers a row', async () => {
  // Each would take a day. The parameter tells them from what others ask meanwhile.
  const mark = uniqueName('endless');
  const loops = [
    'UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b UNWIND range(1, 10000) AS c RETURN count($mark)',
    'RETURN size([a IN range(1, 10000) WHERE size([b IN range(1, 10000) WHERE size([c IN range(1, 10000) WHERE c = b]) = a]) > 0]), $mark',
    'RETURN all(a IN range(1, 10000) WHERE any(b IN range(1, 10000) WHERE none(c IN range(1, 10000) WHERE c = -1))), $mark',
  ];
  for (const query of loops) {
    const reply = await post(world.admin, query, { mark }, { timeoutMs: 1000 });
    assert.equal([reply.status, reply.json.errorType], [503, 'QUERY_TOO_LONG'], reply.text.slice(0, 200));
    await waitForRunning(world.service.graph, mark, 0);
  }
  assert.equal(await rowsOf(world.admin, 'RETURN 1'), [[1]]);
});

test('what only the database can refuse is a bad request that shows nothing of the statement', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['RETURN 1 / 0', /divided by zero/],
    ['RETURN range(1, 20000)', /a range is too long/],
    ["RETURN date('tomorrow')", /^\[query: /],
    ['MATCH (t:Table) WHERE count(t) > 1 RETURN t', /^\[query: /],
    ['MATCH (t:Table) RETURN t.name AS a, count(*) AS b ORDER BY t.id', /^\[query: /],
    ['RETURN $text[0]', /^\[query: /],
  ];
  for (const [query, words] of cases) {
    const reply = await post(world.admin, query, { text: 'abc' });
    expectRefused(reply, 400, words);
    assert.not.match(reply.text, /Entity|entityType|\bv\d|\$p|CALL|LiveTable/, reply.text);
  }
});

test('a request that is not one is refused', async () => {
  const { admin } = world;
  const bodies: readonly [unknown, RegExp][] = [
    [{}, /query/],
    [{ query: '' }, /query/],
    [{ query: 1 }, /query/],
    [{ query: 'RETURN 1', limit: 0 }, /limit/],
    [{ query: 'RETURN 1', limit: 10_001 }, /limit/],
    [{ query: 'RETURN 1', timeoutMs: 30_001 }, /timeoutMs/],
    [{ query: 'RETURN 1', parameters: [] }, /parameters/],
    [{ query: 'RETURN 1', more: 1 }, /more/],
    [null, /body/],
  ];
  for (const [body, words] of bodies) expectRefused(await admin.post('/v1/graph/query', body), 400, words);
  expectRefused(await admin.post('/v1/graph/query?depth=1', { query: 'RETURN 1' }), 400, /depth/);
  expectRefused(await anonymous(world.service).post('/v1/graph/query', { query: 'RETURN 1' }), 401);
  expectRefused(
    await admin.post('/v1/graph/query', { query: 'RETURN $a', parameters: { b: 1 } }),
    400,
    /the parameter a/,
  );
  const large = { query: 'RETURN 1', parameters: { a: 'x'.repeat(300_000) } };
  expectRefused(await admin.post('/v1/graph/query', large), 413);
});

test('the schema describes every label, edge and property with a line, and every label can be asked for', async () => {
  const schema = ok(await world.admin.get('/v1/graph/schema'));
  const names = schema.labels.map((one: { name: string }) => one.name);
  for (const name of ['Asset', 'Table', 'Dashboard', 'User', 'Column', 'DataContract'])
    assert.ok(names.includes(name), name);
  for (const { description, properties, name } of [...schema.labels, ...schema.edges]) {
    assert.ok(description.length > 5, name);
    for (const one of properties) assert.ok(one.description && one.description !== one.name, `${name}.${one.name}`);
  }
  for (const { from, to, name } of schema.edges) assert.ok(from.length > 0 && to.length > 0, name);
  assert.ok(schema.functions.includes('collect') && schema.clauses.includes('OPTIONAL MATCH'));
  const text = JSON.stringify(schema);
  assert.not.match(text, /password|tokenDigest|Json"|connection"/);
  for (const { name, properties } of schema.labels) {
    const all = properties.map((one: { name: string }) => `n.${one.name}`).join(', ');
    ok(await post(world.admin, `MATCH (n:${name}) RETURN ${all} LIMIT 1`));
  }
});

test('every edge of the store joins what the view says it joins', async () => {
  const schema = ok(await world.admin.get('/v1/graph/schema'));
  const stored = await world.service.graph.query(
    `MATCH (a)-[e]->(b) WHERE type(e) IN $types
     RETURN DISTINCT type(e) AS type, [l IN labels(a) WHERE NOT l STARTS WITH 'Live' AND l <> 'Entity'][0] AS from,
       [l IN labels(b) WHERE NOT l STARTS WITH 'Live' AND l <> 'Entity'][0] AS to`,
    { types: schema.edges.map((one: { name: string }) => one.name) },
  );
  assert.ok(stored.length > 10);
  for (const { type, from, to } of stored) {
    const edge = schema.edges.find((one: { name: string }) => one.name === type);
    assert.ok(edge.from.includes(from) && edge.to.includes(to), `${type}: ${from} → ${to}`);
  }
});

test('several queries at once have their turns', async () => {
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, at) => post(world.admin, 'UNWIND range(1, 100) AS x RETURN $at, sum(x)', { at })),
  );
  assert.equal(
    replies.map((reply) => ok(reply).rows[0]),
    replies.map((_, at) => [at, 5050]),
  );
});

test.run();
