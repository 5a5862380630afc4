import { CatalogError } from '../errors.ts';
import type { Accounts } from './accounts.ts';
import { type LoginAttempt, openLoginThrottle } from './login-throttle.ts';
import { findLogin, type LoginRow } from './queries.ts';
import { openSession, type SessionOrigin, type SessionTokens } from './sessions.ts';

/** The same error for a wrong password and for an unknown address. */
const invalidLogin = () => new CatalogError('unauthorized', 'Invalid email or password');

/** The e-mail address of a login name; a name without a domain gets the principal domain. */
const toEmail = (text: string, principalDomain: string): string => {
  const address = text.trim().toLowerCase();
  return address.includes('@') ? address : `${address}@${principalDomain}`;
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

const decodeBase64 = (text: string): string | undefined => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  try {
    return utf8.decode(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
};

/** The possible passwords: some clients send base64, and nothing says whether this one did. */
const passwordReadings = (password: string): readonly string[] => {
  const decoded = decodeBase64(password);
  return decoded === undefined ? [password] : [password, decoded];
};

const isPasswordRight = async (
  { engine: { passwords } }: Accounts,
  password: string,
  hash: string | undefined,
): Promise<boolean> => {
  for (const candidate of passwordReadings(password)) {
    if (await passwords.verify(candidate, hash)) return true;
  }
  return false;
};

/** The password hash to check. The built-in administrator's is always the configured one. */
const credentialOf = async (accounts: Accounts, person: LoginRow | undefined): Promise<string | undefined> => {
  const configured = await accounts.configuredHash();
  if (person === undefined || person.deleted || person.isBot === true) return undefined;
  return (person.name === accounts.system.name ? configured : person.credential) ?? undefined;
};

/** Begins the session of a person whose attempt succeeded. Throws when the person is gone in the meantime. */
export const startSession = async (
  accounts: Accounts,
  attempt: LoginAttempt,
  person: LoginRow,
  origin: SessionOrigin,
): Promise<SessionTokens> => {
  const session = await openSession(accounts, person, origin);
  await accounts.engine.graph.write(async (transaction) => {
    await attempt.succeed(transaction);
    if (!(await session.write(transaction))) throw invalidLogin();
  });
  return session.grant();
};

/**
 * Logs a person in. Rejects with unauthorized, after the same time whether the person exists or not, and with
 * too_many_requests while the account or the network address has to wait, on whichever process the failures happened.
 */
export const login = async (
  accounts: Accounts,
  email: string,
  password: string,
  networkAddress: string,
): Promise<SessionTokens> => {
  const { engine, config } = accounts;
  const account = toEmail(email, config.principalDomain);
  const throttle = openLoginThrottle({ graph: engine.graph, clock: engine.clock, account, address: networkAddress });
  return accounts.addressLimiter(networkAddress, async () => {
    const attempt = await throttle.admit();
    const [person] = await engine.graph.read(findLogin, { email: account });
    const credential = await credentialOf(accounts, person);
    const isRight = await isPasswordRight(accounts, password, credential);
    if (isRight && person !== undefined && credential !== undefined) {
      return startSession(accounts, attempt, person, { credential });
    }
    await attempt.fail();
    throw invalidLogin();
  });
};
