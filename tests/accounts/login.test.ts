import * as assert from 'uvu/assert';
import { createPerson, expectRefused, ok } from '../support/expect.ts';
import { watchHashes } from '../support/password-hashes.ts';
import { waitFor } from '../support/patience.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, openService, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import {
  claimsOf,
  expectTokenAccepted,
  expectTokenRefused,
  generate,
  logIn,
  logInMember,
  type Member,
  newBot,
  newMember,
  PASSWORD,
  whoIs,
  withApp,
} from './fixture.ts';

/** Shows login by password and its refusals. */

const test = suite('accounts: login');

let service: Service;
let other: Service;
test.before(async () => {
  service = await openService();
  other = withApp(service, (await openSecondProcessWith(service, {})).app);
});

const REFUSAL = 'Invalid email or password';
const BLOCKED = 'Too many failed logins, try again later';
const nobody = () => `${uniqueName('nobody')}@example.com`;
const WRONG = 'Wrong-Horse-7';

test('a login with a plain or base64 password returns valid tokens', async () => {
  const member = await newMember(service);
  const coded = Buffer.from(PASSWORD).toString('base64');
  for (const [email, password] of [
    [member.email, PASSWORD],
    [` ${member.email.toUpperCase()} `, coded],
  ]) {
    const reply = await logIn(service, email ?? '', password);
    const tokens = ok(reply);
    assert.equal(Object.keys(tokens).sort(), ['accessToken', 'expiryDuration', 'refreshToken', 'tokenType']);
    assert.equal([tokens.tokenType, tokens.expiryDuration], ['Bearer', 3600]);
    assert.is(reply.headers.get('cache-control'), 'no-store');
    await expectTokenAccepted(service, tokens.accessToken, member);
    await expectTokenAccepted(other, tokens.accessToken, member);
    const { iat, iatMs, exp, jti, sid, ...claims } = claimsOf(tokens.accessToken);
    assert.is(Number(exp) - Number(iat), 3600);
    assert.equal([typeof jti, typeof sid, Math.floor(Number(iatMs) / 1000)], ['string', 'string', iat]);
    const { name, email: address } = member;
    assert.equal(claims, {
      iss: 'tributary',
      sub: name,
      email: address,
      preferred_username: name,
      isBot: false,
      tokenType: 'OM_USER',
    });
  }
});

test('own tokens are valid with any configured principal claims', async () => {
  const name = uniqueName('ana');
  const member = await newMember(service, { name, email: `${name}.smith@example.org` });
  const robot = await newBot(service);
  const robotToken = ok(await generate(service.admin, robot.id)).JWTToken;
  for (const env of [
    {},
    { AUTH_PRINCIPAL_CLAIMS: 'upn' },
    { AUTH_PRINCIPAL_CLAIMS_MAPPING: 'username:login,email:mail' },
    { AUTH_ENFORCE_PRINCIPAL_DOMAIN: 'true', AUTH_PRINCIPAL_DOMAIN: 'corp.example' },
  ]) {
    const at = withApp(service, (await openSecondProcessWith(service, {}, { env })).app);
    const { accessToken } = await logInMember(at, member);
    const client = withToken(at, accessToken);
    const { jwtToken } = ok(await client.put('/v1/users/security/token', { tokenName: uniqueName('script') }));
    await expectTokenAccepted(at, accessToken, member);
    await expectTokenAccepted(at, jwtToken, member);
    await expectTokenAccepted(at, robotToken, robot);
    await expectTokenAccepted(at, await service.token('admin'), { name: 'admin' });
  }
});

test('a name without a domain is completed with the domain of the catalog', async () => {
  const name = uniqueName('mem');
  const member = await newMember(service, { name, email: `${name}@tributary.example` });
  await expectTokenAccepted(service, ok(await logIn(service, name)).accessToken, member);
});

test('a password that is also valid base64 is accepted unchanged', async () => {
  const password = 'Abc+/123';
  const member = await newMember(service, { password });
  ok(await logIn(service, member.email, password));
  ok(await logIn(service, member.email, Buffer.from(password).toString('base64')));
});

test('a wrong password and a user who cannot log in get the same response', async () => {
  const gone = await newMember(service);
  ok(await service.admin.delete(`/v1/users/${gone.id}`));
  const { name, ...rest } = { name: uniqueName('mem'), displayName: 'Without a password' };
  const without = ok(await service.admin.post('/v1/users', { name, email: `${name}@example.com`, ...rest }), 201);
  const robot = await newBot(service, { password: PASSWORD });
  const attempts = [
    await logIn(service, (await newMember(service)).email, WRONG),
    await logIn(service, (await newMember(service)).email, ''),
    await logIn(service, nobody()),
    await logIn(service, gone.email),
    await logIn(service, without.email),
    await logIn(service, robot.email),
    await logIn(service, 'admin@tributary.example'),
    await logIn(service, '"; RETURN 1 //'),
    await logIn(service, ''),
  ];
  for (const reply of attempts) {
    expectRefused(reply, 401, REFUSAL);
    assert.is(reply.text, attempts[0]?.text);
    assert.equal([...reply.headers.keys()].sort(), [...(attempts[0]?.headers.keys() ?? [])].sort());
  }
});

