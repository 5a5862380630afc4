import { randomUUID } from 'node:crypto';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import * as assert from 'uvu/assert';
import { createProvider } from '../access/fixture.ts';
import { readEntries } from '../support/audit.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { anonymous, openService, type Reply, type Service } from '../support/service.ts';
import {
  CONFIDENTIAL,
  openSignInProvider,
  type ProvidedPerson,
  PUBLIC_CLIENT,
  type SignInProvider,
} from '../support/sign-in-provider.ts';
import { suite } from '../support/suite.ts';
import { type Browser, newProvided, openBrowser, openWithProvider, PUBLIC_URL, renew, signIn } from './browser.ts';
import { expectTokenAccepted, logInMember, newMember, waitUntilTokenRefused } from './fixture.ts';

/** Shows how a provider ends sessions when people sign out there, and which logout tokens are refused. */

const test = suite('accounts: logout by the provider');

const PATH = '/v1/users/signin/backchannel-logout';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const REFUSED = '[logout_token was not accepted]';
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };

let service: Service;
let provider: SignInProvider;
let at: Service;
let other: Service;
let open: Service;
test.before(async () => {
  service = await openService();
  provider = await openSignInProvider(PUBLIC_URL);
  const env = { ...CONFIDENTIAL, AUTH_SELF_SIGNUP: 'true' };
  [at, other] = [await openWithProvider(service, provider, env), await openWithProvider(service, provider, env)];
  open = await openWithProvider(service, provider, { ...PUBLIC_CLIENT, AUTH_SELF_SIGNUP: 'true' });
});
test.after(() => provider.close());

type SignedIn = { readonly browser: Browser; readonly token: string };

const enter = async (to: Service, person: ProvidedPerson): Promise<SignedIn> => {
  const browser = openBrowser(to);
  const reply = await signIn(browser, provider, person);
  assert.is(reply.status, 302, reply.text);
  return { browser, token: ok(await renew(browser)).accessToken };
};

/** Posts a form, and checks that no cache keeps the answer. */
const post = async (to: Service, form: string, headers: Record<string, string> = FORM): Promise<Reply> => {
  const reply = await anonymous(to).raw('POST', PATH, form, headers);
  assert.is(reply.headers.get('cache-control'), 'no-store');
  return reply;
};

const formOf = (token: string): string => new URLSearchParams({ logout_token: token }).toString();

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

type Claims = Readonly<Record<string, unknown>>;

/** What a token for the confidential client says. An undefined claim is left out. */
const claimsOf = (more: Claims): JWTPayload => ({
  iss: provider.issuer,
  aud: CONFIDENTIAL.AUTH_OIDC_CLIENT_ID,
  iat: nowSeconds(),
  exp: nowSeconds() + 120,
  jti: randomUUID(),
  events: EVENTS,
  ...more,
});

const postClaims = async (to: Service, more: Claims, header = {}): Promise<Reply> =>
  post(to, formOf(await provider.sign(claimsOf(more), header)));

const expectEnded = async ({ browser, token }: SignedIn): Promise<void> => {
  for (const to of [at, other]) await waitUntilTokenRefused(to, token);
  expectRefused(await renew(browser), 401);
};

const expectGoesOn = async ({ browser, token }: SignedIn, name: string): Promise<void> => {
  for (const to of [at, other]) await expectTokenAccepted(to, token, { name });
  ok(await renew(browser));
};

test('signing out at the provider ends the session that began there, on every process', async () => {
  const person = newProvided();
  const [elsewhere, here] = [await enter(at, person), await enter(at, person)];
  const [form = '', ...more] = await provider.signOut();
  assert.is(more.length, 0);
  const reply = await post(other, form);
  assert.equal([reply.status, reply.text], [200, '']);
  await expectEnded(here);
  await expectGoesOn(elsewhere, person.sub);
});

test('a provider that names the person alone ends all their sessions there, and no others', async () => {
  const member = await newMember(service);
  const person = newProvided({ email: member.email });
  const sessions = [await enter(open, person), await enter(open, person)];
  const stranger = newProvided();
  const foreign = await enter(open, stranger);
  const { accessToken: byPassword } = await logInMember(service, member);
  const last = await enter(open, person);
  const [form = ''] = await provider.signOut();
  assert.is((await post(open, form)).status, 200);
  for (const { token } of [...sessions, last]) await waitUntilTokenRefused(open, token);
  await expectTokenAccepted(open, byPassword, member);
  await expectTokenAccepted(open, foreign.token, { name: stranger.sub });
});

test('the session at the provider alone names a session too, and an unknown one ends nothing', async () => {
  const person = newProvided();
  const session = await enter(at, person);
  const [row] = await service.graph.query(
    'MATCH (:User {name: $name})-[:HAS_SESSION]->(s) RETURN s.providerSession AS sid',
    { name: person.sub },
  );
  const sid = String(row?.['sid']);
  for (const claims of [{ sid: `${sid}x` }, { sub: person.sub, sid: `${sid}x` }, { sub: 'somebody else', sid }])
    assert.is((await postClaims(at, claims)).status, 200);
  await expectGoesOn(session, person.sub);
  assert.is((await postClaims(at, { sid })).status, 200);
  await expectEnded(session);
});

test('sessions that began before their names at the provider were kept end with the person', async () => {
  const person = newProvided();
  const session = await enter(at, person);
  await service.graph.query(
    'MATCH (:User {name: $name})-[:HAS_SESSION]->(s) REMOVE s.providerSubject, s.providerSession',
    { name: person.sub },
  );
  assert.is((await postClaims(at, { sub: person.sub, sid: 'any' })).status, 200);
  await expectEnded(session);
});

