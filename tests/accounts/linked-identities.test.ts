import type { JWTPayload } from 'jose';
import * as assert from 'uvu/assert';
import { createKeyServer, createProvider } from '../access/fixture.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitFor } from '../support/patience.ts';
import { openService, type Service, uniqueName, withToken } from '../support/service.ts';
import {
  CONFIDENTIAL,
  openSignInProvider,
  type ProvidedPerson,
  PUBLIC_CLIENT,
  type SignInProvider,
} from '../support/sign-in-provider.ts';
import { suite } from '../support/suite.ts';
import { begin, comeBack, newProvided, openBrowser, openWithProvider, PUBLIC_URL, renew, signIn } from './browser.ts';
import { expectTokenAccepted, logInMember, newMember, waitUntilTokenRefused, whoIs } from './fixture.ts';

/** Shows that accounts belong to subjects of the provider from the first sign-in on, whoever has the address later. */

const test = suite('accounts: linked identities');

const LINKED_ELSEWHERE =
  'The account with your e-mail address is linked to another identity at the provider; ask an administrator to unlink it';

let service: Service;
let provider: SignInProvider;
let keys: Awaited<ReturnType<typeof createKeyServer>>;
let tokens: Awaited<ReturnType<typeof createProvider>>;
let at: Service;
let other: Service;
test.before(async () => {
  service = await openService();
  provider = await openSignInProvider(PUBLIC_URL);
  tokens = await createProvider('RS256', 'idp');
  keys = await createKeyServer();
  keys.answer = { keys: [tokens.jwk] };
  const bearer = { AUTH_JWKS_URLS: keys.url, AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'catalog' };
  const env = { ...CONFIDENTIAL, ...bearer, AUTH_SELF_SIGNUP: 'true' };
  [at, other] = [await openWithProvider(service, provider, env), await openWithProvider(service, provider, env)];
});
/** All cases come from one network, so what one of them failed at must not make the next one wait. */
test.beforeEach(async () => {
  await service.graph.query('MATCH (failed:FailedLogin) DELETE failed');
});
test.after(async () => {
  await provider.close();
  await keys.close();
});

/** Signs in and answers the access token. */
const enter = async (to: Service, person: ProvidedPerson): Promise<string> => {
  const browser = openBrowser(to);
  const reply = await signIn(browser, provider, person);
  assert.is(reply.status, 302, reply.text);
  return ok(await renew(browser)).accessToken;
};

const refuse = async (to: Service, person: ProvidedPerson, message: string): Promise<void> => {
  const browser = openBrowser(to);
  expectRefused(await signIn(browser, provider, person), 403, message);
  assert.is(browser.cookies.size, 0);
};

/** A token that the same provider made for programs. */
const bearerOf = (claims: JWTPayload): Promise<string> => {
  const exp = Math.floor(Date.now() / 1000) + 600;
  return tokens.sign({ iss: provider.issuer, aud: 'catalog', exp, email_verified: true, ...claims });
};

const identitiesOf = async (id: string) => ok(await service.admin.get(`/v1/users/${id}/identities`)).data;

const countLinks = async (subject: string): Promise<number> => {
  const [row] = await service.graph.query('MATCH (n:LinkedIdentity {subject: $subject}) RETURN count(n) AS count', {
    subject,
  });
  return Number(row?.['count']);
};

test('an address that is given to somebody else does not pass the account on', async () => {
  const member = await newMember(service);
  const first = newProvided({ email: member.email });
  const token = await enter(at, first);
  const [{ issuer, subject, linkedAt }] = await identitiesOf(member.id);
  assert.equal([issuer, subject], [provider.issuer, first.sub]);
  assert.ok(Math.abs(Date.now() - linkedAt) < 60_000);
  const heir = newProvided({ email: member.email });
  for (const to of [at, other]) await refuse(to, heir, LINKED_ELSEWHERE);
  assert.is(await countLinks(heir.sub), 0);
  await expectTokenAccepted(at, token, member);
  await expectTokenAccepted(other, await enter(other, first), member);
});

test('the refusal is a page that says what to do', async () => {
  const member = await newMember(service);
  await enter(at, newProvided({ email: member.email }));
  const browser = openBrowser(at);
  provider.person = newProvided({ email: member.email });
  const back = await comeBack(provider, await begin(browser));
  const reply = await browser.send('GET', back, undefined, { accept: 'text/html,*/*' });
  assert.is(reply.status, 403);
  assert.ok(reply.text.includes(LINKED_ELSEWHERE));
  assert.not.ok(reply.text.includes(member.email));
});

