import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { everyKind, type KindFixture } from '../support/every-kind.ts';
import {
  CHANGE_HEADER_NAME,
  countStored,
  expectRecord,
  expectRefused,
  expectUnchanged,
  ok,
  pathByName,
  readStored,
} from '../support/expect.ts';
import { parentPointer } from '../support/samples.ts';
import { suite } from '../support/suite.ts';

/** Shows that PUT and PATCH of every kind follow the contract. */

const test = suite('catalog: PUT and PATCH of every kind');
const each = everyKind(test);

/** The body that made a record, so that a PUT of it changes nothing. */
const madeFrom = async ({ service, samples, kind, path }: KindFixture, more: JsonObject = {}) => {
  const body = await samples.body(kind, { description: 'Told', ...more });
  return { body, made: ok(await service.admin.post(path, body), 201) };
};

each('PUT of a new name creates the record with 201', async ({ service, samples, kind, path }) => {
  const reply = await service.admin.put(path, await samples.body(kind));
  const made = ok(reply, 201);
  expectRecord(kind, made);
  assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityCreated');
  assert.is(reply.headers.get('location'), made.href);
  assert.is(made.version, 0.1);
  assert.is((await readStored(service, made.id))?.events, 1);
});

each('PUT of the same body answers 200 and writes nothing', async (bench) => {
  const { service, kind, path } = bench;
  const { body, made } = await madeFrom(bench);
  const reply = await expectUnchanged(service, made.id, () => service.admin.put(path, body));
  expectRecord(kind, ok(reply));
  assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  assert.is(reply.json.version, 0.1);
  assert.is(reply.json.updatedAt, made.updatedAt);
  assert.equal(reply.json, made);
});

each('a second PUT of every plain value changes nothing', async ({ service, samples, kind, path }) => {
  const body = await samples.fullBody(kind);
  const made = ok(await service.admin.put(path, body), 201);
  const reply = await expectUnchanged(service, made.id, () => service.admin.put(path, body));
  assert.is(ok(reply).version, 0.1);
  assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
});

each('PUT updates the record with a new version, its changes and the previous state', async (bench) => {
  const { service, kind, path } = bench;
  const { body, made } = await madeFrom(bench);
  const reply = await service.admin.put(path, { ...body, description: 'Told anew' });
  const put = ok(reply);
  expectRecord(kind, put);
  assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityUpdated');
  assert.is(put.id, made.id);
  assert.is(put.version, 0.2);
  const change = {
    previousVersion: 0.1,
    fieldsAdded: [],
    fieldsUpdated: [{ name: 'description', oldValue: 'Told', newValue: 'Told anew' }],
    fieldsDeleted: [],
  };
  assert.equal(put.changeDescription, change);
  assert.equal(put.incrementalChangeDescription, change);
  const kept = await readStored(service, made.id);
  assert.is(kept?.versions, 1);
  assert.is(kept?.events, 2);
  assert.is(kept?.properties['revision'], 2);
  const read = ok(await service.admin.get(`${path}/${made.id}`));
  assert.is(read.description, 'Told anew');
  assert.is(read.version, 0.2);
});

each('PUT without a text clears the text', async (bench) => {
  const { service, kind, path } = bench;
  const { body, made } = await madeFrom(bench, { displayName: 'Shown' });
  const { displayName: _gone, ...rest } = body;
  const put = ok(await service.admin.put(path, rest));
  assert.is('displayName' in put, false);
  assert.equal(put.changeDescription.fieldsDeleted, [{ name: 'displayName', oldValue: 'Shown' }]);
  assert.is('displayName' in ok(await service.admin.get(pathByName(kind, made.fullyQualifiedName))), false);
});

each('null in POST and PUT means absent, in every member', async ({ service, samples, kind, path }) => {
  const body = await samples.body(kind);
  const optional = [...kind.create, ...Object.keys(kind.attributes)].filter((name) => {
    const attribute = kind.members[name];
    return !(name in body) && (attribute === undefined || ('request' in attribute && attribute.request));
  });
  const nulls = Object.fromEntries(optional.map((name) => [name, null]));
  const made = ok(await service.admin.post(path, { ...body, ...nulls }), 201);
  expectRecord(kind, made);
  const again = await expectUnchanged(service, made.id, () => service.admin.put(path, { ...body, ...nulls }));
  assert.is(ok(again).version, 0.1);
});

each(
  'an unknown member is refused with 400 naming it, and nothing is stored',
  async ({ service, samples, path, kind }) => {
    const body = { ...(await samples.body(kind)), nonsense: 1 };
    const before = await countStored(service);
    expectRefused(await service.admin.post(path, body), 400, /nonsense/);
    expectRefused(await service.admin.put(path, body), 400, /nonsense/);
    assert.equal(await countStored(service), before);
  },
);

