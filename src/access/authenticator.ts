import type { Authorizer } from './authorization.ts';
import type { Principal, PrincipalResolver, RequestOrigin } from './principal.ts';

/** Hears of every caller who is let in. */
type AuthenticationListener = (principal: Principal, origin: RequestOrigin | undefined) => void;

/** Nobody but an administrator is let in before it is known what people may do now. */
export const createAuthenticator = (
  { authenticate }: Pick<PrincipalResolver, 'authenticate'>,
  judge: Pick<Authorizer, 'ensureFresh'>,
  onAuthenticated: AuthenticationListener,
): Pick<PrincipalResolver, 'authenticate'> => ({
  authenticate: async (authorization, impersonate, origin, identified) => {
    const principal = await authenticate(authorization, impersonate, origin, identified);
    onAuthenticated(principal, origin);
    if (!principal.isAdmin) await judge.ensureFresh();
    return principal;
  },
});
