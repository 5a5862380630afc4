import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { type Member, newMember, PASSWORD, withApp } from './fixture.ts';

/** Shows how failed logins make an account, an address or their pair wait. */

const test = suite('accounts: login throttling');

const WRONG = 'Wrong-Horse-7';
const MINUTE = 60_000;
/** More attempts than any case needs: where nothing makes them wait, they end all the same. */
const MOST_ATTEMPTS = 100;

let service: Service;
/** The service with a clock that a case moves, so that nobody sits the waiting out. */
let timed: Service;
let now = Date.now();

test.before(async () => {
  service = await openService();
  timed = withApp(service, (await openSecondProcessWith(service, {}, { clock: () => now })).app);
});

/** An address that no other case uses, of the range for documentation and beyond. */
const newAddress = (): string => `100.${randomInt(64, 128)}.${randomInt(256)}.${randomInt(256)}`;

type From = { readonly at?: Service; readonly peer: string; readonly forwarded?: string };

/** Logs in over a connection that seems to come from an address. */
const logInFrom = async (
  { at = timed, peer, forwarded }: From,
  { email }: Pick<Member, 'email'>,
  password = PASSWORD,
): Promise<Reply> => {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(forwarded ? { 'x-forwarded-for': forwarded } : {}),
  };
  const url = '/v1/users/login';
  const body = JSON.stringify({ email, password });
  const incoming = Object.assign(Readable.from([Buffer.from(body)]), { socket: { remoteAddress: peer }, headers, url });
  const response = await at.app.hono.request(url, { method: 'POST', headers, body }, { incoming });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
};

const waits = (reply: Reply, most: number): number => {
  assert.is(reply.status, 429, reply.text);
  const seconds = Number(reply.headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= most, `${seconds} s`);
  return seconds;
};

/** Guesses for as long as that is allowed, and answers how long one has to wait then. */
const guessUntilRefused = async (from: From, member: Pick<Member, 'email'>): Promise<number> => {
  for (let guess = 0; guess < 50; guess += 1) {
    const reply = await logInFrom(from, member, WRONG);
    if (reply.status === 429) return waits(reply, 600);
    expectRefused(reply, 401);
  }
  throw new Error('nothing made the guesser wait');
};

test('the delay doubles with every failure up to ten minutes, and attempts during it do not prolong it', async () => {
  const [member, peer] = [await newMember(service), newAddress()];
  const seen: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const seconds = await guessUntilRefused({ peer }, member);
    assert.is(waits(await logInFrom({ peer }, member, WRONG), seconds), seconds);
    waits(await logInFrom({ peer }, member), seconds);
    seen.push(seconds);
    now += seconds * 1000;
  }
  assert.equal(seen, [10, 20, 40, 80, 160, 320, 600, 600, 600]);
  ok(await logInFrom({ peer }, member));
});

test('an outsider who fails at one address does not lock the owner out elsewhere', async () => {
  const member = await newMember(service);
  const [home, office] = [newAddress(), newAddress()];
  ok(await logInFrom({ peer: home }, member));
  for (let attacker = 0; attacker < 15; attacker += 1) await guessUntilRefused({ peer: newAddress() }, member);
  // At a known address, at a new one, and over and over.
  ok(await logInFrom({ peer: home }, member));
  ok(await logInFrom({ peer: office }, member));
  ok(await logInFrom({ peer: home }, member));
});

test('during a distributed attack each new address has one attempt and then a longer delay', async () => {
  const member = await newMember(service);
  let guesses = 0;
  for (let attempt = 0, peer = newAddress(); guesses < 30; attempt += 1) {
    assert.ok(attempt < MOST_ATTEMPTS, `only ${guesses} guesses`);
    const isWrong = (await logInFrom({ peer }, member, WRONG)).status === 401;
    if (isWrong) guesses += 1;
    else peer = newAddress();
  }
  const peer = newAddress();
  expectRefused(await logInFrom({ peer }, member, WRONG), 401);
  assert.ok(waits(await logInFrom({ peer }, member), 60) > 10);
  ok(await logInFrom({ peer: newAddress() }, member));
});

test('at a known address of the owner, the delay is at most half a minute', async () => {
  const [member, peer] = [await newMember(service), newAddress()];
  ok(await logInFrom({ peer }, member));
  for (let round = 0; round < 5; round += 1) {
    const seconds = await guessUntilRefused({ peer }, member);
    assert.ok(seconds <= 30, `${seconds} s`);
    now += seconds * 1000;
  }
});

