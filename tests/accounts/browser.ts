import * as assert from 'uvu/assert';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, type Reply, type Service, uniqueName } from '../support/service.ts';
import type { ProvidedPerson, SignInProvider } from '../support/sign-in-provider.ts';
import { withApp } from './fixture.ts';

/** A browser for tests: it keeps the cookies of the service, and sends each where its path says. */

export const PUBLIC_URL = 'https://catalog.example.com';
const SESSION = '/v1/users/session';

type Cookie = { readonly value: string; readonly path: string; readonly attributes: string };

export type Browser = {
  readonly cookies: Map<string, Cookie>;
  send(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Reply>;
};

/** Opens a browser that shows pages of the service. */
export const openBrowser = (service: Service): Browser => {
  const cookies = new Map<string, Cookie>();
  const send: Browser['send'] = async (method, path, body, headers = {}) => {
    const sent = [...cookies].filter(([, cookie]) => path.startsWith(cookie.path));
    const reply = await anonymous(service).raw(method, path, body && JSON.stringify(body), {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(sent.length === 0 ? {} : { cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; ') }),
      'sec-fetch-site': 'same-origin',
      ...headers,
    });
    for (const line of reply.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      const path = attributes.find((one) => one.startsWith('Path='))?.slice(5) ?? '/';
      if (attributes.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, { value, path, attributes: attributes.join('; ') });
    }
    return reply;
  };
  return { cookies, send };
};

/** The service with sign-in at a provider, as a process of its own. */
export const openWithProvider = async (
  service: Service,
  provider: Pick<SignInProvider, 'issuer'>,
  env: Readonly<Record<string, string>>,
): Promise<Service> => {
  const domains = { AUTH_ALLOWED_DOMAINS: 'example.com,other.example.com,elsewhere.example.com' };
  const settings = { PUBLIC_URL, AUTH_OIDC_ISSUER: provider.issuer, ...domains, ...env };
  return withApp(service, (await openSecondProcessWith(service, {}, { env: settings })).app);
};

export const newProvided = (more: object = {}): ProvidedPerson & { readonly email: string } => {
  const name = uniqueName('sso');
  return { sub: name, email: `${name}@example.com`, email_verified: true, name: 'Ann Archer', ...more };
};

/** Begins a sign-in and answers the address at the provider. */
export const begin = async (browser: Browser, query = ''): Promise<string> => {
  const reply = await browser.send('GET', `/v1/users/signin${query}`);
  assert.is(reply.status, 302, reply.text);
  return reply.headers.get('location') ?? '';
};

/** The path by which the provider sends the browser back. */
export const comeBack = async (provider: SignInProvider, address: string): Promise<string> => {
  const back = await provider.visit(address);
  assert.ok(back.startsWith(`${PUBLIC_URL}/`), back);
  return back.slice(PUBLIC_URL.length);
};

/** The whole way from the start to the answer of the callback. */
export const signIn = async (
  browser: Browser,
  provider: SignInProvider,
  person: ProvidedPerson | undefined,
  query = '',
): Promise<Reply> => {
  provider.person = person;
  return browser.send('GET', await comeBack(provider, await begin(browser, query)));
};

export const renew = (browser: Browser, headers: Record<string, string> = {}): Promise<Reply> =>
  browser.send('PUT', SESSION, undefined, headers);

export const end = (browser: Browser): Promise<Reply> => browser.send('DELETE', SESSION);
