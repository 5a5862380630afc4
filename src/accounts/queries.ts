import { type Rows, statement } from '../graph/statement.ts';

/** What a token is looked up by: the session it names, or else its own digest. */
export type StandingKey = { readonly digest: string | null; readonly sessionId: string | null };

/** What the graph knows of a token. */
export type Standing = {
  readonly isLoggedOut: boolean;
  /** Whose token this is, and of what type, if it is one of those that must be known to count. */
  readonly holderId: string | null;
  readonly tokenType: string | null;
  /** Whose session the token belongs to, the password it was begun with, and the one they have now. */
  readonly keeperId: string | null;
  readonly sessionCredential: string | null;
  readonly credential: string | null;
};

export const readStandings = statement<Rows<StandingKey>, Standing & { at: number }>('account/read_standing', {
  params: ['rows'],
  row: ['at', 'isLoggedOut', 'holderId', 'tokenType', 'keeperId', 'sessionCredential', 'credential'],
});

export type PersonRow = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly isBot: boolean | null;
  readonly deleted: boolean;
  readonly credential: string | null;
};

export const readPerson = statement<{ email: string }, PersonRow>('account/read_person', {
  params: ['email'],
  row: ['id', 'name', 'email', 'isBot', 'deleted', 'credential'],
});

/** Moments and other whole numbers are encoded by the caller, so that they are kept as such. */
type Whole = unknown;

type NewSession = {
  readonly id: string;
  readonly userId: string;
  readonly credential: string;
  readonly configured: string | null;
  readonly refreshDigest: string;
  readonly now: Whole;
  readonly expiresAt: Whole;
  readonly most: number;
};

export const createSession = statement<NewSession, { id: string }>('account/create_session', {
  params: ['id', 'userId', 'credential', 'configured', 'refreshDigest', 'now', 'expiresAt', 'most'],
  row: ['id'],
});

type Renewal = {
  readonly id: string;
  readonly digest: string;
  readonly nextDigest: string;
  readonly configured: string | null;
  readonly now: Whole;
  readonly expiresAt: Whole;
};

export const renewSession = statement<Renewal, { isRenewed: boolean; isReused: boolean; name: string; email: string }>(
  'account/renew_session',
  {
    params: ['id', 'digest', 'nextDigest', 'configured', 'now', 'expiresAt'],
    row: ['isRenewed', 'isReused', 'name', 'email'],
  },
);
export const deleteSession = statement<{ id: string; name: string }, { id: string }>('account/delete_session', {
  params: ['id', 'name'],
  row: ['id'],
});
export const createLogout = statement<{ digest: string; expiresAt: Whole }, { digest: string }>(
  'account/create_logout',
  { params: ['digest', 'expiresAt'], row: ['digest'] },
);

type Digests = { readonly digests: readonly string[] };

type NewBotToken = {
  readonly userId: string;
  readonly replaces: boolean;
  readonly digest: string;
  readonly id: string;
  readonly sealed: string;
  readonly expiry: string;
  readonly now: Whole;
  readonly expiresAt: Whole;
};

export const createBotToken = statement<NewBotToken, Digests>('account/create_bot_token', {
  params: ['userId', 'replaces', 'digest', 'id', 'sealed', 'expiry', 'now', 'expiresAt'],
  row: ['digests'],
});

export type BotTokenRow = { readonly sealed: string; readonly expiry: string; readonly expiresAt: number | null };

export const readBotToken = statement<{ userId: string }, BotTokenRow>('account/read_bot_token', {
  params: ['userId'],
  row: ['sealed', 'expiry', 'expiresAt'],
});
export const deleteBotToken = statement<{ userId: string }, Digests>('account/delete_bot_token', {
  params: ['userId'],
  row: ['digests'],
});

type NewPersonalToken = {
  readonly userId: string;
  readonly digest: string;
  readonly id: string;
  readonly name: string;
  readonly now: Whole;
  readonly expiresAt: Whole;
  readonly most: number;
};

export const createPersonalToken = statement<NewPersonalToken, { id: string }>('account/create_personal_token', {
  params: ['userId', 'digest', 'id', 'name', 'now', 'expiresAt', 'most'],
  row: ['id'],
});

export type PersonalTokenRow = { readonly id: string; readonly name: string; readonly expiresAt: number };

export const listPersonalTokens = statement<{ userId: string; now: Whole }, PersonalTokenRow>(
  'account/list_personal_tokens',
  { params: ['userId', 'now'], row: ['id', 'name', 'expiresAt'] },
);
export const deletePersonalTokens = statement<{ userId: string; ids: readonly string[] }, { digest: string }>(
  'account/delete_personal_tokens',
  { params: ['userId', 'ids'], row: ['digest'] },
);

export const deleteExpired = statement<{ now: Whole; limit: number }, { removed: number }>('account/delete_expired', {
  params: ['now', 'limit'],
  row: ['removed'],
});
