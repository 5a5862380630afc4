import { type Rows, statement } from '../graph/statement.ts';

/** Moments and other whole numbers are encoded by the caller, so that they are stored as such. */
type Whole = unknown;

type Page = {
  readonly userId: string;
  readonly now: Whole;
  readonly afterTime: Whole;
  readonly afterId: string | null;
  readonly limit: number;
};

export type TokenRow = {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
};

export const listTokens = statement<Page, TokenRow>('account/list_tokens', {
  params: ['userId', 'now', 'afterTime', 'afterId', 'limit'],
  row: ['id', 'name', 'type', 'createdAt', 'expiresAt', 'lastUsedAt', 'revokedAt'],
});

export type SessionRow = Pick<TokenRow, 'id' | 'createdAt' | 'lastUsedAt'> & { readonly expiresAt: number };

export const listSessions = statement<Page, SessionRow>('account/list_sessions', {
  params: ['userId', 'now', 'afterTime', 'afterId', 'limit'],
  row: ['id', 'createdAt', 'expiresAt', 'lastUsedAt'],
});

export const countTokens = statement<{ userId: string; now: Whole }, { tokens: number; sessions: number }>(
  'account/count_tokens',
  { params: ['userId', 'now'], row: ['tokens', 'sessions'] },
);

type Revocation = {
  readonly userId: string;
  readonly id: string;
  readonly now: Whole;
  readonly keptBeyond: Whole;
};

export const revokeToken = statement<Revocation, { digest: string }>('account/revoke_token', {
  params: ['userId', 'id', 'now', 'keptBeyond'],
  row: ['digest'],
});
export const revokeTokens = statement<{ userId: string; now: Whole }, { digests: readonly string[] }>(
  'account/revoke_tokens',
  { params: ['userId', 'now'], row: ['digests'] },
);
export const revokeSessions = statement<{ userId: string; id: string | null }, { id: string }>(
  'account/revoke_sessions',
  { params: ['userId', 'id'], row: ['id'] },
);

/** The use of one token or session, as it is stored. */
export type UseRow = {
  readonly key: string;
  readonly id: string;
  readonly userId: string;
  readonly type: string;
  readonly issuedAt: Whole;
  readonly expiresAt: Whole;
  readonly usedAt: Whole;
};

export const recordTokenUse = statement<Rows<UseRow>, { at: number; isFirst: boolean }>('account/record_token_use', {
  params: ['rows'],
  row: ['at', 'isFirst'],
});
