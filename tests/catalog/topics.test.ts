import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRefused, expectUnchanged, ok, pathByName } from '../support/expect.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that topics and the fields of their schemas follow the contract. */

const test = suite('catalog: topics');

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const newTopic = async (more: JsonObject = {}) => {
  const body = await samples.body('topic', more);
  return { body, made: ok(await service.admin.post('/v1/topics', body), 201) };
};
const newTag = async () => samples.create('tag', { classification: (await samples.create('classification')).name });
const label = (tag: { readonly fullyQualifiedName: string }) => ({ tagFQN: tag.fullyQualifiedName });

const OWN = {
  partitions: 12,
  cleanupPolicies: ['compact', 'delete'],
  replicationFactor: 3,
  retentionTime: 604800000.5,
  maximumMessageSize: 1048576,
  minimumInSyncReplicas: 2,
  retentionSize: 1024,
  topicConfig: { 'segment.bytes': 1, nested: { deep: [1, null] } },
  displayName: 'Orders',
  description: 'All orders',
  sourceUrl: 'https://kafka.example.com/orders',
};

test('every member of the create body is stored and returned by the contract', async () => {
  const { body, made } = await newTopic({ ...OWN, sourceHash: 'abc' });
  const read = ok(await service.admin.get(`/v1/topics/${made.id}`));
  const all = ok(await service.admin.get(`/v1/topics/${made.id}?fields=*`));
  for (const answer of [made, read, all]) {
    for (const [name, value] of Object.entries(OWN)) assert.equal(answer[name], value, name);
    assert.equal([answer.service.fullyQualifiedName, answer.serviceType], [body['service'], 'Kafka']);
  }
  assert.equal([read.sourceHash, all.sourceHash], [undefined, 'abc']);
  const { made: bare } = await newTopic();
  assert.equal([bare.retentionSize, bare.messageSchema, bare.cleanupPolicies], [-1, undefined, undefined]);
  expectRefused(await service.admin.post('/v1/topics', { ...body, name: uniqueName('t'), partitions: 1.5 }), 400);
  expectRefused(await service.admin.post('/v1/topics', { ...body, name: uniqueName('t'), partitions: null }), 400);
});

const FIELDS = (tag: { readonly fullyQualifiedName: string }) => [
  {
    name: 'order',
    dataType: 'RECORD',
    dataTypeDisplay: 'record<Order>',
    displayName: 'Order',
    description: 'What was ordered',
    children: [
      { name: 'id', dataType: 'LONG', tags: [label(tag)] },
      { name: 'a.b', dataType: 'ARRAY', children: [{ name: 'x', dataType: 'INT' }] },
    ],
  },
  { name: 'Order', dataType: 'STRING' },
];

test('fields are case-sensitive nodes at every depth, with full names and keys', async () => {
  const tag = await newTag();
  const { made } = await newTopic({
    messageSchema: { schemaText: '{}', schemaType: 'Avro', schemaFields: FIELDS(tag) },
  });
  const fqn = made.fullyQualifiedName;
  const read = ok(await service.admin.get(`/v1/topics/${made.id}?fields=tags`)).messageSchema;
  assert.equal([read.schemaText, read.schemaType], ['{}', 'Avro']);
  const [order, other] = read.schemaFields;
  assert.equal(
    [order.dataTypeDisplay, order.displayName, order.description],
    ['record<Order>', 'Order', 'What was ordered'],
  );
  const shown = [order, order.children[0], order.children[1], order.children[1].children[0], other];
  const names = [`${fqn}.order`, `${fqn}.order.id`, `${fqn}.order."a.b"`, `${fqn}.order."a.b".x`, `${fqn}.Order`];
  assert.equal(
    shown.map((field) => field.fullyQualifiedName),
    names,
  );
  assert.equal(
    shown.map((field) => field.tags.map((one: { tagFQN: string }) => one.tagFQN)),
    [[], [tag.fullyQualifiedName], [], [], []],
  );
  const plain = ok(await service.admin.get(`/v1/topics/${made.id}`)).messageSchema;
  assert.is(JSON.stringify(plain).includes('"tags"'), false);
  const nodes = await service.graph.query(
    'MATCH (c:Column) WHERE c.fullyQualifiedName IN $names RETURN c.fullyQualifiedName AS fqn, c.key IS NOT NULL AS keyed',
    { names },
  );
  assert.equal(nodes.map(({ fqn: name }) => name).sort(), [...names].sort());
  assert.ok(nodes.every(({ keyed }) => keyed === true));
  const used = ok(await service.admin.get(`/v1/tags/${tag.id}?fields=usageCount`));
  assert.is(used.usageCount, 1);
  const twice = {
    schemaFields: [
      { name: 'a', dataType: 'INT' },
      { name: 'a', dataType: 'INT' },
    ],
  };
  expectRefused(await service.admin.post('/v1/topics', await samples.body('topic', { messageSchema: twice })), 400);
});

