import { CLOCK_SKEW_SECONDS, type VerifiedToken } from '../access/token-verifier.ts';
import { badRequest, CatalogError } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { Accounts } from './accounts.ts';
import { createLogout } from './queries.ts';
import { endSession, endSessionOfRefreshToken } from './sessions.ts';
import { withdrawPersonalTokens } from './tokens.ts';

/** Twice the tolerated clock difference: one for each side whose clock may differ. */
const REFUSED_BEYOND_MS = 2 * CLOCK_SKEW_SECONDS * 1000;

/** What to revoke: the caller's own token unless another is named, and the session of a refresh token. */
export type LogoutRequest = { readonly token?: string; readonly refreshToken?: string };

/** The token to revoke; undefined when it is no longer valid anyway. */
const resolveLogoutToken = async (
  { verifier }: Accounts,
  own: VerifiedToken,
  text: string | undefined,
): Promise<VerifiedToken | undefined> => {
  if (text === undefined) return own;
  try {
    return await verifier.verify(`Bearer ${text}`);
  } catch (failure) {
    if (failure instanceof CatalogError && failure.code === 'unauthorized') return undefined;
    throw failure;
  }
};

const withdrawToken = async (accounts: Accounts, token: VerifiedToken, userId: string): Promise<void> => {
  const { engine, standings } = accounts;
  if (token.sessionId !== undefined) return endSession(accounts, token.name, token.sessionId);
  if (token.tokenType === 'PERSONAL_ACCESS') return withdrawPersonalTokens(accounts, userId, [token.digest]);
  const { digest, expiresAt = 0 } = token;
  const logout = { digest, expiresAt: encodeProperty(expiresAt + REFUSED_BEYOND_MS) };
  await engine.graph.write((transaction) => transaction.run(createLogout, logout));
  standings.forgetTokens([digest]);
};

/**
 * Logs the caller out of the named token and session. Throws forbidden for another person's token, bad_request for a
 * bot's.
 */
export const logout = async (
  accounts: Accounts,
  authorization: string | undefined,
  userId: string,
  request: LogoutRequest,
): Promise<void> => {
  const own = await accounts.verifier.verify(authorization);
  const token = await resolveLogoutToken(accounts, own, request.token);
  if (token && token.name !== own.name) {
    throw new CatalogError('forbidden', 'Only your own tokens can be logged out');
  }
  if (own.isBot || token?.isBot) throw badRequest('A bot has no session to log out of; revoke its token instead');
  if (token) await withdrawToken(accounts, token, userId);
  if (request.refreshToken !== undefined) await endSessionOfRefreshToken(accounts, own.name, request.refreshToken);
};
