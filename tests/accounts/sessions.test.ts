import * as assert from 'uvu/assert';
import { ok, refused } from '../support/expect.ts';
import { roleThatMay } from '../support/rights.ts';
import { anonymous, openService, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { openTwinWith } from '../support/twin.ts';
import {
  counts,
  countsNot,
  enter,
  generate,
  held,
  logIn,
  newMember,
  newRobot,
  PASSWORD,
  refresh,
  served,
  soonCountsNot,
} from './fixture.ts';

const test = suite('accounts: sessions');

let service: Service;
let other: Service;
test.before(async () => {
  service = await openService();
  other = served(service, (await openTwinWith(service, {})).app);
});

const INVALID = 'Not Authorized! Invalid Token';
const logOut = (at: Service, token: string, body: unknown) => withToken(at, token).post('/v1/users/logout', body);

// Refreshing

test('a refresh token gives the next ones, on any process, and older access tokens count on', async () => {
  const member = await newMember(service);
  const first = await enter(service, member);
  const reply = await refresh(other, first.refreshToken);
  const second = ok(reply);
  assert.equal(Object.keys(second).sort(), ['accessToken', 'expiryDuration', 'refreshToken', 'tokenType']);
  assert.is(reply.headers.get('cache-control'), 'no-store');
  assert.is.not(second.refreshToken, first.refreshToken);
  assert.is.not(second.accessToken, first.accessToken);
  for (const { accessToken } of [first, second]) await counts(service, accessToken, member);
  ok(await refresh(service, second.refreshToken));
});

test('a refresh token shown twice ends the session and everything it gave', async () => {
  const member = await newMember(service);
  const aside = await enter(service, member);
  const first = await enter(service, member);
  const second = ok(await refresh(service, first.refreshToken));
  await counts(other, second.accessToken, member);
  refused(await refresh(service, first.refreshToken), 401, INVALID);
  refused(await refresh(service, second.refreshToken), 401, INVALID);
  for (const { accessToken } of [first, second]) await countsNot(service, accessToken);
  await soonCountsNot(other, second.accessToken);
  await counts(service, aside.accessToken, member);
  ok(await refresh(service, aside.refreshToken));
});

test('of two who show one refresh token at once at most one goes on', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { refreshToken } = await enter(service, await newMember(service));
    const replies = await Promise.all([service, other, service].map((at) => refresh(at, refreshToken)));
    const done = replies.filter(({ status }) => status === 200);
    assert.ok(done.length <= 1, replies.map(({ status }) => status).join(' '));
    for (const reply of replies) if (reply.status !== 200) refused(reply, 401, INVALID);
    for (const reply of done) refused(await refresh(service, reply.json.refreshToken), 401, INVALID);
  }
});

test('401 for refresh tokens that are none, 400 for none at all', async () => {
  const { accessToken, refreshToken } = await enter(service, await newMember(service));
  const changed = `${refreshToken.slice(0, -2)}${refreshToken.endsWith('AA') ? 'BB' : 'AA'}`;
  const invented = `${'A'.repeat(22)}.${'A'.repeat(43)}`;
  for (const token of ['', 'x', accessToken, refreshToken.slice(1), invented]) {
    refused(await refresh(service, token), 401, INVALID);
  }
  refused(await refresh(service, 7), 400);
  refused(await refresh(service, null), 400, '[refreshToken must not be null]');
  refused(await anonymous(service).post('/v1/users/refresh', { refreshToken, more: 1 }), 400);
  ok(await refresh(service, refreshToken));
  refused(await refresh(service, changed), 401, INVALID);
});

test('a session ends after seven days without a refresh', async () => {
  const member = await newMember(service);
  const inDays = async (days: number) => {
    const clock = () => Date.now() + days * 86_400_000;
    return served(service, (await openTwinWith(service, {}, { clock })).app);
  };
  const kept = ok(await refresh(await inDays(6.9), (await enter(service, member)).refreshToken));
  ok(await refresh(await inDays(13.8), kept.refreshToken));
  refused(await refresh(await inDays(7.1), (await enter(service, member)).refreshToken), 401, INVALID);
});

test('a hundred sessions go on at once; the one that would end first makes room', async () => {
  const member = await newMember(service);
  const oldest = await enter(service, member);
  await service.graph.query(
    `MATCH (u:User {id: $id})-[:HAS_SESSION]->(s) SET s.expiresAt = s.expiresAt - 1000 WITH u
     UNWIND range(1, 99) AS i CREATE (u)-[:HAS_SESSION]->(:Session:Expiring {id: u.id + i, expiresAt: timestamp() + 1000000000})`,
    { id: member.id },
  );
  await counts(service, oldest.accessToken, member);
  const latest = await enter(service, member);
  assert.is(await held(service, member), 100);
  await soonCountsNot(service, oldest.accessToken);
  refused(await refresh(service, oldest.refreshToken), 401, INVALID);
  await counts(service, latest.accessToken, member);
});

// Logging out

test('after logging out neither token counts, here at once and on other processes soon', async () => {
  const member = await newMember(service);
  const { accessToken, refreshToken } = await enter(service, member);
  await counts(other, accessToken, member);
  const reply = await logOut(service, accessToken, { token: accessToken, refreshToken });
  assert.equal(ok(reply), {});
  await countsNot(service, accessToken);
  refused(await refresh(other, refreshToken), 401, INVALID);
  await soonCountsNot(other, accessToken);
  assert.is(await held(service, member), 0);
});

