import * as assert from 'uvu/assert';
import { issueToken } from '../../src/access/token.ts';
import { createPerson, expectRecord, expectRefused, ok } from '../support/expect.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, openService, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import {
  claimsOf,
  countHeldCredentials,
  dumpRecord,
  expectTokenAccepted,
  expectTokenRefused,
  generate,
  logInMember,
  newBot,
  newMember,
  waitUntilTokenRefused,
  withApp,
} from './fixture.ts';

/** Shows how tokens of bots are issued, replaced, read and revoked. */

const test = suite('accounts: tokens of bots');

let service: Service;
let other: Service;
test.before(async () => {
  service = await openService();
  other = withApp(service, (await openSecondProcessWith(service, {})).app);
});

const NO_UUID = 'no-such-user';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const REVOKE = '/v1/users/revokeToken';
const mechanismOf = (id: string) => `/v1/users/auth-mechanism/${id}`;

const DAY = 86_400;
const LIFETIMES = { OneHour: 3600, '1': DAY, '7': 7 * DAY, '30': 30 * DAY, '60': 60 * DAY, '90': 90 * DAY } as const;

test('a bot token has the requested lifetime, and only the latest one is valid', async () => {
  const robot = await newBot(service);
  let former = '';
  for (const [JWTTokenExpiry, seconds] of Object.entries(LIFETIMES)) {
    const reply = await generate(service.admin, robot.id, { JWTTokenExpiry });
    const made = ok(reply);
    assert.is(reply.headers.get('cache-control'), 'no-store');
    assert.equal(Object.keys(made).sort(), ['JWTToken', 'JWTTokenExpiresAt', 'JWTTokenExpiry']);
    const { iat, exp, isBot, tokenType, sub } = claimsOf(made.JWTToken);
    assert.equal([isBot, tokenType, sub, made.JWTTokenExpiry], [true, 'BOT', robot.name, JWTTokenExpiry]);
    assert.equal([Number(exp) - Number(iat), made.JWTTokenExpiresAt], [seconds, Number(exp) * 1000]);
    await expectTokenAccepted(service, made.JWTToken, robot);
    if (former) await expectTokenRefused(service, former);
    former = made.JWTToken;
  }
  for (const body of [{ JWTTokenExpiry: 'Unlimited', id: robot.id }, {}, { JWTTokenExpiry: null }]) {
    const made = ok(await generate(service.admin, robot.id, body));
    assert.equal(Object.keys(made).sort(), ['JWTToken', 'JWTTokenExpiry']);
    assert.equal(['exp' in claimsOf(made.JWTToken), made.JWTTokenExpiry], [false, 'Unlimited']);
    await expectTokenAccepted(service, made.JWTToken, robot);
  }
  assert.is(await countHeldCredentials(service, robot), 1);
});

test('a token replaced or revoked in another process is soon refused here', async () => {
  const robot = await newBot(service);
  const first = ok(await generate(service.admin, robot.id)).JWTToken;
  await expectTokenAccepted(other, first, robot);
  const second = ok(await generate(service.admin, robot.id)).JWTToken;
  await expectTokenAccepted(other, second, robot);
  await waitUntilTokenRefused(other, first);
  const admin = withToken(other, await service.token('admin'));
  ok(await admin.put(REVOKE, { id: robot.id }));
  await expectTokenRefused(other, second);
  await waitUntilTokenRefused(service, second);
});

test('revoking returns the user, who then has no token', async () => {
  const robot = await newBot(service);
  const { JWTToken } = ok(await generate(service.admin, robot.id));
  const shown = ok(await service.admin.put(REVOKE, { id: robot.id }));
  const kind = service.registry.byType.get('user');
  assert.ok(kind);
  expectRecord(kind, shown);
  assert.equal([shown.id, shown.version], [robot.id, 0.1]);
  await expectTokenRefused(service, JWTToken);
  assert.equal(ok(await service.admin.get(mechanismOf(robot.id))), {});
  ok(await service.admin.put(REVOKE, { id: robot.id }));
  assert.is(await countHeldCredentials(service, robot), 0);
  await expectTokenAccepted(service, ok(await generate(service.admin, robot.id)).JWTToken, robot);
});

