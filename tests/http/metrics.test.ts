import * as assert from 'uvu/assert';
import { createMetrics, mergeMetrics, metricsRoute } from '../../src/http/metrics.ts';
import { suite } from '../support/suite.ts';
import { AUTHORIZED, appOf, ok, route } from './fixture.ts';

/** Shows the metrics of requests, the database and the process, in the format of Prometheus. */

const test = suite('http: metrics');

const metrics = createMetrics();
const thing = route('GET', '/v1/things/{id}', () => ok(1));
const { app } = appOf([thing, metricsRoute(metrics, { requireToken: false })], { observe: metrics.request });

test.after(() => metrics.close());

const scrape = async () => (await app.request('/metrics')).text();

test('requests are counted and timed under their declared path', async () => {
  await app.request('/v1/things/1', { headers: AUTHORIZED });
  await app.request('/api/v1/things/2', { headers: AUTHORIZED });
  await app.request('/v1/made-up', { headers: AUTHORIZED });
  const text = await scrape();
  assert.match(text, /tributary_http_requests_total\{method="GET",route="\/v1\/things\/\{id\}",status="200"\} 2\n/);
  assert.match(text, /tributary_http_requests_total\{method="GET",route="unknown",status="404"\} 1\n/);
  assert.match(text, /tributary_http_request_duration_seconds_count\{method="GET",route="\/v1\/things\/\{id\}"\} 2\n/);
  assert.not.match(text, /made-up/);
});

test('the answer has the media type Prometheus asks for', async () => {
  const response = await app.request('/metrics');
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
});

test('the database, its batches and queues are measured', async () => {
  metrics.databaseCall('entity/read', 0.002, true);
  metrics.databaseCall('entity/read', 0.004, false);
  metrics.batch('entity/read', 17);
  let waiting = 3;
  metrics.queueDepth('entity/read', () => waiting);
  const text = await scrape();
  assert.match(text, /tributary_database_calls_total\{statement="entity\/read",outcome="ok"\} 1\n/);
  assert.match(text, /tributary_database_calls_total\{statement="entity\/read",outcome="failed"\} 1\n/);
  assert.match(text, /tributary_database_call_seconds_total\{statement="entity\/read"\} 0\.006\n/);
  assert.match(text, /tributary_database_call_duration_seconds_sum\{group="entity"\} 0\.006\n/);
  assert.match(text, /tributary_batch_size_bucket\{le="8",name="entity\/read"\} 0\n/);
  assert.match(text, /tributary_batch_size_bucket\{le="64",name="entity\/read"\} 1\n/);
  assert.match(text, /tributary_queue_depth\{name="entity\/read"\} 3\n/);
  waiting = 0;
  assert.match(await scrape(), /tributary_queue_depth\{name="entity\/read"\} 0\n/);
});

test('memory, time and event loop lag of the process are measured', async () => {
  const text = await scrape();
  const value = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  assert.ok(value('tributary_memory_bytes\\{kind="resident"\\}') > 1e6);
  assert.ok(value('tributary_cpu_seconds_total') > 0);
  for (const percentile of ['50', '99', '100']) {
    assert.ok(value(`tributary_event_loop_lag_seconds\\{percentile="${percentile}"\\}`) >= 0);
  }
});

test('connections in use and the backlog of the database are measured', async () => {
  const other = createMetrics();
  other.connections(() => 7, 50);
  assert.match(await other.render(), /tributary_database_up 0\n/);
  let queues = [{ queue: 'jobs_queued', waiting: 2, ageSeconds: 1.5 }];
  other.backlog(async () => ({ isReachable: queues.length > 0, queues }));
  const text = await other.render();
  assert.match(text, /tributary_database_connections 7\n/);
  assert.match(text, /tributary_database_connections_limit 50\n/);
  assert.match(text, /tributary_database_up 1\n/);
  assert.match(text, /tributary_backlog_items\{queue="jobs_queued"\} 2\n/);
  assert.match(text, /tributary_backlog_age_seconds\{queue="jobs_queued"\} 1\.5\n/);
  queues = [];
  const down = await other.render();
  assert.match(down, /tributary_database_up 0\n/);
  assert.not.match(down, /jobs_queued/);
  other.close();
});

test('metrics of several processes are added up, and those of the database are not', async () => {
  const states = [true, false].map((isReachable) => {
    const one = createMetrics();
    one.connections(() => 1, 50);
    one.backlog(async () => ({ isReachable, queues: [{ queue: 'events', waiting: 3, ageSeconds: 2 }] }));
    return one;
  });
  const text = await mergeMetrics(await Promise.all(states.map((one) => one.collect())));
  assert.match(text, /tributary_database_connections_limit 100\n/);
  assert.match(text, /tributary_backlog_items\{queue="events"\} 3\n/);
  assert.match(text, /tributary_database_up 0\n/);
  for (const one of states) one.close();
});

test('two applications in one process share no metrics', async () => {
  const other = createMetrics();
  other.batch('entity/read', 1);
  assert.match(await other.render(), /tributary_batch_size_count\{name="entity\/read"\} 1\n/);
  assert.not.match(await other.render(), /things/);
  other.close();
});

test('metrics can require a token', async () => {
  const guarded = appOf([metricsRoute(metrics, { requireToken: true })]).app;
  assert.is((await guarded.request('/metrics')).status, 401);
  assert.is((await guarded.request('/metrics', { headers: AUTHORIZED })).status, 200);
});

test.run();
