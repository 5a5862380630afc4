import * as assert from 'uvu/assert';
import { resolveReturnAddress } from '../../src/accounts/sign-in-cookie.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { anonymous, openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import {
  CONFIDENTIAL,
  openSignInProvider,
  type ProvidedPerson,
  PUBLIC_CLIENT,
  type SignInProvider,
} from '../support/sign-in-provider.ts';
import { suite } from '../support/suite.ts';
import {
  begin,
  comeBack,
  end,
  newProvided,
  openBrowser,
  openWithProvider,
  PUBLIC_URL,
  renew,
  signIn,
} from './browser.ts';
import { expectTokenAccepted, logIn, newBot, newMember } from './fixture.ts';

/** Shows how people sign in at an OpenID provider with a browser, and what is refused, against a real provider. */

const test = suite('accounts: sign-in');

const SESSION_COOKIE = '__Secure-tributary_session';

let service: Service;
let provider: SignInProvider;
let open: Service;
let closed: Service;
test.before(async () => {
  service = await openService();
  provider = await openSignInProvider(PUBLIC_URL);
  open = await openWithProvider(service, provider, { ...CONFIDENTIAL, AUTH_SELF_SIGNUP: 'true' });
  closed = await openWithProvider(service, provider, PUBLIC_CLIENT);
});
/** All cases come from one network, so what one of them failed at must not make the next one wait. */
test.beforeEach(async () => {
  await service.graph.query('MATCH (failed:FailedLogin) DELETE failed');
});
test.after(() => provider.close());

/** The refusal of a callback begins no session and leaves no cookie behind. */
const expectNoSession = (browser: ReturnType<typeof openBrowser>, reply: Reply, status: number, message: string) => {
  expectRefused(reply, status, message);
  assert.equal([...browser.cookies.keys()], []);
};

const refuseAt = async (at: Service, person: ProvidedPerson, status: number, message: string) => {
  const browser = openBrowser(at);
  expectNoSession(browser, await signIn(browser, provider, person), status, message);
};

const changed = (address: string, name: string, value: string): string => {
  const url = new URL(address, PUBLIC_URL);
  url.searchParams.set(name, value);
  return address.startsWith('/') ? `${url.pathname}${url.search}` : url.href;
};

test('a new person signs up, returns to the page, and gets access tokens for the cookie', async () => {
  const person = newProvided();
  const browser = openBrowser(open);
  const reply = await signIn(browser, provider, person, '?returnTo=/tables%3Fq=x%23top');
  assert.is(reply.status, 302, reply.text);
  assert.is(reply.headers.get('location'), `${PUBLIC_URL}/tables?q=x#top`);
  assert.is(reply.headers.get('cache-control'), 'no-store');
  assert.equal([...browser.cookies.keys()], [SESSION_COOKIE], 'the cookie of the sign-in is gone');
  const { path, attributes } = browser.cookies.get(SESSION_COOKIE) ?? { path: '', attributes: '' };
  assert.is(path, '/v1/users/session');
  for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Strict']) assert.ok(attributes.includes(attribute));
  const tokens = ok(await renew(browser));
  assert.equal(Object.keys(tokens).sort(), ['accessToken', 'expiryDuration', 'tokenType']);
  await expectTokenAccepted(open, tokens.accessToken, { name: person.sub });
  const stored = ok(await service.admin.get(`/v1/users/name/${person.sub}`));
  assert.equal([stored.email, stored.displayName, stored.updatedBy], [person.email, 'Ann Archer', person.sub]);
});

test('an existing person is found by the verified address, whatever the name, with a public client too', async () => {
  const member = await newMember(service);
  const person = newProvided({ email: member.email.toUpperCase() });
  for (const at of [open, closed]) {
    const browser = openBrowser(at);
    assert.is((await signIn(browser, provider, person)).status, 302);
    await expectTokenAccepted(at, ok(await renew(browser)).accessToken, member);
  }
  assert.is(ok(await logIn(open, member.email)).tokenType, 'Bearer', 'the password goes on working');
});

