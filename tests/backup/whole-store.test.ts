import * as assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackupArchive } from '../../src/backup/archive-reader.ts';
import { backupStore } from '../../src/backup/backup-store.ts';
import { type KeyFile, readKeyFolder } from '../../src/backup/key-folder.ts';
import { decodeProperties } from '../../src/backup/property-codec.ts';
import { readArchiveKeys, readArchiveSettings } from '../../src/backup/restore-store.ts';
import { openStoreConnection, type StoreConnection } from '../../src/backup/store-connection.ts';
import { createSamples } from '../support/samples.ts';
import { openService, placeOfRun, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that the archive of a running store holds all of its content. A backup is restored into an empty store only, so
 * `live-backup.heavy.test.ts` goes on from there with a store of its own.
 */

const test = suite('backup: content of an archive');

const SETTINGS = { PORT: '8585' };

let service: Service;
let connection: StoreConnection;
let folder = '';

test.before(async () => {
  service = await openService();
  const { uri, user, password } = placeOfRun();
  connection = await openStoreConnection({ uri, user, password, database: 'neo4j' });
  folder = await mkdtemp(join(tmpdir(), 'tributary-archive-'));
});

test.after(async () => {
  await connection.close();
  await rm(folder, { recursive: true, force: true });
});

type Content = { readonly labels: Record<string, number>; readonly types: Record<string, number> };

const toCounts = (rows: readonly Record<string, unknown>[]): Record<string, number> =>
  Object.fromEntries(rows.map(({ name, count }) => [String(name), Number(count)]));

/** Leases and the pause of writes belong to running processes and are left out. */
const countContent = async (): Promise<Content> => {
  const [labels, types] = await Promise.all([
    service.graph.query(
      'MATCH (n) WHERE NOT n:Lease AND NOT n:WritePause UNWIND labels(n) AS name RETURN name, count(*) AS count',
    ),
    service.graph.query('MATCH ()-[r]->() RETURN type(r) AS name, count(*) AS count'),
  ]);
  return { labels: toCounts(labels), types: toCounts(types) };
};

/** Whole numbers are told from others in an archive, and not by the client of the service. */
const asNumbers = (properties: object): unknown =>
  JSON.parse(JSON.stringify(properties, (_, value) => (typeof value === 'bigint' ? Number(value) : value)));

type NodeLine = readonly [id: number, labels: readonly string[], properties: object];
type RelationshipLine = readonly [from: number, to: number, type: string, properties: object];

test('an archive holds every node, relationship, key and setting of the store at one moment', async () => {
  const table = await createSamples(service).create('table');
  const file = join(folder, 'whole.backup');
  // The keys are read before and after the copy, while nobody writes.
  const seen: Content[] = [];
  const readKeys = async (): Promise<KeyFile[]> => {
    seen.push(await countContent());
    return readKeyFolder(placeOfRun().home);
  };
  await backupStore({ connection, file, readKeys, settings: SETTINGS, report: () => {} });

  const archive = await openBackupArchive(file);
  const content = seen.at(-1);
  assert.deepEqual({ labels: archive.manifest.labels, types: archive.manifest.types }, content);
  const ids = new Set<number>();
  const found: object[] = [];
  for await (const line of archive.lines('nodes')) {
    const [id, labels, properties] = line as NodeLine;
    ids.add(id);
    if (labels.includes('Table') && (properties as { id?: unknown }).id === table.id) {
      found.push(decodeProperties(properties));
    }
  }
  assert.equal(ids.size, archive.rowsOf('nodes'));
  const [stored] = await service.graph.query('MATCH (n:Table {id: $id}) RETURN properties(n) AS properties', {
    id: table.id,
  });
  assert.deepEqual(found.map(asNumbers), [stored?.['properties']]);
  const types: Record<string, number> = {};
  for await (const line of archive.lines('relationships')) {
    const [from, to, type] = line as RelationshipLine;
    assert.ok(ids.has(from) && ids.has(to), `${type} leads to a node that the archive does not hold`);
    types[type] = (types[type] ?? 0) + 1;
  }
  assert.deepEqual(types, content?.types);
  assert.deepEqual(await readArchiveKeys(archive), await readKeyFolder(placeOfRun().home));
  assert.deepEqual([...(await readArchiveSettings(archive))], Object.entries(SETTINGS));
});

test.run();
