import { writeAnswer } from '../catalog/read/answer.ts';
import { kindNamed } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { badRequest, notFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { isObject, type Json } from '../model/json.ts';
import { Password } from '../model/person-values.ts';
import { check, dropNulls } from '../model/validate.ts';
import { DateTime, Integer, must, oneOf, shape, Text } from '../model/values.ts';
import type { Accounts } from './accounts.ts';
import { login } from './login.ts';
import { type Farewell, logout } from './logout.ts';
import { type Granted, refreshSession } from './sessions.ts';
import { createSignUps, offersSignUp, Registration } from './sign-up.ts';

/** What these bodies hold is short; nobody makes the service read more before it knows who asks. */
export const SMALL_BODY = { mediaTypes: ['application/json'], maxBytes: 64 * 1024 } as const;

/** Tokens are for the one who asked, and for no cache on the way. */
const PRIVATE = { 'Cache-Control': 'no-store' };

export const privately = (json: unknown): Answer => ({ status: 200, headers: PRIVATE, json });

/** A body as its schema makes it; without one it must satisfy the schema as an empty object. */
export const readBody = async <T>(call: Call, bodySchema: ReturnType<typeof shape>): Promise<T> => {
  const body = ((await call.body.json()) ?? {}) as Json;
  if (!isObject(body)) throw badRequest('[body must be an object]');
  return check(bodySchema, dropNulls(body)) as T;
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

const granted = (tokens: Granted): Answer => privately(tokens);

const handleLogin = async (accounts: Accounts, call: Call): Promise<Answer> => {
  const { email, password } = await readBody<{ email: string; password: string }>(call, Login);
  return granted(await login(accounts, email, password, call.address));
};

const handleRefresh = async (accounts: Accounts, call: Call): Promise<Answer> => {
  const { refreshToken } = await readBody<{ refreshToken: string }>(call, Refresh);
  return granted(await refreshSession(accounts, refreshToken));
};

const handleLogout = async (accounts: Accounts, call: Call): Promise<Answer> => {
  const farewell = await readBody<Farewell>(call, Logout);
  await logout(accounts, call.header('authorization'), call.principal.id, farewell);
  return privately({});
};

const handleSignUp = (accounts: Accounts) => {
  const signUp = createSignUps(accounts);
  return async (call: Call): Promise<Answer> => {
    if (!offersSignUp(accounts)) throw notFound('There is no signing up here');
    const written = await signUp(await readBody<Registration>(call, Registration));
    return writeAnswer(accounts.engine, call, written);
  };
};

/** Logging in and out, and making an account. */
export const sessionRoutes = (accounts: Accounts): Route[] => {
  const user = kindNamed(accounts.engine.registry, 'user');
  const declare = (path: string, route: Omit<Route, 'method' | 'path' | 'tag'>): Route => ({
    method: 'POST',
    path: `/v1/${user.path}/${path}`,
    tag: user.title,
    ...route,
  });
  return [
    declare('login', {
      summary: 'Log in with an e-mail address and a password, plain or in base64',
      access: 'public',
      body: { schema: Login, ...SMALL_BODY },
      responses: { 200: Tokens },
      handle: (call) => handleLogin(accounts, call),
    }),
    declare('refresh', {
      summary: 'Change a refresh token for new tokens; each counts once',
      access: 'public',
      body: { schema: Refresh, ...SMALL_BODY },
      responses: { 200: Tokens },
      handle: (call) => handleRefresh(accounts, call),
    }),
    declare('logout', {
      summary: 'End the session of a token and of a refresh token of your own',
      access: 'authenticated',
      body: { schema: Logout, ...SMALL_BODY },
      responses: { 200: shape('LoggedOut', {}) },
      handle: (call) => handleLogout(accounts, call),
    }),
    declare('signup', {
      summary: 'Make an account of your own, where that is offered',
      access: 'public',
      body: { schema: Registration, ...SMALL_BODY },
      responses: { 201: schema.record(user) },
      handle: handleSignUp(accounts),
    }),
  ];
};
