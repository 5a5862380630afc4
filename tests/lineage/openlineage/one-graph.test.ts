import { gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../src/model/json.ts';
import { expectRefused, ok } from '../../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../../support/rights.ts';
import { uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, type Made, mapping, openWorld, type World } from '../fixture.ts';
import { newPostgres, newSchema, newTable, type PostgresService } from './postgres-fixture.ts';

/** Shows that OpenLineage events join the tables, topics and containers that the catalog has, and tell what they did. */

const test = suite('lineage: OpenLineage in one graph');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const EVENTS = '/v1/lineage/openlineage';
const NAMESPACES = `${EVENTS}/namespaces`;

type Name = { readonly namespace: string; readonly name: string; readonly facets?: object };

/** Sends an event with one output; the input is where it does not matter. */
const tell = async (
  output: Name,
  input?: Name,
  path = EVENTS,
): Promise<JsonObject & { datasets: readonly JsonObject[] }> =>
  ok(
    await world.admin.post(path, {
      eventType: 'COMPLETE',
      eventTime: '2025-03-01T10:00:00Z',
      job: { namespace: 'jobs', name: uniqueName('job') },
      inputs: input ? [input] : [],
      outputs: [output],
    }),
  );

const only = ({ datasets }: { datasets: readonly JsonObject[] }): JsonObject => datasets[0] ?? {};

const matchedId = (dataset: JsonObject): unknown => (dataset['matched'] as JsonObject | undefined)?.['id'];

test('a dataset is the table at the host of a stored connection, in any letter case', async () => {
  const place = await newPostgres(world);
  const table = await newTable(world, await newSchema(world, place), 'orders');
  for (const [namespace, name] of [
    [place.namespace, 'shop.public.orders'],
    [`postgresql://${place.host.toUpperCase()}`, 'shop.public.orders'],
    [`postgres://someone@${place.host}:5432/shop`, 'public.orders'],
    [place.namespace, 'SHOP.PUBLIC.ORDERS'],
  ] as const) {
    const dataset = only(await tell({ namespace, name }));
    assert.equal([matchedId(dataset), dataset['by'], 'created' in dataset], [table.id, 'connection', false], namespace);
  }
  const elsewhere = only(await tell({ namespace: `postgres://${place.host}:5433`, name: 'shop.public.orders' }));
  assert.is('created' in elsewhere, true);
});

test('a new table of a known service is created there, and later events add what they learn', async () => {
  const place = await newPostgres(world);
  await newSchema(world, place, 'SHOP');
  const name = { namespace: place.namespace, name: 'shop.sales.daily' };
  const created = only(await tell({ ...name, facets: { schema: { fields: [{ name: 'day', type: 'date' }] } } }));
  const { id, fullyQualifiedName } = created['created'] as JsonObject;
  assert.is(fullyQualifiedName, `${place.service.fullyQualifiedName}.SHOP.sales.daily`);
  const again = only(
    await tell({ ...name, facets: { schema: { fields: [{ name: 'day' }, { name: 'total', type: 'decimal' }] } } }),
  );
  assert.equal([matchedId(again), again['by']], [id, 'connection']);
  const table = ok(await world.admin.get(`/v1/tables/${id}`));
  assert.equal(
    table.columns.map(({ name: column, dataType }: JsonObject) => [column, dataType]),
    [
      ['day', 'DATE'],
      ['total', 'DECIMAL'],
    ],
  );
  // Once a connector has brought the table in, its columns are what the connector says.
  const { databaseSchema, columns } = table;
  const body = { name: 'daily', databaseSchema: databaseSchema.fullyQualifiedName, columns, sourceHash: 'connector' };
  ok(await world.admin.put('/v1/tables', body));
  await tell({ ...name, facets: { schema: { fields: [{ name: 'more' }] } } });
  assert.is(ok(await world.admin.get(`/v1/tables/${id}`)).columns.length, 2);
});

test('two services at one place are told apart by which has the table', async () => {
  const place = await newPostgres(world);
  const twin = await world.make('services/databaseServices', {
    name: uniqueName('pg'),
    serviceType: 'Postgres',
    connection: { config: { type: 'Postgres', hostPort: place.host, username: 'u', authType: {}, database: 'shop' } },
  });
  const table = await newTable(world, await newSchema(world, { ...place, service: twin }), 'orders');
  assert.is(matchedId(only(await tell({ namespace: place.namespace, name: 'shop.public.orders' }))), table.id);
  // Of two services none is chosen for a table that neither has.
  const unclear = only(await tell({ namespace: place.namespace, name: 'shop.public.unclear' }));
  assert.match((unclear['created'] as JsonObject)['fullyQualifiedName'] as string, /^openlineage\./);
});

test('topics and containers are found and created by their names', async () => {
  const host = uniqueName('broker').replaceAll('_', '-');
  const broker = await world.make('services/messagingServices', {
    name: uniqueName('kafka'),
    serviceType: 'Kafka',
    connection: { config: { type: 'Kafka', bootstrapServers: `${host}:9092,other:9092` } },
  });
  const topic = await world.make('topics', { name: 'orders', service: broker.fullyQualifiedName, partitions: 1 });
  const namespace = `kafka://${host}:9092`;
  assert.is(matchedId(only(await tell({ namespace, name: 'orders' }))), topic.id);
  const fresh = only(await tell({ namespace, name: 'payments' }))['created'] as JsonObject;
  assert.equal([fresh['type'], fresh['fullyQualifiedName']], ['topic', `${broker.fullyQualifiedName}.payments`]);

  const bucket = uniqueName('bucket').replaceAll('_', '-');
  const storage = await world.make('services/storageServices', {
    name: uniqueName('s3'),
    serviceType: 'S3',
    connection: { config: { type: 'S3', awsConfig: { awsRegion: 'eu-west-1' }, bucketNames: [bucket] } },
  });
  const outer = await world.make('containers', { name: bucket, service: storage.fullyQualifiedName });
  const inner = await world.make('containers', {
    name: 'raw/orders',
    service: storage.fullyQualifiedName,
    parent: { id: outer.id, type: 'container' },
  });
  const at = `s3://${bucket}`;
  assert.is(matchedId(only(await tell({ namespace: at, name: 'raw/orders' }))), inner.id);
  assert.is(matchedId(only(await tell({ namespace: at, name: 'raw/orders/day=1/part-0.parquet' }))), inner.id);
  // An object is not the bucket that it lies in.
  const object = only(await tell({ namespace: at, name: 'other/things' }))['created'] as JsonObject;
  assert.is(object['type'], 'container');
  assert.match(object['fullyQualifiedName'] as string, new RegExp(`${bucket}\\.`));
});

test('a namespace that was assigned stands for a service, a database or a schema', async () => {
  const place = await newPostgres(world);
  const schema = await newSchema(world, place);
  const table = await newTable(world, schema, 'orders');
  const [database = ''] = schema.fullyQualifiedName.split(/\.public$/);
  const databaseId = ok(await world.admin.get(`/v1/databases/name/${encodeURIComponent(database)}`)).id;
  for (const [entity, name] of [
    [{ id: place.service.id, type: 'databaseService' }, 'shop.public.orders'],
    [{ id: databaseId, type: 'database' }, 'public.orders'],
    [{ type: 'databaseSchema', fullyQualifiedName: schema.fullyQualifiedName }, 'orders'],
  ] as const) {
    const namespace = uniqueName('anything');
    const assigned = ok(await world.admin.put(NAMESPACES, { namespace, entity }));
    assert.is(assigned.entity.type, entity.type);
    const dataset = only(await tell({ namespace, name }));
    assert.equal([matchedId(dataset), dataset['by']], [table.id, 'namespaceMap'], name);
    const fresh = only(await tell({ namespace, name: name.replace('orders', `new_${entity.type}`) }));
    assert.is(
      (fresh['created'] as JsonObject)['fullyQualifiedName'],
      `${schema.fullyQualifiedName}.new_${entity.type}`,
      entity.type,
    );
  }
});

test('an assigned namespace means the service of its kind, also where another one has the same name', async () => {
  const place = await newPostgres(world);
  await newSchema(world, place);
  const namespace = uniqueName('anything');
  await world.make('services/messagingServices', { name: place.service.name, serviceType: 'Kafka' });
  await world.make('services/apiServices', { name: place.service.name, serviceType: 'Rest' });
  ok(await world.admin.put(NAMESPACES, { namespace, entity: { id: place.service.id, type: 'databaseService' } }));
  const { type, fullyQualifiedName } = only(await tell({ namespace, name: 'shop.public.fresh' }))[
    'created'
  ] as JsonObject;
  assert.equal([type, fullyQualifiedName], ['table', `${place.service.fullyQualifiedName}.shop.public.fresh`]);
});

test('an assignment is listed, replaced and removed by those who may edit the record', async () => {
  const [one, other] = [await newPostgres(world), await newPostgres(world)];
  const namespace = `custom://${uniqueName('ns')}`;
  const assign = (client: World['admin'], { service }: PostgresService) =>
    client.put(NAMESPACES, { namespace, entity: { id: service.id, type: 'databaseService' } });
  ok(await assign(world.admin, one));
  ok(await assign(world.admin, other));
  const listed = async () =>
    ok(await world.admin.get(NAMESPACES)).data.filter((entry: JsonObject) => entry['namespace'] === namespace);
  assert.equal(
    (await listed()).map(({ entity }: { entity: JsonObject }) => entity['id']),
    [other.service.id],
  );
  const plain = await rights.person();
  expectRefused(await assign(plain, one), 403);
  expectRefused(await plain.delete(`${NAMESPACES}?namespace=${encodeURIComponent(namespace)}`), 403);
  ok(await world.admin.delete(`${NAMESPACES}?namespace=${encodeURIComponent(namespace)}`));
  assert.equal(await listed(), []);
  expectRefused(await world.admin.delete(`${NAMESPACES}?namespace=${encodeURIComponent(namespace)}`), 404);
  const table = await newTable(world, await newSchema(world, one), 'orders');
  for (const entity of [{ id: table.id, type: 'table' }, { id: table.id, type: 'databaseService' }, {}])
    assert.ok([400, 404].includes((await world.admin.put(NAMESPACES, { namespace, entity })).status));
});

test('a dataset of files is the table that a symlink names', async () => {
  const place = await newPostgres(world);
  const table = await newTable(world, await newSchema(world, place), 'orders');
  const identifiers = [{ namespace: place.namespace, name: 'shop.public.orders', type: 'TABLE' }];
  const files = { namespace: `s3://${uniqueName('bucket').replaceAll('_', '-')}`, name: 'warehouse/orders' };
  const dataset = only(await tell({ ...files, facets: { symlinks: { identifiers } } }));
  assert.equal([matchedId(dataset), dataset['by']], [table.id, 'symlink']);
});

test('columns that only lineage names are created on tables of events, and unknown ones of others are told', async () => {
  const place = await newPostgres(world);
  const known = await newTable(world, await newSchema(world, place), 'orders', ['id', 'total']);
  const source = { namespace: place.namespace, name: 'shop.public.raw' };
  const inputFields = (field: string) => [{ ...source, field }];
  const columnLineage = {
    fields: { id: { inputFields: inputFields('raw_id') }, nope: { inputFields: inputFields('x') } },
  };
  const answer = await tell(
    { namespace: place.namespace, name: 'shop.public.orders', facets: { columnLineage } },
    source,
  );
  const [raw, orders] = answer.datasets as [JsonObject, JsonObject];
  assert.is(matchedId(orders), known.id);
  const created = raw['created'] as unknown as Made;
  assert.equal(answer['unknownColumns'], [`${known.fullyQualifiedName}.nope`]);
  assert.equal((await detailsOf(world.admin, created, known)).columnsLineage, [
    mapping(created, ['raw_id'], known, 'id'),
  ]);
  const { columns } = ok(await world.admin.get(`/v1/tables/${created.id}`));
  assert.equal(
    columns.map(({ name }: JsonObject) => name),
    ['raw_id', 'x'],
  );
});

test('events are taken at the addresses of OpenMetadata and OpenLineage, compressed or not', async () => {
  const place = await newPostgres(world);
  const table = await newTable(world, await newSchema(world, place), 'orders');
  const output = { namespace: place.namespace, name: 'shop.public.orders' };
  for (const path of ['/v1/openlineage/lineage', '/api/v1/lineage'])
    assert.is(matchedId(only(await tell(output, undefined, path))), table.id, path);
  const event = { eventTime: '2025-03-01T10:00:00Z', dataset: output };
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const packed = gzipSync(JSON.stringify(event));
  const answer = await world.admin.raw('POST', '/api/v1/lineage', packed, headers);
  assert.is(matchedId(only(ok(answer))), table.id);
  expectRefused(await world.admin.raw('POST', '/api/v1/lineage', packed.subarray(0, 20), headers), 400);
  expectRefused(
    await world.admin.raw('POST', '/api/v1/lineage', packed, { ...headers, 'content-encoding': 'br' }),
    415,
  );
});

test('a caller who may create nothing adds nothing to a known service', async () => {
  const place = await newPostgres(world);
  await newSchema(world, place);
  const client = await rights.person([{ operations: ['ViewAll', 'EditLineage'], resources: ['all'] }]);
  const output = { namespace: place.namespace, name: 'shop.public.forbidden' };
  expectRefused(await client.post(EVENTS, { eventTime: '2025-03-01T10:00:00Z', dataset: output }), 403);
  const fqn = `${place.service.fullyQualifiedName}.shop.public.forbidden`;
  expectRefused(await world.admin.get(`/v1/tables/name/${fqn}`), 404);
});

test('a caller learns nothing of a table whose lineage is not his to edit', async () => {
  const place = await newPostgres(world);
  const table = await newTable(world, await newSchema(world, place), 'orders');
  const client = await rights.person([
    { operations: ['All'], resources: ['all'] },
    { operations: ['All'], resources: ['table'], effect: 'deny' },
  ]);
  const dataset = { namespace: place.namespace, name: 'shop.public.orders' };
  for (const event of [{ dataset }, { job: { namespace: 'jobs', name: 'j' }, inputs: [dataset] }]) {
    const refused = await client.post(EVENTS, { eventTime: '2025-03-01T10:00:00Z', ...event });
    expectRefused(refused, 403);
    assert.is(refused.text.includes(table.fullyQualifiedName), false);
  }
});

test('namespaces that match nothing are reported with the services that they probably mean', async () => {
  const place = await newPostgres(world);
  const similar = `postgres://${place.host}x:5433`;
  await tell({ namespace: similar, name: 'shop.public.lost' }, { namespace: similar, name: 'shop.public.stray' });
  const strange = `nowhere://${uniqueName('ns')}`;
  await tell({ namespace: strange, name: 'thing' });
  const found = new Map<string, JsonObject>();
  let after: string | undefined = '';
  do {
    const page = ok(await world.admin.get(`${EVENTS}/unmatched?limit=2${after === '' ? '' : `&after=${after}`}`));
    assert.ok(page.data.length <= 2);
    for (const row of page.data) found.set(row.namespace, row);
    after = page.paging.after;
  } while (after !== undefined);
  const row = found.get(similar);
  const likely = row?.['likely'] as unknown as readonly { service: JsonObject; reason: string }[];
  assert.is(row?.['tables'], 2);
  const [first] = likely;
  assert.equal([first?.service['id'], first?.reason], [place.service.id, 'similarPlace']);
  assert.equal([found.get(strange)?.['tables'], found.get(strange)?.['likely']], [1, []]);
  assert.is(found.has(place.namespace), false);
});

test.run();
