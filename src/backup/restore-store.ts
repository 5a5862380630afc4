import { StartupError } from '../errors.ts';
import { STORE_VERSION } from '../graph/apply-schema.ts';
import { statement } from '../graph/statement.ts';
import { countMarkedTransactions } from '../graph/write-gate.ts';
import type { BackupArchive } from './archive-reader.ts';
import { checkKeyName, type KeyFile } from './key-folder.ts';
import { createProgressReporter, type ProgressReporter } from './progress.ts';
import { decodeProperties } from './property-codec.ts';
import type { StoreConnection } from './store-connection.ts';

type NoRestoreParameters = Record<string, never>;
type NodeLine = readonly [id: number, labels: readonly string[], properties: object];
type RelationshipLine = readonly [from: number, to: number, type: string, properties: object];
type NodeRow = { readonly labels: readonly string[]; readonly properties: object };
type RelationshipRow = {
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly properties: object;
};

const findAny = statement<NoRestoreParameters, { labels: string[] }>('backup/find_any', {
  params: [],
  row: ['labels'],
});
const readRestore = statement<NoRestoreParameters, { startedAt: bigint }>('graph/read_restore', {
  params: [],
  row: ['startedAt'],
});
const beginRestore = statement<NoRestoreParameters, NoRestoreParameters>('backup/create_restore', {
  params: [],
  row: [],
});
const endRestore = statement<NoRestoreParameters, NoRestoreParameters>('backup/delete_restore', {
  params: [],
  row: [],
});
const deleteRestored = statement<NoRestoreParameters, NoRestoreParameters>('backup/delete_restored', {
  params: [],
  row: [],
});
const createNodes = statement<{ rows: readonly NodeRow[] }, { id: string }>('backup/create_nodes', {
  params: ['rows'],
  row: ['id'],
});
const createRelationships = statement<{ rows: readonly RelationshipRow[] }, { created: bigint }>(
  'backup/create_relationships',
  { params: ['rows'], row: ['created'] },
);

/** The size limits of one transaction. The character limit keeps batches of long texts within some megabytes. */
const BATCH_ROWS = 4000;
const BATCH_CHARACTERS = 8 << 20;

export const refuseNewerStore = ({ manifest }: BackupArchive): void => {
  if (manifest.storeVersion <= STORE_VERSION) return;
  throw new StartupError(
    `The backup was made by a newer version of Tributary (store version ${manifest.storeVersion}, this program knows ${STORE_VERSION}). Use the newer program.`,
  );
};

/** Reads the keys in an archive. Throws before anything is written when a name is not a valid file name. */
export const readArchiveKeys = async (archive: BackupArchive): Promise<KeyFile[]> => {
  const keys: KeyFile[] = [];
  for await (const line of archive.lines('keys')) {
    const [name, content] = line as readonly [string, string];
    checkKeyName(name);
    keys.push({ name, content: Buffer.from(content, 'base64') });
  }
  return keys;
};

export const readArchiveSettings = async (archive: BackupArchive): Promise<ReadonlyMap<string, string>> => {
  const settings = new Map<string, string>();
  for await (const line of archive.lines('settings')) {
    const [name, value] = line as readonly [string, string];
    settings.set(name, value);
  }
  return settings;
};

/** Throws when the store contains anything, unless an unfinished restore created it. */
const refuseFilledStore = async (connection: StoreConnection): Promise<{ readonly isUnfinished: boolean }> => {
  const [unfinished] = await connection.all(readRestore, {});
  if (unfinished) return { isUnfinished: true };
  const [found] = await connection.all(findAny, {});
  if (!found) return { isUnfinished: false };
  throw new StartupError(
    `The store is not empty: it holds ${found.labels.join(', ') || 'nodes'}. A backup is restored into an empty store only.`,
  );
};

