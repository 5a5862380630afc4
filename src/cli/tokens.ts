import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { replaceSecretFile } from '../access/key-file.ts';
import { ISSUER, SYSTEM_PRINCIPAL } from '../access/service-identity.ts';
import { loadSigningKey } from '../access/signing-key.ts';
import { issueToken, parseTokenLifetime } from '../access/token.ts';
import { type Config, readConfig } from '../config.ts';
import { StartupError } from '../errors.ts';
import { joinFqn } from '../model/name.ts';
import { openAnswer } from './answer-result.ts';
import { requestBotToken } from './bot-token.ts';
import type { CommandEnvironment, CommandInput } from './command.ts';
import { localAddress } from './service-client.ts';

const ADMIN_TOKEN_TTL = '24h';
/** How long a token of a person lasts unless the line says so. */
const PERSON_TTL = '1h';

const adminTokenPath = ({ home }: Config): string => join(home, 'admin.token');

/** The name of the administrator for whom the last start wrote a token. */
const administratorName = async (config: Config): Promise<string> => {
  const token = await readFile(adminTokenPath(config), 'utf8').catch(() => undefined);
  if (token === undefined) return SYSTEM_PRINCIPAL.name;
  try {
    return decodeJwt(token.trim()).sub ?? SYSTEM_PRINCIPAL.name;
  } catch {
    return SYSTEM_PRINCIPAL.name;
  }
};

const signToken = async ({ home, auth }: Config, name: string, ttl: string, userId?: string): Promise<string> =>
  issueToken(await loadSigningKey({ home, keyFile: auth.keyFile }), {
    issuer: ISSUER,
    user: { name, email: `${name}@${auth.principalDomain}` },
    isBot: false,
    tokenType: 'OM_USER',
    ttlSeconds: parseTokenLifetime(ttl),
    now: Date.now(),
    ...(userId === undefined ? {} : { userId }),
  });

/** A short-lived administrator token for the commands themselves. */
const commandToken = async (config: Config): Promise<string> =>
  signToken(config, await administratorName(config), '5m');

type UserReply = { readonly id: string; readonly isBot?: boolean; readonly deleted?: boolean };
type ServiceReply = {
  readonly server: string;
  readonly status: number;
  readonly body: UserReply & { message?: string };
};

/** A running service looks for new keys every two seconds, so it may not know the one that a command signs with yet. */
const KEY_TRIES = 8;
const KEY_PAUSE_MS = 500;

/** Calls the running service. Undefined when it does not respond. */
const callService = async (config: Config, method: string, path: string): Promise<ServiceReply | undefined> => {
  const server = await localAddress(config);
  const ask = async () => {
    const headers = { authorization: `Bearer ${await commandToken(config)}` };
    return fetch(`${server}/v1/users/${path}`, { method, headers }).catch(() => undefined);
  };
  let response = await ask();
  for (let attempt = 1; response?.status === 401 && attempt < KEY_TRIES; attempt += 1) {
    await sleep(KEY_PAUSE_MS);
    response = await ask();
  }
  if (response === undefined) return undefined;
  const text = await response.text();
  return { server, status: response.status, body: text === '' ? {} : JSON.parse(text) };
};

const findUser = (config: Config, name: string): Promise<ServiceReply | undefined> =>
  callService(config, 'GET', `name/${encodeURIComponent(joinFqn(undefined, name))}?include=all`);

const noSuchUser = (name: string) => new StartupError(`There is no user ${name}, so a token would be refused`);

/** The id of a person. Throws a StartupError when their token would be refused, and when this cannot be checked. */
const findPersonId = async (config: Config, name: string): Promise<string> => {
  const reply = await findUser(config, name);
  if (reply?.status === 404) throw noSuchUser(name);
  if (reply?.status !== 200) {
    const why = reply ? `answered ${reply.status}` : 'does not answer';
    throw new StartupError(`The service ${why}, so nobody knows whether there is a user ${name}: no token is issued`);
  }
  if (reply.body.deleted) throw new StartupError(`The user ${name} is deleted, so a token would be refused`);
  if (reply.body.isBot) throw new StartupError(`The user ${name} is a bot: add --bot`);
  return reply.body.id;
};

