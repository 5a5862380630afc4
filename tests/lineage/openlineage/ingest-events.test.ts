import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../src/model/json.ts';
import { countStored, expectRefused, ok } from '../../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../../support/rights.ts';
import { uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, type Made, mapping, openWorld, ref, type World } from '../fixture.ts';

/** Shows how OpenLineage events create records and edges. */

const test = suite('lineage: OpenLineage events');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const ONE = '/v1/lineage/openlineage';
const MANY = '/v1/lineage/openlineage/batch';

const event = (more: object): object => ({ eventType: 'COMPLETE', eventTime: '2025-03-01T10:00:00Z', ...more });

const named = async (path: string, fqn: string): Promise<JsonObject> =>
  ok(await world.admin.get(`/v1/${path}/name/${encodeURIComponent(fqn)}`));

const made = async (path: string, fqn: string): Promise<Made> => (await named(path, fqn)) as Made;

/** A dataset by its full name, which is what some emitters call it. */
const byFqn = ({ fullyQualifiedName }: Made, facets?: object) => ({
  namespace: 'anywhere',
  name: fullyQualifiedName,
  ...(facets ? { facets } : {}),
});

test('existing datasets and jobs are found by service and name, or by full name', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const service = await world.make('services/pipelineServices', { name: uniqueName('flow'), serviceType: 'Airflow' });
  const pipeline = await world.make('pipelines', { name: 'load', service: service.fullyQualifiedName });
  const below = a.fullyQualifiedName.slice(world.serviceFqn.length + 1);
  const before = await countStored(world.service);
  const answer = ok(
    await world.admin.post(
      ONE,
      event({
        job: { namespace: service.name, name: 'load', facets: { sql: { query: 'insert into b select a from a' } } },
        inputs: [{ namespace: world.serviceFqn, name: below }],
        outputs: [
          byFqn(b, {
            columnLineage: {
              fields: {
                b: { inputFields: [{ namespace: world.serviceFqn, name: below, field: 'a' }] },
                c: { inputFields: [{ namespace: world.serviceFqn, name: below, field: 'nope' }] },
              },
            },
          }),
        ],
      }),
    ),
  );
  const { datasets, ...rest } = answer;
  assert.equal(rest, {
    request: pipeline.fullyQualifiedName,
    status: 200,
    unknownColumns: [`${a.fullyQualifiedName}.nope`],
  });
  assert.equal(
    datasets.map(({ matched, by }: { matched: JsonObject; by: string }) => [matched['id'], by]),
    [
      [a.id, 'serviceName'],
      [b.id, 'fullName'],
    ],
  );
  const details = await detailsOf(world.admin, a, b);
  assert.equal(
    [details.source, details.sqlQuery, details.pipeline.id, details.columnsLineage],
    ['OpenLineage', 'insert into b select a from a', pipeline.id, [mapping(a, ['a'], b, 'b')]],
  );
  assert.is((await countStored(world.service))['columns'], before['columns'], 'nothing was created');
});

test('missing datasets are created once below the services of OpenLineage', async () => {
  const namespace = `postgres://${uniqueName('host')}:5432`;
  const job = { namespace: 'airflow', name: uniqueName('dag.task') };
  const orders = {
    namespace,
    name: 'shop.orders',
    facets: {
      schema: {
        fields: [
          { name: 'id', type: 'BIGINT' },
          { name: 'amount', type: 'decimal(10,2)' },
        ],
      },
    },
  };
  const daily = {
    namespace,
    name: 'daily',
    facets: {
      schema: { fields: [{ name: 'total', type: 'double' }] },
      columnLineage: { fields: { total: { inputFields: [{ namespace, name: 'shop.orders', field: 'amount' }] } } },
    },
  };
  const body = event({ job, inputs: [orders], outputs: [daily] });
  ok(await world.admin.post(ONE, body));
  const database = namespace.includes('.') ? `"${namespace}"` : namespace;
  const from = await made('tables', `openlineage.${database}.default."shop.orders"`);
  const to = await made('tables', `openlineage.${database}.default.daily`);
  const pipeline = await made('pipelines', `openlineage."airflow/${job.name}"`);
  assert.is((await named('services/databaseServices', 'openlineage'))['serviceType'], 'CustomDatabase');
  assert.is((await named('services/pipelineServices', 'openlineage'))['serviceType'], 'CustomPipeline');
  const { columns } = ok(await world.admin.get(`/v1/tables/${from.id}?fields=columns`));
  assert.equal(
    columns.map((column: JsonObject) => [column['name'], column['dataType'], column['dataTypeDisplay']]),
    [
      ['id', 'BIGINT', 'BIGINT'],
      ['amount', 'DECIMAL', 'decimal(10,2)'],
    ],
  );
  const details = await detailsOf(world.admin, from, to);
  assert.equal([details.pipeline.id, details.columnsLineage], [pipeline.id, [mapping(from, ['amount'], to, 'total')]]);
  const before = await countStored(world.service);
  ok(await world.admin.post(ONE, body));
  assert.is(ok(await world.admin.post(MANY, [body, body])).numberOfRowsPassed, 2);
  assert.equal(await countStored(world.service), before, 'a replay changes nothing');
  assert.equal(await detailsOf(world.admin, from, to), details);
});

