#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { verifyFile, verifyService } from './cli/audit.ts';
import { backupCommand } from './cli/backup.ts';
import { rotateCommand } from './cli/keys.ts';
import { restoreCommand } from './cli/restore.ts';
import { issueCommand, revokeCommand } from './cli/tokens.ts';
import { readConfig } from './config.ts';
import { checkContract, type Verdict } from './contract-check.ts';
import { StartupError } from './errors.ts';
import { start } from './main.ts';
import { requestReindex } from './reindex.ts';
import { findLocalService, type Service } from './remote.ts';
import { loadSeeds } from './seed.ts';

const USAGE = `tributary serve                                         start the service
tributary token issue --user NAME [--ttl 1h]            print a token and nothing else
tributary token issue --user NAME --bot [--ttl 30d]     the same for a bot of the running service, in place of the one it has
tributary token revoke --user NAME                      end every token and session of somebody
tributary keys rotate [signing|sealing] [--now]         sign tokens and seal secrets by new keys; with --now tokens of
                                                        former keys are refused at once
tributary seed [--server URL] [--token T]               load the sample company into a running service
tributary reindex [TYPE...] [--server URL] [--token T]  write the search documents of a running service anew
tributary backup FILE                                   write one archive of the store, also while the service runs
tributary restore FILE                                  fill the empty store that TRIBUTARY_HOME or NEO4J_URI names; both
                                                        end with 0, 1 if nothing was made, or 2 if called wrongly
tributary audit verify [FILE] [--server URL] [--token T]
                                                        follow the hashes of the audit log, or of an exported file; ends
                                                        with 0 if it is whole, 1 and the first broken entry if not
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
      console.error('The database ended and could not be started again; see its log below TRIBUTARY_HOME/logs.');
      resolve(code);
    });
  });
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

const audit = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...args], options: SERVICE, allowPositionals: true });
  const [file] = positionals;
  if (file !== undefined) return verifyFile(file, report);
  return verifyService({ ...(await serviceFor('audit verify', values)), send: fetch }, report);
};

const run = async ([command, ...rest]: readonly string[]): Promise<number> => {
  if (command === 'serve' || command === undefined) return serve();
  if (command === 'token' && rest[0] === 'issue') return issueCommand(rest.slice(1));
  if (command === 'token' && rest[0] === 'revoke') return revokeCommand(rest.slice(1));
  if (command === 'keys' && rest[0] === 'rotate') return rotateCommand(rest.slice(1));
  if (command === 'seed') return seed(rest);
  if (command === 'reindex') return reindex(rest);
  if (command === 'backup') return backupCommand(rest, process.env, report);
  if (command === 'restore') return restoreCommand(rest, process.env, report);
  if (command === 'audit' && rest[0] === 'verify') return audit(rest.slice(1));
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
