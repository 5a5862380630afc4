import * as assert from 'node:assert/strict';
import {
  type DocumentTask,
  type DocumentTaskResult,
  openOdcsDocuments,
  readOdcs,
} from '../../../src/contracts/odcs/texts/documents.ts';
import { writeYaml } from '../../../src/contracts/odcs/texts/yaml.ts';
import { CatalogError } from '../../../src/errors.ts';
import { openThread } from '../../../src/platform/thread.ts';
import { countCallsOf } from '../../support/count-calls.ts';
import { hostileDocuments } from '../../support/hostile-input.ts';
import { waitFor } from '../../support/patience.ts';
import { suite } from '../../support/suite.ts';
import { sameJson } from './fixture.ts';

/** Shows that long documents are read and written beside the event loop. */

const test = suite('contracts/odcs: worker thread');

const ROOT = 'apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 1.10\nstatus: active\n';

/** What is read does not depend on how busy the machine is, except where a case is about time. */
const documents = openOdcsDocuments({ timeoutMs: 120_000, mostAtOnce: 100 });
test.after(() => documents.close());

const failure = async (reading: Promise<unknown>): Promise<CatalogError> => {
  const thrown = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(thrown instanceof CatalogError, `${thrown}`);
  return thrown;
};

test('a long document is parsed like a short one', async () => {
  const text = `${ROOT}name: shop\n__proto__: {a: 1}\nconstructor: [1, 2.5, null, true, "é\\u0000"]\nx-mine: &a {b: 1}\nx-too: *a\n`;
  const far = await documents.odcs(text);
  const near = readOdcs(text);
  assert.equal(far.version, near.version);
  sameJson(far.source, near.source);
  sameJson(far.document, near.document);
  assert.deepEqual(far.issues, near.issues);
  assert.equal(far.document['version'], '1.10');
  const json = JSON.stringify({ ...near.source, more: 'x'.repeat(200) });
  sameJson((await documents.odcs(json, 'JSON')).source, JSON.parse(json));
  sameJson(await documents.yaml(`a: ${'x'.repeat(200)}\nversion: 1.10`), { a: 'x'.repeat(200), version: 1.1 });
});

test('a long document is refused with the same message', async () => {
  for (const text of [
    `${ROOT}x: [1\n`,
    `${ROOT}id: again\n`,
    `${ROOT}x: !mine 1\n`,
    ROOT.replace('id: x', 'schema: 7'),
  ]) {
    const far = await failure(documents.odcs(text.padEnd(300)));
    const near = await failure((async () => readOdcs(text.padEnd(300)))());
    assert.deepEqual([far.code, far.message], [near.code, near.message]);
  }
  assert.equal((await failure(documents.odcs('x'.repeat(10 * 1024 * 1024 + 1)))).code, 'payload_too_large');
  assert.equal((await failure(documents.yaml('é'.repeat(5 * 1024 * 1024 + 1)))).code, 'payload_too_large');
});

test('a long document is written like a short one', async () => {
  const { document } = readOdcs(
    `${ROOT}name: "yes"\nx-mine: [1, {b: "1.0"}, ${'"é", '.repeat(60)}]\n__proto__: {a: 1}\n`,
  );
  assert.equal(await documents.toYaml(document), writeYaml(document));
});

test('a body declared as JSON is not read as YAML', async () => {
  const said = async (text: string) => (await failure(documents.odcs(text, 'JSON'))).message;
  assert.equal(await said(ROOT), 'Invalid JSON content: line 1, column 1: not JSON');
  assert.equal(await said('{"a": 1,\n "b": yes}'), 'Invalid JSON content: line 2, column 7: not JSON');
  assert.equal(await said('{"a": 1} x'), 'Invalid JSON content: line 1, column 10: not JSON');
  assert.equal(await said(''), 'Invalid JSON content: line 1, column 1: not JSON');
  assert.match(await said('7'), /expected object, got number/);
  assert.match(await said('{"a": 1, "a": 2}'), /a: duplicate key at line 1, column 10/);
});

/** What parses texts. */
const PARSING = /\/node_modules\/yaml\/|\/contracts\/odcs\/texts\/(?:yaml|json-text)\./;

test('hostile documents are parsed outside the event loop', async () => {
  const calls = await countCallsOf(PARSING, async () => {
    const read = await Promise.allSettled(hostileDocuments(ROOT).map((text) => documents.odcs(text)));
    const refused = read.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 3, 'all but the one that is full of comments');
  });
  assert.equal(calls, 0);
});

test('short documents are answered before a hostile one', async () => {
  const order: string[] = [];
  const [hostile = ''] = hostileDocuments(ROOT);
  const reading = failure(documents.odcs(hostile)).then(() => order.push('hostile'));
  for (let at = 0; at < 20; at += 1) {
    assert.equal((await failure(documents.odcs('{"apiVersion": "v3.1.0"}'))).code, 'bad_request');
    order.push('short');
  }
  await reading;
  assert.equal(order.indexOf('hostile'), 20);
});

test('a document that takes too long is aborted, and the next one is parsed', async () => {
  const hasty = openOdcsDocuments({ timeoutMs: 200, mostAtOnce: 0 });
  try {
    const slow = hasty.yaml(`x:\n${'  - aaaaaaaaaaaaaaaa\n'.repeat(400_000)}`);
    const { code, message } = await failure(slow);
    assert.deepEqual([code, message], ['bad_request', 'Invalid document: it takes too long']);
    // The limit holds for a short text too, and a busy machine may need several tries to keep it.
    const next = () => hasty.yaml('a: 1').catch(() => undefined);
    sameJson(await waitFor(next, (value) => value !== undefined, 'the next one is parsed'), { a: 1 });
  } finally {
    await hasty.close();
  }
});

test('a document that takes too much memory ends only its thread', async () => {
  const file = new URL('../../../src/contracts/odcs/texts/worker.ts', import.meta.url);
  const narrow = openThread<DocumentTask, DocumentTaskResult>({ file, timeoutMs: 60_000, idleMs: 1000, heapMiB: 40 });
  try {
    const outcome = await narrow.run({ text: `x:\n${'  - aaaaaaaaaaaaaaaa\n'.repeat(300_000)}`, as: 'anything' });
    assert.deepEqual(outcome, { refusal: 'too large' });
    assert.deepEqual(await narrow.run({ text: 'a: 1', as: 'anything' }), { answer: { value: { a: 1 } } });
  } finally {
    await narrow.close();
  }
});

test('the queue is bounded, and the shortest waiting document is parsed first', async () => {
  const narrow = openOdcsDocuments({ mostAtOnce: 0, mostWaiting: 4000 });
  try {
    const order: string[] = [];
    const ask = async (name: string, length: number) => {
      await narrow.yaml(`a: ${'x'.repeat(length)}`);
      order.push(name);
    };
    const first = ask('first', 10);
    const waiting = [ask('long', 3000), ask('short', 500)];
    const refused = await failure(narrow.yaml(`a: ${'x'.repeat(900)}`));
    assert.equal(refused.code, 'unavailable');
    assert.ok((refused.retryAfterSeconds ?? 0) > 0);
    await Promise.all([first, ...waiting]);
    assert.deepEqual(order, ['first', 'short', 'long']);
  } finally {
    await narrow.close();
  }
});

test('a closed reader refuses waiting documents', async () => {
  const closing = openOdcsDocuments({ mostAtOnce: 0 });
  const waiting = [1, 2].map((at) => closing.yaml(`a: ${at}`).catch((reason: Error) => reason.message));
  await closing.close();
  for (const said of await Promise.all(waiting)) assert.match(String(said), /thread/);
});

test.run();
