import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import type { BoundStatement } from '../../src/graph/statement.ts';
import { waitFor } from '../support/patience.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that an abandoned read ends in the database. */

const test = suite('graph: reads');

let service: Service;

test.before(async () => {
  service = await openService();
});

/** A statement that keeps the server busy for longer than any test takes, and can be told from all others. */
const endless = (): { readonly mark: string; readonly statement: BoundStatement<object, { count: number }> } => {
  const mark = uniqueName('endless');
  const text = `UNWIND range(1, 4000000000) AS ${mark} WITH ${mark} WHERE ${mark} % 7 = 8 RETURN count(*) AS count`;
  return { mark, statement: { name: mark, text, checkParams: () => {}, checkColumns: () => {} } };
};

const running = async (mark: string): Promise<number> => {
  const rows = await service.graph.query('SHOW TRANSACTIONS YIELD currentQuery RETURN currentQuery AS text');
  return rows.filter(({ text }) => String(text).includes(mark)).length;
};

const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (failure) {
    return failure;
  }
  throw new Error('it did not fail');
};

test('a statement ends in the database when its caller is gone', async () => {
  const { mark, statement } = endless();
  const caller = new AbortController();
  const failing = failureOf(service.graph.read(statement, {}, { signal: caller.signal }));
  await waitFor(
    () => running(mark),
    (count) => count === 1,
    'the statement runs',
    { pauseMs: 50 },
  );
  const stopped = performance.now();
  caller.abort();
  const failure = await failing;
  assert.ok(failure instanceof CatalogError, String(failure));
  assert.is(failure.code, 'unavailable');
  await waitFor(
    () => running(mark),
    (count) => count === 0,
    'the statement has ended',
    { pauseMs: 50 },
  );
  assert.ok(performance.now() - stopped < 10_000, 'it ends long before its time is over');
});

test('a read with an aborted signal does not start', async () => {
  const { mark, statement } = endless();
  const failure = await failureOf(service.graph.read(statement, {}, { signal: AbortSignal.abort() }));
  assert.ok(failure instanceof CatalogError);
  assert.is(await running(mark), 0);
});

test('a signal that is not aborted changes nothing', async () => {
  const { signal } = new AbortController();
  const one: BoundStatement<object, { one: number }> = {
    name: 'one',
    text: 'RETURN 1 AS one',
    checkParams: () => {},
    checkColumns: () => {},
  };
  assert.equal(await service.graph.read(one, {}, { signal }), [{ one: 1 }]);
});

test.run();
