import { isAllowedDomain } from '../access/claims.ts';
import { createConcurrencyLimiter } from '../access/concurrency-limiter.ts';
import { findPasswordProblem } from '../access/password.ts';
import type { WriteResult } from '../catalog/engine.ts';
import { requireKind } from '../catalog/registry.ts';
import { createRecord } from '../catalog/write/create.ts';
import { badRequest, CatalogError } from '../errors.ts';
import { Email, Password, PersonName } from '../model/schemas/people/person.ts';
import { must, shape } from '../model/values.ts';
import type { Accounts } from './accounts.ts';

export const Registration = shape('Registration', {
  email: must(Email),
  password: must(Password),
  firstName: must(PersonName),
  lastName: must(PersonName),
});

export type Registration = {
  readonly email: string;
  readonly password: string;
  readonly firstName: string;
  readonly lastName: string;
};

/** Where a provider says who people are, nobody makes an account here beside it. */
export const isSignUpOffered = ({ config }: Pick<Accounts, 'config'>): boolean =>
  config.selfSignup && config.jwksUrls.length === 0;

/** Anybody may ask, and each time costs a hash: more than these wait for nobody. */
const SIGN_UP_LIMITS = { width: 4, maxWaiting: 16 } as const;

/** Whoever held such a name would be made an administrator by the next start, whoever gave it away. */
const isReserved = ({ builtIn, config }: Accounts, name: string): boolean => {
  const wanted = name.toLowerCase();
  const admins = config.admins.map((admin) => admin.toLowerCase());
  return wanted === builtIn.administrator || builtIn.bots.has(wanted) || admins.includes(wanted);
};

/** Makes accounts for people who ask for one. Throws already_exists when the address or its name is taken. */
export const createSignUp = (accounts: Accounts): ((registration: Registration) => Promise<WriteResult>) => {
  const { engine, config, system } = accounts;
  const limit = createConcurrencyLimiter(SIGN_UP_LIMITS);
  return async ({ email, password, firstName, lastName }) => {
    const problem = findPasswordProblem(password);
    if (problem) throw badRequest(`[password ${problem}]`);
    if (config.enforcePrincipalDomain && !isAllowedDomain(email, config)) {
      throw badRequest('[email must lie in a domain that is admitted]');
    }
    const name = email.slice(0, email.indexOf('@'));
    if (isReserved(accounts, name)) throw new CatalogError('already_exists', 'Entity already exists');
    const body = { name, email, displayName: `${firstName} ${lastName}`, password };
    // Nobody else had a hand in it, so that is what the history says.
    const principal = { ...system, name, email };
    return limit(() => createRecord(engine, { kind: requireKind(engine.registry, 'user'), principal }, body));
  };
};
