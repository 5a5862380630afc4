import * as assert from 'uvu/assert';
import { CHANGE_HEADER_NAME, countStored, expectRecord, expectRefused, ok } from '../support/expect.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, openService, type Reply, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectTokenAccepted, logIn, newMember, PASSWORD, withApp } from './fixture.ts';

/** Shows who may sign up, and what a new account can do. */

const test = suite('accounts: sign-up');

const serve = async (env: Record<string, string>): Promise<Service> =>
  withApp(service, (await openSecondProcessWith(service, {}, { env })).app);

const OPEN = { AUTH_SELF_SIGNUP: 'true' };

let service: Service;
let open: Service;
test.before(async () => {
  service = await openService();
  open = await serve(OPEN);
});

const registration = (more: object = {}) => ({
  email: `${uniqueName('new')}@example.com`,
  password: PASSWORD,
  firstName: ' Ana ',
  lastName: 'Lovelace',
  ...more,
});
const signUp = (at: Service, body: unknown): Promise<Reply> => anonymous(at).post('/v1/users/signup', body);

test('a user who signs up can log in', async () => {
  const body = registration({ email: `${uniqueName('New')}@Example.com` });
  const reply = await signUp(open, body);
  const made = ok(reply, 201);
  const kind = service.registry.byType.get('user');
  assert.ok(kind);
  expectRecord(kind, made);
  const email = body.email.toLowerCase();
  const name = email.split('@')[0] ?? '';
  assert.equal([made.name, made.email, made.displayName, made.version], [name, email, 'Ana Lovelace', 0.1]);
  assert.equal([made.isAdmin, made.isBot, made.updatedBy, made.impersonatedBy], [false, false, name, undefined]);
  assert.equal([reply.headers.get(CHANGE_HEADER_NAME), reply.headers.get('location')], ['entityCreated', made.href]);
  assert.not.match(reply.text, /scrypt|password/i);
  await expectTokenAccepted(open, ok(await logIn(open, email)).accessToken, { name });
});

test('a user who signs up has the default role', async () => {
  const roles = "MATCH (t:Team {name: 'Organization'})-[:HAS_ROLE]->(r:Role) RETURN collect(r.name) AS names";
  const [row] = await service.graph.query(roles);
  const { id } = ok(await signUp(open, registration()), 201);
  const shown = ok(await service.admin.get(`/v1/users/${id}?fields=inheritedRoles`));
  const names = shown.inheritedRoles.map(({ name }: { name: string }) => name);
  assert.equal(names.sort(), [...((row?.['names'] ?? []) as string[])].sort());
});

test('a taken address or name is refused with 409, even of a deleted user', async () => {
  const [member, gone] = [await newMember(service), await newMember(service)];
  ok(await service.admin.delete(`/v1/users/${gone.id}`));
  const before = await countStored(service);
  for (const email of [
    member.email,
    member.email.toUpperCase(),
    `${member.name}@elsewhere.example`,
    gone.email,
    'admin@elsewhere.example',
  ]) {
    expectRefused(await signUp(open, registration({ email })), 409, undefined, 'ENTITY_ALREADY_EXISTS');
  }
  assert.equal(await countStored(service), before);
  const body = registration();
  const replies = await Promise.all(Array.from({ length: 4 }, () => signUp(open, body)));
  assert.equal(replies.map(({ status }) => status).sort(), [201, 409, 409, 409]);
});

test('weak passwords and invalid bodies are refused with 400', async () => {
  const before = await countStored(service);
  for (const more of [
    { password: 'Short-1' },
    { password: 'no-capitals-7' },
    { password: 'NO-SMALL-7' },
    { password: 'No-Digits-' },
    { password: 'NoSpecial7' },
    { email: 'x' },
    { email: 'a@home.local' },
    { email: null },
    { password: null },
    { firstName: null },
    { lastName: ' ' },
    { isAdmin: true },
    { isBot: true },
    { roles: [] },
  ]) {
    expectRefused(await signUp(open, registration(more)), 400);
  }
  expectRefused(await signUp(open, undefined), 400);
  expectRefused(await signUp(open, [registration()]), 400);
  assert.equal(await countStored(service), before);
});

test('sign-up is 404 where it is disabled, and where a provider manages users', async () => {
  const provided = await serve({
    ...OPEN,
    AUTH_JWKS_URLS: 'http://127.0.0.1:9/keys',
    AUTH_ISSUER: 'https://idp.example.org',
    AUTH_AUDIENCE: 'catalog',
  });
  const before = await countStored(service);
  for (const at of [service, provided]) {
    expectRefused(await signUp(at, registration()), 404);
    expectRefused(await signUp(at, {}), 404);
  }
  assert.equal(await countStored(service), before);
  const { enableSelfSignup, provider } = ok(await anonymous(open).get('/v1/system/config/auth'));
  assert.equal([enableSelfSignup, provider], [true, 'basic']);
});

test('where domains are enforced, only their addresses sign up', async () => {
  const env = { ...OPEN, AUTH_ENFORCE_PRINCIPAL_DOMAIN: 'true', AUTH_ALLOWED_DOMAINS: 'Partner.example' };
  const strict = await serve(env);
  expectRefused(await signUp(strict, registration()), 400, '[email must be in an allowed domain]');
  for (const domain of ['tributary.example', 'partner.example']) {
    ok(await signUp(strict, registration({ email: `${uniqueName('new')}@${domain}` })), 201);
  }
});

test('a provider token of an unknown user creates the user once, where that is enabled', async () => {
  const name = uniqueName('guest');
  const token = await service.token(name);
  expectRefused(await withToken(service, token).get('/v1/users/loggedInUser'), 401);
  const asked = Array.from({ length: 5 }, () => withToken(open, token).get('/v1/users/loggedInUser'));
  const ids = new Set((await Promise.all(asked)).map((reply) => ok(reply).id));
  assert.is(ids.size, 1);
  const shown = ok(await service.admin.get(`/v1/users/name/${name}`));
  assert.equal([shown.email, shown.isAdmin, shown.version], [`${name}@tributary.example`, false, 0.1]);
});

test('a flood of sign-ups is refused', async () => {
  const replies = await Promise.all(Array.from({ length: 40 }, () => signUp(open, registration())));
  const turnedAway = replies.filter(({ status }) => status === 503);
  assert.ok(turnedAway.length >= 10, `${turnedAway.length} were turned away`);
  for (const reply of replies) if (reply.status !== 503) ok(reply, 201);
});

test.run();
