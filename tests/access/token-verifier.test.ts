import { createHmac, createPublicKey, createSign } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import * as assert from 'uvu/assert';
import { loadSigningKey, type SigningKey } from '../../src/access/signing-key.ts';
import { issueToken, type TokenContent } from '../../src/access/token.ts';
import { createTokenVerifier, digestToken } from '../../src/access/token-verifier.ts';
import { suite } from '../support/suite.ts';
import { authFrom, createClock, createKeyServer, createProvider, freshHome, NOW, refusal } from './fixture.ts';

/** Shows which tokens the verifier accepts and refuses, and what it reads from them. */

const test = suite('access: token verifier');

const ISSUER = 'https://catalog.example.org';
const SECRET = 'a shared secret of more than thirty-two bytes';
const seconds = NOW / 1000;
const ana: TokenContent = {
  issuer: ISSUER,
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

type Options = {
  key?: SigningKey;
  env?: Record<string, string>;
  clock?: () => number;
  fetchJson?: (url: string) => Promise<unknown>;
};

const verifierOf = ({ env, ...rest }: Options = {}) =>
  createTokenVerifier({ key, auth: authFrom(env), publicIssuer: ISSUER, clock: createClock(), ...rest });

const shared = (claims: Record<string, unknown>, secret = SECRET) =>
  new SignJWT({ exp: seconds + 3600, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret));

const withSecret = (env: Record<string, string> = {}) => verifierOf({ env: { AUTH_HS256_SECRET: SECRET, ...env } });
const verifyShared = async (claims: Record<string, unknown>, env?: Record<string, string>) =>
  withSecret(env).verify(`Bearer ${await shared(claims)}`);

const refuses = async (verifying: Promise<unknown>, what = '') => {
  const error = await refusal(verifying);
  assert.is(error.status, 401, what);
  assert.is(error.message, 'Not Authorized! Invalid Token', what);
};

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token signed by our own key whose header and claims are whatever the test says. */
const forged = (header: Record<string, unknown>, claims: Record<string, unknown>) => {
  const input = `${encode({ alg: 'RS256', kid: key.kid, ...header })}.${encode(claims)}`;
  return `${input}.${createSign('sha256').update(input).sign(key.privateKey).toString('base64url')}`;
};
const anaClaims = { iss: ISSUER, sub: 'ana', email: 'ana@example.org', exp: seconds + 3600 };

// The header

test('an own token is verified and names its user', async () => {
  const token = await issueToken(key, ana);
  assert.equal(await verifierOf().verify(`Bearer ${token}`), {
    name: 'ana',
    email: 'ana@example.org',
    isBot: false,
    tokenType: 'OM_USER',
    digest: digestToken(token),
    issuedAt: NOW,
    expiresAt: NOW + 3_600_000,
    issuedHere: true,
    roles: [],
  });
});

test('the digest of a token does not depend on its signature', async () => {
  const token = await issueToken(key, ana);
  const digest = digestToken(token);
  assert.not.ok(token.includes(digest));
  assert.is(digestToken(`${token.slice(0, token.lastIndexOf('.'))}.AAAA`), digest);
  assert.is.not(digestToken(await issueToken(key, ana)), digest);
});

test('the scheme is case-insensitive', async () => {
  const token = await issueToken(key, ana);
  for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
    assert.is((await verifierOf().verify(`${scheme} ${token}`)).name, 'ana', scheme);
  }
});

test('no header, another scheme or an empty token is 401 token not present', async () => {
  const token = await issueToken(key, ana);
  for (const header of [
    undefined,
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'Bearer    ',
    `Basic ${token}`,
    token,
    `Bearer${token}`,
  ]) {
    const error = await refusal(verifierOf().verify(header));
    assert.is(error.status, 401, header);
    assert.is(error.message, 'Not Authorized! Token not present', header);
  }
});

