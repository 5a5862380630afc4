import * as assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import neo4j, { type Driver } from 'neo4j-driver';
import { withWritesPaused } from '../../src/backup/pause-writes.ts';
import { openStoreConnection, type StoreConnection } from '../../src/backup/store-connection.ts';
import type { CommandEnvironment } from '../../src/cli/command.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import { StartupError } from '../../src/errors.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import { packageRoot } from '../../src/graph/package-root.ts';
import { lockHome } from '../../src/platform/home-lock.ts';
import { dumpGraph } from '../support/graph-dump.ts';
import { runCommand } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';
import { closeServiceAt, openServiceAt, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { startWriters, type WriteAttempt } from '../support/writers.ts';

/** Shows that a backup of a running store is consistent and can be restored. */

const test = suite('backup: backup of a running store');

/** Made by the release before this one, of the sample company. */
const FORMER_RELEASE = join(packageRoot, 'tests', 'fixtures', 'release-0.1.0.backup');

let home = '';
let server: EmbeddedServer;
let driver: Driver;
let connection: StoreConnection;
let service: Service | undefined;

const env = () => ({
  TRIBUTARY_HOME: home,
  NEO4J_URI: server.uri,
  NEO4J_USER: server.user,
  NEO4J_PASSWORD: server.password,
});

const place = () => ({ home, uri: server.uri, user: server.user, password: server.password });

const query = async (text: string, params: Record<string, unknown> = {}) =>
  (await driver.executeQuery(text, params)).records.map((row) => row.toObject());

/** What the commands have printed, line by line. */
const said: string[] = [];

const run = async (line: readonly string[], settings: CommandEnvironment = env()): Promise<number> => {
  const { code, stdout } = await runHere(line, settings);
  said.push(...stdout.trimEnd().split('\n'));
  return code;
};

const refusal = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
  } catch (failure) {
    assert.ok(failure instanceof StartupError, String(failure));
    return failure.message;
  }
  return assert.fail('nothing was refused');
};

const clear = async () => {
  const session = driver.session();
  await session.run('MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS');
  await session.close();
};

/** An empty store, without so much as an index. */
const clearWholly = async () => {
  await clear();
  for (const { name } of await query('SHOW CONSTRAINTS YIELD name')) await query(`DROP CONSTRAINT \`${name}\``);
  for (const { name } of await query("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name")) {
    await query(`DROP INDEX \`${name}\``);
  }
};

const definitions = async () =>
  (await query('SHOW INDEXES YIELD name, type, labelsOrTypes, properties, options, owningConstraint')).map((row) =>
    JSON.stringify(row),
  );

const close = async () => {
  if (service) await closeServiceAt(service);
  service = undefined;
};

test.before(async () => {
  home = await mkdtemp(join(tmpdir(), 'tributary-backup-'));
  server = await startEmbeddedServer({ home, heap: '768m', pagecache: '128m', report: () => {} });
  driver = neo4j.driver(server.uri, neo4j.auth.basic(server.user, server.password), { useBigInt: true });
  connection = await openStoreConnection({ ...place(), database: 'neo4j' });
});

test.after(async () => {
  await close();
  await connection.close();
  await driver.close();
  await server.stop();
  await rm(home, { recursive: true, force: true });
});

test('a store of the previous release is restored, migrated and read', async () => {
  assert.equal(await run(['restore', FORMER_RELEASE]), 0);
  assert.ok(
    said.some((line) => /^nodes: 4,\d{3} in/.test(line)),
    said.join('\n'),
  );
  const checked = said.map((line) => /^bytes checked: ([\d,]+) in \d+ s$/.exec(line)?.[1]).find(Boolean);
  const { size } = await stat(FORMER_RELEASE);
  const bytes = Number(checked?.replaceAll(',', ''));
  assert.ok(bytes > size * 0.9 && bytes <= size, `${checked} of ${size} bytes: ${said.join('\n')}`);
  service = await openServiceAt(place());
  const { admin } = service;
  const table = await admin.get(
    '/v1/tables/name/warehouse_snowflake.ANALYTICS.RAW.SHOP_ORDERS?fields=columns,owners,tags,followers',
  );
  assert.equal(table.status, 200, table.text);
  assert.ok(table.json.columns.length > 3);
  const { id } = table.json;
  const patched = await admin.patch(`/v1/tables/${id}`, [{ op: 'add', path: '/description', value: 'Changed' }], {
    'content-type': 'application/json-patch+json',
  });
  assert.equal(patched.status, 200, patched.text);
  const { versions } = (await admin.get(`/v1/tables/${id}/versions`)).json;
  assert.deepEqual(
    versions.map((version: string) => JSON.parse(version).id),
    [id, id],
  );
  const lineage = await admin.get(`/v1/lineage/table/${id}?upstreamDepth=3&downstreamDepth=3`);
  assert.ok(lineage.json.upstreamEdges.length > 0 && lineage.json.downstreamEdges.length > 1, lineage.text);
  const contracts = await admin.get('/v1/dataContracts?limit=100');
  assert.equal(contracts.json.data.length, 4);
  const found = await admin.get('/v1/search/query?q=shop_orders&index=table_search_index');
  assert.ok(found.json.hits.total.value > 0, found.text.slice(0, 500));
  const [counted] = await query('MATCH (n:Table) RETURN count(n) AS tables');
  assert.equal(counted?.['tables'], 139n);
});

