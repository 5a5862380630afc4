import * as assert from 'uvu/assert';
import type { CatalogError } from '../../src/errors.ts';
import { createRateLimit } from '../../src/http/rate-limit.ts';
import { suite } from '../support/suite.ts';

/** Shows how often somebody may do what is limited in time. */

const test = suite('http: rate limit');

const open = () => {
  const time = { now: 0 };
  return { time, limit: createRateLimit({ most: 3, spanMs: 60_000, clock: () => time.now, what: 'tests' }) };
};

const refusalOf = (work: () => void): CatalogError => {
  try {
    work();
  } catch (failure) {
    return failure as CatalogError;
  }
  return assert.unreachable('it was let through') as never;
};

test('each holder has so many in a span, and others have their own', () => {
  const { time, limit } = open();
  limit.take('ana', 2);
  limit.take('ana', 1);
  time.now = 10_000;
  const refused = refusalOf(() => limit.take('ana', 1));
  assert.equal([refused.status, refused.retryAfterSeconds], [429, 50]);
  assert.is(refused.message, 'Only 3 tests may be made in 60 s');
  limit.take('bob', 3);
  time.now = 60_000;
  limit.take('ana', 3);
});

test('what is refused counts for nothing', () => {
  const { limit } = open();
  limit.take('ana', 2);
  refusalOf(() => limit.take('ana', 2));
  limit.take('ana', 1);
});

test('the memory of holders is bounded', () => {
  const { limit } = open();
  limit.take('first', 3);
  for (let at = 0; at < 10_000; at += 1) limit.take(`holder ${at}`, 1);
  limit.take('first', 3);
});

test.run();
