import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createConcurrencyLimiter } from './concurrency-limiter.ts';

/** N = 2^15, r = 8, p = 3: 32 MiB and a tenth of a second or two, on a thread beside the event loop. */
const COST = { log2N: 15, r: 8, p: 3 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MIN_LENGTH = 8;
const MAX_LENGTH = 256;

type StoredPassword = {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
};

/** At least one core stays with the requests, and two threads of the pool with files and look-ups of names. */
const MAX_HASHES_AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1));
/** A line this long takes some seconds; nobody waits longer for a login. */
const MAX_CHECKS_WAITING = 32;

/**
 * The pool of threads belongs to the whole process, and so do these two gates. Checks, which anybody can ask for, stand
 * in a line of their own before they come to the one that new passwords stand in too.
 */
const hashLimiter = createConcurrencyLimiter({ width: MAX_HASHES_AT_ONCE, maxWaiting: Number.POSITIVE_INFINITY });
const checkLimiter = createConcurrencyLimiter({ width: MAX_HASHES_AT_ONCE, maxWaiting: MAX_CHECKS_WAITING });

const deriveHash = (password: string, stored: Omit<StoredPassword, 'hash'>): Promise<Buffer> => {
  const { log2N, r, p, salt } = stored;
  const options: ScryptOptions = { N: 2 ** log2N, r, p, maxmem: 256 * 2 ** log2N * r };
  return hashLimiter(
    () =>
      new Promise((resolve, reject) => {
        // One text may be typed in several Unicode spellings, depending on the keyboard.
        scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) =>
          error ? reject(error) : resolve(hash),
        );
      }),
  );
};

const LAYOUT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/;

/** The parts of a stored hash, or undefined when it is none of ours or asks for absurd effort. */
const parseStoredPassword = (text: string): StoredPassword | undefined => {
  const [, ln, r, p, salt = '', hash = ''] = LAYOUT.exec(text) ?? [];
  const stored = { log2N: Number(ln), r: Number(r), p: Number(p) };
  const isBounded =
    stored.log2N >= 10 && stored.log2N <= 18 && stored.r >= 1 && stored.p >= 1 && stored.r <= 16 && stored.p <= 16;
  if (!isBounded) return undefined;
  return { ...stored, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') };
};

const hashWith = async (password: string, salt: Buffer): Promise<string> => {
  const hash = await deriveHash(password, { ...COST, salt });
  const effort = `ln=${COST.log2N},r=${COST.r},p=${COST.p}`;
  return `$scrypt$${effort}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
};

/** The hash to store for a password; salt and effort are part of the text, so that the effort can grow later. */
export const hashPassword = (password: string): Promise<string> => hashWith(password, randomBytes(SALT_BYTES));

/** The hash of a password that is not stored: the same in every process that knows the same `context`. */
export const hashUnstored = (password: string, context: string): Promise<string> =>
  hashWith(password, createHash('sha256').update(`tributary password ${context}`).digest().subarray(0, SALT_BYTES));

/**
 * Whether the password is the one that was hashed. Without a hash the answer is no after the same time, so that nobody
 * learns from a stopwatch which accounts exist. Rejects with unavailable when too many wait for an answer already.
 */
export const verifyPassword = async (password: string, stored: string | undefined): Promise<boolean> => {
  if (password.length > MAX_LENGTH) return false;
  const known = stored === undefined ? undefined : parseStoredPassword(stored);
  const hash = await checkLimiter(() => deriveHash(password, known ?? { ...COST, salt: Buffer.alloc(SALT_BYTES) }));
  return known !== undefined && timingSafeEqual(hash, known.hash);
};

const RULES: readonly (readonly [needed: string, rule: (text: string) => boolean])[] = [
  [`at least ${MIN_LENGTH} characters`, (text) => [...text].length >= MIN_LENGTH],
  [`at most ${MAX_LENGTH} characters`, (text) => text.length <= MAX_LENGTH],
  ['an upper-case letter', (text) => /\p{Lu}/u.test(text)],
  ['a lower-case letter', (text) => /\p{Ll}/u.test(text)],
  ['a digit', (text) => /\p{Nd}/u.test(text)],
  ['a special character', (text) => /[^\p{L}\p{N}\s]/u.test(text)],
];

/** What a new password lacks, as a sentence, or undefined when it satisfies the policy. */
export const findPasswordProblem = (text: string): string | undefined => {
  const lacking = RULES.filter(([, rule]) => !rule(text)).map(([needed]) => needed);
  return lacking.length === 0 ? undefined : `The password must have ${lacking.join(', ')}`;
};
