import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type AuditEntry, type AuditInput, hashEntry } from '../../src/audit/entry.ts';
import { createEntryThrottle } from '../../src/audit/entry-throttle.ts';
import { createAuditLog } from '../../src/audit/log.ts';
import { removeExpiredEntries } from '../../src/audit/retention.ts';
import { describeVerdict, verifyAuditFile, verifyServiceAudit } from '../../src/cli/verify-audit.ts';
import { openGraph } from '../../src/graph/client.ts';
import { serveApp } from '../../src/http/server.ts';
import { entriesSoon, jsonLines, readEntries } from '../support/audit.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { moment } from '../support/patience.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, type Client, openService, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows what the audit log records, and how it is read, exported and verified. */

const test = suite('audit: audit log');

const PASSWORD = 'Correct-Horse-7';

let service: Service;
let admin: Client;
let rights: RightsFactory;
let token: string;

test.before(async () => {
  service = await openService();
  ({ admin } = service);
  rights = createRightsFactory(service);
  token = await service.token('admin');
  test.after(() => rights.clear());
});

const find = (filter: Readonly<Record<string, string>>): Promise<AuditEntry[]> => readEntries(admin, filter);

const foundSoon = (filter: Readonly<Record<string, string>>): Promise<AuditEntry[]> => entriesSoon(admin, filter);

const verify = () => {
  const send = (address: string, init: RequestInit) => Promise.resolve(service.app.hono.request(address, init));
  return verifyServiceAudit({ server: 'http://localhost', token, send });
};

const whole = async (): Promise<void> => {
  const verdict = await verify();
  assert.is(verdict.isIntact, true, describeVerdict(verdict));
};

const person = async (): Promise<Person & { email: string }> => {
  const name = uniqueName('usr');
  const email = `${name}@example.com`;
  const { id } = ok(await admin.post('/v1/users', { name, email, password: PASSWORD }), 201);
  return { ...(await service.as(name)), id, name, email };
};

test('logins, failed logins, refreshes and logouts are logged', async () => {
  const { name, email } = await person();
  const visitor = anonymous(service);
  expectRefused(await visitor.post('/v1/users/login', { email, password: 'Wrong-Horse-8' }), 401);
  const typed = uniqueName('MySecretPassword');
  expectRefused(await visitor.post('/v1/users/login', { email: typed, password: 'Wrong-Horse-8' }), 401);
  const granted = ok(await visitor.post('/v1/users/login', { email, password: PASSWORD }));
  assert.is((await find({ actor: name, action: 'login' })).length, 1, 'stored before the answer');
  const again = ok(await visitor.post('/v1/users/refresh', { refreshToken: granted.refreshToken }));
  assert.is((await find({ actor: name, action: 'tokenIssued' })).length, 1);
  ok(await withToken(service, again.accessToken).post('/v1/users/logout', {}));
  assert.is((await find({ actor: name, action: 'logout' })).length, 1);
  const [failed] = await foundSoon({ actor: name, action: 'loginFailed' });
  assert.equal([failed?.outcome, failed?.details], ['refused', {}]);
  await foundSoon({ actor: 'unknown', action: 'loginFailed' });
  const text = (await admin.get('/v1/audit/export')).text;
  for (const secret of [
    PASSWORD,
    'Wrong-Horse-8',
    typed,
    typed.toLowerCase(),
    granted.accessToken,
    granted.refreshToken,
  ]) {
    assert.not.ok(text.includes(secret), 'no secret is kept');
  }
});

