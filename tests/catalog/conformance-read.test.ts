import * as assert from 'uvu/assert';
import { isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import { holdsLinks } from '../../src/model/kind/links.ts';
import { everyKind } from '../support/every-kind.ts';
import {
  CHANGE_HEADER_NAME,
  countStored,
  expectNoGated,
  expectRecord,
  expectRefused,
  ok,
  pathByName,
  readStored,
} from '../support/expect.ts';
import { strayId } from '../support/samples.ts';
import { anonymous } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that assets of every kind can be created and read by the contract. */

const test = suite('catalog: create and read of every kind');
const each = everyKind(test);

each('a create answers 201 with the record, and the graph contains it', async ({ service, samples, kind, path }) => {
  const body = await samples.body(kind, { displayName: 'Shown', description: 'Told' });
  const reply = await service.admin.post(path, body);
  const made = ok(reply, 201);
  expectRecord(kind, made);
  assert.is(made.version, 0.1);
  assert.is(made.name, body['name']);
  assert.is(made.displayName, 'Shown');
  assert.is(made.description, 'Told');
  assert.is(made.updatedBy, 'admin');
  assert.is('changeDescription' in made, false);
  assert.is(reply.headers.get('location'), made.href);
  assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityCreated');
  assert.match(String(reply.headers.get('etag')), new RegExp(`^"${made.id.slice(0, 8)}-`));
  const kept = await readStored(service, made.id);
  assert.ok(kept);
  for (const label of ['Entity', kind.label, `Live${kind.label}`]) assert.ok(kept.labels.includes(label), label);
  assert.is(kept.properties['fullyQualifiedName'], made.fullyQualifiedName);
  assert.is(kept.events, 1);
  assert.is(kept.versions, 0);
});

/** Of an object only what another has too, at every depth. */
const shared = (value: Json, pattern: Json): Json => {
  if (Array.isArray(value) && Array.isArray(pattern)) return value.map((item, at) => shared(item, pattern[at] ?? null));
  if (!isObject(value) || !isObject(pattern)) return value;
  const kept = Object.entries(value).filter(([name]) => name in pattern);
  return Object.fromEntries(kept.map(([name, inner]) => [name, shared(inner, pattern[name] ?? null)]));
};

each('a create returns every plain value of its body', async ({ service, samples, kind, path }) => {
  const body = await samples.fullBody(kind);
  const made = ok(await service.admin.post(path, body), 201);
  expectRecord(kind, made);
  const read = ok(await service.admin.get(`${path}/${made.id}?fields=*`));
  for (const [member, attribute] of Object.entries(kind.members)) {
    if (body[member] === undefined || attribute.store === 'columns') continue;
    if ('hidden' in attribute && attribute.hidden) {
      assert.is(member in made, false, `${member} is never returned`);
      continue;
    }
    if (attribute.store === 'property' || attribute.store === 'json') {
      const sent = member === 'email' ? String(body[member]).toLowerCase() : body[member];
      // A reference is shown with more than was said of it.
      const shown = (record: JsonObject) =>
        holdsLinks(attribute.schema) ? shared(record[member] ?? null, sent) : record[member];
      assert.equal(shown(made), sent, `${member} in the answer`);
      assert.equal(shown(read), sent, `${member} when read`);
    }
  }
});

each('a taken name is refused with 409, and nothing is stored', async ({ service, samples, kind, path }) => {
  const made = await samples.create(kind);
  const body = await samples.body(kind, samples.meaning(kind, made));
  const before = await countStored(service);
  expectRefused(await service.admin.post(path, body), 409, 'Entity already exists', 'ENTITY_ALREADY_EXISTS');
  assert.equal(await countStored(service), before);
});

each('a record is read by id and by name, under both prefixes', async ({ service, samples, kind, path }) => {
  const made = await samples.create(kind);
  const byId = ok(await service.admin.get(`${path}/${made.id}`));
  expectRecord(kind, byId);
  expectNoGated(kind, byId);
  assert.is(byId.fullyQualifiedName, made.fullyQualifiedName);
  assert.equal(ok(await service.admin.get(pathByName(kind, made.fullyQualifiedName))), byId);
  assert.equal(ok(await service.admin.get(`${path}/${made.id}/`)), byId);
  const alias = await service.admin.get(`/api${path}/${made.id}`);
  assert.ok(ok(alias).href.endsWith(`/api${path}/${made.id}`), alias.json.href);
  assert.equal(JSON.parse(alias.text.replaceAll('/api/v1/', '/v1/')), byId);
});

each('a missing record is 404 with the message of the contract', async ({ service, kind, path }) => {
  const id = strayId();
  const sentence = (key: string) => `${kind.entityType} instance for ${key} not found`;
  expectRefused(await service.admin.get(`${path}/${id}`), 404, sentence(id));
  expectRefused(await service.admin.get(pathByName(kind, 'no_such_name')), 404, sentence('no_such_name'));
  expectRefused(await service.admin.get(`${path}/not-a-uuid`), 404);
  expectRefused(await service.admin.patch(`${path}/${id}`, []), 404, sentence(id));
  expectRefused(await service.admin.patch(pathByName(kind, 'no_such_name'), []), 404, sentence('no_such_name'));
  expectRefused(await service.admin.delete(`${path}/${id}`), 404, sentence(id));
  expectRefused(await service.admin.delete(pathByName(kind, 'no_such_name')), 404, sentence('no_such_name'));
  expectRefused(await service.admin.get(`${path}/${id}/versions`), 404, sentence(id));
});

each('each field adds its member and no other optional one', async ({ service, samples, kind, path }) => {
  const made = await samples.create(kind);
  const base = ok(await service.admin.get(`${path}/${made.id}`));
  for (const field of kind.fieldNames) {
    const read = ok(await service.admin.get(`${path}/${made.id}?fields=${field}`));
    expectRecord(kind, read);
    for (const name of Object.keys(read)) assert.ok(name === field || name in base || name === 'columns', name);
    for (const name of Object.keys(base)) assert.ok(name in read, `${name} went missing with fields=${field}`);
  }
});

const EMPTY_RELATIONS = ['owners', 'followers', 'tags', 'domains', 'dataProducts', 'experts', 'reviewers', 'children'];

/** What `*` does not stand for. */
const isOnlyNamed = ({ attributes }: Kind, name: string): boolean => attributes[name]?.onlyNamed === true;

each('fields=* returns [] for empty relations', async ({ service, samples, kind, path }) => {
  const made = await samples.create(kind);
  const all = ok(await service.admin.get(`${path}/${made.id}?fields=*`));
  expectRecord(kind, all);
  for (const name of EMPTY_RELATIONS) {
    if (kind.gatedNames.has(name) && !(kind.required as readonly string[] | undefined)?.includes(name)) {
      assert.equal(all[name], [], name);
    }
  }
  if (kind.votable) assert.equal(all.votes, { upVotes: 0, downVotes: 0, upVoters: [], downVoters: [] });
  for (const name of ['extension', 'certification']) assert.is(name in all, false, name);
  if (kind.gatedNames.has('usageSummary')) {
    assert.equal(all.usageSummary.dailyStats, { count: 0, percentileRank: 0 });
    assert.match(all.usageSummary.date, /^\d{4}-\d\d-\d\d$/);
  }
  const named = ok(await service.admin.get(`${path}/${made.id}?fields=${[...kind.fieldNames].join(',%20')}`));
  const { ...asked } = named;
  for (const name of kind.fieldNames) if (isOnlyNamed(kind, name)) delete asked[name];
  assert.equal(asked, all);
  assert.equal(
    ok(await service.admin.get(`${path}/${made.id}?fields=`)),
    ok(await service.admin.get(`${path}/${made.id}`)),
  );
});

each('an unknown field is refused with 400, on reads and on lists', async ({ service, samples, kind, path }) => {
  const made = await samples.create(kind);
  for (const at of [`${path}/${made.id}`, pathByName(kind, made.fullyQualifiedName), path]) {
    expectRefused(await service.admin.get(`${at}?fields=nonsense`), 400, 'Invalid field name nonsense');
    expectRefused(await service.admin.get(`${at}?fields=name,*`), 400, 'Invalid field name *');
  }
});

each(
  'If-None-Match with the entity tag answers 304, except for fields that change without a version',
  async ({ service, samples, kind, path }) => {
    const made = await samples.create(kind);
    const plain = await service.admin.get(`${path}/${made.id}`);
    const etag = String(plain.headers.get('etag'));
    assert.match(etag, /^"[0-9a-f]{8}-0\.1-\d+"$/);
    const same = await service.admin.get(`${path}/${made.id}`, { 'if-none-match': etag });
    assert.is(same.status, 304);
    assert.is(same.text, '');
    assert.is(same.headers.get('etag'), etag);
    assert.is((await service.admin.get(`${path}/${made.id}`, { 'if-none-match': 'W/"0.1"' })).status, 304);
    ok(await service.admin.get(`${path}/${made.id}`, { 'if-none-match': '"other"' }));
    for (const field of ['followers', 'votes', 'usageSummary']) {
      if (!kind.gatedNames.has(field)) continue;
      const reply = await service.admin.get(`${path}/${made.id}?fields=${field}`, { 'if-none-match': etag });
      assert.is(reply.status, 200, `${field} changes without a version`);
      assert.is(reply.headers.get('etag'), etag);
    }
  },
);

each(
  'a bad include is refused with 400, and include=deleted does not return existing records',
  async ({ service, samples, kind, path }) => {
    const made = await samples.create(kind);
    expectRefused(await service.admin.get(`${path}/${made.id}?include=some`), 400);
    expectRefused(await service.admin.get(`${path}?include=some`), 400);
    ok(await service.admin.get(`${path}/${made.id}?include=all`));
    if (kind.softDeletable) expectRefused(await service.admin.get(`${path}/${made.id}?include=deleted`), 404);
  },
);

each('a caller without a token can neither read nor write', async ({ service, path }) => {
  const stranger = anonymous(service);
  const id = strayId();
  const calls = [
    stranger.get(path),
    stranger.get(`${path}/${id}`),
    stranger.post(path, {}),
    stranger.put(path, {}),
    stranger.put(`${path}/bulk`, []),
    stranger.patch(`${path}/${id}`, []),
    stranger.delete(`${path}/${id}`),
    stranger.get(`${path}/${id}/versions`),
  ];
  for (const reply of await Promise.all(calls)) {
    expectRefused(reply, 401, 'Not Authorized! Token not present');
    assert.is(reply.headers.get('www-authenticate'), 'Bearer');
  }
});

test.run();