test('the account stays when the provider gives the person another address', async () => {
  const person = newProvided();
  await enter(at, person);
  const renamed = { ...person, email: `${uniqueName('renamed')}@example.com` };
  await expectTokenAccepted(other, await enter(other, renamed), { name: person.sub });
  assert.is(ok(await service.admin.get(`/v1/users/name/${person.sub}`)).email, person.email);
  // Whoever has the former address now has no account by it.
  await refuse(at, newProvided({ email: person.email }), LINKED_ELSEWHERE);
  await refuse(at, { ...renamed, email_verified: false }, 'The provider does not vouch for your e-mail address');
});

test('an account that a link leads to goes before the one that has the address', async () => {
  const [mine, theirs] = [await newMember(service), await newMember(service)];
  const person = newProvided({ email: mine.email });
  await enter(at, person);
  await expectTokenAccepted(at, await enter(at, { ...person, email: theirs.email }), mine);
  assert.equal(await identitiesOf(theirs.id), []);
});

test('first sign-ins that race in two processes make one account and one link', async () => {
  const person = newProvided();
  provider.person = person;
  const ways = await Promise.all(
    [at, other, at, other].map(async (to) => {
      const browser = openBrowser(to);
      return { browser, back: await comeBack(provider, await begin(browser)) };
    }),
  );
  const replies = await Promise.all(ways.map(({ browser, back }) => browser.send('GET', back)));
  assert.equal(
    replies.map(({ status }) => status),
    [302, 302, 302, 302],
  );
  const { id } = ok(await service.admin.get(`/v1/users/name/${person.sub}`));
  assert.is((await identitiesOf(id)).length, 1);
});

test('of two people with one address who race, one gets the account', async () => {
  const member = await newMember(service);
  const rivals = [newProvided({ email: member.email }), newProvided({ email: member.email })];
  const ways: { readonly browser: ReturnType<typeof openBrowser>; readonly back: string }[] = [];
  for (const [index, rival] of rivals.entries()) {
    const browser = openBrowser(index === 0 ? at : other);
    provider.person = rival;
    ways.push({ browser, back: await comeBack(provider, await begin(browser)) });
  }
  const replies = await Promise.all(ways.map(({ browser, back }) => browser.send('GET', back)));
  assert.equal(replies.map(({ status }) => status).sort(), [302, 403]);
  const winner = rivals[replies.findIndex(({ status }) => status === 302)];
  assert.equal(
    (await identitiesOf(member.id)).map(({ subject }: { subject: string }) => subject),
    [winner?.sub],
  );
});

test('an administrator unlinks an account, which ends its sessions at the provider and lets the next person in', async () => {
  const member = await newMember(service);
  const token = await enter(at, newProvided({ email: member.email }));
  const { accessToken: byPassword } = await logInMember(service, member);
  const path = `/v1/users/${member.id}/identities`;
  assert.is(ok(await withToken(service, byPassword).get(path)).data.length, 1, 'people see their own');
  expectRefused(await withToken(service, byPassword).delete(path), 403);
  assert.is((await identitiesOf(member.id)).length, 1);
  assert.equal(ok(await service.admin.delete(path)), { data: [], paging: { total: 0 } });
  await waitUntilTokenRefused(at, token);
  await expectTokenAccepted(service, byPassword, member);
  const heir = newProvided({ email: member.email });
  await expectTokenAccepted(at, await enter(at, heir), member);
  assert.is((await identitiesOf(member.id))[0].subject, heir.sub);
  const stranger = await newMember(service);
  expectRefused(await withToken(service, (await logInMember(service, stranger)).accessToken).get(path), 403);
  expectRefused(await service.admin.get('/v1/users/00000000-0000-4000-8000-000000000000/identities'), 404);
});

test('a link outlasts a soft deletion and ends with the account', async () => {
  const member = await newMember(service);
  const person = newProvided({ email: member.email });
  await enter(at, person);
  ok(await service.admin.delete(`/v1/users/${member.id}`));
  await refuse(at, person, 'Your account was deleted; ask an administrator to restore it');
  ok(await service.admin.put('/v1/users/restore', { id: member.id }));
  await refuse(at, newProvided({ email: member.email }), LINKED_ELSEWHERE);
  ok(await service.admin.delete(`/v1/users/${member.id}?hardDelete=true`));
  assert.is(await countLinks(person.sub), 0);
});

test('a refused sign-in links nothing', async () => {
  const member = await newMember(service, { isAdmin: true });
  const person = newProvided({ email: member.email });
  const renamed = { ...person, email: `${member.name}@elsewhere.example.com`, email_verified: false };
  await refuse(at, renamed, 'The provider does not vouch for your e-mail address');
  await refuse(at, newProvided({ sub: 's'.repeat(256) }), 'The provider does not say who you are');
  assert.equal(await identitiesOf(member.id), []);
});

