import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { createEventStreams, type EventStreams, type ServerEventSource } from '../../src/http/event-stream.ts';
import { serveApp } from '../../src/http/server.ts';
import { PATIENCE_MS, waitUntil } from '../support/patience.ts';
import { suite } from '../support/suite.ts';
import { AUTHORIZED, appOf, exchange, route } from './fixture.ts';

/** Shows how events are streamed to a client, and how a stream ends. */

const test = suite('http: event streams');

/** A source that says so many things, then nothing until nobody listens any more. */
const talk = (count: number, isEndless = true) => {
  const state = { asked: 0, silences: 0, isOver: false };
  const source: ServerEventSource = async function* (signal) {
    for (let at = 1; at <= count; at += 1) {
      state.asked = at;
      yield { event: 'word', data: { at, text: 'a\nb' }, id: String(at) };
    }
    state.silences += 1;
    if (isEndless) await sleep(10 * PATIENCE_MS, undefined, { signal }).catch(() => {});
    state.isOver = true;
  };
  return { state, source };
};

const appFor = (streams: EventStreams, source: ServerEventSource) =>
  appOf([route('GET', '/v1/a', (call) => streams.open(call.principal.name, source))]).app;

const call = (app: ReturnType<typeof appFor>, method = 'GET') =>
  Promise.resolve(app.request('/v1/a', { method, headers: AUTHORIZED }));

test('events are written in the format of EventSource, then the stream ends', async () => {
  const reply = await call(appFor(createEventStreams(), talk(2, false).source));
  assert.is(reply.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.is(reply.headers.get('cache-control'), 'no-store');
  const one = (at: number) => `id: ${at}\nevent: word\ndata: {"at":${at},"text":"a\\nb"}\n\n`;
  assert.is(await reply.text(), `: ping\n\n${one(1)}${one(2)}`);
});

test('idle streams get comments', async () => {
  const streams = createEventStreams({ heartbeatMs: 20 });
  const reply = await call(appFor(streams, talk(1).source));
  const reader = reply.body?.getReader();
  const pieces: string[] = [];
  while (pieces.length < 5) pieces.push(new TextDecoder().decode((await reader?.read())?.value));
  assert.match(pieces.find((piece) => !piece.startsWith(':')) ?? '', /^id: 1\nevent: word\n/);
  assert.equal(
    pieces.filter((piece) => piece.startsWith(':')),
    Array(4).fill(': ping\n\n'),
  );
  await reader?.cancel();
});

test('a heartbeat is sent every 15 seconds by default', async () => {
  const waits: { readonly ms: number | undefined; end(): void }[] = [];
  const wait = ((ms?: number) =>
    new Promise<void>((resolve) => waits.push({ ms, end: () => resolve() }))) as unknown as typeof sleep;
  const reply = await call(appFor(createEventStreams({ wait }), talk(0).source));
  const reader = reply.body?.getReader();
  const next = async () => new TextDecoder().decode((await reader?.read())?.value);
  assert.is(await next(), ': ping\n\n');
  for (const again of [1, 2, 3]) {
    const coming = next();
    await waitUntil(() => waits.length >= again, 'the next heartbeat is waited for');
    waits[again - 1]?.end();
    assert.is(await coming, ': ping\n\n');
  }
  assert.equal(
    waits.slice(0, 3).map(({ ms }) => ms),
    [15_000, 15_000, 15_000],
  );
  await reader?.cancel();
});

test('nothing is read from the source while the connection is blocked', async () => {
  const { state, source } = talk(1000);
  const reply = await call(appFor(createEventStreams(), source));
  // Meanwhile, whoever reads hears all.
  await (await call(appFor(createEventStreams(), talk(1000, false).source))).text();
  assert.ok(state.asked <= 2, `${state.asked} events for a reader who takes none`);
  await reply.body?.cancel();
});

test('a failure of the source aborts the response and frees its slot', async () => {
  const failing: ServerEventSource = async function* () {
    yield { event: 'word', data: 1 };
    throw new Error('broken');
  };
  const app = appFor(createEventStreams({ maxPerPrincipal: 1 }), failing);
  for (const _again of [1, 2]) {
    const reply = await call(app);
    assert.is(reply.status, 200);
    await reply.text().then(
      () => assert.unreachable('it ended as if whole'),
      () => {},
    );
  }
});

test('HEAD takes no slot, and a slot is freed when its reader leaves', async () => {
  const { source } = talk(1);
  const app = appFor(createEventStreams({ maxPerPrincipal: 1 }), source);
  assert.is((await call(app, 'HEAD')).status, 200);
  const first = await call(app);
  assert.is((await call(app)).status, 429);
  await first.body?.cancel();
  const next = await call(app);
  assert.is(next.status, 200);
  await next.body?.cancel();
});

test('a disconnected reader ends the source, and a stopping server does not wait for readers', async () => {
  const { state, source } = talk(1);
  const streams = createEventStreams();
  const closeWithinMs = 10 * PATIENCE_MS;
  const served = await serveApp(appFor(streams, source), { host: '127.0.0.1', port: 0, closeWithinMs });
  const leaving = new AbortController();
  const reply = await fetch(`${served.address}/v1/a`, { headers: AUTHORIZED, signal: leaving.signal });
  await reply.body?.getReader().read();
  leaving.abort();
  await waitUntil(() => state.isOver, 'the source ends');
  const lines = `GET /v1/a HTTP/1.1\r\nHost: x\r\nAuthorization: ${AUTHORIZED.authorization}\r\nConnection: close\r\n\r\n`;
  const watching = exchange(served.port, lines);
  await waitUntil(() => state.silences === 2, 'another one has heard it');
  streams.close();
  let isClosed = false;
  const closing = served.close().then(() => {
    isClosed = true;
  });
  // It waits longer than this test for whoever does not leave.
  await waitUntil(() => isClosed, 'the server is closed');
  await closing;
  assert.match(await watching, /event: word/);
});

test.run();
