import type { JWTPayload } from 'jose';
import * as assert from 'uvu/assert';
import { countStored, expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, openService, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { createKeyServer, createProvider } from './fixture.ts';

/** Shows which accounts the token of an identity provider may and may not use. */

const test = suite('access: accounts of identity providers');

const IDP = 'https://idp.example.org';
const DOMAIN = 'tributary.example';
const WHOAMI = '/v1/users/loggedInUser';
const ANY_DOMAIN = { AUTH_ENFORCE_PRINCIPAL_DOMAIN: 'false' };

let service: Service;
let provider: Awaited<ReturnType<typeof createProvider>>;
let keys: Awaited<ReturnType<typeof createKeyServer>>;

test.before(async () => {
  service = await openService();
  provider = await createProvider('RS256', 'idp');
  keys = await createKeyServer();
  keys.answer = { keys: [provider.jwk] };
});
test.after(() => keys.close());

const serve = async (env: Record<string, string> = {}): Promise<Service> => {
  const settings = { AUTH_JWKS_URLS: keys.url, AUTH_ISSUER: IDP, AUTH_AUDIENCE: 'catalog', ...env };
  return { ...service, app: (await openSecondProcessWith(service, {}, { env: settings })).app };
};

const show = async (at: Service, claims: JWTPayload) => {
  const exp = Math.floor(Date.now() / 1000) + 600;
  return withToken(at, await provider.sign({ iss: IDP, aud: 'catalog', exp, ...claims })).get(WHOAMI);
};

/** Every way to be taken for the built-in administrator without being it. */
const IMPOSTORS: readonly JWTPayload[] = [
  { email: 'admin@evil.example', email_verified: true },
  { email: 'ADMIN@Evil.example', email_verified: true },
  { email: `admin@${DOMAIN}.evil.example`, email_verified: true },
  { email: `admin@evil.${DOMAIN}`, email_verified: true },
  { email: `admin@${DOMAIN}` },
  { email: `admin@${DOMAIN}`, email_verified: false },
  { email: `admin@${DOMAIN}`, email_verified: 'true' },
  { email: `admin@${DOMAIN}`, Email_Verified: true },
  { Email: `admin@${DOMAIN}`, email_verified: true },
  { email: 'admin', email_verified: true },
  { preferred_username: 'admin' },
  { preferred_username: 'admin', email_verified: true },
  { sub: 'admin' },
  { sub: 'Admin', email_verified: true },
  { sub: `admin@${DOMAIN}`, email_verified: true },
  { email: null, sub: `admin@${DOMAIN}`, email_verified: true },
  { email: `admin@${DOMAIN}@evil.example`, email_verified: true },
  { email: 'admin@evil.example', email_verified: true, isBot: true },
];

test('a provider token never authenticates the built-in administrator', async () => {
  const at = await serve({ AUTH_SELF_SIGNUP: 'true' });
  for (const claims of [...IMPOSTORS, { email: `admin@${DOMAIN}`, email_verified: true }]) {
    const reply = await show(at, claims);
    assert.is(reply.status, 401, JSON.stringify(claims));
  }
});

test('AUTH_ADMINS does not make an unverified or foreign address an administrator', async () => {
  const at = await serve({ AUTH_ADMINS: 'admin', AUTH_SELF_SIGNUP: 'true' });
  for (const claims of IMPOSTORS) assert.is((await show(at, claims)).status, 401, JSON.stringify(claims));
});

test('a claim that names the administrator needs its own verified e-mail address', async () => {
  const at = await serve({ AUTH_ADMINS: 'admin', AUTH_PRINCIPAL_CLAIMS: 'sub,email' });
  expectRefused(await show(at, { sub: 'admin', email: `ana@${DOMAIN}`, email_verified: true }), 401);
  const mapped = await serve({
    AUTH_ADMINS: 'admin',
    AUTH_PRINCIPAL_CLAIMS_MAPPING: 'username:nickname,email:contact',
  });
  const borrowed = { nickname: 'admin', contact: `admin@${DOMAIN}`, email_verified: true };
  expectRefused(await show(mapped, borrowed), 401);
  expectRefused(await show(mapped, { ...borrowed, email: `ana@${DOMAIN}` }), 401);
});

test('AUTH_ADMINS and a verified address in the principal domain together make an administrator', async () => {
  const at = await serve({ AUTH_ADMINS: 'Admin' });
  const { name, isAdmin } = ok(await show(at, { email: `Admin@${DOMAIN}`, email_verified: true }));
  assert.equal([name, isAdmin], ['admin', true]);
});

test('a provider token never authenticates a bot, even if AUTH_ADMINS names it', async () => {
  const own = uniqueName('robot');
  const body = { name: own, email: `${own}@${DOMAIN}`, isBot: true };
  ok(await service.admin.post('/v1/users', body), 201);
  const at = await serve({ AUTH_SELF_SIGNUP: 'true', AUTH_ADMINS: `ana,ingestion-bot,${own}` });
  for (const name of ['ingestion-bot', 'quality-bot', 'profiler-bot', own]) {
    for (const isBot of [true, false]) {
      expectRefused(await show(at, { email: `${name}@${DOMAIN}`, email_verified: true, isBot }), 401);
      expectRefused(await show(at, { sub: name, isBot, tokenType: 'BOT' }), 401);
    }
  }
});

test('an address of another domain does not authenticate any other administrator', async () => {
  const name = uniqueName('chief');
  ok(await service.admin.post('/v1/users', { name, email: `${name}@corp.example`, isAdmin: true }), 201);
  const at = await serve(ANY_DOMAIN);
  for (const claims of [
    { email: `${name}@evil.example` },
    { email: `${name}@evil.example`, email_verified: true },
    { email: `${name}@corp.example`, email_verified: false },
    { email: `${name}@corp.example`, email_verified: 'true' },
    { email: `${name}@corp.example` },
    { Email: `${name}@corp.example`, email_verified: true },
    { sub: name },
    { sub: name, email_verified: true },
    { preferred_username: name, Email: `${name}@evil.example` },
  ]) {
    assert.is((await show(at, claims)).status, 401, JSON.stringify(claims));
  }
  const claimFirst = await serve({ ...ANY_DOMAIN, AUTH_PRINCIPAL_CLAIMS: 'preferred_username' });
  expectRefused(await show(claimFirst, { preferred_username: name, email: `other@evil.example` }), 401);
  const borrowed = { preferred_username: name, email: `other@${DOMAIN}`, email_verified: true };
  expectRefused(await show(claimFirst, borrowed), 401);
  assert.is(ok(await show(at, { email: `${name}@corp.example`, email_verified: true })).name, name);
  assert.is(ok(await show(at, { email: `${name}@${DOMAIN}`, email_verified: true })).name, name);
});

test('only administrators change the e-mail address of an administrator', async () => {
  const name = uniqueName('chief');
  const email = `${name}@corp.example`;
  const evil = `${name}@evil.example`;
  const { id } = ok(await service.admin.post('/v1/users', { name, email, isAdmin: true }), 201);
  const editor = await createRightsFactory(service).person([{ operations: ['All'], resources: ['user'] }]);
  expectRefused(await editor.patch(`/v1/users/${id}`, { email: evil }), 403, /may not set email$/);
  expectRefused(await editor.put('/v1/users', { name, email: evil }), 403, /may not set email$/);
  const bulk = ok(await editor.put('/v1/users/bulk', [{ name, email: evil }]));
  assert.is(bulk.failedRequest[0].status, 403);
  assert.is(ok(await service.admin.get(`/v1/users/${id}`)).email, email);
  const at = await serve();
  expectRefused(await show(at, { email: evil, email_verified: true }), 401);
  // What does not change the address is not refused, and neither are administrators, nor addresses of other people.
  ok(await editor.put('/v1/users', { name, email, displayName: 'Chief' }));
  const plain = uniqueName('ana');
  const other = ok(await service.admin.post('/v1/users', { name: plain, email: `${plain}@corp.example` }), 201);
  ok(await editor.patch(`/v1/users/${other.id}`, { email: `${plain}@moved.example` }));
  ok(await service.admin.patch(`/v1/users/${id}`, { email: `${name}@moved.example` }));
});

test('a name in AUTH_ADMINS cannot sign up with a token of another domain', async () => {
  const name = uniqueName('heir');
  const at = await serve({ AUTH_SELF_SIGNUP: 'true', AUTH_ADMINS: name });
  const before = await countStored(service);
  expectRefused(await show(at, { email: `${name}@evil.example`, email_verified: true }), 401);
  assert.equal(await countStored(service), before);
});

test('a provider lets in nobody of another domain unless the setting says so', async () => {
  const name = uniqueName('ana');
  const at = await serve({ AUTH_SELF_SIGNUP: 'true', AUTH_ALLOWED_DOMAINS: 'partner.example' });
  const before = await countStored(service);
  for (const claims of [
    { email: `${name}@elsewhere.example`, email_verified: true },
    { email: null, preferred_username: name, Email: `${name}@elsewhere.example` },
    { sub: `${name}@elsewhere.example` },
  ]) {
    assert.is((await show(at, claims)).status, 401, JSON.stringify(claims));
  }
  const nameFirst = await serve({ AUTH_SELF_SIGNUP: 'true', AUTH_PRINCIPAL_CLAIMS: 'sub,email' });
  expectRefused(await show(nameFirst, { sub: name, email: `${name}@elsewhere.example` }), 401);
  assert.equal(await countStored(service), before);
  const [partner, guest] = [uniqueName('partner'), uniqueName('guest')];
  assert.is(ok(await show(at, { email: `${partner}@partner.example` })).name, partner);
  const open = await serve({ AUTH_SELF_SIGNUP: 'true', ...ANY_DOMAIN });
  assert.is(ok(await show(open, { email: `${guest}@elsewhere.example` })).name, guest);
});

test('an address of another domain does not become the person who has the name', async () => {
  const name = uniqueName('ana');
  ok(await service.admin.post('/v1/users', { name, email: `${name}@corp.example` }), 201);
  const settings = { AUTH_SELF_SIGNUP: 'true', AUTH_ALLOWED_DOMAINS: 'corp.example,partner.example' };
  for (const at of [await serve(settings), await serve({ ...settings, ...ANY_DOMAIN })]) {
    for (const claims of [
      { email: `${name}@partner.example` },
      { email: `${name}@partner.example`, email_verified: true },
      { sub: `${name}@partner.example` },
      { email: null, Email: `${name}@partner.example` },
    ]) {
      assert.is((await show(at, claims)).status, 401, JSON.stringify(claims));
    }
    assert.is(ok(await show(at, { email: `${name}@CORP.example` })).name, name);
    assert.is(ok(await show(at, { email: `${name}@${DOMAIN}` })).name, name);
    assert.is(ok(await show(at, { sub: name })).name, name);
  }
  const nameFirst = await serve({ ...settings, ...ANY_DOMAIN, AUTH_PRINCIPAL_CLAIMS: 'preferred_username' });
  expectRefused(await show(nameFirst, { preferred_username: name, email: 'mallory@partner.example' }), 401);
});

test('sign-up refuses built-in names and names in AUTH_ADMINS', async () => {
  const listed = uniqueName('heir');
  const settings = { AUTH_SELF_SIGNUP: 'true', AUTH_ADMINS: listed.toUpperCase() };
  const open: Service = { ...service, app: (await openSecondProcessWith(service, {}, { env: settings })).app };
  const before = await countStored(service);
  for (const name of ['admin', 'Admin', 'profiler-bot', listed]) {
    const body = { email: `${name}@evil.example`, password: 'Correct-Horse-7', firstName: 'A', lastName: 'B' };
    const reply = await anonymous(open).post('/v1/users/signup', body);
    expectRefused(reply, 409, 'Entity already exists');
  }
  assert.equal(await countStored(service), before);
});

test.run();
