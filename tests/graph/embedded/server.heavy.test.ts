import * as assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import neo4j from 'neo4j-driver';
import { StartupError } from '../../../src/errors.ts';
import { findArchive, makeArchiveInBackground } from '../../../src/graph/embedded/class-archive.ts';
import { provideJars } from '../../../src/graph/embedded/jars.ts';
import { findJava } from '../../../src/graph/embedded/java.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/graph/embedded/server.ts';
import { listProcesses, processStartOf } from '../../../src/platform/process.ts';
import { waitFor, waitUntil } from '../../support/patience.ts';
import { type Program, runProgram } from '../../support/program.ts';
import { suite } from '../../support/suite.ts';

/** Shows that the embedded server finds Java and Maven and explains what is missing. */

type Address = { readonly uri: string; readonly password: string };

const test = suite('graph: embedded server');
const servers: EmbeddedServer[] = [];
const programs: Program[] = [];
const pids: number[] = [];
let root = '';
/** One store for the real starts, with a name that needs care on the way through Java and the settings file. */
let home = '';

const start = async (folder = home) => {
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  const server = await startEmbeddedServer({ home: folder, heap: '512m', pagecache: '64m', report });
  servers.push(server);
  return { server, lines };
};

const startElsewhere = async (): Promise<{ program: Program; server: Address & { readonly pid: number } }> => {
  const program = runProgram('hold-server.ts', home);
  programs.push(program);
  const server = JSON.parse(await program.line('ready')) as Address & { pid: number };
  pids.push(server.pid);
  return { program, server };
};

const ask = async ({ uri, password }: Address, statement: string): Promise<unknown[]> => {
  const driver = neo4j.driver(uri, neo4j.auth.basic('neo4j', password), { maxTransactionRetryTime: 0 });
  try {
    return (await driver.executeQuery(statement)).records.map((record) => record.get(0));
  } finally {
    await driver.close();
  }
};

const waitForEnd = (pid: number): Promise<void> =>
  waitUntil(() => processStartOf(pid) === undefined, `process ${pid} has ended`);

/** An environment whose PATH holds only the given scripts, and whose cache is empty. */
const fakeEnvironment = async (scripts: Readonly<Record<string, string>>) => {
  const folder = await mkdtemp(join(root, 'env-'));
  const path = join(folder, 'bin');
  await mkdir(path);
  for (const [name, body] of Object.entries(scripts)) {
    await writeFile(join(path, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(path, name), 0o755);
  }
  return { PATH: path, HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') };
};

/** Gives an environment the jars of this machine: others are refused before Java is started with them. */
const withJars = async <E extends { readonly XDG_CACHE_HOME: string }>(env: E): Promise<E> => {
  const { folder } = await provideJars(process.env, () => {});
  await mkdir(join(env.XDG_CACHE_HOME, 'tributary'), { recursive: true });
  await symlink(folder, join(env.XDG_CACHE_HOME, 'tributary', basename(folder)));
  return env;
};

const java = (version: string, otherwise = 'exit 1') =>
  `if [ "$1" = -version ]; then echo 'openjdk version "${version}"' >&2; exit 0; fi; ${otherwise}`;

const maven = (version: string, otherwise = 'exit 1') =>
  `if [ "$1" = -version ]; then echo 'Apache Maven ${version} (x)'; exit 0; fi; ${otherwise}`;

/** Does what Maven does, slowly enough that a second one would overlap, and counts its runs. */
const fetching = `
echo run >> "$0.runs"
for argument; do case "$argument" in -DoutputDirectory=*) folder="\${argument#*=}" ;; esac; done
echo '[INFO] Downloaded from central: https://example.org/a.jar (1 kB at 1 kB/s)'
/bin/sleep 1
echo jar > "$folder/a.jar"`;

const failureOf = async (env: Readonly<Record<string, string>>): Promise<string> => {
  const options = { home: await mkdtemp(join(root, 'home-')), heap: '512m', pagecache: '64m', report: () => {}, env };
  try {
    servers.push(await startEmbeddedServer(options));
  } catch (failure) {
    assert.ok(failure instanceof StartupError, String(failure));
    return failure.message;
  }
  return assert.fail('it started');
};

test.before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tributary-embedded-'));
  home = join(root, 'a home, "größer"');
});

test.after(async () => {
  await Promise.all([...programs.map((program) => program.kill()), ...servers.map((server) => server.stop())]);
  for (const pid of pids.filter((pid) => processStartOf(pid) !== undefined)) process.kill(pid, 'SIGKILL');
  await rm(root, { recursive: true, force: true });
});

test('a missing Java is reported with what to install', async () => {
  assert.match(await failureOf(await fakeEnvironment({})), /needs Java 17 .*no Java was found.*Install .*NEO4J_URI/s);
});

