import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import neo4j from 'neo4j-driver';
import { StartupError } from '../../errors.ts';
import { provideJars } from './jars.ts';
import { type Environment, findJava } from './java.ts';
import { endOrphans, marksFor } from './orphan.ts';
import { providePassword } from './password.ts';
import { javaArguments, settingsFile } from './settings.ts';

export type EmbeddedServer = {
  readonly uri: string;
  readonly user: string;
  readonly password: string;
  readonly pid: number;
  /** Resolves when the server has ended, for whatever reason. */
  readonly exited: Promise<void>;
  /** Ends the server after its checkpoint. Safe to call twice. */
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  home: string;
  heap: string;
  pagecache: string;
  report: (line: string) => void;
  /** Where Java, Maven and the cache are looked for; the process's own environment unless given. */
  env?: Environment;
};

type Child = { readonly process: ChildProcess; readonly pid: number; readonly exited: Promise<void> };

type Launch = {
  readonly options: EmbeddedOptions;
  readonly java: string;
  readonly jars: string;
  readonly home: string;
};

const PORT_ATTEMPTS = 5;
const START_LIMIT_MS = 15 * 60_000;
const REPORT_EVERY_MS = 5000;
const CLEAN_END_MS = 20_000;
const LOG_LINES = 15;

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const answer = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

/** Remembers where the logs end now; the answer reads what was written since. */
const watchLogs = async (paths: readonly string[]): Promise<() => Promise<string>> => {
  const from = await Promise.all(paths.map(sizeOf));
  return async () => {
    const texts = paths.map(async (path, index) => {
      const content = await readFile(path).catch(() => Buffer.alloc(0));
      // A log that has become shorter was rotated.
      return content.subarray(content.length < (from[index] ?? 0) ? 0 : from[index]).toString('utf8');
    });
    return (await Promise.all(texts)).join('').trim().split('\n').slice(-LOG_LINES).join('\n');
  };
};

/**
 * Its own process group, so that Ctrl-C in a terminal reaches only the parent, which then closes it in order; and no
 * pipes, so that the server can outlive a killed parent long enough to end cleanly.
 */
const spawnServer = async ({ options, java, jars, home }: Launch): Promise<Child> => {
  const output = await open(join(home, 'logs', 'neo4j.out'), 'a', 0o600);
  try {
    const args = javaArguments({ jars, home, heap: options.heap, marks: marksFor(home) });
    const child = spawn(java, args, { detached: true, stdio: ['ignore', output.fd, output.fd], cwd: home });
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
    if (child.pid === undefined) throw new StartupError(`Java at ${java} could not be started`);
    const onExit = () => child.kill('SIGTERM');
    process.on('exit', onExit);
    void exited.then(() => process.off('exit', onExit));
    child.unref();
    return { process: child, pid: child.pid, exited };
  } finally {
    await output.close();
  }
};

const stopChild = async ({ process: child, exited }: Child): Promise<void> => {
  child.ref();
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), CLEAN_END_MS);
  await exited;
  clearTimeout(timer);
};

/** True when the server listens, false when it ended before that. */
const waitForPort = async (child: Child, port: number, report: (line: string) => void): Promise<boolean> => {
  const started = Date.now();
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  for (let said = started; !ended; await sleep(40)) {
    if (await isListening(port)) return !ended;
    const now = Date.now();
    if (now - started > START_LIMIT_MS)
      throw new StartupError(`The embedded Neo4j was not ready after ${(now - started) / 60_000} minutes`);
    if (now - said < REPORT_EVERY_MS) continue;
    said = now;
    report(`starting Neo4j: ${Math.round((now - started) / 1000)} s`);
  }
  return false;
};

/** A port that listens is not yet a database that answers, and the password is checked before anyone relies on it. */
const checkLogin = async (uri: string, user: string, password: string, folder: string): Promise<void> => {
  const driver = neo4j.driver(uri, neo4j.auth.basic(user, password), { telemetryDisabled: true });
  try {
    await driver.executeQuery('RETURN 1', {}, { database: 'neo4j' });
  } catch (failure) {
    const refused = failure instanceof neo4j.Neo4jError && failure.code === 'Neo.ClientError.Security.Unauthorized';
    if (!refused) throw failure;
    throw new StartupError(`The embedded Neo4j does not accept the password in ${join(folder, 'password')}`, {
      cause: failure,
    });
  } finally {
    await driver.close();
  }
};

/** One attempt on one port; undefined when another process took the port in the meantime. */
const launch = async (plan: Launch, login: { user: string; password: string }): Promise<EmbeddedServer | undefined> => {
  const { options, home } = plan;
  const folder = join(home, 'neo4j');
  const port = await freePort();
  const uri = `bolt://127.0.0.1:${port}`;
  await writeFile(join(folder, 'conf', 'neo4j.conf'), settingsFile(port, options.pagecache), { mode: 0o600 });
  const logs = join(home, 'logs');
  const readLogs = await watchLogs([join(logs, 'neo4j.log'), join(logs, 'neo4j.out')]);
  const child = await spawnServer(plan);
  try {
    if (!(await waitForPort(child, port, options.report))) {
      const said = await readLogs();
      if (/BindException|Address already in use/i.test(said)) return undefined;
      throw new StartupError(`The embedded Neo4j ended while starting. The last lines of its log in ${logs}:\n${said}`);
    }
    await checkLogin(uri, login.user, login.password, folder);
  } catch (failure) {
    await stopChild(child);
    throw failure;
  }
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopChild(child);
    return stopping;
  };
  return { uri, ...login, pid: child.pid, exited: child.exited, stop };
};

/**
 * Starts the embedded Neo4j on `home` and resolves when it accepts queries. Throws a StartupError that says what to
 * install, who uses the home already, or what the server's log says.
 */
export const startEmbedded = async (options: EmbeddedOptions): Promise<EmbeddedServer> => {
  const env = options.env ?? process.env;
  const folder = join(options.home, 'neo4j');
  await mkdir(options.home, { recursive: true, mode: 0o700 });
  for (const part of [join(folder, 'conf'), join(folder, 'data'), join(options.home, 'logs')]) {
    await mkdir(part, { recursive: true, mode: 0o700 });
  }
  const java = await findJava(env);
  const jars = await provideJars(env, options.report);
  await endOrphans(options.home, options.report);
  const login = await providePassword(folder);
  options.report(`starting Neo4j ${jars.version}`);
  const plan = { options, java: java.path, jars: jars.folder, home: await realpath(options.home) };
  for (let attempt = 1; attempt <= PORT_ATTEMPTS; attempt += 1) {
    const server = await launch(plan, login);
    if (server) return server;
  }
  throw new StartupError(`The embedded Neo4j found no free port in ${PORT_ATTEMPTS} attempts`);
};