test('anything but a compact JWS is refused with 401', async () => {
  const token = await issueToken(key, ana);
  const [header, payload, signature] = token.split('.');
  const texts = [
    ...['x', 'a.b', 'a.b.c', '..', '...', `${token}.`, `${token} ${token}`, `${token}, Bearer ${token}`, `${token}=`],
    ...[
      `${header}.${payload}.`,
      `${header}..${signature}`,
      `.${payload}.${signature}`,
      `${token}.${header}.${payload}`,
    ],
  ];
  for (const text of texts) await refuses(verifierOf().verify(`Bearer ${text}`), text);
});

// The signature

test('a change in any part is refused with 401', async () => {
  const [header = '', payload = '', signature = ''] = (await issueToken(key, ana)).split('.');
  const changed = encode({
    ...JSON.parse(Buffer.from(payload, 'base64url').toString()),
    sub: 'admin',
    email: 'admin@example.org',
  });
  const other = (await issueToken(key, { ...ana, user: { name: 'bob', email: 'bob@example.org' } })).split('.')[2];
  await refuses(verifierOf().verify(`Bearer ${header}.${changed}.${signature}`), 'payload');
  await refuses(
    verifierOf().verify(`Bearer ${encode({ alg: 'RS256', kid: key.kid, typ: 'x' })}.${payload}.${signature}`),
    'header',
  );
  await refuses(verifierOf().verify(`Bearer ${header}.${payload}.${other}`), 'signature');
});

test('another encoding of a valid signature is refused with 401', async () => {
  const token = await issueToken(key, ana);
  const last = token.at(-1) ?? '';
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const twin = `${token.slice(0, -1)}${alphabet[alphabet.indexOf(last) + 1]}`;
  assert.equal(Buffer.from(twin.split('.')[2] ?? '', 'base64url'), Buffer.from(token.split('.')[2] ?? '', 'base64url'));
  await refuses(verifierOf().verify(`Bearer ${twin}`));
});

test('the algorithm none is refused with 401 in any spelling', async () => {
  for (const alg of ['none', 'None', 'NONE', '']) {
    const header = encode({ alg, kid: key.kid });
    await refuses(withSecret().verify(`Bearer ${header}.${encode(anaClaims)}.`), alg);
    await refuses(withSecret().verify(`Bearer ${header}.${encode(anaClaims)}.AAAA`), alg);
  }
});

test('an HS256 token signed with the text of the public key is refused with 401', async () => {
  const pem = createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' }).toString();
  const der = createPublicKey(key.privateKey).export({ type: 'spki', format: 'der' });
  for (const material of [pem, pem.trim(), der, JSON.stringify(key.publicJwk), key.publicJwk.n]) {
    for (const kid of [key.kid, undefined]) {
      const input = `${encode({ alg: 'HS256', kid })}.${encode(anaClaims)}`;
      const token = `${input}.${createHmac('sha256', material).update(input).digest('base64url')}`;
      await refuses(verifierOf().verify(`Bearer ${token}`));
      await refuses(withSecret().verify(`Bearer ${token}`));
    }
  }
});

test('an algorithm that is not allowed or not that of the key is refused with 401', async () => {
  const { privateKey } = await generateKeyPair('EdDSA');
  const eddsa = await new SignJWT(anaClaims).setProtectedHeader({ alg: 'EdDSA', kid: key.kid }).sign(privateKey);
  await refuses(verifierOf().verify(`Bearer ${eddsa}`), 'EdDSA');
  for (const alg of ['RS384', 'RS512', 'PS256', 'ES256', 'HS384', 'HS512']) {
    const token = forged({ alg }, anaClaims);
    await refuses(withSecret().verify(`Bearer ${token}`), alg);
  }
  const rs512 = new SignJWT(anaClaims).setProtectedHeader({ alg: 'RS512', kid: key.kid });
  await refuses(verifierOf().verify(`Bearer ${await rs512.sign(key.privateKey)}`), 'a true RS512 signature of our key');
});

