import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { packageRoot } from '../../src/graph/package-root.ts';
import { ENVIRONMENTS } from '../clients/environments.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that the chart is consistent with its values, the settings and the routes of the service. Where Go can
 * build them, a real Helm lints and renders the chart, and a validator compares the objects with Kubernetes' schemas.
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
  secretSettings: ['AUTH_OIDC_CLIENT_SECRET', 'SMTP_URL'],
  ingress: { enabled: true, tlsSecret: 'certificate' },
  autoscaling: { enabled: true },
  networkPolicy: { enabled: true },
  serviceMonitor: { enabled: true },
};

/** What the schema refuses, by the place that it names. */
const MISTAKES: Readonly<Record<string, Values>> = {
  '/existingSecret': { existingSecret: '' },
  '/neo4j/uri': { neo4j: { uri: 'http://db.example' } },
  "'replicas'": { replicas: 3 },
  '/replicaCount': { replicaCount: 0 },
  '/ingress/enabled': { ingress: { enabled: 'yes' } },
  'LOG LEVEL': { settings: { 'LOG LEVEL': 'warn' } },
  '/settings/MAX_BODY_MIB': { settings: { MAX_BODY_MIB: 1e21 } },
  NEO4J_URI: { settings: { NEO4J_URI: 'bolt://other.example' } },
  '/secretSettings/0': { secretSettings: ['smtp-url'] },
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

/** The oldest version that the validator knows completely, and the newest one. */
const KUBERNETES = ['1.27', '1.30'];

type Ended = { readonly status: number | null; readonly output: string };

const call = (program: string, args: readonly string[], input = ''): Ended => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', input });
  return { status, output: `${stdout}${stderr}` };
};

const succeed = (program: string, args: readonly string[]): string => {
  const { status, output } = call(program, args);
  assert.equal(status, 0, `${args.join(' ')}: ${output}`);
  return output;
};

const asFlags = (values: Values): readonly string[] =>
  Object.entries(values).map(([name, value]) => `--set-json=${name}=${JSON.stringify(value)}`);

const RENDERED = 'helm accepts the chart and renders hardened pods';
const REFUSED = 'helm refuses values that the schema refuses';
const VALID = 'the rendered objects fit the schemas of Kubernetes';
const helm = await ENVIRONMENTS.helm();

if ('missing' in helm) for (const name of [RENDERED, REFUSED]) test.skipped(name, helm.missing);
else {
  test(RENDERED, () => {
    for (const values of [REQUIRED, EVERYTHING]) {
      const given = asFlags(values);
      succeed(helm.program, ['lint', CHART, '--strict', ...given]);
      const text = succeed(helm.program, ['template', 'catalog', CHART, ...given]);
      const rendered: readonly { toJSON(): unknown }[] = parseAllDocuments(text);
      const objects = rendered.map((one) => one.toJSON() as KubernetesObject);
      assert.equal(objects.length, values === REQUIRED ? 4 : 8);
      const deployment = objects.find(({ kind }) => kind === 'Deployment');
      const pod = deployment?.spec.template.spec;
      assert.equal(deployment?.spec.replicas, values === REQUIRED ? 2 : undefined);
      assert.equal(pod?.securityContext['runAsNonRoot'], true);
      const [container] = pod?.containers ?? [];
      assert.equal(container?.securityContext['readOnlyRootFilesystem'], true);
      const set = container?.env.map(({ name }) => name) ?? [];
      assert.equal(new Set(set).size, set.length, 'no variable is set twice');
    }
  });

  test(REFUSED, () => {
    const refuse = (values: Values, place: string): void => {
      for (const command of [
        ['lint', CHART, '--strict'],
        ['template', 'catalog', CHART],
      ]) {
        const { status, output } = call(helm.program, [...command, ...asFlags(values)]);
        assert.notEqual(status, 0, JSON.stringify(values));
        assert.ok(output.includes(place), `${place}: ${output}`);
      }
    };
    refuse({}, '/existingSecret');
    for (const [path, mistake] of Object.entries(MISTAKES)) refuse(merge(REQUIRED, mistake), path);
    const twice = { settings: { SMTP_URL: 'smtp://mail.example' }, secretSettings: ['SMTP_URL'] };
    // Lint lets templates fail that guard values, so rendering decides.
    const { status, output } = call(helm.program, ['template', 'catalog', CHART, ...asFlags(merge(REQUIRED, twice))]);
    assert.notEqual(status, 0);
    assert.ok(output.includes('SMTP_URL is in settings and in secretSettings'), output);
  });
}

const validator = 'missing' in helm ? helm : await ENVIRONMENTS.kubectlValidate();
if ('missing' in helm || 'missing' in validator) {
  test.skipped(VALID, 'missing' in validator ? validator.missing : '');
} else {
  test(VALID, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-chart-'));
    const file = join(folder, 'objects.yaml');
    // The operator of Prometheus brings the schema of a ServiceMonitor, so the validator does not know it.
    const everything = merge(EVERYTHING, { serviceMonitor: { enabled: false } });
    try {
      for (const values of [REQUIRED, everything]) {
        const text = succeed(helm.program, ['template', 'catalog', CHART, ...asFlags(values)]);
        await writeFile(file, text);
        for (const version of KUBERNETES) succeed(validator.program, ['--version', version, file]);
        await writeFile(file, text.replace('terminationGracePeriodSeconds:', 'terminationGraceSeconds:'));
        assert.equal(call(validator.program, ['--version', '1.30', file]).status, 1, 'an unknown member is noticed');
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

test.run();
