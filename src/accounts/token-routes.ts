import { demandAdmin } from '../access/authorization.ts';
import type { Principal } from '../access/principal.ts';
import { createView, idAddress } from '../catalog/read/answer.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { renderRecord } from '../catalog/read/render.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { badRequest, CatalogError, recordNotFound } from '../errors.ts';
import type { Answer, Call, HttpMethod, Route } from '../http/route.ts';
import { isObject } from '../model/json.ts';
import { AuthMechanism, TOKEN_EXPIRIES, TokenExpiry } from '../model/schemas/people/person.ts';
import { isUuid } from '../model/uuid.ts';
import { AnyJson, listOf, must, oneOf, PlainName, shape, Text, Timestamp, Uuid } from '../model/values.ts';
import type { Accounts } from './accounts.ts';
import { credentialRoutes } from './credential-routes.ts';
import { identityRoutes } from './identity-routes.ts';
import { ACCOUNT_BODY, answerUncached, readAccountBody } from './session-routes.ts';
import {
  findOrCreateBotToken,
  findPersonalTokens,
  issuePersonalToken,
  type PersonalToken,
  replaceBotToken,
  revokeBotToken,
  withdrawPersonalTokens,
} from './tokens.ts';

const forbiddenOperation = ({ name }: Principal, operation: string) =>
  new CatalogError('forbidden', `Principal: CatalogPrincipal{name='${name}'} operations [${operation}] not allowed`);

const findUser = async ({ engine }: Accounts, id: string): Promise<Snapshot> => {
  const kind = requireKind(engine.registry, 'user');
  const record = isUuid(id) ? await engine.store.record(kind, { id }, NO_FIELDS) : undefined;
  if (!record || record.deleted) throw recordNotFound(kind.entityType, id);
  return record;
};

const holderOf = ({ id, name, values }: Snapshot) => ({ id, name, email: String(values['email'] ?? '') });

/** Finds a bot for an administrator. Only administrators manage tokens of bots, whatever policies grant. */
const findBot = async (accounts: Accounts, principal: Principal, id: string) => {
  const record = await findUser(accounts, id);
  demandAdmin(principal, 'GenerateToken');
  if (record.values['isBot'] !== true) throw badRequest(`user ${record.name} is not a bot`);
  return record;
};

const GenerateToken = shape('GenerateTokenRequest', { id: Uuid, JWTTokenExpiry: TokenExpiry });
const JwtMechanism = shape('JWTAuthMechanism', {
  JWTToken: Text,
  JWTTokenExpiry: must(TokenExpiry),
  JWTTokenExpiresAt: Timestamp,
});

const generateBotToken = async (accounts: Accounts, call: Call): Promise<Answer> => {
  type Body = { readonly id?: string; readonly JWTTokenExpiry?: TokenExpiry };
  const { id: named, JWTTokenExpiry: expiry = 'Unlimited' } = await readAccountBody<Body>(call, GenerateToken);
  const { id } = idAddress(call);
  if (named !== undefined && named !== id) throw badRequest('[id must equal the id in the path]');
  const record = await findBot(accounts, call.principal, id);
  return answerUncached(await replaceBotToken(accounts, holderOf(record), expiry));
};

const RevokeToken = shape('RevokeTokenRequest', { id: must(Uuid) });

const revokeToken = async (accounts: Accounts, call: Call): Promise<Answer> => {
  const { id } = await readAccountBody<{ readonly id: string }>(call, RevokeToken);
  const record = await findBot(accounts, call.principal, id);
  await revokeBotToken(accounts, holderOf(record));
  return { status: 200, json: renderRecord(record, createView(accounts.engine, call, NO_FIELDS)) };
};

const requestedExpiry = ({ values }: Snapshot): TokenExpiry | undefined => {
  const mechanism = values['authenticationMechanism'];
  if (!isObject(mechanism) || mechanism['authType'] !== 'JWT') return undefined;
  const config = isObject(mechanism['config']) ? mechanism['config'] : {};
  return TOKEN_EXPIRIES.find((expiry) => expiry === config['JWTTokenExpiry']) ?? 'Unlimited';
};

/** Only administrators see how a user authenticates. A bot may read its own token and no other. */
const readAuthMechanism = async (accounts: Accounts, call: Call): Promise<Answer> => {
  const { principal } = call;
  const record = await findUser(accounts, idAddress(call).id);
  const isOwn = principal.isBot && principal.id === record.id && principal.impersonatedBy === undefined;
  if (!principal.isAdmin && !isOwn) throw forbiddenOperation(principal, 'ViewAll');
  if (record.values['isBot'] !== true) {
    return answerUncached(record.values['password'] === undefined ? {} : { authType: 'BASIC' });
  }
  const { token, isNew } = await findOrCreateBotToken(accounts, holderOf(record), requestedExpiry(record));
  return { ...answerUncached(token ? { authType: 'JWT', config: token } : {}), audited: { issuesToken: isNew } };
};

