import { Worker } from 'node:worker_threads';
import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import type { Answer } from '../../src/http/route.ts';
import { handOverCall } from '../../src/lane/hand-over-call.ts';
import { createLaneThread, type LaneThread } from '../../src/lane/lane-thread.ts';
import type { HandedCall } from '../../src/lane/messages.ts';
import { suite } from '../support/suite.ts';

/** Shows that no request keeps the thread of the lane from the others for good. */

const test = suite('lane: request limit');

/** Answers requests as the name of their route says: not at all, when asked to stop, or never letting go. */
const PROGRAM = `
  const { parentPort } = require('node:worker_threads');
  let late;
  parentPort.on('message', (message) => {
    const { type, id, path } = message;
    const failure = { code: 'bad_request', message: 'stopped' };
    if (type === 'call' && path === 'late stream') late = id;
    if (type === 'abort' && late === id) return parentPort.postMessage({ type: 'stream', id, status: 200, headers: {} });
    if (type === 'abort') parentPort.postMessage({ type: 'failure', id, failure });
    if (type === 'call' && path === 'answer') parentPort.postMessage({ type: 'answer', id, status: 200, headers: {} });
    if (type === 'call' && path === 'stream') parentPort.postMessage({ type: 'stream', id, status: 200, headers: {} });
    if (type === 'call' && path === 'loop') for (;;);
  });
`;

const failures: unknown[] = [];
const open = (requestMs: number, graceMs = 600_000): LaneThread => {
  const lane = createLaneThread({
    limit: { requestMs, graceMs },
    onThreadFailure: (cause: unknown) => failures.push(cause),
    onNotice: () => {},
    carry: () => Promise.resolve(),
  } as unknown as Parameters<typeof createLaneThread>[0]);
  lane.worker = startProgram(lane);
  return lane;
};

const startProgram = (lane: LaneThread): Worker => {
  const worker = new Worker(PROGRAM, { eval: true });
  worker.on('message', (message) => lane.pending.get(message.id)?.onMessage(message));
  return worker;
};

let lastId = 0;
const send = (lane: LaneThread, path: string, signal = new AbortController().signal) => {
  lastId += 1;
  const handed = { type: 'call', id: lastId, method: 'GET', path, body: [] } as unknown as HandedCall;
  return handOverCall(lane, handed, { signal, admission: { giveRoom: () => {}, leave: () => {} } });
};

const failureOf = (asked: Promise<unknown>): Promise<CatalogError> =>
  asked.then(
    () => assert.unreachable('it was answered') as never,
    (failure: CatalogError) => failure,
  );

const TOO_LONG = /^The request took longer than 0 s and was stopped$/;

test('a request that takes too long is asked to stop, and the thread goes on', async () => {
  const lane = open(30);
  const failure = await failureOf(send(lane, 'never'));
  assert.is(failure.status, 503);
  assert.match(failure.message, TOO_LONG);
  assert.is((await send(lane, 'answer')).status, 200);
  assert.equal(failures, []);
  await lane.worker?.terminate();
});

test('a thread that does not let go ends with what waits for it, and starts anew', async () => {
  const lane = open(30, 20);
  const old = lane.worker as Worker;
  const ended = new Promise((resolve) => old.once('exit', resolve));
  const [loop, other] = [failureOf(send(lane, 'loop')), failureOf(send(lane, 'answer'))];
  assert.match((await loop).message, TOO_LONG);
  const { status, message } = await other;
  assert.is(status, 503);
  assert.ok(TOO_LONG.test(message) || /its thread failed$/.test(message), message);
  await ended;
  assert.is(lane.worker, undefined);
  assert.is(failures.length, 1);
  const next = startProgram(lane);
  // Its start is no part of the time that a request may take.
  await new Promise((resolve) => next.once('online', resolve));
  lane.worker = next;
  assert.is((await send(lane, 'answer')).status, 200);
  await next.terminate();
});

/** Changes how long the following requests and pieces may take. */
const limitTo = (lane: LaneThread, requestMs: number) => Object.assign(lane, { limit: { ...lane.limit, requestMs } });

const firstPieceOf = ({ stream }: Answer): Promise<unknown> =>
  (stream as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().next();

test('each piece of a streamed answer has its own time, and a caller who leaves stops the clock', async () => {
  const lane = open(600_000);
  const abort = new AbortController();
  const [slow, left] = [await send(lane, 'stream'), await send(lane, 'stream', abort.signal)];
  limitTo(lane, 30);
  assert.match((await failureOf(firstPieceOf(slow))).message, TOO_LONG);
  limitTo(lane, 600_000);
  void firstPieceOf(left).catch(() => {});
  abort.abort();
  assert.is(lane.pending.size, 0);
  assert.is((await send(lane, 'answer')).status, 200);
  await lane.worker?.terminate();
});

test('an answer that begins after its request was stopped is not shown', async () => {
  const lane = open(1);
  const old = lane.worker as Worker;
  const late = failureOf(send(lane, 'late stream'));
  assert.match((await late).message, TOO_LONG);
  limitTo(lane, 600_000);
  assert.is((await send(lane, 'answer')).status, 200);
  assert.is(lane.worker, old);
  await old.terminate();
});

test('an answer in time is not disturbed', async () => {
  const lane = open(60_000);
  assert.is((await send(lane, 'answer')).status, 200);
  assert.is(lane.pending.size, 0);
  await lane.worker?.terminate();
  assert.ok(failures.every((failure) => failure instanceof Error && !(failure instanceof CatalogError)));
});

test.run();
