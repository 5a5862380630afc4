import { createPublicKey, createSign, createVerify, generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import * as assert from 'uvu/assert';
import { loadSigningKey, rotateSigningKey, type SigningKey } from '../../src/access/signing-key.ts';
import { issueToken } from '../../src/access/token.ts';
import { createTokenVerifier } from '../../src/access/token-verifier.ts';
import { StartupError } from '../../src/errors.ts';
import { suite } from '../support/suite.ts';
import { authFrom, createClock, freshHome, refusal } from './fixture.ts';

/** Shows how signing keys are created, loaded and published. */

const test = suite('access: signing keys');

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

const loadFile = async (content: string | Buffer) => {
  const home = await freshHome();
  const keyFile = join(home, 'given.key');
  await writeFile(keyFile, content);
  return loadSigningKey({ home, keyFile });
};

const startupProblem = async (loading: Promise<unknown>): Promise<string> => {
  try {
    await loading;
  } catch (error) {
    assert.instance(error, StartupError);
    return error instanceof Error ? error.message : '';
  }
  return assert.unreachable('the file was accepted') ?? '';
};

test('the first start creates a key that later starts load', async () => {
  const home = await freshHome();
  const first = await loadSigningKey({ home, keyFile: undefined });
  const second = await loadSigningKey({ home, keyFile: undefined });
  assert.equal(second.publicJwk, first.publicJwk);
  assert.is(first.privateKey.asymmetricKeyDetails?.modulusLength, 2048);
});

test('the key file is readable by its owner only, and no temporary file remains', async () => {
  const home = join(await freshHome(), 'new');
  await loadSigningKey({ home, keyFile: undefined });
  assert.equal(await readdir(join(home, 'keys')), ['signing.pem']);
  assert.is((await stat(join(home, 'keys', 'signing.pem'))).mode & 0o777, 0o600);
  assert.is((await stat(join(home, 'keys'))).mode & 0o777, 0o700);
  assert.is((await stat(home)).mode & 0o777, 0o700);
});

test('concurrent starts agree on one key', async () => {
  const home = await freshHome();
  const keys = await Promise.all([1, 2, 3].map(() => loadSigningKey({ home, keyFile: undefined })));
  assert.is(new Set(keys.map(({ fingerprint }) => fingerprint)).size, 1);
});

test('the public key is a JWK named by its RFC 7638 thumbprint', async () => {
  const { publicJwk, kid, fingerprint } = await loadFile(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const { kty, alg, use, e, n } = publicJwk;
  assert.equal({ kty, alg, use, e }, { kty: 'RSA', alg: 'RS256', use: 'sig', e: 'AQAB' });
  assert.is(kid, await calculateJwkThumbprint({ kty, n, e }));
  assert.is(publicJwk.kid, kid);
  assert.is(fingerprint, kid);
});

test('the modulus has neither padding nor a leading zero byte', async () => {
  const { publicJwk } = await loadFile(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const bytes = Buffer.from(publicJwk.n, 'base64url');
  assert.match(publicJwk.n, /^[\w-]+$/);
  assert.is(bytes.length, 256);
  assert.is.not(bytes[0], 0);
});

test('the public JWK belongs to the private key and reveals nothing of it', async () => {
  const { privateKey, publicJwk } = await loadFile(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const signature = createSign('sha256').update('text').sign(privateKey);
  const publicKey = createPublicKey({ key: { ...publicJwk }, format: 'jwk' });
  assert.ok(createVerify('sha256').update('text').verify(publicKey, signature));
  assert.equal(Object.keys(publicJwk).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
});

test('PEM and DER in both layouts hold the same key', async () => {
  const pem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' });
  const expected = await loadFile(pem);
  for (const type of ['pkcs8', 'pkcs1'] as const) {
    const asPem = await loadFile(rsa.privateKey.export({ type, format: 'pem' }));
    const asDer = await loadFile(rsa.privateKey.export({ type, format: 'der' }));
    assert.is(asPem.kid, expected.kid, `${type} PEM`);
    assert.is(asDer.kid, expected.kid, `${type} DER`);
  }
});

test('a file without a usable private key stops the start, naming the variable', async () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const files: Record<string, string | Buffer> = {
    empty: '',
    text: 'no key at all',
    'public key': rsa.publicKey.export({ type: 'spki', format: 'pem' }),
    'other type': ec.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    'too short': weak.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    encrypted: rsa.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    'cut short': rsa.privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(0, 600),
  };
  for (const [name, content] of Object.entries(files)) {
    assert.match(await startupProblem(loadFile(content)), /^AUTH_KEY_FILE is ".*given\.key", expected/, name);
  }
});

test('a missing configured key file is not created, since its name may be a typo', async () => {
  const home = await freshHome();
  assert.match(await startupProblem(loadSigningKey({ home, keyFile: join(home, 'absent.pem') })), 'AUTH_KEY_FILE is');
  assert.equal(await readdir(home), []);
});

test('a damaged own key stops the start, naming the file', async () => {
  const home = await freshHome();
  await mkdir(join(home, 'keys'));
  await writeFile(join(home, 'keys', 'signing.pem'), 'damaged');
  assert.match(
    await startupProblem(loadSigningKey({ home, keyFile: undefined })),
    /AUTH_KEY_FILE is unset.*signing\.pem/,
  );
});

/** A ring looks for new versions once a second of this clock. */
const clock = createClock();

const lookedAgain = async (key: SigningKey): Promise<SigningKey> => {
  clock.advance(1000);
  await key.refresh();
  return key;
};

test('a running process loads a new version and accepts tokens of former ones', async () => {
  const home = await freshHome();
  const settings = { home, keyFile: undefined, clock };
  const key = await loadSigningKey(settings);
  const [first, revision] = [key.kid, key.revision];
  const second = await rotateSigningKey(settings, false);
  assert.is.not(second, first);
  await lookedAgain(key);
  assert.equal([key.kid, key.publicJwk.kid, key.versions.map(({ kid }) => kid)], [second, second, [second, first]]);
  assert.ok(key.revision > revision);
  assert.is(key.fingerprint, first, 'what stays the same names the ring');
  const third = await rotateSigningKey(settings, true);
  await lookedAgain(key);
  assert.equal([key.versions.map(({ kid }) => kid), key.fingerprints], [[third], [third, second, first]]);
  assert.equal(await readdir(join(home, 'keys')), ['signing-3.pem', 'signing.retired']);
  assert.is((await stat(join(home, 'keys', 'signing.retired'))).mode & 0o777, 0o600);
  assert.not.match(await readFile(join(home, 'keys', 'signing.retired'), 'utf8'), 'PRIVATE');
});

test('a verifier refuses tokens of withdrawn versions, including those it has just accepted', async () => {
  const settings = { home: await freshHome(), keyFile: undefined, clock };
  const key = await loadSigningKey(settings);
  const verifier = createTokenVerifier({ key, auth: authFrom(), publicIssuer: 'tributary', clock: Date.now });
  const issue = () =>
    issueToken(key, {
      issuer: 'tributary',
      user: { name: 'ana', email: 'ana@example.org' },
      isBot: false,
      tokenType: 'OM_USER',
      ttlSeconds: 60,
      now: Date.now(),
    });
  const accepts = async (token: string) => assert.is((await verifier.verify(`Bearer ${token}`)).name, 'ana');
  const former = await issue();
  await accepts(former);
  await rotateSigningKey(settings, false);
  await lookedAgain(key);
  const next = await issue();
  for (const token of [former, next]) await accepts(token);
  await rotateSigningKey(settings, true);
  clock.advance(1000);
  for (const token of [former, next]) assert.is((await refusal(verifier.verify(`Bearer ${token}`))).status, 401);
  await accepts(await issue());
});

test('an unreadable file leaves the key ring unchanged, and is loaded once readable', async () => {
  const home = await freshHome();
  const key = await loadSigningKey({ home, keyFile: undefined, clock });
  const first = key.kid;
  const path = join(home, 'keys', 'signing-2.pem');
  const pem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(path, String(pem).slice(0, 300));
  await lookedAgain(key);
  assert.is(key.kid, first);
  assert.instance(key.problem, Error);
  await writeFile(path, pem);
  await lookedAgain(key);
  assert.is.not(key.kid, first);
  assert.is(key.problem, undefined);
});

test('AUTH_KEY_FILE may name several files, the current one first, or a shared folder', async () => {
  const [home, other] = [await freshHome(), await freshHome()];
  const [one, two] = [join(home, 'one.pem'), join(home, 'two.der')];
  await writeFile(one, rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeFile(
    two,
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'der' }),
  );
  const listed = await loadSigningKey({ home: other, keyFile: `${one}, ${two}` });
  const turned = await loadSigningKey({ home: other, keyFile: `${two},${one}` });
  assert.equal(turned.fingerprints, [...listed.fingerprints].reverse());
  assert.is(listed.versions.length, 2);
  assert.match(
    await startupProblem(rotateSigningKey({ home, keyFile: `${one},${two}` }, false)),
    /AUTH_KEY_FILE names files/,
  );

  const folder = await freshHome();
  const shared = await loadSigningKey({ home, keyFile: folder, clock });
  const theirs = await loadSigningKey({ home: other, keyFile: folder, clock });
  assert.is(theirs.kid, shared.kid);
  const next = await rotateSigningKey({ home: other, keyFile: folder }, false);
  for (const key of [shared, theirs]) assert.is((await lookedAgain(key)).kid, next);
});

test('two concurrent rotations end with the same key', async () => {
  const settings = { home: await freshHome(), keyFile: undefined };
  await loadSigningKey(settings);
  const [one, other] = await Promise.all([rotateSigningKey(settings, false), rotateSigningKey(settings, false)]);
  assert.is((await loadSigningKey(settings)).kid, one);
  assert.is(one, other);
});

test.run();
