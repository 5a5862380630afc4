import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import { ok } from '../support/expect.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { closeServiceAt, openServiceAt, placeOfRun, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that slow readers do not block other callers. */

const test = suite('lane: slow readers');

/** As many as there is room for in the lane. */
const UNREAD = 12;

let service: Service;
let samples: Samples;
let served: RunningServer;
const opened: Socket[] = [];

test.before(async () => {
  service = await openServiceAt(placeOfRun(), {}, true);
  samples = createSamples(service);
  served = await serveApp(service.app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 200 });
});
test.after(async () => {
  for (const socket of opened) socket.destroy();
  await served.close();
  await closeServiceAt(service);
});

/** Asks, reads what comes first, and then nothing more until the rest is asked for. */
const beginReading = async (path: string, token: string) => {
  const socket = connect(served.port, '127.0.0.1');
  opened.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = once(socket, 'data').then(([first]: Buffer[]) => {
    socket.pause();
    return String(first);
  });
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  );
  const rest = async (): Promise<string> => {
    let text = '';
    socket.setEncoding('latin1').on('data', (piece) => {
      text += piece;
    });
    const ended = once(socket, 'close');
    socket.resume();
    await ended;
    return text;
  };
  return { head, rest };
};

/** A file much longer than what connections hold that nobody reads from. */
const plantWideTable = async (): Promise<string> => {
  const description = 'Described at great length. '.repeat(150);
  const columns = Array.from({ length: 2000 }, (_, at) => ({ name: `c${at}`, dataType: 'INT', description }));
  const table = await samples.create('table', { columns });
  return `/v1/tables/name/${encodeURIComponent(table.fullyQualifiedName)}/export`;
};

const sendBulk = async (token: string): Promise<number> => {
  const response = await fetch(`${served.address}/v1/domains/bulk`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify([await samples.body('domain')]),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await response.text();
  return response.status;
};

test('unread exports do not delay other callers', async () => {
  const path = await plantWideTable();
  const other = await samples.create('user', { name: uniqueName('other'), isAdmin: true });
  const [greedy, modest] = await Promise.all([service.token('admin'), service.token(other.name)]);
  assert.is(await sendBulk(modest), 200, 'the lane has been started');
  try {
    const exports = await Promise.all(Array.from({ length: UNREAD }, () => beginReading(path, greedy)));
    for (const { head } of exports) assert.match(await head, /^HTTP\/1\.1 200 /);
    // Nobody reads the exports before this answer, so whoever waited for them would wait for ever.
    assert.is(await sendBulk(modest), 200);

    // The caller's own next one waits until one of them is read.
    const next = await beginReading(path, greedy);
    assert.is(await Promise.race([next.head, pause(500, 'waits')]), 'waits');
    const text = (await exports[0]?.rest()) ?? '';
    assert.ok(text.includes('c1999'), 'the export comes through whole');
    assert.match(await next.head, /^HTTP\/1\.1 200 /);
  } finally {
    for (const socket of opened.splice(0)) socket.destroy();
  }
});

test('an unreadable body is refused before it is passed to the lane', async () => {
  const rows = JSON.stringify([await samples.body('domain')]);
  const send = (headers: Record<string, string>) => service.admin.raw('PUT', '/v1/domains/bulk', rows, headers);
  assert.is((await send({ 'content-encoding': 'br' })).status, 415);
  assert.is((await send({ 'content-encoding': 'gzip' })).status, 400, 'it is not gzip');
  assert.is((await send({ 'content-type': 'text/plain' })).status, 415);
  ok(await send({}));
});

test('a compressed body is passed to the lane unpacked', async () => {
  const rows = gzipSync(JSON.stringify([await samples.body('domain')]));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const { numberOfRowsPassed } = ok(await service.admin.raw('PUT', '/v1/domains/bulk', rows, headers));
  assert.is(numberOfRowsPassed, 1);
});

test.run();
