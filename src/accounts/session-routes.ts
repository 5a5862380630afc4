import { buildWriteAnswer } from '../catalog/read/answer.ts';
import { requireKind } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { badRequest, notFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { isObject, type Json } from '../model/json.ts';
import { Password } from '../model/schemas/people/person.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { DateTime, Integer, must, oneOf, shape, Text } from '../model/values.ts';
import type { Accounts } from './accounts.ts';
import { login } from './login.ts';
import { type LogoutRequest, logout } from './logout.ts';
import { refreshSession, type SessionTokens } from './sessions.ts';
import { createSignUp, isSignUpOffered, Registration } from './sign-up.ts';

/** Limits for these bodies. They are short, and an unauthenticated caller must not make the service read more. */
export const ACCOUNT_BODY = { mediaTypes: ['application/json'], maxBytes: 64 * 1024 } as const;

/** Responses with tokens must not be cached. */
const NO_STORE = { 'Cache-Control': 'no-store' };

export const answerUncached = (json: unknown): Answer => ({ status: 200, headers: NO_STORE, json });

/** Reads a body by its schema. A missing body is validated as an empty object. */
export const readAccountBody = async <T>(call: Call, bodySchema: ReturnType<typeof shape>): Promise<T> => {
  const body = ((await call.body.json()) ?? {}) as Json;
  if (!isObject(body)) throw badRequest('[body must be an object]');
  return validate(bodySchema, dropNulls(body)) as T;
};

const Login = shape('LoginRequest', { email: must(Text), password: must(Password) });
const Refresh = shape('TokenRefreshRequest', { refreshToken: must(Text) });
const Logout = shape('LogoutRequest', { token: Text, refreshToken: Text, username: Text, logoutTime: DateTime });

const Tokens = shape('JwtResponse', {
  accessToken: must(Text),
  refreshToken: must(Text),
  tokenType: must(oneOf(['Bearer'])),
  expiryDuration: must(Integer),
});

const answerTokens = (tokens: SessionTokens): Answer => answerUncached(tokens);

const handleLogin = async (accounts: Accounts, call: Call): Promise<Answer> => {
  const { email, password } = await readAccountBody<{ email: string; password: string }>(call, Login);
  return answerTokens(await login(accounts, email, password, call.address));
};

const handleRefresh = async (accounts: Accounts, call: Call): Promise<Answer> => {
  const { refreshToken } = await readAccountBody<{ refreshToken: string }>(call, Refresh);
  return answerTokens(await refreshSession(accounts, refreshToken));
};

const handleLogout = async (accounts: Accounts, call: Call): Promise<Answer> => {
  const request = await readAccountBody<LogoutRequest>(call, Logout);
  await logout(accounts, call.header('authorization'), call.principal.id, request);
  return answerUncached({});
};

const handleSignUp = (accounts: Accounts) => {
  const signUp = createSignUp(accounts);
  return async (call: Call): Promise<Answer> => {
    if (!isSignUpOffered(accounts)) throw notFound('Self-signup is disabled');
    const written = await signUp(await readAccountBody<Registration>(call, Registration));
    return buildWriteAnswer(accounts.engine, call, written);
  };
};

/** Routes for login, logout and sign-up. */
export const sessionRoutes = (accounts: Accounts): Route[] => {
  const user = requireKind(accounts.engine.registry, 'user');
  const declare = (path: string, route: Omit<Route, 'method' | 'path' | 'tag'>): Route => ({
    method: 'POST',
    path: `/v1/${user.path}/${path}`,
    tag: user.title,
    showsCredentials: true,
    ...route,
  });
  return [
    declare('login', {
      summary: 'Log in with an e-mail address and a password (plain or Base64)',
      access: 'public',
      body: { schema: Login, ...ACCOUNT_BODY },
      responses: { 200: Tokens },
      fails: [401, 429],
      handle: (call) => handleLogin(accounts, call),
    }),
    declare('refresh', {
      summary: 'Exchange a refresh token for new tokens; each refresh token works once',
      access: 'public',
      body: { schema: Refresh, ...ACCOUNT_BODY },
      responses: { 200: Tokens },
      fails: [401],
      handle: (call) => handleRefresh(accounts, call),
    }),
    declare('logout', {
      summary: 'Log out, ending the session of an access token and a refresh token',
      access: 'authenticated',
      body: { schema: Logout, ...ACCOUNT_BODY },
      responses: { 200: shape('LoggedOut', {}) },
      handle: (call) => handleLogout(accounts, call),
    }),
    declare('signup', {
      summary: 'Sign up, where self-signup is enabled',
      access: 'public',
      body: { schema: Registration, ...ACCOUNT_BODY },
      responses: { 201: schema.recordSchema(user) },
      fails: [403, 409],
      handle: handleSignUp(accounts),
    }),
  ];
};
