import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createConcurrencyLimiter } from './concurrency-limiter.ts';

/** What a hash costs, as scrypt takes it. */
export type HashCost = { readonly log2N: number; readonly r: number; readonly p: number };

/** N = 2^15, r = 8, p = 3: 32 MiB and 0.1 to 0.2 seconds, on a thread of the pool. */
const DEFAULT_COST: HashCost = { log2N: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MIN_LENGTH = 8;
const MAX_LENGTH = 256;

type StoredPassword = HashCost & { readonly salt: Buffer; readonly hash: Buffer };

/** Leaves at least one core for requests, and two pool threads for file access and DNS lookups. */
const MAX_HASHES_AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1));
/** Working off a queue of this length takes some seconds. Logins beyond it are refused instead of waiting longer. */
const MAX_CHECKS_WAITING = 32;

/**
 * Both limiters belong to the whole process, as the thread pool does. Password checks, which anybody can request, wait
 * in their own queue before they enter the one that new passwords share.
 */
const hashLimiter = createConcurrencyLimiter({ width: MAX_HASHES_AT_ONCE, maxWaiting: Number.POSITIVE_INFINITY });
const checkLimiter = createConcurrencyLimiter({ width: MAX_HASHES_AT_ONCE, maxWaiting: MAX_CHECKS_WAITING });

const deriveHash = (password: string, stored: Omit<StoredPassword, 'hash'>): Promise<Buffer> => {
  const { log2N, r, p, salt } = stored;
  const options: ScryptOptions = { N: 2 ** log2N, r, p, maxmem: 256 * 2 ** log2N * r };
  return hashLimiter(
    () =>
      new Promise((resolve, reject) => {
        // Keyboards may produce the same text in different Unicode forms.
        scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) =>
          error ? reject(error) : resolve(hash),
        );
      }),
  );
};

const LAYOUT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/;

/** Parses a stored hash. Undefined when the format is unknown or the cost is absurdly high. */
const parseStoredPassword = (text: string): StoredPassword | undefined => {
  const [, ln, r, p, salt = '', hash = ''] = LAYOUT.exec(text) ?? [];
  const stored = { log2N: Number(ln), r: Number(r), p: Number(p) };
  const isBounded =
    stored.log2N >= 10 && stored.log2N <= 18 && stored.r >= 1 && stored.p >= 1 && stored.r <= 16 && stored.p <= 16;
  if (!isBounded) return undefined;
  return { ...stored, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') };
};

const hashWith = async (password: string, cost: HashCost, salt: Buffer): Promise<string> => {
  const hash = await deriveHash(password, { ...cost, salt });
  const effort = `ln=${cost.log2N},r=${cost.r},p=${cost.p}`;
  return `$scrypt$${effort}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
};

/** Hashes and verifies passwords at one cost. */
export type PasswordHasher = {
  /** The hash to store for a password. The text includes salt and cost, so that the cost can grow later. */
  readonly hash: (password: string) => Promise<string>;
  /** The hash of a password that is never stored. Every process that knows the same `context` computes the same hash. */
  readonly hashUnstored: (password: string, context: string) => Promise<string>;
  /**
   * Whether the password matches the stored hash. Without a hash the result is false after the same time, so that
   * response times do not reveal which accounts exist. Rejects with unavailable when the queue is full.
   */
  readonly verify: (password: string, stored: string | undefined) => Promise<boolean>;
};

/** Creates a hasher. No setting changes its cost; only code that composes an application does. */
export const createPasswordHasher = (cost: HashCost = DEFAULT_COST): PasswordHasher => ({
  hash: (password) => hashWith(password, cost, randomBytes(SALT_BYTES)),
  hashUnstored: (password, context) =>
    hashWith(
      password,
      cost,
      createHash('sha256').update(`tributary password ${context}`).digest().subarray(0, SALT_BYTES),
    ),
  verify: async (password, stored) => {
    if (password.length > MAX_LENGTH) return false;
    const known = stored === undefined ? undefined : parseStoredPassword(stored);
    const hash = await checkLimiter(() => deriveHash(password, known ?? { ...cost, salt: Buffer.alloc(SALT_BYTES) }));
    return known !== undefined && timingSafeEqual(hash, known.hash);
  },
});

const RULES: readonly (readonly [needed: string, rule: (text: string) => boolean])[] = [
  [`at least ${MIN_LENGTH} characters`, (text) => [...text].length >= MIN_LENGTH],
  [`at most ${MAX_LENGTH} characters`, (text) => text.length <= MAX_LENGTH],
  ['an upper-case letter', (text) => /\p{Lu}/u.test(text)],
  ['a lower-case letter', (text) => /\p{Ll}/u.test(text)],
  ['a digit', (text) => /\p{Nd}/u.test(text)],
  ['a special character', (text) => /[^\p{L}\p{N}\s]/u.test(text)],
];

/** Describes what a new password lacks, or returns undefined when it satisfies the policy. */
export const findPasswordProblem = (text: string): string | undefined => {
  const lacking = RULES.filter(([, rule]) => !rule(text)).map(([needed]) => needed);
  return lacking.length === 0 ? undefined : `The password must have ${lacking.join(', ')}`;
};
