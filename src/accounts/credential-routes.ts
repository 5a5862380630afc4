import { idAddress } from '../catalog/read/answer.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { requireKind } from '../catalog/registry.ts';
import { CatalogError, recordNotFound } from '../errors.ts';
import { AFTER_PARAMETER, integerParameter, limitParameter } from '../http/query-parameters.ts';
import { type Answer, asOwn, type Call, type HttpMethod, type Route } from '../http/route.ts';
import { isUuid } from '../model/uuid.ts';
import { AnyJson, listOf, must, shape, Text, Timestamp } from '../model/values.ts';
import type { Accounts } from './accounts.ts';
import {
  type CredentialKind,
  listCredentials,
  revokeAllSessions,
  revokeAllTokens,
  revokeOneSession,
  revokeOneToken,
} from './credentials.ts';
import { answerUncached } from './session-routes.ts';

const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;

const Credential = shape('Credential', {
  id: must(Text),
  name: must(Text),
  type: must(Text),
  createdAt: must(Timestamp),
  expiresAt: Timestamp,
  lastUsedAt: Timestamp,
  revokedAt: Timestamp,
});
const CredentialList = shape('CredentialList', { data: must(listOf(Credential)), paging: must(AnyJson) });

type PathUser = { readonly id: string; readonly name: string };

/**
 * People manage their own tokens and sessions; administrators manage everybody's. Impersonating callers manage none.
 */
const assertMayManage = ({ principal }: Call, id: string): void => {
  if (principal.isAdmin && principal.impersonatedBy === undefined) return;
  if (principal.id === id && principal.impersonatedBy === undefined) return;
  const message = `Principal: CatalogPrincipal{name='${principal.name}'} operations [GenerateToken] not allowed`;
  throw new CatalogError('forbidden', message);
};

/** The user in the path. Soft-deleted users are included, so that their remaining credentials can be revoked. */
export const findOwner = async ({ engine }: Accounts, call: Call): Promise<PathUser> => {
  const { id } = idAddress(call);
  assertMayManage(call, id);
  const kind = requireKind(engine.registry, 'user');
  const record = isUuid(id) ? await engine.store.record(kind, { id }, NO_FIELDS) : undefined;
  if (!record) throw recordNotFound(kind.entityType, id);
  return { id: record.id, name: record.name };
};

type RevokeCredential = (accounts: Accounts, owner: PathUser, id: string) => Promise<void>;

const REVOKERS: Readonly<Record<CredentialKind, { readonly one: RevokeCredential; readonly all: RevokeCredential }>> = {
  tokens: { one: revokeOneToken, all: revokeAllTokens },
  sessions: { one: revokeOneSession, all: revokeAllSessions },
};

/** The name of the path parameter for one credential. */
const ID_PARAMETERS = { tokens: 'tokenId', sessions: 'sessionId' } as const;

/** Routes that list and revoke a user's tokens and sessions. */
export const credentialRoutes = (accounts: Accounts): Route[] => {
  const user = requireKind(accounts.engine.registry, 'user');

  const answerPage = async (kind: CredentialKind, owner: PathUser, call?: Call): Promise<Answer> => {
    const limit = call ? integerParameter(call.query, 'limit', DEFAULT_LIMIT, 1, MAX_LIMIT) : DEFAULT_LIMIT;
    const after = call?.query.get('after') || undefined;
    return answerUncached(await listCredentials(accounts, kind, owner, { limit, after }));
  };

  const routesOf = (kind: CredentialKind): Route[] => {
    const declare = (method: HttpMethod, path: string, route: Pick<Route, 'summary' | 'handle' | 'query'>): Route => ({
      method,
      path: `/v1/${user.path}/{id}/${kind}${path}`,
      tag: user.title,
      access: 'authenticated',
      responses: { 200: CredentialList },
      ...route,
    });
    const { one, all } = REVOKERS[kind];
    return [
      declare('GET', '', {
        summary: `List the ${kind} of a user`,
        query: [limitParameter(kind, 1, MAX_LIMIT, DEFAULT_LIMIT), AFTER_PARAMETER],
        handle: async (call) => answerPage(kind, await findOwner(accounts, call), call),
      }),
      declare('DELETE', '', {
        summary: `Revoke all ${kind} of a user`,
        handle: async (call) => {
          const owner = await findOwner(accounts, call);
          await all(accounts, owner, '');
          return answerPage(kind, owner);
        },
      }),
      declare('DELETE', `/{${ID_PARAMETERS[kind]}}`, {
        summary: `Revoke a ${kind.slice(0, -1)} of a user`,
        handle: async (call) => {
          const owner = await findOwner(accounts, call);
          await one(accounts, owner, call.params[ID_PARAMETERS[kind]] ?? '');
          return answerPage(kind, owner);
        },
      }),
    ];
  };

  return asOwn([...routesOf('tokens'), ...routesOf('sessions')]);
};
