import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { createRoleFor } from '../support/rights.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, openService, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import {
  countHeldCredentials,
  expectTokenAccepted,
  expectTokenRefused,
  generate,
  logIn,
  logInMember,
  newBot,
  newMember,
  PASSWORD,
  refresh,
  waitUntilTokenRefused,
  withApp,
} from './fixture.ts';

/** Shows how refresh tokens continue sessions, and how sessions end. */

const test = suite('accounts: sessions');

let service: Service;
let other: Service;
test.before(async () => {
  service = await openService();
  other = withApp(service, (await openSecondProcessWith(service, {})).app);
});

const INVALID = 'Not Authorized! Invalid Token';
const logOut = (at: Service, token: string, body: unknown) => withToken(at, token).post('/v1/users/logout', body);

test('a login is seen in the answers and in the search document of the person', async () => {
  const member = await newMember(service);
  const at = `/v1/users/${member.id}`;
  const { id, lastLoginTime } = ok(await service.admin.get(at));
  assert.is(lastLoginTime, undefined);
  const hasCurrentDocument = async (): Promise<boolean> => {
    const text = 'MATCH (n:Entity {id: $id}), (doc:SearchDoc {id: $id}) RETURN n.revision = doc.revision AS isCurrent';
    return (await service.graph.query(text, { id }))[0]?.['isCurrent'] === true;
  };
  const isUnmarked = async (): Promise<boolean> =>
    (await service.graph.query('MATCH (mark:Dirty {entityId: $id}) RETURN mark', { id })).length === 0;
  const { refresher } = other.app;
  refresher.start();
  try {
    await waitUntil(isUnmarked, 'the creation is worked off');
    await logInMember(service, member);
    assert.type(ok(await service.admin.get(at)).lastLoginTime, 'number');
    await waitUntil(hasCurrentDocument, 'the document follows a login');
  } finally {
    await refresher.stop();
  }
});

// Refreshing

test('a refresh token returns new tokens in any process, and former access tokens stay valid', async () => {
  const member = await newMember(service);
  const first = await logInMember(service, member);
  const reply = await refresh(other, first.refreshToken);
  const second = ok(reply);
  assert.equal(Object.keys(second).sort(), ['accessToken', 'expiryDuration', 'refreshToken', 'tokenType']);
  assert.is(reply.headers.get('cache-control'), 'no-store');
  assert.is.not(second.refreshToken, first.refreshToken);
  assert.is.not(second.accessToken, first.accessToken);
  for (const { accessToken } of [first, second]) await expectTokenAccepted(service, accessToken, member);
  ok(await refresh(service, second.refreshToken));
});

test('reusing a refresh token ends the session with all its tokens', async () => {
  const member = await newMember(service);
  const aside = await logInMember(service, member);
  const first = await logInMember(service, member);
  const second = ok(await refresh(service, first.refreshToken));
  await expectTokenAccepted(other, second.accessToken, member);
  expectRefused(await refresh(service, first.refreshToken), 401, INVALID);
  expectRefused(await refresh(service, second.refreshToken), 401, INVALID);
  for (const { accessToken } of [first, second]) await expectTokenRefused(service, accessToken);
  await waitUntilTokenRefused(other, second.accessToken);
  await expectTokenAccepted(service, aside.accessToken, member);
  ok(await refresh(service, aside.refreshToken));
});

test('a refresh token works once where the clocks of processes differ too', async () => {
  const ahead = withApp(service, (await openSecondProcessWith(service, {}, { clock: () => Date.now() + 5000 })).app);
  const { refreshToken } = await logInMember(service, await newMember(service));
  ok(await refresh(ahead, refreshToken));
  expectRefused(await refresh(service, refreshToken), 401, INVALID);
});

test('of two concurrent uses of one refresh token at most one succeeds', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { refreshToken } = await logInMember(service, await newMember(service));
    const replies = await Promise.all([service, other, service].map((at) => refresh(at, refreshToken)));
    const done = replies.filter(({ status }) => status === 200);
    assert.ok(done.length <= 1, replies.map(({ status }) => status).join(' '));
    for (const reply of replies) if (reply.status !== 200) expectRefused(reply, 401, INVALID);
    for (const reply of done) expectRefused(await refresh(service, reply.json.refreshToken), 401, INVALID);
  }
});