test('the schema type defaults to None, and an empty list of fields is stored', async () => {
  const { made } = await newTopic({ messageSchema: {} });
  assert.equal(made.messageSchema, { schemaType: 'None', schemaFields: [] });
});

test('a removed field is a major step, a new one a minor step, and a renamed one keeps its node and tags', async () => {
  const tag = await newTag();
  const fields = [
    { name: 'a', dataType: 'INT', tags: [label(tag)], description: 'first' },
    { name: 'b', dataType: 'RECORD', children: [{ name: 'c', dataType: 'INT' }] },
  ];
  const { body, made } = await newTopic({ messageSchema: { schemaFields: fields } });
  const at = `/v1/topics/${made.id}`;
  const nodeOf = async (name: string) =>
    (
      await service.graph.query('MATCH (c:Column {fullyQualifiedName: $fqn}) RETURN elementId(c) AS node', {
        fqn: `${made.fullyQualifiedName}.${name}`,
      })
    )[0]?.['node'];
  const node = await nodeOf('a');
  assert.ok(node);
  const renamed = ok(
    await service.admin.patch(at, [{ op: 'replace', path: '/messageSchema/schemaFields/0/name', value: 'z' }]),
  );
  assert.is(renamed.version, 0.2);
  const [z] = renamed.messageSchema.schemaFields;
  assert.equal(
    [z.name, z.fullyQualifiedName, z.description, z.tags[0].tagFQN],
    ['z', `${made.fullyQualifiedName}.z`, 'first', tag.fullyQualifiedName],
  );
  assert.equal([await nodeOf('a'), await nodeOf('z')], [undefined, node]);
  const more = { schemaFields: [{ name: 'z', dataType: 'INT' }, fields[1], { name: 'd', dataType: 'INT' }] };
  const added = ok(await service.admin.put('/v1/topics', { ...body, messageSchema: more }));
  assert.is(added.version, 0.3);
  assert.equal(
    [added.messageSchema.schemaFields[0].description, added.messageSchema.schemaFields[0].tags.length],
    ['first', 1],
  );
  const gone = ok(await service.admin.patch(at, [{ op: 'remove', path: '/messageSchema/schemaFields/1/children/0' }]));
  assert.is(gone.version, 1.3);
  const retyped = ok(
    await service.admin.patch(at, [{ op: 'replace', path: '/messageSchema/schemaFields/0/dataType', value: 'LONG' }]),
  );
  assert.ok(retyped.version > 1.3);
  const cleared = ok(await service.admin.put('/v1/topics', body && { ...body, messageSchema: undefined }));
  assert.equal([cleared.messageSchema, Math.floor(cleared.version)], [undefined, Math.floor(retyped.version) + 1]);
});

test('sample data is stored separately and returned with the topic, without a new version', async () => {
  const { made } = await newTopic();
  const at = `/v1/topics/${made.id}/sampleData`;
  assert.is(ok(await service.admin.get(at)).sampleData, undefined);
  const put = ok(await service.admin.put(at, { messages: ['{"a":1}', ''] }));
  assert.equal([put.id, put.version, put.sampleData], [made.id, 0.1, { messages: ['{"a":1}', ''] }]);
  assert.equal(ok(await service.admin.get(at)).sampleData, put.sampleData);
  assert.is(ok(await service.admin.get(`/v1/topics/${made.id}`)).sampleData, undefined);
  assert.equal(ok(await service.admin.get(`/v1/topics/${made.id}?fields=sampleData`)).sampleData, put.sampleData);
  expectRefused(await service.admin.put(at, { messages: [1] }), 400);
  expectRefused(await service.admin.put(at, { rows: [] }), 400);
});

/** The three lists that the contract names one by one. */
const LISTS = [
  {
    path: 'databases',
    kind: 'database',
    parent: 'databaseService',
    gated:
      'owners followers votes tags domains dataProducts dataContract extension lifeCycle certification sourceHash usageSummary location databaseSchemas databaseProfilerConfig',
    empty: { owners: [], followers: [], tags: [], domains: [], dataProducts: [], databaseSchemas: [] },
  },
  {
    path: 'topics',
    kind: 'topic',
    parent: 'messagingService',
    gated:
      'owners followers votes tags domains dataProducts dataContract extension lifeCycle certification sourceHash sampleData',
    empty: { owners: [], followers: [], tags: [], domains: [], dataProducts: [] },
  },
  {
    path: 'services/mlmodelServices',
    kind: 'mlmodelService',
    parent: undefined,
    gated: 'owners tags domains dataProducts dataContract followers pipelines',
    empty: { owners: [], followers: [], tags: [], domains: [], dataProducts: [], pipelines: [] },
  },
] as const;

