import { type ProviderSession, readProviderSession } from '../access/provider-subject.ts';
import type { SecretBox } from '../access/secret-box.ts';
import {
  createSignInProof,
  ProviderUnavailable,
  type SignInClient,
  SignInRefused,
  type SignInSettings,
} from '../access/sign-in-client.ts';
import { CatalogError } from '../errors.ts';
import { networkOf } from '../http/client-address.ts';
import type { Log } from '../http/log.ts';
import type { Answer, Call } from '../http/route.ts';
import { type Accounts, providerCredential } from './accounts.ts';
import { sessionCookie } from './browser-session.ts';
import { startSession } from './login.ts';
import { type LoginAttempt, openLoginThrottle } from './login-throttle.ts';
import { resolveProviderPerson } from './provider-person.ts';
import type { LoginRow } from './queries.ts';
import type { SessionTokens } from './sessions.ts';
import {
  createSignInCookies,
  type PendingSignIn,
  readPendingSignIn,
  removeSignInCookie,
  resolveReturnAddress,
} from './sign-in-cookie.ts';

/** Signs people in with a browser: sends them to the provider, and begins their session when they come back. */

export type SignInDeps = {
  readonly accounts: Accounts;
  readonly settings: SignInSettings;
  readonly client: SignInClient;
  readonly secrets: SecretBox;
  readonly log: Pick<Log, 'warn'>;
};

/** The address has a code in it, which no page may pass on. */
const REDIRECT_HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } as const;

const unavailable = (cause: unknown) =>
  new CatalogError(
    'unavailable',
    'The sign-in provider does not answer at the moment; other ways to log in still work',
    {
      cause,
      retryAfterSeconds: 5,
    },
  );

const refusedAnswer = (cause: unknown) =>
  new CatalogError('unauthorized', 'The sign-in was not accepted; begin again', { cause });

/** Sends the person to the provider. Throws unavailable when the provider does not answer. */
export const beginSignIn = async ({ accounts, settings, client, secrets }: SignInDeps, call: Call): Promise<Answer> => {
  const proof = createSignInProof();
  const returnTo = resolveReturnAddress(settings, call.query.get('returnTo'));
  let location: string;
  try {
    location = await client.begin(proof);
  } catch (failure) {
    throw failure instanceof ProviderUnavailable ? unavailable(failure) : failure;
  }
  const moment = { now: accounts.engine.clock(), cookieHeader: call.header('cookie') };
  const cookies = createSignInCookies(settings, secrets, { ...proof, returnTo }, moment);
  return { status: 302, headers: { ...REDIRECT_HEADERS, location }, cookies };
};

type IdentifiedPerson = { readonly person: LoginRow; readonly provider: ProviderSession };

/** Asks the provider who signed in. An answer that fails the checks counts against the network address. */
const identify = async (
  { accounts, settings, client }: SignInDeps,
  attempt: LoginAttempt,
  response: URLSearchParams,
  pending: PendingSignIn,
): Promise<IdentifiedPerson> => {
  try {
    const claims = await client.complete(response, pending);
    return { person: await resolveProviderPerson(accounts, claims, settings), provider: readProviderSession(claims) };
  } catch (failure) {
    if (failure instanceof ProviderUnavailable) throw unavailable(failure);
    if (!(failure instanceof SignInRefused)) throw failure;
    if (failure.isDeclined) {
      throw new CatalogError('forbidden', 'The sign-in was cancelled at the provider', { cause: failure });
    }
    await attempt.fail();
    throw refusedAnswer(failure);
  }
};

type SignedIn = { readonly person: LoginRow; readonly tokens: SessionTokens };

const signIn = async (deps: SignInDeps, call: Call, pending: PendingSignIn): Promise<SignedIn> => {
  const { accounts, settings } = deps;
  const { engine, addressLimiter } = accounts;
  // Failures are counted by network, so that nobody slows down people elsewhere.
  const account = `provider ${networkOf(call.address)}`;
  const throttle = openLoginThrottle({ graph: engine.graph, clock: engine.clock, account, address: call.address });
  return addressLimiter(call.address, async () => {
    const attempt = await throttle.admit();
    const { person, provider } = await identify(deps, attempt, call.query, pending);
    const origin = { credential: providerCredential(settings), provider };
    return { person, tokens: await startSession(accounts, attempt, person, origin) };
  });
};

/** What came of a callback: an answer that leads on, or a failure that leaves no cookie of the sign-in behind. */
export type SignInOutcome =
  | { readonly answer: Answer }
  | { readonly failure: CatalogError; readonly cookies: readonly string[] };

/** Begins the session of the person whom the provider sent back. */
export const completeSignIn = async (deps: SignInDeps, call: Call): Promise<SignInOutcome> => {
  const { accounts, settings, secrets, log } = deps;
  const state = call.query.get('state') ?? '';
  const moment = { now: accounts.engine.clock(), cookieHeader: call.header('cookie') };
  const pending = readPendingSignIn(settings, secrets, state, moment);
  if (pending === undefined) {
    const message = 'The sign-in has expired, was completed before, or was begun in another browser; begin again';
    return { failure: new CatalogError('bad_request', message), cookies: [] };
  }
  const removal = removeSignInCookie(settings, pending.state);
  try {
    const { person, tokens } = await signIn(deps, call, pending);
    const cookies = [removal, sessionCookie(settings.publicUrl, tokens)];
    const headers = { ...REDIRECT_HEADERS, location: pending.returnTo };
    return { answer: { status: 302, headers, cookies, audited: { person: person.name } } };
  } catch (failure) {
    if (!(failure instanceof CatalogError)) throw failure;
    log.warn('a sign-in failed', { requestId: call.requestId }, failure);
    return { failure, cookies: [removal] };
  }
};
