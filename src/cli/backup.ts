import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BackupResult, backupStore } from '../backup/backup-store.ts';
import { readKeyFolder } from '../backup/key-folder.ts';
import { openBackupSource } from '../backup/locate-store.ts';
import { readBackupSettings } from '../backup/settings.ts';
import { StartupError } from '../errors.ts';
import { auditCommandRun } from './audit-entry.ts';
import { isUsageMistake, UsageError } from './usage-error.ts';

type BackupEnvironment = Readonly<Record<string, string | undefined>>;
type ReportBackup = (line: string) => void;

const BACKUP_OPTIONS = { server: { type: 'string' } } as const;

/** Why the service itself is not asked for a backup: whoever has the archive can sign tokens for ever. */
const NOT_FROM_SERVICE =
  'The service sends its keys to nobody, and a backup holds them: --server names the Neo4j of the service, as NEO4J_URI does (bolt:// or neo4j://). Run the command where TRIBUTARY_HOME is.';

type BackupRequest = {
  readonly file: string;
  /** The Neo4j to back up, in place of the one that the environment names. */
  readonly server: string | undefined;
};

const parseBackupRequest = (args: readonly string[]): BackupRequest => {
  const { positionals, values } = parseArgs({ args: [...args], options: BACKUP_OPTIONS, allowPositionals: true });
  const [file, ...others] = positionals;
  if (!file || others.length > 0) throw new UsageError('tributary backup needs one FILE');
  if (/^https?:/i.test(values.server ?? '')) throw new StartupError(NOT_FROM_SERVICE);
  return { file: resolve(file), server: values.server };
};

const backupSummary = (file: string, { bytes, pausedMs, labels }: BackupResult): string =>
  `${file}: ${labels['Entity'] ?? 0} records, ${(bytes / 2 ** 20).toFixed(1)} MiB; writes waited ${(pausedMs / 1000).toFixed(1)} s`;

const runBackup = async (file: string, env: BackupEnvironment, report: ReportBackup): Promise<void> => {
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
    report(backupSummary(file, result));
  } catch (failure) {
    throw isInterrupted ? new StartupError('Interrupted: no backup was made.', { cause: failure }) : failure;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    await store.close();
  }
};

/**
 * `tributary backup FILE [--server URL]`: exits with 0 when the archive was written, 1 when it failed, 2 for wrong
 * usage.
 */
export const backupCommand = async (
  args: readonly string[],
  env: BackupEnvironment,
  report: ReportBackup,
): Promise<number> => {
  try {
    const { file, server } = parseBackupRequest(args);
    await runBackup(file, server === undefined ? env : { ...env, NEO4J_URI: server }, report);
    return 0;
  } catch (failure) {
    if (!isUsageMistake(failure)) throw failure;
    console.error(failure.message);
    return 2;
  }
};