test('people and unknown lifetimes are 400, unknown users 404, and callers without the right 401 or 403', async () => {
  const [robot, member] = [await newBot(service), await newMember(service)];
  const gone = await newBot(service);
  ok(await service.admin.delete(`/v1/users/${gone.id}`));
  const plain = withToken(service, (await logInMember(service, member)).accessToken);
  const machine = await createPerson(service, uniqueName('machine'), { isBot: true });
  expectRefused(await generate(service.admin, member.id), 400, `user ${member.name} is not a bot`);
  expectRefused(await service.admin.put(REVOKE, { id: member.id }), 400, `user ${member.name} is not a bot`);
  for (const body of [
    { JWTTokenExpiry: '2' },
    { JWTTokenExpiry: 7 },
    { expiry: '7' },
    { id: member.id },
    { id: 'x' },
    [],
  ]) {
    expectRefused(await generate(service.admin, robot.id, body), 400);
  }
  for (const id of [UNKNOWN, NO_UUID, gone.id]) {
    expectRefused(await generate(service.admin, id), 404, `user instance for ${id} not found`);
    expectRefused(await service.admin.get(mechanismOf(id)), 404, `user instance for ${id} not found`);
  }
  expectRefused(await service.admin.put(REVOKE, { id: UNKNOWN }), 404);
  for (const body of [{ id: NO_UUID }, {}, { id: robot.id, more: 1 }]) {
    expectRefused(await service.admin.put(REVOKE, body), 400);
  }
  for (const caller of [plain, machine]) {
    const refusal = /operations \[GenerateToken\] not allowed$/;
    expectRefused(await generate(caller, robot.id), 403, refusal);
    expectRefused(await caller.put(REVOKE, { id: robot.id }), 403, refusal);
    expectRefused(await generate(caller, UNKNOWN), 404);
  }
  expectRefused(await plain.get(mechanismOf(robot.id)), 403);
  for (const reply of [
    await generate(anonymous(service), robot.id),
    await anonymous(service).put(REVOKE, { id: robot.id }),
    await anonymous(service).get(mechanismOf(robot.id)),
  ]) {
    expectRefused(reply, 401, 'Not Authorized! Token not present');
  }
  assert.is(await countHeldCredentials(service, robot), 0);
});

test('a bot token that is not stored is refused, even with a valid signature', async () => {
  const robot = await newBot(service);
  const { JWTToken } = ok(await generate(service.admin, robot.id));
  const { name, email } = robot;
  const [rival, wrong] = [await newBot(service), await newMember(service)];
  const theirs = ok(await generate(service.admin, rival.id)).JWTToken;
  const { loadSigningKey } = await import('../../src/access/signing-key.ts');
  const key = await loadSigningKey({ home: process.env['TEST_HOME'] ?? '', keyFile: undefined });
  const base = { issuer: 'tributary', user: { name, email }, ttlSeconds: 60, now: Date.now() };
  for (const token of [
    await issueToken(key, { ...base, isBot: true, tokenType: 'BOT' }),
    await issueToken(key, { ...base, isBot: true, tokenType: 'OM_USER' }),
    await issueToken(key, { ...base, isBot: false, tokenType: 'BOT' }),
    // A token for people would need no keeping, so it stands for no bot.
    await issueToken(key, { ...base, isBot: false, tokenType: 'OM_USER' }),
    await issueToken(key, { ...base, isBot: false, tokenType: 'PERSONAL_ACCESS' }),
    await issueToken(key, { ...base, user: wrong, isBot: false, tokenType: 'PERSONAL_ACCESS' }),
    await issueToken(key, { ...base, user: wrong, isBot: false, tokenType: 'BOT' }),
    await issueToken(key, { ...base, user: wrong, isBot: true, tokenType: 'BOT' }),
  ]) {
    await expectTokenRefused(service, token);
  }
  await expectTokenAccepted(service, JWTToken, robot);
  await expectTokenAccepted(service, theirs, rival);
});

