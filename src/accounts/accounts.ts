import type { PasswordHasher } from '../access/password.ts';
import type { Principal, UserRecord } from '../access/principal.ts';
import type { BuiltInAccounts } from '../access/provider-identity.ts';
import type { SignInSettings } from '../access/sign-in-client.ts';
import type { SigningKey } from '../access/signing-key.ts';
import type { TokenVerifier, VerifiedToken } from '../access/token-verifier.ts';
import type { Engine } from '../catalog/engine.ts';
import type { Config } from '../config.ts';
import type { Log } from '../http/log.ts';
import { monotonicNow } from '../model/time.ts';
import { createAddressLimiter } from './login-throttle.ts';
import { createTokenStatusCache, type TokenStatusCache } from './token-status.ts';
import { createTokenUseRecorder } from './token-use.ts';

/**
 * Logins, sessions, tokens and sign-up of users. Start with the routes (`session-routes.ts`, `token-routes.ts`,
 * `credential-routes.ts`), then read `login.ts`, `sessions.ts` and `tokens.ts`. `token-status.ts` decides whether a
 * token is still accepted, `login-throttle.ts` slows down password guessing.
 */

/** What logins, tokens and sign-up share. Created once per process. */
export type Accounts = {
  readonly engine: Engine;
  readonly config: Config['auth'];
  readonly key: SigningKey;
  /** The issuer of the tokens issued here. */
  readonly issuer: string;
  readonly verifier: TokenVerifier;
  /** The principal of writes that the service makes itself. */
  readonly system: Principal;
  readonly builtIn: BuiltInAccounts;
  readonly standings: TokenStatusCache;
  /** Makes this process read the user again before it accepts the user's next request. */
  readonly forgetUser: (name: string) => void;
  /** Keeps one network address from using all slots for password checks. */
  readonly addressLimiter: ReturnType<typeof createAddressLimiter>;
  /** Whether a valid token is still accepted. It records the use of an accepted token. */
  readonly accepts: (token: VerifiedToken, user: UserRecord) => Promise<boolean>;
  /** The hash of the administrator's configured password, the same on every process; null when none is configured. */
  readonly configuredHash: () => Promise<string | null>;
  /** What sessions may begin with beside stored passwords: the configured password, and the provider's word. */
  readonly configuredCredentials: () => Promise<readonly string[]>;
};

export type AccountsDeps = Omit<
  Accounts,
  'standings' | 'configuredHash' | 'configuredCredentials' | 'accepts' | 'addressLimiter'
> & {
  /** How long this process may still accept what another process has revoked. */
  readonly graceMs: number;
  readonly log: Pick<Log, 'error'>;
};

const createConfiguredHash = (
  passwords: PasswordHasher,
  password: string | undefined,
  context: string,
): (() => Promise<string | null>) => {
  if (password === undefined) return () => Promise.resolve(null);
  let hash: Promise<string> | undefined;
  return () => {
    hash ??= passwords.hashUnstored(password, context);
    return hash;
  };
};

/** What no hash of a password begins with. */
export const PROVIDER_CREDENTIAL_PREFIX = 'provider ';

/**
 * What a session begins with when the provider says who signs in. The session is over when the settings name another
 * provider, or none.
 */
export const providerCredential = ({ issuer, clientId }: SignInSettings): string =>
  `${PROVIDER_CREDENTIAL_PREFIX}${issuer} ${clientId}`;

const createConfiguredCredentials =
  ({ signIn }: Config['auth'], configuredHash: () => Promise<string | null>) =>
  async (): Promise<readonly string[]> => {
    const hash = await configuredHash();
    return [...(hash === null ? [] : [hash]), ...(signIn === undefined ? [] : [providerCredential(signIn)])];
  };

/** Creates the accounts of a process. */
export const openAccounts = ({ graceMs, log, ...deps }: AccountsDeps): Accounts => {
  const { engine, config, key } = deps;
  const configuredHash = createConfiguredHash(engine.passwords, config.adminPassword, key.fingerprint);
  const configuredCredentials = createConfiguredCredentials(config, configuredHash);
  const standings = createTokenStatusCache({
    graph: engine.graph,
    clock: monotonicNow,
    graceMs,
    configuredCredentials,
  });
  const uses = createTokenUseRecorder({
    graph: engine.graph,
    clock: engine.clock,
    onFailure: (cause) => log.error('the use of tokens could not be recorded', {}, cause),
  });
  const accepts: Accounts['accepts'] = async (token, user) => {
    const isAccepted = await standings.isAccepted(token, user);
    if (isAccepted) uses.note(token, user);
    return isAccepted;
  };
  const addressLimiter = createAddressLimiter();
  return Object.freeze({ ...deps, standings, configuredHash, configuredCredentials, accepts, addressLimiter });
};