for (const { path, kind: entityType, parent, gated, empty } of LISTS) {
  test(`lists of ${path} have correct fields, filters, pages and totals`, async () => {
    const kind = samples.kind(entityType);
    const [home, other] = parent
      ? [await samples.create(parent), await samples.create(parent)]
      : [undefined, undefined];
    const domain = await samples.create('domain');
    const sub = await samples.create('domain', { parent: domain.fullyQualifiedName });
    const user = await samples.create('user');
    const place = (at: typeof home): JsonObject => (at ? { service: at.fullyQualifiedName } : {});
    const plain = await samples.create(kind, { ...place(home) });
    const rich = await samples.create(kind, {
      ...place(home),
      domains: [domain.fullyQualifiedName],
      owners: [{ id: user.id, type: 'user' }],
    });
    const far = await samples.create(kind, { ...place(other), domains: [domain.fullyQualifiedName] });
    const below = await samples.create(kind, { ...place(home), domains: [sub.fullyQualifiedName] });
    const ids = async (query: string): Promise<string[]> =>
      expectList(await service.admin.get(`/v1/${path}?limit=100&${query}`)).data.map((one: { id: string }) => one.id);
    const inDomain = `domain=${domain.fullyQualifiedName}`;
    assert.equal((await ids(inDomain)).sort(), [rich.id, far.id].sort());
    assert.equal(await ids(`domain=${encodeURIComponent(sub.fullyQualifiedName)}`), [below.id]);
    expectRefused(await service.admin.get(`/v1/${path}?domain=nowhere`), 404);
    if (home && other) {
      const inHome = `service=${home.fullyQualifiedName}`;
      assert.equal(
        await ids(inHome),
        [plain, rich, below].sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ id }) => id),
      );
      assert.equal(await ids(`${inHome}&${inDomain}`), [rich.id]);
      assert.equal(expectList(await service.admin.get(`/v1/${path}?limit=0&${inHome}&${inDomain}`)).paging, {
        total: 1,
      });
      assert.equal(await ids(`service=${home.fullyQualifiedName.slice(0, -1)}`), []);
      const first = expectList(await service.admin.get(`/v1/${path}?limit=2&${inHome}`));
      assert.equal([first.data.length, first.paging.total, first.paging.before], [2, 3, undefined]);
      const second = expectList(await service.admin.get(`/v1/${path}?limit=2&${inHome}&after=${first.paging.after}`));
      assert.equal([second.data.length, second.paging.total, second.paging.after], [1, 3, undefined]);
      const back = expectList(await service.admin.get(`/v1/${path}?limit=2&${inHome}&before=${second.paging.before}`));
      assert.equal(back.data, first.data);
    }
    const listed = async (fields: string) => {
      const { data } = expectList(await service.admin.get(`/v1/${path}?limit=100&${inDomain}&fields=${fields}`));
      return data.find((one: { id: string }) => one.id === rich.id);
    };
    const base = Object.keys(await listed(''));
    for (const name of gated.split(' ')) {
      assert.is(base.includes(name), false, `${name} was not asked for`);
      const more = Object.keys(await listed(name)).filter((member) => !base.includes(member));
      assert.ok(more.length === 0 || (more.length === 1 && more[0] === name), `${name}: ${more}`);
    }
    assert.equal((await listed('owners,domains')).owners[0].id, user.id);
    assert.equal((await listed(' owners , domains ')).domains[0].id, domain.id);
    const bare = ok(await service.admin.get(`/v1/${path}/${plain.id}?fields=*`));
    for (const [name, value] of Object.entries(empty)) assert.equal(bare[name], value, name);
    for (const name of ['nope', 'Owners', 'owners,nope', 'columns']) {
      expectRefused(
        await service.admin.get(`/v1/${path}?fields=${name}`),
        400,
        /^Invalid field name (nope|Owners|columns)$/,
      );
    }
    ok(await service.admin.delete(`/v1/${path}/${far.id}`));
    assert.equal(await ids(inDomain), [rich.id]);
    assert.equal(await ids(`${inDomain}&include=deleted`), [far.id]);
    assert.equal((await ids(`${inDomain}&include=all`)).sort(), [rich.id, far.id].sort());
  });
}

test('a topic is addressed by id and by name, and a refused change leaves it unchanged', async () => {
  const { body, made } = await newTopic({ name: uniqueName('a.b') });
  assert.is(made.fullyQualifiedName, `${body['service']}."${made.name}"`);
  assert.is(ok(await service.admin.get(pathByName(samples.kind('topic'), made.fullyQualifiedName))).id, made.id);
  const at = `/v1/topics/${made.id}`;
  for (const patch of [
    { partitions: null },
    { cleanupPolicies: ['keep'] },
    { messageSchema: { schemaFields: [{}] } },
  ]) {
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, patch)), 400);
  }
  expectRefused(await service.admin.post('/v1/topics', body), 409, 'Entity already exists', 'ENTITY_ALREADY_EXISTS');
});

test.run();
