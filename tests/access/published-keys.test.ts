import { AsyncLocalStorage } from 'node:async_hooks';
import { createSign, generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import * as assert from 'uvu/assert';
import { createFetchJson } from '../../src/access/fetch-json.ts';
import { loadSigningKey, type SigningKey } from '../../src/access/signing-key.ts';
import { issueToken } from '../../src/access/token.ts';
import { createTokenVerifier, type TokenVerifier } from '../../src/access/token-verifier.ts';
import { suite } from '../support/suite.ts';
import { authFrom, createClock, createKeyServer, createProvider, freshHome, NOW, refusal } from './fixture.ts';

/** Shows how tokens are verified with keys that providers publish, and how those keys are cached. */

const cases = suite('access: published keys');

const IDP = 'https://idp.example.org';

/** The library of the key sets reads the clock of the process. Inside a case, and nowhere else, that is the case's own. */
const timelines = new AsyncLocalStorage<{ clock?: () => number }>();
const processNow = Date.now;
const test = Object.assign(
  (name: string, body: () => Promise<void>) => cases(name, () => timelines.run({}, body)),
  cases,
);

const timeline = (clock: () => number = createClock()): (() => number) => {
  Object.assign(timelines.getStore() ?? {}, { clock });
  return clock;
};

type Provider = Awaited<ReturnType<typeof createProvider>>;
const provided = {} as {
  key: SigningKey;
  first: Provider;
  second: Provider;
  server: Awaited<ReturnType<typeof createKeyServer>>;
};

test.before(async () => {
  Date.now = () => timelines.getStore()?.clock?.() ?? processNow();
  provided.key = await loadSigningKey({ home: await freshHome(), keyFile: undefined });
  provided.first = await createProvider('RS256', 'first');
  provided.second = await createProvider('RS256', 'second');
  provided.server = await createKeyServer();
});

test.beforeEach(() => {
  const { server, first } = provided;
  Object.assign(server, { answer: { keys: [first.jwk] }, status: 200, delayMs: 0, count: 0 });
});

test.after(() => {
  Date.now = processNow;
  return provided.server.close();
});

const verifierOf = (
  urls = provided.server.url,
  options: { clock?: () => number; fetchJson?: (url: string) => Promise<unknown> } = {},
  issuers = IDP,
) =>
  createTokenVerifier({
    key: provided.key,
    auth: authFrom({ AUTH_JWKS_URLS: urls, AUTH_ISSUER: issuers, AUTH_AUDIENCE: 'catalog' }),
    publicIssuer: 'https://catalog.example.org',
    ...options,
    clock: timeline(options.clock),
  });

/** Tokens differ by a serial number, so that none is answered from the cache of verified tokens. */
const serial = { next: 0 };
const show = async (verifier: TokenVerifier, provider: Provider, header = {}, iss = IDP) => {
  serial.next += 1;
  const exp = NOW / 1000 + 86_400;
  return verifier.verify(
    `Bearer ${await provider.sign({ sub: 'ana', iss, aud: 'catalog', exp, jti: String(serial.next) }, header)}`,
  );
};
const accepts = async (verifier: TokenVerifier, provider: Provider, header = {}, iss = IDP) =>
  assert.is((await show(verifier, provider, header, iss)).name, 'ana');
const refuses = async (verifier: TokenVerifier, provider: Provider, header = {}, iss = IDP) =>
  assert.is((await refusal(show(verifier, provider, header, iss))).message, 'Not Authorized! Invalid Token');

const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const ALGORITHMS = [...RSA_ALGORITHMS, 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

test('every accepted algorithm works with its own key, and a forged signature does not', async () => {
  const { server } = provided;
  for (const alg of ALGORITHMS) {
    const provider = await createProvider(alg, alg);
    const stranger = await createProvider(alg, alg);
    server.answer = { keys: [provider.jwk] };
    await accepts(verifierOf(), provider);
    await refuses(verifierOf(), stranger);
  }
});

test('with several providers, each signs for its own issuer alone', async () => {
  const { server, first, second } = provided;
  const other = await createKeyServer();
  try {
    Object.assign(other, { answer: { keys: [second.jwk] } });
    const OTHER_IDP = 'https://other.example.org';
    const urls = `${server.url},${other.url}`;
    for (const isWarm of [false, true]) {
      const verifier = verifierOf(urls, {}, `${IDP},${OTHER_IDP}`);
      if (isWarm) {
        await accepts(verifier, first);
        await accepts(verifier, second, {}, OTHER_IDP);
      }
      await refuses(verifier, first, {}, OTHER_IDP);
      await refuses(verifier, second, {}, IDP);
      await accepts(verifier, first);
      await accepts(verifier, second, {}, OTHER_IDP);
    }
    // A provider with two key sets signs for its issuer by both, and with two issuers for both.
    await accepts(verifierOf(urls), second);
    await accepts(verifierOf(server.url, {}, `${OTHER_IDP},${IDP}`), first);
  } finally {
    await other.close();
  }
});

test('a key of one type never verifies an algorithm of another', async () => {
  const { server, first } = provided;
  const edwards = await createProvider('EdDSA', 'first');
  const { alg: _, ...anyEdwards } = edwards.jwk;
  for (const key of [edwards.jwk, anyEdwards]) {
    server.answer = { keys: [key] };
    for (const alg of RSA_ALGORITHMS) await refuses(verifierOf(), first, { alg });
  }
  const { alg: __, ...anyRsa } = first.jwk;
  server.answer = { keys: [anyRsa] };
  await refuses(verifierOf(), edwards);
});

test('a key of another Edwards curve is never used', async () => {
  const { server } = provided;
  const edwards448 = generateKeyPairSync('ed448');
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = encode({ sub: 'ana', iss: IDP, aud: 'catalog', exp: NOW / 1000 + 60 });
  const input = `${encode({ alg: 'EdDSA', kid: 'wide' })}.${claims}`;
  const token = `${input}.${sign(null, Buffer.from(input), edwards448.privateKey).toString('base64url')}`;
  server.answer = { keys: [{ ...edwards448.publicKey.export({ format: 'jwk' }), kid: 'wide' }] };
  await refuses(verifierOf(), { ...provided.first, sign: async () => token });
});

test('the algorithm of a published key binds its tokens', async () => {
  const { server, first } = provided;
  const { alg: _, ...anyRsa } = first.jwk;
  await refuses(verifierOf(), first, { alg: 'RS512' });
  server.answer = { keys: [anyRsa] };
  await accepts(verifierOf(), first, { alg: 'RS512' });
  await accepts(verifierOf(), first, { alg: 'PS256' });
});

test('encryption keys, symmetric keys and broken keys are skipped', async () => {
  const { server, first } = provided;
  const secret = { kty: 'oct', kid: 'first', k: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', alg: 'HS256' };
  const junk = [
    null,
    7,
    'x',
    [],
    {},
    { kty: 'RSA', kid: 'first' },
    { kty: 'EC', crv: '__proto__', kid: 'first' },
    secret,
  ];
  server.answer = { keys: [...junk, { ...first.jwk, use: 'enc' }] };
  await refuses(verifierOf(), first);
  server.answer = { keys: [{ ...first.jwk, key_ops: ['encrypt'] }] };
  await refuses(verifierOf(), first);
  server.answer = { keys: [...junk, first.jwk] };
  await accepts(verifierOf(), first);
});

test('a private key published by mistake verifies like its public half', async () => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  provided.server.answer = { keys: [{ ...(await exportJWK(privateKey)), kid: 'first' }, provided.first.jwk] };
  await accepts(verifierOf(), provided.first);
});

test('a key that is too short is refused though the signature is right', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${encode({ alg: 'RS256', kid: 'weak' })}.${encode({ sub: 'ana', iss: IDP, aud: 'catalog', exp: NOW / 1000 + 60 })}`;
  const token = `${input}.${createSign('sha256').update(input).sign(privateKey).toString('base64url')}`;
  provided.server.answer = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'weak' }] };
  await refuses(verifierOf(), { ...provided.first, sign: async () => token });
});

test('a token without a key id is accepted only if one key matches', async () => {
  const { server, first, second } = provided;
  await accepts(verifierOf(), first, { kid: undefined });
  server.answer = { keys: [first.jwk, second.jwk] };
  await refuses(verifierOf(), first, { kid: undefined });
});

test('with providers configured, an own token needs the own key id', async () => {
  const nameless = { ...provided.first, sign: () => issueToken({ ...provided.key, kid: '' }, own) };
  const own = {
    issuer: 'https://catalog.example.org',
    user: { name: 'ana', email: 'ana@example.org' },
    isBot: false,
    tokenType: 'OM_USER',
    ttlSeconds: 3600,
    now: NOW,
  } as const;
  await refuses(verifierOf(), nameless);
});

test('keys are fetched when first needed and cached for ten minutes', async () => {
  const { server, first } = provided;
  const clock = createClock();
  const verifier = verifierOf(server.url, { clock });
  assert.is(server.count, 0);
  await accepts(verifier, first);
  await accepts(verifier, first);
  clock.advance(599_999);
  await accepts(verifier, first);
  assert.is(server.count, 1);
  clock.advance(1);
  await accepts(verifier, first);
  assert.is(server.count, 2);
});

test('a key that is no longer published is refused after ten minutes', async () => {
  const { server, first, second } = provided;
  const clock = createClock();
  const verifier = verifierOf(server.url, { clock });
  await accepts(verifier, first);
  server.answer = { keys: [second.jwk] };
  clock.advance(600_000);
  await refuses(verifier, first);
});

test('an unknown key id triggers another fetch, at most every 30 seconds', async () => {
  const { server, first, second } = provided;
  const clock = createClock();
  const verifier = verifierOf(server.url, { clock });
  await accepts(verifier, first);
  server.answer = { keys: [first.jwk, second.jwk] };
  await refuses(verifier, second);
  clock.advance(29_999);
  await refuses(verifier, second);
  assert.is(server.count, 1, 'too early to ask again');
  clock.advance(1);
  await accepts(verifier, second);
  assert.is(server.count, 2);
  await accepts(verifier, first);
  for (let guess = 0; guess < 5; guess += 1) await refuses(verifier, first, { kid: `guess ${guess}` });
  assert.is(server.count, 2, 'guessing key ids does not flood the provider');
  clock.advance(30_000);
  for (let guess = 0; guess < 5; guess += 1) await refuses(verifier, first, { kid: `guess ${guess}` });
  assert.is(server.count, 3);
});

test('a bad signature under a known key id triggers no fetch', async () => {
  const { server, first, second } = provided;
  const clock = createClock();
  const verifier = verifierOf(server.url, { clock });
  await accepts(verifier, first);
  clock.advance(60_000);
  await refuses(verifier, second, { kid: 'first' });
  assert.is(server.count, 1);
});

test('concurrent misses share one fetch', async () => {
  const { server, first } = provided;
  server.delayMs = 50;
  const verifier = verifierOf();
  await Promise.all(Array.from({ length: 20 }, () => accepts(verifier, first)));
  assert.is(server.count, 1);
});

test('a failing address does not break the others', async () => {
  const { server, first } = provided;
  const failures: Record<string, unknown> = {
    status: 500,
    text: 'no JSON',
    shape: { keys: 'none' },
    size: `{"keys":[],"x":"${'x'.repeat(300_000)}"}`,
  };
  for (const [name, answer] of Object.entries(failures)) {
    const broken = await createKeyServer();
    Object.assign(broken, typeof answer === 'number' ? { status: answer } : { answer });
    const verifier = verifierOf(`${broken.url},${server.url}`);
    await accepts(verifier, first);
    await accepts(verifier, first);
    assert.is(broken.count, 1, name);
    await broken.close();
  }
  await accepts(verifierOf(`http://127.0.0.1:9/closed,${server.url}`), first);
});

test('an address that hangs does not delay the others', async () => {
  const { server, first } = provided;
  const verifier = verifierOf(`http://hangs.example.org/,${server.url}`, {
    fetchJson: (url) =>
      url.startsWith('http://hangs')
        ? new Promise(() => {})
        : createFetchJson({ timeoutMs: 5_000, maxBytes: 100_000 })(url),
  });
  await accepts(verifier, first);
});

test('several addresses serve their keys, even under one key id', async () => {
  const { server, first } = provided;
  const other = await createKeyServer();
  const namesake = await createProvider('RS256', 'first');
  other.answer = { keys: [namesake.jwk] };
  const verifier = verifierOf(`${server.url},${other.url}`);
  await accepts(verifier, first);
  await accepts(verifier, namesake);
  await accepts(verifier, first);
  await other.close();
});

test('an oversized, redirected or empty response yields no keys', async () => {
  const { server, first } = provided;
  server.answer = { keys: [first.jwk], padding: 'x'.repeat(300_000) };
  await refuses(verifierOf(), first);
  Object.assign(server, { answer: { keys: [first.jwk] }, status: 302 });
  await refuses(verifierOf(), first);
  Object.assign(server, { answer: '', status: 200 });
  await refuses(verifierOf(), first);
});

test('a failing address is fetched at most every 30 seconds', async () => {
  const { server, first } = provided;
  const clock = createClock();
  const verifier = verifierOf(server.url, { clock });
  server.status = 503;
  await refuses(verifier, first);
  server.status = 200;
  clock.advance(29_999);
  await refuses(verifier, first);
  assert.is(server.count, 1);
  clock.advance(1);
  await accepts(verifier, first);
  assert.is(server.count, 2);
});

test('keys are valid for ten minutes, even if their provider is unreachable', async () => {
  const { server, first } = provided;
  const clock = createClock();
  const verifier = verifierOf(server.url, { clock });
  await accepts(verifier, first);
  server.status = 503;
  clock.advance(599_999);
  await accepts(verifier, first);
  assert.is(server.count, 1);
  clock.advance(1);
  await refuses(verifier, first);
  await refuses(verifier, first);
  assert.is(server.count, 2, 'asked once, then not for 30 seconds');
  clock.advance(30_000);
  await refuses(verifier, first);
  assert.is(server.count, 3);
  server.status = 200;
  clock.advance(30_000);
  await accepts(verifier, first);
});

test('a failed fetch for an unknown key id does not shorten the lifetime of known keys', async () => {
  const { server, first, second } = provided;
  const clock = createClock();
  const verifier = verifierOf(server.url, { clock });
  await accepts(verifier, first);
  server.status = 503;
  clock.advance(60_000);
  await refuses(verifier, second);
  await accepts(verifier, first);
  clock.advance(539_999);
  await accepts(verifier, first);
});

test('expired keys are not accepted while a refresh fails', async () => {
  const { server, first } = provided;
  const clock = createClock();
  const verifier = verifierOf(server.url, { clock });
  await accepts(verifier, first);
  Object.assign(server, { status: 503, delayMs: 50 });
  clock.advance(600_000);
  await Promise.all(Array.from({ length: 20 }, () => refuses(verifier, first)));
  assert.is(server.count, 2);
});

test('the JSON reader gives up on slow headers and on a slow body', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/body') response.writeHead(200).write('{"keys":');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetchJson = createFetchJson({ timeoutMs: 100, maxBytes: 1000 });
  for (const path of ['/head', '/body']) {
    const outcome = await fetchJson(base + path).catch((error: unknown) => (error instanceof Error ? error.name : ''));
    assert.is(outcome, 'TimeoutError', path);
  }
  server.close();
  server.closeAllConnections();
});

test.run();