const PersonalTokens = shape('PersonalAccessToken', {
  token: must(Uuid),
  tokenName: must(Text),
  userId: must(Uuid),
  tokenType: must(oneOf(['PERSONAL_ACCESS_TOKEN'])),
  expiryDate: must(Timestamp),
  jwtToken: Text,
});
const PersonalTokenList = shape('PersonalAccessTokenList', {
  data: must(listOf(PersonalTokens)),
  paging: must(AnyJson),
});
const CreatePersonal = shape('CreatePersonalToken', { tokenName: must(PlainName), JWTTokenExpiry: TokenExpiry });
const RevokePersonal = shape('RevokePersonalToken', { tokenIds: must(listOf(Uuid, 1000)) });

/** Throws unless the caller is a person acting for themselves. Impersonating callers and bots get no personal token. */
const assertPerson = ({ principal }: Call): Principal => {
  if (principal.impersonatedBy !== undefined) throw forbiddenOperation(principal, 'GenerateToken');
  if (principal.isBot) throw badRequest('A bot cannot have personal tokens; it has a bot token');
  return principal;
};

const listAnswer = (data: readonly PersonalToken[]): Answer => answerUncached({ data, paging: { total: data.length } });

const createPersonalToken = async (accounts: Accounts, call: Call): Promise<Answer> => {
  type Body = { readonly tokenName: string; readonly JWTTokenExpiry?: TokenExpiry };
  const { tokenName, JWTTokenExpiry: expiry = '30' } = await readAccountBody<Body>(call, CreatePersonal);
  return answerUncached(await issuePersonalToken(accounts, assertPerson(call), tokenName, expiry));
};

const listPersonalTokens = async (accounts: Accounts, call: Call): Promise<Answer> =>
  listAnswer(await findPersonalTokens(accounts, assertPerson(call).id));

const revokePersonalTokens = async (accounts: Accounts, call: Call): Promise<Answer> => {
  const { tokenIds } = await readAccountBody<{ readonly tokenIds: readonly string[] }>(call, RevokePersonal);
  const { id } = assertPerson(call);
  await withdrawPersonalTokens(accounts, id, tokenIds);
  return listAnswer(await findPersonalTokens(accounts, id));
};

type TokenRouteSpec = Pick<Route, 'summary' | 'access' | 'responses' | 'body'> & {
  readonly handle: (accounts: Accounts, call: Call) => Promise<Answer>;
};

/** Routes for tokens of bots and for personal tokens. */
export const tokenRoutes = (accounts: Accounts): Route[] => {
  const user = requireKind(accounts.engine.registry, 'user');
  const declare = (method: HttpMethod, path: string, { handle, ...route }: TokenRouteSpec): Route => ({
    method,
    path: `/v1/${user.path}/${path}`,
    tag: user.title,
    showsCredentials: true,
    ...route,
    handle: (call) => handle(accounts, call),
  });
  const byAdmin = { operation: 'GenerateToken', resource: user.entityType };
  return [
    declare('PUT', 'generateToken/{id}', {
      summary: 'Generate a bot token and revoke the previous one',
      access: byAdmin,
      body: { schema: GenerateToken, ...ACCOUNT_BODY },
      responses: { 200: JwtMechanism },
      handle: generateBotToken,
    }),
    declare('PUT', 'revokeToken', {
      summary: 'Revoke the token of a bot',
      access: byAdmin,
      body: { schema: RevokeToken, ...ACCOUNT_BODY },
      responses: { 200: schema.recordSchema(user) },
      handle: revokeToken,
    }),
    declare('GET', 'auth-mechanism/{id}', {
      summary: 'Get the authentication mechanism of a user, including the token of a bot',
      access: { operation: 'ViewAll', resource: user.entityType },
      responses: { 200: AuthMechanism },
      handle: readAuthMechanism,
    }),
    declare('PUT', 'security/token', {
      summary: 'Create a personal access token; only this answer contains it',
      access: 'authenticated',
      body: { schema: CreatePersonal, ...ACCOUNT_BODY },
      responses: { 200: PersonalTokens },
      handle: createPersonalToken,
    }),
    declare('GET', 'security/token', {
      summary: 'List your personal access tokens, without the tokens themselves',
      access: 'authenticated',
      responses: { 200: PersonalTokenList },
      handle: listPersonalTokens,
    }),
    declare('PUT', 'security/token/revoke', {
      summary: 'Revoke personal access tokens and return the remaining ones',
      access: 'authenticated',
      body: { schema: RevokePersonal, ...ACCOUNT_BODY },
      responses: { 200: PersonalTokenList },
      handle: revokePersonalTokens,
    }),
    ...credentialRoutes(accounts),
    ...identityRoutes(accounts),
  ];
};
