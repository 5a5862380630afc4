import * as assert from 'uvu/assert';
import { ApiFailure, ifPresent, isFinal } from '../../src/explorer/api/failure.ts';
import { suite } from '../support/suite.ts';

/** Shows which failures are worth another try, and which only say that something is not there. */

const test = suite('explorer: failures');

test('what is not there and what makes no sense is not tried again', () => {
  assert.equal(
    [400, 404, 401, 429, 500, 503, 0].filter((status) => isFinal(new ApiFailure(status, 'no'))),
    [400, 404],
  );
  assert.not(isFinal(new TypeError('no network')));
});

test('what is not there any more is left out, and everything else fails', async () => {
  assert.is(await ifPresent(Promise.resolve(7)), 7);
  assert.is(await ifPresent(Promise.reject(new ApiFailure(404, 'gone'))), undefined);
  const failure = new ApiFailure(503, 'busy');
  const caught = await ifPresent(Promise.reject(failure)).catch((one: unknown) => one);
  assert.is(caught, failure);
});

test.run();