test('an unknown user costs as many hashes as a wrong password', async () => {
  const member = await newMember(service);
  const costsOf = (email: string, password: string) =>
    watchHashes(async ({ costs }) => {
      expectRefused(await logIn(service, email, password), 401, REFUSAL);
      return costs;
    });
  // A password that can be read as base64 is checked in both readings.
  for (const [password, count] of [
    [WRONG, 1],
    ['V3JvbmctSG9yc2UtNw==', 2],
  ] as const) {
    const wrong = await costsOf(member.email, password);
    assert.is(wrong.length, count);
    assert.equal(await costsOf(nobody(), password), wrong);
  }
});

test('only administrators set passwords of other users', async () => {
  const [member, without] = [await newMember(service), await createPerson(service, uniqueName('mem'))];
  const { id } = ok(await service.admin.get('/v1/users/name/ingestion-bot'));
  const { config } = ok(await service.admin.get(`/v1/users/auth-mechanism/${id}`));
  const bot = withToken(service, config.JWTToken);
  const bodies = [
    { name: member.name, email: member.email, password: 'Stolen-Horse-7' },
    { name: without.name, email: `${without.name}@example.com`, password: 'Stolen-Horse-7' },
    { name: uniqueName('mem'), email: `${uniqueName('mem')}@example.com`, password: 'Stolen-Horse-7' },
  ];
  for (const body of bodies) expectRefused(await bot.put('/v1/users', body), 403);
  expectRefused(await bot.post('/v1/users', bodies[2]), 403);
  expectRefused(await bot.patch(`/v1/users/${member.id}`, { password: 'Stolen-Horse-7' }), 403);
  ok(await bot.put('/v1/users', { name: member.name, email: member.email, description: 'Reads a lot' }));
  ok(await logIn(service, member.email));
});

test('an invalid body is refused with 400', async () => {
  const client = anonymous(service);
  const path = '/v1/users/login';
  expectRefused(await client.post(path, { email: 'a@example.com' }), 400, '[password must not be null]');
  expectRefused(await client.post(path, { password: PASSWORD }), 400, '[email must not be null]');
  expectRefused(await client.post(path, { email: null, password: null }), 400);
  expectRefused(await client.post(path, { email: 'a@example.com', password: 7 }), 400, '[password must be a string]');
  expectRefused(await client.post(path, { email: ['a'], password: PASSWORD }), 400, '[email must be a string]');
  expectRefused(await client.post(path, { email: 'a@example.com', password: PASSWORD, admin: true }), 400, /admin/);
  expectRefused(await client.post(path, [PASSWORD]), 400);
  expectRefused(await client.raw('POST', path, undefined), 400);
  expectRefused(await client.raw('POST', path, '{'), 400);
  expectRefused(await client.post(path, { email: 'a@example.com', password: 'x'.repeat(2000) }), 400, /password/);
  expectRefused(await client.post(path, { email: 'x'.repeat(70_000), password: PASSWORD }), 413);
});

const isBlocked = (reply: Awaited<ReturnType<typeof logIn>>): void => {
  assert.is(reply.status, 429, reply.text);
  assert.equal(reply.json, { code: 429, errorType: 'TOO_MANY_REQUESTS', message: BLOCKED });
  const seconds = Number(reply.headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 10, `${seconds} s`);
};

test('after three failures an account is throttled for that address in every process, whether it exists or not', async () => {
  const member = await newMember(service);
  let moment = Date.now();
  const open = async () => withApp(service, (await openSecondProcessWith(service, {}, { clock: () => moment })).app);
  const [one, two] = [await open(), await open()];
  for (const email of [member.email, nobody()]) {
    for (const at of [one, two, one]) expectRefused(await logIn(at, email, WRONG), 401, REFUSAL);
    for (const at of [one, two]) isBlocked(await logIn(at, email));
    isBlocked(await logIn(one, email.toUpperCase(), WRONG));
  }
  moment += 11_000;
  ok(await logIn(two, member.email));
  ok(await logIn(service, member.email));
});

test('a successful login resets the failures', async () => {
  const member = await newMember(service);
  for (let round = 0; round < 2; round += 1) {
    for (const at of [service, other]) expectRefused(await logIn(at, member.email, WRONG), 401, REFUSAL);
    ok(await logIn(round === 0 ? service : other, member.email));
  }
});

test('of many concurrent guesses three are checked, and a correct one among the rest is refused', async () => {
  const member = await newMember(service);
  // The wait must not pass while slow guesses are still being checked.
  const moment = Date.now();
  const open = async () => withApp(service, (await openSecondProcessWith(service, {}, { clock: () => moment })).app);
  const [one, two] = [await open(), await open()];
  const guesses = Array.from({ length: 12 }, (_, at) => logIn(at % 2 ? one : two, member.email, WRONG));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status).sort();
  assert.equal(statuses, [...Array(3).fill(401), ...Array(9).fill(429)]);
  isBlocked(await logIn(one, member.email));
});

