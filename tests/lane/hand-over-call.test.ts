import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import * as assert from 'uvu/assert';
import { handOverCall } from '../../src/lane/hand-over-call.ts';
import { createLaneThread } from '../../src/lane/lane-thread.ts';
import type { HandedCall } from '../../src/lane/messages.ts';
import { suite } from '../support/suite.ts';

/** Shows that a streamed answer of the lane ends, however long its reader is busy with the last piece. */

const test = suite('lane: streamed answers');

/** Sends a stream of one piece, and its end right after that, as the lane does. */
const PROGRAM = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ type, id }) => {
    if (type === 'call') return parentPort.postMessage({ type: 'stream', id, status: 200, headers: {} });
    parentPort.postMessage({ type: 'piece', id, content: new TextEncoder().encode('all') });
    parentPort.postMessage({ type: 'end', id });
  });
`;

test('the end that comes while the last piece is still read is not lost', async () => {
  const lane = createLaneThread({ carry: () => Promise.resolve() } as unknown as Parameters<
    typeof createLaneThread
  >[0]);
  const worker = new Worker(PROGRAM, { eval: true });
  lane.worker = worker;
  worker.on('message', (message) => lane.pending.get(message.id)?.onMessage(message));
  const handed = { type: 'call', id: 1, method: 'GET', path: 'stream', body: [] } as unknown as HandedCall;
  let left = 0;
  const leave = () => {
    left += 1;
  };
  const admission = { giveRoom: () => {}, leave };
  const { stream } = await handOverCall(lane, handed, { signal: new AbortController().signal, admission });
  const texts: string[] = [];
  for await (const piece of stream ?? []) {
    texts.push(piece.toString());
    while (lane.pending.size > 0) await turn();
  }
  assert.equal([texts.length, left, lane.pending.size], [1, 1, 0]);
  await worker.terminate();
});

test.run();
