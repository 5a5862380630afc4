import { randomUUID } from 'node:crypto';
import { createExpiringCache } from '../access/cache.ts';
import type { UserRecord } from '../access/principal.ts';
import type { VerifiedToken } from '../access/token-verifier.ts';
import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { withPositions } from '../graph/statement.ts';
import { chunk } from '../model/chunk.ts';
import { type TokenUseRow, updateTokenUse } from './credential-queries.ts';

/** The first use of a token since it was issued. */
export type FirstTokenUse = { readonly userId: string; readonly type: string; readonly at: number };

/** Records when tokens and sessions were last used. It never delays or refuses a request. */
export type TokenUseRecorder = { note(token: VerifiedToken, user: UserRecord): void };

type TokenUseOptions = {
  readonly graph: Graph;
  readonly clock: () => number;
  readonly onFirstUse?: (use: FirstTokenUse) => void;
  readonly onFailure?: (failure: unknown) => void;
};

/** The precision of the time of last use. */
const USE_PRECISION_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const MAX_WAITING = 5_000;
const BATCH = 500;
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

const tokenUseKey = ({ sessionId, digest }: VerifiedToken): string =>
  sessionId === undefined ? `token ${digest}` : `session ${sessionId}`;

const tokenUseType = ({ sessionId, issuedHere, tokenType }: VerifiedToken): string => {
  if (sessionId !== undefined) return 'SESSION';
  return issuedHere ? tokenType : 'PROVIDER';
};

const buildTokenUse = (token: VerifiedToken, user: UserRecord, now: number): TokenUseRow => ({
  key: tokenUseKey(token),
  id: randomUUID(),
  userId: user.id,
  type: tokenUseType(token),
  issuedAt: encodeProperty(token.issuedAt ?? now),
  // The record for a token that never expires is removed after a year without use.
  expiresAt: encodeProperty(token.expiresAt ?? now + YEAR_MS),
  usedAt: encodeProperty(now),
});

/**
 * Writes uses in batches, one batch at a time. When too many wait, it drops the newest; the next use is recorded again.
 */
export const createTokenUseRecorder = ({ graph, clock, onFirstUse, onFailure }: TokenUseOptions): TokenUseRecorder => {
  const recent = createExpiringCache<true>(MAX_REMEMBERED);
  let waiting = new Map<string, TokenUseRow>();
  let isWriting = false;

  const write = async (uses: readonly TokenUseRow[]): Promise<void> => {
    const rows = withPositions(uses);
    const written = await graph.write((transaction) => transaction.run(updateTokenUse, { rows }));
    for (const { at, isFirst } of written) {
      const use = uses[at];
      if (isFirst && use) onFirstUse?.({ userId: use.userId, type: use.type, at: clock() });
    }
  };

  const drain = async (): Promise<void> => {
    while (waiting.size > 0) {
      const uses = [...waiting.values()];
      waiting = new Map();
      for (const batch of chunk(uses, BATCH)) await write(batch);
    }
  };

  const start = (): void => {
    if (isWriting) return;
    isWriting = true;
    drain()
      .catch((failure: unknown) => onFailure?.(failure))
      .finally(() => {
        isWriting = false;
      });
  };

  const note = (token: VerifiedToken, user: UserRecord): void => {
    const now = clock();
    const key = tokenUseKey(token);
    if (recent.get(key, now) || waiting.size >= MAX_WAITING) return;
    recent.set(key, true, now + USE_PRECISION_MS);
    waiting.set(key, buildTokenUse(token, user, now));
    start();
  };

  return Object.freeze({ note });
};
