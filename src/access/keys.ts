import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { calculateJwkThumbprint } from 'jose';
import { StartupError } from '../errors.ts';
import { readOrCreateKeyFile } from './key-file.ts';

/** The public half of a signing key, as the JWKS operation publishes it. */
export type PublicJwk = {
  readonly kty: 'RSA';
  readonly kid: string;
  readonly n: string;
  readonly e: string;
  readonly alg: 'RS256';
  readonly use: 'sig';
};

/** The key pair that signs the tokens issued here. Its fingerprint tells processes whether they share the same key. */
export type SigningKey = {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
  readonly fingerprint: string;
};

const MODULUS_BITS = 2048;

/** PEM of any kind names itself; DER does not, so both layouts of an RSA key are tried. */
const parsePrivateKey = (content: Buffer): KeyObject => {
  if (content.includes('-----BEGIN')) return createPrivateKey(content);
  try {
    return createPrivateKey({ key: content, format: 'der', type: 'pkcs8' });
  } catch {
    return createPrivateKey({ key: content, format: 'der', type: 'pkcs1' });
  }
};

const assertUsable = (key: KeyObject): void => {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < MODULUS_BITS) {
    throw new Error(`the file holds ${key.asymmetricKeyType} ${bits === 0 ? '' : `with ${bits} bits`}`.trim());
  }
};

const describeKey = async (privateKey: KeyObject): Promise<SigningKey> => {
  const { n = '', e = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = await calculateJwkThumbprint({ kty: 'RSA', n, e }, 'sha256');
  const publicJwk = Object.freeze({ kty: 'RSA', kid, n, e, alg: 'RS256', use: 'sig' } as const);
  return Object.freeze({ kid, privateKey, publicJwk, fingerprint: kid });
};

const generatePem = async (): Promise<string> => {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
};

const readKey = async (path: string, isOwn: boolean): Promise<SigningKey> => {
  const key = parsePrivateKey(isOwn ? Buffer.from(await readOrCreateKeyFile(path, generatePem)) : await readFile(path));
  assertUsable(key);
  return describeKey(key);
};

/**
 * The signing key: the one in `keyFile` when it is named, else the one under `<home>/keys`, made on first start.
 * Throws a StartupError naming AUTH_KEY_FILE when the file holds no RSA private key that can be used.
 */
export const loadSigningKey = async (from: { home: string; keyFile: string | undefined }): Promise<SigningKey> => {
  const path = from.keyFile ?? join(from.home, 'keys', 'signing.pem');
  try {
    return await readKey(path, from.keyFile === undefined);
  } catch (error) {
    const subject =
      from.keyFile === undefined ? `AUTH_KEY_FILE is unset, so "${path}" is used` : `AUTH_KEY_FILE is "${path}"`;
    const expected = `expected an unencrypted RSA private key of at least ${MODULUS_BITS} bits, PEM or DER`;
    throw new StartupError(`${subject}, ${expected} (${error instanceof Error ? error.message : error})`, {
      cause: error,
    });
  }
};
