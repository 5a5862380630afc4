import * as assert from 'uvu/assert';
import { requireKind } from '../../src/catalog/registry.ts';
import type { JsonObject } from '../../src/model/json.ts';
import {
  CHANGE_HEADER_NAME,
  countStored,
  expectList,
  expectRecord,
  expectRef,
  expectRefused,
  expectUnchanged,
  ok,
  readStored,
} from '../support/expect.ts';
import { createSamples, strayId } from '../support/samples.ts';
import { openService, openServiceAt, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that types and their custom properties follow the contract. */

const test = suite('catalog: types and their custom properties');

const PATH = '/v1/metadata/types';

let service: Service;
test.before(async () => {
  service = await openService();
});

const typeKind = () => requireKind(service.registry, 'type');
const read = async (name: string) => ok(await service.admin.get(`${PATH}/name/${name}?fields=customProperties`));
const propertyType = async (name: string) => ({ id: (await read(name)).id, type: 'type' });

/** The database of this run, for a second process on it. */
const place = () => ({
  home: process.env['TEST_HOME'] ?? '',
  uri: process.env['TEST_NEO4J_URI'] ?? '',
  user: process.env['TEST_NEO4J_USER'] ?? '',
  password: process.env['TEST_NEO4J_PASSWORD'] ?? '',
});

/** A type of its own, so that no other suite meets its properties. */
const ownType = (more: JsonObject = {}) => createSamples(service).create(typeKind(), more);

const PROPERTY_TYPES = [
  'string',
  'integer',
  'number',
  'markdown',
  'sqlQuery',
  'timestamp',
  'timeInterval',
  'duration',
  'email',
  'enum',
  'date-cp',
  'dateTime-cp',
  'time-cp',
  'entityReference',
  'entityReferenceList',
  'table-cp',
  'hyperlink-cp',
];

test('every declared kind has one type of category entity with the schema of its records', async () => {
  for (const kind of service.registry.kinds) {
    const type = await read(kind.entityType);
    expectRecord(typeKind(), type);
    assert.is(type.category, 'entity');
    const schema = JSON.parse(type.schema);
    const root = schema.$defs[kind.label];
    for (const name of kind.fieldNames) assert.ok(name in root.properties, `${kind.entityType} without ${name}`);
    assert.is(schema.$ref, `#/$defs/${kind.label}`);
    for (const [, name] of type.schema.matchAll(/"#\/\$defs\/([^"]+)"/g)) assert.ok(name in schema.$defs, name);
  }
});

test('the property types are those of the contract, of category field', async () => {
  for (const name of PROPERTY_TYPES) {
    const type = await read(name);
    assert.equal([type.category, type.updatedBy, type.version], ['field', 'admin', 0.1]);
    assert.type(JSON.parse(type.schema), 'object');
  }
});

test('properties that several processes add concurrently are all stored', async () => {
  const type = await ownType();
  const other = await openServiceAt(place());
  const propertyTypeRef = await propertyType('string');
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  const replies = await Promise.all(
    names.map((name, index) =>
      (index % 2 === 0 ? service : other).admin.put(`${PATH}/${type.id}`, { name, propertyType: propertyTypeRef }),
    ),
  );
  for (const reply of replies) ok(reply);
  const kept = (await read(type.name)).customProperties.map((property: JsonObject) => property['name']);
  assert.equal(kept.sort(), [...names].sort());
  await other.graph.close();
});

test('two processes that start concurrently create missing types once, and a later start writes nothing', async () => {
  const missing = ['team', 'duration', 'timeInterval'];
  await service.graph.query('MATCH (t:Type) WHERE t.name IN $missing DETACH DELETE t', { missing });
  const started = await Promise.all([openServiceAt(place()), openServiceAt(place())]);
  for (const name of missing) {
    const [row] = await service.graph.query('MATCH (t:Type {name: $name}) RETURN count(t) AS types', { name });
    assert.is(row?.['types'], 1, name);
    assert.is((await started[0].admin.get(`${PATH}/name/${name}`)).status, 200);
  }
  const before = await countStored(service);
  const later = await openServiceAt(place());
  assert.equal(await countStored(service), before);
  for (const { graph } of [...started, later]) await graph.close();
});

test('types are listed by the category field or entity, and no other', async () => {
  const fields = expectList(await service.admin.get(`${PATH}?category=field&limit=1000`));
  const names = fields.data.map((type: { name: string }) => type.name);
  for (const name of PROPERTY_TYPES) assert.ok(names.includes(name), name);
  const kinds = expectList(await service.admin.get(`${PATH}?category=entity&limit=1000`));
  for (const type of kinds.data) assert.is(type.category, 'entity');
  for (const kind of service.registry.kinds) {
    assert.ok(
      kinds.data.some((type: { name: string }) => type.name === kind.entityType),
      kind.entityType,
    );
  }
  assert.is(kinds.paging.total, kinds.data.length);
  const page = expectList(await service.admin.get(`${PATH}?category=entity&limit=2`));
  assert.equal([page.data.length, page.paging.total], [2, kinds.data.length]);
  assert.is(ok(await service.admin.get(`${PATH}/name/table?category=field`)).name, 'table');
  expectRefused(await service.admin.get(`${PATH}?category=other`), 400, '[category must be one of field, entity]');
});

test('seeded types cannot be deleted', async () => {
  for (const name of ['table', 'string', 'type']) {
    const { id } = await read(name);
    const sentence = `System entity [${name}] of type type can not be deleted.`;
    for (const query of ['', '?hardDelete=true']) {
      expectRefused(
        await expectUnchanged(service, id, () => service.admin.delete(`${PATH}/${id}${query}`)),
        400,
        sentence,
      );
    }
    expectRefused(await service.admin.delete(`${PATH}/name/${name}`), 400, sentence);
  }
  const made = await ownType();
  ok(await service.admin.delete(`${PATH}/${made.id}`));
  assert.is(await readStored(service, made.id), undefined);
});

test('PUT adds a property with a new version and its full type', async () => {
  const type = await ownType();
  const property = {
    name: 'cost',
    displayName: 'Cost',
    description: 'Per month',
    propertyType: await propertyType('integer'),
  };
  const reply = await service.admin.put(`${PATH}/${type.id}`, property);
  const put = ok(reply);
  expectRecord(typeKind(), put);
  assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityUpdated');
  assert.equal([put.id, put.version, put.customProperties.length], [type.id, 0.2, 1]);
  const [kept] = put.customProperties;
  assert.equal([kept.name, kept.displayName, kept.description], ['cost', 'Cost', 'Per month']);
  expectRef(kept.propertyType);
  assert.equal([kept.propertyType.name, kept.propertyType.fullyQualifiedName], ['integer', 'integer']);
  assert.equal(
    put.changeDescription.fieldsAdded.map((field: { name: string }) => field.name),
    ['customProperties'],
  );
  assert.equal((await read(type.name)).customProperties, put.customProperties);
  assert.is('customProperties' in ok(await service.admin.get(`${PATH}/${type.id}`)), false);
  const same = await expectUnchanged(service, type.id, () => service.admin.put(`${PATH}/${type.id}`, property));
  assert.is(same.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
});

test('PUT changes the property of that name and no other, and without a description stores an empty one', async () => {
  const type = await ownType();
  const at = `${PATH}/${type.id}`;
  const text = await propertyType('string');
  ok(await service.admin.put(at, { name: 'one', description: 'First', propertyType: text }));
  ok(
    await service.admin.put(at, {
      name: 'two',
      description: null,
      propertyType: { type: 'type', fullyQualifiedName: 'string' },
    }),
  );
  const put = ok(await service.admin.put(at, { name: 'one', propertyType: text, displayName: 'One' }));
  assert.equal(
    put.customProperties.map((property: JsonObject) => [
      property['name'],
      property['description'],
      property['displayName'],
    ]),
    [
      ['one', '', 'One'],
      ['two', '', undefined],
    ],
  );
  assert.is(put.version, 0.4);
});

test('JSON Patch adds and removes properties', async () => {
  const type = await ownType();
  const at = `${PATH}/${type.id}`;
  const text = await propertyType('string');
  for (const name of ['one', 'two', 'three']) ok(await service.admin.put(at, { name, propertyType: text }));
  const removed = ok(await service.admin.patch(at, [{ op: 'remove', path: '/customProperties/1' }]));
  const names = (record: { customProperties: readonly JsonObject[] }) =>
    record.customProperties.map(({ name }) => name);
  assert.equal(names(removed), ['one', 'three']);
  const added = ok(
    await service.admin.patch(at, [
      { op: 'add', path: '/customProperties/-', value: { name: 'four', propertyType: text } },
    ]),
  );
  assert.equal(names(added), ['one', 'three', 'four']);
  assert.is(added.customProperties[2].description, '');
  ok(await service.admin.patch(at, { description: 'Told' }));
  assert.equal(names(await read(type.name)), ['one', 'three', 'four']);
  const twice = [{ op: 'add', path: '/customProperties/-', value: { name: 'one', propertyType: text } }];
  expectRefused(
    await expectUnchanged(service, type.id, () => service.admin.patch(at, twice)),
    400,
    /one more than once/,
  );
});

test('PUT of the type itself keeps its properties', async () => {
  const body = await createSamples(service).body(typeKind(), { description: 'Told' });
  const type = ok(await service.admin.post(PATH, body), 201);
  ok(await service.admin.put(`${PATH}/${type.id}`, { name: 'one', propertyType: await propertyType('string') }));
  const put = ok(await service.admin.put(PATH, { ...body, description: 'Anew' }));
  assert.equal([put.description, put.customProperties.length], ['Anew', 1]);
});

test('an invalid name is refused with 400', async () => {
  const type = await ownType();
  const text = await propertyType('string');
  for (const name of ['_x', ' x', '-x', 'a::b', 'a"b', 'x'.repeat(257), '.x']) {
    const put = () => service.admin.put(`${PATH}/${type.id}`, { name, propertyType: text });
    expectRefused(await expectUnchanged(service, type.id, put), 400);
  }
  for (const name of ['x', '9lives', 'Über uns', 'a.b', 'x'.repeat(256)]) {
    ok(await service.admin.put(`${PATH}/${type.id}`, { name, propertyType: text }));
  }
});

test('an unknown type is 404, and a type that is no property type is 400', async () => {
  const type = await ownType();
  const put = (propertyType: JsonObject | undefined) =>
    expectUnchanged(service, type.id, () => service.admin.put(`${PATH}/${type.id}`, { name: 'x', propertyType }));
  const stray = strayId();
  expectRefused(await put({ id: stray, type: 'type' }), 404, `type instance for ${stray} not found`);
  expectRefused(await put({ type: 'type', fullyQualifiedName: 'nosuch' }), 404, 'type instance for nosuch not found');
  expectRefused(await put(await propertyType('table')), 400, /propertyType must be a type of category field/);
  const user = ok(await service.admin.get('/v1/users/name/admin'));
  expectRefused(await put({ id: user.id, type: 'user' }), 400, /propertyType/);
  expectRefused(await put(undefined), 400, '[propertyType must not be null]');
  expectRefused(await put({ type: 'type' }), 400);
  const field = await ownType({ category: 'field' });
  const onField = { name: 'x', propertyType: await propertyType('string') };
  expectRefused(await expectUnchanged(service, field.id, () => service.admin.put(`${PATH}/${field.id}`, onField)), 400);
});

test('the type must exist, and its routes do not collide', async () => {
  const property = { name: 'x', propertyType: await propertyType('string') };
  const stray = strayId();
  expectRefused(await service.admin.put(`${PATH}/${stray}`, property), 404, `type instance for ${stray} not found`);
  expectRefused(await service.admin.put(`${PATH}/table`, property), 404);
  const bulk = ok(await service.admin.put(`${PATH}/bulk`, []));
  assert.is(bulk.status, 'success');
  expectRefused(await service.admin.put(PATH, property), 400);
  const type = await ownType();
  expectRefused(await service.admin.put(`${PATH}/${type.id}`, { ...property, nonsense: 1 }), 400, /nonsense/);
  expectRefused(await service.admin.raw('PUT', `${PATH}/${type.id}`, undefined), 400);
});

const CONFIGS: readonly (readonly [string, readonly unknown[], readonly unknown[]])[] = [
  [
    'enum',
    [{ values: ['a', 'b'] }, { multiSelect: true, values: ['a'] }, { multiSelect: null, values: ['a'] }],
    [
      undefined,
      null,
      'a',
      [],
      {},
      { values: [] },
      { values: ['a', 'a'] },
      { values: [1] },
      { values: ['a'], more: 1 },
      { multiSelect: 'yes', values: ['a'] },
    ],
  ],
  ['date-cp', ['yyyy-MM-dd', 'dd MMM yyyy'], [undefined, 'HH:mm', 'yyyy-MM-dd HH:mm', 'YYYY', '', 7, "'x'"]],
  ['dateTime-cp', ['yyyy-MM-dd HH:mm:ss', "yyyy-MM-dd'T'HH:mm:ssXXX"], [undefined, 'yyyy-MM-dd', 'HH:mm', 'nonsense']],
  ['time-cp', ['HH:mm:ss', 'hh:mm a'], [undefined, 'yyyy', 'yyyy HH', 'qq']],
  ['entityReference', [['user'], ['user', 'team']], [undefined, [], 'user', ['user', 'user'], [1]]],
  ['entityReferenceList', [['table']], [undefined, [], {}]],
  [
    'table-cp',
    [
      { columns: ['a'] },
      { columns: ['a', 'b', 'c'], minColumns: 1, maxColumns: 3 },
      { columns: ['a', 'b'], minColumns: 2 },
    ],
    [
      undefined,
      { columns: [] },
      { columns: ['a', 'b', 'c', 'd'] },
      { columns: ['a', 'a'] },
      { columns: ['a'], minColumns: 2 },
      { columns: ['a', 'b'], maxColumns: 1 },
      { columns: ['a'], maxColumns: 4 },
      {},
      ['a'],
    ],
  ],
  ['string', [undefined, null], ['x', { values: ['a'] }]],
];

for (const [name, good, bad] of CONFIGS) {
  test(`${name}: its configuration is validated`, async () => {
    const type = await ownType();
    const propertyTypeRef = await propertyType(name);
    const put = (config: unknown) =>
      service.admin.put(`${PATH}/${type.id}`, {
        name: 'x',
        propertyType: propertyTypeRef,
        ...(config === undefined ? {} : { customPropertyConfig: { config } }),
      });
    for (const config of bad) {
      const reply = await expectUnchanged(service, type.id, () => put(config));
      assert.is(reply.status, 400, `${JSON.stringify(config)}: ${reply.text}`);
      expectRefused(reply, 400, /x/);
    }
    for (const config of good) ok(await put(config));
  });
}

test('a schema must be a JSON Schema, and the category one of two values', async () => {
  const samples = createSamples(service);
  const before = await countStored(service);
  for (const schema of ['', 'text', '[]', '{', '1']) {
    expectRefused(await service.admin.post(PATH, await samples.body(typeKind(), { schema })), 400, /schema/);
  }
  expectRefused(await service.admin.post(PATH, await samples.body(typeKind(), { category: 'thing' })), 400, /category/);
  expectRefused(await service.admin.post(PATH, { ...(await samples.body(typeKind())), customProperties: [] }), 400);
  assert.equal(await countStored(service), before);
  for (const category of ['field', 'entity']) assert.is((await ownType({ category }))['category'], category);
});

test('the definition of a type is bounded in size', async () => {
  const type = await ownType();
  const config = { values: Array.from({ length: 1000 }, (_, index) => `${index}${'x'.repeat(240)}`) };
  const propertyTypeRef = await propertyType('enum');
  const put = (name: string) =>
    service.admin.put(`${PATH}/${type.id}`, {
      name,
      propertyType: propertyTypeRef,
      customPropertyConfig: { config },
    });
  for (const name of ['a', 'b', 'c', 'd']) ok(await put(name));
  expectRefused(await expectUnchanged(service, type.id, () => put('e')), 400, /customProperties must be at most/);
});

test('history and events contain the properties', async () => {
  const type = await ownType({ name: uniqueName('told') });
  ok(await service.admin.put(`${PATH}/${type.id}`, { name: 'one', propertyType: await propertyType('string') }));
  ok(await service.admin.patch(`${PATH}/${type.id}`, [{ op: 'remove', path: '/customProperties/0' }]));
  const before = ok(await service.admin.get(`${PATH}/${type.id}/versions/0.2`));
  assert.is(before.customProperties[0].propertyType.name, 'string');
  const [event] = await service.graph.query(
    `MATCH (e:ChangeEvent {entityId: $id}) WITH e ORDER BY e.timestamp RETURN collect(e.json) AS events`,
    { id: type.id },
  );
  const told = ((event?.['events'] ?? []) as string[]).map(
    (json) => JSON.parse(json).entity.customProperties?.length ?? 0,
  );
  assert.equal(told.sort(), [0, 0, 1]);
});

test('only those who may edit types add properties', async () => {
  const type = await ownType();
  const name = uniqueName('reader');
  ok(await service.admin.post('/v1/users', { name, email: `${name}@example.com` }), 201);
  const property = { name: 'x', propertyType: await propertyType('string') };
  const reader = await service.as(name);
  expectRefused(await expectUnchanged(service, type.id, () => reader.put(`${PATH}/${type.id}`, property)), 403);
});

test.run();
