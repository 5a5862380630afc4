import { createHash, randomUUID } from 'node:crypto';
import { verifyPassword } from '../access/password.ts';
import { CatalogError } from '../errors.ts';
import { encodeProperty } from '../graph/property.ts';
import type { Accounts } from './accounts.ts';
import { deleteAttempts, type PersonRow, readAttempts, readPerson, recordFailure } from './queries.ts';
import { type Granted, openSession } from './sessions.ts';

const MAX_ATTEMPTS = 3;
const BLOCK_MS = 600_000;

/** One answer to a wrong password and to an address that nobody has. */
const refusedLogin = () => new CatalogError('unauthorized', 'Invalid email or password');

const blockedLogin = (untilMs: number, now: number) =>
  new CatalogError('too_many_requests', 'Too many failed logins, try again later', {
    retryAfterSeconds: Math.max(1, Math.ceil((untilMs - now) / 1000)),
  });

/** The address by which a person is known here, whoever they call themselves. */
const addressOf = (text: string, principalDomain: string): string => {
  const address = text.trim().toLowerCase();
  return address.includes('@') ? address : `${address}@${principalDomain}`;
};

/** Failed logins are counted for any text. It is not kept: people type their password where the name belongs. */
const attemptKey = (address: string): string => createHash('sha256').update(address).digest('base64url');

const utf8 = new TextDecoder('utf-8', { fatal: true });

const decodeBase64 = (text: string): string | undefined => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  try {
    return utf8.decode(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
};

/** What may be meant by a password: some clients encode it, and nothing says whether this one did. */
const readings = (password: string): readonly string[] => {
  const decoded = decodeBase64(password);
  return decoded === undefined ? [password] : [password, decoded];
};

const matches = async (password: string, hash: string | undefined): Promise<boolean> => {
  for (const reading of readings(password)) {
    if (await verifyPassword(reading, hash)) return true;
  }
  return false;
};

/** What the person logs in with. The administrator's own password is the configured one and no other. */
const credentialOf = async (accounts: Accounts, person: PersonRow | undefined): Promise<string | undefined> => {
  const configured = await accounts.configured();
  if (person === undefined || person.deleted || person.isBot === true) return undefined;
  return (person.name === accounts.system.name ? configured : person.credential) ?? undefined;
};

const refuseBlocked = async ({ engine }: Accounts, key: string): Promise<void> => {
  const [attempts] = await engine.graph.read(readAttempts, { key });
  const now = engine.clock();
  if (attempts && attempts.count >= MAX_ATTEMPTS && attempts.expiresAt > now) {
    throw blockedLogin(attempts.expiresAt, now);
  }
};

/** Counts a failure; the block may have begun while the password was being checked. */
const fail = async ({ engine }: Accounts, key: string): Promise<never> => {
  const now = engine.clock();
  const failure = {
    key,
    attempt: randomUUID(),
    most: MAX_ATTEMPTS,
    now: encodeProperty(now),
    expiresAt: encodeProperty(now + BLOCK_MS),
  };
  const [counted] = await engine.graph.write((transaction) => transaction.run(recordFailure, failure));
  throw counted?.isBlocked ? blockedLogin(now + BLOCK_MS, now) : refusedLogin();
};

const succeed = async (accounts: Accounts, key: string, person: PersonRow, credential: string): Promise<Granted> => {
  const { engine } = accounts;
  const session = await openSession(accounts, person, credential);
  const now = engine.clock();
  await engine.graph.write(async (transaction) => {
    const attempts = { key, most: MAX_ATTEMPTS, now: encodeProperty(now) };
    const [failed] = await transaction.run(deleteAttempts, attempts);
    // Guesses that were under way together count one after another, and behind the last allowed one none is right.
    if (failed?.isBlocked) throw blockedLogin(now + BLOCK_MS, now);
    if (!(await session.write(transaction))) throw refusedLogin();
  });
  return session.grant();
};

/**
 * Logs somebody in. Rejects with unauthorized, after the same time whether there is such a person or not, and with
 * too_many_requests for ten minutes after three failures, on whichever process they happened.
 */
export const login = async (accounts: Accounts, email: string, password: string): Promise<Granted> => {
  const address = addressOf(email, accounts.config.principalDomain);
  const key = attemptKey(address);
  await refuseBlocked(accounts, key);
  const [person] = await accounts.engine.graph.read(readPerson, { email: address });
  const credential = await credentialOf(accounts, person);
  const isRight = await matches(password, credential);
  if (!isRight || person === undefined || credential === undefined) return fail(accounts, key);
  return succeed(accounts, key, person, credential);
};
