import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, exportPKCS8, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import * as assert from 'uvu/assert';
import { readConfig } from '../../src/config.ts';
import { CatalogError } from '../../src/errors.ts';
import { cleanAfterFile } from '../support/after-file.ts';

/** Helpers for tests of authentication: a fixed time, a clock, configuration and expected refusals. */

/** A fixed time in epoch milliseconds. Tests express all times relative to it. */
export const NOW = Date.UTC(2026, 5, 1, 12);

/** Creates an empty folder for `TRIBUTARY_HOME`, which lasts as long as the test file runs. */
export const freshHome = async (): Promise<string> => {
  const home = await mkdtemp(join(tmpdir(), 'tributary-access-'));
  cleanAfterFile(() => rm(home, { recursive: true, force: true }));
  return home;
};

/** The settings of sign-in as they are read from these variables. */
export const authFrom = (env: Record<string, string> = {}) => readConfig(env).auth;

/** A clock that stands still until it is moved. */
export const createClock = () => {
  const state = { now: NOW };
  const clock = () => state.now;
  return Object.assign(clock, {
    advance: (ms: number) => {
      state.now += ms;
    },
  });
};

/** What the promise rejects with, as a CatalogError; fails the test when it does not. */
export const refusal = async (promise: Promise<unknown>): Promise<CatalogError> => {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, CatalogError);
    if (error instanceof CatalogError) return error;
  }
  assert.unreachable('nothing was refused');
  throw new Error('nothing was refused');
};

/** A provider of identities with one key: it signs tokens, and shows the key as a JWK. */
export const createProvider = async (alg: string, kid: string) => {
  const pair = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' };
  // In this form the key signs with any algorithm of its type, as an attacker's would.
  const privateKey = createPrivateKey(await exportPKCS8(pair.privateKey));
  const sign = (claims: JWTPayload, header: Partial<JWTHeaderParameters> = {}) =>
    new SignJWT({ exp: NOW / 1000 + 3600, ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
  return { jwk, sign };
};

/** A local server of key sets. `answer` is what it says next, `count` how often it was asked; 302 leads to the answer. */
export const createKeyServer = async () => {
  const state: { answer: unknown; status: number; delayMs: number; count: number } = {
    answer: { keys: [] },
    status: 200,
    delayMs: 0,
    count: 0,
  };
  const server = createServer((request, response) => {
    state.count += 1;
    const { answer, delayMs } = state;
    const status = request.url === '/elsewhere' ? 200 : state.status;
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const headers = status === 302 ? { location: '/elsewhere' } : { 'content-type': 'application/json' };
    setTimeout(() => response.writeHead(status, headers).end(text), delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return Object.assign(state, { url: `http://127.0.0.1:${port}/jwks.json`, close });
};
