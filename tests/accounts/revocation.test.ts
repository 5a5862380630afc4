import * as assert from 'uvu/assert';
import type { Credential } from '../../src/accounts/credentials.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitFor } from '../support/patience.ts';
import { createRoleFor } from '../support/rights.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { openService, type Reply, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import {
  expectTokenAccepted,
  expectTokenRefused,
  generate,
  logIn,
  logInMember,
  type Member,
  newBot,
  newMember,
  PASSWORD,
  refresh,
  waitUntilTokenRefused,
  withApp,
} from './fixture.ts';

/** Shows how tokens and sessions are listed and revoked. */

const test = suite('accounts: revocation');

let service: Service;
let twin: Service;
test.before(async () => {
  service = await openService();
  twin = withApp(service, (await openSecondProcessWith(service, {})).app);
});

const tokensOf = ({ id }: Pick<Member, 'id'>): string => `/v1/users/${id}/tokens`;
const sessionsOf = ({ id }: Pick<Member, 'id'>): string => `/v1/users/${id}/sessions`;

const personal = async (member: Member): Promise<string> =>
  ok(await (await service.as(member.name)).put('/v1/users/security/token', { tokenName: 'laptop' })).jwtToken;

const listed = async (member: Member, query = ''): Promise<Credential[]> =>
  ok(await service.admin.get(`${tokensOf(member)}${query}`)).data;

/** What is used is written down beside the request; this waits until it is. */
const until = (member: Member, is: (tokens: readonly Credential[]) => boolean): Promise<Credential[]> =>
  waitFor(() => listed(member), is, 'the list of tokens is that far');

test('a list shows when each token was issued, expires and was used, and never its value', async () => {
  const member = await newMember(service);
  assert.equal(ok(await service.admin.get(tokensOf(member))), { data: [], paging: { total: 0 } });
  const [issued, made] = [await service.token(member.name), await personal(member)];
  await expectTokenAccepted(service, issued, member);
  await expectTokenAccepted(service, made, member);
  // The token that made the personal one is a third, used as well.
  const tokens = await until(member, (found) => found.length === 3 && found.every((token) => token.lastUsedAt));
  assert.equal(tokens.map(({ type }) => type).sort(), ['OM_USER', 'OM_USER', 'PERSONAL_ACCESS']);
  for (const { id, name, createdAt, expiresAt = 0, lastUsedAt = 0, ...more } of tokens) {
    assert.equal([typeof id, name.length > 0, Object.keys(more)], ['string', true, ['type']]);
    assert.ok(Math.abs(Date.now() - createdAt) < 60_000);
    assert.ok(expiresAt > createdAt && lastUsedAt >= createdAt - 1000);
  }
  assert.is(tokens.find(({ type }) => type === 'PERSONAL_ACCESS')?.name, 'laptop');
  const text = JSON.stringify(tokens);
  for (const token of [issued, made]) assert.not(text.includes(token.split('.')[2] ?? '-'));
});

test('a list is paged, with each token once', async () => {
  const member = await newMember(service);
  for (let at = 0; at < 5; at += 1) await personal(member);
  await until(member, (found) => found.length === 10);
  const seen: string[] = [];
  let after = '';
  do {
    const { data, paging } = ok(await service.admin.get(`${tokensOf(member)}?limit=3${after}`));
    assert.is(paging.total, 10);
    seen.push(...data.map(({ id }: Credential) => id));
    after = paging.after ? `&after=${paging.after}` : '';
  } while (after);
  assert.equal([seen.length, new Set(seen).size], [10, 10]);
  for (const wrong of ['limit=0', 'limit=1001', 'limit=x', 'after=x', 'after=W10']) {
    expectRefused(await service.admin.get(`${tokensOf(member)}?${wrong}`), 400);
  }
});