test('tokens, secrets, exports and changes of rights are logged', async () => {
  const since = { from: String(Date.now()), actor: 'admin' };
  const bot = ok(
    await admin.post('/v1/users', { name: uniqueName('bot'), email: `${uniqueName('b')}@example.com`, isBot: true }),
    201,
  );
  ok(await admin.put(`/v1/users/generateToken/${bot.id}`, {}));
  const mechanism = ok(await admin.get(`/v1/users/auth-mechanism/${bot.id}`));
  const shownToken = mechanism.config.JWTToken;
  assert.type(shownToken, 'string');
  ok(await admin.put('/v1/users/revokeToken', { id: bot.id }));
  const connection = {
    config: { type: 'Postgres', hostPort: 'h:1', username: 'u', authType: { password: 'sEcReT-9' } },
  };
  const name = uniqueName('svc');
  ok(await admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres', connection }), 201);
  const shown = await admin.get(`/v1/services/databaseServices/name/${name}?fields=connection`);
  ok(await admin.get('/v1/search/export?q=nothing_is_called_so'));
  const policy = await rights.policy({ operations: ['ViewAll'] });
  ok(await admin.patch(`/v1/policies/${policy.id}`, { description: 'x' }));
  const role = await rights.role({ operations: ['ViewAll'] });
  ok(await admin.delete(`/v1/roles/${role.id}`));
  const entries = await find(since);
  const has = (action: string, target: string) =>
    assert.ok(
      entries.some((entry) => entry.action === action && entry.target === target),
      `${action} ${target}`,
    );
  has('userChanged', bot.name);
  has('tokenIssued', bot.id);
  has('secretRead', bot.id);
  has('tokenRevoked', bot.name);
  has('policyChanged', policy.name);
  has('roleChanged', role.name);
  assert.is(entries.filter(({ action }) => action === 'exported').length, 1);
  assert.is(entries.filter(({ action, target }) => action === 'policyChanged' && target === policy.name).length, 2);
  assert.ok(shown.text.includes('sEcReT-9'), 'administrators are shown connections');
  await entriesSoon(admin, { ...since, action: 'secretRead' }, ({ target }) => target === name);
  const text = (await admin.get('/v1/audit/export')).text;
  for (const secret of [shownToken, 'sEcReT-9']) assert.not.ok(text.includes(secret), 'no secret is kept');
  await whole();
});

test('a refusal is logged with user, action and address, and a flood of them is counted', async () => {
  const caller = await rights.person();
  const served = await serveApp(service.app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  try {
    const headers = { authorization: `Bearer ${await service.token(caller.name)}`, 'x-request-id': 'the-request' };
    const { status } = await fetch(`${served.address}/v1/audit`, { headers });
    assert.is(status, 403);
  } finally {
    await served.close();
  }
  const [entry] = await foundSoon({ actor: caller.name, action: 'refused' });
  assert.equal(
    [entry?.address, entry?.requestId, entry?.outcome, entry?.target],
    ['127.0.0.1', 'the-request', 'refused', '/v1/audit'],
  );
  const { app, as } = await openSecondProcessWith(service, { audit: { throttle: { each: 5 } } });
  const flooder = await rights.person();
  const client = await as(flooder.name);
  for (let time = 0; time < 40; time += 1) expectRefused(await client.get('/v1/audit/export'), 403);
  await app.audit.stop();
  const entries = await find({ actor: flooder.name, action: 'refused' });
  assert.is(entries.length, 6);
  assert.is(entries[0]?.details['count'], 35);
});

test('the number of entries per time window is limited, whatever the number of callers', () => {
  let now = 0;
  const throttle = createEntryThrottle(() => now, { windowMs: 1000, each: 3, total: 20, keys: 10 });
  const inputs = Array.from(
    { length: 1000 },
    (_, at): AuditInput => ({
      actor: 'unknown',
      action: 'loginFailed',
      address: `192.0.2.${at % 200}`,
    }),
  );
  const written = inputs.flatMap((input) => throttle.admit(input));
  assert.ok(written.length <= 20, `${written.length}`);
  now = 1000;
  const told = throttle.admit({ actor: 'x', action: 'refused' });
  assert.ok(told.length <= 12, `${told.length}`);
  const counted = told.reduce((sum, { details }) => sum + Number(details?.['count'] ?? 0), 0);
  assert.is(written.length + counted, 1000);
});

test('impersonation by a bot is logged', async () => {
  const role = await rights.role({ operations: ['Impersonate'] });
  const name = uniqueName('bot');
  const body = { name, email: `${name}@example.com`, isBot: true, roles: [role.id] };
  ok(await admin.post('/v1/users', body), 201);
  ok(await admin.post('/v1/bots', { name, botUser: name, allowImpersonation: true }), 201);
  const target = await rights.person();
  const bot = await service.as(name, { isBot: true });
  ok(await bot.get('/v1/users/loggedInUser', { 'x-impersonate-user': target.name }));
  const [entry] = await foundSoon({ actor: name, action: 'impersonated' });
  assert.is(entry?.target, target.name);
});

test('the first use of a token is logged once, whichever process sees it', async () => {
  const { name } = await rights.person();
  const fresh = await service.token(name);
  const { app } = await openSecondProcessWith(service, {});
  for (const one of [service, { ...service, app }]) {
    for (let time = 0; time < 3; time += 1) ok(await withToken(one, fresh).get('/v1/users/loggedInUser'));
  }
  await foundSoon({ actor: name, action: 'tokenUsedFirst' });
  await app.audit.stop();
  assert.is((await find({ actor: name, action: 'tokenUsedFirst' })).length, 1);
});

test('several processes append to one chain, without gaps or forks', async () => {
  const actor = uniqueName('many');
  const logs = Array.from({ length: 4 }, () =>
    createAuditLog({ graph: service.graph, clock: Date.now, log: { error: () => {} }, options: { batch: 7 } }),
  );
  const each = Array.from({ length: 50 }, (_, at) => at);
  await Promise.all(
    logs.flatMap((log, process) => each.map((at) => log.record({ actor, action: 'backup', details: { process, at } }))),
  );
  const entries = await find({ actor });
  assert.is(entries.length, 200);
  assert.is(new Set(entries.map(({ seq }) => seq)).size, 200);
  await whole();
});

test('an action that cannot be logged is not confirmed', async () => {
  // Nobody listens there.
  const nowhere = { uri: 'bolt://127.0.0.1:1', user: 'neo4j', password: 'x', database: 'neo4j', transactionMs: 300 };
  const graph = openGraph(nowhere);
  const said: string[] = [];
  const log = createAuditLog({
    graph,
    clock: Date.now,
    log: { error: (message) => said.push(message) },
    options: { mostWaiting: 3, retryMs: 60_000 },
  });
  const outcome = await log.record({ actor: 'x', action: 'login' }).then(
    () => 'stored',
    () => 'refused',
  );
  for (let at = 0; at < 5; at += 1) log.note({ actor: 'x', action: 'loginFailed' });
  assert.throws(() => log.assertWritable(), /cannot be written/, 'and nothing more is done that must be recorded');
  await log.stop();
  await graph.close();
  assert.is(outcome, 'refused');
  assert.ok(said.includes('entries of the audit log are lost'), said.join());
});

const set = (seq: number, properties: object) =>
  service.graph.query('MATCH (n:AuditEntry {seq: toInteger($seq)}) SET n += $properties', { seq, properties });

const take = async (seq: number): Promise<() => Promise<unknown>> => {
  const [row] = await service.graph.query(
    'MATCH (n:AuditEntry {seq: toInteger($seq)}) WITH n, properties(n) AS properties DELETE n RETURN properties',
    { seq },
  );
  return () =>
    service.graph.query(
      'CREATE (n:AuditEntry) SET n = $properties, n.seq = toInteger($properties.seq), n.at = toInteger($properties.at)',
      { properties: row?.['properties'] },
    );
};

test('the first broken entry is reported, however it was broken', async () => {
  for (let at = 0; at < 5; at += 1) {
    await service.app.audit.record({ actor: 'chain', action: 'keysRotated', details: { at } });
  }
  const [, before, middle] = await find({ actor: 'chain' });
  if (!before || !middle) throw new Error('there are no entries');
  await whole();

  const broken = async (pattern: RegExp) => {
    const verdict = await verify();
    assert.is(verdict.isIntact, false);
    assert.match(describeVerdict(verdict), pattern);
  };
  await set(middle.seq, { actor: 'somebody else' });
  await broken(new RegExp(`entry ${middle.seq} was changed`));
  await set(middle.seq, { hash: hashEntry({ ...middle, actor: 'somebody else' }) });
  await broken(new RegExp(`entry ${before.seq} does not follow`));
  await set(middle.seq, { actor: middle.actor, hash: middle.hash });
  await set(middle.seq, { detailsJson: '{"at":7}' });
  await broken(new RegExp(`entry ${middle.seq} was changed`));
  await set(middle.seq, { detailsJson: JSON.stringify(middle.details) });
  const putBack = await take(middle.seq);
  await broken(new RegExp(`entry ${middle.seq} is missing`));
  await putBack();
  // Every verification is an export, which has an entry of its own.
  const [last] = await find({});
  if (!last) throw new Error('there are no entries');
  const putLastBack = await take(last.seq);
  await broken(new RegExp(`entry ${last.seq} is missing: the log ends before it`));
  await putLastBack();
  await whole();
});

test('an exported log is verified without the service', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-audit-'));
  try {
    const { text, headers } = await admin.get('/v1/audit/export');
    assert.is(headers.get('content-type'), 'application/x-ndjson');
    const path = join(folder, 'audit.jsonl');
    await writeFile(path, text);
    const lines = jsonLines(text);
    const intact = { isIntact: true, entries: lines.length, lastHash: lines.at(-1)?.hash };
    assert.equal(await verifyAuditFile(path), intact);
    const sum = (line: string) => createHash('sha256').update(line).digest('hex');
    assert.is(new Set(text.split('\n').map(sum)).size, lines.length + 1, 'every line once, and the end');
    const without = text.split('\n').filter((_, at) => at !== 1);
    await writeFile(path, without.join('\n'));
    const { isIntact, fault } = await verifyAuditFile(path);
    assert.is(isIntact, false);
    assert.match(fault ?? '', new RegExp(`entry ${lines[1]?.seq} is missing`));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the log is paged and filtered, for administrators only', async () => {
  const actor = uniqueName('pages');
  for (let at = 0; at < 5; at += 1) await service.app.audit.record({ actor, action: 'restore', details: { at } });
  const first = ok(await admin.get(`/v1/audit?actor=${actor}&limit=2`));
  const second = ok(await admin.get(`/v1/audit?actor=${actor}&limit=3&after=${first.paging.after}`));
  const places = [...first.data, ...second.data].map(({ details }: AuditEntry) => details['at']);
  assert.equal(places, [4, 3, 2, 1, 0]);
  assert.equal(second.paging, {});
  const [newest] = first.data as AuditEntry[];
  assert.equal(ok(await admin.get(`/v1/audit?actor=${actor}&to=${(newest?.at ?? 0) - 100_000}`)).data, []);
  assert.equal((await find({ actor, action: 'login' })).length, 0);
  for (const query of ['action=other', 'from=x', 'limit=0', 'limit=1001', 'after=-1', 'to=1.5']) {
    expectRefused(await admin.get(`/v1/audit?${query}`), 400);
  }
  const caller = await rights.person([{ operations: ['All'] }]);
  for (const path of ['/v1/audit', '/v1/audit/export']) expectRefused(await caller.get(path), 403);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expectRefused(await admin.raw(method, '/v1/audit', '{}'), 405);
});

test('expired entries are removed from the start, and the rest still verifies', async () => {
  // Other tests move their clocks ahead, and an entry of the future keeps all that follow it.
  await removeExpiredEntries(service.graph, Number.MAX_SAFE_INTEGER);
  const actor = uniqueName('old');
  for (let at = 0; at < 3; at += 1) await service.app.audit.record({ actor, action: 'backup', details: { at } });
  const [newest] = await find({ actor });
  if (!newest) throw new Error('there is no entry');
  await moment();
  await service.app.audit.record({ actor: `${actor}_kept`, action: 'backup' });
  await removeExpiredEntries(service.graph, newest.at + 1);
  assert.equal(await find({ actor }), []);
  const kept = await find({ actor: `${actor}_kept` });
  assert.is(kept.length, 1);
  await whole();
  await service.app.audit.record({ actor, action: 'backup' });
  await whole();
});

test.run();