test('an event without columns and SQL keeps the stored ones, and an event with them replaces them', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const service = await world.make('services/pipelineServices', { name: uniqueName('flow'), serviceType: 'Airflow' });
  await world.make('pipelines', { name: 'load', service: service.fullyQualifiedName });
  const job = { namespace: service.name, name: 'load' };
  const lineage = (field: string) =>
    byFqn(b, { columnLineage: { fields: { [field]: { inputFields: [{ ...byFqn(a), field: 'a' }] } } } });
  const whole = event({
    job: { ...job, facets: { sql: { query: 'select 1' } } },
    inputs: [byFqn(a)],
    outputs: [lineage('b')],
  });
  ok(await world.admin.post(ONE, whole));
  const before = await detailsOf(world.admin, a, b);
  const bare = event({ eventType: 'RUNNING', job, inputs: [byFqn(a)], outputs: [byFqn(b)] });
  ok(await world.admin.post(ONE, bare));
  assert.equal(await detailsOf(world.admin, a, b), before);
  ok(await world.admin.post(MANY, [bare, whole, bare]));
  assert.equal(await detailsOf(world.admin, a, b), before);
  ok(await world.admin.post(ONE, event({ job, inputs: [byFqn(a)], outputs: [lineage('c')] })));
  const after = await detailsOf(world.admin, a, b);
  assert.equal([after.sqlQuery, after.columnsLineage], ['select 1', [mapping(a, ['a'], b, 'c')]]);
  ok(await world.admin.put('/v1/lineage', { edge: { fromEntity: ref(a), toEntity: ref(b), description: 'by hand' } }));
  assert.equal(
    (await detailsOf(world.admin, a, b)).columnsLineage,
    after.columnsLineage,
    'other sources are left alone',
  );
});

test('an event that a run starts, fails or aborts adds no lineage, any other event does', async () => {
  const namespace = uniqueName('ns');
  const job = { namespace, name: 'load' };
  const told = (eventType: string, into: string): object =>
    event({ eventType, job, inputs: [{ namespace, name: 'from' }], outputs: [{ namespace, name: into }] });
  const tables = async (): Promise<unknown[]> => {
    const rows = await world.service.graph.query(
      `MATCH (t:Table) WHERE t.fullyQualifiedName STARTS WITH $below
       RETURN t.name AS name, COUNT { (t)<-[:FEEDS]-() } AS fed ORDER BY name`,
      { below: `openlineage.${namespace}.` },
    );
    return rows.map(({ name, fed }) => [name, fed]);
  };
  for (const type of ['START', 'FAIL', 'ABORT', 'fail']) ok(await world.admin.post(ONE, told(type, `by_${type}`)));
  assert.equal(await tables(), []);
  assert.is((await made('pipelines', `openlineage."${namespace}/load"`)).name, `${namespace}/load`);
  const batch = ['START', 'RUNNING', 'OTHER', 'COMPLETE', 'FAIL'].map((type) => told(type, type.toLowerCase()));
  assert.is(ok(await world.admin.post(MANY, batch)).numberOfRowsPassed, 5);
  assert.equal(await tables(), [
    ['complete', 1],
    ['from', 0],
    ['other', 1],
    ['running', 1],
  ]);
});

