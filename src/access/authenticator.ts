import type { Authorizer } from './authorization.ts';
import type { Principal, PrincipalResolver, RequestOrigin } from './principal.ts';

/**
 * Authentication and authorization of callers. Read `token-verifier.ts` and `principal.ts` for who calls, then
 * `authorization.ts`, `rights.ts`, `verdict.ts` and `authorizer.ts` for what they may do. Keys are in `signing-key.ts`,
 * `published-keys.ts` and `secret-box.ts`, passwords in `password.ts`.
 */

/** Called with every caller that authentication accepts. */
type AuthenticationListener = (principal: Principal, origin: RequestOrigin | undefined) => void;

/**
 * Builds the function that authenticates requests. It refreshes the rights in memory before it accepts anybody but an
 * administrator.
 */
export const createAuthenticator = (
  { authenticate }: Pick<PrincipalResolver, 'authenticate'>,
  authorizer: Pick<Authorizer, 'ensureFresh'>,
  onAuthenticated: AuthenticationListener,
): Pick<PrincipalResolver, 'authenticate'> => ({
  authenticate: async (authorization, impersonate, origin, identified) => {
    const principal = await authenticate(authorization, impersonate, origin, identified);
    onAuthenticated(principal, origin);
    if (!principal.isAdmin) await authorizer.ensureFresh();
    return principal;
  },
});
