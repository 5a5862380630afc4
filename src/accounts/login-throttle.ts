import { createHash, randomUUID } from 'node:crypto';
import { CatalogError } from '../errors.ts';
import type { Graph, Transaction } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { networkOf, UNKNOWN_ADDRESS } from '../http/client-address.ts';
import { readLoginThrottle, updateLoginFailures, updateLoginSuccess } from './login-throttle-queries.ts';

/**
 * Delays logins after failures, so that passwords cannot be guessed and an outsider cannot lock an account's owner out.
 *
 * Failures are counted under three keys. The *pair* of account and address waits twice as long after each failure. An
 * *address* that fails for many accounts waits for all of them, except for accounts that logged in from it before. An
 * *account* alone never waits, or anybody could lock its owner out; while it is under attack, each new address has one
 * guess instead of three. No wait exceeds ten minutes, or half a minute at a known address.
 */
export type LoginThrottle = {
  /** Throws too_many_requests while the caller has to wait. */
  admit(): Promise<LoginAttempt>;
};

export type LoginAttempt = {
  /** Counts a failure. Throws too_many_requests when the wait began while the password was being checked. */
  fail(): Promise<void>;
  /** Runs in the transaction that begins a session. Throws too_many_requests in the same case. */
  succeed(transaction: Transaction): Promise<void>;
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;

type ThrottleRule = {
  readonly free: number;
  readonly baseMs: number;
  readonly mostMs: number;
  readonly windowMs: number;
};

const PAIR: ThrottleRule = { free: 3, baseMs: 10 * SECOND, mostMs: 10 * MINUTE, windowMs: 60 * MINUTE };
const KNOWN_PAIR: ThrottleRule = { ...PAIR, mostMs: 30 * SECOND };
const PAIR_UNDER_ATTACK: ThrottleRule = { ...PAIR, free: 1, baseMs: MINUTE };
const ADDRESS: ThrottleRule = { ...PAIR, free: 20 };
const ACCOUNT: ThrottleRule = { ...PAIR, free: Number.MAX_SAFE_INTEGER };
/** This many failures from any address within an hour count as an attack. */
const ATTACK_FAILURES = 30;
const KNOWN_MS = 90 * 24 * 60 * MINUTE;

/**
 * Failed logins are counted for any name, but only its hash is stored, because people sometimes type their password as
 * the name.
 */
const throttleKeyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

const tooManyLogins = (untilMs: number, now: number) =>
  new CatalogError('too_many_requests', 'Too many failed logins, try again later', {
    retryAfterSeconds: Math.max(1, Math.ceil((untilMs - now) / SECOND)),
  });

type LoginSource = {
  readonly graph: Graph;
  readonly clock: () => number;
  readonly account: string;
  readonly address: string;
};

/** Opens the throttle for one login, given the account (by any name) and the address. */
export const openLoginThrottle = ({ graph, clock, account, address }: LoginSource): LoginThrottle => {
  const network = networkOf(address);
  const keys = [
    throttleKeyOf('pair', account, network),
    throttleKeyOf('address', network),
    throttleKeyOf('account', account),
  ] as const;

  const fail = async (pairRule: ThrottleRule): Promise<void> => {
    const now = clock();
    const rules = [pairRule, ADDRESS, ACCOUNT];
    // Every transaction takes its locks in the same order, so that no two deadlock.
    const rows = keys
      .map((key, at) => ({ ...(rules[at] ?? PAIR), key, at }))
      .sort((one, other) => (one.key < other.key ? -1 : 1));
    const failure = { rows, attempt: randomUUID(), now: encodeProperty(now) };
    const waits = await graph.write((transaction) => transaction.run(updateLoginFailures, failure));
    const pair = waits.find(({ at }) => at === 0)?.waitUntil ?? 0;
    if (pair > now) throw tooManyLogins(pair, now);
  };

  const succeed = async (transaction: Transaction): Promise<void> => {
    const now = clock();
    const success = { key: keys[0], now: encodeProperty(now), knownUntil: encodeProperty(now + KNOWN_MS) };
    const [row] = await transaction.run(updateLoginSuccess, success);
    // Concurrent guesses are counted one after another. A guess beyond the last allowed one is refused even if correct.
    if (row && row.waitUntil > now) throw tooManyLogins(row.waitUntil, now);
  };

  const admit = async (): Promise<LoginAttempt> => {
    const now = clock();
    const rows = await graph.read(readLoginThrottle, {
      rows: keys.map((key, at) => ({ key, at })),
      now: encodeProperty(now),
    });
    const [pair, addressFailures, accountFailures] = keys.map((_, at) => rows.find((row) => row.at === at));
    const isKnown = pair?.isKnown === true;
    const isOpen = isKnown || address === UNKNOWN_ADDRESS;
    const wait = Math.max(pair?.waitUntil ?? 0, isOpen ? 0 : (addressFailures?.waitUntil ?? 0));
    if (wait > now) throw tooManyLogins(wait, now);
    const underAttack = (accountFailures?.count ?? 0) >= ATTACK_FAILURES;
    const rule = isKnown ? KNOWN_PAIR : underAttack ? PAIR_UNDER_ATTACK : PAIR;
    return { fail: () => fail(rule), succeed };
  };

  return { admit };
};

/**
 * The number of password checks that run at once for one address. Each check costs memory and time that others wait
 * for.
 */
const MAX_CHECKS_PER_ADDRESS = 8;

/** Creates the limiter that keeps one address from filling the queue of password checks. */
export const createAddressLimiter = () => {
  const underWay = new Map<string, number>();
  return async <T>(address: string, work: () => Promise<T>): Promise<T> => {
    const network = networkOf(address);
    const count = underWay.get(network) ?? 0;
    if (count >= MAX_CHECKS_PER_ADDRESS) {
      throw new CatalogError('unavailable', 'Too many logins at once, try again shortly', {
        retryAfterSeconds: 1,
      });
    }
    underWay.set(network, count + 1);
    try {
      return await work();
    } finally {
      const left = (underWay.get(network) ?? 1) - 1;
      if (left > 0) underWay.set(network, left);
      else underWay.delete(network);
    }
  };
};
