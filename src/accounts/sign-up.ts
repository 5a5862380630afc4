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

/** Whether people may sign up here. They may not when an identity provider is configured. */
export const isSignUpOffered = ({ config }: Pick<Accounts, 'config'>): boolean =>
  config.selfSignup && config.jwksUrls.length === 0 && config.signIn === undefined;

/** Limits for sign-ups. Anybody can request one and each costs a password hash, so further requests are refused. */
const SIGN_UP_LIMITS = { width: 4, maxWaiting: 16 } as const;

/** Whether a name is reserved. The next start would make a user of such a name an administrator. */
export const isReservedName = ({ builtIn, config }: Accounts, name: string): boolean => {
  const wanted = name.toLowerCase();
  const admins = config.admins.map((admin) => admin.toLowerCase());
  return wanted === builtIn.administrator || builtIn.bots.has(wanted) || admins.includes(wanted);
};

/** Creates accounts on request. Throws already_exists when the address or its name is taken. */
export const createSignUp = (accounts: Accounts): ((registration: Registration) => Promise<WriteResult>) => {
  const { engine, config, system } = accounts;
  const limit = createConcurrencyLimiter(SIGN_UP_LIMITS);
  return async ({ email, password, firstName, lastName }) => {
    const problem = findPasswordProblem(password);
    if (problem) throw badRequest(`[password ${problem}]`);
    if (config.enforcePrincipalDomain && !isAllowedDomain(email, config)) {
      throw badRequest('[email must be in an allowed domain]');
    }
    const name = email.slice(0, email.indexOf('@'));
    if (isReservedName(accounts, name)) throw new CatalogError('already_exists', 'Entity already exists');
    const body = { name, email, displayName: `${firstName} ${lastName}`, password };
    // The history names the new user as the author, because nobody else was involved.
    const principal = { ...system, name, email };
    return limit(() => createRecord(engine, { kind: requireKind(engine.registry, 'user'), principal }, body));
  };
};
