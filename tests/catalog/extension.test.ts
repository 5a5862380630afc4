import * as assert from 'uvu/assert';
import { createStore } from '../../src/catalog/read/store.ts';
import { requireKind } from '../../src/catalog/registry.ts';
import type { Graph } from '../../src/graph/client.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import {
  CHANGE_HEADER_NAME,
  countStored,
  createPerson,
  expectRef,
  expectRefused,
  expectUnchanged,
  ok,
  pathByName,
  readStored,
} from '../support/expect.ts';
import { createSamples, type Samples, strayId } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that custom properties are validated by their type, stored and patched. */

const test = suite('catalog: custom property values');

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const TYPES = '/v1/metadata/types';
const TABLES = '/v1/tables';
const table = () => requireKind(service.registry, 'table');

const typeNamed = async (name: string) => ok(await service.admin.get(`${TYPES}/name/${name}?fields=customProperties`));

/** Defines a property of a kind under a name of its own, and answers the name. */
const define = async (typeName: string, config?: Json, entityType = 'table'): Promise<string> => {
  const name = uniqueName(typeName.replace('-', ''));
  const propertyType = { id: (await typeNamed(typeName)).id, type: 'type' };
  const property = { name, propertyType, ...(config === undefined ? {} : { customPropertyConfig: { config } }) };
  ok(await service.admin.put(`${TYPES}/${(await typeNamed(entityType)).id}`, property));
  return name;
};

const undefine = async (name: string, entityType = 'table') => {
  const type = await typeNamed(entityType);
  const index = type.customProperties.findIndex((property: JsonObject) => property['name'] === name);
  ok(await service.admin.patch(`${TYPES}/${type.id}`, [{ op: 'remove', path: `/customProperties/${index}` }]));
};

const extensionOf = async (kind: Kind, id: string) =>
  ok(await service.admin.get(`/v1/${kind.path}/${id}?fields=extension`)).extension;

type Cases = readonly [type: string, config: Json | undefined, good: readonly Json[], bad: readonly Json[]];

const DAY = { columns: ['day', 'who'] };

const CASES: readonly Cases[] = [
  ['string', undefined, ['x', ''], [1, true, [], {}]],
  ['integer', undefined, [0, -7, 9007199254740991], [1.5, '1', 1e300, true]],
  ['number', undefined, [0, 1.5, -1e300], ['1', [1], false]],
  ['markdown', undefined, ['# Title'], [1, {}]],
  ['sqlQuery', undefined, ['SELECT 1'], [1, ['SELECT 1']]],
  ['timestamp', undefined, [0, 1763719200000], [1.5, -1, '2024-01-01']],
  [
    'timeInterval',
    undefined,
    [
      { start: 1, end: 2 },
      { start: 1, end: 1 },
    ],
    [{ start: 1 }, { end: 1 }, { start: 2, end: 1 }, { start: '1', end: 2 }, { start: 1, end: 2, more: 3 }, 1],
  ],
  ['duration', undefined, ['P1D', 'PT1H30M'], ['1 day', 'P', 1]],
  ['email', undefined, ['ann@example.com'], ['ann', 'ann@', 1, 'a@b.c']],
  ['enum', { values: ['a', 'b'] }, ['a', 'b'], ['c', ['a'], 1, {}]],
  ['enum', { values: ['a', 'b'], multiSelect: true }, ['a', ['a'], ['b', 'a']], ['c', ['a', 'c'], [1], ['a', 'a'], {}]],
  ['date-cp', 'yyyy-MM-dd', ['2024-02-29'], ['2023-02-29', '29.02.2024', 20240229]],
  [
    'dateTime-cp',
    'yyyy-MM-dd HH:mm:ss',
    ['2024-02-29 12:00:00'],
    ['2024-02-29', '2024-02-29 25:00:00', '2024-02-29T12:00:00'],
  ],
  ['time-cp', 'HH:mm', ['12:00', '00:00'], ['24:00', '12:00:00', 12]],
  [
    'table-cp',
    DAY,
    [{ rows: [] }, { rows: [{ day: 'Mon', who: 'Ann' }, { day: 'Tue' }] }, { columns: ['day', 'who'], rows: [{}] }],
    [
      {},
      { rows: [{ other: 'x' }] },
      { rows: [{ day: 1 }] },
      { rows: {} },
      { columns: ['other'], rows: [] },
      [{ day: 'Mon' }],
      { rows: [], more: 1 },
    ],
  ],
  [
    'hyperlink-cp',
    undefined,
    [{ url: 'https://example.com/x', displayText: 'X' }, { url: 'https://example.com' }],
    [{}, { url: 'x' }, { displayText: 'X' }, 'https://example.com', { url: 'https://example.com', more: 1 }],
  ],
];

