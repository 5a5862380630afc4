/**
 * Writes a file jars.json beside each pom.xml of the embedded Neo4j: every jar with its SHA-256, as Maven brings them into
 * an empty folder. Run it with `npm run pin:jars` after a version has changed, and look at the difference.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JarPin, jarPinsPath, sha256OfFile } from '../src/graph/embedded/jar-pins.ts';
import { findNeo4jLine, NEO4J_LINES } from '../src/graph/embedded/neo4j-line.ts';

const maven = (pom: string, ...args: readonly string[]): void => {
  const { status } = spawnSync('mvn', ['--batch-mode', '--quiet', '--strict-checksums', '-f', pom, ...args], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`mvn ${args[0]} ended with ${status}`);
};

/** A line of `dependency:list`: group:artifact:type[:classifier]:version:scope. */
const coordinatesOf = (line: string): Omit<JarPin, 'sha256'> | undefined => {
  const parts = line.trim().split(' ')[0]?.split(':') ?? [];
  const [group, artifact, type, ...rest] = parts;
  const [version, classifier] = rest.length === 3 ? [rest[1], rest[0]] : [rest[0], undefined];
  if (!group || !artifact || type !== 'jar' || !version) return undefined;
  const file = `${artifact}-${version}${classifier ? `-${classifier}` : ''}.jar`;
  return { file, group, artifact, version, ...(classifier ? { classifier } : {}) };
};

const pin = async (pom: string): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-jars-'));
  try {
    const [jars, list] = [join(folder, 'jars'), join(folder, 'list.txt')];
    maven(pom, 'dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${jars}`);
    maven(pom, 'dependency:list', '-DincludeScope=runtime', `-DoutputFile=${list}`);
    const known = (await readFile(list, 'utf8')).split('\n').flatMap((line) => coordinatesOf(line) ?? []);
    const files = new Set(await readdir(jars));
    const pins = await Promise.all(
      known.map(async (one): Promise<JarPin> => ({ ...one, sha256: await sha256OfFile(join(jars, one.file)) })),
    );
    if (pins.length !== files.size) throw new Error(`Maven lists ${pins.length} jars and brought ${files.size}`);
    pins.sort((one, other) => (one.file < other.file ? -1 : 1));
    await writeFile(jarPinsPath(pom), `${JSON.stringify(pins, undefined, 2)}\n`);
    console.log(`${pins.length} jars are pinned in ${jarPinsPath(pom)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

for (const line of NEO4J_LINES) await pin(findNeo4jLine(line).pom);
