import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stopServiceProcess, waitForOutput } from '../support/service-process.ts';

/** A PostgreSQL server for a test, from the programs of a package. It lives in a folder of its own and trusts all. */

const run = promisify(execFile);

export type PostgresServer = {
  readonly port: number;
  /** Runs statements in a database. */
  execute(database: string, statements: string): Promise<void>;
  stop(): Promise<void>;
};

/** The server refuses to run as root, who then starts it as the user without rights. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

const PACKAGE = /^embedded_postgres(\.libs)?$/;

/** Copies the programs with their libraries, because another user may not read the cache of root. */
const copyPrograms = async (environment: string, folder: string): Promise<void> => {
  const [version = ''] = await readdir(join(environment, 'lib'));
  const packages = join(environment, 'lib', version, 'site-packages');
  for (const name of (await readdir(packages)).filter((one) => PACKAGE.test(one)))
    await cp(join(packages, name), join(folder, name), { recursive: true });
  if (isRoot) await run('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]);
};

const findFreePort = async (): Promise<number> => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** Starts a server from the virtual environment with the package `embedded-postgres`. */
export const startPostgresServer = async (environment: string): Promise<PostgresServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-postgres-'));
  await copyPrograms(environment, folder);
  const program = (name: string) => join(folder, 'embedded_postgres', 'pginstall', 'bin', name);
  const data = join(folder, 'data');
  const options = { cwd: folder, ...identity };
  const initdb = ['-D', data, '-U', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C', '--no-sync'];
  await run(program('initdb'), initdb, options);
  const port = await findFreePort();
  const settings = ['shared_preload_libraries=pg_stat_statements', 'fsync=off', 'unix_socket_directories='];
  const address = ['-h', '127.0.0.1', '-p', String(port)];
  const child = spawn(
    program('postgres'),
    ['-D', data, ...address, ...settings.flatMap((one) => ['-c', one])],
    options,
  );
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => chunks.push(chunk));
  await waitForOutput({ child, output: () => chunks.join('') }, /ready to accept connections/);
  return {
    port,
    execute: async (database, statements) => {
      const args = ['-U', 'postgres', '-d', database, '-v', 'ON_ERROR_STOP=1', '-c', statements];
      await run(program('psql'), [...address, ...args], options);
    },
    stop: async () => {
      // SIGINT closes the connections of clients instead of waiting for them.
      await stopServiceProcess({ child }, 'SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
};