test('another claim may name the subject, and one that the provider does not send names nobody', async () => {
  const member = await newMember(service);
  const settings = { ...PUBLIC_CLIENT, AUTH_OIDC_SUBJECT_CLAIMS: 'name, sub' };
  const named = await openWithProvider(service, provider, settings);
  const person = newProvided({ email: member.email, name: uniqueName('object') });
  await enter(named, person);
  assert.is((await identitiesOf(member.id))[0].subject, person.name);
  const missing = await openWithProvider(service, provider, { ...PUBLIC_CLIENT, AUTH_OIDC_SUBJECT_CLAIMS: 'oid' });
  await refuse(missing, person, 'The provider does not say who you are');
});

test('tokens of the provider count for the subject that the account is linked to', async () => {
  const name = uniqueName('bearer');
  const email = `${name}@example.com`;
  const member = await newMember(service, { name, email });
  await enter(at, newProvided({ sub: `${name}-1`, email }));
  await expectTokenAccepted(at, await bearerOf({ sub: `${name}-1`, email }), member);
  await waitUntilTokenRefused(at, await bearerOf({ sub: `${name}-2`, email }));
  await waitUntilTokenRefused(at, await bearerOf({ email }));
  await expectTokenAccepted(at, await bearerOf({ sub: `${name}-1`, email, email_verified: false }), member);
});

test('a token that proves the address links the account, and others leave it as it is', async () => {
  const name = uniqueName('bearer');
  const email = `${name}@example.com`;
  const member = await newMember(service, { name, email });
  await expectTokenAccepted(at, await bearerOf({ sub: `${name}-0`, email, email_verified: false }), member);
  // The account's name at another domain is somebody else.
  await waitUntilTokenRefused(at, await bearerOf({ sub: `${name}-0`, email: `${name}@other.example.com` }));
  assert.equal(await identitiesOf(member.id), []);
  await expectTokenAccepted(at, await bearerOf({ sub: `${name}-1`, email }), member);
  assert.is((await identitiesOf(member.id))[0].subject, `${name}-1`);
  await refuse(at, newProvided({ sub: `${name}-2`, email }), LINKED_ELSEWHERE);
  await waitUntilTokenRefused(other, await bearerOf({ sub: `${name}-2`, email }));
});

test('a token names no account but the one that its subject is linked to', async () => {
  const name = uniqueName('bearer');
  const [target, person] = [await newMember(service, { name, email: `${name}@example.com` }), newProvided()];
  await enter(at, person);
  for (const claims of [
    { email: `${name}@example.com`, email_verified: false },
    { email: `${name}@elsewhere.example.com` },
    { email: `${name}@example.com` },
  ]) {
    const token = await bearerOf({ sub: person.sub, ...claims });
    for (const to of [at, other]) expectRefused(await whoIs(to, token), 401, 'Not Authorized! Invalid Token');
  }
  assert.equal(await identitiesOf(target.id), []);
  // Whoever is linked to nothing is still taken at the word of the provider, about the address of the account.
  const [sub, elsewhere] = [uniqueName('new'), `${name}@elsewhere.example.com`];
  expectRefused(await whoIs(at, await bearerOf({ sub, email: elsewhere })), 401, 'Not Authorized! Invalid Token');
  await expectTokenAccepted(at, await bearerOf({ sub, email: `${name}@example.com`, email_verified: false }), { name });
});

test('a token of another subject counts as no use of the account', async () => {
  const name = uniqueName('bearer');
  const email = `${name}@example.com`;
  const member = await newMember(service, { name, email });
  await enter(at, newProvided({ sub: `${name}-1`, email }));
  await waitUntilTokenRefused(at, await bearerOf({ sub: `${name}-2`, email }));
  const right = await bearerOf({ sub: `${name}-1`, email });
  await expectTokenAccepted(at, right, member);
  // Uses are written in the order in which they happen, so the first one would be there with the second.
  const read = async () => ok(await service.admin.get(`/v1/users/${member.id}/tokens`)).data as readonly unknown[];
  const tokens = await waitFor(read, ({ length }) => length > 0, 'a use is listed');
  assert.is(tokens.length, 1);
});

test('what the provider says of an event gives nobody access', async () => {
  const name = uniqueName('bearer');
  const email = `${name}@example.com`;
  const member = await newMember(service, { name, email });
  await expectTokenAccepted(at, await bearerOf({ sub: name, email }), member);
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  expectRefused(await whoIs(at, await bearerOf({ sub: name, email, events })), 401, 'Not Authorized! Invalid Token');
});

test('a token under a new address makes no second account for its subject', async () => {
  const person = newProvided();
  await enter(at, person);
  const renamed = uniqueName('renamed');
  const token = await bearerOf({ sub: person.sub, email: `${renamed}@example.com` });
  expectRefused(await whoIs(at, token), 401, 'Not Authorized! Invalid Token');
  expectRefused(await service.admin.get(`/v1/users/name/${renamed}`), 404);
});

test.run();
