import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../../errors.ts';
import { checkMaven, type Environment } from './java.ts';

export type Jars = { readonly folder: string; readonly version: string };

type Report = (line: string) => void;

const PROGRESS_EVERY_MS = 2000;

/** Sources and compiled output lie at different depths, and only the sources hold the pom. */
const packageRoot = (folder = dirname(fileURLToPath(import.meta.url))): string =>
  existsSync(join(folder, 'package.json')) || folder === dirname(folder) ? folder : packageRoot(dirname(folder));

const pomFile = (): string => join(packageRoot(), 'src', 'graph', 'embedded', 'pom.xml');

const cacheFolder = (env: Environment): string => {
  const configured = env['XDG_CACHE_HOME'];
  return join(
    configured && isAbsolute(configured) ? configured : join(env['HOME'] || homedir(), '.cache'),
    'tributary',
  );
};

/** Counts Maven's download lines and says now and then how far it has come. */
const progress = (report: Report, version: string) => {
  let jars = 0;
  let said = Date.now();
  return (line: string): void => {
    if (/^\[INFO\] Downloaded from .*\.jar \(/.test(line)) jars += 1;
    if (Date.now() - said < PROGRESS_EVERY_MS) return;
    said = Date.now();
    report(`fetching Neo4j ${version}: ${jars} jars of about 210`);
  };
};

const runMaven = (pom: string, target: string, env: Environment, onLine: Report): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = ['--batch-mode', '-Dstyle.color=never', '-f', pom, 'dependency:copy-dependencies'];
    const child = spawn('mvn', [...args, '-DincludeScope=runtime', `-DoutputDirectory=${target}`], {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const errors: string[] = [];
    const read = (chunk: string) => {
      for (const line of chunk.split('\n')) {
        if (line.startsWith('[ERROR]')) errors.push(line.slice(8));
        onLine(line);
      }
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) return resolve();
      reject(new StartupError(`Maven could not fetch the embedded Neo4j:\n${errors.slice(0, 5).join('\n')}`));
    });
  });

/** The folder appears under its name only when it is whole; whoever comes second drops its own copy. */
const moveIntoPlace = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to);
  } catch (failure) {
    if (!existsSync(to)) throw failure;
  }
};

const fetchJars = async (
  pom: string,
  folder: string,
  version: string,
  env: Environment,
  report: Report,
): Promise<void> => {
  await checkMaven(env);
  await mkdir(dirname(folder), { recursive: true });
  const part = await mkdtemp(`${folder}.part-`);
  try {
    report(`fetching Neo4j ${version} with Maven, about 120 MB, this once`);
    await runMaven(pom, part, env, progress(report, version));
    if ((await readdir(part)).length === 0) throw new StartupError('Maven ended well but brought no jars.');
    await moveIntoPlace(part, folder);
    report(`fetched Neo4j ${version}`);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
};

/** The folder with the jars of the pinned server, fetched by Maven when this machine does not have them yet. */
export const provideJars = async (env: Environment, report: Report): Promise<Jars> => {
  const pom = pomFile();
  const text = await readFile(pom, 'utf8');
  const version = /<neo4j\.version>(.+?)</.exec(text)?.[1] ?? 'unknown';
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const folder = join(cacheFolder(env), `neo4j-${version}-${hash}`);
  if (!existsSync(folder)) await fetchJars(pom, folder, version, env, report);
  return { folder, version };
};
