import { randomBytes } from 'node:crypto';
import * as assert from 'uvu/assert';
import { type CollectedSpan, type Collector, openCollector } from '../support/collector.ts';
import { ok } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { waitFor, waitUntil } from '../support/patience.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import {
  closeServiceAt,
  openService,
  openServiceAt,
  placeOfRun,
  type Service,
  uniqueName,
} from '../support/service.ts';
import { createSubscription, filterBelow, webhookTo } from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';

/** Shows what a collector receives of requests, statements, shared work, jobs and deliveries. */

const test = suite('tracing: what is exported');

const SERVER = 2;
const CLIENT = 3;
const CANARY = 'canary7f3e';

let collector: Collector;
let receiver: Receiver;
let service: Service;
let shared: Service;
let schema: string;

const newTraceId = (): string => randomBytes(16).toString('hex');
const PARENT_SPAN = '00f067aa0ba902b7';

const traceparent = (traceId: string, flags = '01') => ({ traceparent: `00-${traceId}-${PARENT_SPAN}-${flags}` });

const inTrace = (spans: readonly CollectedSpan[], traceId: string): readonly CollectedSpan[] =>
  spans.filter((span) => span.traceId === traceId);

const serverSpan = (traceId: string): Promise<CollectedSpan> =>
  collector.until((spans) => inTrace(spans, traceId).find(({ kind }) => kind === SERVER));

/** The spans of a trace once its request has ended; a statement always ends before its request. */
const traceOf = async (traceId: string): Promise<readonly CollectedSpan[]> => {
  await serverSpan(traceId);
  return inTrace(collector.spans(), traceId);
};

const tableBody = (name: string) => ({
  name,
  databaseSchema: schema,
  columns: [{ name: 'id', dataType: 'BIGINT' }],
});

