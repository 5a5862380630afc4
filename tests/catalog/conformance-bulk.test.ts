import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { everyKind, type KindFixture } from '../support/every-kind.ts';
import { countStored, expectRefused, ok, pathByName, readStored } from '../support/expect.ts';
import { parentPointer } from '../support/samples.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that bulk requests of every kind follow the contract. */

const test = suite('catalog: bulk requests of every kind');
const each = everyKind(test);

const rowsOf = async ({ samples, kind }: KindFixture, count: number, more: JsonObject = {}): Promise<JsonObject[]> => {
  const prefix = uniqueName('bulk');
  const rows: JsonObject[] = [];
  for (let at = 0; at < count; at += 1) rows.push(await samples.body(kind, { name: `${prefix}_${at}`, ...more }));
  return rows;
};

const MEMBERS = [
  'dryRun',
  'failedRequest',
  'numberOfRowsFailed',
  'numberOfRowsPassed',
  'numberOfRowsProcessed',
  'status',
  'successRequest',
];

const counts = (result: JsonObject) => [
  result['status'],
  result['numberOfRowsProcessed'],
  result['numberOfRowsPassed'],
  result['numberOfRowsFailed'],
];

each('valid rows are created, left unchanged when repeated, and updated', async (bench) => {
  const { service, kind, path } = bench;
  const rows = await rowsOf(bench, 3);
  const result = ok(await service.admin.put(`${path}/bulk`, rows));
  assert.equal(Object.keys(result).sort(), MEMBERS);
  assert.is(result.dryRun, false);
  assert.equal(counts(result), ['success', 3, 3, 0]);
  assert.equal(result.failedRequest, []);
  for (const { request, status } of result.successRequest) {
    assert.is(status, 200);
    const read = ok(await service.admin.get(pathByName(kind, request)));
    assert.equal([read.version, read.fullyQualifiedName], [0.1, request]);
  }
  const before = await countStored(service);
  assert.equal(counts(ok(await service.admin.put(`${path}/bulk`, rows))), ['success', 3, 3, 0]);
  assert.equal(await countStored(service), before);
  const changed = rows.map((row) => ({ ...row, displayName: 'Shown' }));
  assert.equal(counts(ok(await service.admin.put(`${path}/bulk`, changed))), ['success', 3, 3, 0]);
  for (const { request } of result.successRequest) {
    const read = ok(await service.admin.get(pathByName(kind, request)));
    assert.equal([read.version, read.displayName], [0.2, 'Shown']);
  }
});

each('invalid rows fail alone and are returned as sent', async (bench) => {
  const { service, kind, path } = bench;
  const [good, unknown, nameless, wrong] = await rowsOf(bench, 4);
  assert.ok(good && unknown && nameless && wrong);
  const bad = [
    { ...unknown, nonsense: 1 },
    ...(kind.defaultName ? [] : [{ ...nameless, name: null }]),
    { ...wrong, name: 'a::b' },
    'text',
    null,
    [],
    ...kind.parents
      .filter(({ setByOperation }) => !setByOperation)
      .slice(0, 1)
      .map((parent) => ({ ...good, name: uniqueName('lost'), [parent.field]: parentPointer(parent, 'nowhere') })),
  ];
  const result = ok(await service.admin.put(`${path}/bulk`, [...bad, good]));
  assert.equal(counts(result), ['partialSuccess', bad.length + 1, 1, bad.length]);
  assert.equal(
    result.failedRequest.map((row: JsonObject) => row['request']),
    bad,
  );
  for (const row of result.failedRequest) {
    assert.is(row.status, 400);
    assert.type(row.message, 'string');
  }
  ok(await service.admin.get(pathByName(kind, result.successRequest[0].request)));
  const none = ok(await service.admin.put(`${path}/bulk`, bad));
  assert.equal(counts(none), ['failure', bad.length, 0, bad.length]);
});

each(
  'of two rows with one name the first creates and the second updates',
  async (bench) => {
    const { service, kind, path } = bench;
    const [row] = await rowsOf(bench, 1);
    assert.ok(row);
    const result = ok(await service.admin.put(`${path}/bulk`, [row, { ...row, displayName: 'Second' }]));
    assert.equal(counts(result), ['success', 2, 2, 0]);
    const [first, second] = result.successRequest;
    assert.is(first.request, second.request);
    const read = ok(await service.admin.get(pathByName(kind, first.request)));
    assert.equal([read.version, read.displayName], [0.2, 'Second']);
  },
  (kind) => kind.parents.length === 0,
);

each('an empty list succeeds, a body that is no list is 400, and too many rows are 413', async (bench) => {
  const { service, path } = bench;
  const empty = ok(await service.admin.put(`${path}/bulk`, []));
  assert.equal(counts(empty), ['success', 0, 0, 0]);
  const [row] = await rowsOf(bench, 1);
  const before = await countStored(service);
  for (const body of [{}, 'text', 1, null]) expectRefused(await service.admin.put(`${path}/bulk`, body), 400);
  expectRefused(await service.admin.raw('PUT', `${path}/bulk`, undefined), 400);
  const many = new Array(5001).fill(row);
  expectRefused(await service.admin.put(`${path}/bulk`, many), 413);
  assert.equal(await countStored(service), before);
});

each(
  'an unchanged source hash skips a row unless it is overridden',
  async (bench) => {
    const { service, kind, path } = bench;
    const [row] = await rowsOf(bench, 1, { sourceHash: 'abc', displayName: 'First' });
    assert.ok(row);
    const made = ok(await service.admin.put(`${path}/bulk`, [row])).successRequest[0].request;
    const changed = { ...row, displayName: 'Second' };
    assert.equal(counts(ok(await service.admin.put(`${path}/bulk`, [changed]))), ['success', 1, 1, 0]);
    assert.is(ok(await service.admin.get(pathByName(kind, made))).displayName, 'First');
    ok(await service.admin.put(`${path}/bulk?overrideMetadata=true`, [changed]));
    const read = ok(await service.admin.get(pathByName(kind, made)));
    assert.equal([read.displayName, read.version], ['Second', 0.2]);
    assert.is((await readStored(service, read.id))?.versions, 1);
  },
  (kind) => kind.create.includes('sourceHash'),
);

each('rows of a caller without rights fail with 403', async (bench) => {
  const { service, path } = bench;
  const reply = await service.admin.put('/v1/users', { name: 'bulkonlooker', email: 'bulkonlooker@example.com' });
  assert.ok(reply.status < 300, reply.text);
  const rows = await rowsOf(bench, 2);
  const before = await countStored(service);
  const result = ok(await (await service.as('bulkonlooker')).put(`${path}/bulk`, rows));
  assert.equal(counts(result), ['failure', 2, 0, 2]);
  for (const row of result.failedRequest) assert.is(row.status, 403);
  assert.equal(await countStored(service), before);
});

test.run();
