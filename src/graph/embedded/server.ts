import { mkdir, open, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../errors.ts';
import { archiveFlags, type ClassArchive, findArchive, makeArchiveInBackground } from './class-archive.ts';
import { checkJars, type JarPin, readJarPins } from './jar-pins.ts';
import { type JarFolder, provideJars } from './jars.ts';
import { type EnvironmentVariables, findJava, type JavaRuntime } from './java.ts';
import { lastLogLines, watchLogs } from './log-watch.ts';
import { findNeo4jLine, type Neo4jLine } from './neo4j-line.ts';
import { processMarksOf, stopOrphanedServers } from './orphaned-server.ts';
import { providePassword } from './password.ts';
import { checkLogin, findFreePort, waitForBolt } from './readiness.ts';
import { type ServerProcess, spawnServerProcess } from './server-process.ts';
import { buildJavaArguments, formatServerSettings } from './settings.ts';

/**
 * Starts the embedded Neo4j. Read this file first. It uses `java.ts` and `jars.ts` to find what the server runs on,
 * `settings.ts` for its configuration, `server-process.ts` and `readiness.ts` to start it, and `orphaned-server.ts` to
 * end a leftover one. `supervise.ts` restarts it.
 */

export type EmbeddedServer = {
  readonly uri: string;
  readonly user: string;
  readonly password: string;
  readonly pid: number;
  /** Resolves when the class archive of this machine, from which later starts profit, is no longer being created. */
  readonly archived: Promise<void>;
  /** Resolves when the server has ended for any reason. */
  readonly exited: Promise<void>;
  /**
   * Restarts a server that has ended, on the same store, port and password, so that clients can reconnect. The jars are
   * verified as at every start. Throws a StartupError when it does not start. `signal` cancels the attempt.
   */
  restart(signal?: AbortSignal): Promise<EmbeddedServer>;
  /** Ends the server after its checkpoint. Safe to call twice. */
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  readonly home: string;
  readonly heap: string;
  readonly pagecache: string;
  readonly report: (line: string) => void;
  /** The release line of Neo4j. By default, the one that NEO4J_LINE in the environment names. */
  readonly line?: Neo4jLine;
  /** The environment in which to look for Java, Maven and the cache. By default, that of this process. */
  readonly env?: EnvironmentVariables;
};

type EmbeddedServerPlan = Required<EmbeddedOptions> & {
  readonly mainClass: string;
  readonly java: JavaRuntime;
  readonly jars: JarFolder;
  readonly pins: readonly JarPin[];
  readonly archive: ClassArchive;
  readonly folder: string;
  readonly logs: string;
  readonly classList: string;
  readonly user: string;
  readonly password: string;
};

const PORT_ATTEMPTS = 5;

const spawnServer = async (plan: EmbeddedServerPlan): Promise<ServerProcess> => {
  const output = await open(join(plan.logs, 'neo4j.out'), 'a', 0o600);
  const flags = archiveFlags(plan.archive, plan.classList);
  const args = buildJavaArguments({ ...plan, jars: plan.jars.folder, flags, marks: processMarksOf(plan.home) });
  try {
    return spawnServerProcess({ program: plan.java.path, args, folder: plan.home, output, env: plan.env });
  } finally {
    await output.close();
  }
};

const isPortTaken = (log: string): boolean => /Address already in use|BindException/.test(log);

const startFailedError = (log: string, folder: string): StartupError =>
  new StartupError(`The embedded Neo4j ended while starting. Its log in ${folder} ends:\n${lastLogLines(log)}`);

/** Tries to start the server on one port. Answers undefined when another process took the port in the meantime. */
const launchOnPort = async (
  plan: EmbeddedServerPlan,
  port: number,
  signal?: AbortSignal,
): Promise<EmbeddedServer | undefined> => {
  signal?.throwIfAborted();
  const uri = `bolt://127.0.0.1:${port}`;
  await writeFile(join(plan.folder, 'conf', 'neo4j.conf'), formatServerSettings(port, plan.pagecache), { mode: 0o600 });
  const log = await watchLogs(['neo4j.log', 'neo4j.out'].map((name) => join(plan.logs, name)));
  const child = await spawnServer(plan);
  const giveUp = () => void child.stop();
  signal?.addEventListener('abort', giveUp, { once: true });
  if (signal?.aborted) giveUp();
  try {
    const ready = await waitForBolt(child, log, plan.report);
    // The driver would retry for a long time after the server has ended.
    if (ready) await Promise.race([checkLogin(uri, plan.user, plan.password), child.exited]);
  } catch (failure) {
    if (!child.hasExited()) {
      await child.stop();
      throw failure;
    }
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
  if (signal?.aborted) await child.stop();
  signal?.throwIfAborted();
  if (child.hasExited()) {
    const text = await log.text();
    if (isPortTaken(text)) return undefined;
    throw startFailedError(text, plan.logs);
  }
  const archiving = makeArchiveInBackground(plan);
  const stop = async () => {
    await Promise.all([archiving.stop(), child.stop()]);
  };
  const restart = async (aborting?: AbortSignal): Promise<EmbeddedServer> => {
    await stop();
    // The jars are verified again, because Java would load whatever is in the folder by now.
    const [archive] = await Promise.all([findArchive(plan.jars, plan.java), checkJars(plan.jars.folder, plan.pins)]);
    const again = await launchOnPort({ ...plan, archive }, port, aborting);
    if (!again)
      throw new StartupError(`Another process listens on port ${port}, which the embedded Neo4j used before.`);
    return again;
  };
  const { user, password } = plan;
  return { uri, user, password, pid: child.pid, archived: archiving.done, exited: child.exited, restart, stop };
};

/** Creates the folders, finds or downloads Java's files, and ends a server left by an earlier run. */
const prepareServer = async (options: EmbeddedOptions): Promise<EmbeddedServerPlan> => {
  const env = options.env ?? process.env;
  await mkdir(options.home, { recursive: true, mode: 0o700 });
  const home = await realpath(options.home);
  const folder = join(home, 'neo4j');
  const logs = join(home, 'logs');
  for (const path of [join(folder, 'conf'), logs]) await mkdir(path, { recursive: true, mode: 0o700 });
  await stopOrphanedServers(home, options.report);
  const { line, pom, mainClass, oldestJava } = findNeo4jLine(options.line ?? env['NEO4J_LINE']);
  const java = await findJava(env, oldestJava);
  const jars = await provideJars(env, options.report, pom);
  const pins = await readJarPins(pom);
  const work = [findArchive(jars, java), providePassword(folder), checkJars(jars.folder, pins)] as const;
  // A start that is refused has ended when it says so: nothing is written into the home any more.
  await Promise.allSettled(work);
  const [archive, login] = await Promise.all(work);
  return {
    ...options,
    ...login,
    env,
    line,
    mainClass,
    home,
    folder,
    logs,
    java,
    jars,
    pins,
    archive,
    classList: join(folder, 'classes.list'),
  };
};

/**
 * Starts the embedded Neo4j on `home` and resolves when it answers queries. Throws a StartupError that says what to
 * install, which process already uses the home, or what the server's log says.
 */
export const startEmbeddedServer = async (options: EmbeddedOptions): Promise<EmbeddedServer> => {
  const plan = await prepareServer(options);
  plan.report(`starting Neo4j ${plan.jars.version}`);
  for (let attempt = 1; attempt <= PORT_ATTEMPTS; attempt += 1) {
    const server = await launchOnPort(plan, await findFreePort());
    if (server) return server;
  }
  throw new StartupError(`The embedded Neo4j found no free port in ${PORT_ATTEMPTS} attempts.`);
};
