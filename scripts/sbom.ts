/**
 * Prints a CycloneDX document of everything that a running service consists of: the npm packages that are no development
 * dependencies, as npm itself lists them, those whose code is built into the explorer, and the jars of both lines of the embedded Neo4j. `npm run --silent sbom > sbom.json`.
 */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JarPin, readJarPins } from '../src/graph/embedded/jar-pins.ts';
import { findNeo4jLine, NEO4J_LINES, type Neo4jLine } from '../src/graph/embedded/neo4j-line.ts';

const ROOT = join(import.meta.dirname, '..');

type Dependency = { readonly ref: string; readonly dependsOn?: readonly string[] };

type Component = { readonly 'bom-ref': string; readonly [member: string]: unknown };

type Document = {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
  readonly [member: string]: unknown;
};

const purlOf = ({ group, artifact, version, classifier }: JarPin): string =>
  `pkg:maven/${group}/${artifact}@${version}?${classifier ? `classifier=${classifier}&` : ''}type=jar`;

/** A jar and the lines of Neo4j that need it. */
type UsedJar = { readonly pin: JarPin; readonly lines: readonly Neo4jLine[] };

/** The jars of all lines, each once: what two lines share is the same file. */
const readAllJars = async (): Promise<readonly UsedJar[]> => {
  const jars = new Map<string, UsedJar>();
  for (const line of NEO4J_LINES) {
    for (const pin of await readJarPins(findNeo4jLine(line).pom)) {
      const known = jars.get(purlOf(pin));
      if (known && known.pin.sha256 !== pin.sha256) throw new Error(`${pin.file} is pinned with two checksums`);
      jars.set(purlOf(pin), { pin, lines: [...(known?.lines ?? []), line] });
    }
  }
  return [...jars.values()];
};

const componentOf = ({ pin, lines }: UsedJar) => ({
  'bom-ref': purlOf(pin),
  type: 'library',
  group: pin.group,
  name: pin.artifact,
  version: pin.version,
  // Only the line that NEO4J_LINE names is started, which is the first one unless it is set.
  scope: lines.includes(NEO4J_LINES[0]) ? 'required' : 'optional',
  purl: purlOf(pin),
  hashes: [{ alg: 'SHA-256', content: pin.sha256 }],
  properties: [
    { name: 'tributary:file', value: pin.file },
    ...lines.map((line) => ({ name: 'tributary:neo4j-line', value: line })),
  ],
});

const npmDocument = (): Document => {
  const args = ['sbom', '--sbom-format', 'cyclonedx'];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 });
  if (status !== 0) throw new Error(`npm sbom ended with ${status}: ${stderr.slice(0, 2000)}`);
  return JSON.parse(stdout) as Document;
};

type Locked = { readonly version?: string; readonly dev?: boolean; readonly devOptional?: boolean };

const FOLDER = 'node_modules/';

/** References of the packages whose code is in the built explorer, by the list of licences that Vite writes beside it. */
const builtIntoExplorer = async (): Promise<readonly string[]> => {
  const licenses = await readFile(join(ROOT, 'dist/explorer/licenses.md'), 'utf8');
  const found = [...licenses.matchAll(/^## (\S+) - (\d\S*) \(/gm)].map(([, name, version]) => `${name}@${version}`);
  if (found.length === 0) throw new Error('the list of licences of the explorer names no package');
  return found;
};

/**
 * Leaves out what only development needs, by the lock file. npm's own option for that also leaves out packages that both
 * need.
 */
const withoutDevelopment = async (document: Document): Promise<Document> => {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const installed = Object.entries(lock.packages).flatMap(([path, { version, dev, devOptional }]) =>
    dev || devOptional ? [] : [`${path.slice(path.lastIndexOf(FOLDER) + FOLDER.length)}@${version}`],
  );
  const needed = new Set([...installed, ...(await builtIntoExplorer())]);
  const components = document.components.filter((component) => needed.has(component['bom-ref']));
  const kept = new Set([document.metadata.component, ...components].map((component) => component['bom-ref']));
  const dependencies = document.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
  return { ...document, components, dependencies };
};

const document = await withoutDevelopment(npmDocument());
const { component } = document.metadata;
const jars = (await readAllJars()).map(componentOf);
const dependencies = document.dependencies.map((one) =>
  one.ref === component['bom-ref']
    ? { ...one, dependsOn: [...(one.dependsOn ?? []), ...jars.map((jar) => jar['bom-ref'])] }
    : one,
);
const whole = {
  ...document,
  // npm names it after the folder that it lies in.
  metadata: { ...document.metadata, component: { ...component, type: 'application', name: 'tributary' } },
  components: [...document.components, ...jars],
  dependencies: [...dependencies, ...jars.map((jar) => ({ ref: jar['bom-ref'], dependsOn: [] }))],
};
process.stdout.write(`${JSON.stringify(whole, undefined, 2)}\n`);