for (const [typeName, config, good, bad] of CASES) {
  test(`${typeName}${config === undefined ? '' : ` ${JSON.stringify(config)}`}: valid values are accepted and invalid ones refused`, async () => {
    const name = await define(typeName, config);
    const body = await samples.body(table());
    const before = await countStored(service);
    for (const value of bad) {
      const reply = await service.admin.post(TABLES, { ...body, extension: { [name]: value } });
      assert.is(reply.status, 400, `${JSON.stringify(value)}: ${reply.text}`);
      expectRefused(reply, 400, new RegExp(name));
    }
    assert.equal(await countStored(service), before);
    const made = ok(await service.admin.post(TABLES, body), 201);
    for (const value of good) {
      const put = ok(await service.admin.put(TABLES, { ...body, extension: { [name]: value } }));
      assert.equal(put.extension, { [name]: value });
      assert.equal(await extensionOf(table(), made.id), { [name]: value });
    }
    for (const value of bad) {
      const refusal = await expectUnchanged(service, made.id, () =>
        service.admin.patch(`${TABLES}/${made.id}`, [{ op: 'add', path: `/extension/${name}`, value }]),
      );
      expectRefused(refusal, 400, new RegExp(name));
    }
  });
}

test('an unknown property is refused with 400 and the message of the contract by every write', async () => {
  const body = await samples.body(table());
  const extension = { nosuch: 1 };
  const sentence = 'Unknown custom field nosuch';
  const before = await countStored(service);
  expectRefused(await service.admin.post(TABLES, { ...body, extension }), 400, sentence);
  expectRefused(await service.admin.put(TABLES, { ...body, extension }), 400, sentence);
  const bulk = ok(await service.admin.put(`${TABLES}/bulk`, [{ ...body, extension }]));
  assert.equal([bulk.status, bulk.failedRequest[0].message], ['failure', sentence]);
  assert.equal(await countStored(service), before);
  const made = ok(await service.admin.post(TABLES, body), 201);
  const at = `${TABLES}/${made.id}`;
  expectRefused(
    await expectUnchanged(service, made.id, () => service.admin.put(TABLES, { ...body, extension })),
    400,
    sentence,
  );
  expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, { extension })), 400, sentence);
  const add = [{ op: 'add', path: '/extension/nosuch', value: 1 }];
  expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, add)), 400, sentence);
  for (const name of ['constructor', '__proto__', 'toString']) {
    const text = JSON.stringify({ ...body, extension: {} }).replace('"extension":{}', `"extension":{"${name}":1}`);
    expectRefused(await service.admin.raw('PUT', TABLES, text), 400, `Unknown custom field ${name}`);
  }
});

test('every kind accepts the custom properties of its own type and no others', async () => {
  for (const kind of service.registry.kinds.filter((known) => known.gated.includes('extension'))) {
    const name = await define('string', undefined, kind.entityType);
    const path = `/v1/${kind.path}`;
    const inBody = kind.create.includes('extension');
    const made = ok(
      await service.admin.post(path, await samples.body(kind, inBody ? { extension: { [name]: 'x' } } : {})),
      201,
    );
    if (!inBody) ok(await service.admin.patch(`${path}/${made.id}`, { extension: { [name]: 'x' } }));
    assert.equal(await extensionOf(kind, made.id), { [name]: 'x' }, kind.entityType);
    await undefine(name, kind.entityType);
  }
  const ofDomain = await define('string', undefined, 'domain');
  const body = await samples.body(table(), { extension: { [ofDomain]: 'x' } });
  expectRefused(await service.admin.post(TABLES, body), 400, `Unknown custom field ${ofDomain}`);
});

test('PUT without or with an empty extension keeps it, and any other replaces it', async () => {
  const [one, two] = [await define('string'), await define('integer')];
  const body = await samples.body(table());
  const made = ok(await service.admin.post(TABLES, { ...body, extension: { [one]: 'x' } }), 201);
  for (const extension of [undefined, null, {}, { [two]: null }]) {
    const reply = await service.admin.put(TABLES, { ...body, ...(extension === undefined ? {} : { extension }) });
    assert.equal(ok(reply).extension, { [one]: 'x' }, JSON.stringify(extension));
  }
  const put = ok(await service.admin.put(TABLES, { ...body, extension: { [two]: 7, [one]: null } }));
  assert.equal(put.extension, { [two]: 7 });
  const bot = await createPerson(service, uniqueName('bot'), { isBot: true });
  const kept = ok(await bot.put(TABLES, { ...body, extension: { [one]: 'by a bot' } }));
  assert.equal(kept.extension, { [two]: 7 });
  assert.is((await readStored(service, made.id))?.versions, 1);
});