each(
  'a missing required member is refused with 400 naming it, and nothing is stored',
  async ({ service, samples, path, kind }) => {
    const body = await samples.body(kind);
    const before = await countStored(service);
    const isOptional = (name: string) => name === 'name' && kind.defaultName !== undefined;
    const required = Object.keys(body).filter(
      (name) => !isOptional(name) && !kind.parents.some((parent) => parent.field === name),
    );
    const parents = kind.parents.filter((parent) => parent.required && !parent.setByOperation);
    const needed = [...required, ...parents.map((parent) => parent.field)];
    for (const name of needed) {
      const { [name]: _left, ...rest } = body;
      expectRefused(await service.admin.post(path, rest), 400, `[${name} must not be null]`);
      expectRefused(await service.admin.put(path, { ...rest, [name]: null }), 400, `[${name} must not be null]`);
    }
    assert.equal(await countStored(service), before);
  },
);

each('an unknown parent is 404, and nothing is stored', async ({ service, samples, path, kind }) => {
  const before = await countStored(service);
  const offered = kind.parents.filter(({ setByOperation }) => !setByOperation);
  for (const parent of offered) {
    const body = { ...(await samples.body(kind)), [parent.field]: parentPointer(parent, 'nowhere') };
    const sentence = `${parent.kind} instance for nowhere not found`;
    if (offered.length === 1) {
      expectRefused(await service.admin.post(path, body), 404, sentence);
      expectRefused(await service.admin.put(path, body), 404, sentence);
    } else expectRefused(await service.admin.post(path, body), 404);
  }
  const after = await countStored(service);
  // The parents of the first sample may just have been made; the record itself must not.
  assert.ok(offered.length > 0 ? after['records'] === before['records'] : true);
});

each('a JSON Patch applies all its operations or none', async (bench) => {
  const { service, kind, path } = bench;
  const { made } = await madeFrom(bench);
  const reply = await service.admin.patch(`${path}/${made.id}`, [
    { op: 'test', path: '/description', value: 'Told' },
    { op: 'replace', path: '/description', value: 'Patched' },
    { op: 'add', path: '/displayName', value: 'Shown' },
  ]);
  const patched = ok(reply);
  expectRecord(kind, patched);
  assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityUpdated');
  assert.is(patched.version, 0.2);
  assert.equal([patched.description, patched.displayName], ['Patched', 'Shown']);
  const bad: [string, unknown][] = [
    [
      'a failing test',
      [
        { op: 'replace', path: '/description', value: 'x' },
        { op: 'test', path: '/displayName', value: 'y' },
      ],
    ],
    [
      'a bad pointer',
      [
        { op: 'replace', path: '/description', value: 'x' },
        { op: 'remove', path: '/no/such/place' },
      ],
    ],
    [
      'a bad operation',
      [
        { op: 'replace', path: '/description', value: 'x' },
        { op: 'improve', path: '/description' },
      ],
    ],
    ['no pointer', [{ op: 'replace', value: 'x' }]],
    ['a wrong type', [{ op: 'replace', path: '/description', value: 7 }]],
    ['an unknown member', [{ op: 'add', path: '/nonsense', value: 7 }]],
    ['deleted', [{ op: 'add', path: '/deleted', value: true }]],
  ];
  for (const [what, patch] of bad) {
    const answer = await expectUnchanged(service, made.id, () => service.admin.patch(`${path}/${made.id}`, patch));
    assert.is(answer.status, 400, `${what}: ${answer.status} ${answer.text}`);
    expectRefused(answer, 400);
  }
});

each('a merge patch works by name, and null clears a member', async (bench) => {
  const { service, kind } = bench;
  const { made } = await madeFrom(bench, { displayName: 'Shown' });
  const at = pathByName(kind, made.fullyQualifiedName);
  const media = { 'content-type': 'application/merge-patch+json' };
  const reply = await service.admin.patch(at, { displayName: null, description: 'Merged' }, media);
  const merged = ok(reply);
  expectRecord(kind, merged);
  assert.is(merged.version, 0.2);
  assert.is('displayName' in merged, false);
  assert.is(merged.description, 'Merged');
  const bad = [{ nonsense: 1 }, { description: 7 }, { deleted: true }, { displayName: [] }];
  for (const patch of bad)
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, patch)), 400);
});

each('a patch that changes nothing writes nothing', async (bench) => {
  const { service, path } = bench;
  const { made } = await madeFrom(bench);
  for (const patch of [[], {}, [{ op: 'replace', path: '/description', value: 'Told' }], { description: 'Told' }]) {
    const reply = await expectUnchanged(service, made.id, () => service.admin.patch(`${path}/${made.id}`, patch));
    assert.is(ok(reply).version, 0.1);
    assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  }
});

