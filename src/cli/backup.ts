import { basename, resolve } from 'node:path';
import { type BackupResult, backupStore } from '../backup/backup-store.ts';
import { readKeyFolder } from '../backup/key-folder.ts';
import { openBackupSource } from '../backup/locate-store.ts';
import { readBackupSettings } from '../backup/settings.ts';
import { StartupError } from '../errors.ts';
import { openAnswer } from './answer-result.ts';
import { auditCommandRun } from './audit-entry.ts';
import type { CommandEnvironment, CommandInput } from './command.ts';

type ReportBackup = (line: string) => void;

/** Why the service itself is not asked for a backup: whoever has the archive can sign tokens for ever. */
const NOT_FROM_SERVICE =
  'The service sends its keys to nobody, and a backup holds them: --server names the Neo4j of the service, as NEO4J_URI does (bolt:// or neo4j://). Run the command where TRIBUTARY_HOME is.';

type MadeBackup = { readonly file: string; readonly records: number } & Pick<BackupResult, 'bytes' | 'pausedMs'>;

const describeBackup = ({ file, records, bytes, pausedMs }: MadeBackup): string =>
  `${file}: ${records} records, ${(bytes / 2 ** 20).toFixed(1)} MiB; writes waited ${(pausedMs / 1000).toFixed(1)} s`;

const runBackup = async (file: string, env: CommandEnvironment, report: ReportBackup): Promise<MadeBackup> => {
  const { config, settings } = readBackupSettings(env);
  const readKeys = () => readKeyFolder(config.home);
  const isKeyElsewhere = config.auth.keyFile !== undefined || config.secretsKey !== undefined;
  if (!isKeyElsewhere && (await readKeys()).length === 0) {
    throw new StartupError(
      `There are no keys in TRIBUTARY_HOME ${config.home}, and without its keys a store is of no use. Set TRIBUTARY_HOME to the service's folder.`,
    );
  }
  if (isKeyElsewhere) {
    report('AUTH_KEY_FILE and SECRETS_KEY are not part of the backup: back them up separately');
  }
  const store = await openBackupSource(config, report);
  // On interruption, closing the connection makes the copy fail, and the command then removes what it has written.
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    void store.connection.close();
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const result = await backupStore({ connection: store.connection, file, readKeys, settings, report });
    const details = { file: basename(file), bytes: result.bytes };
    await auditCommandRun(store.address, { action: 'backup', details }).catch((failure: unknown) =>
      // The archive exists, so a failed audit entry does not fail the command.
      report(`this backup could not be recorded in the audit log: ${(failure as Error).message}`),
    );
    return { file, records: result.labels['Entity'] ?? 0, bytes: result.bytes, pausedMs: result.pausedMs };
  } catch (failure) {
    throw isInterrupted ? new StartupError('Interrupted: no backup was made.', { cause: failure }) : failure;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    await store.close();
  }
};

/** `tributary backup FILE [--server URL]`. */
export const backupCommand = async (input: CommandInput): Promise<number> => {
  const server = input.text('server');
  if (/^https?:/i.test(server ?? '')) throw new StartupError(NOT_FROM_SERVICE);
  const { report, result } = openAnswer(input);
  const [file = ''] = input.positionals;
  const env = server === undefined ? input.env : { ...input.env, NEO4J_URI: server };
  const made = await runBackup(resolve(file), env, report);
  result(made, describeBackup(made));
  return 0;
};
