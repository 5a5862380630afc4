import type { SecretBox } from '../access/secret-box.ts';
import type { SignInProof, SignInSettings } from '../access/sign-in-client.ts';
import { buildCookie, cookieName, parseCookies } from '../http/cookies.ts';

/**
 * What the browser keeps while its person is at the provider, sealed in a cookie of its own for each sign-in, so that
 * several tabs do not disturb each other and every process can complete what another began.
 */
export type PendingSignIn = SignInProof & { readonly returnTo: string; readonly expiresAt: number };

export const SIGN_IN_PATH = '/v1/users/signin';
const NAME = 'tributary_signin_';
const LASTS_MS = 10 * 60_000;
/** The number of sign-ins of one browser at once. The cookies of all have to fit into the headers of a request. */
const MAX_PENDING = 4;
const MAX_RETURN_LENGTH = 1000;

type CookieJar = Pick<SignInSettings, 'publicUrl'>;

const isSecureAddress = ({ publicUrl }: CookieJar): boolean => publicUrl.startsWith('https:');

const nameOf = (jar: CookieJar, state: string): string =>
  cookieName(`${NAME}${state.slice(0, 8)}`, isSecureAddress(jar));

const writeCookie = (jar: CookieJar, name: string, value: string): string =>
  buildCookie({
    name,
    value,
    path: new URL(`${jar.publicUrl}${SIGN_IN_PATH}`).pathname,
    maxAgeSeconds: value === '' ? 0 : LASTS_MS / 1000,
    // The provider sends the person back from another site, so a strict cookie would not arrive.
    sameSite: 'Lax',
    isSecure: isSecureAddress(jar),
  });

/** The cookie that removes the one of a sign-in, so that it is completed once. */
export const removeSignInCookie = (jar: CookieJar, state: string): string => writeCookie(jar, nameOf(jar, state), '');

/**
 * The whole address of a page of this service to return to. Anything else becomes the start page: the address stays
 * absolute, because a path with two slashes would lead to another host.
 */
export const resolveReturnAddress = ({ publicUrl }: CookieJar, text: string | null): string => {
  const start = `${publicUrl}/`;
  if (text === null || !text.startsWith('/') || text.length > MAX_RETURN_LENGTH) return start;
  if (!URL.canParse(text, start)) return start;
  const { href } = new URL(text, start);
  return href.startsWith(start) ? href : start;
};

/** Creates the cookies of a new sign-in, and removes those of the oldest when the browser has too many. */
export const createSignInCookies = (
  jar: CookieJar,
  secrets: Pick<SecretBox, 'sealText'>,
  pending: Omit<PendingSignIn, 'expiresAt'>,
  { now, cookieHeader }: { readonly now: number; readonly cookieHeader: string | undefined },
): readonly string[] => {
  const prefix = cookieName(NAME, isSecureAddress(jar));
  const former = [...parseCookies(cookieHeader).keys()].filter((name) => name.startsWith(prefix));
  const surplus = former.slice(0, Math.max(0, former.length - MAX_PENDING + 1));
  const sealed = secrets.sealText(JSON.stringify({ ...pending, expiresAt: now + LASTS_MS } satisfies PendingSignIn));
  return [...surplus.map((name) => writeCookie(jar, name, '')), writeCookie(jar, nameOf(jar, pending.state), sealed)];
};

/** Reads the sign-in that a state names. Undefined when this browser did not begin it, or began it too long ago. */
export const readPendingSignIn = (
  jar: CookieJar,
  secrets: Pick<SecretBox, 'openText'>,
  state: string,
  { now, cookieHeader }: { readonly now: number; readonly cookieHeader: string | undefined },
): PendingSignIn | undefined => {
  const sealed = parseCookies(cookieHeader).get(nameOf(jar, state));
  if (sealed === undefined) return undefined;
  try {
    const pending = JSON.parse(secrets.openText(sealed)) as PendingSignIn;
    return pending.state === state && pending.expiresAt > now ? pending : undefined;
  } catch {
    // A text that was changed or sealed elsewhere begins nothing.
    return undefined;
  }
};