test('critical extensions are refused with 401, known to the library or not', async () => {
  await refuses(verifierOf().verify(`Bearer ${forged({ crit: ['b64'], b64: true }, anaClaims)}`));
  await refuses(verifierOf().verify(`Bearer ${forged({ crit: ['x'], x: 1 }, anaClaims)}`));
  await refuses(verifierOf().verify(`Bearer ${forged({ crit: [] }, anaClaims)}`));
});

test('a key inside the token, or the address of one, is ignored', async () => {
  const evil = await createProvider('RS256', 'evil');
  for (const kid of [undefined, 'evil', key.kid]) {
    const header = { jwk: evil.jwk, jku: 'http://127.0.0.1:9/keys', ...(kid === undefined ? { kid: '' } : { kid }) };
    await refuses(verifierOf().verify(`Bearer ${await evil.sign(anaClaims, header)}`), kid);
  }
});

test('the same claims with a correct header are accepted', async () => {
  assert.is((await verifierOf().verify(`Bearer ${forged({}, anaClaims)}`)).name, 'ana');
  assert.is((await verifierOf().verify(`Bearer ${forged({ kid: undefined }, anaClaims)}`)).name, 'ana');
});

// Times

test('a token outside nbf and exp is refused with 401, with a minute of tolerance', async () => {
  const verify = (claims: Record<string, unknown>) =>
    verifierOf().verify(`Bearer ${forged({}, { ...anaClaims, ...claims })}`);
  await refuses(verify({ exp: seconds - 60 }), 'expired');
  await refuses(verify({ nbf: seconds + 61 }), 'not yet');
  assert.is((await verify({ exp: seconds - 59 })).name, 'ana');
  assert.is((await verify({ nbf: seconds + 60 })).name, 'ana');
});

test('an exp that is no number is refused with 401', async () => {
  for (const exp of ['never', null, {}, `${seconds + 60}`]) {
    await refuses(verifierOf().verify(`Bearer ${forged({}, { ...anaClaims, exp })}`), JSON.stringify(exp));
  }
});

test('a user token without exp is refused with 401, and a bot token may have none', async () => {
  const { exp: _, ...endless } = anaClaims;
  await refuses(verifierOf().verify(`Bearer ${forged({}, endless)}`));
  await refuses(verifierOf().verify(`Bearer ${forged({}, { ...endless, isBot: 'true' })}`), 'isBot as text');
  const bot = await verifierOf().verify(`Bearer ${forged({}, { ...endless, isBot: true })}`);
  assert.not.ok('expiresAt' in bot);
  assert.is(bot.isBot, true);
});

// Issuer and audience

test('another issuer or audience is refused with 401 when they are configured', async () => {
  const env = { AUTH_ISSUER: 'https://idp.example.org', AUTH_AUDIENCE: 'catalog' };
  const good = { sub: 'ana', iss: env.AUTH_ISSUER, aud: 'catalog' };
  assert.is((await verifyShared(good, env)).name, 'ana');
  assert.is((await verifyShared({ ...good, aud: ['other', 'catalog'] }, env)).name, 'ana');
  for (const wrong of [
    { iss: 'https://evil.example.org' },
    { iss: `${env.AUTH_ISSUER}/` },
    { iss: undefined },
    { iss: ISSUER },
  ]) {
    await refuses(verifyShared({ ...good, ...wrong }, env), JSON.stringify(wrong));
  }
  for (const wrong of [{ aud: 'other' }, { aud: undefined }, { aud: [] }, { aud: ['other'] }]) {
    await refuses(verifyShared({ ...good, ...wrong }, env), JSON.stringify(wrong));
  }
});

