import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { column, edgeBody, feed, type Made, mapping, openWorld, ref, type World } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { manyOr } from '../support/representatives.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, type Client, type Reply, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { fqnOf, labelled, makeClassification, mapColumns } from './label-fixture.ts';

/** Shows what changes would do, that nothing is stored, and what is refused. */

const test = suite('insight: what if');

let world: World;
let rights: RightsFactory;
let classification: string;
let reader: Person;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
  classification = await makeClassification(world);
  reader = await rights.person([HIDING]);
});

test.after(() => rights.clear());

const send = (changes: readonly JsonObject[], question: JsonObject, client: Client = world.admin): Promise<Reply> =>
  client.post('/v1/lineage/what-if', { changes, ...question } as unknown as JsonObject);

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
const ask = async (changes: readonly JsonObject[], question: JsonObject, client?: Client): Promise<any> =>
  ok(await send(changes, question, client));

const putEdge = (from: Made, to: Made, pairs: readonly (readonly [string, string])[] = []): JsonObject => ({
  op: 'putEdge',
  from: ref(from),
  to: ref(to),
  lineageDetails: { columnsLineage: pairs.map(([one, other]) => mapping(from, [one], to, other)) as unknown as Json },
});

const promise = async (table: Made, ...columns: readonly string[]): Promise<Made> => {
  const entity = { id: table.id, type: 'table' };
  const schema = columns.map((name) => column(name)) as unknown as Json;
  return ok(await world.admin.post('/v1/dataContracts', { name: uniqueName('promise'), entity, schema }), 201);
};

const namesOf = (rows: readonly { readonly entity: Made }[]) => rows.map(({ entity }) => entity.id).sort();

/** How much of what requests write there is; what the service does by itself meanwhile does not count. */
const countStored = async (): Promise<unknown> => {
  const { graph } = world.service;
  const nodes = await graph.query(
    'MATCH (n) WHERE n:Entity OR n:Column OR n:Assertion OR n:ChangeEvent UNWIND labels(n) AS label WITH label WHERE label <> "Unsequenced" RETURN label, count(*) AS count ORDER BY label',
  );
  const edges = await graph.query(
    'MATCH ()-[e:FEEDS|FED_UNTIL|DERIVES|DERIVED|TAGGED|HAS_COLUMN|HAS_CONTRACT]->() RETURN type(e) AS type, count(*) AS count ORDER BY type',
  );
  const versions = await graph.query('MATCH (n:Entity) RETURN sum(n.version) AS version, sum(n.revision) AS revision');
  assert.ok(nodes.some(({ label }) => label === 'ChangeEvent') && edges.some(({ type }) => type === 'FEEDS'));
  return { nodes, edges, versions };
};

test('a new edge carries impact, differences and labels, and nothing is stored', async () => {
  const secret = `${classification}.Secret`;
  const raw = await world.table('raw', [labelled('mail', secret), column('day')]);
  const [staged, mart] = [await world.table('staged'), await world.table('mart')];
  await mapColumns(world.admin, staged, mart, [['a', 'b']]);
  const before = await countStored();
  const answer = await ask([putEdge(raw, staged, [['mail', 'a']])], {
    ask: ['impact', 'diff', 'propagation', 'contracts'],
    id: raw.id,
    downstreamDepth: 2,
    tag: secret,
    scope: world.schemaFqn,
  });
  assert.equal(Object.keys(answer).sort(), ['contracts', 'diff', 'impact', 'propagation']);
  assert.equal(namesOf(answer.impact.affected), [staged.id, mart.id].sort());
  assert.equal(answer.diff.added.nodes.map(({ id }: Made) => id).sort(), [staged.id, mart.id].sort());
  assert.equal(answer.diff.removed, { nodes: [], edges: [], columnEdges: [] });
  const inherited = answer.propagation.data.map((row: { column: Made }) => row.column.fullyQualifiedName);
  assert.equal(inherited.sort(), [fqnOf(staged, 'a'), fqnOf(mart, 'b')].sort());
  assert.equal([answer.contracts.verdict, answer.contracts.changes], ['ok', []]);
  assert.equal(await countStored(), before, 'nothing was stored');
  const real = ok(await world.admin.get(`/v1/lineage/impact?id=${raw.id}`));
  assert.equal(real.affected, [], 'the catalog knows nothing of the edge');
});

