import * as assert from 'uvu/assert';
import { loadKinds } from '../../src/catalog/registry.ts';
import { mapConcurrently } from '../../src/graph/map-concurrently.ts';
import { BASE_BLOCK, CREATE_BLOCK, GATED_BLOCK, type Kind } from '../../src/model/kind/kind.ts';
import { everyKind, FEW_KINDS } from '../support/every-kind.ts';
import { countStored, expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { openService } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that malformed paths, queries and bodies are refused or stored as plain data. */

const test = suite('catalog: bad input');
const each = everyKind(test);
const eachOfFew = everyKind(test, FEW_KINDS);

const utf8 = (text: string) => new TextEncoder().encode(text);

/** Requests that have nothing to do with each other are made side by side, as those of many callers are. */
const AT_ONCE = 13;

const nestedTo = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Bodies that no operation can read, whatever it wants. */
const unreadable: Readonly<Record<string, string | Uint8Array>> = {
  'half an object': '{"name": "x"',
  'two values': '{} {}',
  'a trailing comma': '{"name": "x",}',
  'single quotes': "{'name': 'x'}",
  'a bare word': 'name',
  NaN: '{"name": NaN}',
  'a control character': '{"name": "a\u0001"}',
  'invalid UTF-8': new Uint8Array([0x22, 0xc3, 0x28, 0x22]),
  'a lone continuation byte': new Uint8Array([...utf8('{"name":"'), 0x80, ...utf8('"}')]),
  'deep nesting': nestedTo(101),
  'very deep nesting': nestedTo(200_000),
  'deep objects': `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
};

each(
  'an unreadable body is refused with 400 everywhere and stores nothing',
  async ({ service, samples, path, kind }) => {
    const made = await samples.create(kind);
    const before = await countStored(service);
    const places = [
      ['POST', path],
      ['PUT', path],
      ['PUT', `${path}/bulk`],
      ['PATCH', `${path}/${made.id}`],
    ] as const;
    for (const [method, at] of places) {
      await mapConcurrently(Object.entries(unreadable), AT_ONCE, async ([what, body]) => {
        const reply = await service.admin.raw(method, at, body);
        assert.is(reply.status, 400, `${what}: ${method} ${at} ${reply.status} ${reply.text}`);
        expectRefused(reply, 400);
        assert.not.match(reply.text, /\[\[\[\[/);
      });
    }
    assert.equal(await countStored(service), before);
  },
);

each('a missing or empty body is refused with 400 where one is required', async ({ service, path }) => {
  for (const body of [undefined, '', '  ', 'null']) {
    expectRefused(await service.admin.raw('POST', path, body), 400);
    expectRefused(await service.admin.raw('PUT', path, body), 400);
  }
});

each('a body of the wrong type is refused with 400', async ({ service, samples, path, kind }) => {
  const made = await samples.create(kind);
  const before = await countStored(service);
  for (const body of ['text', 1, true, [], [[]], [1]]) {
    expectRefused(await service.admin.post(path, body), 400);
    expectRefused(await service.admin.put(path, body), 400);
  }
  for (const body of ['text', 1, true, [1], ['x'], [{}], [[]], [{ op: 'replace' }], [{ op: 1, path: 2 }]]) {
    expectRefused(await service.admin.patch(`${path}/${made.id}`, body), 400);
  }
  assert.equal(await countStored(service), before);
});

const WRONG: readonly unknown[] = [7, -1.5, true, 'text', '', [], [7], [null], [[]], {}, { a: 1 }, 1e300, '\u0000'];

/** Every kind, in its turn. */
const turns = new Map((await loadKinds()).kinds.map((kind, at) => [kind.entityType, at]));

/** Members that a kind only lists: what they take is declared and read in one place for all kinds. */
const COMMON: readonly string[] = [...new Set<string>([...CREATE_BLOCK, ...BASE_BLOCK, ...GATED_BLOCK])];

/**
 * The wrong values for a member of a kind. What is its own is sent all of them. For what many kinds have in common, the
 * kinds take turns: each member is sent every value, by several kinds, and every kind is sent one value for each member.
 */
const wrongFor = ({ entityType, attributes }: Kind, member: string): readonly unknown[] => {
  const place = COMMON.indexOf(member);
  // What a name may be, some kinds say themselves.
  if (place < 0 || member === 'name' || member in attributes) return WRONG;
  return [WRONG[((turns.get(entityType) ?? 0) + place) % WRONG.length]];
};

eachOfFew('values of wrong types in any member never cause a 5xx', async ({ service, samples, path, kind }) => {
  const base = await samples.body(kind);
  const members = [...kind.create, ...Object.keys(kind.attributes), ...kind.parents.map((parent) => parent.field)];
  const tries = [...new Set(members)].flatMap((member) => wrongFor(kind, member).map((value) => ({ member, value })));
  await mapConcurrently(tries, AT_ONCE, async ({ member, value }) => {
    const reply = await service.admin.post(path, { ...base, name: `w_${crypto.randomUUID()}`, [member]: value });
    assert.ok(reply.status < 500, `${member}: ${JSON.stringify(value)} → ${reply.status} ${reply.text}`);
    if (reply.status !== 201) expectRefused(reply, reply.status);
  });
});

eachOfFew('patches with wrong values in any member never cause a 5xx', async ({ service, samples, path, kind }) => {
  const made = await samples.create(kind);
  for (const member of kind.fieldNames) {
    for (const value of wrongFor(kind, member)) {
      const at = `${path}/${made.id}`;
      const reply = await service.admin.patch(at, [{ op: 'add', path: `/${member}`, value }]);
      assert.ok(reply.status < 500, `${member}: ${JSON.stringify(value)} → ${reply.status} ${reply.text}`);
      if (reply.status !== 200) expectRefused(reply, reply.status);
    }
  }
});

test('members that resemble built-in names are plain data or refused', async () => {
  const service = await openService();
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const body = `{"name": "p_${name}", "serviceType": "Mysql", "${name}": {"isAdmin": true}}`;
    expectRefused(
      await service.admin.raw('POST', '/v1/services/databaseServices', body),
      400,
      /is not a known property|must/,
    );
  }
  for (const field of ['__proto__', 'constructor', 'toString']) {
    const at = `/v1/services/databaseServices?fields=${field}`;
    expectRefused(await service.admin.get(at), 400, `Invalid field name ${field}`);
  }
  assert.is(({} as { isAdmin?: boolean }).isAdmin, undefined);
});

test('an oversized body is refused, with and without a declared length', async () => {
  const service = await openService();
  const before = await countStored(service);
  const body = utf8(JSON.stringify({ name: 'big', description: 'x'.repeat(33 * 1024 * 1024) }));
  for (const headers of [{}, { 'content-length': String(body.length) }]) {
    expectRefused(await service.admin.raw('POST', '/v1/services/databaseServices', body, headers), 413);
    expectRefused(await service.admin.raw('PUT', '/v1/services/databaseServices/bulk', body, headers), 413);
  }
  assert.equal(await countStored(service), before);
});

test('paths with bad escapes, invalid ids, unknown routes or wrong methods are refused', async () => {
  const service = await openService();
  for (const name of ['%', '%zz', '%c3%28', 'a%2'])
    expectRefused(await service.admin.get(`/v1/tables/name/${name}`), 400);
  for (const id of ['x', '0', 'null', '3f2504e0', '%00', '3f2504e0-4f89-41d3-9a0c-0305e82c330g', '%F0%9F%A6%8A']) {
    const reply = await service.admin.get(`/v1/tables/${id}`);
    expectRefused(reply, 404);
    expectRefused(await service.admin.delete(`/v1/tables/${id}`), 404);
    expectRefused(await service.admin.patch(`/v1/tables/${id}`, { description: 'x' }), 404);
    expectRefused(await service.admin.get(`/v1/tables/${id}/versions`), 404);
    expectRefused(await service.admin.put(`/v1/tables/${id}/vote`, 'votedUp'), 404);
  }
  for (const at of ['/v1/nonsense', '/v1', '/v1/tables/a/b/c', '/api/v1/nonsense', '/v1/feed2']) {
    expectRefused(await service.admin.get(at), 404);
  }
  for (const name of ['""', 'a..b', '.', 'a.', '"a', 'a"b"']) {
    const reply = await service.admin.get(`/v1/tables/name/${encodeURIComponent(name)}`);
    assert.ok(reply.status === 400 || reply.status === 404, `${name} ${reply.status}`);
    expectRefused(reply, reply.status);
  }
});

test('queries with bad escapes and bad values are refused', async () => {
  const service = await openService();
  expectRefused(await service.admin.get('/v1/tables?fields=%zz'), 400);
  expectRefused(await service.admin.get('/v1/tables?service=%c3%28'), 400);
  for (const value of ['""', 'a..b', '"a', '.']) {
    const reply = await service.admin.get(`/v1/tables?service=${encodeURIComponent(value)}`);
    assert.ok(reply.status < 500, reply.text);
  }
  const domain = await service.admin.get('/v1/tables?domain=nowhere');
  assert.ok(domain.status === 404 || domain.json.paging.total === 0, domain.text);
});

test('free-form objects are bounded, and their content is returned unchanged', async () => {
  const service = await openService();
  const odd = '{"__proto__": {"a": 1}, "constructor": "x", "": [null, {"b": null}], "deep": {"c": [1.5, "\\u0000"]}}';
  const config = `{"type": "Mysql", "options": ${odd}}`;
  const name = `free_${crypto.randomUUID()}`;
  const body = `{"name": "${name}", "serviceType": "Mysql", "connection": {"config": ${config}}}`;
  const made = ok(await service.admin.raw('POST', '/v1/services/databaseServices', body), 201);
  const read = await service.admin.get(`/v1/services/databaseServices/${made.id}`);
  assert.is(JSON.stringify(ok(read).connection), JSON.stringify(JSON.parse(`{"config": ${config}}`)));
  const big = { config: { type: 'Mysql', options: 'x'.repeat(70_000) } };
  const at = `/v1/services/databaseServices/${made.id}`;
  expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, { connection: big })), 400);
});

test('numbers beyond the precision of JSON are refused or stored exactly', async () => {
  const service = await openService();
  const made = await service.admin.raw(
    'POST',
    '/v1/classifications',
    `{"name": "num_${crypto.randomUUID()}", "description": "d", "mutuallyExclusive": 1}`,
  );
  expectRefused(made, 400);
});

test.run();
