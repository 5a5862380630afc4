import { readConfig } from '../config.ts';
import { openAnswer } from './answer-result.ts';
import { type CommandDeclaration, type CommandInput, JSON_FLAG, SERVICE_FLAGS } from './command.ts';
import { requestReindex } from './reindex.ts';
import { describeSeeds, loadSeeds } from './seed.ts';
import { giveDemoLogin } from './seed-login.ts';
import { findLocalService, type ServiceConnection } from './service-client.ts';
import { UsageError } from './usage-error.ts';
import { describeVerdict, verifyAuditFile, verifyServiceAudit } from './verify-audit.ts';

/** The commands that change or check something through a running service. */

/** Refuses an address that is none of HTTP as wrong usage. */
export const checkAddress = (flag: string, address: string): void => {
  if (/^https?:\/\//i.test(address)) return;
  throw new UsageError(`--${flag} is "${address}", expected an address that starts with http:// or https://`);
};

/** Resolves the service to call: the local one by default. Another one never gets the local token. */
export const connectService = async (
  { text, env }: CommandInput,
  { server: serverFlag, token: tokenFlag } = { server: 'server', token: 'token' },
): Promise<ServiceConnection> => {
  const server = text(serverFlag);
  const token = text(tokenFlag);
  if (server !== undefined && token === undefined) {
    throw new UsageError(`--${serverFlag} URL (TRIBUTARY_SERVER) needs --${tokenFlag} T (TRIBUTARY_TOKEN) as well`);
  }
  if (server !== undefined) checkAddress(serverFlag, server);
  if (server !== undefined && token !== undefined) return { server: server.replace(/\/+$/, ''), token, send: fetch };
  return { ...(await findLocalService(readConfig(env), token)), send: fetch };
};

const seed: CommandDeclaration = {
  name: 'seed',
  summary: 'Load the sample company into a running service',
  flags: [JSON_FLAG, ...SERVICE_FLAGS],
  examples: ['tributary seed'],
  run: async (input) => {
    const { report, result } = openAnswer(input);
    const connection = await connectService(input);
    const loaded = await loadSeeds({ ...connection, report });
    const login = await giveDemoLogin(connection);
    const signIn = login && `Sign in at ${loaded.server} as ${login.email} with the password ${login.password}`;
    result({ ...loaded, ...(login ? { login } : {}) }, describeSeeds(loaded), ...(signIn ? [signIn] : []));
    return 0;
  },
};

const reindex: CommandDeclaration = {
  name: 'reindex',
  summary: 'Write the search documents of a running service anew',
  operands: ['[TYPE...]'],
  flags: [JSON_FLAG, ...SERVICE_FLAGS],
  examples: ['tributary reindex', 'tributary reindex table topic'],
  run: async (input) => {
    const { report, result } = openAnswer(input);
    const written = await requestReindex({ ...(await connectService(input)), types: input.positionals, report });
    result(written, written.message);
    return 0;
  },
};

const auditVerify: CommandDeclaration = {
  name: 'audit verify',
  summary: 'Follow the hashes of the audit log, or of an exported file',
  operands: ['[FILE]'],
  flags: [JSON_FLAG, ...SERVICE_FLAGS],
  examples: ['tributary audit verify', 'tributary audit verify audit.jsonl'],
  run: async (input) => {
    const [file] = input.positionals;
    const verdict =
      file === undefined ? await verifyServiceAudit(await connectService(input)) : await verifyAuditFile(file);
    openAnswer(input).result(verdict, describeVerdict(verdict));
    return verdict.isIntact ? 0 : 1;
  },
};

export const SERVICE_COMMANDS: readonly CommandDeclaration[] = [seed, reindex, auditVerify];
