import * as assert from 'uvu/assert';
import { openSpanSender, type SpanSenderOptions } from '../../src/tracing/span-sender.ts';
import { type Collector, openCollector } from '../support/collector.ts';
import { createGate } from '../support/gate.ts';
import { PATIENCE_MS, waitUntil } from '../support/patience.ts';
import { suite } from '../support/suite.ts';

/** Shows what becomes of spans when the collector takes them, refuses them, is slow or away. */

const test = suite('tracing: the way to the collector');

let collector: Collector;

test.before(async () => {
  collector = await openCollector();
});

test.after(() => collector.close());

const BATCH = { content: new Uint8Array([1, 2, 3]), spans: 10 };

type Settings = Partial<SpanSenderOptions['settings']>;

const openSender = (settings: Settings = {}, options: Partial<SpanSenderOptions> = {}) => {
  const counted = { exported: 0, lost: 0 };
  const told: string[] = [];
  const sender = openSpanSender({
    settings: {
      url: `${collector.address}/v1/traces`,
      protocol: 'http/protobuf',
      headers: {},
      compression: 'none',
      timeoutMs: 2000,
      ...settings,
    },
    observer: {
      count: (outcome, spans) => {
        counted[outcome] += spans;
      },
      onLoss: (reason) => told.push(reason),
      onRecovery: () => told.push('again'),
    },
    readRefused: () => 0,
    retryMs: [10, 20],
    ...options,
  });
  return { sender, counted, told };
};

test('a batch arrives as it is, or compressed', async () => {
  collector.react(200);
  const { sender, counted } = openSender({ compression: 'gzip' });
  sender.send(BATCH);
  await sender.close();
  assert.equal(counted, { exported: 10, lost: 0 });
  const last = collector.exports.at(-1);
  assert.equal([...(last?.body ?? [])], [1, 2, 3]);
  assert.is(last?.headers['content-type'], 'application/x-protobuf');
});

test('503 is tried again, 400 is not, and the loss is told once until the collector takes spans', async () => {
  const { sender, counted, told } = openSender();
  const before = collector.exports.length;
  collector.react(503);
  sender.send(BATCH);
  await waitUntil(
    () => counted.lost === 10,
    '10 spans are lost',
    () => counted,
  );
  assert.is(collector.exports.length - before, 3);
  collector.react(400);
  sender.send(BATCH);
  await waitUntil(
    () => counted.lost === 20,
    '20 spans are lost',
    () => counted,
  );
  assert.is(collector.exports.length - before, 4);
  assert.equal(told, ['the collector answers 503']);
  collector.react(200);
  sender.send(BATCH);
  await sender.close();
  assert.equal([counted, told.at(-1)], [{ exported: 10, lost: 20 }, 'again']);
});

test('a collector that is away loses spans, and so does one that is slower than its time limit', async () => {
  const away = openSender({ url: 'http://127.0.0.1:1/v1/traces' });
  away.sender.send(BATCH);
  await waitUntil(
    () => away.counted.lost === 10,
    '10 spans are lost',
    () => away.counted,
  );
  assert.match(away.told[0] ?? '', /^the collector cannot be reached: /);
  collector.react(200, 1000);
  const slow = openSender({ timeoutMs: 50 });
  slow.sender.send(BATCH);
  await waitUntil(
    () => slow.counted.lost === 10,
    '10 spans are lost',
    () => slow.counted,
  );
  assert.equal(slow.told, ['the collector did not answer in time']);
  collector.react(200);
});

test('the queue is bounded, and the end waits no longer than its limit', async () => {
  const answer = createGate();
  collector.react(200, answer.opened);
  const { sender, counted } = openSender({ timeoutMs: 10 * PATIENCE_MS }, { closeWithinMs: 200 });
  for (let count = 0; count < 100; count += 1) sender.send(BATCH);
  assert.not(sender.hasRoom());
  assert.is(counted.lost, 670);
  // It ends though the collector never answers.
  await sender.close();
  assert.equal(counted, { exported: 0, lost: 1000 });
  answer.open();
  collector.react(200);
});

test('spans that never reach the queue are counted too', async () => {
  const { sender, counted, told } = openSender({ protocol: 'http/json' });
  sender.lost(3, 'the queue is full');
  await sender.close();
  assert.equal([counted, told], [{ exported: 0, lost: 3 }, ['the queue is full']]);
});

test.run();