test('a self-contained token is revoked by its id in every process and stays revoked', async () => {
  const member = await newMember(service);
  const [token, other] = [await service.token(member.name), await service.token(member.name)];
  await expectTokenAccepted(service, token, member);
  await expectTokenAccepted(twin, token, member);
  const [found] = await until(member, (tokens) => tokens.length === 1);
  const left = ok(await service.admin.delete(`${tokensOf(member)}/${found?.id}`));
  assert.type(left.data[0].revokedAt, 'number');
  await expectTokenRefused(service, token);
  await waitUntilTokenRefused(twin, token);
  await expectTokenAccepted(service, other, member);
  expectRefused(await service.admin.delete(`${tokensOf(member)}/${uniqueName('none')}`), 404);
});

test('personal tokens and bot tokens are revoked by their ids', async () => {
  const [member, robot] = [await newMember(service), await newBot(service)];
  const made = await personal(member);
  const bots = ok(await generate(service.admin, robot.id)).JWTToken;
  for (const [owner, token] of [
    [member, made],
    [robot, bots],
  ] as const) {
    await expectTokenAccepted(service, token, owner);
    const kept = (await listed(owner)).find(({ type }) => type !== 'OM_USER');
    ok(await service.admin.delete(`${tokensOf(owner)}/${kept?.id}`));
    await expectTokenRefused(service, token);
    await waitUntilTokenRefused(twin, token);
  }
  assert.equal(ok(await service.admin.get(`/v1/users/auth-mechanism/${robot.id}`)), {});
});

test('revoking all tokens of a user ends them at once, and newer ones are valid', async () => {
  const [member, other] = [await newMember(service), await newMember(service)];
  const unseen = await service.token(member.name, { ttlSeconds: 90 * 86_400 });
  const tokens = [await service.token(member.name), await personal(member)];
  const session = await logInMember(service, member);
  const bystander = await service.token(other.name);
  for (const token of tokens) await expectTokenAccepted(twin, token, member);
  ok(await service.admin.delete(tokensOf(member)));
  for (const token of [...tokens, unseen]) {
    await expectTokenRefused(service, token);
    await waitUntilTokenRefused(twin, token);
  }
  await expectTokenAccepted(service, bystander, other);
  await expectTokenAccepted(service, session.accessToken, member);
  await expectTokenAccepted(service, await service.token(member.name), member);
  await expectTokenAccepted(service, await personal(member), member);
});

test('a token used in another process after the revocation stays revoked', async () => {
  const member = await newMember(service);
  const token = await service.token(member.name);
  await expectTokenAccepted(twin, token, member);
  await until(member, (found) => found.length === 1);
  ok(await service.admin.delete(tokensOf(member)));
  await waitUntilTokenRefused(twin, token);
  const [found] = await listed(member);
  assert.type(found?.revokedAt, 'number');
});

test('sessions are listed and ended one by one or all at once, with their refresh tokens', async () => {
  const member = await newMember(service);
  const [first, second, third] = [
    await logInMember(service, member),
    await logInMember(service, member),
    await logInMember(service, member),
  ];
  await expectTokenAccepted(service, first.accessToken, member);
  const { data, paging } = ok(await service.admin.get(sessionsOf(member)));
  assert.equal([data.length, paging.total], [3, 3]);
  const own = ok(await withToken(service, first.accessToken).get(sessionsOf(member)));
  assert.is(own.data.length, 3);
  const sid = JSON.parse(Buffer.from(first.accessToken.split('.')[1] ?? '', 'base64url').toString()).sid;
  assert.is(ok(await service.admin.delete(`${sessionsOf(member)}/${sid}`)).data.length, 2);
  await expectTokenRefused(service, first.accessToken);
  expectRefused(await refresh(service, first.refreshToken), 401);
  expectRefused(await service.admin.delete(`${sessionsOf(member)}/${sid}`), 404);
  await expectTokenAccepted(twin, second.accessToken, member);
  assert.equal(ok(await service.admin.delete(sessionsOf(member))).data, []);
  for (const { accessToken, refreshToken } of [second, third]) {
    await expectTokenRefused(service, accessToken);
    await waitUntilTokenRefused(twin, accessToken);
    expectRefused(await refresh(service, refreshToken), 401);
  }
  await logInMember(service, member);
});