test('an invalid refresh token is 401, and a missing one 400', async () => {
  const { accessToken, refreshToken } = await logInMember(service, await newMember(service));
  const changed = `${refreshToken.slice(0, -2)}${refreshToken.endsWith('AA') ? 'BB' : 'AA'}`;
  const invented = `${'A'.repeat(22)}.${'A'.repeat(43)}`;
  for (const token of ['', 'x', accessToken, refreshToken.slice(1), invented]) {
    expectRefused(await refresh(service, token), 401, INVALID);
  }
  expectRefused(await refresh(service, 7), 400);
  expectRefused(await refresh(service, null), 400, '[refreshToken must not be null]');
  expectRefused(await anonymous(service).post('/v1/users/refresh', { refreshToken, more: 1 }), 400);
  ok(await refresh(service, refreshToken));
  expectRefused(await refresh(service, changed), 401, INVALID);
});

test('a session ends seven days after its last refresh', async () => {
  const member = await newMember(service);
  const inDays = async (days: number) => {
    const clock = () => Date.now() + days * 86_400_000;
    return withApp(service, (await openSecondProcessWith(service, {}, { clock })).app);
  };
  const kept = ok(await refresh(await inDays(6.9), (await logInMember(service, member)).refreshToken));
  ok(await refresh(await inDays(13.8), kept.refreshToken));
  expectRefused(await refresh(await inDays(7.1), (await logInMember(service, member)).refreshToken), 401, INVALID);
});

test('a user has at most a hundred sessions, and the one that expires first is replaced', async () => {
  const member = await newMember(service);
  const oldest = await logInMember(service, member);
  await service.graph.query(
    `MATCH (u:User {id: $id})-[:HAS_SESSION]->(s) SET s.expiresAt = s.expiresAt - 1000 WITH u
     UNWIND range(1, 99) AS i CREATE (u)-[:HAS_SESSION]->(:Session:Expiring {id: u.id + i, expiresAt: timestamp() + 1000000000})`,
    { id: member.id },
  );
  await expectTokenAccepted(service, oldest.accessToken, member);
  const latest = await logInMember(service, member);
  assert.is(await countHeldCredentials(service, member), 100);
  await waitUntilTokenRefused(service, oldest.accessToken);
  expectRefused(await refresh(service, oldest.refreshToken), 401, INVALID);
  await expectTokenAccepted(service, latest.accessToken, member);
});

// Logging out

test('after a logout both tokens are refused, here at once and in other processes soon', async () => {
  const member = await newMember(service);
  const { accessToken, refreshToken } = await logInMember(service, member);
  await expectTokenAccepted(other, accessToken, member);
  const reply = await logOut(service, accessToken, { token: accessToken, refreshToken });
  assert.equal(ok(reply), {});
  await expectTokenRefused(service, accessToken);
  expectRefused(await refresh(other, refreshToken), 401, INVALID);
  await waitUntilTokenRefused(other, accessToken);
  assert.is(await countHeldCredentials(service, member), 0);
});

test('the access token alone ends the session, and so does the refresh token', async () => {
  const member = await newMember(service);
  const [one, two, three] = [
    await logInMember(service, member),
    await logInMember(service, member),
    await logInMember(service, member),
  ];
  ok(await logOut(service, one.accessToken, {}));
  expectRefused(await refresh(service, one.refreshToken), 401, INVALID);
  ok(await logOut(service, three.accessToken, { token: two.accessToken }));
  expectRefused(await refresh(service, two.refreshToken), 401, INVALID);
  await expectTokenAccepted(service, three.accessToken, member);
  const four = await logInMember(service, member);
  ok(await logOut(service, three.accessToken, { refreshToken: four.refreshToken }));
  for (const { accessToken } of [three, four]) await expectTokenRefused(service, accessToken);
});

test('extra members of clients are accepted, and logging out with an expired token succeeds', async () => {
  const member = await newMember(service);
  const { accessToken } = await logInMember(service, member);
  const past = await service.token(member.name, { ttlSeconds: -3600 });
  const logoutTime = new Date().toISOString();
  for (const token of ['x', past]) {
    const body = { token, username: member.name, logoutTime, refreshToken: 'x' };
    ok(await logOut(service, accessToken, body));
  }
  expectRefused(await logOut(service, accessToken, { tokens: [] }), 400);
  expectRefused(await logOut(service, accessToken, { token: 7 }), 400);
  await expectTokenAccepted(service, accessToken, member);
});

