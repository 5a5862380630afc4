#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { StartupError } from '../errors.ts';
import { packageRoot } from '../graph/package-root.ts';
import { startService } from '../main.ts';
import { backupCommand } from './backup.ts';
import { type ContractCheckVerdict, checkContract } from './contract-check.ts';
import { requestReindex } from './reindex.ts';
import { restoreCommand } from './restore.ts';
import { rotateKeysCommand } from './rotate-keys.ts';
import { loadSeeds } from './seed.ts';
import { findLocalService, type ServiceAccess } from './service-client.ts';
import { issueTokenCommand, revokeTokensCommand } from './tokens.ts';
import { verifyAuditFile, verifyServiceAudit } from './verify-audit.ts';

/**
 * The `tributary` command line. Start here: each subcommand has its own file (`backup.ts`, `restore.ts`, `seed.ts`,
 * `tokens.ts`, `rotate-keys.ts`). Commands that call a running service use `service-client.ts`.
 */

const USAGE = `tributary serve                                         start the service
tributary token issue --user NAME [--ttl 1h]            print a token and nothing else
tributary token issue --user NAME --bot [--ttl 30d]     the same for a bot of the running service, in place of the one it has
tributary token revoke --user NAME                      end every token and session of somebody
tributary keys rotate [signing|sealing] [--now]         sign tokens and seal secrets by new keys; with --now tokens of
                                                        former keys are refused at once
tributary seed [--server URL] [--token T]               load the sample company into a running service
tributary reindex [TYPE...] [--server URL] [--token T]  write the search documents of a running service anew
tributary backup FILE [--server URL]                    write one archive of the store, also while the service runs; URL
                                                        names a Neo4j, as NEO4J_URI does
tributary restore FILE                                  fill the empty store that TRIBUTARY_HOME or NEO4J_URI names; both
                                                        end with 0, 1 if nothing was made, or 2 if called wrongly
tributary audit verify [FILE] [--server URL] [--token T]
                                                        follow the hashes of the audit log, or of an exported file; ends
                                                        with 0 if it is whole, 1 and the first broken entry if not
tributary contract check FILE --entity FQN [--type table] [--format text|json|markdown] [--server URL] [--token T]
                                                        tell what a change of columns would break: FILE is DDL (.sql), a
                                                        list of columns (.json) or an ODCS document (.yaml, .yml); ends
                                                        with 0 if nothing, 1 if contracts, 2 if it could not be checked
tributary --version                                     print the version
`;

const serveCommand = async (): Promise<number> => {
  const config = readConfig(process.env);
  const running = await startService(config, (line) => console.log(line));
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

const SERVICE_OPTIONS = { server: { type: 'string' }, token: { type: 'string' } } as const;

type ServiceOptions = { readonly server?: string | undefined; readonly token?: string | undefined };

/** Resolves the service to call: the local one by default, or the one of `--server`, which also needs `--token`. */
const resolveService = async (command: string, { server, token }: ServiceOptions): Promise<ServiceAccess> => {
  if (server && !token) throw new StartupError(`tributary ${command} --server URL needs --token T as well`);
  if (server && !URL.canParse(server)) throw new StartupError(`--server is "${server}", expected an address`);
  const service =
    server && token ? { server: server.replace(/\/+$/, ''), token } : await findLocalService(readConfig(process.env));
  return { ...service, ...(token ? { token } : {}) };
};

const report = (line: string): void => console.log(line);

const seedCommand = async (args: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...args], options: SERVICE_OPTIONS });
  await loadSeeds({ ...(await resolveService('seed', values)), send: fetch, report });
  return 0;
};

const reindexCommand = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...args], options: SERVICE_OPTIONS, allowPositionals: true });
  await requestReindex({ ...(await resolveService('reindex', values)), types: positionals, send: fetch, report });
  return 0;
};

const CHECK_OPTIONS = {
  ...SERVICE_OPTIONS,
  entity: { type: 'string' },
  type: { type: 'string', default: 'table' },
  format: { type: 'string', default: 'text' },
} as const;

/** The exit code that lets a CI pipeline distinguish an unknown result from a breaking change. */
const UNCHECKED = 2;

const EXIT_CODES: Readonly<Record<ContractCheckVerdict, number>> = { ok: 0, breaks: 1, unknown: UNCHECKED };

const checkCommand = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...args], options: CHECK_OPTIONS, allowPositionals: true });
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0 || !values.entity) {
    throw new StartupError('tributary contract check needs one FILE and --entity FQN');
  }
  const { entity, type, format } = values;
  const service = await resolveService('contract check', values);
  return EXIT_CODES[await checkContract({ ...service, file, entity, type, format, send: fetch, report })];
};

const auditCommand = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...args], options: SERVICE_OPTIONS, allowPositionals: true });
  const [file] = positionals;
  if (file !== undefined) return verifyAuditFile(file, report);
  return verifyServiceAudit({ ...(await resolveService('audit verify', values)), send: fetch }, report);
};

const printVersion = async (): Promise<number> => {
  const manifest = await readFile(join(packageRoot, 'package.json'), 'utf8');
  console.log((JSON.parse(manifest) as { version: string }).version);
  return 0;
};

const runCommand = async ([command, ...rest]: readonly string[]): Promise<number> => {
  if (command === 'serve' || command === undefined) return serveCommand();
  if (command === 'token' && rest[0] === 'issue') return issueTokenCommand(rest.slice(1));
  if (command === 'token' && rest[0] === 'revoke') return revokeTokensCommand(rest.slice(1));
  if (command === 'keys' && rest[0] === 'rotate') return rotateKeysCommand(rest.slice(1));
  if (command === 'seed') return seedCommand(rest);
  if (command === 'reindex') return reindexCommand(rest);
  if (command === 'backup') return backupCommand(rest, process.env, report);
  if (command === 'restore') return restoreCommand(rest, process.env, report);
  if (command === 'audit' && rest[0] === 'verify') return auditCommand(rest.slice(1));
  if (command === 'contract' && rest[0] === 'check') {
    return checkCommand(rest.slice(1)).catch((failure: unknown) => {
      reportFailure(failure);
      return UNCHECKED;
    });
  }
  if (command === '--version') return printVersion();
  console.error(USAGE);
  return command === 'help' || command === '--help' ? 0 : 2;
};

/** Reports operator mistakes in one sentence; anything else is a defect and shows its stack. */
const reportFailure = (failure: unknown): number => {
  const isMistake =
    failure instanceof StartupError || (failure as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  console.error(isMistake ? (failure as Error).message : failure);
  return 1;
};

process.exitCode = await runCommand(process.argv.slice(2)).catch(reportFailure);
process.exit();
