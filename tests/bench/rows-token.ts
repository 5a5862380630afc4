import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ISSUER } from '../../src/access/service-identity.ts';
import { loadSigningKey } from '../../src/access/signing-key.ts';
import { issueToken } from '../../src/access/token.ts';
import { createTokenVerifier } from '../../src/access/token-verifier.ts';
import { readConfig } from '../../src/config.ts';
import type { Result } from './stand.ts';

const MOST_MICROSECONDS = 2;
const ROUNDS = 400;
const CALLS = 250;

/** A verifier whose keys are in a folder, and the header of a token that it accepts. */
const openVerifier = async (home: string) => {
  const key = await loadSigningKey({ home, keyFile: undefined });
  const { auth } = readConfig({ TRIBUTARY_HOME: home });
  const verifier = createTokenVerifier({ key, auth, publicIssuer: ISSUER, clock: Date.now });
  const user = { name: 'user', email: 'user@example.org' };
  const content = { issuer: ISSUER, user, isBot: false, tokenType: 'OM_USER', ttlSeconds: 3600 } as const;
  return { verifier, header: `Bearer ${await issueToken(key, { ...content, now: Date.now() })}` };
};

const microsecondsOf = async (home: string): Promise<number> => {
  const { verifier, header } = await openVerifier(home);
  await verifier.verify(header);
  let microseconds = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each request brings a text of its own, whose hash has not been computed yet.
    const headers = Array.from({ length: CALLS }, () => Buffer.from(header).toString('latin1'));
    const started = performance.now();
    for (const each of headers) await verifier.verify(each);
    microseconds = Math.min(microseconds, ((performance.now() - started) * 1000) / CALLS);
  }
  return microseconds;
};

/** Accepting a token that was accepted before. It needs neither the service nor the database. */
export const measureTokens = async (): Promise<Result> => {
  const home = await mkdtemp(join(tmpdir(), 'tributary-bench-token-'));
  const microseconds = await microsecondsOf(home).finally(() => rm(home, { recursive: true, force: true }));
  return {
    row: 'tokens',
    work: 'accept a token that was accepted before',
    raw: '',
    service: '',
    reached: `${microseconds.toFixed(2)} µs`,
    target: `< ${MOST_MICROSECONDS} µs`,
    ok: microseconds < MOST_MICROSECONDS,
    figures: { microseconds },
  };
};
