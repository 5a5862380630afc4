import * as assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import neo4j from 'neo4j-driver';
import { type BackupArchive, openBackupArchive } from '../../src/backup/archive-reader.ts';
import { writeKeyFolder } from '../../src/backup/key-folder.ts';
import { decodeProperties } from '../../src/backup/property-codec.ts';
import { readArchiveKeys, restoreStore } from '../../src/backup/restore-store.ts';
import { openStoreConnection } from '../../src/backup/store-connection.ts';
import { loadKinds } from '../../src/catalog/registry.ts';
import { startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import { packageRoot } from '../../src/graph/package-root.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import { waitFor } from '../support/patience.ts';
import {
  launchService,
  type ServiceProcess,
  stopServiceProcess,
  waitForOutput,
  waitUntilReady,
} from '../support/service-process.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that a store of the previous release is migrated without loss, also when the migration is killed and repeated.
 * The answers are compared with the archive of that store.
 */

const test = suite('backup: upgrade from the previous release');

const FORMER_RELEASE = join(packageRoot, 'tests', 'fixtures', 'release-0.1.0.backup');

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Json = any;

/** What the archive says of a record, a former version or an edge. */
type Properties = Readonly<Record<string, Json>>;
type Edge = { readonly from: string; readonly to: string };

const records = new Map<string, Properties>();
const formerVersions: Properties[] = [];
const edges: Edge[] = [];

/** So many states make a migration of some seconds. */
const PADDING = 100_000;

/** Steps that the former release had done and that are undone, because its store has nothing for the new ones to change. */
const UNDONE = ['022_version_record', '095_event_ends'];

/** Kinds of which the program itself makes records, and changes them, at every start. */
const BUILT_IN = new Set(['bot', 'policy', 'role', 'team', 'testDefinition', 'type', 'user']);

/** How many records of other kinds the program makes since that release: the tag that stops labels, and its classification. */
const MADE_SINCE: Readonly<Record<string, number>> = { classification: 1, tag: 1 };

let home: string;
let running: ServiceProcess | undefined;
let kinds: readonly Kind[];

const readFormer = async (archive: BackupArchive): Promise<void> => {
  const ids = new Map<number, string>();
  for await (const line of archive.lines('nodes')) {
    const [id, labels, encoded] = line as [number, string[], object];
    const properties = decodeProperties(encoded) as Properties;
    if (labels.includes('Version')) formerVersions.push(properties);
    if (!labels.includes('Entity')) continue;
    ids.set(id, properties['id']);
    records.set(properties['id'], properties);
  }
  for await (const line of archive.lines('relationships')) {
    const [from, to, type] = line as [number, number, string];
    if (type === 'FEEDS') edges.push({ from: ids.get(from) ?? '', to: ids.get(to) ?? '' });
  }
};

/** Restores the graph and the keys, and nothing that this program would add to them. */
const restoreUnmigrated = async (archive: BackupArchive): Promise<void> => {
  const server = await startEmbeddedServer({ home, heap: '512m', pagecache: '128m', report: () => {} });
  const { uri, user, password } = server;
  const connection = await openStoreConnection({ uri, user, password, database: 'neo4j' });
  const driver = neo4j.driver(uri, neo4j.auth.basic(user, password), { telemetryDisabled: true });
  try {
    const complete = async () => writeKeyFolder(home, await readArchiveKeys(archive));
    await restoreStore({ connection, archive, report: () => {}, complete });
    await driver.executeQuery('MATCH (n:SchemaStep) WHERE n.name IN $names DELETE n', { names: UNDONE });
    await driver.executeQuery('MATCH (n:Version) REMOVE n.entityType, n.entityId');
    await driver.executeQuery('MATCH (n:ChangeEvent) REMOVE n.ends');
    const session = driver.session();
    // The record is of no kind, so that nothing that is read below shows it.
    await session.run("CREATE (:Entity {id: 'padding', entityType: 'padding'})");
    await session.run(
      `MATCH (n:Entity {id: 'padding'})
       UNWIND range(1, $count) AS at
       CALL (n, at) { CREATE (n)-[:HAS_VERSION]->(:Version {version: 0.1, at: at, json: '{}'}) } IN TRANSACTIONS OF 10000 ROWS`,
      { count: neo4j.int(PADDING) },
    );
    await session.close();
  } finally {
    await driver.close();
    await connection.close();
    await server.stop();
  }
};

test.before(async () => {
  home = await mkdtemp(join(tmpdir(), 'tributary-upgrade-'));
  ({ kinds } = await loadKinds());
  const archive = await openBackupArchive(FORMER_RELEASE);
  await readFormer(archive);
  await restoreUnmigrated(archive);
});

test.after(async () => {
  if (running) await stopServiceProcess(running, 'SIGTERM');
  await rm(home, { recursive: true, force: true });
});

const get = async (path: string): Promise<Json> => {
  if (!running) throw new Error('the service has not been started');
  const answer = await running.ask(path);
  const text = await answer.text();
  assert.equal(answer.status, 200, `${path}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
};

const STEP = /step (\d+_\w+)/;

test('a migration that is killed is completed at the next start', async () => {
  const first = launchService(home, ['serve']);
  const [, step = ''] = await waitForOutput(first, STEP);
  await stopServiceProcess(first, 'SIGKILL');
  assert.equal(step, UNDONE[0]);
  assert.doesNotMatch(first.output(), /ready at/);
  running = await waitUntilReady(home, launchService(home, ['serve']));
  for (const name of UNDONE) assert.match(running.output(), new RegExp(`step ${name}`));
});

/** The records of a kind by their ids, from as many pages as there are. */
const listAll = async (kind: Kind): Promise<Map<string, Json>> => {
  const found = new Map<string, Json>();
  for (let after = ''; ; ) {
    const include = kind.softDeletable ? '&include=all' : '';
    const { data, paging } = await get(`/v1/${kind.path}?limit=100${include}${after}`);
    for (const record of data) found.set(record.id, record);
    if (!paging.after) return found;
    after = `&after=${encodeURIComponent(paging.after)}`;
  }
};

const formerOf = (kind: Kind): Properties[] =>
  [...records.values()].filter(({ entityType }) => entityType === kind.entityType);

const SAME = ['id', 'name', 'fullyQualifiedName', 'displayName', 'description', 'deleted'] as const;

const checkSame = (record: Json, former: Properties): void => {
  const isBuiltIn = BUILT_IN.has(former['entityType']);
  for (const name of SAME) {
    // What the program says of its own records may be said better by a newer one.
    if (isBuiltIn && name === 'description') continue;
    const expected = name === 'deleted' ? former[name] : (former[name] ?? undefined);
    const shown = name === 'deleted' ? (record[name] ?? false) : record[name];
    assert.equal(shown, expected, `${former['entityType']} ${former['fullyQualifiedName']}: ${name}`);
  }
  const isVersion = isBuiltIn ? record.version >= former['version'] : record.version === former['version'];
  assert.ok(isVersion, `${former['fullyQualifiedName']} has version ${record.version} after ${former['version']}`);
};

test('every asset of every kind is listed as the previous release stored it', async () => {
  let count = 0;
  for (const kind of kinds) {
    const former = formerOf(kind);
    if (former.length === 0) continue;
    const listed = await listAll(kind);
    for (const one of former) checkSame(listed.get(one['id']) ?? {}, one);
    const expected = former.length + (MADE_SINCE[kind.entityType] ?? 0);
    if (!BUILT_IN.has(kind.entityType)) assert.equal(listed.size, expected, kind.entityType);
    count += former.length;
  }
  assert.equal(count, records.size);
});

test('records of every kind are read by id and by name', async () => {
  for (const kind of kinds) {
    for (const former of formerOf(kind).slice(0, 3)) {
      checkSame(await get(`/v1/${kind.path}/${former['id']}`), former);
      const name = encodeURIComponent(former['fullyQualifiedName']);
      checkSame(await get(`/v1/${kind.path}/name/${name}`), former);
    }
  }
});

test('former versions are unchanged', async () => {
  assert.equal(formerVersions.length, 4);
  for (const { entityId, entityType, version, json } of formerVersions) {
    const kind = kinds.find((one) => one.entityType === entityType);
    const { versions } = await get(`/v1/${kind?.path}/${entityId}/versions`);
    const told = versions.map((text: string) => JSON.parse(text)).find((one: Json) => one.version === version);
    const former = JSON.parse(json);
    assert.ok(told, `${entityType} ${entityId} in version ${version}`);
    for (const name of ['id', 'name', 'description', 'schema', 'updatedAt', 'updatedBy']) {
      assert.deepEqual(told[name], former[name], `${former.name} ${version}: ${name}`);
    }
    const read = await get(`/v1/${kind?.path}/${entityId}/versions/${version}`);
    assert.equal(read.schema, former.schema);
  }
});

const idOf = (endpoint: Json): string => (typeof endpoint === 'string' ? endpoint : endpoint.id);

test('lineage edges are unchanged', async () => {
  assert.ok(edges.length > 100);
  const into = (id: string) => edges.filter(({ to }) => to === id).map(({ from }) => from);
  const from = (id: string) => edges.filter((edge) => edge.from === id).map(({ to }) => to);
  const tables = [...records.values()].filter(({ entityType }) => entityType === 'table').map(({ id }) => id as string);
  const joined = tables.filter((id) => into(id).length > 0 && from(id).length > 0).slice(0, 10);
  assert.equal(joined.length, 10);
  for (const id of joined) {
    const { upstreamEdges, downstreamEdges } = await get(`/v1/lineage/table/${id}?upstreamDepth=1&downstreamDepth=1`);
    assert.deepEqual(upstreamEdges.map((edge: Json) => idOf(edge.fromEntity)).sort(), into(id).sort());
    assert.deepEqual(downstreamEdges.map((edge: Json) => idOf(edge.toEntity)).sort(), from(id).sort());
  }
});

test('contracts are unchanged', async () => {
  const former = [...records.values()].find(({ entityType, slaJson }) => entityType === 'dataContract' && slaJson);
  const contract = await get(`/v1/dataContracts/${former?.['id']}?fields=*`);
  assert.equal(contract.entity.id, former?.['entityId']);
  assert.equal(contract.entityStatus, former?.['entityStatus']);
  assert.deepEqual(contract.sla, JSON.parse(former?.['slaJson']));
  assert.deepEqual(contract.termsOfUse, JSON.parse(former?.['termsOfUseJson']));
});

test('search results are unchanged', async () => {
  const find = async (): Promise<string[]> => {
    const { hits } = await get('/v1/search/query?q=shop_orders&index=table_search_index');
    return hits.hits.map(({ _source }: Json) => _source.fullyQualifiedName);
  };
  // Documents of another form are written anew after the start.
  await waitFor(
    find,
    (names) => names.includes('warehouse_snowflake.ANALYTICS.RAW.SHOP_ORDERS'),
    'the table is found',
    { pauseMs: 500 },
  );
});

test('change events are unchanged', async () => {
  const { data } = await get('/v1/events?entityCreated=table&timestamp=0');
  const told = new Set(data.map((event: Json) => event.entityId));
  const tables = [...records.values()].filter(({ entityType }) => entityType === 'table');
  assert.ok(
    tables.some(({ id }) => told.has(id)),
    `${data.length} events`,
  );
});

test.run();