test('several issuers and audiences may be configured', async () => {
  const env = { AUTH_ISSUER: 'https://one.example.org, https://two.example.org', AUTH_AUDIENCE: 'catalog,lineage' };
  for (const iss of ['https://one.example.org', 'https://two.example.org']) {
    for (const aud of ['catalog', 'lineage', ['other', 'lineage']]) {
      assert.is((await verifyShared({ sub: 'ana', iss, aud }, env)).name, 'ana', `${iss} ${aud}`);
    }
    await refuses(verifyShared({ sub: 'ana', iss, aud: 'other' }, env), iss);
  }
  await refuses(verifyShared({ sub: 'ana', iss: env.AUTH_ISSUER, aud: 'catalog' }, env), 'the list is no issuer');
  await refuses(verifyShared({ sub: 'ana', iss: 'https://three.example.org', aud: 'catalog' }, env));
});

test('only tokens issued here have a session', async () => {
  const own = await verifierOf().verify(`Bearer ${await issueToken(key, { ...ana, sessionId: 'mine' })}`);
  assert.is(own.sessionId, 'mine');
  assert.not.ok('sessionId' in (await verifyShared({ sub: 'ana', sid: 'mine' })));
});

test('issuer and audience are ignored when they are not configured', async () => {
  assert.is((await verifyShared({ sub: 'ana', iss: 'anyone', aud: 'anything' })).issuedHere, false);
});

test('own tokens work alongside the issuer and audience of a provider', async () => {
  const verifier = verifierOf({ env: { AUTH_ISSUER: 'https://idp.example.org', AUTH_AUDIENCE: 'catalog' } });
  assert.is((await verifier.verify(`Bearer ${await issueToken(key, ana)}`)).issuedHere, true);
});

test('the own key under another issuer follows the rules for providers', async () => {
  const foreign = `Bearer ${await issueToken(key, { ...ana, issuer: 'https://elsewhere.example.org' })}`;
  assert.is((await verifierOf().verify(foreign)).issuedHere, false);
  await refuses(verifierOf({ env: { AUTH_ISSUER: 'https://idp.example.org' } }).verify(foreign));
});

test('the own issuer under another key does not make an own token', async () => {
  assert.is((await verifyShared({ sub: 'ana', iss: ISSUER })).issuedHere, false);
});

// The shared secret

test('HS256 is verified with the shared secret and disabled without one', async () => {
  const token = `Bearer ${await shared({ sub: 'ana' })}`;
  assert.is((await withSecret().verify(token)).name, 'ana');
  await refuses(verifierOf().verify(token), 'no secret');
  await refuses(withSecret().verify(`Bearer ${await shared({ sub: 'ana' }, `${SECRET}!`)}`), 'another secret');
});

// The principal

test('the first claim present determines the principal', async () => {
  const all = { email: 'e@example.org', preferred_username: 'p', sub: 's' };
  assert.is((await verifyShared(all)).name, 'e');
  assert.is((await verifyShared({ ...all, email: undefined })).name, 'p');
  assert.is((await verifyShared({ sub: 's' })).name, 's');
  assert.is((await verifyShared({ ...all, email: null })).name, 'p');
});

test('an unusable first claim is refused with 401, since the caller could choose the next one', async () => {
  for (const email of [
    '',
    7,
    true,
    {},
    ['a@example.org'],
    '@example.org',
    'a@b@example.org',
    'a::b@example.org',
    'x'.repeat(257),
  ]) {
    await refuses(verifyShared({ email, sub: 'admin' }), JSON.stringify(email));
  }
  await refuses(verifyShared({}), 'no claim at all');
});

test('claim names match in any case, the exact spelling first', async () => {
  assert.is((await verifyShared({ EMAIL: 'e@example.org', sub: 's' })).name, 'e');
  assert.is((await verifyShared({ Email: 'other@example.org', email: 'e@example.org' })).name, 'e');
  assert.is((await verifyShared({ sub: 'robot', ISBOT: true })).isBot, true);
});

test('the user name is the part before the @, in lower case', async () => {
  const { name, email } = await verifyShared({ email: 'Ana.Maria@Example.org' });
  assert.equal([name, email], ['ana.maria', 'Ana.Maria@Example.org']);
});

