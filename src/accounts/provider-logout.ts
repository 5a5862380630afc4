import { createHash, randomUUID } from 'node:crypto';
import type { ProviderLogout } from '../access/logout-token.ts';
import { LogoutTokenRefused } from '../access/sign-in-client.ts';
import { badRequest, notFound } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { Call } from '../http/route.ts';
import { type Accounts, providerCredential } from './accounts.ts';
import { identityKeyOf } from './identities.ts';
import { claimLogoutToken, deleteProviderSessions } from './identity-queries.ts';
import type { SignInDeps } from './sign-in.ts';

/** Ends the sessions of people who have signed out at the provider, when it says so (back-channel logout). */

export const LOGOUT_TOKEN_MEMBER = 'logout_token';

/** Reads the token out of the form. The form of the standard has it once; another member of the form has no meaning. */
const readToken = async (call: Call): Promise<string> => {
  const [token, ...more] = new URLSearchParams(await call.body.text()).getAll(LOGOUT_TOKEN_MEMBER);
  if (token === undefined || token === '' || more.length > 0)
    throw badRequest(`[${LOGOUT_TOKEN_MEMBER} must be in the form once]`);
  return token;
};

const checkToken = async ({ accounts, client }: SignInDeps, token: string): Promise<ProviderLogout> => {
  try {
    return await client.readLogout(token, accounts.engine.clock());
  } catch (failure) {
    if (!(failure instanceof LogoutTokenRefused)) throw failure;
    // The standard has one answer for all that keeps a logout from succeeding; the reason is in the log.
    throw badRequest(`[${LOGOUT_TOKEN_MEMBER} was not accepted]`, failure);
  }
};

const digestOf = ({ issuer, tokenId }: ProviderLogout): string =>
  createHash('sha256')
    .update(JSON.stringify(['logout', issuer, tokenId]))
    .digest('base64url');

/** Ends the sessions in one transaction with the claim of the token, so that no token is used up for nothing. */
const endSessionsOf = (
  { engine }: Pick<Accounts, 'engine'>,
  credential: string,
  logout: ProviderLogout,
): Promise<readonly { readonly id: string; readonly userName: string }[]> => {
  const { issuer, subject, sessionId, refusedFrom } = logout;
  const claim = {
    digest: digestOf(logout),
    now: encodeProperty(engine.clock()),
    expiresAt: encodeProperty(refusedFrom),
    seenBy: randomUUID(),
  };
  const removal = {
    subject: subject ?? null,
    sessionId: sessionId ?? null,
    identityKey: subject === undefined ? null : identityKeyOf({ issuer, subject }),
    credential,
  };
  return engine.graph.write(async (transaction) => {
    const [claimed] = await transaction.run(claimLogoutToken, claim);
    if (claimed?.isFirst !== true) throw badRequest(`[${LOGOUT_TOKEN_MEMBER} was used before]`);
    return transaction.run(deleteProviderSessions, removal);
  });
};

/** Ends the sessions that a logout token names, and answers whose they were. Throws bad_request for any other text. */
export const endProviderSessions = async (deps: SignInDeps | undefined, call: Call): Promise<readonly string[]> => {
  if (deps === undefined) throw notFound('Sign-in at a provider is not configured');
  const { accounts, settings } = deps;
  const logout = await checkToken(deps, await readToken(call));
  const ended = await endSessionsOf(accounts, providerCredential(settings), logout);
  for (const { id } of ended) accounts.standings.forgetSession(id);
  return [...new Set(ended.map(({ userName }) => userName))];
};
