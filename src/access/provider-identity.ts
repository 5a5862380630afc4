import type { JWTPayload } from 'jose';
import type { Config } from '../config.ts';
import { CatalogError } from '../errors.ts';
import { readClaim } from './claims.ts';
import { type ProviderSubject, readSubject } from './provider-subject.ts';

/** The person's e-mail addresses according to a provider's token, in lower case. */
export type ProviderIdentity = {
  /** The `email` claim, when the provider says that it verified the address. */
  readonly verifiedEmail: string | undefined;
  /** True when the provider says that it did not verify the address. */
  readonly isUnverified: boolean;
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

type TargetAccount = { readonly email?: string; readonly isAdmin: boolean; readonly isBot: boolean };

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
  const status = readClaim(payload, 'email_verified');
  const loose = readClaim(payload, 'email');
  const named = [claimedEmail, ...(typeof loose === 'string' ? [loose] : [])];
  return Object.freeze({
    verifiedEmail: isVerified ? exact.toLowerCase() : undefined,
    isUnverified: status !== undefined && status !== true && status !== 'true',
    emails: [...new Set(named.map((email) => email.toLowerCase()))],
    ...readLinkedSubject(payload, signIn),
  });
};

const isConfiguredAdmin = (name: string, { admins }: ProviderSettings): boolean =>
  admins.some((listed) => listed.toLowerCase() === name);

const refuseProviderToken = (reason: string): never => {
  throw new CatalogError('unauthorized', 'Not Authorized! Invalid Token', { cause: new Error(reason) });
};

/**
 * Throws unauthorized when a provider's token names an account that it must not use. The user name is the part of an
 * address before the `@`, so a provider that hosts many domains could otherwise turn `admin@evil.example` into `admin`.
 *
 * - Bots use only tokens issued here.
 * - The built-in administrator needs its name in AUTH_ADMINS and a verified address in the principal domain.
 * - For any other administrator, every address in the token must be the account's own or in the principal domain.
 */
export const assertProviderMayUse = (
  { name, provider }: PresentedToken,
  account: TargetAccount | undefined,
  settings: ProviderSettings,
  builtIn: BuiltInAccounts,
): void => {
  if (provider === undefined) return;
  const inDomain = `${name}@${settings.principalDomain}`.toLowerCase();
  if (builtIn.bots.has(name) || account?.isBot) refuseProviderToken('a token of a provider names a bot');
  if (name === builtIn.administrator) {
    if (!isConfiguredAdmin(name, settings)) refuseProviderToken('AUTH_ADMINS does not name the built-in administrator');
    if (provider.verifiedEmail !== inDomain)
      refuseProviderToken('the address of the built-in administrator is not verified');
    return;
  }
  if (!account?.isAdmin && !isConfiguredAdmin(name, settings)) return;
  if (provider.isUnverified) refuseProviderToken('the address of an administrator is not verified');
  const own = account?.email?.toLowerCase();
  if (provider.emails.some((email) => email !== own && email !== inDomain)) {
    refuseProviderToken('the token names an address that is not the administrator’s');
  }
};