test('a name without @ gets an e-mail in the principal domain', async () => {
  assert.is((await verifyShared({ sub: 'Ana' })).email, 'ana@tributary.example');
  assert.is((await verifyShared({ sub: 'Ana' }, { AUTH_PRINCIPAL_DOMAIN: 'example.org' })).email, 'ana@example.org');
});

test('names that could be mistaken for others are refused with 401', async () => {
  for (const sub of ['\u212aate', '"admin"', 'admin\n', 'admin\u0000', '\ud800']) {
    await refuses(verifyShared({ sub }), JSON.stringify(sub));
  }
});

test('the list of claims is configurable', async () => {
  const env = { AUTH_PRINCIPAL_CLAIMS: 'upn, sub' };
  assert.is((await verifyShared({ upn: 'u@example.org', email: 'e@example.org' }, env)).name, 'u');
  assert.is((await verifyShared({ email: 'e@example.org', sub: 's' }, env)).name, 's');
});

test('a mapping gives the claims for name and e-mail, and both are required', async () => {
  const env = { AUTH_PRINCIPAL_CLAIMS_MAPPING: 'username:login,email:mail' };
  const { name, email } = await verifyShared({ login: 'Ana', mail: 'a.m@example.org', sub: 'x' }, env);
  assert.equal([name, email], ['ana', 'a.m@example.org']);
  assert.is((await verifyShared({ LOGIN: 'ana@corp.example', mail: 'ana' }, env)).email, 'ana@tributary.example');
  await refuses(verifyShared({ login: 'ana', sub: 'x', email: 'x@example.org' }, env), 'no e-mail');
  await refuses(verifyShared({ mail: 'a@example.org', sub: 'x' }, env), 'no name');
});

test('the mapping does not apply to bots', async () => {
  const env = { AUTH_PRINCIPAL_CLAIMS_MAPPING: 'username:login,email:mail' };
  assert.is(
    (await verifyShared({ login: 'ana', mail: 'a@example.org', sub: 'robot', isBot: true }, env)).name,
    'robot',
  );
});

test('the user name of an own token is its sub, whatever its e-mail and the settings for providers', async () => {
  const smith = { ...ana, user: { name: 'ana', email: 'ana.smith@example.org' } };
  for (const env of [
    {},
    { AUTH_PRINCIPAL_CLAIMS: 'upn' },
    { AUTH_PRINCIPAL_CLAIMS: 'email' },
    { AUTH_PRINCIPAL_CLAIMS_MAPPING: 'username:login,email:mail' },
  ]) {
    for (const more of [{}, { tokenType: 'PERSONAL_ACCESS' }, { tokenType: 'BOT', isBot: true }] as const) {
      const token = await issueToken(key, { ...smith, ...more });
      const { name, email } = await verifierOf({ env }).verify(`Bearer ${token}`);
      assert.equal([name, email], ['ana', 'ana.smith@example.org'], JSON.stringify([env, more]));
    }
  }
  const odd = await issueToken(key, { ...ana, user: { name: 'Ana@Home', email: 'admin@example.org' } });
  assert.is((await verifierOf().verify(`Bearer ${odd}`)).name, 'ana@home', 'the whole of it');
  const { sub: _, ...nameless } = anaClaims;
  await refuses(verifierOf().verify(`Bearer ${forged({}, nameless)}`), 'no sub');
  await refuses(verifierOf().verify(`Bearer ${forged({}, { ...anaClaims, sub: '"admin"' })}`), 'quotes');
});

test('a token of another issuer signed with the own key is read like that of a provider', async () => {
  const user = { name: 'ana', email: 'ana.smith@example.org' };
  const token = await issueToken(key, { ...ana, user, issuer: 'https://elsewhere.example.org' });
  assert.is((await verifierOf().verify(`Bearer ${token}`)).name, 'ana.smith');
});

test('claims with built-in names are not found by accident', async () => {
  await refuses(verifyShared({ sub: 'ana' }, { AUTH_PRINCIPAL_CLAIMS: 'constructor,__proto__,toString' }));
});

