import { readConfig } from '../config.ts';
import { type CommandDeclaration, type CommandInput, SERVICE_FLAGS } from './command.ts';
import { requestReindex } from './reindex.ts';
import { loadSeeds } from './seed.ts';
import { giveDemoLogin } from './seed-login.ts';
import { findLocalService, type ServiceConnection } from './service-client.ts';
import { UsageError } from './usage-error.ts';
import { verifyAuditFile, verifyServiceAudit } from './verify-audit.ts';

/** The commands that change or check something through a running service. */

/** Resolves the service to call: the local one by default. Another one never gets the local token. */
export const connectService = async ({ text, env }: CommandInput): Promise<ServiceConnection> => {
  const server = text('server');
  const token = text('token');
  if (server !== undefined && token === undefined) {
    throw new UsageError('--server URL (TRIBUTARY_SERVER) needs --token T (TRIBUTARY_TOKEN) as well');
  }
  if (server !== undefined && !/^https?:\/\//i.test(server)) {
    throw new UsageError(`--server is "${server}", expected an address that starts with http:// or https://`);
  }
  if (server !== undefined && token !== undefined) return { server: server.replace(/\/+$/, ''), token, send: fetch };
  return { ...(await findLocalService(readConfig(env), token)), send: fetch };
};

const seed: CommandDeclaration = {
  name: 'seed',
  summary: 'Load the sample company into a running service',
  flags: SERVICE_FLAGS,
  examples: ['tributary seed'],
  run: async (input) => {
    const connection = await connectService(input);
    await loadSeeds({ ...connection, report: input.output.line });
    await giveDemoLogin(connection, input.output.line);
    return 0;
  },
};

const reindex: CommandDeclaration = {
  name: 'reindex',
  summary: 'Write the search documents of a running service anew',
  operands: ['[TYPE...]'],
  flags: SERVICE_FLAGS,
  examples: ['tributary reindex', 'tributary reindex table topic'],
  run: async (input) => {
    await requestReindex({ ...(await connectService(input)), types: input.positionals, report: input.output.line });
    return 0;
  },
};

const auditVerify: CommandDeclaration = {
  name: 'audit verify',
  summary: 'Follow the hashes of the audit log, or of an exported file',
  operands: ['[FILE]'],
  flags: SERVICE_FLAGS,
  examples: ['tributary audit verify', 'tributary audit verify audit.jsonl'],
  run: async (input) => {
    const [file] = input.positionals;
    if (file !== undefined) return verifyAuditFile(file, input.output.line);
    return verifyServiceAudit(await connectService(input), input.output.line);
  },
};

export const SERVICE_COMMANDS: readonly CommandDeclaration[] = [seed, reindex, auditVerify];
