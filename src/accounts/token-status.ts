import { createLookupCache } from '../access/cache.ts';
import type { UserRecord } from '../access/principal.ts';
import type { VerifiedToken } from '../access/token-verifier.ts';
import type { Graph } from '../graph/client.ts';
import { coalesce } from '../graph/coalesce.ts';
import { readTokenStatuses, type TokenStatus, type TokenStatusKey } from './queries.ts';

/** Checks whether tokens are still accepted. Revocations by another process take effect within the grace period. */
export type TokenStatusCache = {
  isAccepted(token: VerifiedToken, user: UserRecord): Promise<boolean>;
  /** Makes this process read the status again on the next use. */
  forgetTokens(digests: readonly string[]): void;
  forgetSession(id: string): void;
};

type TokenStatusDeps = {
  readonly graph: Graph;
  readonly clock: () => number;
  readonly graceMs: number;
  /** What a session may have begun with beside the stored password of its person. */
  readonly configuredCredentials: () => Promise<readonly string[]>;
};

const MAX_KNOWN = 10_000;
const SESSION = 'session ';
const TOKEN = 'token ';

const toStatusKey = (key: string): TokenStatusKey =>
  key.startsWith(SESSION)
    ? { digest: null, sessionId: key.slice(SESSION.length) }
    : { digest: key.slice(TOKEN.length), sessionId: null };

const UNKNOWN_STATUS: TokenStatus = Object.freeze({
  isLoggedOut: false,
  holderId: null,
  tokenType: null,
  keeperId: null,
  sessionCredential: null,
  credential: null,
});

/**
 * Whether a token must be stored to be accepted. That holds for bot and personal tokens; all others are accepted unless
 * logged out.
 */
const mustBeStored = (token: VerifiedToken): boolean => token.isBot || token.tokenType !== 'OM_USER';

/** A session is valid as long as what it began with counts: the person's password, or what the settings say. */
const isSessionValid = ({ sessionCredential, credential }: TokenStatus, configured: readonly string[]): boolean =>
  sessionCredential !== null && (sessionCredential === credential || configured.includes(sessionCredential));

export const createTokenStatusCache = ({
  graph,
  clock,
  graceMs,
  configuredCredentials,
}: TokenStatusDeps): TokenStatusCache => {
  const read = coalesce<string, TokenStatus>({
    name: 'token standings',
    load: async (keys) => {
      const rows = await graph.read(readTokenStatuses, { rows: keys.map((key, at) => ({ ...toStatusKey(key), at })) });
      const found = new Map(rows.map((row) => [row.at, row]));
      return keys.map((_, at) => found.get(at) ?? UNKNOWN_STATUS);
    },
    observer: graph.observer,
    identity: (key) => key,
  });
  const known = createLookupCache({ read, keeps: () => true, clock, graceMs, max: MAX_KNOWN });

  const isAccepted = async (token: VerifiedToken, user: UserRecord): Promise<boolean> => {
    if (token.sessionId !== undefined) {
      const session = await known.find(SESSION + token.sessionId);
      return session.keeperId === user.id && isSessionValid(session, await configuredCredentials());
    }
    const standing = await known.find(TOKEN + token.digest);
    if (standing.isLoggedOut) return false;
    const wanted = token.isBot ? 'BOT' : token.tokenType;
    return !mustBeStored(token) || (standing.holderId === user.id && standing.tokenType === wanted);
  };

  return Object.freeze({
    isAccepted,
    forgetTokens: (digests: readonly string[]) => {
      for (const digest of digests) known.forget(TOKEN + digest);
    },
    forgetSession: (id: string) => known.forget(SESSION + id),
  });
};
