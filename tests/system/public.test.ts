import { createPublicKey } from 'node:crypto';
import { jwtVerify } from 'jose';
import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the public configuration is readable without a token. */

const test = suite('system: public configuration');

let service: Service;
test.before(async () => {
  service = await openService();
});

const read = async (path: string, env: Readonly<Record<string, string>> = {}) => {
  const { app } = await openSecondProcessWith(service, {}, { env });
  return ok(await anonymous({ ...service, app }).get(path));
};

test('config/jwks returns the public signing key and no secret', async () => {
  const set = await read('/v1/system/config/jwks');
  assert.equal(Object.keys(set), ['keys']);
  assert.is(set.keys.length, 1);
  const [key] = set.keys;
  assert.equal(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
  assert.equal([key.kty, key.alg, key.use, key.e], ['RSA', 'RS256', 'sig', 'AQAB']);
  assert.match(key.n, /^[\w-]+$/);
  const modulus = Buffer.from(key.n, 'base64url');
  assert.is(modulus.toString('base64url'), key.n);
  assert.is.not(modulus[0], 0, 'no leading zero byte');
  const token = await service.token('admin');
  const publicKey = createPublicKey({ key, format: 'jwk' });
  const { payload, protectedHeader } = await jwtVerify(token, publicKey, { algorithms: ['RS256'] });
  assert.equal([payload.sub, protectedHeader.kid], ['admin', key.kid]);
  assert.equal(await read('/api/v1/system/config/jwks'), set);
});

test('config/auth returns how callers authenticate, with and without a provider', async () => {
  const path = '/v1/system/config/auth';
  assert.equal(await read(path), {
    provider: 'basic',
    providerName: 'tributary',
    publicKeyUrls: ['http://localhost/v1/system/config/jwks'],
    authority: '',
    clientId: '',
    callbackUrl: '',
    jwtPrincipalClaims: ['email', 'preferred_username', 'sub'],
    enableSelfSignup: false,
    clientType: 'public',
  });
  const env = {
    PUBLIC_URL: 'https://catalog.example.org',
    AUTH_JWKS_URLS: 'https://idp.example.org/keys',
    AUTH_ISSUER: 'https://idp.example.org',
    AUTH_AUDIENCE: 'catalog',
    AUTH_PRINCIPAL_CLAIMS: 'upn,sub',
    AUTH_SELF_SIGNUP: 'true',
  };
  assert.equal(await read(path, env), {
    provider: 'custom-oidc',
    providerName: 'tributary',
    publicKeyUrls: ['https://catalog.example.org/v1/system/config/jwks', 'https://idp.example.org/keys'],
    authority: 'https://idp.example.org',
    clientId: 'catalog',
    callbackUrl: '',
    jwtPrincipalClaims: ['upn', 'sub'],
    enableSelfSignup: true,
    clientType: 'public',
  });
});

test('config/explorer returns the ways to sign in, the build and the limits, and nothing of the provider', async () => {
  const path = '/v1/system/config/explorer';
  const { revision: version } = await read('/v1/system/version');
  assert.equal(await read(path), {
    signIn: { password: true, token: true },
    version,
    limits: { lineageNodes: 10_000, lineageDepth: 50 },
  });
  const env = {
    PUBLIC_URL: 'https://catalog.example.org',
    AUTH_OIDC_ISSUER: 'https://idp.example.org',
    AUTH_OIDC_CLIENT_ID: 'catalog',
    AUTH_OIDC_CLIENT_SECRET: 'hidden',
    MAX_LINEAGE_NODES: '200',
    MAX_LINEAGE_DEPTH: '7',
  };
  assert.equal(await read(path, env), {
    signIn: {
      password: true,
      token: true,
      oidc: { signInUrl: 'https://catalog.example.org/v1/users/signin' },
    },
    version,
    limits: { lineageNodes: 200, lineageDepth: 7 },
  });
});

test('config/authorizer returns the principal domain and nothing else', async () => {
  const path = '/v1/system/config/authorizer';
  assert.equal(await read(path), { principalDomain: 'tributary.example' });
  assert.equal(await read(path, { AUTH_PRINCIPAL_DOMAIN: 'example.org' }), { principalDomain: 'example.org' });
});

test.run();
