import type { Judge } from './authorize.ts';
import type { Origin, Principal, Principals } from './principal.ts';

/** Hears of every caller who is let in. */
type Admitted = (principal: Principal, origin: Origin | undefined) => void;

/** Nobody but an administrator is let in before it is known what people may do now. */
export const settled = (
  { of }: Pick<Principals, 'of'>,
  judge: Pick<Judge, 'settle'>,
  admitted: Admitted,
): Pick<Principals, 'of'> => ({
  of: async (authorization, impersonate, origin, identified) => {
    const principal = await of(authorization, impersonate, origin, identified);
    admitted(principal, origin);
    if (!principal.isAdmin) await judge.settle();
    return principal;
  },
});
