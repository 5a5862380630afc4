import * as assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/graph/package-root.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { waitUntilReady } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows what is in the package, and that a folder that holds nothing but the package runs the service by `npx`. The
 * package brings the versions of the lock file; npm takes them from its cache or its registry.
 */

type Packed = { readonly filename: string; readonly files: readonly { readonly path: string }[] };
type Locked = { readonly dev?: boolean; readonly version: string; readonly integrity?: string };
type Lock = { readonly lockfileVersion: number; readonly packages: Readonly<Record<string, Locked>> };
type Manifest = Readonly<Record<'name' | 'version', string>> &
  Readonly<Record<'dependencies' | 'bin' | 'engines', object>>;

const run = promisify(execFile);
const MAX_OUTPUT = 16 * 1024 * 1024;
/** What is installed may come from a registry. */
const INSTALL_WITHIN_MS = 2 * PATIENCE_MS;

const npm = async (folder: string, ...args: string[]): Promise<string> =>
  (await run('npm', args, { cwd: folder, maxBuffer: MAX_OUTPUT, timeout: INSTALL_WITHIN_MS })).stdout;

const readJson = async <T>(name: string): Promise<T> =>
  JSON.parse(await readFile(join(packageRoot, name), 'utf8')) as T;

/** Packs as npm does, but without a build, because the run of the tests has built the program. */
const pack = async (...args: string[]): Promise<Packed> => {
  await npm(packageRoot, 'run', '--silent', 'prepack');
  try {
    const answer = JSON.parse(await npm(packageRoot, 'pack', '--json', '--ignore-scripts', ...args)) as
      | readonly Packed[]
      | Readonly<Record<string, Packed>>;
    const [packed] = Object.values(answer);
    assert.ok(packed);
    return packed;
  } finally {
    await npm(packageRoot, 'run', '--silent', 'postpack');
  }
};

/**
 * A folder that depends on the package alone. Its lock file says of the package what a registry says of it: that it brings
 * the versions of what it depends on.
 */
const writeDependent = async (folder: string, filename: string): Promise<void> => {
  const { version, dependencies, bin, engines } = await readJson<Manifest>('package.json');
  const { lockfileVersion } = await readJson<Lock>('package-lock.json');
  const root = { name: 'dependent', version: '1.0.0', dependencies: { tributary: `file:${filename}` } };
  const own = { version, resolved: `file:${filename}`, hasShrinkwrap: true, dependencies, bin, engines };
  const locked = { 'node_modules/tributary': own, '': root };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...root, private: true }));
  const lock = { name: root.name, version: root.version, lockfileVersion, requires: true, packages: locked };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
};

/** Whether what was installed is what the lock file names, and nothing that only developers need. */
const expectLockedVersions = async (folder: string): Promise<void> => {
  const own = join(folder, 'node_modules', 'tributary');
  const [installed, locked] = await Promise.all(
    [join(own, 'npm-shrinkwrap.json'), join(packageRoot, 'package-lock.json')].map(
      async (path) => JSON.parse(await readFile(path, 'utf8')) as Lock,
    ),
  );
  assert.ok(installed && locked);
  const needed = Object.entries(locked.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  assert.deepEqual(
    Object.entries(installed.packages).filter(([path]) => path !== ''),
    needed,
  );
  for (const path of ['node_modules/hono', 'node_modules/jose', 'node_modules/neo4j-driver']) {
    const { version } = JSON.parse(await readFile(join(own, path, 'package.json'), 'utf8')) as Locked;
    assert.equal(version, locked.packages[path]?.version);
  }
};

const test = suite('deploy: package');

let folder: string;

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-package-'));
});

test.after(() => rm(folder, { recursive: true, force: true }));

test('the package holds what the program needs and nothing else', async () => {
  const paths = (await pack('--dry-run')).files.map(({ path }) => path);
  const expected = [
    /^(package\.json|npm-shrinkwrap\.json|README\.md|LICENSE)$/,
    /^dist\/.*\.js$/,
    /^dist\/explorer\/(index\.html|licenses\.md|assets\/.*\.(js|css|svg))$/,
    /^cypher\/.*\.cypher$/,
    /^seeds\/.*\.(yaml|json)$/,
    /^src\/http\/docs\//,
    /^src\/graph\/embedded\/(neo4j-2026\/)?(pom\.xml|jars\.json)$/,
  ];
  for (const path of paths)
    assert.ok(
      expected.some((pattern) => pattern.test(path)),
      `${path} is not needed`,
    );
  for (const pattern of expected)
    assert.ok(
      paths.some((path) => pattern.test(path)),
      `nothing is like ${pattern}`,
    );
});

test('npx runs the installed package, prints its version and serves until it is stopped', async () => {
  const { filename } = await pack('--pack-destination', folder);
  await writeDependent(folder, filename);
  await npm(folder, 'ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
  await expectLockedVersions(folder);
  const { version } = await readJson<Manifest>('package.json');
  assert.equal((await npm(folder, 'exec', '--offline', '--', 'tributary', '--version')).trim(), `tributary ${version}`);

  const home = join(folder, 'home');
  const env = { ...process.env, WORKERS: '1', WARM_UP: 'false', NEO4J_URI: '', NEO4J_HEAP: '512m', PORT: '0' };
  const child = spawn('npx', ['--no-install', 'tributary', 'serve'], {
    cwd: folder,
    env: { ...env, TRIBUTARY_HOME: home },
    detached: true,
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => said.push(text));
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    const { address, ask } = await waitUntilReady(home, { child, output: () => said.join('') });
    assert.equal((await ask('/v1/tables?limit=1')).status, 200);
    assert.ok((await (await fetch(`${address}/docs`)).text()).includes('<html'));
  } finally {
    // A terminal signals the whole group, of which npx is only the first.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    await ended;
  }
});

test.run();
