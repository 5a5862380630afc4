import * as assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { findNeo4jLine } from '../src/graph/embedded/neo4j-line.ts';
import { packageRoot } from '../src/graph/package-root.ts';
import { suite } from './support/suite.ts';

/** Shows that the Compose file and the image are pinned, keep data and hold no secret. */

type ComposeService = {
  readonly image?: string;
  readonly build?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly init?: boolean;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[]; readonly retries: number };
};
type Compose = {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};

const read = (name: string): string => readFileSync(`${packageRoot}/${name}`, 'utf8');

const compose = parse(read('compose.yaml')) as Compose;
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ').split('\n');
const instructions = (name: string): string[] => dockerfile.filter((line) => line.startsWith(`${name} `));
const services = Object.entries(compose.services);

const test = suite('compose: file and image');

test('every service waits for healthy services, and each of those has a health check', () => {
  const needed = compose.services['tributary']?.depends_on ?? {};
  assert.deepEqual(Object.keys(needed).sort(), ['neo4j', 'typesense']);
  for (const [name, { condition }] of Object.entries(needed)) {
    assert.equal(condition, 'service_healthy');
    const check = compose.services[name]?.healthcheck;
    assert.equal(check?.test[0], 'CMD', `${name} has a health check that needs no shell of its own`);
    assert.ok((check?.retries ?? 0) > 0);
  }
});

test('the file contains no secret', () => {
  for (const [service, { environment }] of services) {
    for (const [name, value] of Object.entries(environment)) {
      if (!/PASSWORD|KEY|SECRET|AUTH/.test(name)) continue;
      assert.match(value, /^(neo4j\/)?\$\{[A-Z0-9_]+(:\?[^}]+|:-)\}$/, `${service} ${name}`);
    }
  }
});

/**
 * Whether an image stays the one it is: by its digest, or by a tag that names a whole version. Typesense's versions have
 * two numbers, everybody else's three; a tag of fewer moves on with every release, and so does one without any.
 */
const isPinned = (image: string): boolean => {
  const [named = '', digest] = image.split('@');
  if (digest !== undefined) return /^sha256:[0-9a-f]{64}$/.test(digest);
  const [repository = '', tag = ''] = named.split(/:(?=[^/:]*$)/);
  return (repository === 'typesense/typesense' ? /^\d+\.\d+$/ : /^\d+\.\d+\.\d+(-[a-z0-9.-]+)?$/).test(tag);
};

/** The images that others make: stages of this Dockerfile name each other. */
const baseImages = (): string[] => {
  const stages = instructions('FROM').map((line) => line.split(/\s+/));
  const own = new Set(stages.flatMap(([, , as, name]) => (as === 'AS' && name ? [name] : [])));
  return stages.flatMap(([, image = '']) => (own.has(image) ? [] : [image]));
};

test('every image has a fixed version', () => {
  const images = [...baseImages(), ...services.flatMap(([, { image }]) => image ?? [])];
  assert.ok(images.length >= 5, images.join(' '));
  for (const image of images) assert.ok(isPinned(image), `${image} moves on by itself`);
  const floating = [
    'node',
    'node:latest',
    'node:24',
    'node:24-slim',
    'node:24.19-slim',
    'node:lts-slim',
    'node@sha256:1',
  ];
  const others = ['neo4j:5.26-community', 'neo4j:community', 'localhost:5000/node', 'typesense/typesense:29'];
  for (const image of [...floating, ...others]) assert.ok(!isPinned(image), image);
  const digest = `sha256:${'0'.repeat(64)}`;
  for (const image of [`node:24-slim@${digest}`, 'localhost:5000/node:24.19.0-slim', 'typesense/typesense:29.0']) {
    assert.ok(isPinned(image), image);
  }
});

test('all stages of the image have one base image, and Neo4j has the embedded version', () => {
  assert.equal(new Set(baseImages()).size, 1);
  const pom = readFileSync(findNeo4jLine(undefined).pom, 'utf8');
  const version = /<neo4j\.version>(.+?)</.exec(pom)?.[1];
  assert.match(compose.services['neo4j']?.image ?? '', new RegExp(`^neo4j:${version}-community(@|$)`));
});

test('images are pinned, and only the catalog is exposed, to the local machine', () => {
  for (const [name, { image, build, ports }] of services) {
    assert.ok(build === '.' || isPinned(image ?? ''), `${name} names a version`);
    if (name !== 'tributary') assert.equal(ports, undefined);
  }
  const [port = '', ...others] = compose.services['tributary']?.ports ?? [];
  assert.match(port, /^127\.0\.0\.1:.*:8585$/);
  assert.deepEqual(others, []);
});

test('data survives its containers', () => {
  const used = services.flatMap(([, { volumes }]) => volumes.map((volume) => volume.split(':')[0] ?? ''));
  assert.deepEqual([...used].sort(), Object.keys(compose.volumes).sort());
});

test('the home folder in the image is the volume of the service', () => {
  const home = /TRIBUTARY_HOME=(\S+)/.exec(instructions('ENV').join('\n'))?.[1] ?? '';
  assert.ok(compose.services['tributary']?.volumes.includes(`tributary-home:${home}`));
  assert.deepEqual(instructions('VOLUME'), [`VOLUME ["${home}"]`]);
  assert.ok(instructions('RUN').some((line) => line.includes(`install -d -o node -g node -m 0700 ${home}`)));
});

test('copied paths exist and are in the build context', () => {
  const kept = read('.dockerignore').split('\n');
  for (const line of instructions('COPY').filter((text) => !text.includes('--from='))) {
    for (const source of line.split(/\s+/).slice(1, -1)) {
      assert.ok(existsSync(`${packageRoot}/${source}`), `${source} exists`);
      assert.ok(kept.includes(`!${source.split('/')[0]}`), `.dockerignore lets ${source} through`);
    }
  }
});

test('the catalog runs without privileges on a file system that it cannot change', () => {
  const { tributary } = compose.services;
  assert.equal(tributary?.read_only, true);
  assert.deepEqual(tributary?.tmpfs, ['/tmp']);
  assert.deepEqual(tributary?.cap_drop, ['ALL']);
  assert.deepEqual(tributary?.security_opt, ['no-new-privileges:true']);
  // The first process of a container gets no default handling of signals and inherits orphans.
  assert.equal(tributary?.init, true);
});

test('the image runs as an unprivileged user with a health check', () => {
  assert.deepEqual(instructions('USER'), ['USER node']);
  const [check = ''] = instructions('HEALTHCHECK');
  assert.match(check, /CMD \["node", "-e", ".*\/v1\/system\/ready`.*"\]$/);
  assert.doesNotMatch(check, /curl|wget/);
  const command: unknown = JSON.parse(/CMD (\[.*\])$/.exec(check)?.[1] ?? '');
  assert.ok(Array.isArray(command), 'the command of the health check is a list');
});

test('load balancers use a health probe that responds under any load', () => {
  const pages = ['README.md', 'docs/operating.md'].map(read).join('\n');
  assert.match(pages, /load balancer in front, let it ask `\/v1\/system\/ready`/);
});

test('the image contains exactly the folders that the package lists', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  // The image does without the embedded server and installs by the lock file; dist is made in an earlier stage.
  const expected = files.filter((file) => !/^(src\/graph\/embedded\/|dist$|npm-shrinkwrap)/.test(file));
  const copied = instructions('COPY').filter(
    (line) => !/--from=|package\.json|tsconfig|scripts|COPY src \.\/src$/.test(line),
  );
  assert.deepEqual(copied.map((line) => line.split(/\s+/)[1]).sort(), expected.sort());
});

test.run();
