import { link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as assert from 'uvu/assert';
import { StartupError } from '../../src/errors.ts';
import { provideJars } from '../../src/graph/embedded/jars.ts';
import { factsOfLine } from '../../src/graph/embedded/line.ts';
import { checkJars, readPins } from '../../src/graph/embedded/pins.ts';
import { startEmbedded } from '../../src/graph/embedded/server.ts';
import { suite } from '../support/suite.ts';

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

/** What a start on these jars says. */
const start = async (cache: string): Promise<unknown> => {
  const home = await mkdtemp(join(place, 'home-'));
  const env = { ...process.env, XDG_CACHE_HOME: cache, NEO4J_LINE: '5' };
  return startEmbedded({ home, heap: '256m', pagecache: '64m', report: () => {}, env }).then(
    async (server) => {
      await server.stop();
      return 'started';
    },
    (failure: unknown) => failure,
  );
};

const refusedWith = (failure: unknown, pattern: RegExp): void => {
  assert.instance(failure, StartupError);
  assert.match((failure as Error).message, pattern);
};

test('the jars that Maven brought are the pinned ones, and checking them takes no time', async () => {
  const pins = await readPins(factsOfLine(undefined).pom);
  assert.ok(pins.length > 200);
  assert.equal(new Set(pins.map(({ file }) => file)).size, pins.length);
  for (const { sha256 } of pins) assert.match(sha256, /^[0-9a-f]{64}$/);
  const begun = performance.now();
  await checkJars(original, pins);
  assert.ok(performance.now() - begun < 10_000);
});

test('a jar of which one bit was changed stops the start, by its name', async () => {
  const { cache, folder } = await copied();
  const file = (await readdir(folder)).find((name) => name.startsWith('neo4j-kernel-5')) ?? '';
  const content = await readFile(join(folder, file));
  const at = content.length >> 1;
  content[at] = (content[at] ?? 0) ^ 1;
  await replace(join(folder, file), content);
  refusedWith(await start(cache), new RegExp(`The jar ${file.replaceAll('.', '\\.')} .*another checksum`));
});

test('a jar too many or too few stops the start, by its name', async () => {
  const more = await copied();
  await writeFile(join(more.folder, 'zz-plugin.jar'), 'x');
  refusedWith(await start(more.cache), /^zz-plugin\.jar is no jar of the embedded Neo4j/);
  const less = await copied();
  const [first = ''] = await readdir(less.folder);
  await rm(join(less.folder, first));
  refusedWith(await start(less.cache), new RegExp(`The jar ${first.replaceAll('.', '\\.')} .*is missing`));
});

test.run();
