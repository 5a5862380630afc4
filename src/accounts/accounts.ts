import type { SigningKey } from '../access/keys.ts';
import { hashUnstored, passwordProblem } from '../access/password.ts';
import type { Principal } from '../access/principal.ts';
import type { Verifier } from '../access/verify.ts';
import type { Engine } from '../catalog/engine.ts';
import type { Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import { createStandings, type Standings } from './standing.ts';

/** Everything that logging in, tokens and signing up work with. Made once per process and passed on. */
export type Accounts = {
  readonly engine: Engine;
  readonly config: Config['auth'];
  readonly key: SigningKey;
  /** The issuer of the tokens issued here. */
  readonly issuer: string;
  readonly verifier: Verifier;
  /** Who the service is when it writes for itself. */
  readonly system: Principal;
  readonly standings: Standings;
  /** The hash of the administrator's configured password, the same on every process; null when none is configured. */
  readonly configured: () => Promise<string | null>;
};

export type AccountsDeps = Omit<Accounts, 'standings' | 'configured'> & {
  /** How long what another process withdrew may still count here. */
  readonly graceMs: number;
};

const refuseWeak = (password: string): void => {
  const problem = passwordProblem(password);
  if (problem) throw new StartupError(`ADMIN_PASSWORD is too weak. ${problem}`);
};

const configuredHash = (password: string | undefined, context: string): (() => Promise<string | null>) => {
  if (password === undefined) return () => Promise.resolve(null);
  refuseWeak(password);
  let hash: Promise<string> | undefined;
  return () => {
    hash ??= hashUnstored(password, context);
    return hash;
  };
};

/** Throws a StartupError when the configured password is one that nobody may have. */
export const openAccounts = ({ graceMs, ...deps }: AccountsDeps): Accounts => {
  const { engine, config, key } = deps;
  const configured = configuredHash(config.adminPassword, key.fingerprint);
  const standings = createStandings({ graph: engine.graph, clock: engine.clock, graceMs, configured });
  return Object.freeze({ ...deps, standings, configured });
};