test('each request names the flow, with a state, nonce and PKCE challenge of its own', async () => {
  const browser = openBrowser(open);
  const [one, two] = [new URL(await begin(browser)), new URL(await begin(browser))];
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: 'catalog',
    redirect_uri: `${PUBLIC_URL}/v1/users/signin/callback`,
    scope: 'openid email profile',
    code_challenge_method: 'S256',
  }))
    assert.is(one.searchParams.get(name), value);
  for (const name of ['state', 'nonce', 'code_challenge']) {
    assert.ok((one.searchParams.get(name) ?? '').length >= 43);
    assert.is.not(one.searchParams.get(name), two.searchParams.get(name));
  }
  for (const { attributes, value } of browser.cookies.values()) {
    assert.ok(attributes.includes('HttpOnly; SameSite=Lax; Secure'));
    assert.not.ok(value.includes(one.searchParams.get('nonce') ?? ''), 'the cookie is sealed');
  }
});

test('several tabs sign in side by side, and a browser keeps at most four sign-ins', async () => {
  const browser = openBrowser(open);
  provider.person = newProvided();
  const addresses: string[] = [];
  for (let tab = 0; tab < 6; tab += 1) addresses.push(await begin(browser));
  assert.is(browser.cookies.size, 4);
  for (const address of addresses.slice(-2).reverse()) {
    assert.is((await browser.send('GET', await comeBack(provider, address))).status, 302);
  }
});

test('another state, another browser and a second use are refused before the provider is asked', async () => {
  const message = 'The sign-in has expired, was completed before, or was begun in another browser; begin again';
  provider.person = newProvided();
  const browser = openBrowser(open);
  const back = await comeBack(provider, await begin(browser));
  const state = new URL(back, PUBLIC_URL).searchParams.get('state') ?? '';
  for (const other of ['', 'x', `${state.slice(0, 8)}${'A'.repeat(35)}`])
    expectRefused(await browser.send('GET', changed(back, 'state', other)), 400, message);
  expectRefused(await openBrowser(open).send('GET', back), 400, message);
  const copy = new Map(browser.cookies);
  assert.is((await browser.send('GET', back)).status, 302);
  expectRefused(await browser.send('GET', back), 400, message);
  // Even with a copy of the cookie, the provider takes its code once.
  const thief = openBrowser(open);
  for (const [name, cookie] of copy) thief.cookies.set(name, cookie);
  expectNoSession(thief, await thief.send('GET', back), 401, 'The sign-in was not accepted; begin again');
});

test('a cookie that was changed, or that is not sealed, counts as none', async () => {
  const browser = openBrowser(open);
  provider.person = newProvided();
  const back = await comeBack(provider, await begin(browser));
  const [[name, cookie] = ['', { value: '', path: '', attributes: '' }]] = [...browser.cookies];
  for (const value of [`${cookie.value.slice(0, -3)}AAA`, '{}', JSON.stringify({ state: 'x' })]) {
    browser.cookies.set(name, { ...cookie, value });
    expectRefused(await browser.send('GET', back), 400);
  }
});

test('another nonce, challenge, issuer or code is refused', async () => {
  const message = 'The sign-in was not accepted; begin again';
  provider.person = newProvided();
  const ways: readonly (readonly [string, 'away' | 'back', string])[] = [
    ['nonce', 'away', 'A'.repeat(43)],
    ['code_challenge', 'away', 'A'.repeat(43)],
    ['iss', 'back', 'https://other.example.com'],
  ];
  for (const [name, where, value] of ways) {
    const browser = openBrowser(open);
    const away = await begin(browser);
    const back = await comeBack(provider, where === 'away' ? changed(away, name, value) : away);
    const target = where === 'back' ? changed(back, name, value) : back;
    expectNoSession(browser, await browser.send('GET', target), 401, message);
  }
  expectRefused(await service.admin.get(`/v1/users/name/${provider.person.sub}`), 404);
});

test('answers that fail the checks make their network wait', async () => {
  provider.person = newProvided();
  const statuses: number[] = [];
  for (let time = 0; time < 5; time += 1) {
    const browser = openBrowser(open);
    const back = await comeBack(provider, await begin(browser));
    statuses.push((await browser.send('GET', changed(back, 'code', 'wrong'))).status);
  }
  assert.equal(statuses, [401, 401, 401, 429, 429]);
});

