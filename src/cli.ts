#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { loadSigningKey } from './access/keys.ts';
import { issueToken, parseTtl } from './access/token.ts';
import { ISSUER, SYSTEM } from './app.ts';
import { requestBotToken } from './bot-token.ts';
import { type Config, readConfig } from './config.ts';
import { checkContract, type Verdict } from './contract-check.ts';
import { StartupError } from './errors.ts';
import { start } from './main.ts';
import { requestReindex } from './reindex.ts';
import { findLocalService, localAddress, type Service } from './remote.ts';
import { loadSeeds } from './seed.ts';

const USAGE = `tributary serve                                         start the service
tributary token issue --user NAME [--ttl 1h]            print a token and nothing else
tributary token issue --user NAME --bot [--ttl 30d]     the same for a bot of the running service, in place of the one it has
tributary seed [--server URL] [--token T]               load the sample company into a running service
tributary reindex [TYPE...] [--server URL] [--token T]  write the search documents of a running service anew
tributary contract check FILE --entity FQN [--type table] [--format text|json|markdown] [--server URL] [--token T]
                                                        tell what a change of columns would break: FILE is DDL (.sql), a
                                                        list of columns (.json) or an ODCS document (.yaml, .yml); ends
                                                        with 0 if nothing, 1 if contracts, 2 if it could not be checked
`;

const serve = async (): Promise<number> => {
  const config = readConfig(process.env);
  const running = await start(config, (line) => console.log(line));
  return new Promise((resolve) => {
    let stopping = false;
    const stop = async () => {
      stopping = true;
      await running.close();
      resolve(0);
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    void running.ended.then((code) => {
      if (stopping) return;
      console.error('The database ended unexpectedly; see its log below TRIBUTARY_HOME/logs.');
      resolve(code);
    });
  });
};

const personToken = async ({ home, auth }: Config, user: string, ttl: string): Promise<string> => {
  const key = await loadSigningKey({ home, keyFile: auth.keyFile });
  const name = user.toLowerCase();
  return issueToken(key, {
    issuer: ISSUER,
    user: { name, email: `${name}@${auth.principalDomain}` },
    isBot: false,
    tokenType: 'OM_USER',
    ttlSeconds: parseTtl(ttl),
    now: Date.now(),
  });
};

/** The key makes tokens of people by itself; that of a bot is the service's to give. */
const botToken = async (config: Config, bot: string, ttl: string | undefined): Promise<string> => {
  const [server, token] = await Promise.all([localAddress(config), personToken(config, SYSTEM.name, '5m')]);
  return requestBotToken({ server, token, send: fetch }, bot.toLowerCase(), ttl);
};

const issue = async (args: readonly string[]): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: { user: { type: 'string' }, ttl: { type: 'string' }, bot: { type: 'boolean', default: false } },
  });
  if (!values.user) throw new StartupError('tributary token issue needs --user NAME');
  const config = readConfig(process.env);
  const { user, ttl } = values;
  console.log(values.bot ? await botToken(config, user, ttl) : await personToken(config, user, ttl ?? '1h'));
  return 0;
};

const SERVICE = { server: { type: 'string' }, token: { type: 'string' } } as const;

type Named = { readonly server?: string | undefined; readonly token?: string | undefined };

/** Without options the service of this machine is meant; with `--server` another one, and then its token is needed. */
const serviceFor = async (command: string, { server, token }: Named): Promise<Service> => {
  if (server && !token) throw new StartupError(`tributary ${command} --server URL needs --token T as well`);
  if (server && !URL.canParse(server)) throw new StartupError(`--server is "${server}", expected an address`);
  const service =
    server && token ? { server: server.replace(/\/+$/, ''), token } : await findLocalService(readConfig(process.env));
  return { ...service, ...(token ? { token } : {}) };
};

const report = (line: string): void => console.log(line);

const seed = async (args: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...args], options: SERVICE });
  await loadSeeds({ ...(await serviceFor('seed', values)), send: fetch, report });
  return 0;
};

const reindex = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...args], options: SERVICE, allowPositionals: true });
  await requestReindex({ ...(await serviceFor('reindex', values)), types: positionals, send: fetch, report });
  return 0;
};

const CHECK = {
  ...SERVICE,
  entity: { type: 'string' },
  type: { type: 'string', default: 'table' },
  format: { type: 'string', default: 'text' },
} as const;

/** A pipeline must be able to tell that something breaks from that nobody knows. */
const UNCHECKED = 2;

const CODES: Readonly<Record<Verdict, number>> = { ok: 0, breaks: 1, unknown: UNCHECKED };

const check = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...args], options: CHECK, allowPositionals: true });
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0 || !values.entity) {
    throw new StartupError('tributary contract check needs one FILE and --entity FQN');
  }
  const { entity, type, format } = values;
  const service = await serviceFor('contract check', values);
  return CODES[await checkContract({ ...service, file, entity, type, format, send: fetch, report })];
};

const run = async ([command, ...rest]: readonly string[]): Promise<number> => {
  if (command === 'serve' || command === undefined) return serve();
  if (command === 'token' && rest[0] === 'issue') return issue(rest.slice(1));
  if (command === 'seed') return seed(rest);
  if (command === 'reindex') return reindex(rest);
  if (command === 'contract' && rest[0] === 'check') {
    return check(rest.slice(1)).catch((failure: unknown) => {
      tell(failure);
      return UNCHECKED;
    });
  }
  console.error(USAGE);
  return command === 'help' || command === '--help' ? 0 : 2;
};

/** Mistakes of the operator are told in one sentence; anything else is a defect and shows where it came from. */
const tell = (failure: unknown): number => {
  const isMistake =
    failure instanceof StartupError || (failure as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  console.error(isMistake ? (failure as Error).message : failure);
  return 1;
};

process.exitCode = await run(process.argv.slice(2)).catch(tell);
process.exit();