test('concurrent correct logins all succeed', async () => {
  const member = await newMember(service);
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, at) => logIn(at % 2 ? service : other, member.email)),
  );
  for (const reply of replies) await expectTokenAccepted(service, ok(reply).accessToken, member);
});

/** How many logins of one address are checked at a time. */
const CHECKED_AT_ONCE = 8;

test('a flood of logins is refused and delays no other request', async () => {
  const count = 60;
  await watchHashes(async (hashes) => {
    hashes.hold();
    let turnedAway = 0;
    const flood = Array.from({ length: count }, async () => {
      const reply = await logIn(service, nobody(), WRONG);
      if (reply.status === 503) turnedAway += 1;
      return reply;
    });
    await waitFor(
      () => [turnedAway, hashes.costs.length],
      ([refused = 0, hashed = 0]) => refused === count - CHECKED_AT_ONCE && hashed > 0,
      'all logins but those that are checked are turned away',
    );
    // No hash is finished before others have their answers.
    for (let read = 0; read < 10; read += 1) ok(await service.admin.get('/v1/users?limit=1'));
    hashes.release();
    for (const reply of await Promise.all(flood)) {
      if (reply.status === 503) assert.is(reply.headers.get('retry-after'), '1');
      else expectRefused(reply, 401, REFUSAL);
    }
    assert.is(turnedAway, count - CHECKED_AT_ONCE);
    assert.is(hashes.costs.length, CHECKED_AT_ONCE);
    assert.ok(hashes.mostAtOnce() <= 2, `${hashes.mostAtOnce()} hashes at once take all threads from others`);
  });
  ok(await logIn(service, (await newMember(service)).email));
});

test('login and logout create no event or version, and the time of the login is stored', async () => {
  const member = await newMember(service);
  const path = `/v1/users/${member.id}`;
  const before = ok(await service.admin.get(path));
  const events = () =>
    service.graph.query(
      `MATCH (e:ChangeEvent) WHERE e.entityId = $id OR e.eventType IN ['userLogin', 'userLogout']
       RETURN count(e) AS count`,
      { id: member.id },
    );
  const counted = await events();
  const started = Date.now();
  const { accessToken, refreshToken } = await logInMember(service, member);
  const client = await service.as(member.name);
  ok(await client.post('/v1/users/logout', { token: accessToken, refreshToken }));
  const after = ok(await service.admin.get(path));
  assert.equal(await events(), counted);
  const { lastLoginTime, lastActivityTime, ...rest } = after;
  assert.equal(rest, before);
  assert.ok(lastLoginTime >= started && lastLoginTime <= Date.now());
  assert.is(lastActivityTime, lastLoginTime);
  const renamed = ok(await service.admin.patch(path, { displayName: 'Shown' }));
  assert.equal([renamed.lastLoginTime, renamed.version], [lastLoginTime, 0.2]);
});

test('an unknown login name is not stored', async () => {
  const secret = `Secret-${uniqueName('x')}`;
  expectRefused(await logIn(service, secret, 'x'), 401, REFUSAL);
  const found = await service.graph.query(
    'MATCH (f:FailedLogin) WHERE any(name IN keys(f) WHERE toString(f[name]) CONTAINS $part) RETURN f',
    { part: secret.toLowerCase() },
  );
  assert.equal(found, []);
  assert.not.ok(service.logged.join('').includes(secret));
});

const ADMIN: Member = { id: '', name: 'admin', email: 'admin@tributary.example' };

test('the administrator logs in with the configured password only', async () => {
  await service.graph.query('MATCH (f:FailedLogin) DELETE f');
  const stored = await service.app.engine.passwords.hash(PASSWORD);
  await service.graph.query("MATCH (u:User {fullyQualifiedName: 'admin'}) SET u.password = $stored", { stored });
  const env = { ADMIN_PASSWORD: ' Another-Horse-8 ' };
  try {
    expectRefused(await logIn(service, ADMIN.email), 401, REFUSAL);
    const one = withApp(service, (await openSecondProcessWith(service, {}, { env })).app);
    const two = withApp(service, (await openSecondProcessWith(service, {}, { env })).app);
    expectRefused(await logIn(one, ADMIN.email), 401, REFUSAL);
    const { accessToken, refreshToken } = ok(await logIn(one, 'admin', env.ADMIN_PASSWORD));
    await expectTokenAccepted(one, accessToken, ADMIN);
    await expectTokenAccepted(two, accessToken, ADMIN);
    // Without the password, or with another one, the sessions that it began are over.
    await expectTokenRefused(service, accessToken);
    const changed = { ADMIN_PASSWORD: 'Third-Horse-9' };
    const three = withApp(service, (await openSecondProcessWith(service, {}, { env: changed })).app);
    expectRefused(await whoIs(three, accessToken), 401);
    const next = await anonymous(two).post('/v1/users/refresh', { refreshToken });
    await expectTokenAccepted(one, ok(next).accessToken, ADMIN);
  } finally {
    await service.graph.query("MATCH (u:User {fullyQualifiedName: 'admin'}) REMOVE u.password");
  }
});

test.run();
