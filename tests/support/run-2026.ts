/**
 * The test command on Neo4j 2026, which needs Java 21 or newer. It uses the newest Java of this machine; without one it
 * runs nothing and says so. Arguments narrow the run to matching file names, as for `npm test`.
 */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findJava } from '../../src/graph/embedded/java.ts';
import { findNeo4jLine } from '../../src/graph/embedded/neo4j-line.ts';

const { line, oldestJava } = findNeo4jLine('2026');

const JVM_FOLDERS = ['/usr/lib/jvm', '/usr/local/lib/jvm', '/usr/java', '/Library/Java/JavaVirtualMachines'];

/** Where a Java may be: where the environment says, then where systems put them, those with the greatest names first. */
const candidates = async (): Promise<string[]> => {
  const named = Object.entries(process.env).filter(([name]) => /^(JAVA_HOME|JDK_HOME)(_|$)/.test(name));
  const found = JVM_FOLDERS.map(async (folder) => {
    const names = await readdir(folder).catch(() => []);
    return names.map((name) =>
      folder.startsWith('/Library') ? join(folder, name, 'Contents', 'Home') : join(folder, name),
    );
  });
  const homes = (await Promise.all(found)).flat().sort().reverse();
  return [...named.flatMap(([, home]) => (home ? [home] : [])), ...homes];
};

/** The home of a Java that is new enough; empty when that on the PATH is. */
const javaHome = async (): Promise<string | undefined> => {
  for (const home of ['', ...(await candidates())]) {
    // A Java that is not there, or too old, is passed by.
    const java = await findJava(
      { ...process.env, PATH: home === '' ? process.env['PATH'] : '', JAVA_HOME: home },
      oldestJava,
    ).catch(() => undefined);
    if (java) return java.path === 'java' ? '' : dirname(dirname(java.path));
  }
  return undefined;
};

const run = (home: string): Promise<number> =>
  new Promise((resolve) => {
    const script = fileURLToPath(new URL('run.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, ...process.argv.slice(2)], {
      stdio: 'inherit',
      env: { ...process.env, NEO4J_URI: '', NEO4J_LINE: line, JAVA_HOME: home },
    });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
    child.once('close', (code) => resolve(code ?? 1));
  });

const home = await javaHome();
if (home === undefined) {
  console.log(`SKIPPED all tests on Neo4j ${line}: no Java ${oldestJava} or newer was found on this machine`);
} else {
  process.exitCode = await run(home);
}