test('a dropped column breaks the contracts of what is made from it, along new edges as well', async () => {
  const [raw, staged, mart] = [await world.table('raw'), await world.table('staged'), await world.table('mart')];
  await mapColumns(world.admin, raw, staged, [['a', 'a']]);
  const contract = await promise(mart, 'c');
  const drop = { op: 'putColumns', entity: ref(raw), columns: [column('b'), column('c')] };
  const first = await ask([drop], { ask: ['contracts'] });
  assert.equal([first.contracts.verdict, namesOf(first.contracts.affected.assets)], ['ok', [staged.id]]);
  assert.equal(
    first.contracts.changes.map(({ column: name, change, entity }: JsonObject) => [
      name,
      change,
      (entity as JsonObject)['id'],
    ]),
    [['a', 'dropped', raw.id]],
  );
  const { contracts } = await ask([putEdge(staged, mart, [['a', 'c']]), drop], { ask: ['contracts'] });
  assert.is(contracts.verdict, 'breaks');
  assert.equal(
    contracts.breaks.map(({ contract: one, entity, depth, clause }: JsonObject) => [
      (one as JsonObject)['id'],
      (entity as JsonObject)['id'],
      depth,
      clause,
    ]),
    [[contract.id, mart.id, 2, 'schema.c']],
  );
});

test('a removed edge or a removed reader no longer breaks, and a removed asset breaks its readers', async () => {
  const [raw, mart] = [await world.table('raw'), await world.table('mart')];
  await mapColumns(world.admin, raw, mart, [['a', 'c']]);
  await promise(mart, 'c');
  const drop = { op: 'putColumns', entity: ref(raw), columns: [column('b')] };
  const verdictOf = async (...changes: readonly JsonObject[]) =>
    (await ask(changes, { ask: ['contracts'] })).contracts.verdict;
  assert.is(await verdictOf(drop), 'breaks');
  assert.is(await verdictOf({ op: 'removeEdge', from: ref(raw), to: ref(mart) }, drop), 'ok');
  assert.is(await verdictOf(drop, { op: 'removeEdge', from: ref(raw), to: ref(mart) }), 'ok');
  assert.is(await verdictOf({ op: 'removeAsset', entity: ref(raw) }), 'breaks');
  const gone = await ask([{ op: 'removeAsset', entity: ref(raw) }], { ask: ['diff'], id: raw.id, downstreamDepth: 1 });
  assert.equal(
    gone.diff.removed.nodes.map(({ id }: Made) => id),
    [mart.id],
  );
});

test('a proposed contract is judged by its own asset, and by what would come', async () => {
  const [raw, mart] = [await world.table('raw'), await world.table('mart')];
  await mapColumns(world.admin, raw, mart, [['a', 'c']]);
  const propose = (...columns: readonly string[]): JsonObject => ({
    op: 'putContract',
    entity: ref(mart),
    contract: { schema: columns.map((name) => column(name)) as unknown as Json },
  });
  const lacking = await ask([propose('c', 'missing')], { ask: ['contracts'] });
  assert.equal(
    lacking.contracts.breaks.map(({ clause, reason }: JsonObject) => [clause, reason]),
    [['schema.missing', 'the asset has no column missing']],
  );
  const drop = { op: 'putColumns', entity: ref(raw), columns: [column('b')] };
  const broken = await ask([propose('c'), drop], { ask: ['contracts', 'impact'], id: raw.id, column: ['b'] });
  assert.equal(
    broken.contracts.breaks.map(({ clause }: JsonObject) => clause),
    ['schema.c'],
  );
  const kept = await ask([propose('b'), drop], { ask: ['contracts'] });
  assert.is(kept.contracts.verdict, 'ok');
});

