import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import type { Engine } from '../../src/catalog/engine.ts';
import { columnRoutes } from '../../src/catalog/routes/columns.ts';
import type { Call } from '../../src/http/route.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { expectList, expectRefused, ok, pathByName } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { type CreatedRecord, createSamples, type Samples, strayId } from '../support/samples.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the columns of every kind that has columns can be listed and searched without their record. */

const test = suite('catalog: column pages');

let service: Service;
let samples: Samples;
let rights: RightsFactory;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
  rights = createRightsFactory(service);
  test.after(() => rights.clear());
});

const LABELS = { tags: [{ tagFQN: 'PII.Sensitive' }] };

/** Two items, the first of which has a labelled one below it. */
const treeOf = (outer: string, inner: string, type: string, childrenMember = 'children'): JsonObject[] => [
  {
    name: 'zone',
    description: 'Where it lies',
    dataType: outer,
    [childrenMember]: [{ name: 'inner.part', dataType: inner, description: 'Deep', ...LABELS }],
  },
  { name: 'amount', dataType: type },
];

const COLUMNS = treeOf('STRUCT', 'INT', 'INT');
const FIELDS = { schemaType: 'JSON', schemaFields: treeOf('RECORD', 'STRING', 'INT') };

type Source = {
  readonly body: JsonObject;
  /** The sections of the kind, each as the path of its list within a record. */
  readonly sections: readonly (readonly string[])[];
  readonly childrenMember?: string;
};

/** Every kind with columns, with a body that has some. */
const SOURCES: Readonly<Record<string, Source>> = {
  table: { body: { columns: COLUMNS }, sections: [['columns']] },
  dashboardDataModel: { body: { columns: COLUMNS }, sections: [['columns']] },
  file: { body: { columns: COLUMNS }, sections: [['columns']] },
  container: { body: { dataModel: { columns: COLUMNS } }, sections: [['dataModel', 'columns']] },
  topic: { body: { messageSchema: FIELDS }, sections: [['messageSchema', 'schemaFields']] },
  searchIndex: { body: { fields: treeOf('OBJECT', 'TEXT', 'LONG') }, sections: [['fields']] },
  apiEndpoint: {
    body: { requestSchema: FIELDS, responseSchema: { schemaFields: [{ name: 'amount', dataType: 'LONG' }] } },
    sections: [
      ['requestSchema', 'schemaFields'],
      ['responseSchema', 'schemaFields'],
    ],
  },
  mlmodel: {
    body: { mlFeatures: treeOf('categorical', 'string', 'numerical', 'featureSources') },
    sections: [['mlFeatures']],
    childrenMember: 'featureSources',
  },
};

const sourceOf = (type: string): Source => SOURCES[type] ?? { body: {}, sections: [] };
const create = (type: string): Promise<CreatedRecord> => samples.create(type, sourceOf(type).body);
const at = (type: string, { id }: CreatedRecord): string => `/v1/${samples.kind(type).path}/${id}`;

type Column = JsonObject & { readonly name: string; readonly fullyQualifiedName: string };

/** The lists of columns inside a record. */
const columnsIn = (type: string, record: Json): Column[] =>
  sourceOf(type).sections.flatMap(
    (path) => path.reduce<Json>((value, name) => (value as JsonObject)[name] ?? [], record) as unknown as Column[],
  );

const list = async (path: string): Promise<{ data: Column[]; paging: JsonObject }> =>
  expectList(await service.admin.get(path)) as never;

test('exactly the kinds with columns have the operations', () => {
  const kindsWith = (tail: string): string[] =>
    service.registry.kinds
      .filter(({ path }) => service.app.routes.some((route) => route.path === `/v1/${path}/${tail}`))
      .map(({ entityType }) => entityType)
      .sort();
  for (const place of ['{id}/columns', 'name/{fqn}/columns', '{id}/columns/search', 'name/{fqn}/columns/search'])
    assert.equal(kindsWith(place), Object.keys(SOURCES).sort(), place);
});

