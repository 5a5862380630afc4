import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';

/** A certified OpenID provider for tests, which signs in whoever the test names without asking. */

export type ProvidedPerson = {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  /** What the ID token says otherwise than the user info, where the request asks for it there. */
  readonly inIdToken?: { readonly email_verified?: boolean };
};

export type SignInProvider = {
  readonly issuer: string;
  /** Who signs in from now on; undefined declines. */
  person: ProvidedPerson | undefined;
  /** Visits the address to which the service sent a browser, and answers the address to which it is sent back. */
  visit(address: string): Promise<string>;
  /** Signs out whoever visited last, and answers the forms that the provider posts to its clients. */
  signOut(): Promise<readonly string[]>;
  /** Signs a token by the key of the provider, whatever it says. */
  sign(claims: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
  close(): Promise<void>;
};

/** The client that has a secret, and the public one that has PKCE alone. */
export const CONFIDENTIAL = { AUTH_OIDC_CLIENT_ID: 'catalog', AUTH_OIDC_CLIENT_SECRET: 'a secret & more of it' };
export const PUBLIC_CLIENT = { AUTH_OIDC_CLIENT_ID: 'catalog-public' };

const clientsFor = (publicUrl: string) => {
  const common = {
    redirect_uris: [`${publicUrl}/v1/users/signin/callback`],
    post_logout_redirect_uris: [`${publicUrl}/`],
    grant_types: ['authorization_code'],
    response_types: ['code' as const],
    backchannel_logout_uri: `${publicUrl}/v1/users/signin/backchannel-logout`,
  };
  return [
    {
      ...common,
      client_id: CONFIDENTIAL.AUTH_OIDC_CLIENT_ID,
      client_secret: CONFIDENTIAL.AUTH_OIDC_CLIENT_SECRET,
      backchannel_logout_session_required: true,
    },
    {
      ...common,
      client_id: PUBLIC_CLIENT.AUTH_OIDC_CLIENT_ID,
      token_endpoint_auth_method: 'none' as const,
    },
  ];
};

type Cookies = Map<string, string>;

/** Sends a request as a browser does, with the cookies of the provider. */
const send = async (cookies: Cookies, address: string, form?: URLSearchParams): Promise<Response> => {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const method = form === undefined ? {} : { method: 'POST', body: form };
  const answer = await fetch(address, { ...method, redirect: 'manual', headers: { cookie } });
  for (const line of answer.headers.getSetCookie()) {
    const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
    cookies.set(name, value);
  }
  return answer;
};

/** Follows redirects until one leaves the provider. */
const visitProvider = async (issuer: string, cookies: Cookies, address: string): Promise<string> => {
  let next = address;
  for (let hop = 0; hop < 10 && next.startsWith(issuer); hop += 1) {
    const answer = await send(cookies, next);
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`the provider answers ${answer.status}: ${await answer.text()}`);
    next = new URL(location, next).href;
  }
  return next;
};

/** Leaves the provider by the form that asks whether to. */
const leaveProvider = async (issuer: string, cookies: Cookies): Promise<void> => {
  const page = await (await send(cookies, `${issuer}/session/end`)).text();
  const xsrf = /name="xsrf" value="(\w+)"/.exec(page)?.[1];
  if (xsrf === undefined) throw new Error(`the provider shows no form: ${page}`);
  const form = new URLSearchParams({ xsrf, logout: 'yes' });
  const answer = await send(cookies, `${issuer}/session/end/confirm`, form);
  if (answer.status !== 303) throw new Error(`the provider answers ${answer.status}: ${await answer.text()}`);
};

/** Starts a provider on this machine that knows a service at the given public address. */
export const openSignInProvider = async (publicUrl: string): Promise<SignInProvider> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, ProvidedPerson>();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ format: 'jwk' });
  let posted: string[] = [];
  let cookies: Cookies = new Map();
  const provider = new Provider(issuer, {
    clients: clientsFor(publicUrl),
    jwks: { keys: [{ ...key, kid: 'test', alg: 'ES256', use: 'sig' } as never] },
    cookies: { keys: [randomUUID()] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      claimsParameter: { enabled: true },
    },
    // What the provider posts to its clients is handed to the test, which has no host of the public address.
    fetch: async (_, init) => {
      posted.push(String(init?.body));
      return new Response(null, { status: 200 });
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => {
      const { inIdToken, ...person } = people.get(id) ?? {};
      return { accountId: id, claims: (use) => ({ ...person, ...(use === 'id_token' ? inIdToken : {}), sub: id }) };
    },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid email profile');
      grant.addOIDCClaims(['email_verified']);
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  const self: SignInProvider = {
    issuer,
    person: undefined,
    visit: (address) => {
      cookies = new Map();
      return visitProvider(issuer, cookies, address);
    },
    signOut: async () => {
      posted = [];
      await leaveProvider(issuer, cookies);
      return posted;
    },
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'test', ...header }).sign(privateKey),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) {
      handle(request, response);
      return;
    }
    const { person } = self;
    if (person !== undefined) people.set(person.sub, person);
    const result =
      person === undefined
        ? { error: 'access_denied', error_description: '<script>alert(1)</script>' }
        : { login: { accountId: person.sub } };
    provider
      .interactionFinished(request, response, result)
      .catch((failure: unknown) => response.destroy(failure as Error));
  });
  return self;
};
