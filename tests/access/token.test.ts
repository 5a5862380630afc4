import { createPublicKey } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import * as assert from 'uvu/assert';
import { loadSigningKey, type SigningKey } from '../../src/access/signing-key.ts';
import { issueToken, parseTokenLifetime, type TokenContent } from '../../src/access/token.ts';
import { StartupError } from '../../src/errors.ts';
import { suite } from '../support/suite.ts';
import { freshHome, NOW, refusal } from './fixture.ts';

/** Shows the claims, header and lifetime of tokens issued here. */

const test = suite('access: tokens');

const seconds = NOW / 1000;
const ana: TokenContent = {
  issuer: 'https://catalog.example.org',
  user: { name: 'ana', email: 'ana@example.org' },
  isBot: false,
  tokenType: 'OM_USER',
  ttlSeconds: 3600,
  now: NOW,
};

let key: SigningKey;
test.before(async () => {
  key = await loadSigningKey({ home: await freshHome(), keyFile: undefined });
});

const claimsOf = async (token: string) => {
  const options = { currentDate: new Date(NOW), algorithms: ['RS256'] };
  return (await jwtVerify(token, createPublicKey(key.privateKey), options)).payload;
};

test('a token has exactly the claims of the contract and a unique id', async () => {
  const { jti, ...claims } = await claimsOf(await issueToken(key, ana));
  assert.match(String(jti), /^[0-9a-f-]{36}$/);
  assert.equal(claims, {
    iss: 'https://catalog.example.org',
    sub: 'ana',
    email: 'ana@example.org',
    preferred_username: 'ana',
    isBot: false,
    tokenType: 'OM_USER',
    iatMs: NOW,
    iat: seconds,
    exp: seconds + 3600,
  });
});

test('a token may name its user by id', async () => {
  assert.is((await claimsOf(await issueToken(key, { ...ana, userId: 'this one' })))['uid'], 'this one');
});

test('two tokens issued at one moment differ', async () => {
  assert.is.not(await issueToken(key, ana), await issueToken(key, ana));
});

test('the token of a session names the session', async () => {
  assert.is((await claimsOf(await issueToken(key, { ...ana, sessionId: 'this one' })))['sid'], 'this one');
});

test('the header names algorithm and key', async () => {
  assert.equal(decodeProtectedHeader(await issueToken(key, ana)), { alg: 'RS256', typ: 'JWT', kid: key.kid });
});

test('times are whole seconds', async () => {
  const { iat, exp } = await claimsOf(await issueToken(key, { ...ana, now: NOW + 999 }));
  assert.equal([iat, exp], [seconds, seconds + 3600]);
});

test('a bot token may have no end', async () => {
  const claims = await claimsOf(
    await issueToken(key, { ...ana, isBot: true, tokenType: 'BOT', ttlSeconds: undefined }),
  );
  assert.not.ok('exp' in claims);
  assert.is(claims['isBot'], true);
  assert.is(claims['tokenType'], 'BOT');
});

test('an unlimited user token is refused with 400', async () => {
  assert.is((await refusal(issueToken(key, { ...ana, ttlSeconds: undefined }))).status, 400);
  const personal = { ...ana, tokenType: 'PERSONAL_ACCESS', ttlSeconds: undefined } as const;
  assert.is((await refusal(issueToken(key, personal))).status, 400);
});

test('a lifetime is a number and a unit', () => {
  const lifetimes = { '45s': 45, '30m': 1800, '1h': 3600, ' 24h ': 86_400, '7d': 604_800, '3650d': 315_360_000 };
  for (const [text, expected] of Object.entries(lifetimes)) assert.is(parseTokenLifetime(text), expected, text);
});

test('anything else is no lifetime', () => {
  const texts = ['', '1', 'h', '0h', '-1h', '1.5h', '1e3s', '1 h', '1H', '1w', '3651d', '999999999d', '1h30m', '٣h'];
  for (const text of texts) {
    assert.throws(
      () => parseTokenLifetime(text),
      (error: unknown) => error instanceof StartupError,
      text,
    );
  }
});

test.run();