test('a Java that is too old is reported', async () => {
  const env = await fakeEnvironment({ java: java('11.0.2') });
  assert.match(await failureOf(env), /needs Java 17 or newer, but java is version 11\..*Install/s);
  const older = await fakeEnvironment({ java: java('1.8.0_392') });
  assert.match(await failureOf(older), /java is version 8\./);
});

test('JAVA_HOME is preferred, and the PATH is used when its Java is too old', async () => {
  const chosen = await fakeEnvironment({ java: java('21.0.1', 'echo from-java-home; exit 1') });
  const onPath = await withJars(await fakeEnvironment({ java: java('17.0.1', 'echo from-path; exit 1') }));
  await mkdir(join(chosen.HOME, 'old', 'bin'), { recursive: true });
  await writeFile(join(chosen.HOME, 'old', 'bin', 'java'), `#!/bin/sh\n${java('11.0.2')}\n`, { mode: 0o755 });
  assert.match(await failureOf({ ...onPath, JAVA_HOME: chosen.HOME }), /from-java-home/);
  assert.match(await failureOf({ ...onPath, JAVA_HOME: join(chosen.HOME, 'old') }), /from-path/);
});

test('a missing or old Maven is reported with what to install', async () => {
  const without = await fakeEnvironment({ java: java('17.0.1') });
  assert.match(
    await failureOf(without),
    /needs Maven 3\.6\.3 or newer, and no working "mvn" .*Install Maven.*NEO4J_URI/s,
  );
  const old = await fakeEnvironment({ java: java('17.0.1'), mvn: maven('3.6.2') });
  assert.match(await failureOf(old), /needs Maven 3\.6\.3 or newer, but the one on the PATH is 3\.6\.2/);
});

test('a failed download is reported and leaves no cache that looks complete', async () => {
  const failing = `echo '[INFO] so far so good'; echo '[ERROR] Could not resolve host'; exit 1`;
  const env = await fakeEnvironment({ java: java('17.0.1'), mvn: maven('3.9.9', failing) });
  const message = await failureOf(env);
  assert.match(message, /Could not resolve host/);
  assert.doesNotMatch(message, /so far/);
  assert.deepEqual(await readdir(join(env.XDG_CACHE_HOME, 'tributary')), []);
});

test('two processes that need the jars download them once and remove leftovers of a killed download', async () => {
  const env = await fakeEnvironment({ mvn: maven('3.9.9', fetching) });
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  const provide = () => provideJars(env, report);
  const [first, second] = await Promise.all([provide(), provide()]);
  assert.deepEqual(first, second);
  assert.deepEqual(await readdir(first.folder), ['a.jar']);
  assert.equal(await readFile(join(env.PATH, 'mvn.runs'), 'utf8'), 'run\n');
  assert.ok(lines.some((line) => line.startsWith('fetched Neo4j 5.26.30')));
  assert.ok(lines.some((line) => line.startsWith('waiting for process')));
  await rm(first.folder, { recursive: true });
  await mkdir(`${first.folder}.part-left`);
  await provide();
  assert.deepEqual(await readdir(join(env.XDG_CACHE_HOME, 'tributary')), [first.folder.split('/').at(-1)]);
});

test('a server that dies during its start is reported with its last log lines', async () => {
  const dying = `echo 'Some reason'; echo '    at a.stack.frame'; echo 'Caused by: another'; exit 3`;
  const env = await withJars(await fakeEnvironment({ java: java('17.0.1', dying) }));
  const message = await failureOf(env);
  assert.match(message, /ended while starting.*\nSome reason\nCaused by: another$/s);
});

test('options in the environment do not make another build of Java', async () => {
  const told = (note: string, mode: string) =>
    `echo '${note}openjdk version "17.0.1" 2021-10-19' >&2; echo 'OpenJDK 64-Bit Server VM (build 17.0.1+${mode})' >&2`;
  const buildOf = async (script: string) => (await findJava(await fakeEnvironment({ java: script }), 17)).build;
  const plain = await buildOf(told('', '12, mixed mode, sharing'));
  const note = 'NOTE: Picked up JDK_JAVA_OPTIONS: -XX:TieredStopAtLevel=1\n';
  assert.equal(await buildOf(told(note, '12, mixed mode, emulated-client, sharing')), plain);
  assert.notEqual(await buildOf(told('', '13, mixed mode, sharing')), plain);
});