test('the token type is one of three and defaults to that of a user or a bot', async () => {
  assert.is((await verifyShared({ sub: 'a' })).tokenType, 'OM_USER');
  assert.is((await verifyShared({ sub: 'a', isBot: true })).tokenType, 'BOT');
  assert.is((await verifyShared({ sub: 'a', tokenType: 'PERSONAL_ACCESS' })).tokenType, 'PERSONAL_ACCESS');
  assert.is((await verifyShared({ sub: 'a', tokenType: 'Bearer' })).tokenType, 'OM_USER');
});

test('roles are the strings of the claim, and none for bots', async () => {
  assert.equal((await verifyShared({ sub: 'a', roles: ['Steward', 7, null, 'Consumer'] })).roles, [
    'Steward',
    'Consumer',
  ]);
  assert.equal((await verifyShared({ sub: 'a', roles: 'Steward' })).roles, []);
  assert.equal((await verifyShared({ sub: 'a', roles: ['Steward'], isBot: true })).roles, []);
});

test('a domain that is not allowed is refused with 401 when domains are enforced', async () => {
  const env = {
    AUTH_ENFORCE_PRINCIPAL_DOMAIN: 'true',
    AUTH_PRINCIPAL_DOMAIN: 'example.org',
    AUTH_ALLOWED_DOMAINS: 'Partner.example, corp.local',
  };
  for (const email of ['a@example.org', 'a@EXAMPLE.org', 'a@partner.example', 'a@corp.local']) {
    assert.is((await verifyShared({ email }, env)).name, 'a', email);
  }
  for (const email of ['a@evil.example', 'a@sub.example.org', 'a@example.org.evil.example', 'a@']) {
    await refuses(verifyShared({ email }, env), email);
  }
  assert.is((await verifyShared({ sub: 'a' }, env)).email, 'a@example.org');
  const nameFirst = { ...env, AUTH_PRINCIPAL_CLAIMS: 'sub' };
  assert.is((await verifyShared({ sub: 'a', email: 'a@example.org' }, nameFirst)).name, 'a');
  await refuses(verifyShared({ sub: 'a', email: 'a@evil.example' }, nameFirst), 'every address counts');
  assert.is((await verifyShared({ email: 'a@evil.example', isBot: true }, env)).name, 'a', 'bots are exempt');
  const own = await issueToken(key, { ...ana, user: { name: 'ana', email: 'ana@evil.example' } });
  assert.is((await verifierOf({ env }).verify(`Bearer ${own}`)).name, 'ana', 'own tokens are exempt');
});

// The cache

/** The key, and how often its versions were asked for, which is once for each check of a signature. */
const countChecks = (): { readonly counted: SigningKey; readonly checks: () => number } => {
  let checks = 0;
  const counted: SigningKey = {
    ...key,
    get revision() {
      return key.revision;
    },
    get versions() {
      checks += 1;
      return key.versions;
    },
  };
  return { counted, checks: () => checks };
};

test('a hit returns the same result without verifying the signature again', async () => {
  const { counted, checks } = countChecks();
  const verifier = verifierOf({ key: counted });
  const header = `Bearer ${await issueToken(key, ana)}`;
  const first = await verifier.verify(header);
  assert.is(checks(), 1);
  // Each request brings a text of its own.
  for (let time = 0; time < 100; time += 1) {
    assert.is(await verifier.verify(Buffer.from(header).toString('latin1')), first);
  }
  assert.is(checks(), 1);
  await verifier.verify(`Bearer ${await issueToken(key, { ...ana, ttlSeconds: 60 })}`);
  assert.is(checks(), 2, 'another token is checked');
});

