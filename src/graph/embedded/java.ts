import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { StartupError } from '../../errors.ts';

/** Finds Java and Maven on this machine. */

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** `build` is a text that differs between any two builds of Java, whatever options they run with. */
export type JavaRuntime = { readonly path: string; readonly build: string };

const MIN_MAVEN_VERSION = [3, 6, 3] as const;

const installJavaAdvice = (oldest: number): string =>
  `Install a Java runtime, version ${oldest < 21 ? `${oldest} or 21` : '21 or 25'} (for instance "apt install openjdk-${oldest}-jre-headless" or "brew install openjdk@21"), ` +
  'or set NEO4J_URI to a Neo4j server that is running.';
const INSTALL_MAVEN_ADVICE =
  'Install Maven (for instance "apt install maven" or "brew install maven"); it is needed once, to fetch the embedded Neo4j. ' +
  'Or set NEO4J_URI to a Neo4j server that is running.';

/** Runs a program for its version output. Answers undefined when it is missing or does not work. */
const readVersionOutput = (path: string, flag: string, env: EnvironmentVariables): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(path, [flag], { env: { ...env }, timeout: 30_000 }, (error, stdout, stderr) =>
      resolve(error ? undefined : `${stdout}\n${stderr}`),
    );
  });

/** Removes from the version output what options in the environment add to it or change in it. */
const identifyBuild = (printed: string): string =>
  printed
    .split('\n')
    .filter((line) => !/^(NOTE: )?Picked up /.test(line))
    .map((line) => line.replace(/, (mixed|interpreted|compiled) mode.*$/, ')'))
    .join('\n');

/** Java 8 and older report their version as 1.8 and so on. */
const javaMajor = (printed: string): number | undefined => {
  const found = /version "(?:1\.)?(\d+)/.exec(printed);
  return found ? Number(found[1]) : undefined;
};

/** Finds the Java to run Neo4j with: the first that is new enough, from JAVA_HOME or else from the PATH. */
export const findJava = async (env: EnvironmentVariables, oldest: number): Promise<JavaRuntime> => {
  const home = env['JAVA_HOME'];
  const candidates = [...(home ? [join(home, 'bin', 'java')] : []), 'java'];
  const tooOld: string[] = [];
  for (const path of candidates) {
    const printed = (await readVersionOutput(path, '-version', env)) ?? '';
    const major = javaMajor(printed);
    if (major !== undefined && major >= oldest) return { path, build: identifyBuild(printed) };
    if (major !== undefined) tooOld.push(`${path} is version ${major}`);
  }
  throw new StartupError(
    tooOld.length > 0
      ? `The embedded Neo4j needs Java ${oldest} or newer, but ${tooOld.join(' and ')}. ${installJavaAdvice(oldest)}`
      : `The embedded Neo4j needs Java ${oldest} or newer, and no Java was found on the PATH. ${installJavaAdvice(oldest)}`,
  );
};

const isOlderVersion = (version: readonly number[], than: readonly number[]): boolean => {
  const index = than.findIndex((part, at) => (version[at] ?? 0) !== part);
  return index >= 0 && (version[index] ?? 0) < (than[index] ?? 0);
};

/** Throws a StartupError that says what to install, unless a Maven that can download the jars is on the PATH. */
export const checkMaven = async (env: EnvironmentVariables): Promise<void> => {
  const needed = `Fetching the embedded Neo4j needs Maven ${MIN_MAVEN_VERSION.join('.')} or newer`;
  const printed = await readVersionOutput('mvn', '-version', env);
  const found = /Apache Maven (\d+(?:\.\d+)*)/.exec(printed ?? '')?.[1];
  if (found === undefined)
    throw new StartupError(`${needed}, and no working "mvn" was found on the PATH. ${INSTALL_MAVEN_ADVICE}`);
  if (isOlderVersion(found.split('.').map(Number), MIN_MAVEN_VERSION)) {
    throw new StartupError(`${needed}, but the one on the PATH is ${found}. ${INSTALL_MAVEN_ADVICE}`);
  }
};