test('the columns of an ODCS document are judged like those of a check', async () => {
  const [raw, mart] = [await world.table('raw'), await world.table('mart')];
  await mapColumns(world.admin, raw, mart, [['a', 'c']]);
  await promise(mart, 'c');
  const odcs = [
    'apiVersion: v3.1.0',
    'kind: DataContract',
    'id: one',
    'version: 1.0.0',
    'status: active',
    'schema:',
    `  - name: ${raw.name}`,
    '    properties:',
    '      - {name: b, logicalType: string}',
  ].join('\n');
  const { contracts } = await ask([{ op: 'odcs', entity: ref(raw), odcs }], { ask: ['contracts'] });
  const real = ok(await world.admin.post('/v1/dataContracts/check', { entity: ref(raw), proposed: { odcs } }));
  const clauses = ({ breaks }: { breaks: readonly JsonObject[] }) =>
    breaks.map(({ clause, reason }) => [clause, reason]);
  assert.equal(clauses(contracts), clauses(real));
  assert.is(contracts.verdict, 'breaks');
});

test('charts and pipelines are followed as in the catalog', async () => {
  const boards = await world.make('services/dashboardServices', { name: uniqueName('boards'), serviceType: 'Looker' });
  const chart = await world.make('charts', { name: 'sales', service: boards.fullyQualifiedName });
  const board = await world.make('dashboards', {
    name: 'board',
    service: boards.fullyQualifiedName,
    charts: [chart.fullyQualifiedName],
  });
  const raw = await world.table('raw');
  const change = {
    op: 'putEdge',
    from: ref(raw),
    to: { id: board.id, type: 'dashboard' },
    lineageDetails: {
      columnsLineage: [{ fromColumns: [fqnOf(raw, 'a')], toColumn: `${board.fullyQualifiedName}.sales` }],
    },
  };
  const { impact } = await ask([change], { ask: ['impact'], id: raw.id, column: ['a'] });
  ok(
    await world.admin.put(
      '/v1/lineage',
      edgeBody(raw, board, change.lineageDetails as unknown as JsonObject, {
        toEntity: { id: board.id, type: 'dashboard' },
      }),
    ),
  );
  const real = ok(await world.admin.get(`/v1/lineage/impact?id=${raw.id}&column=a`));
  assert.equal(impact, real);
  assert.equal(namesOf(real.affected), [board.id]);
  const remove = { op: 'removeEdge', from: ref(raw), to: { id: board.id, type: 'dashboard' } };
  const after = await ask([remove], { ask: ['impact'], id: raw.id, column: ['a'] });
  assert.equal(after.impact.affected, []);
  const whole = { ask: ['impact'], id: raw.id };
  const unshown = await ask([{ op: 'removeAsset', entity: { id: chart.id, type: 'chart' } }], whole);
  ok(await world.admin.delete(`/v1/charts/${chart.id}?hardDelete=true`));
  assert.equal(unshown.impact, ok(await world.admin.get(`/v1/lineage/impact?id=${raw.id}`)));
});

test('what is hidden is as if it were not there, neither named nor walked through', async () => {
  const hidden = ok(
    await world.admin.post('/v1/tables', {
      name: uniqueName('hidden'),
      databaseSchema: world.schemaFqn,
      columns: [column('a')],
      tags: [SENSITIVE],
    }),
    201,
  ) as Made;
  const [raw, mart] = [await world.table('raw'), await world.table('mart')];
  ok(await feed(world.admin, raw, hidden));
  ok(await feed(world.admin, hidden, mart));
  const question = { ask: ['impact', 'diff'], id: raw.id, downstreamDepth: 5 };
  const named = await send([putEdge(hidden, mart)], question, reader);
  expectRefused(named, 404, `changes[0].from: table instance for ${hidden.id} not found`);
  const unknown = { id: '00000000-0000-4000-8000-000000000000' };
  const missing = await send([{ ...putEdge(raw, mart), from: { ...unknown, type: 'table' } }], question, reader);
  expectRefused(missing, 404, `changes[0].from: table instance for ${unknown.id} not found`);
  for (const change of [
    { op: 'removeAsset', entity: ref(hidden) },
    { op: 'putColumns', entity: ref(hidden), columns: [column('b')] },
    { op: 'putContract', entity: ref(hidden), contract: {} },
    { op: 'removeEdge', from: ref(raw), to: ref(hidden) },
  ]) {
    expectRefused(await send([change], question, reader), 404, /^changes\[0\]\.(entity|to): table instance for /);
  }
  const other = await world.table('other');
  const { impact, diff } = await ask([putEdge(raw, other)], question, reader);
  const text = JSON.stringify({ impact, diff });
  assert.not.match(text, new RegExp(hidden.name));
  assert.ok(!namesOf(impact.affected).includes(mart.id), 'nothing is reached through what is hidden');
  assert.ok(namesOf(impact.affected).includes(other.id));
  expectRefused(await send([putEdge(raw, other)], { ask: ['impact'], id: hidden.id }, reader), 403);
});

