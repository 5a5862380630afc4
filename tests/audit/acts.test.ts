/** Shows that acts which a security review found missing in the audit log are recorded when done over HTTP. */
import * as assert from 'uvu/assert';
import type { AuditEntry } from '../../src/audit/entry.ts';
import { createAuditLog } from '../../src/audit/log.ts';
import { lockAuditHead } from '../../src/audit/queries.ts';
import { removeExpiredEntries } from '../../src/audit/retention.ts';
import { CatalogError } from '../../src/errors.ts';
import type { Graph } from '../../src/graph/client.ts';
import { listStaleJobResults } from '../../src/jobs/queries.ts';
import { entriesSoon, readEntries } from '../support/audit.ts';
import { createDatabaseTree, filePathOf, formatFile } from '../support/csv-files.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { waitFor, waitUntil } from '../support/patience.ts';
import { createRightsFactory, type Person, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('audit: acts found by a security review');

const PASSWORD = 'Correct-Horse-7';
const SECRET = 'sEcReT-77';
const DAY_MS = 86_400_000;

let service: Service;
let admin: Client;
let rights: RightsFactory;

test.before(async () => {
  service = await openService();
  ({ admin } = service);
  rights = createRightsFactory(service);
  test.after(() => rights.clear());
});

const find = (filter: Readonly<Record<string, string>>): Promise<AuditEntry[]> => readEntries(admin, filter);

const operationsOf = (entries: readonly AuditEntry[]): unknown[] => entries.map(({ details }) => details['operation']);

const newRobot = async (body: object = {}): Promise<{ id: string; name: string }> => {
  const name = uniqueName('bot');
  return ok(await admin.post('/v1/users', { name, email: `${name}@example.com`, isBot: true, ...body }), 201);
};

/** An administrator of the test's own, whose entries are nobody else's. */
const chief = (): Promise<Person> => rights.person([], { isAdmin: true });

const plantConnection = async (): Promise<void> => {
  const config = { type: 'Postgres', hostPort: 'h:1', username: 'u', authType: { password: SECRET } };
  const body = { name: uniqueName('svc'), serviceType: 'Postgres', connection: { config } };
  ok(await admin.post('/v1/services/databaseServices', body), 201);
};

test('a streamed list is logged as a read of connections by callers who may see them', async () => {
  await plantConnection();
  const list = '/v1/services/databaseServices?limit=1001';
  const [boss, reader, plain] = [
    await chief(),
    await rights.person([{ operations: ['ViewAll', 'ViewSecrets'] }]),
    await rights.person([{ operations: ['ViewAll'] }]),
  ];
  for (const one of [boss, reader]) {
    const { status, text } = await one.get(list);
    assert.equal([status, text.includes(SECRET)], [200, true]);
    const [entry] = await entriesSoon(admin, { actor: one.name, action: 'secretRead' });
    assert.equal(entry?.details, { what: 'connection', operation: 'GET /v1/services/databaseServices' });
  }
  const { app, as } = await openSecondProcessWith(service, {});
  const { status, text } = await (await as(plain.name)).get(list);
  await app.audit.stop();
  assert.equal([status, text.includes(SECRET)], [200, false]);
  assert.equal(await find({ actor: plain.name, action: 'secretRead' }), []);
});

test('revoked sessions are logged, and a session ended by a reused refresh token', async () => {
  const name = uniqueName('usr');
  const email = `${name}@example.com`;
  const { id } = ok(await admin.post('/v1/users', { name, email, password: PASSWORD }), 201);
  const visitor = anonymous(service);
  const logIn = async () => ok(await visitor.post('/v1/users/login', { email, password: PASSWORD }));
  const { refreshToken } = await logIn();
  ok(await visitor.post('/v1/users/refresh', { refreshToken }));
  expectRefused(await visitor.post('/v1/users/refresh', { refreshToken }), 401);
  const reused = await find({ actor: name, action: 'sessionRevoked' });
  assert.equal(
    reused.map(({ outcome, target, details }) => ({ outcome, target, details })),
    [{ outcome: 'refused', target: name, details: { reason: 'refreshTokenReused' } }],
  );
  // The session is over, so that showing the token again ends nothing more.
  expectRefused(await visitor.post('/v1/users/refresh', { refreshToken }), 401);
  assert.is((await find({ actor: name, action: 'sessionRevoked' })).length, 1);

  const boss = await chief();
  await logIn();
  await logIn();
  const [session] = ok(await boss.get(`/v1/users/${id}/sessions`)).data;
  ok(await boss.delete(`/v1/users/${id}/sessions/${session.id}`));
  ok(await boss.delete(`/v1/users/${id}/sessions`));
  const revoked = await find({ actor: boss.name, action: 'sessionRevoked' });
  assert.equal(
    revoked.map(({ target, outcome }) => [target, outcome]),
    [
      [id, 'ok'],
      [id, 'ok'],
    ],
  );
});

test('revoked tokens are logged, singly and all at once', async () => {
  const [boss, robot] = [await chief(), await newRobot()];
  ok(await admin.put(`/v1/users/generateToken/${robot.id}`, {}));
  const [token] = ok(await boss.get(`/v1/users/${robot.id}/tokens`)).data;
  ok(await boss.delete(`/v1/users/${robot.id}/tokens/${token.id}`));
  ok(await boss.delete(`/v1/users/${robot.id}/tokens`));
  assert.equal(operationsOf(await find({ actor: boss.name, action: 'tokenRevoked' })), [
    'DELETE /v1/users/{id}/tokens',
    'DELETE /v1/users/{id}/tokens/{tokenId}',
  ]);
});

test('reading a bot for the first time issues its token and is logged', async () => {
  const boss = await chief();
  const mechanism = { authType: 'JWT', config: { JWTTokenExpiry: '30' } };
  const robot = await newRobot({ authenticationMechanism: mechanism });
  for (let time = 0; time < 2; time += 1) {
    assert.type(ok(await boss.get(`/v1/users/auth-mechanism/${robot.id}`)).config.JWTToken, 'string');
  }
  const issued = await find({ actor: boss.name, action: 'tokenIssued' });
  assert.equal(
    issued.map(({ target, details }) => [target, details]),
    [[robot.id, { kind: 'bot' }]],
  );
  assert.is((await find({ actor: boss.name, action: 'secretRead' })).length, 2);
});

test('changes of teams and bots are logged', async () => {
  const [boss, robot] = [await chief(), await newRobot()];
  const team = ok(await boss.post('/v1/teams', { name: uniqueName('team'), teamType: 'Group' }), 201);
  ok(await boss.patch(`/v1/teams/${team.id}`, { description: 'x' }));
  ok(await boss.delete(`/v1/teams/${team.id}?hardDelete=true`));
  ok(await boss.post('/v1/bots', { name: robot.name, botUser: robot.name }), 201);
  assert.equal(operationsOf(await find({ actor: boss.name, action: 'userChanged' })), [
    'POST /v1/bots',
    'DELETE /v1/teams/{id}',
    'PATCH /v1/teams/{id}',
    'POST /v1/teams',
  ]);
});

test('exports as CSV, ODCS and lineage are logged, synchronous and by a job', async () => {
  const boss = await chief();
  const { table, database } = await createDatabaseTree(admin);
  const { id } = ok(await admin.get(`/v1/tables/name/${table}`));
  const body = { name: uniqueName('con'), entity: { id, type: 'table' } };
  const contract = ok(await admin.post('/v1/dataContracts', body), 201);
  const root = `id=${id}&type=table`;
  const asked = [
    filePathOf('table', table, 'export'),
    filePathOf('database', database, 'exportAsync'),
    `/v1/dataContracts/${contract.id}/odcs`,
    `/v1/dataContracts/${contract.id}/odcs/yaml`,
    `/v1/lineage/export?fqn=${table}&type=table`,
    `/v1/lineage/exportAsync?fqn=${table}&type=table`,
    `/v1/lineage/graph?${root}&format=csv`,
    `/v1/lineage/graph?${root}&format=graphml`,
  ];
  for (const path of asked) {
    const before = (await find({ actor: boss.name, action: 'exported' })).length;
    const { status, text } = await boss.get(path);
    assert.ok(status === 200 || status === 202, `${path}: ${status} ${text}`);
    assert.is((await find({ actor: boss.name, action: 'exported' })).length, before + 1, path);
  }
  for (const format of ['', '&format=json']) ok(await boss.get(`/v1/lineage/graph?${root}${format}`));
  assert.is((await find({ actor: boss.name, action: 'exported' })).length, asked.length, 'looking is no export');
});

const deny = (operation: string, resource: string, condition?: string): RuleOptions => ({
  effect: 'deny',
  operations: [operation],
  resources: [resource],
  ...(condition === undefined ? {} : { condition }),
});

const rowsOf = (entry: AuditEntry | undefined) => [entry?.outcome, entry?.details['rows']];

test('refused bulk rows are logged in one entry with their number', async () => {
  const caller = await rights.person([{ operations: ['Create'], resources: ['domain'] }, deny('EditAll', 'domain')]);
  const body = (name: string, description: string) => ({ name, description, domainType: 'Aggregate' });
  const names = [uniqueName('Dom'), uniqueName('Dom')];
  for (const name of names) ok(await admin.post('/v1/domains', body(name, 'x')), 201);
  const rows = [...names, uniqueName('Dom')].map((name) => body(name, 'mine'));
  assert.is(ok(await caller.put('/v1/domains/bulk', rows)).numberOfRowsFailed, 2);
  const atOnce = await entriesSoon(admin, { actor: caller.name, action: 'refused' });
  assert.equal([atOnce.length, ...rowsOf(atOnce[0])], [1, 'refused', 2]);
  const { headers } = await caller.put('/v1/domains/bulk?async=true', rows);
  const jobId = headers.get('x-job-id') ?? '';
  assert.is((await waitForJobEnd(admin, jobId)).status, 'COMPLETED');
  const later = await entriesSoon(
    admin,
    { actor: caller.name, action: 'refused' },
    (one) => one.details['jobId'] === jobId,
  );
  // The third was made by the first request, so that now it would be edited.
  assert.equal([later.length, ...rowsOf(later[0])], [1, 'refused', 3]);
});

test('refused CSV rows are logged in one entry with their number', async () => {
  const { schema } = await createDatabaseTree(admin);
  const caller = await rights.person([
    { operations: ['EditAll'] },
    { operations: ['Create'], resources: ['table'] },
    deny('Create', 'storedProcedure'),
  ]);
  const file = formatFile('recursive', [
    { name: 'fresh', entityType: 'table', fullyQualifiedName: `${schema}.fresh` },
    ...['p', 'q'].map((name) => ({ name, entityType: 'storedProcedure', fullyQualifiedName: `${schema}.${name}` })),
  ]);
  const send = (operation: string) =>
    caller.raw('PUT', filePathOf('databaseSchema', schema, `${operation}?recursive=true&dryRun=false`), file, {
      'content-type': 'text/plain',
    });
  assert.is(ok(await send('import')).numberOfRowsFailed, 2);
  const atOnce = await entriesSoon(admin, { actor: caller.name, action: 'refused' });
  assert.equal([atOnce.length, ...rowsOf(atOnce[0])], [1, 'refused', 2]);
  const { jobId } = ok(await send('importAsync'));
  await waitForJobEnd(admin, jobId);
  const later = await entriesSoon(
    admin,
    { actor: caller.name, action: 'refused' },
    (one) => one.details['jobId'] === jobId,
  );
  assert.equal([later.length, ...rowsOf(later[0])], [1, 'refused', 2]);
});

/** A graph that fails once, when it is told to, as entries of the audit log are appended. */
const failingOnce = (graph: Graph): Graph & { readonly fail: () => void } => {
  let isToFail = false;
  const write: Graph['write'] = (work) =>
    graph.write((transaction) =>
      work({
        ...transaction,
        run: (statement, params) => {
          if (statement.name === lockAuditHead.name && isToFail) {
            isToFail = false;
            throw new CatalogError('unavailable', 'The database is away');
          }
          return transaction.run(statement, params);
        },
      }),
    );
  return {
    ...graph,
    write,
    fail: () => {
      isToFail = true;
    },
  };
};

test('an action that cannot be logged is reported to the caller and logged later', async () => {
  const graph = failingOnce(service.graph);
  const boss = await chief();
  const policy = await rights.policy({ operations: ['ViewAll'] });
  const { app, as } = await openSecondProcessWith({ ...service, graph }, { audit: { retryMs: 50 } });
  const client = await as(boss.name);
  const before = (await find({ actor: boss.name, action: 'tokenUsedFirst' })).length;
  ok(await client.get('/v1/users/loggedInUser'));
  // The use of the token is recorded beside the request, and must not be what fails.
  const findUses = () => find({ actor: boss.name, action: 'tokenUsedFirst' });
  await waitFor(findUses, ({ length }) => length > before, 'the use of the token is recorded');
  graph.fail();
  assert.is((await client.patch(`/v1/policies/${policy.id}`, { description: 'changed' })).status, 503);
  assert.is(ok(await admin.get(`/v1/policies/${policy.id}`)).description, 'changed', 'it is done');
  const [entry] = await entriesSoon(admin, { actor: boss.name, action: 'policyChanged' });
  assert.equal([entry?.target, entry?.outcome], [policy.name, 'ok']);
  await app.audit.stop();
  assert.is((await find({ actor: boss.name, action: 'policyChanged' })).length, 1);
});

/** Waits until whoever looks after the store has been through everything: they begin again only then. */
const careTaken = async (): Promise<void> => {
  const begun = () => service.sent(listStaleJobResults.name);
  const before = begun();
  await waitFor(begun, (count) => count >= before + 2, 'the care of the store begins again');
};

/** Lets a process look after the store until some work is done. */
const careDuring = async (days: string, work: () => Promise<unknown>): Promise<void> => {
  const env = { AUDIT_RETENTION_DAYS: days };
  const { app } = await openSecondProcessWith(service, { jobs: { sweepMs: 100 } }, { env });
  // Whoever swept last, whenever that was, has the turn for some minutes yet.
  await service.graph.query("MATCH (turn:Lease {name: 'care of the queue of jobs'}) DELETE turn");
  app.runner.start();
  try {
    await work();
  } finally {
    await app.runner.stop();
  }
};

/** An entry of 40 days ago as the first of the log: nothing goes while something younger stands before it. */
const plantOld = async (): Promise<() => Promise<boolean>> => {
  const actor = uniqueName('old');
  const past = { graph: service.graph, clock: () => Date.now() - 40 * DAY_MS, log: { error: () => {} } };
  let times = 0;
  do {
    times += 1;
    assert.ok(times <= 5, 'the log has no younger entry at its front');
    // Other tests move their clocks ahead, and an entry of the future keeps all that follow it.
    await removeExpiredEntries(service.graph, Number.MAX_SAFE_INTEGER);
    await createAuditLog(past).record({ actor, action: 'backup' });
  } while ((await find({})).at(-1)?.actor !== actor);
  return async () => (await find({ actor })).length === 0;
};

test('AUDIT_RETENTION_DAYS limits the age of entries, and 0 keeps all of them', async () => {
  const isGone = await plantOld();
  for (const days of ['0', '41']) {
    await careDuring(days, careTaken);
    assert.not.ok(await isGone(), `${days} days`);
  }
  await careDuring('39', () => waitUntil(isGone, 'the entry is removed'));
  assert.ok(await isGone(), 'what is older goes');
});

test.run();
