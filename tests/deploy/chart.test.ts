import * as assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { packageRoot } from '../../src/graph/package-root.ts';
import { suite } from '../support/suite.ts';
import { CHART, EVERYTHING, isObject, MISTAKES, merge, REQUIRED, type Values } from './chart-values.ts';

/** Shows that the chart is consistent with its values, the settings and the routes of the service. */

const read = (path: string): string => readFileSync(join(CHART, path), 'utf8');
const names = readdirSync(join(CHART, 'templates'));
const templates = names.map((name) => read(`templates/${name}`));
const defaults = parse(read('values.yaml')) as Values;
const isValid = new Ajv({ strict: true, allowUnionTypes: true }).compile(JSON.parse(read('values.schema.json')));

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
  for (const mistake of Object.values(MISTAKES)) {
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

test.run();
