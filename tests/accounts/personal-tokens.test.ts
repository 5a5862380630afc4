import * as assert from 'uvu/assert';
import { createPerson, expectList, expectRefused, ok } from '../support/expect.ts';
import { createRoleFor } from '../support/rights.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, type Client, openService, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import {
  claimsOf,
  countHeldCredentials,
  dumpRecord,
  expectTokenAccepted,
  expectTokenRefused,
  generate,
  type Member,
  newBot,
  newMember,
  waitUntilTokenRefused,
  withApp,
} from './fixture.ts';

/** Shows how people issue, list and revoke personal tokens. */

const test = suite('accounts: personal tokens');

let service: Service;
let other: Service;
test.before(async () => {
  service = await openService();
  other = withApp(service, (await openSecondProcessWith(service, {})).app);
});

const PATH = '/v1/users/security/token';

const somebody = async (): Promise<Client & Member> => {
  const member = await newMember(service);
  return { ...(await service.as(member.name)), ...member };
};
const make = async (client: Client, more: object = {}) => ok(await client.put(PATH, { tokenName: 'script', ...more }));
const listed = async (client: Client) => expectList(await client.get(PATH));

test('a personal token authenticates its user, for thirty days by default', async () => {
  const ann = await somebody();
  for (const [more, days] of [
    [{}, 30],
    [{ JWTTokenExpiry: '1' }, 1],
    [{ JWTTokenExpiry: '90' }, 90],
    [{ JWTTokenExpiry: 'OneHour' }, 1 / 24],
  ] as const) {
    const reply = await ann.put(PATH, { tokenName: 'script', ...more });
    const made = ok(reply);
    assert.is(reply.headers.get('cache-control'), 'no-store');
    assert.equal(Object.keys(made).sort(), ['expiryDate', 'jwtToken', 'token', 'tokenName', 'tokenType', 'userId']);
    assert.equal([made.tokenName, made.tokenType, made.userId], ['script', 'PERSONAL_ACCESS_TOKEN', ann.id]);
    const { iat, exp, isBot, tokenType } = claimsOf(made.jwtToken);
    assert.equal([isBot, tokenType, Number(exp) * 1000], [false, 'PERSONAL_ACCESS', made.expiryDate]);
    assert.is(Number(exp) - Number(iat), days * 86_400);
    for (const at of [service, other]) await expectTokenAccepted(at, made.jwtToken, ann);
  }
});

test('a user lists only their own tokens, in order and without their values', async () => {
  const ann = await somebody();
  assert.equal(await listed(ann), { data: [], paging: { total: 0 } });
  const [one, two] = [await make(ann, { tokenName: 'one' }), await make(ann, { tokenName: 'two' })];
  const { data, paging } = await listed(ann);
  const shown = [one, two].map(({ jwtToken: _text, ...rest }) => rest);
  assert.equal([data, paging], [shown, { total: 2 }]);
  assert.equal((await listed(await somebody())).data, []);
  const kept = await dumpRecord(service, ann);
  for (const { jwtToken } of [one, two]) assert.not.ok(kept.includes(jwtToken.split('.')[2]));
  assert.not.match(JSON.stringify(ok(await service.admin.get(`/v1/users/${ann.id}?fields=*`))), /scrypt|PERSONAL/);
});

test('revoked tokens are refused, here at once and in other processes soon, and the others stay valid', async () => {
  const ann = await somebody();
  const [one, two, three] = [await make(ann), await make(ann), await make(ann)];
  await expectTokenAccepted(other, one.jwtToken, ann);
  const left = expectList(await ann.put(`${PATH}/revoke`, { tokenIds: [one.token, two.token] }));
  assert.equal(
    left.data.map(({ token }: { token: string }) => token),
    [three.token],
  );
  for (const { jwtToken } of [one, two]) await expectTokenRefused(service, jwtToken);
  await waitUntilTokenRefused(other, one.jwtToken);
  await expectTokenAccepted(service, three.jwtToken, ann);
  assert.is(expectList(await ann.put(`${PATH}/revoke`, { tokenIds: [one.token] })).paging.total, 1);
  assert.is(expectList(await ann.put(`${PATH}/revoke`, { tokenIds: [] })).paging.total, 1);
});