test('a sign-in returns to pages of the service only', async () => {
  const person = newProvided();
  for (const target of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/%09/evil.example',
    'javascript:alert(1)',
    '',
    `/${'x'.repeat(2000)}`,
  ]) {
    const query = `?returnTo=${target.includes('%') ? target : encodeURIComponent(target)}`;
    const reply = await signIn(openBrowser(open), provider, person, query);
    assert.is(reply.headers.get('location'), `${PUBLIC_URL}/`, target);
  }
  const dotted = await signIn(openBrowser(open), provider, person, '?returnTo=/.//evil.example');
  assert.is(dotted.headers.get('location'), `${PUBLIC_URL}//evil.example`, 'two slashes stay below the own host');
});

test('a sign-in returns to no neighbour on the host of the service', () => {
  const jar = { publicUrl: 'https://example.com/catalog' };
  assert.is(resolveReturnAddress(jar, '/catalog/tables?q=x'), 'https://example.com/catalog/tables?q=x');
  for (const text of ['/', '/wiki', '/catalogue', '/catalog/../wiki', '/catalog/%2e%2e/wiki', '/catalog'])
    assert.is(resolveReturnAddress(jar, text), 'https://example.com/catalog/', text);
});

test('an address that the provider does not vouch for signs nobody in', async () => {
  const member = await newMember(service);
  const message = 'The provider does not vouch for your e-mail address';
  for (const more of [{ email_verified: false }, { email_verified: undefined }, { email: undefined }])
    await refuseAt(open, newProvided({ email: member.email, ...more }), 403, message);
  const trusting = await openWithProvider(service, provider, { ...CONFIDENTIAL, AUTH_OIDC_TRUST_EMAIL: 'true' });
  await refuseAt(trusting, newProvided({ email: member.email, email_verified: false }), 403, message);
  const browser = openBrowser(trusting);
  const person = newProvided({ email: member.email, email_verified: undefined });
  assert.is((await signIn(browser, provider, person)).status, 302);
  await expectTokenAccepted(trusting, ok(await renew(browser)).accessToken, member);
});

test('an ID token without the address does not vouch for the one in the user info', async () => {
  const member = await newMember(service);
  const claims = JSON.stringify({ id_token: { email_verified: null } });
  for (const [inUserInfo, inIdToken] of [
    [false, true],
    [undefined, true],
    [true, false],
  ]) {
    const email_verified = inUserInfo;
    provider.person = newProvided({ email: member.email, email_verified, inIdToken: { email_verified: inIdToken } });
    const browser = openBrowser(open);
    const back = await comeBack(provider, changed(await begin(browser), 'claims', claims));
    const message = 'The provider does not vouch for your e-mail address';
    expectNoSession(browser, await browser.send('GET', back), 403, message);
  }
});

test('bots, deleted people, unknown people and foreign administrators are not signed in', async () => {
  const robot = await newBot(service);
  await refuseAt(open, newProvided({ email: robot.email }), 401, 'Not Authorized! Invalid Token');
  const gone = await newMember(service);
  ok(await service.admin.delete(`/v1/users/${gone.id}`));
  const deleted = 'Your account was deleted; ask an administrator to restore it';
  await refuseAt(open, newProvided({ email: gone.email }), 403, deleted);
  const unknown = 'There is no account for your e-mail address; ask an administrator for one';
  await refuseAt(closed, newProvided(), 403, unknown);
  await refuseAt(open, newProvided({ email: 'admin@tributary.example' }), 401, 'Not Authorized! Invalid Token');
});

test('a name that is taken or reserved is never shared', async () => {
  const taken = 'Your user name is taken; ask an administrator for an account with your e-mail address';
  const name = uniqueName('mem');
  const member = await newMember(service, { name });
  await refuseAt(open, newProvided({ email: `${member.name}@other.example.com` }), 403, taken);
  for (const reserved of ['admin', 'ingestion-bot'])
    await refuseAt(open, newProvided({ email: `${reserved}@other.example.com` }), 403, taken);
});

