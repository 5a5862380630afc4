import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import neo4j from 'neo4j-driver';
import * as assert from 'uvu/assert';
import { findJava } from '../../src/graph/embedded/java.ts';
import { findNeo4jLine } from '../../src/graph/embedded/neo4j-line.ts';
import { startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import { type SupervisedServer, superviseEmbeddedServer } from '../../src/graph/embedded/supervise.ts';
import { listProcesses, processStartOf } from '../../src/platform/process.ts';
import { waitUntil } from '../support/patience.ts';
import { suite } from '../support/suite.ts';

/** Shows that the embedded database is restarted after a crash, and given up after repeated ones. */

const test = suite('faults: supervision of the embedded database');

const PAUSES_MS = [0, 50, 100];

let folder: string;
let java: string;
/** What the link at `java` leads to. */
let realJava: string;
let server: SupervisedServer;
const lines: string[] = [];
const report = (line: string) => void lines.push(line);

/** A Java that can be taken away while the server runs. */
const provideJava = async (): Promise<void> => {
  const { path } = await findJava(process.env, findNeo4jLine(process.env['NEO4J_LINE']).oldestJava);
  realJava = await realpath(path === 'java' ? await which() : path);
  await mkdir(join(folder, 'java', 'bin'), { recursive: true });
  java = join(folder, 'java', 'bin', 'java');
  await symlink(realJava, java);
};

const which = async (): Promise<string> => {
  for (const place of (process.env['PATH'] ?? '').split(':')) {
    const path = await realpath(join(place, 'java')).catch(() => undefined);
    if (path) return path;
  }
  throw new Error('there is no Java on the PATH');
};

const ask = async (statement: string): Promise<unknown> => {
  const driver = neo4j.driver(server.uri, neo4j.auth.basic(server.user, server.password), { telemetryDisabled: true });
  try {
    return (await driver.executeQuery(statement)).records[0]?.get(0);
  } finally {
    await driver.close();
  }
};

const kill = async (): Promise<void> => {
  const pid = server.pid();
  process.kill(pid, 'SIGKILL');
  await waitUntil(() => processStartOf(pid) === undefined, 'the server is gone');
};

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-supervised-'));
  await provideJava();
  const env = { ...process.env, JAVA_HOME: dirname(dirname(java)) };
  const first = await startEmbeddedServer({ home: join(folder, 'home'), heap: '512m', pagecache: '64m', report, env });
  server = superviseEmbeddedServer(first, { report, home: folder, pausesMs: PAUSES_MS });
});

test.after(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a killed database restarts at the same address with the same password and all committed data', async () => {
  const { uri, password } = server;
  const pid = server.pid();
  await ask('CREATE (:Kept)');
  await kill();
  await waitUntil(() => server.pid() !== pid, 'another process runs');
  assert.is(await ask('MATCH (n:Kept) RETURN count(n)').then(Number), 1);
  assert.equal([server.uri, server.password], [uri, password]);
  assert.ok(lines.some((line) => line.includes(`Neo4j (process ${pid}) ended unexpectedly`)));
  assert.ok(lines.some((line) => line.includes(`Neo4j is back (process ${server.pid()})`)));
});

test('after a bounded number of failed restarts the supervisor gives up with the reason', async () => {
  await rm(java);
  await writeFile(java, '#!/bin/sh\necho "no heap today"\nexit 3\n');
  await chmod(java, 0o755);
  let hasGivenUp = false;
  void server.gaveUp.then(() => {
    hasGivenUp = true;
  });
  await kill();
  await waitUntil(() => hasGivenUp, 'it is given up');
  // The first of the three attempts was used up by the test before, which is not long ago.
  assert.is(lines.filter((line) => line.startsWith('Neo4j could not be started again')).length, PAUSES_MS.length - 1);
  assert.match(lines.at(-1) ?? '', /given up after 3 starts: .*no heap today/s);
  await server.stop();
});

test('a stop during a restart leaves no process behind', async () => {
  await rm(java);
  await symlink(realJava, java);
  const home = join(folder, 'other');
  const env = { ...process.env, JAVA_HOME: dirname(dirname(java)) };
  const first = await startEmbeddedServer({ home, heap: '512m', pagecache: '64m', report, env });
  const other = superviseEmbeddedServer(first, { report, home });
  process.kill(first.pid, 'SIGKILL');
  const running = () => listProcesses().filter(({ command }) => command.includes(`-Dtributary.parent=${process.pid}@`));
  const others = new Set(running().map(({ pid }) => pid));
  await waitUntil(() => running().some(({ pid }) => !others.has(pid) && pid !== first.pid), 'it is being started');
  await other.stop();
  assert.equal(
    running().filter(({ pid }) => !others.has(pid)),
    [],
  );
});

test.run();
