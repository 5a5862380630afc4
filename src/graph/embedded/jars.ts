import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../../errors.ts';
import { takeLock } from '../../platform/lock.ts';
import { checkMaven, type EnvironmentVariables } from './java.ts';
import { findNeo4jLine } from './neo4j-line.ts';

/** Finds the jars of the embedded server in the machine's cache, or downloads them with Maven. */

export type JarFolder = { readonly folder: string; readonly version: string };

type JarReport = (line: string) => void;

const PROGRESS_EVERY_MS = 2000;
const LOCK_RETRY_MS = 300;

/** The cache folder of this machine, which every service and test on it shares. */
export const machineCacheFolder = (env: EnvironmentVariables): string => {
  const configured = env['XDG_CACHE_HOME'];
  return join(
    configured && isAbsolute(configured) ? configured : join(env['HOME'] || homedir(), '.cache'),
    'tributary',
  );
};

/** Counts Maven's download lines and reports the progress from time to time. */
const createDownloadProgress = (report: JarReport, version: string) => {
  let files = 0;
  let jars = 0;
  let reportedAt = performance.now();
  return (line: string): void => {
    if (/^\[INFO\] Downloaded from /.test(line)) files += 1;
    if (/^\[INFO\] Downloaded from .*\.jar \(/.test(line)) jars += 1;
    if (performance.now() - reportedAt < PROGRESS_EVERY_MS) return;
    reportedAt = performance.now();
    report(`fetching Neo4j ${version}: ${files} files, ${jars} of more than 200 jars`);
  };
};

const runMaven = (pom: string, target: string, env: EnvironmentVariables, onLine: JarReport): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = [
      '--batch-mode',
      '--strict-checksums',
      '-Dstyle.color=never',
      '-f',
      pom,
      'dependency:copy-dependencies',
    ];
    const child = spawn('mvn', [...args, '-DincludeScope=runtime', `-DoutputDirectory=${target}`], {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const errors: string[] = [];
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('[ERROR]')) errors.push(line.slice(8));
      onLine(line);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text.trimEnd()));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) return resolve();
      reject(new StartupError(`Maven could not fetch the embedded Neo4j:\n${errors.slice(0, 5).join('\n')}`));
    });
  });

/**
 * Downloads the jars. The folder gets its final name only when it is complete, so an interrupted download never passes
 * as a cache.
 */
const fetchJars = async (
  pom: string,
  { folder, version }: JarFolder,
  env: EnvironmentVariables,
  report: JarReport,
): Promise<void> => {
  for (const name of await readdir(dirname(folder))) {
    if (name.startsWith(`${basename(folder)}.part-`)) await rm(join(dirname(folder), name), { recursive: true });
  }
  const part = await mkdtemp(`${folder}.part-`);
  try {
    report(`fetching Neo4j ${version} with Maven, about 120 MB, only once`);
    await runMaven(pom, part, env, createDownloadProgress(report, version));
    if ((await readdir(part)).length === 0) throw new StartupError('Maven succeeded but fetched no jars.');
    await rename(part, folder);
    report(`fetched Neo4j ${version}`);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
};

/** Lets one process download while the others wait for the same files. */
const fetchJarsOnce = async (
  pom: string,
  jars: JarFolder,
  env: EnvironmentVariables,
  report: JarReport,
): Promise<void> => {
  await checkMaven(env);
  await mkdir(dirname(jars.folder), { recursive: true });
  for (let isReported = false; !existsSync(jars.folder); isReported = true) {
    const taken = await takeLock(`${jars.folder}.lock`);
    if ('holder' in taken) {
      if (!isReported) report(`waiting for process ${taken.holder.pid}, which is fetching Neo4j ${jars.version}`);
      await sleep(LOCK_RETRY_MS);
      continue;
    }
    try {
      if (!existsSync(jars.folder)) await fetchJars(pom, jars, env, report);
    } finally {
      await taken.lock.release();
    }
  }
};

/** Answers where this machine keeps the jars that the pom pins, whether they are downloaded or not. */
export const locateJars = async (env: EnvironmentVariables, pom: string): Promise<JarFolder> => {
  const text = await readFile(pom, 'utf8');
  const version = /<neo4j\.version>(.+?)</.exec(text)?.[1] ?? 'unknown';
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { folder: join(machineCacheFolder(env), `neo4j-${version}-${hash}`), version };
};

/** Answers the folder with the jars that the pom pins. Maven downloads them if this machine does not have them yet. */
export const provideJars = async (
  env: EnvironmentVariables,
  report: JarReport,
  pom: string = findNeo4jLine(undefined).pom,
): Promise<JarFolder> => {
  const jars = await locateJars(env, pom);
  if (!existsSync(jars.folder)) await fetchJarsOnce(pom, jars, env, report);
  return jars;
};