test('the cache never outlives exp', async () => {
  const clock = createClock();
  const verifier = verifierOf({ clock });
  const header = `Bearer ${await issueToken(key, { ...ana, ttlSeconds: 30 })}`;
  const first = await verifier.verify(header);
  clock.advance(29_999);
  assert.is(await verifier.verify(header), first);
  clock.advance(1);
  const second = await verifier.verify(header);
  assert.is.not(second, first, 'verified anew, within the tolerance');
  assert.is.not(await verifier.verify(header), second, 'and no longer kept');
  clock.advance(60_000);
  await refuses(verifier.verify(header), 'expired');
});

test('a token is cached for a minute at most', async () => {
  const clock = createClock();
  const verifier = verifierOf({ clock });
  const header = `Bearer ${await issueToken(key, { ...ana, isBot: true, tokenType: 'BOT', ttlSeconds: undefined })}`;
  const first = await verifier.verify(header);
  clock.advance(59_999);
  assert.is(await verifier.verify(header), first);
  clock.advance(1);
  assert.is.not(await verifier.verify(header), first);
});

test('a refused token is not cached as valid', async () => {
  const verifier = verifierOf();
  const header = `Bearer ${forged({}, { ...anaClaims, exp: seconds - 3600 })}`;
  await refuses(verifier.verify(header));
  await refuses(verifier.verify(header));
});

const NARROWED = { AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: 'catalog', AUTH_PRINCIPAL_DOMAIN: 'example.org' };

// Keys of providers, in short; the rest is in jwks.test.ts

test('a provider token is verified with the published keys', async () => {
  const server = await createKeyServer();
  const provider = await createProvider('ES256', 'p1');
  server.answer = { keys: [provider.jwk] };
  const verifier = verifierOf({ env: { AUTH_JWKS_URLS: server.url, ...NARROWED } });
  const verified = await verifier.verify(
    `Bearer ${await provider.sign({ email: 'ana@example.org', iss: ISSUER, aud: 'catalog' })}`,
  );
  assert.equal([verified.name, verified.issuedHere], ['ana', false]);
  assert.is((await verifier.verify(`Bearer ${await issueToken(key, ana)}`)).issuedHere, true);
  await server.close();
});

test('the key id of another source is refused with 401', async () => {
  const server = await createKeyServer();
  const provider = await createProvider('RS256', 'p1');
  server.answer = { keys: [provider.jwk] };
  const verifier = verifierOf({ env: { AUTH_JWKS_URLS: server.url, ...NARROWED, AUTH_HS256_SECRET: SECRET } });
  await refuses(verifier.verify(`Bearer ${await provider.sign(anaClaims, { kid: key.kid })}`), 'theirs under our id');
  await refuses(verifier.verify(`Bearer ${forged({ kid: 'p1' }, anaClaims)}`), 'ours under their id');
  const input = `${encode({ alg: 'HS256', kid: 'p1' })}.${encode(anaClaims)}`;
  const hmac = createHmac('sha256', JSON.stringify(provider.jwk)).update(input).digest('base64url');
  await refuses(verifier.verify(`Bearer ${input}.${hmac}`), 'HS256 under their id');
  await server.close();
});

test('an obviously invalid token never causes a fetch from a provider', async () => {
  const asked: string[] = [];
  const fetchJson = async (url: string) => ({ keys: asked.splice(asked.length, 0, url) });
  const verifier = verifierOf({ env: { AUTH_JWKS_URLS: 'https://idp.example.org/keys', ...NARROWED }, fetchJson });
  await refuses(verifier.verify(`Bearer ${encode({ alg: 'none', kid: 'k' })}.${encode(anaClaims)}.AAAA`));
  await refuses(verifier.verify(`Bearer ${forged({ kid: 'k', crit: ['x'], x: 1 }, anaClaims)}`));
  await refuses(verifier.verify(`Bearer ${forged({ kid: 7 }, anaClaims)}`));
  await refuses(verifier.verify(`Bearer ${await shared({ sub: 'ana' })}`));
  assert.equal(asked, []);
  await refuses(verifier.verify(`Bearer ${forged({ kid: 'k' }, anaClaims)}`));
  assert.equal(asked, ['https://idp.example.org/keys']);
});

test.run();
