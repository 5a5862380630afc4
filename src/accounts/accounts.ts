import { findPasswordProblem, hashUnstored } from '../access/password.ts';
import type { Principal, UserRecord } from '../access/principal.ts';
import type { BuiltInAccounts } from '../access/provider-identity.ts';
import type { SigningKey } from '../access/signing-key.ts';
import type { TokenVerifier, VerifiedToken } from '../access/token-verifier.ts';
import type { Engine } from '../catalog/engine.ts';
import type { Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import type { Log } from '../http/log.ts';
import { createAddressLimiter } from './login-throttle.ts';
import { createTokenStatusCache, type TokenStatusCache } from './token-status.ts';
import { createTokenUseRecorder } from './token-use.ts';

/** Everything that logging in, tokens and signing up work with. Made once per process and passed on. */
export type Accounts = {
  readonly engine: Engine;
  readonly config: Config['auth'];
  readonly key: SigningKey;
  /** The issuer of the tokens issued here. */
  readonly issuer: string;
  readonly verifier: TokenVerifier;
  /** Who the service is when it writes for itself. */
  readonly system: Principal;
  readonly builtIn: BuiltInAccounts;
  readonly standings: TokenStatusCache;
  /** Makes this process read a user anew before the user is let in again. */
  readonly forgetUser: (name: string) => void;
  /** Keeps one network address from taking all the places there are for checking passwords. */
  readonly addressLimiter: ReturnType<typeof createAddressLimiter>;
  /** Whether a token in good order still counts; notes its use when it does. */
  readonly accepts: (token: VerifiedToken, user: UserRecord) => Promise<boolean>;
  /** The hash of the administrator's configured password, the same on every process; null when none is configured. */
  readonly configuredHash: () => Promise<string | null>;
};

export type AccountsDeps = Omit<Accounts, 'standings' | 'configuredHash' | 'accepts' | 'addressLimiter'> & {
  /** How long what another process withdrew may still count here. */
  readonly graceMs: number;
  readonly log: Pick<Log, 'error'>;
};

const assertStrongPassword = (password: string): void => {
  const problem = findPasswordProblem(password);
  if (problem) throw new StartupError(`ADMIN_PASSWORD is too weak. ${problem}`);
};

const createConfiguredHash = (password: string | undefined, context: string): (() => Promise<string | null>) => {
  if (password === undefined) return () => Promise.resolve(null);
  assertStrongPassword(password);
  let hash: Promise<string> | undefined;
  return () => {
    hash ??= hashUnstored(password, context);
    return hash;
  };
};

/** Throws a StartupError when the configured password is one that nobody may have. */
export const openAccounts = ({ graceMs, log, ...deps }: AccountsDeps): Accounts => {
  const { engine, config, key } = deps;
  const configuredHash = createConfiguredHash(config.adminPassword, key.fingerprint);
  const standings = createTokenStatusCache({
    graph: engine.graph,
    clock: () => performance.now(),
    graceMs,
    configuredHash,
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
  return Object.freeze({ ...deps, standings, configuredHash, accepts, addressLimiter: createAddressLimiter() });
};
