import type { JWTPayload } from 'jose';
import type { Config } from '../config.ts';
import { CatalogError } from '../errors.ts';
import { readClaim } from './claims.ts';

/** What a token of an identity provider says about the person's e-mail addresses, in lower case. */
export type ProviderIdentity = {
  /** The `email` claim, where the provider says that it verified it. */
  readonly verifiedEmail: string | undefined;
  /** The provider says that it did not verify the address. */
  readonly isUnverified: boolean;
  /** Every address the token names, be it in `email` or in the claim that names the principal. */
  readonly emails: readonly string[];
};

/** The accounts that exist in every catalog. */
export type BuiltInAccounts = { readonly administrator: string; readonly bots: ReadonlySet<string> };

type ProviderSettings = Pick<Config['auth'], 'admins' | 'principalDomain'>;

type TargetAccount = { readonly email?: string; readonly isAdmin: boolean; readonly isBot: boolean };

type PresentedToken = { readonly name: string; readonly provider?: ProviderIdentity };

/**
 * Reads what the provider says about the e-mail. Only the claims `email` and `email_verified` in exactly this spelling
 * prove an address; another claim may be one that people fill in themselves.
 */
export const readProviderIdentity = (payload: JWTPayload, claimedEmail: string): ProviderIdentity => {
  const exact = payload['email'];
  const isVerified = typeof exact === 'string' && payload['email_verified'] === true;
  const status = readClaim(payload, 'email_verified');
  const loose = readClaim(payload, 'email');
  const named = [claimedEmail, ...(typeof loose === 'string' ? [loose] : [])];
  return Object.freeze({
    verifiedEmail: isVerified ? exact.toLowerCase() : undefined,
    isUnverified: status !== undefined && status !== true && status !== 'true',
    emails: [...new Set(named.map((email) => email.toLowerCase()))],
  });
};

const isConfiguredAdmin = (name: string, { admins }: ProviderSettings): boolean =>
  admins.some((listed) => listed.toLowerCase() === name);

const refuseProviderToken = (reason: string): never => {
  throw new CatalogError('unauthorized', 'Not Authorized! Invalid Token', { cause: new Error(reason) });
};

/**
 * Throws unauthorized when a provider's token names an account that it may not become. The user name is the part of an
 * address before the `@`, so a provider that hosts many domains could otherwise hand out `admin@evil.example` as `admin`.
 *
 * - Bots use tokens issued here only.
 * - The built-in administrator needs its name in AUTH_ADMINS and a verified address in the principal domain.
 * - Any other administrator needs every address in the token to be the account's own or one in the principal domain.
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
