import { createPublicKey, createSign, createVerify, generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import * as assert from 'uvu/assert';
import { loadSigningKey } from '../../src/access/keys.ts';
import { StartupError } from '../../src/errors.ts';
import { suite } from '../support/suite.ts';
import { freshHome } from './fixture.ts';

const test = suite('access/keys');

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

test('first start makes a key that later starts find again', async () => {
  const home = await freshHome();
  const first = await loadSigningKey({ home, keyFile: undefined });
  const second = await loadSigningKey({ home, keyFile: undefined });
  assert.equal(second.publicJwk, first.publicJwk);
  assert.is(first.privateKey.asymmetricKeyDetails?.modulusLength, 2048);
});

test('the key is readable by its owner only, and nothing else is left beside it', async () => {
  const home = join(await freshHome(), 'new');
  await loadSigningKey({ home, keyFile: undefined });
  assert.equal(await readdir(join(home, 'keys')), ['signing.pem']);
  assert.is((await stat(join(home, 'keys', 'signing.pem'))).mode & 0o777, 0o600);
  assert.is((await stat(join(home, 'keys'))).mode & 0o777, 0o700);
  assert.is((await stat(home)).mode & 0o777, 0o700);
});

test('starts at the same time agree on one key', async () => {
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

test('the public JWK belongs to the private key and shows nothing of it', async () => {
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

test('a file that holds no usable private key stops the start and names the variable', async () => {
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

test('a missing key file is not made, since its name may be a slip', async () => {
  const home = await freshHome();
  assert.match(await startupProblem(loadSigningKey({ home, keyFile: join(home, 'absent.pem') })), 'AUTH_KEY_FILE is');
  assert.equal(await readdir(home), []);
});

test('a damaged key of our own stops the start and names the file', async () => {
  const home = await freshHome();
  await mkdir(join(home, 'keys'));
  await writeFile(join(home, 'keys', 'signing.pem'), 'damaged');
  assert.match(
    await startupProblem(loadSigningKey({ home, keyFile: undefined })),
    /AUTH_KEY_FILE is unset.*signing\.pem/,
  );
});

test.run();
