import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { type Browser, end, openBrowser, renew } from './browser.ts';
import { expectTokenAccepted, expectTokenRefused, newMember, PASSWORD, withApp } from './fixture.ts';

/** Shows the sessions of browsers: the cookie, its renewal, who may use it, and how they end. */

const test = suite('accounts: sessions of browsers');

const INVALID = 'Not Authorized! Invalid Token';
const FOREIGN = 'Only pages of this service may use the session of a browser';
const COOKIE = 'tributary_session';

let service: Service;
let timed: Service;
let now = Date.now();

test.before(async () => {
  service = await openService();
  timed = withApp(service, (await openSecondProcessWith(service, {}, { clock: () => now })).app);
});

const logIn = (browser: Browser, email: string, headers: Record<string, string> = {}) =>
  browser.send('POST', '/v1/users/session', { email, password: PASSWORD }, headers);

const cookieOf = ({ cookies }: Browser) => cookies.get(COOKIE);

test('a login by password answers an access token, and the refresh token only in the cookie', async () => {
  const member = await newMember(service);
  const browser = openBrowser(service);
  const reply = await logIn(browser, member.email);
  const tokens = ok(reply);
  assert.equal(Object.keys(tokens).sort(), ['accessToken', 'expiryDuration', 'tokenType']);
  assert.is(reply.headers.get('cache-control'), 'no-store');
  const cookie = cookieOf(browser);
  assert.is(cookie?.path, '/v1/users/session');
  assert.match(cookie?.attributes ?? '', /HttpOnly; SameSite=Strict/);
  assert.not.match(reply.text, new RegExp(cookie?.value ?? 'nothing'));
  await expectTokenAccepted(service, tokens.accessToken, member);
});

test('a wrong password answers no cookie', async () => {
  const { email } = await newMember(service);
  const browser = openBrowser(service);
  const wrong = { email, password: 'Wrong-pass-1' };
  assert.is((await browser.send('POST', '/v1/users/session', wrong)).status, 401);
  assert.is(cookieOf(browser), undefined);
});

test('pages of other sites can neither begin, renew nor end a session', async () => {
  const { email } = await newMember(service);
  const browser = openBrowser(service);
  ok(await logIn(browser, email));
  const before = cookieOf(browser)?.value;
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
    expectRefused(await logIn(openBrowser(service), email, headers), 403, FOREIGN);
    expectRefused(await renew(browser, headers), 403, FOREIGN);
    expectRefused(await browser.send('DELETE', '/v1/users/session', undefined, headers), 403, FOREIGN);
  }
  assert.is(cookieOf(browser)?.value, before);
  ok(await renew(browser));
});

test('a renewal replaces the cookie, and an older one ends the session after a moment', async () => {
  const member = await newMember(service);
  const browser = openBrowser(timed);
  ok(await logIn(browser, member.email));
  const first = cookieOf(browser);
  const { accessToken } = ok(await renew(browser));
  const second = cookieOf(browser);
  assert.ok(first && second && first.value !== second.value);
  now += 11_000;
  browser.cookies.set(COOKIE, first);
  expectRefused(await renew(browser), 401, INVALID);
  browser.cookies.set(COOKIE, second);
  expectRefused(await renew(browser), 401, INVALID);
  await expectTokenRefused(timed, accessToken);
});

test('two tabs that renew at the same time both go on', async () => {
  const member = await newMember(service);
  const browser = openBrowser(timed);
  ok(await logIn(browser, member.email));
  const other = openBrowser(timed);
  for (const [name, cookie] of browser.cookies) other.cookies.set(name, cookie);
  const replies = await Promise.all([renew(browser), renew(other)]);
  for (const reply of replies) await expectTokenAccepted(timed, ok(reply).accessToken, member);
  // The tabs of a browser share its cookies, and only one of the answers has set a new one.
  assert.is(replies.filter(({ headers }) => headers.getSetCookie().length > 0).length, 1);
});

test('logging out ends the session, removes the cookie, and may be repeated', async () => {
  const member = await newMember(service);
  const browser = openBrowser(service);
  const { accessToken } = ok(await logIn(browser, member.email));
  const kept = cookieOf(browser);
  assert.equal(ok(await end(browser)), {});
  assert.is(cookieOf(browser), undefined);
  await expectTokenRefused(service, accessToken);
  assert.ok(kept);
  browser.cookies.set(COOKIE, kept);
  expectRefused(await renew(browser), 401, INVALID);
  assert.equal(ok(await end(browser)), {});
});

test('without a cookie there is nothing to renew', async () => {
  expectRefused(await renew(openBrowser(service)), 401, INVALID);
});

test.run();