test('an address that fails for many accounts is delayed for all, except accounts known there', async () => {
  const peer = newAddress();
  const [known, other] = [await newMember(service), await newMember(service)];
  ok(await logInFrom({ peer }, known));
  const nobody = () => ({ email: `${uniqueName('nobody')}@example.com` });
  let guesses = 0;
  while (guesses < MOST_ATTEMPTS && (await logInFrom({ peer }, nobody(), WRONG)).status === 401) guesses += 1;
  assert.ok(guesses >= 20 && guesses < 25, `${guesses} guesses`);
  waits(await logInFrom({ peer }, other), 10);
  ok(await logInFrom({ peer }, known));
  ok(await logInFrom({ peer: newAddress() }, other));
  now += 11_000;
  ok(await logInFrom({ peer }, other));
});

test('addresses of one IPv6 network count as one, and those of another do not', async () => {
  const member = await newMember(service);
  const network = `2001:db8:${randomInt(1, 65_536).toString(16)}:${randomInt(1, 65_536).toString(16)}`;
  for (const host of ['::1', ':0:0:0:7', '::dead:beef']) {
    expectRefused(await logInFrom({ peer: `${network}${host}` }, member, WRONG), 401);
  }
  waits(await logInFrom({ peer: `${network}::4` }, member), 10);
  ok(await logInFrom({ peer: '2001:db9::1' }, member));
});

test('X-Forwarded-For is trusted from trusted proxies only, and only for what they added', async () => {
  const member = await newMember(service);
  const peer = newAddress();
  // Nobody trusts this one, so whatever it writes it is one address.
  for (let guess = 0; guess < 3; guess += 1) {
    expectRefused(await logInFrom({ peer, forwarded: newAddress() }, member, WRONG), 401);
  }
  waits(await logInFrom({ peer, forwarded: newAddress() }, member), 10);

  const env = { TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7, fd00::/8' };
  const at = withApp(service, (await openSecondProcessWith(service, {}, { env, clock: () => now })).app);
  const another = await newMember(service);
  const [attacker, owner] = [newAddress(), newAddress()];
  for (let guess = 0; guess < 3; guess += 1) {
    // What stands before the last address that is no proxy was written by whoever asks.
    const forwarded = `${newAddress()}, ${attacker}, 192.0.2.7`;
    expectRefused(await logInFrom({ at, peer: '::ffff:10.1.2.3', forwarded }, another, WRONG), 401);
  }
  waits(await logInFrom({ at, peer: 'fd00::1', forwarded: `x, ${attacker}` }, another), 10);
  waits(await logInFrom({ at, peer: '10.9.9.9', forwarded: `${owner}, ${attacker}` }, another), 10);
  ok(await logInFrom({ at, peer: '10.1.2.3', forwarded: `${attacker}, ${owner}` }, another));
});

test('a valid token is never throttled', async () => {
  const member = await newMember(service);
  const token = await service.as(member.name);
  await guessUntilRefused({ peer: newAddress() }, member);
  ok(await token.get('/v1/users/loggedInUser'));
});

test('one address does not prevent password checks of others', async () => {
  const [peer, member] = [newAddress(), await newMember(service)];
  const flood = Array.from({ length: 60 }, () =>
    logInFrom({ peer }, { email: `${uniqueName('nobody')}@example.com` }, WRONG),
  );
  ok(await logInFrom({ peer: newAddress() }, member));
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  assert.ok(statuses.filter((status) => status === 503).length >= 40, statuses.join(' '));
});

test('records of failed logins expire and contain no names', async () => {
  const [member, peer] = [await newMember(service), newAddress()];
  await guessUntilRefused({ peer }, member);
  const rows = await service.graph.query(
    'MATCH (n:FailedLogin|KnownLogin) RETURN labels(n) AS labels, n.expiresAt AS until, properties(n) AS all',
    {},
  );
  for (const { labels, until, all } of rows) {
    assert.ok((labels as string[]).includes('Expiring') && Number(until) < now + 100 * 24 * 60 * MINUTE);
    assert.not.ok(JSON.stringify(all).includes(peer) || JSON.stringify(all).includes(member.email));
  }
});

test.run();
