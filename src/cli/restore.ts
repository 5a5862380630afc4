import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { replaceSecretFile } from '../access/key-file.ts';
import { type BackupArchive, openBackupArchive } from '../backup/archive-reader.ts';
import { type KeyFile, refuseOtherKeys, writeKeyFolder } from '../backup/key-folder.ts';
import { type OpenedStore, openRestoreTarget } from '../backup/locate-store.ts';
import { createProgressReporter } from '../backup/progress.ts';
import { readArchiveKeys, readArchiveSettings, refuseNewerStore, restoreStore } from '../backup/restore-store.ts';
import { loadKinds } from '../catalog/registry.ts';
import { type Config, readConfig } from '../config.ts';
import { applySchema } from '../graph/apply-schema.ts';
import { openGraph } from '../graph/client.ts';
import { documentIndexSteps } from '../search-documents/index/fulltext-index.ts';
import { openAnswer } from './answer-result.ts';
import { auditCommandRun } from './audit-entry.ts';
import type { CommandEnvironment, CommandInput } from './command.ts';

type ReportRestore = (line: string) => void;

const SETTINGS_FILE = 'restored.env';

/** Migrates the restored graph to what this program expects and creates constraints and indexes. */
const migrateStore = async (config: Config, { address }: OpenedStore, report: ReportRestore): Promise<void> => {
  const graph = openGraph({ ...address, transactionMs: config.limits.transactionMs });
  try {
    const { kinds } = await loadKinds();
    await applySchema(graph, kinds, documentIndexSteps(kinds), { report, isRestoring: true });
  } finally {
    await graph.close();
  }
};

/** Saves the settings of the backed-up service for the operator; nothing reads them automatically. */
const saveSettings = async (home: string, archive: BackupArchive): Promise<void> => {
  const lines = [...(await readArchiveSettings(archive))].map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
  await replaceSecretFile(join(home, SETTINGS_FILE), lines.join(''));
};

const fillStoreFromArchive = async (
  config: Config,
  archive: BackupArchive,
  keys: readonly KeyFile[],
  report: ReportRestore,
): Promise<void> => {
  const store = await openRestoreTarget(config, report);
  const complete = async () => {
    await writeKeyFolder(config.home, keys);
    await saveSettings(config.home, archive);
    await migrateStore(config, store, report);
    const { createdAt, programVersion } = archive.manifest;
    await auditCommandRun(store.address, { action: 'restore', details: { createdAt, programVersion } });
  };
  try {
    await restoreStore({ connection: store.connection, archive, report, complete });
  } finally {
    await store.close();
  }
};

/** Verifies the whole archive before anything is restored, which takes a while for large archives. */
const checkArchive = async (file: string, report: ReportRestore): Promise<BackupArchive> => {
  report(`checking ${file}`);
  // A missing file is reported when it is opened.
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  const progress = createProgressReporter(report, 'bytes checked', size);
  const archive = await openBackupArchive(file, progress.advance);
  progress.done();
  return archive;
};

type RestoredStore = {
  /** Where it was restored into. */
  readonly store: string;
  readonly createdAt: string;
  readonly programVersion: string;
  /** The file with the settings that the backup was made with. */
  readonly settings: string;
};

/** Runs the restore. All checks that may refuse it come before the first write. */
const runRestore = async (file: string, env: CommandEnvironment, report: ReportRestore): Promise<RestoredStore> => {
  const config = readConfig(env);
  const archive = await checkArchive(file, report);
  refuseNewerStore(archive);
  const keys = await readArchiveKeys(archive);
  await refuseOtherKeys(config.home, keys);
  const { createdAt, programVersion } = archive.manifest;
  report(`made at ${createdAt} by version ${programVersion}`);
  await fillStoreFromArchive(config, archive, keys, report);
  return {
    store: config.neo4j.uri ?? config.home,
    createdAt,
    programVersion,
    settings: join(config.home, SETTINGS_FILE),
  };
};

/** `tributary restore FILE`. */
export const restoreCommand = async (input: CommandInput): Promise<number> => {
  const { report, result } = openAnswer(input);
  const [file = ''] = input.positionals;
  const restored = await runRestore(resolve(file), input.env, report);
  result(restored, `restored into ${restored.store}; the settings it was made with are in ${restored.settings}`);
  return 0;
};
