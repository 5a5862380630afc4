import { isAdmittedDomain } from '../access/claims.ts';
import { createGate } from '../access/gate.ts';
import { passwordProblem } from '../access/password.ts';
import type { Written } from '../catalog/engine.ts';
import { kindNamed } from '../catalog/registry.ts';
import { createRecord } from '../catalog/write/create.ts';
import { badRequest, CatalogError } from '../errors.ts';
import { Email, PartOfName, Password } from '../model/person-values.ts';
import { must, shape } from '../model/values.ts';
import type { Accounts } from './accounts.ts';

export const Registration = shape('Registration', {
  email: must(Email),
  password: must(Password),
  firstName: must(PartOfName),
  lastName: must(PartOfName),
});

export type Registration = {
  readonly email: string;
  readonly password: string;
  readonly firstName: string;
  readonly lastName: string;
};

/** Where a provider says who people are, nobody makes an account here beside it. */
export const offersSignUp = ({ config }: Pick<Accounts, 'config'>): boolean =>
  config.selfSignup && config.jwksUrls.length === 0;

/** Anybody may ask, and each time costs a hash: more than these wait for nobody. */
const SIGN_UPS = { width: 4, maxWaiting: 16 } as const;

/** Whoever held such a name would be made an administrator by the next start, whoever gave it away. */
const isReserved = ({ builtIn, config }: Accounts, name: string): boolean => {
  const wanted = name.toLowerCase();
  const admins = config.admins.map((admin) => admin.toLowerCase());
  return wanted === builtIn.administrator || builtIn.bots.has(wanted) || admins.includes(wanted);
};

/** Makes accounts for people who ask for one. Throws already_exists when the address or its name is taken. */
export const createSignUps = (accounts: Accounts): ((registration: Registration) => Promise<Written>) => {
  const { engine, config, system } = accounts;
  const gate = createGate(SIGN_UPS);
  return async ({ email, password, firstName, lastName }) => {
    const problem = passwordProblem(password);
    if (problem) throw badRequest(`[password ${problem}]`);
    if (config.enforcePrincipalDomain && !isAdmittedDomain(email, config)) {
      throw badRequest('[email must lie in a domain that is admitted]');
    }
    const name = email.slice(0, email.indexOf('@'));
    if (isReserved(accounts, name)) throw new CatalogError('already_exists', 'Entity already exists');
    const body = { name, email, displayName: `${firstName} ${lastName}`, password };
    // Nobody else had a hand in it, so that is what the history says.
    const principal = { ...system, name, email };
    return gate(() => createRecord(engine, { kind: kindNamed(engine.registry, 'user'), principal }, body));
  };
};
