import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../src/graph/package-root.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { suite } from '../support/suite.ts';

/** Shows that the dashboard and the alerts ask for metrics that exist. */

type Panel = {
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: { readonly defaults: { readonly unit?: string } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
};
type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
};

const deployed = (path: string): string => readFileSync(join(packageRoot, 'deploy', path), 'utf8');
const { panels } = JSON.parse(deployed('grafana/tributary.json')) as { panels: readonly Panel[] };
const { groups } = parse(deployed('prometheus/alerts.yaml')) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

/** All series of a process in which each kind of work was done once. */
const renderEverything = async (): Promise<string> => {
  const metrics = createMetrics();
  const answered = { requestId: '1', method: 'GET', route: '/v1/tables', status: 200, seconds: 1, user: undefined };
  metrics.request({ ...answered, address: '127.0.0.1', failure: undefined });
  metrics.databaseCall('events/list_all', 1, true);
  metrics.batch('commit', 1);
  metrics.queueDepth('commit', () => 0);
  metrics.connections(() => 0, 1);
  const queues = ['events', 'search_documents', 'search_engine', 'jobs_queued', 'jobs_running'];
  metrics.backlog(async () => ({
    isReachable: true,
    queues: queues.map((queue) => ({ queue, waiting: 1, ageSeconds: 1 })),
  }));
  metrics.close();
  return metrics.render();
};

const test = suite('deploy: dashboard and alerts');

test('every metric that a panel or an alert names exists, with the labels that it names', async () => {
  const series = (await renderEverything()).split('\n').filter((line) => !line.startsWith('#'));
  for (const expr of expressions) {
    const named = [...expr.matchAll(/\b(tributary_\w+)(?:\{([^}]*)\})?/g)];
    assert.ok(named.length > 0 || /^up\{/.test(expr), expr);
    for (const [, name = '', selector = ''] of named) {
      const found = series.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
      assert.ok(found.length > 0, `${name} of ${expr}`);
      for (const [, label = ''] of selector.matchAll(/(\w+)=/g)) {
        const isAdded = label === 'job' || label === 'instance';
        assert.ok(isAdded || found.some((line) => line.includes(`${label}="`)), `${label} of ${name}`);
      }
      for (const [, queue = ''] of selector.matchAll(/queue="(\w+)"/g)) {
        assert.ok(
          found.some((line) => line.includes(`queue="${queue}"`)),
          queue,
        );
      }
    }
  }
});

test('every panel has a title, a description, a unit, legends and a place of its own', () => {
  const places = new Set<string>();
  for (const { title, description, fieldConfig, targets, gridPos } of panels) {
    assert.match(title, /\S/);
    assert.match(description ?? '', /\.$/, title);
    assert.match(fieldConfig.defaults.unit ?? '', /\S/, title);
    for (const { legendFormat } of targets) assert.match(legendFormat, /\S/, title);
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    places.add(`${gridPos.x} ${gridPos.y}`);
  }
  assert.equal(places.size, panels.length);
});

test('every alert waits a while and says what it means', () => {
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, for: wait, labels, annotations } of rules) {
    assert.match(wait, /^\d+m$/, alert);
    assert.match(labels.severity, /^(critical|warning)$/, alert);
    assert.match(annotations.summary, /\S/, alert);
    assert.match(annotations.description, /\.|tells which$/, alert);
  }
});

test.run();
