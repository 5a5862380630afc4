import { isAllowedDomain } from '../access/claims.ts';
import { assertProviderMayUse } from '../access/provider-identity.ts';
import { readSubject } from '../access/provider-subject.ts';
import type { ProviderClaims, SignInSettings } from '../access/sign-in-client.ts';
import { requireKind } from '../catalog/registry.ts';
import { createRecord } from '../catalog/write/create.ts';
import { CatalogError } from '../errors.ts';
import { Email } from '../model/schemas/people/person.ts';
import { validate } from '../model/validate.ts';
import { must, shape } from '../model/values.ts';
import type { Accounts } from './accounts.ts';
import { findPersonOfSubject, linkSubject } from './identities.ts';
import { findLogin, type LoginRow } from './queries.ts';
import { isReservedName } from './sign-up.ts';

/**
 * Finds the account of a person whom the provider signed in: the one that is linked to their subject, or at their first
 * sign-in the one with the e-mail address that the provider vouches for.
 */

const refuse = (message: string): never => {
  throw new CatalogError('forbidden', message);
};

const NO_ACCOUNT = 'There is no account for your e-mail address; ask an administrator for one';
const LINKED_ELSEWHERE =
  'The account with your e-mail address is linked to another identity at the provider; ask an administrator to unlink it';
const MAX_DISPLAY_NAME = 256;

/**
 * Reads the address. An unverified one is nobody's: whoever may enter any address at the provider would become the
 * person who has it here. A provider without `email_verified` is trusted only by its setting.
 */
const readEmail = (claims: ProviderClaims, { emailClaim, trustsEmail }: SignInSettings): string => {
  const email = claims[emailClaim];
  const verified = claims['email_verified'];
  const isVerified = verified === true || (trustsEmail && verified === undefined);
  if (typeof email !== 'string' || !isVerified) return refuse('The provider does not vouch for your e-mail address');
  try {
    return (validate(shape('ProviderEmail', { email: must(Email) }), { email }) as { email: string }).email;
  } catch {
    return refuse('Your e-mail address cannot be used here');
  }
};

const findPerson = async ({ engine }: Accounts, email: string): Promise<LoginRow | undefined> =>
  (await engine.graph.read(findLogin, { email }))[0];

/** Creates the person under the part of the address before the `@`. A name that is taken is never shared. */
const createPerson = async (accounts: Accounts, email: string, claims: ProviderClaims): Promise<void> => {
  const { engine, system } = accounts;
  const name = email.slice(0, email.indexOf('@'));
  const taken = 'Your user name is taken; ask an administrator for an account with your e-mail address';
  if (isReservedName(accounts, name)) refuse(taken);
  const called = claims['name'];
  const hasName = typeof called === 'string' && called.trim() !== '';
  const body = { name, email, ...(hasName ? { displayName: called.trim().slice(0, MAX_DISPLAY_NAME) } : {}) };
  // The history names the new user as the author, because nobody else was involved.
  const principal = { ...system, name, email };
  try {
    await createRecord(engine, { kind: requireKind(engine.registry, 'user'), principal }, body);
  } catch (failure) {
    const isTaken = failure instanceof CatalogError && failure.code === 'already_exists';
    // A second tab of the same person may have been faster.
    if (isTaken && (await findPerson(accounts, email)) === undefined) refuse(taken);
    if (!isTaken) throw failure;
  }
};

const findOrCreatePerson = async (accounts: Accounts, email: string, claims: ProviderClaims): Promise<LoginRow> => {
  const known = await findPerson(accounts, email);
  if (known !== undefined) return known;
  if (!accounts.config.selfSignup) return refuse(NO_ACCOUNT);
  await createPerson(accounts, email, claims);
  return (await findPerson(accounts, email)) ?? refuse(NO_ACCOUNT);
};

/**
 * Answers the person whom the claims mean, and links them to their subject at the first sign-in. Throws forbidden for
 * addresses that are not verified or not allowed, for accounts of another subject, for deleted people, and where nobody
 * may sign up; unauthorized for bots, and for administrators under the rules for tokens.
 */
export const resolveProviderPerson = async (
  accounts: Accounts,
  claims: ProviderClaims,
  settings: SignInSettings,
): Promise<LoginRow> => {
  const { config, builtIn } = accounts;
  const email = readEmail(claims, settings);
  if (config.enforcePrincipalDomain && !isAllowedDomain(email, config))
    refuse('The domain of your e-mail address is not allowed');
  const subject = readSubject(claims, settings) ?? refuse('The provider does not say who you are');
  const linked = await findPersonOfSubject(accounts, subject);
  const person = linked ?? (await findOrCreatePerson(accounts, email, claims));
  if (person.deleted) refuse('Your account was deleted; ask an administrator to restore it');
  const identities = linked === undefined ? [] : [subject];
  const account = { email: person.email, isAdmin: person.isAdmin === true, isBot: person.isBot === true, identities };
  const provider = { verifiedEmail: email, emails: [email], subject };
  assertProviderMayUse({ name: person.name, provider }, account, config, builtIn);
  if (linked === undefined && !(await linkSubject(accounts, person, subject))) refuse(LINKED_ELSEWHERE);
  return person;
};