test.before(async () => {
  // It would take the jobs and deliveries whose spans are expected here.
  shared = await openService();
  await Promise.all([shared.app.runner.stop(), shared.app.dispatcher.stop()]);
  collector = await openCollector();
  receiver = await openReceiver();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-token=a%20token',
    OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  service = await openServiceAt({ ...placeOfRun(), env }, {}, true);
  const name = uniqueName(CANARY);
  const { admin } = service;
  ok(await admin.put('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await admin.put('/v1/databases', { name: 'shop', service: name }), 201);
  ok(await admin.put('/v1/databaseSchemas', { name: 'public', database: `${name}.shop` }), 201);
  schema = `${name}.shop.public`;
});

test.after(async () => {
  await closeServiceAt(service);
  shared.app.runner.start();
  shared.app.dispatcher.start();
  await receiver.down();
  await collector.close();
});

test('a request continues the trace of its caller, and its statements and its commit are spans below it', async () => {
  const traceId = newTraceId();
  ok(await service.admin.put('/v1/tables', tableBody('orders'), traceparent(traceId)), 201);
  const spans = await traceOf(traceId);
  const server = spans.find(({ kind }) => kind === SERVER);
  assert.is(server?.name, 'PUT /v1/tables');
  assert.is(server?.parentSpanId, PARENT_SPAN);
  assert.equal(server?.attributes, {
    'http.request.method': 'PUT',
    'url.scheme': 'http',
    'http.route': '/v1/tables',
    'http.response.status_code': 201,
  });
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const statements = spans.filter(({ kind }) => kind === CLIENT);
  assert.ok(statements.some(({ name }) => name === 'COMMIT'));
  assert.ok(statements.some(({ name }) => /^catalog\/[\w/]+$/.test(name)));
  for (const one of statements) {
    assert.ok(ids.has(one.parentSpanId ?? ''), one.name);
    assert.is(one.attributes['db.system.name'], 'neo4j');
    assert.is(one.attributes['db.query.summary'], one.name);
  }
});

test('a span has the template of the route, and the log line of the request the ids of the span', async () => {
  const traceId = newTraceId();
  ok(await service.admin.get(`/v1/tables/name/${schema}.orders`, traceparent(traceId)), 200);
  const server = await serverSpan(traceId);
  assert.is(server.name, 'GET /v1/tables/name/{fqn}');
  const line = service.logged.map((text) => JSON.parse(text)).find(({ trace_id }) => trace_id === traceId);
  assert.is(line?.span_id, server.spanId);
  assert.is(line?.route, '/v1/tables/name/{fqn}');
});

test('a refusal is no failure of the service, and an unknown path is no name', async () => {
  const traceId = newTraceId();
  assert.is((await service.admin.get(`/v1/${CANARY}/x`, traceparent(traceId))).status, 404);
  const server = await serverSpan(traceId);
  assert.is(server.name, 'GET');
  assert.is(server.attributes['http.response.status_code'], 404);
  assert.is(server.status?.code ?? 0, 0);
});

test('malformed headers start a new trace, and a caller who does not record is followed', async () => {
  const unsampled = newTraceId();
  const malformed = newTraceId();
  await service.admin.get('/v1/tables?limit=1', traceparent(unsampled, '00'));
  await service.admin.get('/v1/tables?limit=1', { traceparent: `00-${malformed}-0000000000000000-01` });
  await service.admin.get('/v1/tables?limit=1', { traceparent: `00-${malformed}-${PARENT_SPAN}-01-more` });
  await service.admin.get('/v1/tables?limit=1', { traceparent: malformed.repeat(100) });
  const last = newTraceId();
  await service.admin.get('/v1/tables?limit=1', { ...traceparent(last), tracestate: `vendor=${'x'.repeat(600)}` });
  await serverSpan(last);
  assert.equal(inTrace(collector.spans(), unsampled), []);
  assert.equal(inTrace(collector.spans(), malformed), []);
});

test('what several requests share is a trace of its own, linked to theirs in both directions', async () => {
  const traces = Array.from({ length: 30 }, newTraceId);
  await Promise.all(
    traces.map((traceId, at) => service.admin.put('/v1/tables', tableBody(`shared_${at}`), traceparent(traceId))),
  );
  await Promise.all(traces.map(serverSpan));
  const spans = await collector.until((all) => {
    const ours = all.filter(({ links }) => links.some(({ traceId }) => traces.includes(traceId)));
    return ours.some(({ name }) => name === 'batch commit') ? all : undefined;
  });
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const batches = spans.filter(
    ({ name, links }) => name.startsWith('batch ') && links.some(({ traceId }) => traces.includes(traceId)),
  );
  for (const batch of batches) {
    assert.is(batch.parentSpanId ?? '', '');
    assert.ok(batch.links.length >= 1);
    for (const { spanId, traceId } of batch.links) {
      const wait = byId.get(spanId);
      assert.is(wait?.name, batch.name.replace('batch', 'wait for'));
      assert.is(wait?.traceId, traceId);
      assert.equal(
        wait?.links.map((link) => link.spanId),
        [batch.spanId],
      );
    }
    assert.ok(spans.some(({ parentSpanId, kind }) => parentSpanId === batch.spanId && kind === CLIENT));
  }
});

test('the heavy lane, a thread of its own, continues the trace of a request', async () => {
  const traceId = newTraceId();
  const rows = Array.from({ length: 20 }, (_, at) => tableBody(`bulk_${at}`));
  ok(await service.admin.put('/v1/tables/bulk', rows, traceparent(traceId)), 200);
  const server = await serverSpan(traceId);
  await collector.until((spans) =>
    inTrace(spans, traceId).find(({ parentSpanId, kind }) => kind === CLIENT && parentSpanId === server.spanId),
  );
});

test('a job, which another thread runs, is a trace of its own with a link to the request that created it', async () => {
  const traceId = newTraceId();
  const rows = [tableBody('by_job')];
  const accepted = await service.admin.put('/v1/tables/bulk?async=true', rows, traceparent(traceId));
  assert.ok([200, 202].includes(accepted.status), accepted.text);
  const job = await collector.until((spans) =>
    spans.find(({ name, links }) => name.startsWith('job ') && links.some((link) => link.traceId === traceId)),
  );
  assert.is.not(job.traceId, traceId);
  assert.is(job.kind, 5);
  await collector.until((spans) => spans.find(({ parentSpanId }) => parentSpanId === job.spanId));
});

test('the receiver of an event gets the trace of its delivery', async () => {
  await createSubscription(service, [webhookTo(`${receiver.address}/${CANARY}`)], {
    input: filterBelow(schema),
  });
  ok(await service.admin.put('/v1/tables', tableBody('told')), 201);
  await waitUntil(() => receiver.calls.length > 0, 'the event is delivered');
  const [, traceId, spanId] = String(receiver.calls[0]?.headers['traceparent']).split('-');
  const call = await collector.until((spans) => spans.find((span) => span.spanId === spanId));
  assert.is(call.traceId, traceId);
  assert.is(call.name, 'POST');
  assert.is(call.attributes['http.response.status_code'], 200);
  const attempt = await collector.until((spans) => spans.find((span) => span.spanId === call.parentSpanId));
  assert.is(attempt.name, 'deliver events');
});

/** Deliveries of a change whose request is the trace. */
const deliveryOf = (traceId: string): Promise<CollectedSpan> =>
  collector.until((spans) =>
    spans.find(({ name, links }) => name === 'deliver events' && links.some((link) => link.traceId === traceId)),
  );

test('a delivery is linked to the requests that have caused its events, and nobody else learns of them', async () => {
  const [creation, change, removal] = [newTraceId(), newTraceId(), newTraceId()];
  const { admin } = service;
  const table = ok(await admin.put('/v1/tables', tableBody('linked'), traceparent(creation)), 201);
  const patch = [{ op: 'add', path: '/description', value: 'changed' }];
  ok(await admin.patch(`/v1/tables/${table['id']}`, patch, traceparent(change)), 200);
  ok(await admin.delete(`/v1/tables/${table['id']}?hardDelete=true`, traceparent(removal)), 200);
  for (const traceId of [creation, change, removal]) {
    const { traceId: own, links } = await deliveryOf(traceId);
    assert.is.not(own, traceId);
    assert.is(links.length, 1);
    // A delivery may be exported before the span of the request that it is linked to.
    await collector.until((spans) => inTrace(spans, traceId).find(({ spanId }) => spanId === links[0]?.spanId));
  }
  const events = await admin.get(`/v1/events?entityId=${table['id']}`);
  assert.is(ok(events)['data'].length, 3);
  const seen = JSON.stringify([receiver.calls, events.text]);
  for (const traceId of [creation, change, removal]) assert.not.ok(seen.includes(traceId));
});

test('nothing that callers have written is exported', async () => {
  const traceId = newTraceId();
  const headers = { ...traceparent(traceId), 'x-request-id': CANARY, 'user-agent': CANARY };
  await service.admin.get(`/v1/search/query?q=${CANARY}&index=all`, headers);
  await service.admin.get(`/v1/tables/name/${schema}.none`, headers);
  await service.admin.put('/v1/tables', { ...tableBody('bad'), [CANARY]: true }, headers);
  await service.admin.raw(CANARY.toUpperCase(), '/v1/tables', undefined, headers);
  await collector.until((spans) =>
    inTrace(spans, traceId).filter(({ kind }) => kind === SERVER).length === 4 ? 1 : undefined,
  );
  assert.ok(collector.exports.length > 0);
  const tokens = /eyJ[\w-]+\.|Bearer|password/i;
  for (const { path, headers: sent, body } of collector.exports) {
    assert.is(path, '/v1/traces');
    assert.is(sent['x-collector-token'], 'a token');
    assert.not.match(body.toString(), new RegExp(CANARY, 'i'));
    assert.not.match(body.toString(), tokens);
  }
});

test('a collector that fails or does not answer delays no request', async () => {
  const answer = createGate();
  collector.react(500, answer.opened);
  const before = collector.exports.length;
  const isAsked = () => collector.exports.length > before;
  // Every request ends while the collector says nothing.
  ok(await service.admin.get('/v1/tables?limit=1'), 200);
  await waitUntil(isAsked, 'the collector is asked');
  for (let count = 0; count < 20; count += 1) ok(await service.admin.get('/v1/tables?limit=1'), 200);
  answer.open();
  const told = () => service.logged.filter((line) => line.includes('spans of traces are lost'));
  await waitFor(told, (lines) => lines.length > 0, 'the loss of spans is logged');
  assert.is(told().length, 1);
  assert.match(told()[0] ?? '', /the collector answers 500/);
  assert.match(await service.metrics.render(), /tributary_trace_spans_total\{outcome="lost"\} [1-9]/);
  collector.react(200);
});

test.run();