/** Kinds whose records keep their links when they are renamed (clarifications, Renamable). */
const RENAMABLE = [
  'glossary',
  'glossaryTerm',
  'classification',
  'tag',
  'domain',
  'dataProduct',
  'team',
  'role',
  'policy',
];

each('read-only members are restored without an error', async (bench) => {
  const { service, kind, path } = bench;
  const { made } = await madeFrom(bench);
  const patch = [
    { op: 'replace', path: '/id', value: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' },
    { op: 'replace', path: '/fullyQualifiedName', value: 'elsewhere' },
    { op: 'replace', path: '/version', value: 9.9 },
    { op: 'replace', path: '/updatedBy', value: 'nobody' },
    { op: 'replace', path: '/updatedAt', value: 1 },
    { op: 'replace', path: '/href', value: 'http://elsewhere' },
    ...(RENAMABLE.includes(kind.entityType) ? [] : [{ op: 'replace', path: '/name', value: 'other' }]),
  ];
  const reply = await expectUnchanged(service, made.id, () => service.admin.patch(`${path}/${made.id}`, patch));
  assert.equal(ok(reply), made);
});

each('replacing every member with its returned value changes nothing', async (bench) => {
  const { service, samples, kind, path } = bench;
  const made = ok(await service.admin.post(path, await samples.fullBody(kind)), 201);
  const read = ok(await service.admin.get(`${path}/${made.id}?fields=*`));
  const patch = Object.entries(read).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));
  const tested = [...patch.map(({ path: at, value }) => ({ op: 'test', path: at, value })), ...patch];
  const reply = await expectUnchanged(service, made.id, () => service.admin.patch(`${path}/${made.id}`, tested));
  assert.is(ok(reply).version, 0.1);
  const merged = await expectUnchanged(service, made.id, () => service.admin.patch(`${path}/${made.id}`, read));
  assert.is(ok(merged).version, 0.1);
});

each('If-Match accepts strong, weak, listed and any tags, and refuses stale ones', async (bench) => {
  const { service, kind, path } = bench;
  const { made } = await madeFrom(bench);
  const at = `${path}/${made.id}`;
  const etag = String((await service.admin.get(`${at}?fields=*`)).headers.get('etag'));
  const step = async (match: string, description: string) =>
    service.admin.patch(at, { description }, { 'if-match': match });
  const first = await step(etag, 'one');
  assert.is(ok(first).version, 0.2);
  assert.is.not(first.headers.get('etag'), etag);
  assert.is(ok(await step('W/"0.2"', 'two')).version, 0.3);
  assert.is(ok(await step(`"other", W/"0.3"`, 'three')).version, 0.4);
  assert.is(ok(await step('*', 'four')).version, 0.5);
  for (const stale of [etag, 'W/"0.4"', '"0.5"', 'nonsense']) {
    const reply = await expectUnchanged(service, made.id, () => step(stale, 'late'));
    expectRefused(reply, kind.entityType === 'apiEndpoint' ? 409 : 412);
  }
});

each('a wrong media type is 415, and a wrong method is 405', async (bench) => {
  const { service, path } = bench;
  const { body, made } = await madeFrom(bench);
  const text = { 'content-type': 'text/csv' };
  expectRefused(await service.admin.post(path, body, text), 415);
  expectRefused(await service.admin.put(path, body, text), 415);
  expectRefused(
    await expectUnchanged(service, made.id, () => service.admin.patch(`${path}/${made.id}`, [], text)),
    415,
  );
  expectRefused(await service.admin.delete(path), 405);
  expectRefused(await service.admin.post(`${path}/${made.id}`, {}), 405);
});

each('a user with default rights may view, and may not create, rename or delete', async (bench) => {
  const { service, samples, kind, path } = bench;
  const { made } = await madeFrom(bench);
  await onlooker(bench);
  const client = await service.as('onlooker');
  ok(await client.get(`${path}/${made.id}`));
  ok(await client.get(`${path}?limit=1`));
  const [posted, put] = [await samples.body(kind), await samples.body(kind)];
  const before = await countStored(service);
  const sentence = (operation: string) =>
    `Principal: CatalogPrincipal{name='onlooker'} operations [${operation}] not allowed`;
  expectRefused(await client.post(path, posted), 403, sentence('Create'));
  expectRefused(await client.put(path, put), 403, sentence('Create'));
  expectRefused(await client.delete(`${path}/${made.id}`), 403, sentence('Delete'));
  const patch = await expectUnchanged(service, made.id, () => client.patch(`${path}/${made.id}`, { displayName: 'x' }));
  expectRefused(patch, 403, /CatalogPrincipal\{name='onlooker'\}/);
  assert.equal(await countStored(service), before);
});

const onlooker = async ({ service }: KindFixture): Promise<void> => {
  const reply = await service.admin.put('/v1/users', { name: 'onlooker', email: 'onlooker@example.com' });
  assert.ok(reply.status === 201 || reply.status === 200, reply.text);
};

test.run();