test('a password reset by PATCH or PUT ends every token and session of the user', async () => {
  const resets: readonly ((member: Member) => Promise<Reply>)[] = [
    ({ id }) => service.admin.patch(`/v1/users/${id}`, { password: 'Another-Horse-8' }),
    ({ id }) => service.admin.patch(`/v1/users/${id}`, { password: 'Another-Horse-8', description: 'and more' }),
    // The same password again is a reset too: somebody else may know it.
    ({ name, email }) => service.admin.put('/v1/users', { name, email, password: PASSWORD }),
  ];
  for (const reset of resets) {
    const member = await newMember(service);
    const [made, session] = [await personal(member), await logInMember(service, member)];
    const tokens = [await service.token(member.name), made, session.accessToken];
    for (const token of tokens) await expectTokenAccepted(twin, token, member);
    ok(await reset(member));
    for (const token of tokens) {
      await waitUntilTokenRefused(service, token);
      await waitUntilTokenRefused(twin, token);
    }
    expectRefused(await refresh(service, session.refreshToken), 401);
    assert.equal(ok(await service.admin.get(sessionsOf(member))).data, []);
  }
});

test('any other change ends nothing', async () => {
  const member = await newMember(service);
  const [token, session] = [await service.token(member.name), await logInMember(service, member)];
  ok(await service.admin.patch(`/v1/users/${member.id}`, { description: 'changed' }));
  ok(await service.admin.put('/v1/users', { name: member.name, email: member.email, displayName: 'Changed' }));
  await expectTokenAccepted(service, token, member);
  await expectTokenAccepted(service, session.accessToken, member);
});

test('tokens of a deleted user stay invalid after the user is restored', async () => {
  const member = await newMember(service);
  const token = await service.token(member.name);
  await expectTokenAccepted(service, token, member);
  ok(await service.admin.delete(`/v1/users/${member.id}`));
  ok(await service.admin.put('/v1/users/restore', { id: member.id }));
  await expectTokenRefused(service, token);
  await expectTokenAccepted(service, await service.token(member.name), member);
});

test('users manage their own credentials only', async () => {
  const [member, other] = [await newMember(service), await newMember(service)];
  const robot = await newBot(service, { roles: [] });
  await logInMember(service, other);
  const clients = [await service.as(member.name), await service.as(robot.name, { isBot: true })];
  for (const client of clients) {
    for (const path of [tokensOf(other), sessionsOf(other), tokensOf({ id: uniqueName('none') })]) {
      expectRefused(await client.get(path), 403);
      expectRefused(await client.delete(path), 403);
      expectRefused(await client.delete(`${path}/x`), 403);
    }
  }
  assert.is(ok(await service.admin.get(sessionsOf(other))).data.length, 1);
  const self = await service.as(member.name);
  ok(await self.get(tokensOf(member)));
  ok(await self.delete(sessionsOf(member)));
  ok(await self.delete(tokensOf(member)));
  expectRefused(await self.get(tokensOf(member)), 401);
  expectRefused(await service.admin.get(tokensOf({ id: 'no-uuid' })), 404);
});

test('an impersonating bot cannot manage the credentials of the user', async () => {
  const member = await newMember(service);
  const robot = await newBot(service, { roles: [await createRoleFor(service, 'Impersonate')] });
  ok(await service.admin.put('/v1/bots', { name: robot.name, botUser: robot.name, allowImpersonation: true }), 201);
  const bot = await service.as(robot.name, { isBot: true });
  const acting = { 'x-impersonate-user': member.name };
  for (const path of [tokensOf(member), sessionsOf(member)]) {
    expectRefused(await bot.get(path, acting), 403);
    expectRefused(await bot.delete(path, acting), 403);
  }
});

test('a login after a reset requires the new password', async () => {
  const member = await newMember(service);
  ok(await service.admin.patch(`/v1/users/${member.id}`, { password: 'Another-Horse-8' }));
  expectRefused(await logIn(service, member.email), 401);
  ok(await logIn(service, member.email, 'Another-Horse-8'));
});

test.run();
