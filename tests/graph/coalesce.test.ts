import * as assert from 'uvu/assert';
import { coalesce } from '../../src/graph/coalesce.ts';
import { suite } from '../support/suite.ts';

/** Shows that concurrent look-ups share one query. */

const test = suite('graph: shared look-ups');

const silent = { databaseCall: () => {}, batch: () => {}, queueDepth: () => {}, connections: () => {} };

/** A look-up that notes which batches are sent, and fails for batches that hold a key called `bad`. */
const noting = (log: string[], maxBatch: number) =>
  coalesce<string, string>({
    name: 'test',
    observer: silent,
    maxBatch,
    load: async (keys) => {
      log.push(`sent ${keys.join('')}`);
      await new Promise((resolve) => setImmediate(resolve));
      if (keys.includes('bad')) throw new Error('refused');
      return keys.map((key) => key.toUpperCase());
    },
  });

test('a full batch is sent before the responses of the previous one are processed', async () => {
  const log: string[] = [];
  const find = noting(log, 2);
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd', 'e'].map(async (key) => {
      const answer = await find(key);
      log.push(answer);
      return answer;
    }),
  );
  assert.equal(answers, ['A', 'B', 'C', 'D', 'E']);
  assert.equal(log, ['sent ab', 'sent cd', 'A', 'B', 'C', 'D', 'sent e', 'E']);
});

test('a batch that is not full waits for callers that were just answered', async () => {
  const log: string[] = [];
  const find = noting(log, 3);
  const twice = async (key: string) => find(await find(key));
  const answers = await Promise.all([twice('a'), twice('b'), twice('c'), find('d')]);
  assert.equal(answers, ['A', 'B', 'C', 'D']);
  assert.equal(log, ['sent abc', 'sent dAB', 'sent C']);
});

test('a failing batch affects no other', async () => {
  const find = noting([], 2);
  const outcomes = await Promise.allSettled(['a', 'bad', 'c', 'd'].map((key) => find(key)));
  assert.equal(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
  );
});

test.run();