test('a user cannot log out another user', async () => {
  const [ann, ben] = [await newMember(service), await newMember(service)];
  const [hers, his] = [await logInMember(service, ann), await logInMember(service, ben)];
  expectRefused(await logOut(service, hers.accessToken, { token: his.accessToken }), 403);
  await expectTokenAccepted(service, hers.accessToken, ann);
  ok(await logOut(service, hers.accessToken, { refreshToken: his.refreshToken }));
  await expectTokenAccepted(service, his.accessToken, ben);
  ok(await refresh(service, his.refreshToken));
  expectRefused(await anonymous(service).post('/v1/users/logout', {}), 401, 'Not Authorized! Token not present');
});

test('a logged-out token without a session is refused until it expires, in every process', async () => {
  const member = await newMember(service);
  const [token, spare] = [await service.token(member.name), await service.token(member.name)];
  await expectTokenAccepted(other, token, member);
  ok(await logOut(service, token, { token }));
  await expectTokenRefused(service, token);
  await waitUntilTokenRefused(other, token);
  await expectTokenAccepted(service, spare, member);
  const [row] = await service.graph.query('MATCH (o:LoggedOut) RETURN max(o.expiresAt) AS latest');
  assert.ok(
    Number(row?.['latest']) >= Date.now() + 3_590_000,
    'it is kept in mind for as long as the token would count',
  );
});

test('a bot has no session to end, nor does the user it impersonates', async () => {
  const robot = await newBot(service, { roles: [await createRoleFor(service, 'Impersonate')] });
  const { JWTToken } = ok(await generate(service.admin, robot.id));
  expectRefused(await logOut(service, JWTToken, {}), 400);
  const bot = { name: uniqueName('bot'), botUser: robot.name, allowImpersonation: true };
  ok(await service.admin.post('/v1/bots', bot), 201);
  const member = await newMember(service);
  const path = '/v1/users/logout';
  expectRefused(await withToken(service, JWTToken).post(path, {}, { 'X-Impersonate-User': member.name }), 400);
  await expectTokenAccepted(service, JWTToken, robot);
});

// What ends sessions beside their person

test('a new password ends the sessions started with the former one', async () => {
  const member = await newMember(service);
  const { accessToken, refreshToken } = await logInMember(service, member);
  await expectTokenAccepted(other, accessToken, member);
  const changed = { name: member.name, email: member.email, password: 'Fourth-Horse-9' };
  ok(await service.admin.put('/v1/users', changed));
  await waitUntilTokenRefused(service, accessToken);
  await waitUntilTokenRefused(other, accessToken);
  expectRefused(await refresh(service, refreshToken), 401, INVALID);
  expectRefused(await logIn(service, member.email, PASSWORD), 401);
  await expectTokenAccepted(service, ok(await logIn(service, member.email, changed.password)).accessToken, member);
});

test('deleting a user ends all sessions, and restoring the user restores none', async () => {
  const member = await newMember(service);
  const { accessToken, refreshToken } = await logInMember(service, member);
  const made = await withToken(service, accessToken).put('/v1/users/security/token', { tokenName: 'script' });
  const { jwtToken } = ok(made);
  await expectTokenAccepted(other, jwtToken, member);
  assert.is(await countHeldCredentials(service, member), 2);
  ok(await service.admin.delete(`/v1/users/${member.id}`));
  for (const token of [accessToken, jwtToken]) await expectTokenRefused(service, token);
  assert.is(await countHeldCredentials(service, member), 0);
  ok(await service.admin.put('/v1/users/restore', { id: member.id }));
  for (const token of [accessToken, jwtToken]) await waitUntilTokenRefused(service, token);
  await waitUntilTokenRefused(other, jwtToken);
  expectRefused(await refresh(service, refreshToken), 401, INVALID);
  await expectTokenAccepted(service, (await logInMember(service, member)).accessToken, member);
});

test('hard deletion of a user removes all credentials, also for a later user of that name', async () => {
  const member = await newMember(service);
  const { accessToken, refreshToken } = await logInMember(service, member);
  const count = () => service.graph.query('RETURN COUNT { (:Session) } + COUNT { (:IssuedToken) } AS count');
  const before = Number((await count())[0]?.['count']);
  ok(await service.admin.delete(`/v1/users/${member.id}?hardDelete=true`));
  assert.is(Number((await count())[0]?.['count']), before - 1);
  const { name, email } = member;
  ok(await service.admin.post('/v1/users', { name, email, password: PASSWORD }), 201);
  await waitUntilTokenRefused(service, accessToken);
  expectRefused(await refresh(service, refreshToken), 401, INVALID);
});

test.run();
