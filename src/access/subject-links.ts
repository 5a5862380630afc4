import { createLookupCache } from './cache.ts';
import type { ProviderSubject } from './provider-subject.ts';
import { invalidTokenError, type VerifiedToken } from './token-verifier.ts';

/**
 * Holds tokens of the provider at which people sign in against the subject that an account is linked to. The claims name
 * the account; the link only refuses, so that an address that was given to somebody else does not pass the account on.
 */

type LinkableUser = {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly identities?: readonly ProviderSubject[];
};

export type SubjectLinks = {
  /** The id of the account that is linked to the subject. */
  accountOf(subject: ProviderSubject): Promise<string | undefined>;
  /** Links an account. False when it is linked to another subject there, or the subject to another account. */
  link(user: Pick<LinkableUser, 'id' | 'name'>, subject: ProviderSubject): Promise<boolean>;
};

type ProviderToken = Pick<VerifiedToken, 'provider'>;

const refuseSubject = (reason: string): never => {
  throw invalidTokenError(new Error(reason));
};

const linkedSubjectOf = ({ identities }: LinkableUser, issuer: string): string | undefined =>
  identities?.find((identity) => identity.issuer === issuer)?.subject;

/** Throws unauthorized when somebody new would sign up who has an account under another name. */
export const assertSubjectIsFree = async (
  { provider }: ProviderToken,
  links: Pick<SubjectLinks, 'accountOf'> | undefined,
): Promise<void> => {
  if (links === undefined || provider?.subject === undefined) return;
  if ((await links.accountOf(provider.subject)) !== undefined)
    refuseSubject('the subject is linked to an account of another name');
};

/** Throws unauthorized when the account is linked to another subject of the provider, or the subject to another account. */
export const assertSubjectFits = async (
  { provider }: ProviderToken,
  user: LinkableUser,
  links: Pick<SubjectLinks, 'accountOf'> | undefined,
): Promise<void> => {
  if (links === undefined || provider?.linkedIssuer === undefined) return;
  const { linkedIssuer, subject } = provider;
  const linked = linkedSubjectOf(user, linkedIssuer);
  if (linked !== undefined && linked !== subject?.subject) refuseSubject('the account is linked to another subject');
  if (linked !== undefined || subject === undefined) return;
  // The account is compared, because its record in memory may be older than its link.
  const holder = await links.accountOf(subject);
  if (holder !== undefined && holder !== user.id) refuseSubject('the subject is linked to another account');
};

/** Links an account without a link by a token that proves the address of the account, as a sign-in does. */
export const linkProvenSubject = async (
  { provider }: ProviderToken,
  user: LinkableUser,
  links: Pick<SubjectLinks, 'link'> | undefined,
): Promise<void> => {
  if (links === undefined || provider?.linkedIssuer === undefined) return;
  const { linkedIssuer, subject, verifiedEmail } = provider;
  if (subject === undefined || linkedSubjectOf(user, linkedIssuer) !== undefined) return;
  if (verifiedEmail === undefined || verifiedEmail !== user.email?.toLowerCase()) return;
  if (!(await links.link(user, subject))) refuseSubject('the account or the subject is linked elsewhere');
};

type AccountLookupOptions = { readonly clock: () => number; readonly graceMs: number; readonly max: number };

/** Remembers for a moment which account a subject has, because every request of an account without a link asks. */
export const createAccountLookup = (
  links: Pick<SubjectLinks, 'accountOf'>,
  options: AccountLookupOptions,
): Pick<SubjectLinks, 'accountOf'> => {
  const read = (key: string): Promise<string | undefined> => {
    const [issuer = '', subject = ''] = JSON.parse(key) as readonly string[];
    return links.accountOf({ issuer, subject });
  };
  const { find } = createLookupCache({ read, keeps: () => true, ...options });
  return Object.freeze({ accountOf: ({ issuer, subject }) => find(JSON.stringify([issuer, subject])) });
};