test('a logout token counts once, on all processes together', async () => {
  const person = newProvided();
  const form = formOf(await provider.sign(claimsOf({ sub: person.sub })));
  const statuses = (await Promise.all([at, other, at].map((to) => post(to, form)))).map(({ status }) => status);
  assert.equal(statuses.sort(), [200, 400, 400]);
  const session = await enter(at, person);
  expectRefused(await post(at, form), 400, '[logout_token was used before]');
  await expectGoesOn(session, person.sub);
  const [{ left } = {}] = await service.graph.query(
    'MATCH (t:SeenToken:Expiring) WHERE t.expiresAt > $now + 540000 RETURN count(t) AS left',
    { now: Date.now() },
  );
  assert.ok(Number(left) > 0, 'it is remembered for as long as it would count');
});

test('a token that lacks what a logout token has, or has what it must not have, ends nothing', async () => {
  const person = newProvided();
  const session = await enter(at, person);
  const faults: readonly Claims[] = [
    { iss: 'https://other.example.com' },
    { iss: undefined },
    { aud: 'another-client' },
    { aud: undefined },
    { iat: undefined },
    { iat: nowSeconds() - 700, exp: nowSeconds() + 600 },
    { iat: nowSeconds() + 120 },
    { exp: nowSeconds() - 120 },
    { nbf: nowSeconds() + 120 },
    { jti: undefined },
    { jti: '' },
    { events: undefined },
    { events: [] },
    { events: { 'http://schemas.openid.net/event/other': {} } },
    { events: { 'http://schemas.openid.net/event/backchannel-logout': 'yes' } },
    { nonce: 'x' },
    { sub: undefined },
    { sub: 's'.repeat(256) },
    { sid: '' },
  ];
  for (const fault of faults) {
    const reply = await postClaims(at, { sub: person.sub, ...fault });
    assert.is(reply.status, 400, JSON.stringify(fault));
    expectRefused(reply, 400, REFUSED);
  }
  await expectGoesOn(session, person.sub);
});

test('a token that the provider did not sign as a logout token ends nothing', async () => {
  const person = newProvided();
  const session = await enter(at, person);
  const claims = claimsOf({ sub: person.sub });
  const foreign = await createProvider('ES256', 'test');
  const secret = new TextEncoder().encode(CONFIDENTIAL.AUTH_OIDC_CLIENT_SECRET);
  const signed = await provider.sign(claims);
  const tokens = [
    await provider.sign(claims, { typ: 'at+jwt' }),
    await provider.sign(claims, { kid: 'another' }),
    await foreign.sign(claims),
    await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'test' }).sign(secret),
    new UnsecuredJWT(claims).encode(),
    `${signed.slice(0, -4)}AAAA`,
    'x',
    'a.b.c',
  ];
  for (const token of tokens) {
    const reply = await post(at, formOf(token));
    assert.is(reply.status, 400, token);
    expectRefused(reply, 400, REFUSED);
  }
  await expectGoesOn(session, person.sub);
});

test('what providers leave to themselves is accepted', async () => {
  const ways: readonly (readonly [Claims, object])[] = [
    [{ exp: undefined }, {}],
    [{ aud: ['another-client', CONFIDENTIAL.AUTH_OIDC_CLIENT_ID] }, {}],
    [{ iat: nowSeconds() + 30 }, {}],
    [{}, { typ: 'JWT' }],
    [{}, { typ: 'logout+jwt' }],
  ];
  for (const [claims, header] of ways) {
    const person = newProvided();
    const session = await enter(at, person);
    const reply = await postClaims(at, { sub: person.sub, ...claims }, header);
    assert.is(reply.status, 200, JSON.stringify([claims, header]));
    await waitUntilTokenRefused(at, session.token);
  }
});

test('the body is a form with one logout token', async () => {
  const token = await provider.sign(claimsOf({ sub: newProvided().sub }));
  const once = '[logout_token must be in the form once]';
  for (const form of ['', 'logout_token=', 'token=x', `${formOf(token)}&${formOf(token)}`])
    expectRefused(await post(at, form), 400, once);
  const json = JSON.stringify({ logout_token: token });
  expectRefused(await post(at, json, { 'content-type': 'application/json' }), 415);
  expectRefused(await anonymous(at).raw('POST', PATH, `logout_token=${'x'.repeat(70_000)}`, FORM), 413);
  assert.is((await post(at, `${formOf(token)}&state=x`)).status, 200);
});

test('without a provider there is no logout by it, and one that is down ends nothing', async () => {
  const form = formOf(await provider.sign(claimsOf({ sub: 'x' })));
  expectRefused(await post(service, form), 404, 'Sign-in at a provider is not configured');
  const down = await openSignInProvider(PUBLIC_URL);
  const to = await openWithProvider(service, down, CONFIDENTIAL);
  const token = await down.sign(claimsOf({ iss: down.issuer, sub: 'x' }));
  await down.close();
  expectRefused(await post(to, formOf(token)), 400, REFUSED);
});

test('the audit log names whose sessions the provider ended', async () => {
  const person = newProvided();
  await enter(at, person);
  assert.is((await postClaims(at, { sub: person.sub })).status, 200);
  const entries = await readEntries(service.admin, { actor: person.sub, action: 'logout' });
  assert.equal(
    entries.map(({ outcome, details }) => [outcome, details]),
    [['ok', { by: 'provider' }]],
  );
});

test.run();
