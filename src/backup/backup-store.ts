import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../errors.ts';
import { STORE_VERSION } from '../graph/apply-schema.ts';
import { packageRoot } from '../graph/package-root.ts';
import { statement } from '../graph/statement.ts';
import { type ArchiveWriter, createArchive } from './archive-writer.ts';
import { copyGraph, type GraphCounts, readGraphSize } from './copy-graph.ts';
import type { KeyFile } from './key-folder.ts';
import { withWritesPaused } from './pause-writes.ts';
import type { StoreConnection } from './store-connection.ts';

export type BackupOptions = {
  readonly connection: StoreConnection;
  readonly file: string;
  readonly readKeys: () => Promise<readonly KeyFile[]>;
  /** The environment settings without secrets, for setting up the next service. */
  readonly settings: Readonly<Record<string, string>>;
  readonly report: (line: string) => void;
};

export type BackupResult = GraphCounts & { readonly bytes: number; readonly pausedMs: number };

const readRestore = statement<Record<string, never>, { startedAt: number }>('graph/read_restore', {
  params: [],
  row: ['startedAt'],
});

/**
 * The number of attempts. A process that ignores the write pause makes a copy inconsistent, and the copy is repeated.
 */
const ATTEMPTS = 4;

/** The maximum length of the write pause, far more than copying takes. It matters only when a backup dies unnoticed. */
const pauseLimitMs = ({ nodes, relationships }: { nodes: number; relationships: number }): number =>
  Math.min(60_000 + (nodes + relationships) / 10, 15 * 60_000);

const programVersion = (): string =>
  (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;

const writeSettings = async (archive: ArchiveWriter, { settings }: BackupOptions): Promise<void> => {
  const part = archive.part('settings');
  for (const [name, value] of Object.entries(settings)) part.line(JSON.stringify([name, value]));
  await part.end();
};

const keyLines = (keys: readonly KeyFile[]): string[] =>
  keys.map(({ name, content }) => JSON.stringify([name, content.toString('base64')]));

const writeKeys = async (archive: ArchiveWriter, lines: readonly string[]): Promise<void> => {
  const part = archive.part('keys');
  for (const line of lines) part.line(line);
  await part.end();
};

/**
 * Makes one attempt. It returns undefined unless the store is in the same state before and after the copy. Neo4j
 * reports the state itself, so writes by programs that ignore the pause are noticed too. Keys must not change either,
 * because they seal values of the graph.
 */
const tryConsistentCopy = async (
  { connection, readKeys, report }: BackupOptions,
  archive: ArchiveWriter,
): Promise<GraphCounts | undefined> => {
  const before = await connection.state();
  const keys = keyLines(await readKeys());
  const counts = await copyGraph(connection, archive, report);
  await writeKeys(archive, keys);
  const keysAfter = keyLines(await readKeys());
  if ((await connection.state()) === before && keysAfter.join() === keys.join()) return counts;
  await archive.drop(['nodes', 'relationships', 'keys']);
  return undefined;
};

const copyConsistently = async (options: BackupOptions, archive: ArchiveWriter) => {
  const size = await readGraphSize(options.connection);
  let counts: GraphCounts | undefined;
  const { pausedMs } = await withWritesPaused(options.connection, pauseLimitMs(size), async () => {
    for (let attempt = 1; counts === undefined && attempt <= ATTEMPTS; attempt += 1) {
      if (attempt > 1) options.report('the store changed during the copy; copying again');
      counts = await tryConsistentCopy(options, archive);
    }
  });
  if (!counts) {
    throw new StartupError(
      'Another program writes to this store without waiting for the backup, so no consistent copy could be made. Stop all other users of the database, and processes of an older version.',
    );
  }
  return { ...counts, pausedMs };
};

/**
 * Writes an archive with the store's state at one moment. The service keeps running, but its writes wait while the
 * graph is copied. The file appears complete or not at all.
 */
export const backupStore = async (options: BackupOptions): Promise<BackupResult> => {
  const [unfinished] = await options.connection.all(readRestore, {});
  if (unfinished) throw new StartupError('This store is incomplete: a restore into it did not finish.');
  const archive = await createArchive(options.file);
  try {
    await writeSettings(archive, options);
    const { labels, types, pausedMs } = await copyConsistently(options, archive);
    const { bytes } = await archive.finish({
      storeVersion: STORE_VERSION,
      programVersion: programVersion(),
      createdAt: new Date().toISOString(),
      labels,
      types,
    });
    return { labels, types, bytes, pausedMs };
  } catch (failure) {
    await archive.discard();
    throw failure;
  }
};
