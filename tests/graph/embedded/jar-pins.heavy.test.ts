import { existsSync } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as assert from 'uvu/assert';
import { StartupError } from '../../../src/errors.ts';
import { checkJars, type JarPin, readJarPins } from '../../../src/graph/embedded/jar-pins.ts';
import { locateJars, provideJars } from '../../../src/graph/embedded/jars.ts';
import { findNeo4jLine, NEO4J_LINES, type Neo4jLine } from '../../../src/graph/embedded/neo4j-line.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/graph/embedded/server.ts';
import { suite } from '../../support/suite.ts';

/** Shows that the embedded server starts only with the pinned jars. */

const test = suite('graph: checksums of the embedded server');

let place: string;
let original: string;

test.before(async () => {
  place = await mkdtemp(join(tmpdir(), 'tributary-pins-'));
  original = (await provideJars(process.env, () => {})).folder;
  test.after(() => rm(place, { recursive: true, force: true }));
});

/** A cache of its own with the same jars. The files are the same until somebody puts another in the place of one. */
const copied = async (): Promise<{ readonly cache: string; readonly folder: string }> => {
  const cache = await mkdtemp(join(place, 'cache-'));
  const folder = join(cache, 'tributary', basename(original));
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(original)) await link(join(original, file), join(folder, file));
  return { cache, folder };
};

const replace = async (path: string, content: Uint8Array): Promise<void> => {
  await rm(path);
  await writeFile(path, content);
};

const startOn = async (cache: string): Promise<EmbeddedServer> => {
  const home = await mkdtemp(join(place, 'home-'));
  const env = { ...process.env, XDG_CACHE_HOME: cache, NEO4J_LINE: '5' };
  return startEmbeddedServer({ home, heap: '256m', pagecache: '64m', report: () => {}, env });
};

/** Changes one bit of the jar whose file name starts with `start`. Answers its file name. */
const changeOneBit = async (folder: string, start: string): Promise<string> => {
  const file = (await readdir(folder)).find((name) => name.startsWith(start)) ?? '';
  const content = await readFile(join(folder, file));
  const at = content.length >> 1;
  content[at] = (content[at] ?? 0) ^ 1;
  await replace(join(folder, file), content);
  return file;
};

/** What a start on these jars says. */
const start = (cache: string): Promise<unknown> =>
  startOn(cache).then(
    async (server) => {
      await server.stop();
      return 'started';
    },
    (failure: unknown) => failure,
  );

const refusedWith = (failure: unknown, pattern: RegExp): void => {
  assert.instance(failure, StartupError);
  assert.match((failure as Error).message, pattern);
};

const pinsOf = (line: Neo4jLine): Promise<readonly JarPin[]> => readJarPins(findNeo4jLine(line).pom);

test('both Neo4j versions pin every jar once, in the version of their pom', async () => {
  for (const line of NEO4J_LINES) {
    const pins = await pinsOf(line);
    assert.ok(pins.length > 200, line);
    assert.equal(new Set(pins.map(({ file }) => file)).size, pins.length);
    for (const { sha256, file } of pins) assert.match(sha256, /^[0-9a-f]{64}$/, file);
    const { version } = await locateJars(process.env, findNeo4jLine(line).pom);
    assert.ok(version.startsWith(`${line}.`), `${line}: ${version}`);
    assert.ok(
      pins.some(({ file, artifact }) => artifact === 'neo4j-kernel' && file === `neo4j-kernel-${version}.jar`),
      `the pins of line ${line} are those of ${version}`,
    );
  }
});

test('a jar used by both versions has one checksum', async () => {
  const [former, later] = await Promise.all(NEO4J_LINES.map(pinsOf));
  const sums = new Map(former?.map(({ file, sha256 }) => [file, sha256]));
  const shared = later?.filter(({ file }) => sums.has(file)) ?? [];
  assert.ok(shared.length > 0);
  for (const { file, sha256 } of shared) assert.is(sha256, sums.get(file), file);
});

const folders = await Promise.all(
  NEO4J_LINES.map(async (line) => [line, (await locateJars(process.env, findNeo4jLine(line).pom)).folder] as const),
);
for (const [line, folder] of folders) {
  const name = `the jars of line ${line} that Maven brought are the pinned ones, and checking them takes no time`;
  if (line !== NEO4J_LINES[0] && !existsSync(folder)) {
    test.skipped(name, `nothing on this machine has started line ${line} yet`);
    continue;
  }
  test(name, async () => {
    const begun = performance.now();
    await checkJars(folder, await pinsOf(line));
    assert.ok(performance.now() - begun < 10_000);
  });
}

test('a jar with one changed bit stops the start, naming the jar', async () => {
  const { cache, folder } = await copied();
  const file = await changeOneBit(folder, 'neo4j-kernel-5');
  refusedWith(await start(cache), new RegExp(`The jar ${file.replaceAll('.', '\\.')} .*another checksum`));
});

test('a jar changed while the server ran stops the next start', async () => {
  const { cache, folder } = await copied();
  const server = await startOn(cache);
  try {
    const file = await changeOneBit(folder, 'neo4j-kernel-5');
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    const again = await server.restart().then(
      async (running) => {
        await running.stop();
        return 'started';
      },
      (failure: unknown) => failure,
    );
    refusedWith(again, new RegExp(`The jar ${file.replaceAll('.', '\\.')} .*another checksum`));
  } finally {
    await server.stop();
  }
});

test('a missing or additional jar stops the start, naming the jar', async () => {
  const more = await copied();
  await writeFile(join(more.folder, 'zz-plugin.jar'), 'x');
  refusedWith(await start(more.cache), /^zz-plugin\.jar is not a jar of the embedded Neo4j/);
  const less = await copied();
  const [first = ''] = await readdir(less.folder);
  await rm(join(less.folder, first));
  refusedWith(await start(less.cache), new RegExp(`The jar ${first.replaceAll('.', '\\.')} .*is missing`));
});

test.run();
