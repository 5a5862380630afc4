import { randomUUID } from 'node:crypto';
import { createCache } from '../access/cache.ts';
import type { UserRecord } from '../access/principal.ts';
import type { VerifiedToken } from '../access/verify.ts';
import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/property.ts';
import { piecesOf } from '../model/pieces.ts';
import { recordTokenUse, type UseRow } from './credential-queries.ts';

/** A token that was used for the first time since it was issued. */
export type FirstUse = { readonly userId: string; readonly type: string; readonly at: number };

/** Remembers when tokens and sessions were used last. Nobody waits for it, and nobody is refused because of it. */
export type TokenUses = { note(token: VerifiedToken, user: UserRecord): void };

type Options = {
  readonly graph: Graph;
  readonly clock: () => number;
  readonly onFirstUse?: (use: FirstUse) => void;
  readonly onFailure?: (failure: unknown) => void;
};

/** How exact the time of the last use is. */
const EXACT_TO_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const MAX_WAITING = 5_000;
const BATCH = 500;
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

const useKey = ({ sessionId, digest }: VerifiedToken): string =>
  sessionId === undefined ? `token ${digest}` : `session ${sessionId}`;

const useType = ({ sessionId, issuedHere, tokenType }: VerifiedToken): string => {
  if (sessionId !== undefined) return 'SESSION';
  return issuedHere ? tokenType : 'PROVIDER';
};

const describeUse = (token: VerifiedToken, user: UserRecord, now: number): UseRow => ({
  key: useKey(token),
  id: randomUUID(),
  userId: user.id,
  type: useType(token),
  issuedAt: encodeProperty(token.issuedAt ?? now),
  // What never expires is forgotten when it was not used for a year.
  expiresAt: encodeProperty(token.expiresAt ?? now + YEAR_MS),
  usedAt: encodeProperty(now),
});

/** Writes uses in batches, one batch at a time. Where too many wait, the newest are dropped: the next use is noted again. */
export const createTokenUses = ({ graph, clock, onFirstUse, onFailure }: Options): TokenUses => {
  const recent = createCache<true>(MAX_REMEMBERED);
  let waiting = new Map<string, UseRow>();
  let isWriting = false;

  const write = async (uses: readonly UseRow[]): Promise<void> => {
    const rows = uses.map((use, at) => ({ ...use, at }));
    const written = await graph.write((transaction) => transaction.run(recordTokenUse, { rows }));
    for (const { at, isFirst } of written) {
      const use = uses[at];
      if (isFirst && use) onFirstUse?.({ userId: use.userId, type: use.type, at: clock() });
    }
  };

  const drain = async (): Promise<void> => {
    while (waiting.size > 0) {
      const uses = [...waiting.values()];
      waiting = new Map();
      for (const batch of piecesOf(uses, BATCH)) await write(batch);
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
    const key = useKey(token);
    if (recent.get(key, now) || waiting.size >= MAX_WAITING) return;
    recent.set(key, true, now + EXACT_TO_MS);
    waiting.set(key, describeUse(token, user, now));
    start();
  };

  return Object.freeze({ note });
};
