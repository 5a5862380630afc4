import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { bumpRevisions, createRecords, updateRecords } from '../../src/catalog/queries.ts';
import { createCommitter, type WriteRequest } from '../../src/graph/group-commit.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import { expectRefused, ok, readStored } from '../support/expect.ts';
import { manyOr } from '../support/representatives.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openSecondProcess } from '../support/second-process.ts';
import { type Client, openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that concurrent writes of one asset are neither lost nor applied twice. */

const test = suite('catalog: concurrent writes');

let service: Service;
let samples: Samples;
let twin: Client;
let table: Kind;
let database: Kind;

test.before(async () => {
  service = await openService();
  samples = createSamples(service);
  twin = await openSecondProcess(service);
  table = samples.kind('table');
  database = samples.kind('database');
});

/** So many patches of one record. */
const MANY = manyOr(80, 200);

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const column = (at: number) => ({ name: `c${at}`, dataType: 'INT' });

/** Every other call goes to the other process. */
const either = (at: number): Client => (at % 2 === 0 ? service.admin : twin);

/** What was answered 200 is there; what was answered 409 is not; nothing else was answered. */
const assertNoneLost = async (id: string, replies: readonly Reply[]) => {
  const applied = replies.flatMap((reply, at) => (reply.status === 200 ? [at] : []));
  for (const reply of replies) if (reply.status !== 200) expectRefused(reply, 409, undefined, 'CONFLICT');
  const read = ok(await service.admin.get(`/v1/tables/${id}`));
  const described = read.columns.flatMap((shown: { description?: string }, at: number) =>
    shown.description === `d${at}` ? [at] : [],
  );
  assert.equal(described, applied);
  assert.is(read.version, Math.round((0.1 + applied.length * 0.1) * 10) / 10);
  const kept = await readStored(service, id);
  assert.equal(
    [kept?.versions, kept?.events, kept?.properties['revision']],
    [applied.length, applied.length + 1, applied.length + 1],
  );
  const versions = replies.filter((reply) => reply.status === 200).map((reply) => reply.json.version);
  assert.is(new Set(versions).size, applied.length, 'two patches were answered with one version');
  return applied.length;
};

test('many concurrent patches of one record in one process are all applied', async () => {
  const made = await samples.create(table, { columns: times(MANY, column) });
  const replies = await Promise.all(
    times(MANY, (at) =>
      service.admin.patch(`/v1/tables/${made.id}`, [
        { op: 'add', path: `/columns/${at}/description`, value: `d${at}` },
      ]),
    ),
  );
  assert.ok((await assertNoneLost(made.id, replies)) > 0);
});

test('many concurrent patches of one record by id and name in two processes are all applied', async () => {
  const made = await samples.create(table, { columns: times(MANY, column) });
  const at = (index: number) => (index % 3 === 0 ? made.id : `name/${encodeURIComponent(made.fullyQualifiedName)}`);
  const replies = await Promise.all(
    times(MANY, (index) =>
      either(index).patch(`/v1/tables/${at(index)}`, [
        { op: 'add', path: `/columns/${index}/description`, value: `d${index}` },
      ]),
    ),
  );
  assert.ok((await assertNoneLost(made.id, replies)) > 0);
});

test('of concurrent patches with one If-Match exactly one is applied', async () => {
  const made = await samples.create(table);
  const replies = await Promise.all(
    times(20, (at) => either(at).patch(`/v1/tables/${made.id}`, { description: `d${at}` }, { 'if-match': 'W/"0.1"' })),
  );
  const winners = replies.filter((reply) => reply.status === 200);
  assert.is(winners.length, 1);
  for (const reply of replies) {
    if (reply.status !== 200) assert.ok(reply.status === 412 || reply.status === 409, String(reply.status));
  }
  const read = ok(await service.admin.get(`/v1/tables/${made.id}`));
  assert.equal([read.version, read.description], [0.2, winners[0]?.json.description]);
});

test('of 100 concurrent POSTs exactly the 7 invalid ones fail', async () => {
  const parent = (await samples.parents(database))['service'];
  const prefix = uniqueName('post');
  const taken = await samples.create(database, { name: `${prefix}_taken` });
  const invalid: Readonly<Record<number, readonly [object, number]>> = {
    3: [{ name: taken.name }, 409],
    17: [{ service: 'nowhere' }, 404],
    18: [{ tags: [{ tagFQN: 'No.Such' }] }, 404],
    42: [{ name: 'a::b' }, 400],
    64: [{ nonsense: true }, 400],
    77: [{ owners: [{ id: randomUUID(), type: 'user' }] }, 404],
    99: [{ retentionPeriod: 'a while' }, 400],
  };
  const body = (at: number) => ({ name: `${prefix}_${at}`, service: parent, ...invalid[at]?.[0] });
  const replies = await Promise.all(times(100, (at) => either(at).post('/v1/databases', body(at))));
  replies.forEach((reply, at) => {
    const failure = invalid[at];
    if (failure) expectRefused(reply, failure[1]);
    else ok(reply, 201);
  });
  const [row] = await service.graph.query(
    'MATCH (n:Database) WHERE n.name STARTS WITH $prefix RETURN count(n) AS records, sum(COUNT { (n)<-[:ABOUT]-() }) AS events',
    { prefix },
  );
  assert.equal(row, { records: 94, events: 94 });
});

test('of concurrent POSTs of one name from two processes exactly one gets 201', async () => {
  for (const kind of service.registry.kinds) {
    const body = await samples.body(kind);
    const replies = await Promise.all(times(12, (at) => either(at).post(`/v1/${kind.path}`, body)));
    const made = replies.filter((reply) => reply.status === 201);
    assert.is(made.length, 1, kind.entityType);
    for (const reply of replies) {
      if (reply.status !== 201) expectRefused(reply, 409, 'Entity already exists', 'ENTITY_ALREADY_EXISTS');
    }
    const kept = await readStored(service, made[0]?.json.id);
    assert.equal([kept?.events, kept?.versions], [1, 0], kind.entityType);
  }
});

test('of concurrent PUTs of one name from two processes one creates, none conflicts, and the last state is one of theirs', async () => {
  const body = await samples.body(table);
  const put = (at: number) => either(at).put('/v1/tables', { ...body, description: `d${at}` });
  const replies = await Promise.all(times(40, put));
  const made = replies.filter((reply) => reply.status === 201);
  assert.is(made.length, 1, replies.map((reply) => reply.status).join(' '));
  for (const reply of replies) assert.ok(reply.status === 200 || reply.status === 201, reply.text);
  const id = made[0]?.json.id;
  const read = ok(await service.admin.get(`/v1/tables/${id}`));
  assert.match(read.description, /^d\d+$/);
  assert.is(read.version, 4);
  const kept = await readStored(service, id);
  assert.equal([kept?.versions, kept?.events], [39, 40]);
});

test('followers added by two processes are each stored once', async () => {
  const made = await samples.create(table);
  const people = await Promise.all(times(10, () => samples.create('user')));
  const replies = await Promise.all(
    people.flatMap((follower) => [0, 1].map((at) => either(at).put(`/v1/tables/${made.id}/followers`, follower.id))),
  );
  for (const reply of replies) ok(reply);
  const read = ok(await service.admin.get(`/v1/tables/${made.id}?fields=followers`));
  assert.equal(read.followers.map((ref: { id: string }) => ref.id).sort(), people.map(({ id }) => id).sort());
});

const settle = async (writes: readonly Promise<void>[]): Promise<number[]> =>
  (await Promise.allSettled(writes)).flatMap((result, at) => (result.status === 'fulfilled' ? [at] : []));

const lost = () => new Error('lost');

const swap = (id: string, at: number): WriteRequest => ({
  keys: [id],
  steps: [
    {
      statement: updateRecords,
      order: 10,
      rows: [{ id, version: 0.1, changes: { version: 0.2, description: `row ${at}` } }],
      missingRowError: lost,
    },
  ],
});

test('of fifty rows for one record in one batch exactly one wins', async () => {
  const made = await samples.create(table);
  const commit = createCommitter(service.graph, { maxInFlight: 1 });
  const others = await Promise.all(times(5, () => samples.create(table)));
  const writes = [
    ...times(50, (at) => commit(swap(made.id, at))),
    ...others.map((other, at) => commit(swap(other.id, at))),
  ];
  const won = await settle(writes);
  assert.is(won.filter((at) => at < 50).length, 1);
  assert.equal(
    won.filter((at) => at >= 50),
    [50, 51, 52, 53, 54],
  );
  const kept = await readStored(service, made.id);
  assert.is(kept?.properties['description'], `row ${won[0]}`);
  assert.is(kept?.properties['revision'], 2);
});

test('every successful compare-and-set in its own transaction is a revision', async () => {
  const made = await samples.create(table);
  let version = made['version'] as number;
  let won = 0;
  const attempt = async (turn: number): Promise<number> => {
    const rows = [{ at: 0, id: made.id, version, changes: { version: version + 1, description: `turn ${turn}` } }];
    return (await service.graph.write((transaction) => transaction.run(updateRecords, { rows }))).length;
  };
  // What locks without waiting for the lock first would write back a revision that another transaction has just left.
  for (let turn = 0; turn < 20; turn += 1) {
    const answers = await Promise.all(times(12, () => attempt(turn)));
    won += answers.reduce((sum, answered) => sum + answered, 0);
    version += 1;
  }
  assert.is(won, 20);
  assert.is((await readStored(service, made.id))?.properties['revision'], 21);
});

test('writes without a version on one record are all applied', async () => {
  const made = await samples.create(table);
  const commit = createCommitter(service.graph);
  const touch = (): WriteRequest => ({
    keys: [made.id],
    steps: [{ statement: bumpRevisions, order: 10, rows: [{ id: made.id, changes: {} }], missingRowError: lost }],
  });
  assert.is((await settle(times(50, () => commit(touch())))).length, 50);
  assert.is((await readStored(service, made.id))?.properties['revision'], 51);
});

const creation = (fqn: string): WriteRequest => {
  const id = randomUUID();
  const properties = { id, entityType: 'domain', name: fqn, fullyQualifiedName: fqn, deleted: false, version: 0.1 };
  return {
    keys: [id, `Domain ${fqn}`],
    steps: [{ statement: createRecords, order: 10, rows: [{ label: 'Domain', properties }], missingRowError: lost }],
  };
};

test('a row that the database refuses fails alone', async () => {
  const commit = createCommitter(service.graph, { maxInFlight: 1 });
  const prefix = uniqueName('row');
  await commit(creation(`${prefix}_0`));
  const won = await settle(times(30, (at) => commit(creation(`${prefix}_${at === 13 ? 0 : at + 1}`))));
  assert.equal(
    won,
    times(30, (at) => at).filter((at) => at !== 13),
  );
  const same = await settle(times(10, () => commit(creation(`${prefix}_same`))));
  assert.is(same.length, 1);
  const [row] = await service.graph.query('MATCH (n:Domain) WHERE n.name STARTS WITH $prefix RETURN count(n) AS made', {
    prefix,
  });
  assert.is(row?.['made'], 31);
  await service.graph.query('MATCH (n:Domain) WHERE n.name STARTS WITH $prefix DETACH DELETE n', { prefix });
});

test('a failing step undoes the other steps of its write, and no other write', async () => {
  const [first, second] = [await samples.create(table), await samples.create(table)];
  const commit = createCommitter(service.graph, { maxInFlight: 1 });
  const touch = (id: string) => ({
    statement: bumpRevisions,
    order: 10,
    rows: [{ id, changes: {} }],
    missingRowError: lost,
  });
  const won = await settle([
    commit({ keys: ['warm'], steps: [touch(second.id)] }),
    commit({ keys: [first.id], steps: [touch(first.id), { ...touch(randomUUID()), order: 20 }] }),
    commit({ keys: [second.id], steps: [touch(second.id)] }),
  ]);
  assert.equal(won, [0, 2]);
  assert.is((await readStored(service, first.id))?.properties['revision'], 1);
  assert.is((await readStored(service, second.id))?.properties['revision'], 3);
});

test.run();
