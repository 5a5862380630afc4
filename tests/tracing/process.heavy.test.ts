import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type Collector, openCollector } from '../support/collector.ts';
import { openService, placeOfRun, uniqueName } from '../support/service.ts';
import { type ServiceProcess, startServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';

/** Shows the traces of the service as users run it: what is sent when it ends, and that nothing is loaded without need. */

const test = suite('tracing: the process');

/** Node tells with NODE_DEBUG which modules it loads. */
const RECORDING_PACKAGES = /@opentelemetry\/(sdk-trace|otlp-transformer|resources)/;

let collector: Collector;
let folder: string;

const startProcess = async (env: Readonly<Record<string, string>>): Promise<ServiceProcess> => {
  const { home: keys, uri, user, password } = placeOfRun();
  const home = join(folder, uniqueName('home'));
  await cp(join(keys, 'keys'), join(home, 'keys'), { recursive: true });
  return startServiceProcess(home, { NEO4J_URI: uri, NEO4J_USER: user, NEO4J_PASSWORD: password, ...env });
};

test.before(async () => {
  await openService();
  collector = await openCollector();
  folder = await mkdtemp(join(tmpdir(), 'tributary-traces-'));
});

test.after(async () => {
  await collector.close();
  await rm(folder, { recursive: true, force: true });
});

test('what was recorded just before SIGTERM is sent before the process ends', async () => {
  const running = await startProcess({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.address}/custom/traces/`,
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=data',
    OTEL_SERVICE_NAME: 'catalog',
    NODE_DEBUG: 'module',
  });
  assert.is((await running.ask('/v1/tables?limit=1')).status, 200);
  assert.is(await stopServiceProcess(running, 'SIGTERM'), 0);
  assert.match(running.output(), RECORDING_PACKAGES);
  const sent = collector.exports.map(({ body }) => body.toString('latin1')).join('');
  assert.match(sent, /GET \/v1\/tables/);
  assert.match(sent, /service\.name\W+catalog/);
  assert.match(sent, /team\W+data/);
  for (const { path, headers } of collector.exports)
    assert.equal([path, headers['content-type']], ['/custom/traces/', 'application/x-protobuf']);
});

test('without a collector, nothing of OpenTelemetry that records is loaded', async () => {
  const running = await startProcess({ NODE_DEBUG: 'module', LOG_LEVEL: 'silent' });
  assert.is((await running.ask('/v1/tables?limit=1')).status, 200);
  await stopServiceProcess(running, 'SIGTERM');
  assert.not.match(running.output(), RECORDING_PACKAGES);
});

test.run();
