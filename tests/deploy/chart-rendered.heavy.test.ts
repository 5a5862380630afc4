import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ENVIRONMENTS } from '../clients/environments.ts';
import { suite } from '../support/suite.ts';
import { CHART, EVERYTHING, MISTAKES, merge, REQUIRED, type Values } from './chart-values.ts';

/**
 * Where Go can build them, a real Helm lints and renders the chart, and a validator compares the objects with the schemas of
 * Kubernetes.
 */

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

const test = suite('deploy: rendered chart');

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
