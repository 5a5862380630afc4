import type { JWTPayload } from 'jose';
import type { Config } from '../config.ts';
import { normaliseName } from '../model/name.ts';
import type { TokenType } from './token.ts';

/** The identity that a token claims. */
export type ClaimedIdentity = { readonly name: string; readonly email: string };

type ClaimSettings = Pick<Config['auth'], 'principalClaims' | 'principalClaimsMapping' | 'principalDomain'>;

/** Reads a claim by name, ignoring case. The exact spelling wins; null counts as absent. */
export const readClaim = (payload: JWTPayload, name: string): unknown => {
  if (Object.hasOwn(payload, name) && payload[name] !== null) return payload[name];
  const wanted = name.toLowerCase();
  return Object.entries(payload).find(([spelling, value]) => spelling.toLowerCase() === wanted && value !== null)?.[1];
};

/**
 * Returns the claim as it is, or throws. Falling back to the next claim when one is present but unusable would let the
 * token's owner choose the claim that identifies them. A second `@` would make the domain ambiguous.
 */
const principalText = (value: unknown): string => {
  if (typeof value !== 'string' || value === '') throw new Error('no claim names the principal');
  if (value.split('@').length > 2) throw new Error('the claim holds more than one @');
  return value;
};

/**
 * Two characters that could impersonate another name: the Kelvin sign is the only non-ASCII character that lower-cases
 * to an ASCII letter, and name normalization drops quotes around a name.
 */
const LOOKALIKE_CHARACTER = /["\u212a]/;

const userNameFrom = (text: string): string => {
  if (LOOKALIKE_CHARACTER.test(text)) throw new Error('the name could be taken for another');
  return normaliseName((text.split('@')[0] ?? '').toLowerCase());
};

const emailFrom = (text: string, name: string, domain: string): string =>
  text.includes('@') ? text : `${name}@${domain}`;

/** The user name and e-mail that a token claims. Throws when no claim, or no usable one, gives them. */
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
 * The identity in a token issued here: `sub` is the complete user name. The local part of the e-mail is ignored, and
 * the settings for provider tokens do not apply.
 */
export const identityFromIssuedToken = (
  { sub, email }: JWTPayload,
  { principalDomain }: Pick<ClaimSettings, 'principalDomain'>,
): ClaimedIdentity => {
  if (sub === undefined || LOOKALIKE_CHARACTER.test(sub)) throw new Error('no usable claim names the principal');
  const name = normaliseName(sub.toLowerCase());
  return { name, email: emailFrom(typeof email === 'string' ? email : '', name, principalDomain) };
};

/** Whether the token selects the checks for bots. Only the boolean true does. */
export const isBotClaimed = (payload: JWTPayload): boolean => readClaim(payload, 'isBot') === true;

/** The type of the token. Other providers have no such claim, or use it with another meaning. */
export const tokenTypeFromClaims = (payload: JWTPayload, isBot: boolean): TokenType => {
  const type = readClaim(payload, 'tokenType');
  if (type === 'BOT' || type === 'OM_USER' || type === 'PERSONAL_ACCESS') return type;
  return isBot ? 'BOT' : 'OM_USER';
};

/** The roles that the provider gives a person. A bot gets no roles from a token. */
export const rolesFromClaims = (payload: JWTPayload, isBot: boolean): readonly string[] => {
  const roles = readClaim(payload, 'roles');
  if (isBot || !Array.isArray(roles)) return [];
  return roles.filter((role): role is string => typeof role === 'string');
};

/** Whether the domain of an e-mail address may sign in when allowed domains are enforced. */
export const isAllowedDomain = (
  email: string,
  settings: Pick<Config['auth'], 'principalDomain' | 'allowedDomains'>,
): boolean => {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return [settings.principalDomain, ...settings.allowedDomains].some((allowed) => allowed.toLowerCase() === domain);
};
