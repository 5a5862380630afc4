import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../src/graph/package-root.ts';
import { suite } from '../support/suite.ts';

/** Shows that the table of compatibility names the versions that the tests run. */

const test = suite('clients: table of compatibility');

const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8');

/** The versions that are pinned for tests, by package. */
const pinnedVersions = (): ReadonlyMap<string, string> => {
  const python = readdirSync(join(packageRoot, 'tests/clients'))
    .filter((name) => name.startsWith('requirements'))
    .flatMap((name) => [...read(`tests/clients/${name}`).matchAll(/^([\w.-]+)==([\w.]+)/gm)]);
  const node = [...read('tests/clients/environments.ts').matchAll(/'?([@\w/-]+)'?: '(\d+\.\d+\.\d+)'/g)];
  const locked = JSON.parse(read('package-lock.json')).packages as Readonly<Record<string, { version?: string }>>;
  const own = Object.entries(locked).map(([path, { version = '' }]) => [path.replace(/^node_modules\//, ''), version]);
  return new Map([
    ...own.map(([name = '', version = '']) => [name, version] as const),
    ...[...python, ...node].map(([, name = '', version = '']) => [name, version] as const),
  ]);
};

const named = [...read('docs/compatibility.md').matchAll(/^\|.*\|$/gm)].flatMap(([row]) =>
  [...row.matchAll(/`([@\w./-]+)` (\d+\.\d+\.\d+)/g)].map(([, name = '', version = '']) => ({ name, version })),
);

test('every package in the table has the version that tests run', () => {
  const pinned = pinnedVersions();
  assert.ok(named.length >= 10, `${named.length} packages`);
  for (const { name, version } of named) {
    const own = pinned.get(name) ?? 'none';
    assert.ok(
      own === version || own.startsWith(`${version}.`),
      `${name} is ${version} in the table and ${own} in tests`,
    );
  }
});

test('Typesense is named with the versions of the tests and of compose.yaml', () => {
  const [, tested = ''] = /^const VERSION = '([\d.]+)';$/m.exec(read('tests/support/typesense.ts')) ?? [];
  const [image = '', started = ''] = /typesense\/typesense:([\d.]+)/.exec(read('compose.yaml')) ?? [];
  const [row = ''] = /^\| Typesense \|.*$/m.exec(read('docs/compatibility.md')) ?? [];
  assert.ok(tested !== '' && row.startsWith(`| Typesense | ${tested},`), row);
  assert.ok(started !== '' && row.includes(`${started}, which \`compose.yaml\` starts`), row);
  const images = read('docs/supply-chain.md').match(/typesense\/typesense:[\d.]+/g) ?? [];
  assert.equal([...new Set(images)], [image]);
  assert.ok(read('docs/search.md').includes(`\`compose.yaml\` starts ${started}.`));
});

test.run();
