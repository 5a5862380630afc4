import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { readJarPins } from '../src/graph/embedded/jar-pins.ts';
import { findNeo4jLine, NEO4J_LINES } from '../src/graph/embedded/neo4j-line.ts';
import { packageRoot } from '../src/graph/package-root.ts';
import { suite } from './support/suite.ts';

/** Shows that the list of components names every package and jar. */

const test = suite('sbom: list of components');

type Component = {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly scope?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
};

type Listed = {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly version: number;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
};

const list = (): Listed =>
  JSON.parse(
    execFileSync('npm', ['run', '--silent', 'sbom'], {
      cwd: packageRoot,
      encoding: 'utf8',
      maxBuffer: 64 << 20,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as Listed;

/** Every jar of every line is listed once, with its checksum and the lines that need it. */
const checkJarsListed = async (components: readonly Component[]): Promise<void> => {
  const jars = components.filter(({ purl }) => purl.startsWith('pkg:maven/'));
  const files = new Set<string>();
  for (const line of NEO4J_LINES) {
    for (const { sha256, file, version } of await readJarPins(findNeo4jLine(line).pom)) {
      files.add(file);
      const jar = jars.find(({ hashes = [] }) =>
        hashes.some(({ alg, content }) => alg === 'SHA-256' && content === sha256),
      );
      assert.is(jar?.version, version, `${file} of line ${line}`);
      const values = (jar?.properties ?? []).map(({ value }) => value);
      assert.ok(values.includes(file) && values.includes(line), `${file} of line ${line}: ${values}`);
      if (line === NEO4J_LINES[0]) assert.is(jar?.scope, 'required', file);
    }
  }
  assert.is(jars.length, files.size);
};

/** Packages whose code is in the explorer; the last ones are needed by others of them. */
const BUILT = [
  ...['@tanstack/react-query', '@tanstack/react-virtual', '@xyflow/react', 'lucide', 'react', 'react-aria-components'],
  ...['react-dom', 'react-markdown', 'remark-gfm', 'wouter', '@xyflow/system', 'scheduler', 'unified'],
];

test('npm run sbom writes packages and jars in one CycloneDX document', async () => {
  const { bomFormat, specVersion, serialNumber, version, metadata, components, dependencies } = list();
  assert.equal([bomFormat, specVersion, version], ['CycloneDX', '1.5', 1]);
  assert.match(serialNumber, /^urn:uuid:[0-9a-f-]{36}$/);
  assert.equal([metadata.component.name, metadata.component.type], ['tributary', 'application']);

  const refs = [metadata.component, ...components].map((component) => component['bom-ref']);
  assert.is(new Set(refs).size, refs.length, 'every reference once');
  const known = new Set(refs);
  for (const { ref, dependsOn = [] } of dependencies) {
    for (const one of [ref, ...dependsOn]) assert.ok(known.has(one), `${one} is listed`);
  }
  for (const { type, name, purl } of components) {
    assert.equal([type, typeof name], ['library', 'string']);
    assert.match(purl, /^pkg:(npm|maven)\//);
  }

  await checkJarsListed(components);

  const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as Record<string, object>;
  const names = new Set(components.map(({ purl }) => decodeURIComponent(purl.replace(/^pkg:npm\/(.+)@.*$/, '$1'))));
  for (const name of Object.keys(manifest['dependencies'] ?? {})) assert.ok(names.has(name), name);
  // What tests use and a package of the service needs as well is a part of the service.
  const { packages } = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  // What is built into the explorer is a part of it too, with all that it needs itself.
  for (const name of BUILT) assert.ok(names.has(name), name);
  const onlyDeveloping = Object.keys(manifest['devDependencies'] ?? {}).filter(
    (name) => packages[`node_modules/${name}`]?.dev === true && !BUILT.includes(name),
  );
  assert.ok(onlyDeveloping.length > 5);
  for (const name of onlyDeveloping) assert.not.ok(names.has(name), name);
});

test.run();
