import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { factsOfLine } from '../src/graph/embedded/line.ts';
import { readPins } from '../src/graph/embedded/pins.ts';
import { packageRoot } from '../src/graph/package-root.ts';
import { suite } from './support/suite.ts';

const test = suite('the list of what the service consists of');

type Component = {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
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

test('npm run sbom: packages and jars in one CycloneDX document', async () => {
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

  const pins = await readPins(factsOfLine(undefined).pom);
  const jars = components.filter(({ purl }) => purl.startsWith('pkg:maven/'));
  assert.is(jars.length, pins.length);
  const sums = new Set(jars.map(({ hashes = [] }) => hashes.find(({ alg }) => alg === 'SHA-256')?.content));
  for (const { sha256, file } of pins) assert.ok(sums.has(sha256), file);

  const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as Record<string, object>;
  const names = new Set(components.map(({ purl }) => decodeURIComponent(purl.replace(/^pkg:npm\/(.+)@.*$/, '$1'))));
  for (const name of Object.keys(manifest['dependencies'] ?? {})) assert.ok(names.has(name), name);
  for (const name of Object.keys(manifest['devDependencies'] ?? {})) assert.not.ok(names.has(name), name);
});

test.run();
