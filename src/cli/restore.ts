import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { replaceSecretFile } from '../access/key-file.ts';
import { type Archive, openArchive } from '../backup/archive-reader.ts';
import { type KeyFile, refuseOtherKeys, writeKeyFolder } from '../backup/key-folder.ts';
import { type OpenedStore, openTarget } from '../backup/locate-store.ts';
import { createProgress } from '../backup/progress.ts';
import { keysOf, refuseNewerStore, restoreStore, settingsOf } from '../backup/restore-store.ts';
import { loadKinds } from '../catalog/registry.ts';
import { type Config, readConfig } from '../config.ts';
import { openGraph } from '../graph/client.ts';
import { applySchema } from '../graph/schema.ts';
import { documentSteps } from '../search/index/schema.ts';
import { recordCommand } from './audit-entry.ts';
import { isUsageMistake, UsageError } from './usage-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Report = (line: string) => void;

const SETTINGS_FILE = 'restored.env';

const fileFrom = (args: readonly string[]): string => {
  const { positionals } = parseArgs({ args: [...args], options: {}, allowPositionals: true });
  const [file, ...others] = positionals;
  if (!file || others.length > 0) throw new UsageError('tributary restore needs one FILE');
  return resolve(file);
};

/** Brings the restored graph to what this program expects: older data is migrated, constraints and indexes are made. */
const bringUpToDate = async (config: Config, { address }: OpenedStore, report: Report): Promise<void> => {
  const graph = openGraph({ ...address, transactionMs: config.limits.transactionMs });
  try {
    const { kinds } = await loadKinds();
    await applySchema(graph, kinds, documentSteps(kinds), { report, isRestoring: true });
  } finally {
    await graph.close();
  }
};

/** The settings of the service that was backed up, for whoever sets up this one; nothing reads them by itself. */
const keepSettings = async (home: string, archive: Archive): Promise<void> => {
  const lines = [...(await settingsOf(archive))].map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
  await replaceSecretFile(join(home, SETTINGS_FILE), lines.join(''));
};

const fill = async (config: Config, archive: Archive, keys: readonly KeyFile[], report: Report): Promise<void> => {
  const store = await openTarget(config, report);
  const complete = async () => {
    await writeKeyFolder(config.home, keys);
    await keepSettings(config.home, archive);
    await bringUpToDate(config, store, report);
    const { createdAt, programVersion } = archive.manifest;
    await recordCommand(store.address, { action: 'restore', details: { createdAt, programVersion } });
  };
  try {
    await restoreStore({ connection: store.connection, archive, report, complete });
  } finally {
    await store.close();
  }
};

/** Every byte is read once before anything is restored, which takes a while where there are many. */
const checkArchive = async (file: string, report: Report): Promise<Archive> => {
  report(`checking ${file}`);
  // A file that is not there is explained by whoever opens it.
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  const progress = createProgress(report, 'bytes checked', size);
  const archive = await openArchive(file, progress.advance);
  progress.done();
  return archive;
};

/** Everything that can be refused is looked at before anything is made. */
const restore = async (file: string, env: Environment, report: Report): Promise<void> => {
  const config = readConfig(env);
  const archive = await checkArchive(file, report);
  refuseNewerStore(archive);
  const keys = await keysOf(archive);
  await refuseOtherKeys(config.home, keys);
  const { createdAt, programVersion } = archive.manifest;
  report(`made at ${createdAt} by version ${programVersion}`);
  await fill(config, archive, keys, report);
  report(
    `restored into ${config.neo4j.uri ?? config.home}; the settings it was made with are in ${join(config.home, SETTINGS_FILE)}`,
  );
};

/** `tributary restore FILE`: 0 when all is there, 1 when it was refused or failed, 2 when the command was called wrongly. */
export const restoreCommand = async (args: readonly string[], env: Environment, report: Report): Promise<number> => {
  try {
    await restore(fileFrom(args), env, report);
    return 0;
  } catch (failure) {
    if (!isUsageMistake(failure)) throw failure;
    console.error(failure.message);
    return 2;
  }
};