test('a later event adds columns to a table that events created, and to no other table', async () => {
  const namespace = uniqueName('ns');
  const fields = (...names: readonly string[]) => ({
    schema: { fields: names.map((name) => ({ name, type: 'int' })) },
  });
  const from = (facets: object) => ({ namespace, name: 'from', facets });
  const theirs = await world.table('theirs');
  const tell = async (facets: object) =>
    ok(
      await world.admin.post(
        ONE,
        event({ job: { namespace, name: 'j' }, inputs: [from(facets)], outputs: [{ ...byFqn(theirs), facets }] }),
      ),
    );
  const columnsOf = async ({ id }: Pick<Made, 'id'>): Promise<string[]> =>
    ok(await world.admin.get(`/v1/tables/${id}?fields=columns`)).columns.map(({ name }: JsonObject) => name);
  await tell(fields('a', 'b'));
  const own = await made('tables', `openlineage.${namespace}.default.from`);
  assert.equal(await columnsOf(own), ['a', 'b']);
  ok(await world.admin.patch(`/v1/tables/${own.id}`, [{ op: 'add', path: '/columns/0/description', value: 'told' }]));
  const nested = { schema: { fields: [{ name: 's', type: 'struct', fields: [{ name: 'x', type: 'int' }] }] } };
  await tell(fields('B', 'c'));
  await tell(nested);
  await tell({
    schema: {
      fields: [
        {
          name: 's',
          type: 'struct',
          fields: [{ name: 'y', type: 'int' }],
        },
      ],
    },
  });
  assert.equal(await columnsOf(own), ['a', 'b', 'c', 's']);
  const { columns, version } = ok(await world.admin.get(`/v1/tables/${own.id}?fields=columns`));
  assert.is(columns[0].description, 'told');
  assert.equal(
    columns[3].children.map(({ name }: JsonObject) => name),
    ['x', 'y'],
  );
  await tell(fields('a'));
  await tell({});
  assert.is(ok(await world.admin.get(`/v1/tables/${own.id}`)).version, version, 'nothing new changes nothing');
  assert.equal(await columnsOf(theirs), ['a', 'b', 'c']);
  const told = { fields: { c: { inputFields: [{ namespace, name: 'from', field: 'c' }] } } };
  ok(
    await world.admin.post(
      ONE,
      event({ job: { namespace, name: 'j' }, outputs: [{ ...byFqn(theirs), facets: { columnLineage: told } }] }),
    ),
  );
  const { columnsLineage } = await detailsOf(world.admin, own, theirs);
  assert.equal(columnsLineage, [mapping(own, ['c'], theirs, 'c')]);
  const batch = ['p', 'q'].map((name) => event({ dataset: { namespace, name: 'other', facets: fields(name) } }));
  ok(await world.admin.post(MANY, batch));
  assert.equal(
    new Set(await columnsOf(await made('tables', `openlineage.${namespace}.default.other`))),
    new Set(['p', 'q']),
  );
});

test('every input feeds every output, and nothing feeds itself', async () => {
  const tables = await Promise.all(['a', 'b', 'c'].map((name) => world.table(name)));
  const [a, b, c] = tables as [Made, Made, Made];
  ok(
    await world.admin.post(
      ONE,
      event({
        job: { namespace: 'ns', name: uniqueName('job') },
        inputs: [byFqn(a), byFqn(b)],
        outputs: [byFqn(b), byFqn(c)],
      }),
    ),
  );
  const found = await world.service.graph.query(
    'MATCH (a:Entity)-[:FEEDS]->(b:Entity) WHERE a.id IN $ids AND b.id IN $ids RETURN a.id AS a, b.id AS b',
    { ids: tables.map(({ id }) => id) },
  );
  assert.equal(
    found.map((row) => `${row['a']} ${row['b']}`).sort(),
    [`${a.id} ${b.id}`, `${a.id} ${c.id}`, `${b.id} ${c.id}`].sort(),
  );
});

test('a dataset event creates its table', async () => {
  const namespace = uniqueName('ns');
  const dataset = { namespace, name: 'people', facets: { schema: { fields: [{ name: 'id', type: 'int' }] } } };
  const request = `openlineage.${namespace}.default.people`;
  const answer = ok(await world.admin.post(ONE, { dataset }));
  const { id } = await named('tables', request);
  const [{ created, ...name }] = answer.datasets;
  assert.equal([answer.request, answer.status, name, created.id], [request, 200, { namespace, name: 'people' }, id]);
});

test('a later event of a dataset without a service matches the table that the first created', async () => {
  const dataset = { namespace: uniqueName('ns'), name: 'people' };
  const first = ok(await world.admin.post(ONE, { dataset })).datasets[0];
  const fields = [{ name: 'id', type: 'int' }];
  const again = ok(await world.admin.post(ONE, { dataset: { ...dataset, facets: { schema: { fields } } } }))
    .datasets[0];
  assert.equal([again.matched?.id, again.by, 'created' in again], [first.created.id, 'earlierEvent', false]);
  const { columns } = ok(await world.admin.get(`/v1/tables/${first.created.id}?fields=columns`));
  assert.equal(
    columns.map(({ name }: { name: string }) => name),
    ['id'],
  );
});