test('to view is enough, and nobody else may ask', async () => {
  const [raw, mart] = [await world.table('raw'), await world.table('mart')];
  expectRefused(await feed(reader, raw, mart), 403);
  const { impact } = await ask([putEdge(raw, mart)], { ask: ['impact'], id: raw.id }, reader);
  assert.equal(namesOf(impact.affected), [mart.id]);
  const refused = await send([putEdge(raw, mart)], { ask: ['impact'], id: raw.id }, anonymous(world.service));
  expectRefused(refused, 401);
});

test('a change that cannot be made is refused with its place', async () => {
  const [raw, mart] = [await world.table('raw'), await world.table('mart')];
  const question = { ask: ['impact'], id: raw.id };
  const good = putEdge(raw, mart);
  const refusals: readonly (readonly [readonly JsonObject[], number, RegExp])[] = [
    [[], 400, /changes must have at least 1 item/],
    [[good, putEdge(raw, raw)], 400, /^changes\[1\]\.from: .* cannot be upstream of itself$/],
    [[{ ...good, op: 'other' }], 400, /op must be one of putEdge/],
    [[{ ...good, extra: 1 }], 400, /extra/],
    [[{ op: 'putEdge', from: ref(raw) }], 400, /^\[changes\[0\]\.to must be given for putEdge\]$/],
    [[{ ...good, odcs: 'x' }], 400, /^\[changes\[0\]\.odcs does not belong to putEdge\]$/],
    [
      [{ ...good, from: { type: 'nothing', fullyQualifiedName: 'x' } }],
      400,
      /^changes\[0\]\.from: Entity type nothing is not known$/,
    ],
    [
      [{ ...good, from: { type: 'table', fullyQualifiedName: 'x.y.z.w' } }],
      404,
      /^changes\[0\]\.from: table instance for x\.y\.z\.w not found$/,
    ],
    [[{ op: 'removeEdge', from: ref(raw), to: ref(mart) }], 404, /^changes\[0\]: Lineage edge not found$/],
    [[{ op: 'removeAsset', entity: ref(raw) }, good], 404, /^changes\[1\]\.from: table instance for /],
    [
      [{ op: 'putColumns', entity: ref(raw), columns: [column('a'), column('A')] }],
      400,
      /^changes\[0\]: columns has the column A more than once$/,
    ],
    [[{ op: 'putContract', entity: ref(raw), contract: { schema: 1 } }], 400, /^changes\[0\]\.contract: schema/],
    [[{ op: 'odcs', entity: ref(raw), odcs: 'nothing' }], 400, /^changes\[0\]: /],
    [[{ op: 'dbt', manifest: {} }], 400, /^changes\[0\]: manifest: it is no manifest of dbt$/],
    [
      [{ ...good, lineageDetails: { pipeline: { id: raw.id, type: 'pipeline' } } }],
      404,
      /^changes\[0\]\.lineageDetails\.pipeline: pipeline instance for /,
    ],
  ];
  for (const [changes, status, message] of refusals) expectRefused(await send(changes, question), status, message);
});

