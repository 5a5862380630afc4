import { CLOCK_SKEW_SECONDS } from '../access/token-verifier.ts';
import { badRequest, CatalogError } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { Accounts } from './accounts.ts';
import {
  countCredentials,
  deleteSessions,
  deleteToken,
  deleteTokens,
  listSessions,
  listTokens,
  type SessionListRow,
  type TokenListRow,
} from './credential-queries.ts';

/** A token or a session as its list shows it. */
export type Credential = {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly lastUsedAt?: number;
  readonly revokedAt?: number;
};

export type CredentialPage = {
  readonly data: readonly Credential[];
  readonly paging: { readonly total: number; readonly after?: string };
};

export type CredentialKind = 'tokens' | 'sessions';

type CredentialOwner = { readonly id: string; readonly name: string };
type CredentialSlice = { readonly limit: number; readonly after: string | undefined };

const TYPE_NAMES: Readonly<Record<string, string>> = {
  BOT: 'Token of the bot',
  OM_USER: 'Token issued for a person',
  PROVIDER: 'Token of an identity provider',
  SESSION: 'Session',
};

/** A revoked token of a provider or of the command line is refused until no clock difference could make it valid. */
const REFUSED_BEYOND_MS = 2 * CLOCK_SKEW_SECONDS * 1000;

const describeCredential = (row: SessionListRow & Partial<TokenListRow>): Credential => {
  const { id, name, type = 'SESSION', createdAt, expiresAt, lastUsedAt, revokedAt } = row;
  return {
    id,
    name: name || (TYPE_NAMES[type] ?? type),
    type,
    createdAt,
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(lastUsedAt === null ? {} : { lastUsedAt }),
    ...(revokedAt === null || revokedAt === undefined ? {} : { revokedAt }),
  };
};

const encodeCredentialCursor = ({ createdAt, id }: Credential): string =>
  Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');

/** Decodes a page cursor. Throws bad_request for a cursor that this list did not return. */
const decodeCredentialCursor = (after: string | undefined): { afterTime: unknown; afterId: string | null } => {
  if (after === undefined) return { afterTime: null, afterId: null };
  try {
    const [time, id] = JSON.parse(Buffer.from(after, 'base64url').toString('utf8')) as readonly unknown[];
    if (typeof time === 'number' && Number.isSafeInteger(time) && typeof id === 'string') {
      return { afterTime: encodeProperty(time), afterId: id };
    }
  } catch {
    // Text that is not JSON is not a cursor.
  }
  throw badRequest('[after must be a cursor of this list]');
};

/** Lists the tokens or the sessions of a user, the newest first. */
export const listCredentials = async (
  { engine }: Accounts,
  kind: CredentialKind,
  owner: CredentialOwner,
  { limit, after }: CredentialSlice,
): Promise<CredentialPage> => {
  const page = {
    userId: owner.id,
    now: encodeProperty(engine.clock()),
    ...decodeCredentialCursor(after),
    limit: limit + 1,
  };
  const [rows, [counted]] = await Promise.all([
    kind === 'tokens' ? engine.graph.read(listTokens, page) : engine.graph.read(listSessions, page),
    engine.graph.read(countCredentials, { userId: owner.id, now: page.now }),
  ]);
  const data = rows.slice(0, limit).map((row) => describeCredential(row as SessionListRow & Partial<TokenListRow>));
  const last = data.at(-1);
  const next = rows.length > limit && last ? { after: encodeCredentialCursor(last) } : {};
  return { data, paging: { total: counted?.[kind] ?? 0, ...next } };
};

const credentialNotFound = (kind: string, id: string) =>
  new CatalogError('not_found', `${kind} instance for ${id} not found`);

/** Revokes one token of a user. Throws not_found when the user has no such token. */
export const revokeOneToken = async (
  { engine, standings }: Accounts,
  owner: CredentialOwner,
  id: string,
): Promise<void> => {
  const revocation = {
    userId: owner.id,
    id,
    now: encodeProperty(engine.clock()),
    keptBeyond: encodeProperty(REFUSED_BEYOND_MS),
  };
  const rows = await engine.graph.write((transaction) => transaction.run(deleteToken, revocation));
  if (rows.length === 0) throw credentialNotFound('token', id);
  standings.forgetTokens(rows.map(({ digest }) => digest));
};

/** Revokes every token of a user that was issued until now, including tokens that are not stored. */
export const revokeAllTokens = async (accounts: Accounts, owner: CredentialOwner): Promise<void> => {
  const { engine, standings, forgetUser } = accounts;
  const all = { userId: owner.id, now: encodeProperty(engine.clock()) };
  const rows = await engine.graph.write((transaction) => transaction.run(deleteTokens, all));
  standings.forgetTokens(rows.flatMap(({ digests }) => digests));
  forgetUser(owner.name);
};

const endSessions = async ({ engine, standings }: Accounts, userId: string, id: string | null): Promise<number> => {
  const rows = await engine.graph.write((transaction) => transaction.run(deleteSessions, { userId, id }));
  for (const row of rows) standings.forgetSession(row.id);
  return rows.length;
};

/** Ends one session of a user. Throws not_found when the user has no such session. */
export const revokeOneSession = async (accounts: Accounts, owner: CredentialOwner, id: string): Promise<void> => {
  if ((await endSessions(accounts, owner.id, id)) === 0) throw credentialNotFound('session', id);
};

/** Ends every session of a user. */
export const revokeAllSessions = async (accounts: Accounts, owner: CredentialOwner): Promise<void> => {
  await endSessions(accounts, owner.id, null);
};