test('a caller who may create the table of a dataset may also send the later events of it', async () => {
  const resources = ['databaseService', 'database', 'databaseSchema', 'table', 'pipelineService', 'pipeline'];
  const emitter = await rights.person([{ operations: ['Create', 'ViewAll'], resources }]);
  const dataset = { namespace: uniqueName('ns'), name: 'people' };
  const job = { namespace: uniqueName('jobs'), name: 'load' };
  const send = async () => ok(await emitter.post(ONE, event({ job, inputs: [dataset] }))).datasets[0];
  const [first, second] = [await send(), await send()];
  assert.equal([second.by, second.matched?.id], ['earlierEvent', first.created.id]);
  expectRefused(await emitter.post(ONE, event({ job, inputs: [byFqn(await world.table('t'))] })), 403);
});

test('an invalid event in a batch fails alone', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const service = await world.make('services/pipelineServices', { name: uniqueName('flow'), serviceType: 'Airflow' });
  const pipeline = await world.make('pipelines', { name: 'load', service: service.fullyQualifiedName });
  const good = event({ job: { namespace: service.name, name: 'load' }, inputs: [byFqn(a)], outputs: [byFqn(b)] });
  const bad = [{}, 'text', null, { job: { name: 'x' } }, event({ job: { namespace: 'n', name: 'x'.repeat(300) } })];
  const answer = ok(await world.admin.post(MANY, [...bad, good]));
  assert.equal([answer.status, answer.numberOfRowsFailed], ['partialSuccess', 5]);
  assert.equal(
    answer.successRequest.map(
      ({ request, status, datasets }: { request: string; status: number; datasets: unknown[] }) => [
        request,
        status,
        datasets.length,
      ],
    ),
    [[pipeline.fullyQualifiedName, 200, 2]],
  );
  assert.equal(
    answer.failedRequest.map(({ request, status }: { request: unknown; status: number }) => [request, status]),
    bad.map((request) => [request, 400]),
  );
  await detailsOf(world.admin, a, b);
  expectRefused(await world.admin.post(ONE, {}), 400);
  expectRefused(await world.admin.post(MANY, good), 400);
  expectRefused(await world.admin.post(MANY, new Array(1001).fill({})), 413);
});

test('a caller without Create, or EditLineage on an endpoint, is refused', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const service = await world.make('services/pipelineServices', { name: uniqueName('flow'), serviceType: 'Airflow' });
  await world.make('pipelines', { name: 'load', service: service.fullyQualifiedName });
  const plain = await rights.person();
  const editor = await rights.person([{ operations: ['EditLineage'], resources: ['table'] }]);
  const job = { namespace: service.name, name: 'load' };
  const namespace = uniqueName('ns');
  const known = event({ job, inputs: [byFqn(a)], outputs: [byFqn(b)] });
  const fresh = event({ job, inputs: [byFqn(a)], outputs: [{ namespace, name: 'new' }] });
  expectRefused(await plain.post(ONE, known), 403);
  expectRefused(await world.admin.get(`/v1/lineage/getLineageEdge/${a.id}/${b.id}`), 404);
  const answer = ok(await editor.post(MANY, [fresh, known]));
  assert.equal([answer.successRequest.length, answer.failedRequest[0].status], [1, 403]);
  expectRefused(await world.admin.get(`/v1/tables/name/openlineage.${namespace}.default.new`), 404);
});