test('the access token alone ends the session too, and so does the refresh token', async () => {
  const member = await newMember(service);
  const [one, two, three] = [await enter(service, member), await enter(service, member), await enter(service, member)];
  ok(await logOut(service, one.accessToken, {}));
  refused(await refresh(service, one.refreshToken), 401, INVALID);
  ok(await logOut(service, three.accessToken, { token: two.accessToken }));
  refused(await refresh(service, two.refreshToken), 401, INVALID);
  await counts(service, three.accessToken, member);
  const four = await enter(service, member);
  ok(await logOut(service, three.accessToken, { refreshToken: four.refreshToken }));
  for (const { accessToken } of [three, four]) await countsNot(service, accessToken);
});

test('what clients send along is accepted; a token that counts no more is as good as logged out', async () => {
  const member = await newMember(service);
  const { accessToken } = await enter(service, member);
  const past = await service.token(member.name, { ttlSeconds: -3600 });
  const logoutTime = new Date().toISOString();
  for (const token of ['x', past]) {
    const body = { token, username: member.name, logoutTime, refreshToken: 'x' };
    ok(await logOut(service, accessToken, body));
  }
  refused(await logOut(service, accessToken, { tokens: [] }), 400);
  refused(await logOut(service, accessToken, { token: 7 }), 400);
  await counts(service, accessToken, member);
});

test('nobody logs somebody else out', async () => {
  const [ann, ben] = [await newMember(service), await newMember(service)];
  const [hers, his] = [await enter(service, ann), await enter(service, ben)];
  refused(await logOut(service, hers.accessToken, { token: his.accessToken }), 403);
  await counts(service, hers.accessToken, ann);
  ok(await logOut(service, hers.accessToken, { refreshToken: his.refreshToken }));
  await counts(service, his.accessToken, ben);
  ok(await refresh(service, his.refreshToken));
  refused(await anonymous(service).post('/v1/users/logout', {}), 401, 'Not Authorized! Token not present');
});

test('a token without a session is refused until its end, on every process', async () => {
  const member = await newMember(service);
  const [token, spare] = [await service.token(member.name), await service.token(member.name)];
  await counts(other, token, member);
  ok(await logOut(service, token, { token }));
  await countsNot(service, token);
  await soonCountsNot(other, token);
  await counts(service, spare, member);
  const [row] = await service.graph.query('MATCH (o:LoggedOut) RETURN max(o.expiresAt) AS latest');
  assert.ok(
    Number(row?.['latest']) >= Date.now() + 3_590_000,
    'it is kept in mind for as long as the token would count',
  );
});

test('a bot has no session to end, also for whom it acts', async () => {
  const robot = await newRobot(service, { roles: [await roleThatMay(service, 'Impersonate')] });
  const { JWTToken } = ok(await generate(service.admin, robot.id));
  refused(await logOut(service, JWTToken, {}), 400);
  const bot = { name: uniqueName('bot'), botUser: robot.name, allowImpersonation: true };
  ok(await service.admin.post('/v1/bots', bot), 201);
  const member = await newMember(service);
  const path = '/v1/users/logout';
  refused(await withToken(service, JWTToken).post(path, {}, { 'X-Impersonate-User': member.name }), 400);
  await counts(service, JWTToken, robot);
});

// What ends sessions beside their person

test('a new password ends the sessions begun with the former one', async () => {
  const member = await newMember(service);
  const { accessToken, refreshToken } = await enter(service, member);
  await counts(other, accessToken, member);
  const changed = { name: member.name, email: member.email, password: 'Fourth-Horse-9' };
  ok(await service.admin.put('/v1/users', changed));
  await soonCountsNot(service, accessToken);
  await soonCountsNot(other, accessToken);
  refused(await refresh(service, refreshToken), 401, INVALID);
  refused(await logIn(service, member.email, PASSWORD), 401);
  await counts(service, ok(await logIn(service, member.email, changed.password)).accessToken, member);
});

test('deleting somebody ends all that they had, and bringing them back brings none of it back', async () => {
  const member = await newMember(service);
  const { accessToken, refreshToken } = await enter(service, member);
  const made = await withToken(service, accessToken).put('/v1/users/security/token', { tokenName: 'script' });
  const { jwtToken } = ok(made);
  await counts(other, jwtToken, member);
  assert.is(await held(service, member), 2);
  ok(await service.admin.delete(`/v1/users/${member.id}`));
  for (const token of [accessToken, jwtToken]) await countsNot(service, token);
  assert.is(await held(service, member), 0);
  ok(await service.admin.put('/v1/users/restore', { id: member.id }));
  for (const token of [accessToken, jwtToken]) await soonCountsNot(service, token);
  await soonCountsNot(other, jwtToken);
  refused(await refresh(service, refreshToken), 401, INVALID);
  await counts(service, (await enter(service, member)).accessToken, member);
});

test('removing somebody for good leaves nothing, and the next of that name starts anew', async () => {
  const member = await newMember(service);
  const { accessToken, refreshToken } = await enter(service, member);
  const count = () => service.graph.query('RETURN COUNT { (:Session) } + COUNT { (:IssuedToken) } AS count');
  const before = Number((await count())[0]?.['count']);
  ok(await service.admin.delete(`/v1/users/${member.id}?hardDelete=true`));
  assert.is(Number((await count())[0]?.['count']), before - 1);
  const { name, email } = member;
  ok(await service.admin.post('/v1/users', { name, email, password: PASSWORD }), 201);
  await soonCountsNot(service, accessToken);
  refused(await refresh(service, refreshToken), 401, INVALID);
});

test.run();