test('a question that cannot be answered is refused', async () => {
  const [raw, mart] = [await world.table('raw'), await world.table('mart')];
  const changes = [putEdge(raw, mart)];
  const refusals: readonly (readonly [JsonObject, number, RegExp])[] = [
    [{ ask: [] }, 400, /ask must have at least 1 item/],
    [{ ask: ['nothing'] }, 400, /must be one of impact/],
    [{}, 400, /ask must not be null/],
    [{ ask: ['impact'] }, 400, /id, or type and fqn, must be given/],
    [{ ask: ['impact'], id: raw.id, other: 1 }, 400, /other/],
    [
      { ask: ['impact'], id: raw.id, tag: 'x' },
      400,
      /^\[tag is a parameter of propagation, which ask does not name\]$/,
    ],
    [{ ask: ['impact'], id: raw.id, change: 'nothing' }, 400, /change must be one of/],
    [{ ask: ['impact'], id: raw.id, column: ['nothing'] }, 404, /column instance for nothing not found/],
    [{ ask: ['impact'], id: raw.id, maxDepth: 51 }, 400, /maxDepth/],
    [{ ask: ['diff'], id: raw.id, upstreamDepth: 51 }, 400, /upstreamDepth/],
    [{ ask: ['impact'], type: 'table', fqn: 'not.there' }, 404, /table instance for not\.there not found/],
    [{ ask: ['propagation'] }, 400, /tag must be given for propagation/],
    [{ ask: ['propagation'], tag: 'Not.There' }, 404, /tag instance for Not\.There not found/],
    [{ ask: ['propagation'], tag: `${classification}.Secret`, scope: 'not.there' }, 404, /not\.there not found/],
  ];
  for (const [question, status, message] of refusals) expectRefused(await send(changes, question), status, message);
});

test('the number of changes is bounded, and an answer that was cut says so', async () => {
  const tables = await Promise.all(['one', 'two', 'three', 'four'].map((name) => world.table(name)));
  const [one, two, three, four] = tables as [Made, Made, Made, Made];
  const many = Array.from({ length: 10_001 }, () => putEdge(one, two));
  expectRefused(await send(many, { ask: ['impact'], id: one.id }), 400, /changes must have at most 10000 items/);
  const few = await openSecondProcessWith(
    world.service,
    {},
    { env: { MAX_LINEAGE_NODES: '2', MAX_LINEAGE_EDGES: '2' } },
  );
  const chain = [putEdge(one, two), putEdge(two, three), putEdge(three, four)];
  for (const part of ['impact', 'diff']) {
    const reply = await send(
      chain,
      { ask: [part], id: one.id, ...(part === 'diff' ? { downstreamDepth: 5 } : {}) },
      few.client,
    );
    ok(reply);
    assert.match(reply.headers.get('x-lineage-truncated') ?? '', /nodes|edges/, part);
  }
});

test('thousands of changes are answered together', async () => {
  const names = Array.from({ length: manyOr(46, 72) }, (_, at) => `wide${at}_${uniqueName('t')}`);
  const rows = names.map((name) => ({ name, databaseSchema: world.schemaFqn, columns: [column('a'), column('b')] }));
  ok(await world.admin.put('/v1/tables/bulk', rows as unknown as Json));
  const end = (at: number): JsonObject => ({ type: 'table', fullyQualifiedName: `${world.schemaFqn}.${names[at]}` });
  const changes = names.flatMap((_, from) =>
    names.flatMap((__, to): JsonObject[] => {
      if (from === to) return [];
      const columnsLineage = [
        { fromColumns: [`${end(from)['fullyQualifiedName']}.a`], toColumn: `${end(to)['fullyQualifiedName']}.b` },
      ];
      return [{ op: 'putEdge', from: end(from), to: end(to), lineageDetails: { columnsLineage } }];
    }),
  );
  const drops = names.map((_, at): JsonObject => ({ op: 'putColumns', entity: end(at), columns: [column('b')] }));
  const question = { ask: ['impact', 'contracts'], type: 'table', fqn: String(end(0)['fullyQualifiedName']) };
  const { impact } = await ask(changes, question);
  assert.is(impact.affected.length, names.length - 1);
  const { impact: after, contracts } = await ask([...changes, ...drops], question);
  assert.is(after.affected.length, names.length - 1);
  assert.is(contracts.changes.length, names.length, 'each table loses a column');
});

test('two questions at once know nothing of each other', async () => {
  const raw = await world.table('raw');
  const others = await Promise.all(Array.from({ length: 8 }, (_, at) => world.table(`other${at}`)));
  const answers = await Promise.all(
    others.map((other) => ask([putEdge(raw, other)], { ask: ['impact', 'diff'], id: raw.id })),
  );
  assert.equal(
    answers.map(({ impact }) => namesOf(impact.affected)),
    others.map(({ id }) => [id]),
  );
});

test.run();
