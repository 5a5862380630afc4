import { CatalogError } from '../errors.ts';
import { buildCookie, cookieName, parseCookies } from '../http/cookies.ts';
import type { Answer, Call } from '../http/route.ts';
import type { Accounts } from './accounts.ts';
import { closeSession, renewSession, SESSION_MS, type SessionTokens } from './sessions.ts';

/**
 * Sessions of browsers: the refresh token lies in a cookie that no script can read, and the page keeps the access token
 * in memory only.
 */

export const SESSION_PATH = '/v1/users/session';
const SESSION_COOKIE = 'tributary_session';
/** Two tabs of a browser may send the same refresh token within this time. */
const LEEWAY_MS = 10_000;

/** What a page receives. The refresh token is in the cookie. */
export type PageTokens = Omit<SessionTokens, 'refreshToken'>;

type SessionCookie = { readonly value: string; readonly maxAgeSeconds: number };

const isSecureBase = (base: string): boolean => base.startsWith('https:');

/** Builds the cookie of a session at the base address by which the browser knows the service. */
const buildSessionCookie = (base: string, { value, maxAgeSeconds }: SessionCookie): string => {
  const isSecure = isSecureBase(base);
  const path = new URL(`${base}${SESSION_PATH}`).pathname;
  return buildCookie({
    name: cookieName(SESSION_COOKIE, isSecure),
    value,
    path,
    maxAgeSeconds,
    sameSite: 'Strict',
    isSecure,
  });
};

/** The cookie that holds the refresh token of a session. */
export const sessionCookie = (base: string, { refreshToken }: SessionTokens): string =>
  buildSessionCookie(base, { value: refreshToken, maxAgeSeconds: SESSION_MS / 1000 });

const noSessionCookie = (base: string): string => buildSessionCookie(base, { value: '', maxAgeSeconds: 0 });

const readSessionCookie = ({ header, hrefBase }: Call): string | undefined =>
  parseCookies(header('cookie')).get(cookieName(SESSION_COOKIE, isSecureBase(hrefBase)));

const hostOf = (address: string | undefined): string | undefined =>
  address !== undefined && URL.canParse(address) ? new URL(address).host : undefined;

/**
 * Throws forbidden unless a page of the service itself sends the request. Browsers say so in one of two headers, which
 * no page can change; other programs have no use for cookies.
 */
export const assertOwnPage = ({ header, hrefBase }: Pick<Call, 'header' | 'hrefBase'>): void => {
  const site = header('sec-fetch-site');
  const isOwn = site === undefined ? hostOf(header('origin')) === hostOf(hrefBase) : site === 'same-origin';
  if (!isOwn) throw new CatalogError('forbidden', 'Only pages of this service may use the session of a browser');
};

const answerTokens = ({ refreshToken: _, ...tokens }: SessionTokens, cookies: readonly string[]): Answer => {
  const json: PageTokens = tokens;
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, cookies, json };
};

/** Answers the tokens of a new session. */
export const answerNewSession = (call: Call, tokens: SessionTokens): Answer =>
  answerTokens(tokens, [sessionCookie(call.hrefBase, tokens)]);

/** Renews the session of the cookie. Throws unauthorized when there is none. */
export const renewBrowserSession = async (accounts: Accounts, call: Call): Promise<Answer> => {
  assertOwnPage(call);
  const { tokens, isRepeated } = await renewSession(accounts, readSessionCookie(call) ?? '', LEEWAY_MS);
  return answerTokens(tokens, isRepeated ? [] : [sessionCookie(call.hrefBase, tokens)]);
};

type ClosedSession = { readonly userName: string; readonly credential: string };

/** Ends the session of the cookie, if there is one, and removes the cookie. */
export const closeBrowserSession = async (
  accounts: Accounts,
  call: Call,
): Promise<{ readonly cookies: readonly string[]; readonly closed: ClosedSession | undefined }> => {
  assertOwnPage(call);
  const closed = await closeSession(accounts, readSessionCookie(call) ?? '');
  return { cookies: [noSessionCookie(call.hrefBase)], closed };
};
