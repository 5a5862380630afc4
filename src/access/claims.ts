import type { JWTPayload } from 'jose';
import type { Config } from '../config.ts';
import { normaliseName } from '../model/name.ts';
import type { TokenType } from './token.ts';

/** Who a token says it stands for. */
export type ClaimedIdentity = { readonly name: string; readonly email: string };

type ClaimSettings = Pick<Config['auth'], 'principalClaims' | 'principalClaimsMapping' | 'principalDomain'>;

/** The claim of that name in any spelling of its case; the exact spelling wins, null counts as absent. */
export const readClaim = (payload: JWTPayload, name: string): unknown => {
  if (Object.hasOwn(payload, name) && payload[name] !== null) return payload[name];
  const wanted = name.toLowerCase();
  return Object.entries(payload).find(([spelling, value]) => spelling.toLowerCase() === wanted && value !== null)?.[1];
};

/**
 * A claim is taken as it is or the token is refused: going on to the next claim when one is present but of no use would
 * let its owner choose by which claim he is known. A second `@` would leave open which domain is meant.
 */
const principalText = (value: unknown): string => {
  if (typeof value !== 'string' || value === '') throw new Error('no claim names the principal');
  if (value.split('@').length > 2) throw new Error('the claim holds more than one @');
  return value;
};

/**
 * Two ways to be taken for somebody else: the Kelvin sign is the one character outside ASCII that lower-cases to an
 * ASCII letter, and quotes around a name are dropped wherever names are normalised.
 */
const LOOKALIKE_CHARACTER = /["\u212a]/;

const userNameFrom = (text: string): string => {
  if (LOOKALIKE_CHARACTER.test(text)) throw new Error('the name could be taken for another');
  return normaliseName((text.split('@')[0] ?? '').toLowerCase());
};

const emailFrom = (text: string, name: string, domain: string): string =>
  text.includes('@') ? text : `${name}@${domain}`;

/** The user name and e-mail a token claims. Throws when no claim, or no usable one, says them. */
export const identityFromClaims = (payload: JWTPayload, settings: ClaimSettings, isBot: boolean): ClaimedIdentity => {
  const mapping = isBot ? undefined : settings.principalClaimsMapping;
  if (mapping !== undefined) {
    const name = userNameFrom(principalText(readClaim(payload, mapping.username)));
    return { name, email: emailFrom(principalText(readClaim(payload, mapping.email)), name, settings.principalDomain) };
  }
  const values = settings.principalClaims.map((listed) => readClaim(payload, listed));
  const text = principalText(values.find((value) => value !== undefined));
  const name = userNameFrom(text);
  return { name, email: emailFrom(text, name, settings.principalDomain) };
};

/**
 * Who a token issued here stands for: `sub` is the name of the user, whole. What its e-mail begins with says nothing, and
 * the settings for tokens of providers do not concern it.
 */
export const identityFromIssuedToken = (
  { sub, email }: JWTPayload,
  { principalDomain }: Pick<ClaimSettings, 'principalDomain'>,
): ClaimedIdentity => {
  if (sub === undefined || LOOKALIKE_CHARACTER.test(sub)) throw new Error('no usable claim names the principal');
  const name = normaliseName(sub.toLowerCase());
  return { name, email: emailFrom(typeof email === 'string' ? email : '', name, principalDomain) };
};

/** Whether the token selects the checks for bots: only the boolean true does. */
export const isBotClaimed = (payload: JWTPayload): boolean => readClaim(payload, 'isBot') === true;

/** The type of the token. Other providers have no such claim, or one with a meaning of their own. */
export const tokenTypeFromClaims = (payload: JWTPayload, isBot: boolean): TokenType => {
  const type = readClaim(payload, 'tokenType');
  if (type === 'BOT' || type === 'OM_USER' || type === 'PERSONAL_ACCESS') return type;
  return isBot ? 'BOT' : 'OM_USER';
};

/** The roles the provider gives a person; a bot gets none from a token. */
export const rolesFromClaims = (payload: JWTPayload, isBot: boolean): readonly string[] => {
  const roles = readClaim(payload, 'roles');
  if (isBot || !Array.isArray(roles)) return [];
  return roles.filter((role): role is string => typeof role === 'string');
};

/** Whether the domain of an e-mail may sign in where domains are enforced. */
export const isAllowedDomain = (
  email: string,
  settings: Pick<Config['auth'], 'principalDomain' | 'allowedDomains'>,
): boolean => {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return [settings.principalDomain, ...settings.allowedDomains].some((allowed) => allowed.toLowerCase() === domain);
};
