import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectList, expectRef, expectRefused, expectUnchanged, ok, pathByName } from '../support/expect.ts';
import { type CreatedRecord, createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that API collections and endpoints follow the contract. */

const test = suite('catalog: API collections and endpoints');

const PATH = '/v1/apiEndpoints';

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const newCollection = (more: JsonObject = {}): Promise<CreatedRecord> => samples.create('apiCollection', more);
const newEndpoint = async (collection: CreatedRecord, more: JsonObject = {}) => {
  const body = { name: uniqueName('e'), apiCollection: collection.fullyQualifiedName, ...more };
  return { body, made: ok(await service.admin.post(PATH, body), 201) };
};

const schemas = (tags: readonly JsonObject[] = []) => ({
  requestSchema: {
    schemaType: 'Avro',
    schemaFields: [
      { name: 'user', dataType: 'RECORD', children: [{ name: 'id', dataType: 'LONG', tags: [...tags] }] },
      { name: 'User', dataType: 'STRING', description: 'another' },
    ],
  },
  responseSchema: { schemaFields: [{ name: 'user', dataType: 'STRING' }] },
});

test('both kinds store and return every member, and the source URL is accepted but not returned', async () => {
  const collection = await newCollection({ endpointURL: 'https://api.example.com/v1' });
  const own = { endpointURL: 'https://api.example.com/v1/users', requestMethod: 'PATCH', displayName: 'Users' };
  const sourceUrl = 'https://git.example.com/users.yaml';
  const { body, made } = await newEndpoint(collection, { ...own, sourceUrl, ...schemas() });
  for (const answer of [
    made,
    ok(await service.admin.get(`${PATH}/${made.id}?fields=*`)),
    ok(await service.admin.get(`${PATH}/${made.id}`)),
  ]) {
    for (const [name, value] of Object.entries(own)) assert.is(answer[name], value);
    assert.is('sourceUrl' in answer, false);
    assert.equal([answer.requestSchema.schemaType, answer.responseSchema.schemaType], ['Avro', 'JSON']);
    assert.equal([answer.apiCollection.id, answer.serviceType], [collection.id, 'Rest']);
    expectRef(answer.service);
    assert.is(answer.fullyQualifiedName, `${collection.fullyQualifiedName}.${made.name}`);
  }
  const [node] = await service.graph.query('MATCH (n:ApiEndpoint {id: $id}) RETURN n.sourceUrl AS url', {
    id: made.id,
  });
  assert.is(node?.['url'], sourceUrl);
  expectRefused(await service.admin.get(`${PATH}?fields=sourceUrl`), 400, 'Invalid field name sourceUrl');
  expectRefused(await service.admin.post(PATH, { ...body, name: uniqueName('e'), sourceUrl: 'no url' }), 400);
  expectRefused(
    await service.admin.post('/v1/apiCollections', { ...(await samples.body('apiCollection')), sourceUrl }),
    400,
  );
  const bare = (await newEndpoint(collection)).made;
  assert.equal([bare.requestMethod, bare.requestSchema, bare.responseSchema], ['GET', undefined, undefined]);
  const shown = ok(await service.admin.get(`/v1/apiCollections/${collection.id}?fields=apiEndpoints`));
  assert.equal(shown.apiEndpoints.map(({ id }: CreatedRecord) => id).sort(), [made.id, bare.id].sort());
  assert.equal([shown.endpointURL, shown.service.id], ['https://api.example.com/v1', made.service.id]);
  assert.is(ok(await service.admin.get(`/v1/apiCollections/${collection.id}`)).apiEndpoints, undefined);
  expectRefused(await service.admin.post(PATH, { name: 'x', apiCollection: 'no.where' }), 404);
  expectRefused(await service.admin.post(PATH, { name: 'x' }), 400, /apiCollection must not be null/);
});

test('lists are filtered by service, by collection and by domain', async () => {
  const home = await samples.create('apiService');
  const domain = await samples.create('domain');
  const [one, two] = [
    await newCollection({ service: home.name }),
    await newCollection({ service: home.name, domains: [domain.name] }),
  ];
  const [a, b, c] = [await newEndpoint(one), await newEndpoint(two), await newEndpoint(two)];
  const ids = async (query: string) =>
    expectList(await service.admin.get(`${PATH}?limit=100&${query}`))
      .data.map(({ id }: CreatedRecord) => id)
      .sort();
  const of = (...all: readonly { made: CreatedRecord }[]) => all.map(({ made }) => made.id).sort();
  assert.equal(await ids(`service=${home.name}`), of(a, b, c));
  assert.equal(await ids(`apiCollection=${one.fullyQualifiedName}`), of(a));
  assert.equal(await ids(`apiCollection=${two.fullyQualifiedName}&service=${home.name}`), of(b, c));
  assert.equal(await ids(`apiCollection=${two.fullyQualifiedName}&service=elsewhere`), []);
  assert.equal(await ids(`domain=${domain.name}`), of(b, c));
  assert.equal(await ids(`domain=${domain.name}&apiCollection=${one.fullyQualifiedName}`), []);
});

test('fields of both schemas are nodes with tags at every depth, and equal names in the two stay distinct', async () => {
  const { name } = await samples.create('classification');
  const tag = await samples.create('tag', { classification: name });
  const { made } = await newEndpoint(await newCollection(), schemas([{ tagFQN: tag.fullyQualifiedName }]));
  const read = ok(await service.admin.get(`${PATH}/${made.id}?fields=tags`));
  const [user, other] = read.requestSchema.schemaFields;
  assert.equal(
    [user, user.children[0], other].map((field) => field.fullyQualifiedName),
    ['user', 'user.id', 'User'].map((field) => `${made.fullyQualifiedName}.${field}`),
  );
  assert.equal([user.tags, other.tags, user.children[0].tags[0].tagFQN], [[], [], tag.fullyQualifiedName]);
  assert.equal(
    [read.responseSchema.schemaFields[0].dataType, read.responseSchema.schemaFields[0].tags],
    ['STRING', []],
  );
  const [row] = await service.graph.query(
    'MATCH (c:Column) WHERE c.fullyQualifiedName STARTS WITH $prefix RETURN count(c) AS nodes, count(DISTINCT c.key) AS keys',
    { prefix: `${made.fullyQualifiedName}.` },
  );
  assert.equal(row, { nodes: 4, keys: 4 });
});

const FORMS: readonly (readonly [string, (made: CreatedRecord) => string])[] = [
  ['id', ({ id }) => `${PATH}/${id}`],
  ['name', ({ fullyQualifiedName }) => `${PATH}/name/${encodeURIComponent(fullyQualifiedName)}`],
];

for (const [form, addressOf] of FORMS) {
  test(`an endpoint is read and patched by ${form} with both patch formats, one version per change`, async () => {
    const { made } = await newEndpoint(await newCollection(), {
      name: uniqueName('get /users/{id}.json'),
      ...schemas(),
    });
    const at = addressOf(made);
    assert.is(ok(await service.admin.get(at)).id, made.id);
    const merged = ok(await service.admin.patch(at, { description: 'merged', requestMethod: 'PUT' }));
    assert.equal([merged.version, merged.description, merged.requestMethod], [0.2, 'merged', 'PUT']);
    const patched = ok(
      await service.admin.patch(at, [
        { op: 'test', path: '/description', value: 'merged' },
        { op: 'replace', path: '/description', value: 'patched' },
        { op: 'add', path: '/responseSchema/schemaFields/-', value: { name: 'more', dataType: 'INT' } },
      ]),
    );
    assert.equal(
      [patched.version, patched.description, patched.responseSchema.schemaFields.length],
      [0.3, 'patched', 2],
    );
    const change = patched.changeDescription;
    assert.equal([change.previousVersion, patched.incrementalChangeDescription], [0.2, change]);
    const cleared = ok(await service.admin.patch(at, { description: null }));
    assert.equal([cleared.version, 'description' in cleared], [0.4, false]);
    const broken = ok(await service.admin.patch(at, [{ op: 'remove', path: '/requestSchema/schemaFields/0' }]));
    assert.is(broken.version, 1.4);
    const same = await expectUnchanged(service, made.id, () => service.admin.patch(at, { requestMethod: 'PUT' }));
    assert.is(ok(same).version, 1.4);
    const kept = ok(
      await service.admin.patch(at, {
        name: 'other',
        fullyQualifiedName: 'x',
        service: { id: made.id, type: 'table' },
      }),
    );
    assert.equal([kept.version, kept.name, kept.fullyQualifiedName], [1.4, made.name, made.fullyQualifiedName]);
    const bad: readonly (JsonObject | readonly JsonObject[])[] = [
      { requestMethod: 'FETCH' },
      { colour: 'red' },
      { deleted: true },
      { requestSchema: { schemaType: 'XML' } },
      [{ op: 'test', path: '/requestMethod', value: 'GET' }],
      [{ op: 'replace', path: '/nowhere/0', value: 1 }],
      [{ op: 'twist', path: '/description' }],
    ];
    for (const patch of bad)
      expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, patch)), 400);
  });

  test(`a patch by ${form} based on a changed version is refused with 409 CONFLICT`, async () => {
    const { made } = await newEndpoint(await newCollection());
    const at = addressOf(made);
    const before = await service.admin.get(at);
    const etag = before.headers.get('etag') ?? '';
    ok(await service.admin.patch(at, { description: 'first' }, { 'if-match': etag }));
    for (const stale of [etag, 'W/"0.1"', 'W/"7"']) {
      for (const patch of [{ description: 'late' }, [{ op: 'add', path: '/description', value: 'late' }]]) {
        const reply = await expectUnchanged(service, made.id, () =>
          service.admin.patch(at, patch, { 'if-match': stale }),
        );
        expectRefused(reply, 409, undefined, 'CONFLICT');
      }
    }
    ok(await service.admin.patch(at, { description: 'second' }, { 'if-match': 'W/"0.2"' }));
    ok(await service.admin.patch(at, { description: 'third' }, { 'if-match': '*' }));
    const [topic] = [await samples.create('topic')];
    const elsewhere = await service.admin.patch(
      `/v1/topics/${topic.id}`,
      { description: 'x' },
      { 'if-match': 'W/"7"' },
    );
    expectRefused(elsewhere, 412, undefined, 'PRECONDITION_FAILED');
  });
}

test('an unknown endpoint is not found by any address', async () => {
  for (const at of [
    `${PATH}/3f2504e0-4f89-41d3-9a0c-0305e82c3301`,
    `${PATH}/nowhere`,
    pathByName(samples.kind('apiEndpoint'), 'no.where.at'),
  ]) {
    expectRefused(await service.admin.get(at), 404);
    expectRefused(await service.admin.patch(at, { description: 'x' }), 404);
  }
});

test.run();