test('a write waits for a backup and then succeeds, and does not wait for a dead one', async () => {
  const { admin } = service as Service;
  const team = () => admin.post('/v1/teams', { name: uniqueName('team'), teamType: 'Group' });
  let ended = false;
  let writing: Promise<{ status: number }> | undefined;
  await withWritesPaused(connection, 60_000, async () => {
    const before = await connection.state();
    writing = team();
    await Promise.race([writing, sleep(1500)]);
    assert.equal(await connection.state(), before, 'nothing is written during the pause');
    assert.equal((await admin.get('/v1/tables?limit=1')).status, 200);
    ended = true;
  });
  assert.ok(ended);
  assert.equal((await writing)?.status, 201);
  await query(
    "MERGE (pause:WritePause {name: 'backup'}) SET pause.holder = 'dead', pause.until = timestamp() + 600000",
  );
  await sleep(600);
  const begun = performance.now();
  assert.equal((await team()).status, 201);
  assert.ok(performance.now() - begun < 20_000, `${performance.now() - begun} ms`);
  await query('MATCH (pause:WritePause) DELETE pause');
});

test('two concurrent backups are refused, and so is one during a write that does not wait', async () => {
  const file = join(home, 'refused.backup');
  await withWritesPaused(connection, 60_000, async () => {
    assert.match(await refusal(() => run(['backup', file])), /Another backup/);
  });
  let writes = 0;
  let stopped = false;
  const strange = (async () => {
    for (; !stopped; writes += 1) await query('MERGE (n:Stranger) SET n.count = $writes', { writes });
  })();
  assert.match(await refusal(() => run(['backup', file])), /without waiting for the backup/);
  stopped = true;
  await strange;
  assert.ok(writes > 4, String(writes));
  await query('MATCH (n:Stranger) DELETE n');
  assert.deepEqual(
    (await readdir(home)).filter((name) => name.startsWith('refused')),
    [],
  );
});

let operations: readonly WriteAttempt[] = [];
const LIVE = () => join(home, 'live.backup');

test('a backup refuses no request during creations, renames and deletions', async () => {
  const writers = await startWriters(service as Service);
  await writers.made(8);
  // Without NEO4J_URI the command finds the database of the service that has the home.
  const held = await lockHome(home);
  try {
    assert.equal(await run(['backup', LIVE()], { TRIBUTARY_HOME: home }), 0);
  } finally {
    await held.release();
  }
  await writers.made(8);
  operations = await writers.stop();
  const failed = operations.filter(({ status }) => status >= 300);
  assert.deepEqual(failed, []);
});

const QUIET = () => join(home, 'quiet.backup');
let dump: Awaited<ReturnType<typeof dumpGraph>>;
let indexes: string[] = [];

const lastEntries = (action: string) =>
  query(
    `MATCH (n:AuditEntry {action: $action}) RETURN n.seq AS seq, n.actor AS actor, n.detailsJson AS details
     ORDER BY n.seq DESC LIMIT 1`,
    { action },
  );

test('an idle store is archived completely, and restored only into an empty one', async () => {
  await close();
  await query(
    `CREATE (a:Odd:\`A label\` {int: $int, float: 1.0, odd: $odd, text: $text, bytes: $bytes})
     CREATE (a)-[:\`an edge\` {list: ['x', 'y'], float: -0.0}]->(a)-[:SAME]->(:Odd)<-[:SAME]-(a)`,
    { int: 9223372036854775807n, odd: [Number.NaN, 0.1], text: 'a\u2028b\r\n\u0000𝄞', bytes: Int8Array.of(-1, 2) },
  );
  dump = await dumpGraph(driver);
  indexes = await definitions();
  const { NEO4J_URI, ...others } = env();
  const { stdout } = await runHere(['backup', QUIET(), '--server', NEO4J_URI, '--json'], others);
  const made = JSON.parse(stdout);
  assert.deepEqual([made.file, made.bytes, made.records > 0], [QUIET(), (await stat(QUIET())).size, true]);
  assert.match(await refusal(() => run(['restore', QUIET()])), /not empty/);
  assert.deepEqual(await dumpGraph(driver), dump);
  const [entry] = await lastEntries('backup');
  assert.equal(entry?.['details'], JSON.stringify({ file: basename(QUIET()), bytes: (await stat(QUIET())).size }));
});

