import { type IndexedRows, statement } from '../graph/statement.ts';

/** The lookup key of a token: the session it names, or otherwise its own digest. */
export type TokenStatusKey = { readonly digest: string | null; readonly sessionId: string | null };

/** What the graph knows of a token. */
export type TokenStatus = {
  readonly isLoggedOut: boolean;
  /** The owner and type of a token that must be stored to be accepted. */
  readonly holderId: string | null;
  readonly tokenType: string | null;
  /** The user of the token's session, the password hash when the session began, and the current one. */
  readonly keeperId: string | null;
  readonly sessionCredential: string | null;
  readonly credential: string | null;
};

export const readTokenStatuses = statement<IndexedRows<TokenStatusKey>, TokenStatus & { at: number }>(
  'accounts/read_token_statuses',
  {
    params: ['rows'],
    row: ['at', 'isLoggedOut', 'holderId', 'tokenType', 'keeperId', 'sessionCredential', 'credential'],
  },
);

export type LoginRow = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly isBot: boolean | null;
  readonly isAdmin: boolean | null;
  readonly deleted: boolean;
  readonly credential: string | null;
};

export const findLogin = statement<{ email: string }, LoginRow>('accounts/find_login', {
  params: ['email'],
  row: ['id', 'name', 'email', 'isBot', 'isAdmin', 'deleted', 'credential'],
});

/** Times and other whole numbers are encoded by the caller, so that they are stored as integers. */
type EncodedInteger = unknown;

type SessionInput = {
  readonly id: string;
  readonly userId: string;
  readonly credential: string;
  readonly configured: readonly string[];
  readonly refreshDigest: string;
  readonly now: EncodedInteger;
  readonly expiresAt: EncodedInteger;
  readonly most: number;
  /** What the provider that signed the person in calls them and their session there. */
  readonly providerSubject: string | null;
  readonly providerSession: string | null;
};

export const createSession = statement<SessionInput, { id: string }>('accounts/create_session', {
  params: [
    'id',
    'userId',
    'credential',
    'configured',
    'refreshDigest',
    'now',
    'expiresAt',
    'most',
    'providerSubject',
    'providerSession',
  ],
  row: ['id'],
});

type SessionRenewal = {
  readonly id: string;
  readonly digest: string;
  readonly nextDigest: string;
  readonly configured: readonly string[];
  readonly now: EncodedInteger;
  readonly expiresAt: EncodedInteger;
  /** How long the token that was replaced last may be repeated. */
  readonly leewayMs: EncodedInteger;
};

export const updateSession = statement<
  SessionRenewal,
  { isRenewed: boolean; isRepeated: boolean; isReused: boolean; name: string; email: string }
>('accounts/update_session', {
  params: ['id', 'digest', 'nextDigest', 'configured', 'now', 'expiresAt', 'leewayMs'],
  row: ['isRenewed', 'isRepeated', 'isReused', 'name', 'email'],
});
export const deleteSession = statement<{ id: string; name: string | null }, { userName: string; credential: string }>(
  'accounts/delete_session',
  { params: ['id', 'name'], row: ['userName', 'credential'] },
);
export const createLogout = statement<{ digest: string; expiresAt: EncodedInteger }, { digest: string }>(
  'accounts/create_logout',
  { params: ['digest', 'expiresAt'], row: ['digest'] },
);

type DigestsRow = { readonly digests: readonly string[] };

type BotTokenInput = {
  readonly userId: string;
  readonly replaces: boolean;
  readonly digest: string;
  readonly id: string;
  readonly sealed: string;
  readonly expiry: string;
  readonly now: EncodedInteger;
  readonly expiresAt: EncodedInteger;
};

export const createBotToken = statement<BotTokenInput, DigestsRow>('accounts/create_bot_token', {
  params: ['userId', 'replaces', 'digest', 'id', 'sealed', 'expiry', 'now', 'expiresAt'],
  row: ['digests'],
});

export type BotTokenRow = { readonly sealed: string; readonly expiry: string; readonly expiresAt: number | null };

export const readBotToken = statement<{ userId: string }, BotTokenRow>('accounts/read_bot_token', {
  params: ['userId'],
  row: ['sealed', 'expiry', 'expiresAt'],
});
export const deleteBotToken = statement<{ userId: string }, DigestsRow>('accounts/delete_bot_token', {
  params: ['userId'],
  row: ['digests'],
});

type PersonalTokenInput = {
  readonly userId: string;
  readonly digest: string;
  readonly id: string;
  readonly name: string;
  readonly now: EncodedInteger;
  readonly expiresAt: EncodedInteger;
  readonly most: number;
};

export const createPersonalToken = statement<PersonalTokenInput, { id: string }>('accounts/create_personal_token', {
  params: ['userId', 'digest', 'id', 'name', 'now', 'expiresAt', 'most'],
  row: ['id'],
});

export type PersonalTokenRow = { readonly id: string; readonly name: string; readonly expiresAt: number };

export const listPersonalTokens = statement<{ userId: string; now: EncodedInteger }, PersonalTokenRow>(
  'accounts/list_personal_tokens',
  { params: ['userId', 'now'], row: ['id', 'name', 'expiresAt'] },
);
export const deletePersonalTokens = statement<{ userId: string; ids: readonly string[] }, { digest: string }>(
  'accounts/delete_personal_tokens',
  { params: ['userId', 'ids'], row: ['digest'] },
);

export const deleteExpiredCredentials = statement<{ now: EncodedInteger; limit: number }, { removed: number }>(
  'accounts/delete_expired',
  {
    params: ['now', 'limit'],
    row: ['removed'],
  },
);
