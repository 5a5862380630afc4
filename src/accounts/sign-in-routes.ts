import { createSignInClient } from '../access/sign-in-client.ts';
import { requireKind } from '../catalog/registry.ts';
import { CatalogError, notFound } from '../errors.ts';
import { errorAnswer } from '../http/error-answer.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import { Password } from '../model/schemas/people/person.ts';
import { Integer, must, oneOf, shape, Text, Url } from '../model/values.ts';
import { providerCredential } from './accounts.ts';
import {
  answerNewSession,
  assertOwnPage,
  closeBrowserSession,
  renewBrowserSession,
  SESSION_PATH,
} from './browser-session.ts';
import { login } from './login.ts';
import { endProviderSessions, LOGOUT_TOKEN_MEMBER } from './provider-logout.ts';
import { ACCOUNT_BODY, readAccountBody } from './session-routes.ts';
import { beginSignIn, completeSignIn, type SignInDeps } from './sign-in.ts';
import { SIGN_IN_PATH } from './sign-in-cookie.ts';
import { answerSignInFailure } from './sign-in-page.ts';

const BrowserLogin = shape('BrowserLogin', { email: must(Text), password: must(Password) });
const BrowserTokens = shape('BrowserTokens', {
  accessToken: must(Text),
  tokenType: must(oneOf(['Bearer'])),
  expiryDuration: must(Integer),
});
const BackChannelLogout = shape('BackChannelLogout', { [LOGOUT_TOKEN_MEMBER]: must(Text) });
const SessionEnd = shape('SessionEnd', { signOutUrl: Url });

const LOGOUT_BODY = { ...ACCOUNT_BODY, mediaTypes: ['application/x-www-form-urlencoded'] } as const;

const textParameter = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'string' },
});

const CALLBACK_PARAMETERS = [
  textParameter('code', 'Code of the provider, exchanged for its tokens'),
  textParameter('state', 'What recognises the sign-in that this browser began'),
  textParameter('iss', 'Issuer that answers, where the provider says so'),
  textParameter('error', 'Why the provider signed nobody in'),
  textParameter('error_description', 'What the provider adds; it is not shown'),
];

type SignInRouteDeps = Pick<SignInDeps, 'accounts' | 'secrets' | 'log'>;

const openSignIn = ({ accounts, secrets, log }: SignInRouteDeps): SignInDeps | undefined => {
  const settings = accounts.config.signIn;
  return settings && { accounts, settings, secrets, log, client: createSignInClient(settings) };
};

/** Answers failures of a sign-in in the form that the caller reads. */
const answering =
  (signIn: SignInDeps | undefined, handle: (deps: SignInDeps, call: Call) => Promise<Answer>) =>
  async (call: Call): Promise<Answer> => {
    if (signIn === undefined) throw notFound('Sign-in at a provider is not configured');
    try {
      return await handle(signIn, call);
    } catch (failure) {
      if (!(failure instanceof CatalogError)) throw failure;
      signIn.log.warn('a sign-in failed', { requestId: call.requestId }, failure);
      return answerSignInFailure(call, failure, [], `${signIn.settings.publicUrl}${SIGN_IN_PATH}`);
    }
  };

const handleCallback = async (deps: SignInDeps, call: Call): Promise<Answer> => {
  const outcome = await completeSignIn(deps, call);
  if ('answer' in outcome) return outcome.answer;
  return answerSignInFailure(call, outcome.failure, outcome.cookies, `${deps.settings.publicUrl}${SIGN_IN_PATH}`);
};

const handleLogin = async ({ accounts }: SignInRouteDeps, call: Call): Promise<Answer> => {
  assertOwnPage(call);
  const { email, password } = await readAccountBody<{ email: string; password: string }>(call, BrowserLogin);
  return answerNewSession(call, await login(accounts, email, password, call.address));
};

const handleEnd = async (
  accounts: SignInDeps['accounts'],
  signIn: SignInDeps | undefined,
  call: Call,
): Promise<Answer> => {
  const { closed, cookies } = await closeBrowserSession(accounts, call);
  const isOfProvider = signIn !== undefined && closed?.credential === providerCredential(signIn.settings);
  // The session has ended here, whether or not the provider answers.
  const signOutUrl = isOfProvider ? await signIn.client.signOutAddress().catch(() => undefined) : undefined;
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    cookies,
    json: signOutUrl === undefined ? {} : { signOutUrl },
    audited: closed === undefined ? {} : { person: closed.userName },
  };
};

/** Neither a logout that succeeded nor one that failed may be answered from a cache. */
const handleProviderLogout = async (
  { log }: SignInRouteDeps,
  signIn: SignInDeps | undefined,
  call: Call,
): Promise<Answer> => {
  const uncached = { 'cache-control': 'no-store' };
  try {
    return { status: 200, headers: uncached, audited: { people: await endProviderSessions(signIn, call) } };
  } catch (failure) {
    if (!(failure instanceof CatalogError)) throw failure;
    log.warn('a logout by the provider failed', { requestId: call.requestId }, failure);
    const answer = errorAnswer(failure);
    return { ...answer, headers: { ...answer.headers, ...uncached } };
  }
};

/** Routes for signing in with a browser, at a provider or by password, and for the session that follows. */
export const signInRoutes = (deps: SignInRouteDeps): Route[] => {
  const { accounts } = deps;
  const signIn = openSignIn(deps);
  const tag = requireKind(accounts.engine.registry, 'user').title;
  const declare = (route: Omit<Route, 'tag' | 'access'>): Route => ({
    tag,
    access: 'public',
    showsCredentials: true,
    ...route,
  });
  return [
    declare({
      method: 'GET',
      path: SIGN_IN_PATH,
      summary: 'Sign in at the provider with a browser',
      query: [textParameter('returnTo', 'Path of the page to return to; `/` without it')],
      responses: { 302: undefined },
      fails: [404, 503],
      handle: answering(signIn, beginSignIn),
    }),
    declare({
      method: 'GET',
      path: `${SIGN_IN_PATH}/callback`,
      summary: 'Complete a sign-in, where the provider sends the browser back',
      query: CALLBACK_PARAMETERS,
      responses: { 302: undefined },
      fails: [401, 403, 404, 429, 503],
      handle: answering(signIn, handleCallback),
    }),
    declare({
      method: 'POST',
      path: `${SIGN_IN_PATH}/backchannel-logout`,
      summary: 'End the sessions of somebody who has signed out at the provider',
      body: { schema: BackChannelLogout, ...LOGOUT_BODY },
      responses: { 200: undefined },
      fails: [404],
      handle: (call) => handleProviderLogout(deps, signIn, call),
    }),
    declare({
      method: 'POST',
      path: SESSION_PATH,
      summary: 'Log in with a password and begin the session of a browser',
      body: { schema: BrowserLogin, ...ACCOUNT_BODY },
      responses: { 200: BrowserTokens },
      fails: [401, 403, 429],
      handle: (call) => handleLogin(deps, call),
    }),
    declare({
      method: 'PUT',
      path: SESSION_PATH,
      summary: 'Get a new access token for the session of a browser',
      responses: { 200: BrowserTokens },
      fails: [401, 403],
      handle: (call) => renewBrowserSession(accounts, call),
    }),
    declare({
      method: 'DELETE',
      path: SESSION_PATH,
      summary: 'Log out, ending the session of a browser',
      responses: { 200: SessionEnd },
      fails: [403],
      handle: (call) => handleEnd(accounts, signIn, call),
    }),
  ];
};