for (const type of Object.keys(SOURCES)) {
  test(`${type}: columns are listed as they stand in the record, by ID and by name`, async () => {
    const made = await create(type);
    const gated = sourceOf(type).sections.map(([member]) => member);
    const read = async (fields: readonly (string | undefined)[]) =>
      columnsIn(type, ok(await service.admin.get(`${at(type, made)}?fields=${fields.join()}`)));
    const [plain, labelled] = [await read(gated), await read([...gated, 'tags'])];
    assert.ok(plain.length >= 2);
    for (const place of [at(type, made), pathByName(samples.kind(type), made.fullyQualifiedName)]) {
      const all = await list(`${place}/columns`);
      assert.equal(all.data, plain);
      assert.is(all.paging['total'], plain.length);
      assert.equal((await list(`${place}/columns?fields=tags`)).data, labelled);
      assert.equal((await list(`${place}/columns?limit=1&offset=1`)).data, plain.slice(1, 2));
    }
    assert.is(JSON.stringify(plain).includes('PII.Sensitive'), false);
    assert.is(JSON.stringify(labelled).includes('PII.Sensitive'), true);
    expectRefused(await service.admin.get(`/v1/${samples.kind(type).path}/${strayId()}/columns`), 404);
  });

  test(`${type}: columns are searched at every depth`, async () => {
    const made = await create(type);
    const found = await list(`${at(type, made)}/columns/search?q=deep&fields=tags`);
    const [inner] = found.data;
    assert.equal([found.paging['total'], inner?.name], [1, 'inner.part']);
    assert.is(inner?.fullyQualifiedName, `${made.fullyQualifiedName}.zone."inner.part"`);
    assert.ok(JSON.stringify(inner?.['tags']).includes('PII.Sensitive'));
    assert.equal((await list(`${at(type, made)}/columns/search?q=nothing`)).data, []);
  });
}

test('columns of several members follow each other, and one member can be asked for', async () => {
  const made = await create('apiEndpoint');
  const columns = `${at('apiEndpoint', made)}/columns`;
  const shapeOf = async (query: string) =>
    (await list(`${columns}${query}`)).data.map(({ name, dataType }) => `${name} ${dataType}`);
  assert.equal(await shapeOf(''), ['zone RECORD', 'amount INT', 'amount LONG']);
  assert.equal(await shapeOf('?section=requestSchema'), ['zone RECORD', 'amount INT']);
  assert.equal(await shapeOf('?section=responseSchema'), ['amount LONG']);
  assert.equal(await shapeOf('/search?q=amount'), ['amount INT', 'amount LONG']);
  assert.equal(await shapeOf('/search?q=amount&section=responseSchema'), ['amount LONG']);
  expectRefused(
    await service.admin.get(`${columns}?section=headers`),
    400,
    '[section must be one of requestSchema, responseSchema]',
  );
  const names = new Set((await list(`${columns}/search?q=amount`)).data.map((one) => one.fullyQualifiedName));
  assert.is(names.size, 1, 'the names alone do not tell which member a field is of');
});

test('a record without columns has an empty page', async () => {
  for (const type of ['container', 'topic', 'apiEndpoint', 'file', 'mlmodel']) {
    const made = await samples.create(type);
    const { data, paging } = await list(`${at(type, made)}/columns?limit=5`);
    assert.equal([data, paging['total']], [[], 0], type);
  }
});

test('columns of deleted records are listed on request', async () => {
  for (const type of ['table', 'topic']) {
    const made = await create(type);
    const columns = `${at(type, made)}/columns`;
    expectRefused(await service.admin.get(`${columns}?include=deleted`), 404);
    ok(await service.admin.delete(at(type, made)));
    for (const query of ['', '?include=non-deleted']) expectRefused(await service.admin.get(columns + query), 404);
    for (const include of ['deleted', 'all']) assert.is((await list(`${columns}?include=${include}`)).data.length, 2);
    expectRefused(await service.admin.get(`${columns}?include=some`), 400);
  }
});

/** The operations that a list of columns asks for. */
const operationsAsked = async (type: string): Promise<readonly string[]> => {
  const { id } = await create(type);
  const asked: string[] = [];
  const authorize: Engine['authorize'] = (_principal, operations) => {
    asked.push(...operations);
  };
  const path = `/v1/${samples.kind(type).path}/{id}/columns`;
  const route = columnRoutes({ ...service.app.engine, authorize }).find((one) => one.path === path);
  const call = { params: { id }, query: new URLSearchParams(), hrefBase: '', principal: SYSTEM_PRINCIPAL };
  await route?.handle({ ...call, countWork: () => {} } as unknown as Call);
  return asked;
};

test('columns need the rights that they need inside their record', async () => {
  const caller = await rights.person([{ effect: 'deny', operations: ['ViewBasic'], resources: ['topic'] }]);
  const made = await create('topic');
  for (const tail of ['', '/columns', '/columns/search'])
    expectRefused(await caller.get(at('topic', made) + tail), 403);
  assert.equal(await operationsAsked('topic'), ['ViewBasic']);
  // The columns of a container are among what its record shows on request only.
  assert.equal(await operationsAsked('container'), ['ViewBasic', 'ViewAll']);
});

test.run();
