import type { Config } from '../config.ts';

/** A person as a provider knows them: the subject stays the same when their e-mail address passes to somebody else. */
export type ProviderSubject = { readonly issuer: string; readonly subject: string };

type SubjectSettings = Pick<NonNullable<Config['auth']['signIn']>, 'issuer' | 'subjectClaims'>;

/** The greatest length that OpenID Connect allows for a subject. */
const MAX_LENGTH = 255;

const isUsableName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH;

/**
 * Reads the subject from the claims of the sign-in provider. The first claim that is present decides, in exactly this
 * spelling; an unusable one has no substitute, because people might choose what else names them.
 */
export const readSubject = (
  claims: { readonly [claim: string]: unknown },
  { issuer, subjectClaims }: SubjectSettings,
): ProviderSubject | undefined => {
  const name = subjectClaims.find((one) => Object.hasOwn(claims, one));
  const subject = name === undefined ? undefined : claims[name];
  if (!isUsableName(subject)) return undefined;
  return Object.freeze({ issuer, subject });
};

/** What a provider itself calls a person and their session there. Its logout tokens name one of them or both. */
export type ProviderSession = { readonly subject?: string; readonly sessionId?: string };

/** Reads the session at the provider from the claims of an ID token or of a logout token. */
export const readProviderSession = (claims: { readonly [claim: string]: unknown }): ProviderSession => {
  const { sub, sid } = claims;
  return Object.freeze({
    ...(isUsableName(sub) ? { subject: sub } : {}),
    ...(isUsableName(sid) ? { sessionId: sid } : {}),
  });
};