test('PATCH adds and removes single properties, including the first one', async () => {
  const [one, two] = [await define('string'), await define('integer')];
  const made = await samples.create(table());
  const at = `${TABLES}/${made.id}`;
  const patched = async (patch: unknown) => ok(await service.admin.patch(at, patch)).extension;
  assert.equal(await patched([{ op: 'add', path: `/extension/${one}`, value: 'x' }]), { [one]: 'x' });
  assert.equal(await patched({ extension: { [two]: 1 } }), { [one]: 'x', [two]: 1 });
  assert.equal(await patched([{ op: 'remove', path: `/extension/${one}` }]), { [two]: 1 });
  assert.is(await patched({ extension: { [two]: null } }), undefined);
  assert.is(await extensionOf(table(), made.id), undefined);
});

test('references are stored by id and shown in their current state', async () => {
  const name = await define('entityReference', ['user']);
  const list = await define('entityReferenceList', ['user', 'team']);
  const ann = await createPerson(service, uniqueName('ann'));
  const kind = requireKind(service.registry, 'team');
  const team = await samples.create(kind);
  const extension = {
    [name]: { id: ann.id, type: 'user' },
    [list]: [
      { type: 'team', fullyQualifiedName: team.fullyQualifiedName },
      { id: ann.id, type: 'user', name: 'whatever', href: 'http://elsewhere' },
    ],
  };
  const made = ok(await service.admin.post(TABLES, await samples.body(table(), { extension })), 201);
  const shown = async () => extensionOf(table(), made.id);
  for (const values of [made.extension, await shown()]) {
    expectRef(values[name]);
    assert.equal([values[name].id, values[name].name, values[name].type], [ann.id, ann.name, 'user']);
    for (const ref of values[list]) expectRef(ref);
    assert.equal(
      values[list].map((ref: JsonObject) => ref['id']),
      [team.id, ann.id],
    );
  }
  const kept = JSON.parse((await readStored(service, made.id))?.properties['extensionJson'] as string);
  assert.equal(kept[name], { id: ann.id, type: 'user' });
  ok(await service.admin.patch(`/v1/users/${ann.id}`, { displayName: 'Ann' }));
  assert.is((await shown())[name].displayName, 'Ann');
  const again = await expectUnchanged(service, made.id, () =>
    service.admin.patch(`${TABLES}/${made.id}`, { extension: made.extension }),
  );
  assert.is(again.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  ok(await service.admin.delete(`/v1/users/${ann.id}`));
  assert.is((await shown())[name].deleted, true);
  ok(await service.admin.patch(`${TABLES}/${made.id}`, { description: 'Told' }));
  ok(await service.admin.delete(`/v1/users/${ann.id}?hardDelete=true`));
  const left = await shown();
  assert.equal([name in left, left[list].length], [false, 1]);
});

test('a reference to an unknown asset is 404, and one to a disallowed type is 400', async () => {
  const name = await define('entityReference', ['user', 'team']);
  const only = await define('entityReferenceList', ['user']);
  const ann = await createPerson(service, uniqueName('ann'));
  const other = await samples.create(table());
  const stray = strayId();
  const put = async (extension: JsonObject) =>
    expectUnchanged(service, other.id, () => service.admin.patch(`${TABLES}/${other.id}`, { extension }));
  expectRefused(await put({ [name]: { id: stray, type: 'user' } }), 404, `user instance for ${stray} not found`);
  expectRefused(
    await put({
      [only]: [
        { id: ann.id, type: 'user' },
        { id: stray, type: 'user' },
      ],
    }),
    404,
  );
  expectRefused(await put({ [name]: { id: ann.id, type: 'team' } }), 404, `team instance for ${ann.id} not found`);
  expectRefused(
    await put({ [name]: { type: 'user', fullyQualifiedName: 'nobody' } }),
    404,
    'user instance for nobody not found',
  );
  expectRefused(
    await put({ [name]: { id: other.id, type: 'table' } }),
    400,
    new RegExp(`${name} must be of type user or team`),
  );
  expectRefused(await put({ [name]: { id: ann.id } }), 400, new RegExp(name));
  expectRefused(await put({ [name]: { type: 'user' } }), 400, new RegExp(name));
  expectRefused(await put({ [name]: [{ id: ann.id, type: 'user' }] }), 400, new RegExp(name));
  expectRefused(await put({ [only]: { id: ann.id, type: 'user' } }), 400, new RegExp(only));
  expectRefused(await put({ [name]: 'ann' }), 400, new RegExp(name));
  const patched = ok(await service.admin.patch(`${TABLES}/${other.id}`, { extension: { [only]: [{ id: ann.id }] } }));
  assert.is(patched.extension[only][0].name, ann.name);
});

test('references can be sent back with all their members', async () => {
  const name = await define('entityReferenceList', ['user']);
  const rows = Array.from({ length: 400 }, (_, index) => {
    const user = uniqueName(`many${index}`);
    return { name: user, displayName: 'x'.repeat(200), email: `${user}@example.com` };
  });
  const users = ok(await service.admin.put('/v1/users/bulk', rows)).successRequest;
  const refs = users.map(({ request }: { request: string }) => ({ type: 'user', fullyQualifiedName: request }));
  const made = ok(await service.admin.post(TABLES, await samples.body(table(), { extension: { [name]: refs } })), 201);
  assert.is(made.extension[name].length, 400);
  const patched = ok(await service.admin.patch(`${TABLES}/${made.id}`, { description: 'Told' }));
  assert.is(patched.extension[name].length, 400);
  const same = await service.admin.patch(`${TABLES}/${made.id}`, { extension: patched.extension });
  assert.is(same.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  const large = { [await define('string')]: 'x'.repeat(70_000) };
  expectRefused(await service.admin.post(TABLES, await samples.body(table(), { extension: large })), 400, /extension/);
});

test('each bulk row is validated by the current type', async () => {
  const name = await define('integer');
  const parents = await samples.parents(table());
  const row = (extension: JsonObject) => ({
    name: uniqueName('row'),
    columns: [{ name: 'id', dataType: 'INT' }],
    ...parents,
    extension,
  });
  const rows = [row({ [name]: 1 }), row({ [name]: 'x' }), row({ [name]: 2 }), row({ nosuch: 1 })];
  const result = ok(await service.admin.put(`${TABLES}/bulk`, rows));
  assert.equal([result.numberOfRowsPassed, result.numberOfRowsFailed], [2, 2]);
  for (const { request } of result.successRequest) {
    const read = ok(await service.admin.get(pathByName(table(), request, '?fields=extension')));
    assert.type(read.extension[name], 'number');
  }
  assert.match(result.failedRequest[0].message, new RegExp(name));
  assert.is(result.failedRequest[1].message, 'Unknown custom field nosuch');
  await undefine(name);
  const late = ok(await service.admin.put(`${TABLES}/bulk`, [row({ [name]: 1 })]));
  assert.is(late.failedRequest[0].message, `Unknown custom field ${name}`);
});

test('a thousand rows read the custom properties of their kind once', async () => {
  const [whole, text] = [await define('integer'), await define('string')];
  let queries = 0;
  const read: Graph['read'] = (statement, params) => {
    queries += 1;
    return service.graph.read(statement, params);
  };
  const store = createStore({ ...service.graph, read }, service.registry);
  const found = await Promise.all(Array.from({ length: 1000 }, () => store.customProperties(table())));
  for (const definitions of found) assert.ok(definitions.has(whole) && definitions.has(text));
  assert.is(queries, 2);
});

test('a value of a removed property does not block other changes', async () => {
  const [gone, kept] = [await define('string'), await define('string')];
  const made = await samples.create(table(), { extension: { [gone]: 'x', [kept]: 'y' } });
  await undefine(gone);
  const at = `${TABLES}/${made.id}`;
  ok(await service.admin.patch(at, { description: 'Told' }));
  ok(await service.admin.patch(at, [{ op: 'replace', path: `/extension/${kept}`, value: 'z' }]));
  expectRefused(
    await expectUnchanged(service, made.id, () => service.admin.patch(at, { extension: { [gone]: 'new' } })),
    400,
  );
  const removed = ok(await service.admin.patch(at, { extension: { [gone]: null } }));
  assert.equal(removed.extension, { [kept]: 'z' });
});

test('a changed value is one change, also in the history', async () => {
  const name = await define('integer');
  const made = await samples.create(table(), { extension: { [name]: 1 } });
  const patched = ok(await service.admin.patch(`${TABLES}/${made.id}`, { extension: { [name]: 2 } }));
  assert.is(patched.version, 0.2);
  assert.equal(patched.changeDescription.fieldsUpdated, [
    { name: 'extension', oldValue: `{"${name}":1}`, newValue: `{"${name}":2}` },
  ]);
  const former = ok(await service.admin.get(`${TABLES}/${made.id}/versions/0.1`));
  assert.equal(former.extension, { [name]: 1 });
});

test('columns store custom values unvalidated', async () => {
  const extension = { anything: { goes: [1, null] } };
  const columns = [{ name: 'id', dataType: 'INT', extension }];
  const made = await samples.create(table(), { columns });
  const read = ok(await service.admin.get(`${TABLES}/${made.id}`));
  assert.equal(read.columns[0].extension, extension);
  const large = [{ name: 'id', dataType: 'INT', extension: { x: 'x'.repeat(70_000) } }];
  expectRefused(await service.admin.post(TABLES, await samples.body(table(), { columns: large })), 400, /extension/);
});

test.run();