test('users cannot revoke tokens of others', async () => {
  const [ann, ben] = [await somebody(), await somebody()];
  const his = await make(ben);
  for (const caller of [ann, service.admin]) ok(await caller.put(`${PATH}/revoke`, { tokenIds: [his.token] }));
  await expectTokenAccepted(service, his.jwtToken, ben);
  assert.is((await listed(ben)).paging.total, 1);
});

test('logging out with a personal token revokes it', async () => {
  const ann = await somebody();
  const { jwtToken } = await make(ann);
  ok(await withToken(service, jwtToken).post('/v1/users/logout', { token: jwtToken }));
  await expectTokenRefused(service, jwtToken);
  assert.equal((await listed(ann)).data, []);
});

test('invalid names, unlimited tokens and more than a hundred tokens are refused with 400', async () => {
  const ann = await somebody();
  for (const body of [
    {},
    { tokenName: '' },
    { tokenName: null },
    { tokenName: 7 },
    { tokenName: 'x'.repeat(600) },
    { tokenName: 'x', JWTTokenExpiry: 'Unlimited' },
    { tokenName: 'x', JWTTokenExpiry: '2' },
    { tokenName: 'x', expiry: '1' },
    'x',
  ]) {
    expectRefused(await ann.put(PATH, body), 400);
  }
  for (const body of [{}, { tokenIds: 'x' }, { tokenIds: ['x'] }, { tokenIds: [], more: 1 }]) {
    expectRefused(await ann.put(`${PATH}/revoke`, body), 400);
  }
  assert.is(await countHeldCredentials(service, ann), 0);
  await service.graph.query(
    `MATCH (u:User {id: $id}) UNWIND range(1, 99) AS i
     CREATE (u)-[:HAS_TOKEN]->(:IssuedToken:Expiring {id: randomUUID(), digest: u.id + i, name: 'n', createdAt: i,
       tokenType: 'PERSONAL_ACCESS', expiresAt: timestamp() + 1000000})`,
    { id: ann.id },
  );
  const replies = await Promise.all(Array.from({ length: 4 }, () => ann.put(PATH, { tokenName: 'last' })));
  assert.equal(replies.map(({ status }) => status).sort(), [200, 400, 400, 400]);
  assert.is((await listed(ann)).paging.total, 100);
});

test('personal tokens are only for users who request them themselves', async () => {
  const robot = await newBot(service, { roles: [await createRoleFor(service, 'Impersonate')] });
  const { JWTToken } = ok(await generate(service.admin, robot.id));
  const machine = withToken(service, JWTToken);
  const bot = { name: uniqueName('bot'), botUser: robot.name, allowImpersonation: true };
  ok(await service.admin.post('/v1/bots', bot), 201);
  const target = await createPerson(service, uniqueName('mem'));
  const acting = { 'X-Impersonate-User': target.name };
  expectRefused(await machine.put(PATH, { tokenName: 'x' }), 400);
  expectRefused(await machine.get(PATH), 400);
  expectRefused(await machine.put(PATH, { tokenName: 'x' }, acting), 403);
  expectRefused(await machine.get(PATH, acting), 403);
  expectRefused(await machine.put(`${PATH}/revoke`, { tokenIds: [] }, acting), 403);
  for (const reply of [
    await anonymous(service).put(PATH, { tokenName: 'x' }),
    await anonymous(service).get(PATH),
    await anonymous(service).put(`${PATH}/revoke`, { tokenIds: [] }),
  ]) {
    expectRefused(reply, 401, 'Not Authorized! Token not present');
  }
});

test.run();
