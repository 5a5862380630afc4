/** Reads and writes cookies that only the server sees. */

type CookieSpec = {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** 0 removes the cookie. */
  readonly maxAgeSeconds: number;
  readonly sameSite: 'Lax' | 'Strict';
  readonly isSecure: boolean;
};

/** Reads the cookies of a request in the order in which they were sent. Of equal names the first counts. */
export const parseCookies = (header: string | undefined): ReadonlyMap<string, string> => {
  const cookies = new Map<string, string>();
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at > 0 && !cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim());
  }
  return cookies;
};

/** The name of a cookie. With the prefix, browsers take it only from an answer by HTTPS. */
export const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Secure-${name}` : name);

/** Builds the value of `Set-Cookie`. */
export const buildCookie = ({ name, value, path, maxAgeSeconds, sameSite, isSecure }: CookieSpec): string =>
  [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${maxAgeSeconds}`,
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
