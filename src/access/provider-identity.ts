import type { JWTPayload } from 'jose';
import type { Config } from '../config.ts';
import { CatalogError } from '../errors.ts';
import { readClaim } from './claims.ts';
import { type ProviderSubject, readSubject } from './provider-subject.ts';

/** The person's e-mail addresses according to a provider's token, in lower case. */
export type ProviderIdentity = {
  /** The `email` claim, when the provider says that it verified the address. */
  readonly verifiedEmail: string | undefined;
  /** Every address in the token, from `email` or from the claim that names the principal. */
  readonly emails: readonly string[];
  /** The issuer, when it is the provider at which people sign in: accounts may be linked to its subjects. */
  readonly linkedIssuer?: string;
  /** Who the person is there, when the token says so. */
  readonly subject?: ProviderSubject;
};

/** The accounts that every catalog has. */
export type BuiltInAccounts = { readonly administrator: string; readonly bots: ReadonlySet<string> };

type ProviderSettings = Pick<Config['auth'], 'admins' | 'principalDomain'>;

type TargetAccount = {
  readonly email?: string;
  readonly isAdmin: boolean;
  readonly isBot: boolean;
  /** Who the person of the account is at providers. */
  readonly identities?: readonly ProviderSubject[];
};

type PresentedToken = { readonly name: string; readonly provider?: ProviderIdentity };

/** What the token says of its subject, when the provider at which people sign in issued it. */
const readLinkedSubject = (payload: JWTPayload, signIn: Config['auth']['signIn']) => {
  if (signIn === undefined || signIn.issuer !== payload.iss) return {};
  const subject = readSubject(payload, signIn);
  return { linkedIssuer: signIn.issuer, ...(subject === undefined ? {} : { subject }) };
};

/**
 * Reads the provider's e-mail claims. Only `email` and `email_verified` in exactly this spelling prove an address,
 * because people may be able to fill in other claims themselves.
 */
export const readProviderIdentity = (
  payload: JWTPayload,
  claimedEmail: string,
  signIn: Config['auth']['signIn'],
): ProviderIdentity => {
  const exact = payload['email'];
  const isVerified = typeof exact === 'string' && payload['email_verified'] === true;
  const loose = readClaim(payload, 'email');
  const named = [claimedEmail, ...(typeof loose === 'string' && loose.includes('@') ? [loose] : [])];
  return Object.freeze({
    verifiedEmail: isVerified ? exact.toLowerCase() : undefined,
    emails: [...new Set(named.map((email) => email.toLowerCase()))],
    ...readLinkedSubject(payload, signIn),
  });
};

const isConfiguredAdmin = (name: string, { admins }: ProviderSettings): boolean =>
  admins.some((listed) => listed.toLowerCase() === name);

const refuseProviderToken = (reason: string): never => {
  throw new CatalogError('unauthorized', 'Not Authorized! Invalid Token', { cause: new Error(reason) });
};

/** Whether the account is linked to the very subject that the token names. Then its address may be a new one. */
const isLinkedTo = ({ identities }: TargetAccount, { subject }: ProviderIdentity): boolean =>
  subject !== undefined &&
  identities?.some((known) => known.issuer === subject.issuer && known.subject === subject.subject) === true;

const isInDomain = (email: string, domain: string): boolean =>
  email.slice(email.lastIndexOf('@') + 1) === domain.toLowerCase();

/** For an administrator each address counts, and the provider has to say that it verified one of theirs. */
const assertIsAdministrator = (provider: ProviderIdentity, own: readonly (string | undefined)[]): void => {
  if (provider.verifiedEmail === undefined || !own.includes(provider.verifiedEmail))
    refuseProviderToken('the address of an administrator is not verified');
  if (provider.emails.some((email) => !own.includes(email)))
    refuseProviderToken('the token names an address that is not the administrator’s');
};

/**
 * Throws unauthorized when a provider's token names an account that it must not use. The user name is the part of an
 * address before the `@`, so a provider that hosts many domains could otherwise turn `ana@evil.example` into `ana`.
 *
 * - Bots use only tokens issued here.
 * - The built-in administrator needs its name in AUTH_ADMINS and a verified address in the principal domain.
 * - Any other administrator needs a verified address, the account's own or the name in the principal domain, and no other.
 * - For everybody else each address has to be the account's own or in the principal domain, unless the account is linked
 *   to the subject of the token.
 */
export const assertProviderMayUse = (
  { name, provider }: PresentedToken,
  account: TargetAccount | undefined,
  settings: ProviderSettings,
  builtIn: BuiltInAccounts,
): void => {
  if (provider === undefined) return;
  const inDomain = `${name}@${settings.principalDomain}`.toLowerCase();
  const own = account?.email?.toLowerCase();
  if (builtIn.bots.has(name) || account?.isBot) refuseProviderToken('a token of a provider names a bot');
  if (name === builtIn.administrator) {
    if (!isConfiguredAdmin(name, settings)) refuseProviderToken('AUTH_ADMINS does not name the built-in administrator');
    if (provider.verifiedEmail !== inDomain)
      refuseProviderToken('the address of the built-in administrator is not verified');
    return;
  }
  if (account?.isAdmin || isConfiguredAdmin(name, settings)) {
    assertIsAdministrator(provider, [own, inDomain]);
    return;
  }
  if (account === undefined || isLinkedTo(account, provider)) return;
  if (provider.emails.some((email) => email !== own && !isInDomain(email, settings.principalDomain)))
    refuseProviderToken('the token names an address that is not the account’s');
};