test('enforced domains hold for sign-ins', async () => {
  const strict = await openWithProvider(service, provider, {
    ...CONFIDENTIAL,
    AUTH_SELF_SIGNUP: 'true',
    AUTH_ENFORCE_PRINCIPAL_DOMAIN: 'true',
    AUTH_ALLOWED_DOMAINS: 'corp.example.com',
  });
  await refuseAt(strict, newProvided(), 403, 'The domain of your e-mail address is not allowed');
  const browser = openBrowser(strict);
  const name = uniqueName('sso');
  assert.is((await signIn(browser, provider, newProvided({ email: `${name}@corp.example.com` }))).status, 302);
});

test('a browser sees a page that quotes nobody when the person declines', async () => {
  const browser = openBrowser(open);
  provider.person = undefined;
  const back = await comeBack(provider, await begin(browser));
  const reply = await browser.send('GET', back, undefined, { accept: 'text/html,*/*' });
  assert.is(reply.status, 403);
  assert.ok(reply.headers.get('content-type')?.startsWith('text/html'));
  assert.ok(reply.headers.get('content-security-policy')?.includes("default-src 'none'"));
  assert.ok(reply.text.includes('The sign-in was cancelled at the provider'));
  assert.not.ok(reply.text.includes('script'));
  assert.equal([...browser.cookies.keys()], []);
});

test('logging out ends the session and names where to leave the provider', async () => {
  const browser = openBrowser(open);
  await signIn(browser, provider, newProvided());
  const { accessToken } = ok(await renew(browser));
  const { signOutUrl } = ok(await end(browser));
  const address = new URL(signOutUrl);
  assert.is(address.origin, provider.issuer);
  assert.is(address.searchParams.get('post_logout_redirect_uri'), `${PUBLIC_URL}/`);
  assert.equal([...browser.cookies.keys()], []);
  expectRefused(await anonymous(open).get('/v1/users/loggedInUser', { authorization: `Bearer ${accessToken}` }), 401);
  expectRefused(await renew(browser), 401);
});

test('deleting a person, or naming another provider, ends the sessions that the provider began', async () => {
  const person = newProvided();
  const browser = openBrowser(open);
  await signIn(browser, provider, person);
  const elsewhere = await openWithProvider(service, provider, PUBLIC_CLIENT);
  const copy = openBrowser(elsewhere);
  for (const [name, cookie] of browser.cookies) copy.cookies.set(name, cookie);
  expectRefused(await renew(copy), 401);
  await signIn(browser, provider, person);
  const { id } = ok(await service.admin.get(`/v1/users/name/${person.sub}`));
  ok(await service.admin.delete(`/v1/users/${id}`));
  expectRefused(await renew(browser), 401);
});

test('while the provider is down sign-ins are 503, and passwords work', async () => {
  const down = await openSignInProvider(PUBLIC_URL);
  const at = await openWithProvider(service, down, CONFIDENTIAL);
  const message = 'The sign-in provider does not answer at the moment; other ways to log in still work';
  const member = await newMember(service);
  const browser = openBrowser(at);
  down.person = newProvided({ email: member.email });
  const back = await comeBack(down, await begin(browser));
  await down.close();
  const reply = await browser.send('GET', back);
  assert.equal([reply.status, reply.json.message, browser.cookies.size], [503, message, 0]);
  assert.is(reply.headers.get('retry-after'), '5');
  const fresh = await openWithProvider(service, down, CONFIDENTIAL);
  const refused = await openBrowser(fresh).send('GET', '/v1/users/signin');
  assert.equal([refused.status, refused.json.message], [503, message]);
  ok(await logIn(fresh, member.email));
});

test('without the setting there is no sign-in, and clients learn where it is when there is one', async () => {
  for (const path of ['/v1/users/signin', '/v1/users/signin/callback?state=x&code=y'])
    expectRefused(await anonymous(service).get(path), 404, 'Sign-in at a provider is not configured');
  const path = '/v1/system/config/auth';
  assert.is(ok(await anonymous(service).get(path)).signInUrl, undefined);
  const { signInUrl, provider: kind } = ok(await anonymous(open).get(path));
  assert.equal([signInUrl, kind], [`${PUBLIC_URL}/v1/users/signin`, 'basic']);
});

test.run();