/** Collects rows and passes them on in batches, in order. */
const inBatches = async <T>(
  lines: AsyncIterable<unknown>,
  toRow: (line: unknown) => T,
  send: (rows: readonly T[]) => Promise<void>,
): Promise<void> => {
  let rows: T[] = [];
  let weight = 0;
  const flush = async () => {
    const batch = rows;
    [rows, weight] = [[], 0];
    if (batch.length > 0) await send(batch);
  };
  for await (const line of lines) {
    rows.push(toRow(line));
    weight += lineWeight(line);
    if (rows.length >= BATCH_ROWS || weight >= BATCH_CHARACTERS) await flush();
  }
  await flush();
};

/** The number of text characters in a line, whose last member holds the properties. */
const lineWeight = (line: unknown): number => {
  let weight = 0;
  for (const value of Object.values((line as readonly object[]).at(-1) ?? {})) {
    weight += typeof value === 'string' || Array.isArray(value) ? value.length : 1;
  }
  return weight;
};

/** The new ids of nodes by their old ids. */
type NewIds = Map<number, string>;

const restoreNodes = async (
  connection: StoreConnection,
  archive: BackupArchive,
  progress: ProgressReporter,
): Promise<NewIds> => {
  const ids: NewIds = new Map();
  const toRow = (line: unknown) => {
    const [id, labels, properties] = line as NodeLine;
    return { id, labels, properties: decodeProperties(properties) };
  };
  await inBatches(archive.lines('nodes'), toRow, async (rows) => {
    const created = await connection.all(createNodes, {
      rows: rows.map(({ labels, properties }) => ({ labels, properties })),
    });
    rows.forEach((row, at) => {
      ids.set(row.id, created[at]?.id ?? '');
    });
    progress.advance(rows.length);
  });
  progress.done();
  return ids;
};

const restoredIdOf = (ids: NewIds, id: number): string => {
  const found = ids.get(id);
  if (found === undefined)
    throw new Error(`the archive has a relationship with the node ${id}, which it does not contain`);
  return found;
};

const restoreRelationships = async (
  connection: StoreConnection,
  archive: BackupArchive,
  ids: NewIds,
  progress: ProgressReporter,
): Promise<void> => {
  const toRow = (line: unknown): RelationshipRow => {
    const [from, to, type, properties] = line as RelationshipLine;
    return { from: restoredIdOf(ids, from), to: restoredIdOf(ids, to), type, properties: decodeProperties(properties) };
  };
  await inBatches(archive.lines('relationships'), toRow, async (rows) => {
    const [answer] = await connection.all(createRelationships, { rows });
    if (Number(answer?.created) !== rows.length) throw new Error('nodes that were just restored are gone');
    progress.advance(rows.length);
  });
  progress.done();
};

export type RestoreOptions = {
  readonly connection: StoreConnection;
  readonly archive: BackupArchive;
  readonly report: (line: string) => void;
  /** Adds what a complete store needs besides the graph: keys, constraints and indexes. */
  readonly complete: () => Promise<void>;
};

const fillStore = async ({ connection, archive, report, complete }: RestoreOptions): Promise<void> => {
  const { isUnfinished } = await refuseFilledStore(connection);
  await connection.write(beginRestore, {});
  if (isUnfinished) {
    report('removing the remains of an unfinished restore');
    await connection.all(deleteRestored, {});
  }
  const nodes = createProgressReporter(report, 'nodes', archive.rowsOf('nodes'));
  const ids = await restoreNodes(connection, archive, nodes);
  const relationships = createProgressReporter(report, 'relationships', archive.rowsOf('relationships'));
  await restoreRelationships(connection, archive, ids, relationships);
  await complete();
  await connection.write(endRestore, {});
};

/**
 * Restores an archive into an empty store. Until it is complete the store is marked as incomplete: no service starts on
 * it, and the next restore removes the partial content and begins again. Rows are never sent twice, because nobody can
 * tell whether a transaction whose response was lost was committed.
 */
export const restoreStore = async (options: RestoreOptions): Promise<void> => {
  refuseNewerStore(options.archive);
  const endAnnouncement = await options.connection.announce('restore');
  try {
    const [counted] = await options.connection.all(countMarkedTransactions, { mark: 'restore' });
    if (Number(counted?.running ?? 0) > 1) throw new StartupError('Another restore into this store is under way.');
    await fillStore(options);
  } finally {
    await endAnnouncement();
  }
};