test('a name that is hidden is answered as one that is missing', async () => {
  const [shown, hidden, gone] = await Promise.all(['shown', 'hidden', 'gone'].map((name) => world.table(name)));
  if (!shown || !hidden || !gone) throw new Error('unreachable');
  const service = await world.make('services/pipelineServices', { name: uniqueName('flow'), serviceType: 'Airflow' });
  const [load] = await Promise.all(
    ['load', 'seen'].map((name) => world.make('pipelines', { name, service: service.fullyQualifiedName })),
  );
  if (!load) throw new Error('unreachable');
  const tag = 'Tier.Tier4';
  for (const at of [`tables/${hidden.id}`, `tables/${gone.id}`, `pipelines/${load.id}`])
    ok(await world.admin.patch(`/v1/${at}`, [{ op: 'add', path: '/tags/-', value: { tagFQN: tag } }]));
  ok(await world.admin.delete(`/v1/tables/${gone.id}`));
  const blind = { effect: 'deny' as const, operations: ['ViewBasic'], resources: ['table', 'pipeline'] };
  const editing = { operations: ['EditLineage'], resources: ['table'] };
  const caller = await rights.person([editing, { ...blind, condition: `matchAnyTag('${tag}')` }]);
  const missing = { namespace: 'anywhere', name: `${hidden.fullyQualifiedName}x` };
  const job = (name: string) => ({ namespace: service.name, name });
  const asked = [
    event({ job: job('seen'), inputs: [byFqn(shown)], outputs: [missing] }),
    event({ job: job('seen'), inputs: [byFqn(shown)], outputs: [byFqn(hidden)] }),
    event({ job: job('seen'), inputs: [byFqn(gone)], outputs: [byFqn(shown)] }),
    event({ job: job('none'), inputs: [byFqn(shown)], outputs: [byFqn(shown)] }),
    event({ job: job('load'), inputs: [byFqn(shown)], outputs: [byFqn(shown)] }),
  ];
  ok(await caller.post(ONE, event({ job: job('seen'), inputs: [byFqn(shown)], outputs: [byFqn(shown)] })));
  const before = await countStored(world.service);
  for (const body of asked) {
    expectRefused(
      await caller.post(ONE, body),
      403,
      `Principal: CatalogPrincipal{name='${caller.name}'} operations [EditLineage, Create] not allowed`,
    );
  }
  const { failedRequest } = ok(await caller.post(MANY, asked));
  assert.is(new Set(failedRequest.map(({ status, message }: JsonObject) => `${status} ${message}`)).size, 1);
  assert.is(failedRequest.length, asked.length);
  assert.equal(await countStored(world.service), before);
});

test('a job does not resolve to a pipeline of another namespace, even by its full name', async () => {
  const [a, b] = await Promise.all([world.table('a'), world.table('b')]);
  const service = await world.make('services/pipelineServices', { name: uniqueName('dag'), serviceType: 'Airflow' });
  const pipeline = await world.make('pipelines', { name: 'task', service: service.fullyQualifiedName });
  const job = { namespace: uniqueName('dev'), name: pipeline.fullyQualifiedName };
  ok(await world.admin.post(ONE, event({ job, inputs: [byFqn(a)], outputs: [byFqn(b)] })));
  const { pipeline: carrier } = await detailsOf(world.admin, a, b);
  assert.is.not(carrier.id, pipeline.id);
  assert.is(carrier.name, `${job.namespace}/${job.name}`);
});

test('who may write no lineage is refused before anything of an event is read', async () => {
  const nobody = await rights.person([{ effect: 'deny', operations: ['EditLineage', 'Create'] }]);
  const before = await countStored(world.service);
  for (const path of [ONE, MANY, '/v1/openlineage/lineage', '/v1/lineage']) {
    expectRefused(await nobody.post(path, 'no event'), 403, /operations \[EditLineage\] not allowed$/);
  }
  assert.equal(await countStored(world.service), before);
  expectRefused(await world.admin.post(ONE, 'no event'), 400);
});

test('an event that names too much is refused, and in a batch alone', async () => {
  const inputs = Array.from({ length: 1000 }, (_, at) => ({ namespace: 'wide', name: `in${at}` }));
  const outputs = inputs.map(({ namespace, name }) => ({ namespace, name: `out ${name}` }));
  const fields = Array.from({ length: 10_000 }, (_, at) => ({ name: `f${at}` }));
  const wide = [1, 2, 3].map((at) => ({ namespace: 'wide', name: `w${at}`, facets: { schema: { fields } } }));
  const before = await countStored(world.service);
  const job = { namespace: 'airflow', name: uniqueName('wide') };
  expectRefused(await world.admin.post(ONE, event({ job, outputs: wide })), 413, /at most 20000 fields/);
  assert.equal(await countStored(world.service), before);
  const [a, b] = await Promise.all([world.table('small'), world.table('other')]);
  const good = event({ job, inputs: [byFqn(a)], outputs: [byFqn(b)] });
  const answer = ok(
    await world.admin.post(MANY, [event({ job, inputs, outputs }), event({ job, outputs: wide }), good]),
  );
  assert.equal(
    answer.failedRequest.map(({ status }: { status: number }) => status),
    [400, 413],
  );
  assert.is(answer.numberOfRowsPassed, 1);
});

test.run();