/** Every write is either in whole or not at all, and what is in was there at one moment. */
const checkMoment = async () => {
  const rows = await query('MATCH (n:Table) WHERE n.name STARTS WITH $prefix RETURN n.name AS name', {
    prefix: 'live_',
  });
  const names = new Set(rows.map((row) => String(row['name'])));
  const isIn = ({ makes, removes }: WriteAttempt) =>
    makes !== undefined ? names.has(makes) : !names.has(removes ?? '');
  // What was there for a moment only says nothing later on.
  const lasting = operations.filter(({ makes, isPassing }) => makes !== undefined && !isPassing);
  const inside = lasting.filter(isIn);
  const outside = lasting.filter((operation) => !isIn(operation));
  assert.ok(inside.length > 3, `${inside.length} writes before the backup`);
  assert.ok(outside.length > 3, `${outside.length} writes after the backup`);
  const newest = Math.max(...inside.map(({ sentMs }) => sentMs));
  const late = outside.filter(({ ackedMs }) => ackedMs < newest);
  assert.deepEqual(late, [], 'what was acknowledged before something that is in is in, too');
};

const COUNT = 'RETURN count(n) AS found';

/** What holds for every store, whatever the moment. */
const BROKEN: Readonly<Record<string, string>> = {
  'a record without its creation': `MATCH (n:Table) WHERE n.name STARTS WITH 'live_' AND NOT EXISTS { (:ChangeEvent {entityId: n.id, eventType: 'entityCreated'}) } ${COUNT}`,
  'a table without its columns': `MATCH (n:Table) WHERE n.name STARTS WITH 'live_' AND COUNT { (n)-[:HAS_COLUMN]->() } <> 3 ${COUNT}`,
  'a column that belongs to nothing': `MATCH (n:Column) WHERE NOT EXISTS { ()-[:HAS_COLUMN]->(n) } ${COUNT}`,
  'a table that is in no schema': `MATCH (n:Table) WHERE NOT EXISTS { (:DatabaseSchema)-[:CONTAINS]->(n) } ${COUNT}`,
  'a column with another name than its table': `MATCH (t:Table)-[:HAS_COLUMN]->(n:Column) WHERE NOT n.fullyQualifiedName STARTS WITH t.fullyQualifiedName + '.' ${COUNT}`,
  'a changed table without its former state': `MATCH (n:Table) WHERE n.name STARTS WITH 'live_' AND n.version > 0.1 AND NOT EXISTS { (n)-[:HAS_VERSION]->(:Version) } ${COUNT}`,
  'an edge of lineage that nobody asserts': `MATCH ()-[n:FEEDS]->() WHERE NOT EXISTS { (:Assertion {edgeId: n.id}) } ${COUNT}`,
};

test('a backup taken during writes is complete and consistent', async () => {
  await clear();
  const restored = await runHere(['restore', LIVE(), '--json'], env());
  assert.deepEqual(Object.keys(JSON.parse(restored.stdout)), ['store', 'createdAt', 'programVersion', 'settings']);
  for (const [what, text] of Object.entries(BROKEN)) {
    const [row] = await query(text);
    assert.equal(row?.['found'], 0n, what);
  }
  await checkMoment();
});

test('after a killed restore the service does not start, and the restore can be repeated', async () => {
  await clearWholly();
  const restore = runCommand(['restore', QUIET()], env());
  await restore.line('nodes:');
  await restore.kill();
  assert.match(await refusal(() => openServiceAt(place())), /incomplete/);
  assert.match(await refusal(() => run(['backup', join(home, 'half.backup')])), /incomplete/);
  assert.equal(await run(['restore', QUIET()]), 0);
});

test('every node, edge, constraint and index is restored', async () => {
  const restored = await dumpGraph(driver);
  assert.equal(restored.nodes.length, dump.nodes.length);
  assert.deepEqual(restored, dump);
  assert.deepEqual((await definitions()).sort(), indexes.sort());
  const [entry] = await lastEntries('restore');
  const [head] = await query('MATCH (n:AuditHead) RETURN n.seq AS seq');
  assert.deepEqual([entry?.['seq'], entry?.['actor']], [head?.['seq'], `shell:${userInfo().username}`]);
  service = await openServiceAt(place());
  assert.equal((await service.admin.get('/v1/tables?limit=1')).status, 200);
});

test('a damaged archive and other keys are refused before anything is written', async () => {
  const other = await mkdtemp(join(tmpdir(), 'tributary-backup-'));
  try {
    const target = { ...env(), TRIBUTARY_HOME: join(other, 'new') };
    const message = await refusal(() => run(['restore', join(packageRoot, 'package.json')], target));
    assert.match(message, /not a Tributary backup/);
    assert.deepEqual(await readdir(other), []);
    assert.match(await refusal(() => run(['restore', FORMER_RELEASE])), /not empty/);
    assert.match(await refusal(() => run(['backup', join(other, 'x')], target)), /no keys/);
  } finally {
    await rm(other, { recursive: true, force: true });
  }
});

test('wrong arguments and unusable addresses make no backup', async () => {
  for (const line of [['backup'], ['backup', 'a', 'b'], ['restore'], ['restore', 'a', '--unknown']]) {
    await assert.rejects(run(line), UsageError, line.join(' '));
  }
  const from = (server: string) => refusal(() => run(['backup', 'file', '--server', server]));
  assert.match(await from('http://127.0.0.1:1'), /sends its keys to nobody/);
  assert.match(await from('ftp://127.0.0.1:1'), /NEO4J_URI/);
  assert.match(await from('bolt://127.0.0.1:1'), /127\.0\.0\.1:1/);
});

test.run();
