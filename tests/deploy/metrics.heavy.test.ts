import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../src/graph/package-root.ts';
import { ENVIRONMENTS } from '../clients/environments.ts';
import { startService } from '../support/prepared-home.ts';
import { type ServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';
import { callPromtool } from './promtool.ts';

/** Shows the metrics of the whole service: few series, in the form that Prometheus recommends, and alerts that it accepts. */

const test = suite('deploy: metrics of a service');

const MOST_IDLE_SERIES = 500;

let home: string;
let running: ServiceProcess;

test.before(async () => {
  home = await mkdtemp(join(tmpdir(), 'tributary-metrics-'));
  running = await startService(home, { WARM_UP: 'true' });
});

test.after(async () => {
  await stopServiceProcess(running, 'SIGTERM');
  await rm(home, { recursive: true, force: true });
});

const scrape = async (): Promise<string> => (await running.ask('/metrics')).text();

test('an idle service has few series, and each metric says what it is', async () => {
  const text = await scrape();
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.ok(series.length > 50, `${series.length} series`);
  assert.ok(series.length <= MOST_IDLE_SERIES, `${series.length} series`);
  for (const line of series) {
    const name = (/^\w+/.exec(line)?.[0] ?? '').replace(/_(bucket|sum|count)$/, '');
    assert.match(text, new RegExp(`^# HELP ${name} .+\\.$`, 'm'));
  }
});

test('the backlog is read from the database', async () => {
  const text = await scrape();
  assert.match(text, /^tributary_database_up 1$/m);
  for (const queue of ['events', 'search_documents', 'search_engine', 'jobs_queued', 'jobs_running']) {
    assert.match(text, new RegExp(`^tributary_backlog_items\\{queue="${queue}"\\} \\d+$`, 'm'));
    assert.match(text, new RegExp(`^tributary_backlog_age_seconds\\{queue="${queue}"\\} [\\d.]+$`, 'm'));
  }
});

const LINTED = 'promtool finds no fault with the metrics';
const ACCEPTED = 'promtool accepts the alerts and their own tests pass';
const provided = await ENVIRONMENTS.promtool();
if ('missing' in provided) for (const name of [LINTED, ACCEPTED]) test.skipped(name, provided.missing);
else {
  test(ACCEPTED, async () => {
    const folder = join(packageRoot, 'deploy', 'prometheus');
    assert.match(
      await callPromtool(provided.program, ['check', 'rules', join(folder, 'alerts.yaml')]),
      /SUCCESS: \d+ rules/,
    );
    assert.match(await callPromtool(provided.program, ['test', 'rules', join(folder, 'alerts.test.yaml')]), /SUCCESS/);
  });

  test(LINTED, async () => {
    for (const path of ['/v1/tables', '/v1/tables/name/none', '/v1/lineage/table/name/none']) await running.ask(path);
    assert.is((await callPromtool(provided.program, ['check', 'metrics'], await scrape())).trim(), '');
  });
}

test.run();
