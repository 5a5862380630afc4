import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { packageRoot } from '../../src/graph/package-root.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that the chart is consistent with its values, the settings and the routes of the service. Where `helm` is
 * installed, the chart is linted and rendered too.
 */

type Values = { readonly [name: string]: unknown };
type KubernetesObject = {
  readonly kind: string;
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly spec: {
        readonly securityContext: Values;
        readonly containers: readonly { readonly securityContext: Values; readonly env: readonly Values[] }[];
      };
    };
  };
};

const CHART = join(packageRoot, 'deploy', 'helm', 'tributary');
const read = (path: string): string => readFileSync(join(CHART, path), 'utf8');
const names = readdirSync(join(CHART, 'templates'));
const templates = names.map((name) => read(`templates/${name}`));
const defaults = parse(read('values.yaml')) as Values;
const isValid = new Ajv({ strict: true, allowUnionTypes: true }).compile(JSON.parse(read('values.schema.json')));

/** The values that have no default. */
const REQUIRED = {
  image: { repository: 'registry.example/tributary' },
  existingSecret: 'tributary',
  neo4j: { uri: 'neo4j://db.example:7687' },
};
const EVERYTHING = {
  ...REQUIRED,
  typesense: { url: 'http://search.example:8108' },
  publicUrl: 'https://catalog.example',
  settings: { LOG_LEVEL: 'warn', MAX_BODY_MIB: 64 },
  ingress: { enabled: true, tlsSecret: 'certificate' },
  autoscaling: { enabled: true },
  networkPolicy: { enabled: true },
  serviceMonitor: { enabled: true },
};

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As Helm does it: objects are merged, everything else is replaced. */
const merge = (base: Values, over: Values): Values => {
  const merged = Object.entries(over).map(([name, value]) => {
    const below = base[name];
    return [name, isObject(below) && isObject(value) ? merge(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(merged) };
};

const valueAt = (path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), defaults);

const pathsOf = (value: unknown, prefix: string): string[] =>
  isObject(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, below]) => pathsOf(below, prefix === '' ? name : `${prefix}.${name}`))
    : [prefix];

const test = suite('deploy: chart');

test('the schema demands what has no default and refuses mistakes', () => {
  assert.ok(!isValid(defaults), 'image, secret and database have to be named');
  assert.ok(isValid(merge(defaults, REQUIRED)), JSON.stringify(isValid.errors));
  assert.ok(isValid(merge(defaults, EVERYTHING)), JSON.stringify(isValid.errors));
  const mistakes: readonly Values[] = [
    { existingSecret: '' },
    { neo4j: { uri: 'http://db.example' } },
    { replicas: 3 },
    { replicaCount: 0 },
    { ingress: { enabled: 'yes' } },
    { settings: { 'LOG LEVEL': 'warn' } },
    { settings: { MAX_BODY_MIB: 1e21 } },
  ];
  for (const mistake of mistakes) {
    assert.ok(!isValid(merge(merge(defaults, REQUIRED), mistake)), JSON.stringify(mistake));
  }
});

test('templates use the values that there are, and all of them', () => {
  const used = new Set(
    templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path)),
  );
  for (const path of used) assert.notEqual(valueAt(path), undefined, `.Values.${path} is not in values.yaml`);
  for (const path of pathsOf(defaults, '')) {
    assert.ok(
      [...used].some((one) => path === one || path.startsWith(`${one}.`)),
      `${path} is used nowhere`,
    );
  }
});

test('every block of a template ends', () => {
  for (const [index, text] of templates.entries()) {
    const opened = text.match(/\{\{-? (if|with|range|define) /g)?.length ?? 0;
    const closed = text.match(/\{\{-? end -?\}\}/g)?.length ?? 0;
    assert.equal(opened, closed, names[index]);
  }
});

test('pods get documented settings, and probes ask routes of the service', () => {
  const deployment = read('templates/deployment.yaml');
  const documented = readFileSync(join(packageRoot, 'docs', 'operating.md'), 'utf8');
  const set = [...deployment.matchAll(/- name: ([A-Z0-9_]+)$/gm)].map(([, name = '']) => name);
  assert.ok(set.includes('NEO4J_URI') && set.includes('AUTH_KEY_FILE') && set.includes('SECRETS_KEY'));
  for (const name of set) assert.match(documented, new RegExp(`^\\| \`${name}\` \\|`, 'm'));
  const routes = readFileSync(join(packageRoot, 'src', 'system', 'routes.ts'), 'utf8');
  const probed = [...deployment.matchAll(/path: (\/v1\/\S+)/g)].map(([, path]) => path);
  assert.deepEqual(probed, ['/v1/system/ready', '/v1/system/ready', '/v1/system/live']);
  for (const path of probed) assert.ok(routes.includes(`path: '${path}'`), path);
});

test('a secret is never a value', () => {
  for (const text of templates) {
    for (const [, name = '', next = ''] of text.matchAll(/- name: (\w*(?:PASSWORD|KEY|SECRET)\w*)\n\s*(\w+:)/g)) {
      assert.ok(next === 'valueFrom:' || name === 'AUTH_KEY_FILE', name);
    }
  }
});

test('chart and package have one version', () => {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  const chart = parse(read('Chart.yaml')) as { version: string; appVersion: string };
  assert.equal(chart.version, version);
  assert.equal(chart.appVersion, version);
});

const helm = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync('helm', args, { encoding: 'utf8' });
  assert.equal(status, 0, `helm ${args[0]}: ${stdout}${stderr}`);
  return stdout;
};

const RENDERED = 'helm accepts the chart and renders hardened pods';
if (spawnSync('helm', ['version']).status !== 0) test.skipped(RENDERED, 'helm is not on the PATH');
else {
  test(RENDERED, () => {
    for (const values of [REQUIRED, EVERYTHING]) {
      const given = Object.entries(values).map(([name, value]) => `--set-json=${name}=${JSON.stringify(value)}`);
      helm('lint', CHART, '--strict', ...given);
      const rendered = parseAllDocuments(helm('template', 'catalog', CHART, ...given));
      const objects = rendered.map((one) => one.toJSON() as KubernetesObject);
      assert.equal(objects.length, values === REQUIRED ? 4 : 8);
      const deployment = objects.find(({ kind }) => kind === 'Deployment');
      const pod = deployment?.spec.template.spec;
      assert.equal(deployment?.spec.replicas, values === REQUIRED ? 2 : undefined);
      assert.equal(pod?.securityContext['runAsNonRoot'], true);
      assert.equal(pod?.containers[0]?.securityContext['readOnlyRootFilesystem'], true);
    }
  });
}

test.run();