test('only administrators and the bot itself can read the token, and only on its own route', async () => {
  const robot = await newBot(service);
  const made = ok(await generate(service.admin, robot.id, { JWTTokenExpiry: '30' }));
  const machine = await createPerson(service, uniqueName('machine'), { isBot: true });
  const itself = withToken(service, made.JWTToken);
  const clerk = { ...(await service.as('ingestion-bot', { isBot: true })) };
  expectRefused(await machine.get(mechanismOf(robot.id)), 403);
  expectRefused(await clerk.get(mechanismOf(robot.id)), 403);
  expectRefused(await itself.get(mechanismOf(machine.id)), 403);
  for (const user of ['admin', 'quality-bot']) {
    expectRefused(await itself.get(mechanismOf(ok(await service.admin.get(`/v1/users/name/${user}`)).id)), 403);
  }
  for (const caller of [service.admin, itself, withToken(other, await service.token('admin'))]) {
    const reply = await caller.get(mechanismOf(robot.id));
    assert.equal(ok(reply), { authType: 'JWT', config: made });
    assert.is(reply.headers.get('cache-control'), 'no-store');
  }
  ok(await service.admin.patch(`/v1/users/${robot.id}`, { displayName: 'Loader' }));
  const texts = [await dumpRecord(service, robot), service.logged.join('')];
  for (const path of ['', '?fields=*', '/versions', '/versions/0.1', '/versions/0.2']) {
    const reply = await service.admin.get(`/v1/users/${robot.id}${path}`);
    ok(reply);
    texts.push(reply.text);
  }
  texts.push((await service.admin.get(`/v1/events?entityId=${robot.id}`)).text);
  for (const text of texts) {
    assert.not.ok(text.includes(made.JWTToken));
    assert.not.ok(text.includes(made.JWTToken.split('.')[2]));
  }
  assert.not.match(texts.slice(1).join(''), /authenticationMechanism|JWTToken|tributary-sealed/);
  await expectTokenAccepted(service, made.JWTToken, robot);
});

test('a bot created with a token gets it on the first read, the same for every reader', async () => {
  const config = { JWTToken: 'eyJhbGciOi.sent.along', JWTTokenExpiry: '60', JWTTokenExpiresAt: null };
  const wish = { authenticationMechanism: { authType: 'JWT', config } };
  const robot = await newBot(service, wish);
  assert.not.ok((await dumpRecord(service, robot)).includes('sent.along'));
  assert.is(await countHeldCredentials(service, robot), 0);
  const admin = withToken(other, await service.token('admin'));
  const asked = Array.from({ length: 6 }, (_, at) => (at % 2 ? admin : service.admin).get(mechanismOf(robot.id)));
  const [first, ...rest] = (await Promise.all(asked)).map((reply) => ok(reply));
  assert.equal([first.authType, first.config.JWTTokenExpiry], ['JWT', '60']);
  for (const one of rest) assert.equal(one, first);
  await expectTokenAccepted(service, first.config.JWTToken, robot);
  assert.is(await countHeldCredentials(service, robot), 1);
  // What was revoked does not come back by itself; whoever wishes again gets another.
  ok(await service.admin.put(REVOKE, { id: robot.id }));
  assert.equal(ok(await service.admin.get(mechanismOf(robot.id))), {});
  ok(await service.admin.put('/v1/users', { name: robot.name, email: robot.email, isBot: true, ...wish }));
  const again = ok(await service.admin.get(mechanismOf(robot.id)));
  assert.is.not(again.config.JWTToken, first.config.JWTToken);
  await expectTokenRefused(service, first.config.JWTToken);
  const bad = { authType: 'JWT', config: { JWTTokenExpiry: 'Never' } };
  const name = uniqueName('robot');
  const body = { name, email: `${name}@example.com`, isBot: true, authenticationMechanism: bad };
  expectRefused(await service.admin.post('/v1/users', body), 400, /JWTTokenExpiry must be one of/);
});

test('the built-in bots are ready to be used', async () => {
  for (const name of ['ingestion-bot', 'quality-bot', 'profiler-bot']) {
    const { id } = ok(await service.admin.get(`/v1/users/name/${name}`));
    const { config } = ok(await service.admin.get(mechanismOf(id)));
    assert.is(config.JWTTokenExpiry, 'Unlimited');
    await expectTokenAccepted(service, config.JWTToken, { name });
  }
});

test('the authentication mechanism of a user is returned without secrets', async () => {
  const member = await newMember(service);
  assert.equal(ok(await service.admin.get(mechanismOf(member.id))), { authType: 'BASIC' });
  const wish = { authenticationMechanism: { authType: 'JWT', config: { JWTTokenExpiry: 'Unlimited' } } };
  const without = await createPerson(service, uniqueName('mem'));
  ok(await service.admin.put('/v1/users', { name: without.name, email: `${without.name}@example.com`, ...wish }));
  assert.equal(ok(await service.admin.get(mechanismOf(without.id))), {});
  assert.is(await countHeldCredentials(service, without), 0);
});

test('deleting the user of a bot revokes its token permanently', async () => {
  const robot = await newBot(service);
  const { JWTToken } = ok(await generate(service.admin, robot.id));
  ok(await service.admin.delete(`/v1/users/${robot.id}`));
  await expectTokenRefused(service, JWTToken);
  ok(await service.admin.put('/v1/users/restore', { id: robot.id }));
  await waitUntilTokenRefused(service, JWTToken);
  assert.equal(ok(await service.admin.get(mechanismOf(robot.id))), {});
});

test.run();