/**
 * Reads the settings. Throws a StartupError where no service has ever made a
 * home, because keys there sign for nobody.
 */
export const readHomeConfig = async (env: CommandEnvironment): Promise<Config> => {
  const config = readConfig(env);
  await stat(config.home).catch((cause: unknown) => {
    throw new StartupError(`There is no folder ${config.home}: set TRIBUTARY_HOME to the folder of the service`, {
      cause,
    });
  });
  return config;
};

/** The name that the line gives, as the catalog spells names of users. */
const userIn = ({ text }: CommandInput): string => (text('user') ?? '').toLowerCase();

const createToken = async (config: Config, name: string, input: CommandInput): Promise<string> => {
  const ttl = input.text('ttl');
  if (input.has('bot')) {
    const remote = { server: await localAddress(config), token: await commandToken(config), send: fetch };
    return requestBotToken(remote, name, ttl);
  }
  // An invalid lifetime is reported before the service is called.
  parseTokenLifetime(ttl ?? PERSON_TTL);
  return signToken(config, name, ttl ?? PERSON_TTL, await findPersonId(config, name));
};

/** `tributary token issue`. */
export const issueTokenCommand = async (input: CommandInput): Promise<number> => {
  const config = await readHomeConfig(input.env);
  const user = userIn(input);
  const token = await createToken(config, user, input);
  const { exp } = decodeJwt(token);
  const ends = exp === undefined ? {} : { expiresAt: new Date(exp * 1000).toISOString() };
  openAnswer(input).result({ user, token, ...ends }, token);
  return 0;
};

const demandSuccess = (reply: ServiceReply | undefined, what: string): ServiceReply => {
  if (reply === undefined) throw new StartupError(`No service answers, so ${what}. Start it with "npm start".`);
  if (reply.status === 200) return reply;
  throw new StartupError(`${reply.server} answered ${reply.status}: ${reply.body.message ?? ''}`);
};

/** Replaces the admin token file after its administrator's tokens were revoked, so that other commands keep working. */
const renewAdminToken = async (config: Config, name: string): Promise<void> => {
  if (name !== (await administratorName(config))) return;
  await replaceSecretFile(adminTokenPath(config), `${await signToken(config, name, ADMIN_TOKEN_TTL)}\n`);
};

/** `tributary token revoke`: revokes every token and session of a user or bot. */
export const revokeTokensCommand = async (input: CommandInput): Promise<number> => {
  const config = await readHomeConfig(input.env);
  const name = userIn(input);
  const found = await findUser(config, name);
  if (found?.status === 404) throw new StartupError(`There is no user ${name}`);
  const { id } = demandSuccess(found, 'nothing was revoked').body;
  // Sessions go first: revoking the tokens also revokes the one used for these requests, when it is the user's own.
  for (const kind of ['sessions', 'tokens']) {
    demandSuccess(await callService(config, 'DELETE', `${id}/${kind}`), `not all ${kind} were revoked`);
  }
  await renewAdminToken(config, name);
  openAnswer(input).result(
    { user: name, revoked: ['sessions', 'tokens'] },
    `All tokens and sessions of ${name} are revoked.`,
  );
  return 0;
};

/** Replaces the admin token file when the key that signed its token was retired. */
export const refreshAdminToken = async (config: Config): Promise<void> => {
  const name = await administratorName(config);
  const present = await readFile(adminTokenPath(config), 'utf8').catch(() => undefined);
  if (present === undefined) return;
  await replaceSecretFile(adminTokenPath(config), `${await signToken(config, name, ADMIN_TOKEN_TTL)}\n`);
};