/** Archives classes with a Java whose dump is the given script; `$to` is the file it should write. */
const archiveWith = async (dump: string) => {
  const env = await fakeEnvironment({
    java: `for last; do case "$last" in -XX:SharedArchiveFile=*) to="\${last#*=}";; esac; done; ${dump}`,
  });
  const jars = { folder: join(env.HOME, 'jars'), version: '1' };
  const found = { path: join(env.PATH, 'java'), build: 'a Java' };
  const classList = join(env.HOME, 'classes.list');
  await writeFile(classList, `java/lang/Object id: 0\n${'x'.repeat(5000)}\ncut sho`);
  const archive = await findArchive(jars, found);
  assert.equal(archive.state, 'missing');
  const list = () => readFile(`${archive.path}.list`, 'utf8').catch(() => undefined);
  const after = async () => ({ state: (await findArchive(jars, found)).state, files: await readdir(env.HOME) });
  return {
    ...makeArchiveInBackground({ java: found, jars, archive, classList, env }),
    name: basename(archive.path),
    list,
    after,
  };
};

if (freemem() < 3 * 2 ** 30) {
  test.skipped('makes an archive of classes', 'too little free memory for archives to be made');
} else {
  test('a class archive is created completely, or is marked as impossible', async () => {
    const made = await archiveWith('echo classes > "$to"');
    await waitFor(made.after, ({ state }) => state === 'ready', 'the archive is made');
    await made.stop();
    assert.deepEqual((await made.after()).files.sort(), ['bin', made.name]);
    const failed = await archiveWith('exit 1');
    await waitFor(failed.after, ({ state }) => state === 'impossible', 'the archive is marked');
  });

  test('an interrupted archive leaves nothing behind', async () => {
    const slow = await archiveWith('echo half > "$to"; exec /bin/sleep 20');
    const list = await waitFor(slow.list, (text) => text !== undefined, 'the list of classes is written');
    assert.equal(list, 'java/lang/Object id: 0');
    await waitFor(slow.after, ({ files }) => files.includes(`${slow.name}.part`), 'half of the archive is written');
    await slow.stop();
    assert.deepEqual(await slow.after(), { state: 'missing', files: ['bin'] });
  });
}

test('password and data survive a restart, and a second stop does nothing', async () => {
  const { server, lines } = await start();
  assert.match(server.uri, /^bolt:\/\/127\.0\.0\.1:\d+$/);
  assert.ok(lines.some((line) => /^starting Neo4j (5\.26|2026)\./.test(line)));
  assert.equal((await stat(home)).mode & 0o777, 0o700);
  assert.equal((await stat(join(home, 'neo4j', 'password'))).mode & 0o777, 0o600);
  await assert.rejects(ask({ ...server, password: 'wrong-password' }, 'RETURN 1'), /unauthorized|authentication/i);
  const settings = "SHOW SETTINGS 'db.tx_log.rotation.retention_policy' YIELD value";
  assert.deepEqual(await ask(server, settings), ['512M size'], 'old logs do not fill the disk');
  await ask(server, "CREATE (:Kept {name: 'first'})");
  await assert.rejects(start(), new RegExp(`belongs to process ${process.pid},`));
  await Promise.all([server.stop(), server.stop()]);
  await server.exited;
  assert.equal(processStartOf(server.pid), undefined);
  await assert.rejects(ask(server, 'RETURN 1'));
  assert.match(await readFile(join(home, 'logs', 'neo4j.log'), 'utf8'), /Stopped\./);

  const again = (await start()).server;
  assert.equal(again.password, server.password);
  assert.deepEqual(await ask(again, 'MATCH (n:Kept) RETURN n.name'), ['first']);
  await again.stop();
  await again.stop();
});

test('an orphaned server is stopped by the next start, and nothing is lost', async () => {
  const { program, server } = await startElsewhere();
  await ask(server, "CREATE (:Kept {name: 'second'})");
  const keeper = listProcesses().find(({ command }) => command.trim().endsWith(` keeper ${server.pid}`));
  assert.ok(keeper, 'nothing watches over the server');
  process.kill(keeper.pid, 'SIGKILL');
  await program.kill();
  await sleep(500);
  assert.ok(processStartOf(server.pid), 'there is no orphan to end');
  const next = await start();
  assert.ok(next.lines.some((line) => line.includes(`process ${server.pid}`)));
  assert.equal(processStartOf(server.pid), undefined);
  assert.deepEqual(await ask(next.server, 'MATCH (n:Kept) RETURN n.name ORDER BY n.name'), ['first', 'second']);
  process.kill(next.server.pid, 'SIGKILL');
  await next.server.exited;
  await next.server.stop();
});

test('a server stops when its parent is killed', async () => {
  const { program, server } = await startElsewhere();
  assert.deepEqual(await ask(server, 'MATCH (n:Kept) RETURN count(n) = 2'), [true]);
  await program.kill();
  await waitForEnd(server.pid);
  assert.match(await readFile(join(home, 'logs', 'neo4j.log'), 'utf8'), /Stopped\.\s*$/);
});

test('a server stops when its parent exits without stopping it', async () => {
  const { program, server } = await startElsewhere();
  program.process.stdin?.end();
  await program.exited;
  await waitForEnd(server.pid);
});

test.run();
