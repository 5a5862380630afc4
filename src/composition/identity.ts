import { createAuthenticator } from '../access/authenticator.ts';
import { impersonationCheck } from '../access/impersonation.ts';
import { createPrincipalResolver, type PrincipalResolver } from '../access/principal.ts';
import { ISSUER, SYSTEM_PRINCIPAL } from '../access/service-identity.ts';
import { createTokenVerifier, type TokenVerifier } from '../access/token-verifier.ts';
import { type Accounts, openAccounts } from '../accounts/accounts.ts';
import { findPersonOfSubject, linkSubject } from '../accounts/identities.ts';
import { monotonicNow } from '../model/time.ts';
import { builtInAccounts } from '../system/built-ins.ts';
import type { AppDeps } from './app-deps.ts';
import type { SharedServices } from './shared-services.ts';

/** How the application finds out who calls. */
export type Identity = {
  readonly verifier: TokenVerifier;
  readonly accounts: Accounts;
  readonly principals: PrincipalResolver;
  readonly authenticator: Pick<PrincipalResolver, 'authenticate'>;
};

/** How long a cached user or token check may be reused before a change made by another process takes effect. */
const USER_GRACE_MS = 1000;

export const composeIdentity = (
  { config, key, clock, log }: AppDeps,
  { engine, judge, directory, audit }: SharedServices,
): Identity => {
  const verifier = createTokenVerifier({ key, auth: config.auth, publicIssuer: ISSUER, clock });
  const builtIn = builtInAccounts(SYSTEM_PRINCIPAL);
  const accounts = openAccounts({
    engine,
    config: config.auth,
    key,
    issuer: ISSUER,
    verifier,
    system: SYSTEM_PRINCIPAL,
    builtIn,
    graceMs: USER_GRACE_MS,
    forgetUser: (name) => principals.forget(name),
    log,
  });
  const principals: PrincipalResolver = createPrincipalResolver({
    verifier,
    ...directory,
    config: config.auth,
    subjectLinks: {
      accountOf: async (subject) => (await findPersonOfSubject(accounts, subject))?.id,
      link: (user, subject) => linkSubject(accounts, user, subject),
    },
    builtIn,
    clock: monotonicNow,
    graceMs: USER_GRACE_MS,
    assertMayImpersonate: impersonationCheck(judge, engine.facts.read),
    isTokenAccepted: audit.wrapTokenCheck(accounts.accepts),
  });
  return {
    verifier,
    accounts,
    principals,
    authenticator: createAuthenticator(principals, judge, audit.onAuthenticated),
  };
};
