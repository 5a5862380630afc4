import { type IndexedRows, statement } from '../graph/statement.ts';

/** Times and other whole numbers are encoded by the caller, so that they are stored as integers. */
type StoredInteger = unknown;

type CredentialPageParams = {
  readonly userId: string;
  readonly now: StoredInteger;
  readonly afterTime: StoredInteger;
  readonly afterId: string | null;
  readonly limit: number;
};

export type TokenListRow = {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
};

export const listTokens = statement<CredentialPageParams, TokenListRow>('accounts/list_tokens', {
  params: ['userId', 'now', 'afterTime', 'afterId', 'limit'],
  row: ['id', 'name', 'type', 'createdAt', 'expiresAt', 'lastUsedAt', 'revokedAt'],
});

export type SessionListRow = Pick<TokenListRow, 'id' | 'createdAt' | 'lastUsedAt'> & { readonly expiresAt: number };

export const listSessions = statement<CredentialPageParams, SessionListRow>('accounts/list_sessions', {
  params: ['userId', 'now', 'afterTime', 'afterId', 'limit'],
  row: ['id', 'createdAt', 'expiresAt', 'lastUsedAt'],
});

export const countCredentials = statement<{ userId: string; now: StoredInteger }, { tokens: number; sessions: number }>(
  'accounts/count_credentials',
  { params: ['userId', 'now'], row: ['tokens', 'sessions'] },
);

type TokenRevocation = {
  readonly userId: string;
  readonly id: string;
  readonly now: StoredInteger;
  readonly keptBeyond: StoredInteger;
};

export const deleteToken = statement<TokenRevocation, { digest: string }>('accounts/delete_token', {
  params: ['userId', 'id', 'now', 'keptBeyond'],
  row: ['digest'],
});
export const deleteTokens = statement<{ userId: string; now: StoredInteger }, { digests: readonly string[] }>(
  'accounts/delete_tokens',
  { params: ['userId', 'now'], row: ['digests'] },
);
export const deleteSessions = statement<{ userId: string; id: string | null }, { id: string }>(
  'accounts/delete_sessions',
  { params: ['userId', 'id'], row: ['id'] },
);

/** The use of one token or session, as stored. */
export type TokenUseRow = {
  readonly key: string;
  readonly id: string;
  readonly userId: string;
  readonly type: string;
  readonly issuedAt: StoredInteger;
  readonly expiresAt: StoredInteger;
  readonly usedAt: StoredInteger;
};

export const updateTokenUse = statement<IndexedRows<TokenUseRow>, { at: number; isFirst: boolean }>(
  'accounts/update_token_use',
  {
    params: ['rows'],
    row: ['at', 'isFirst'],
  },
);
