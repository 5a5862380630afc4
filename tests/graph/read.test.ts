import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import type { BoundStatement } from '../../src/graph/statement.ts';
import {
  countRunning,
  createEndlessStatement,
  openPatientGraph,
  waitForRunning,
} from '../support/endless-statement.ts';
import { suite } from '../support/suite.ts';

/** Shows that an abandoned read ends in the database. */

const test = suite('graph: reads');

const graph = openPatientGraph();
test.after(() => graph.close());

const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (failure) {
    return failure;
  }
  throw new Error('it did not fail');
};

test('a statement ends in the database when its caller is gone', async () => {
  const { mark, statement } = createEndlessStatement();
  const caller = new AbortController();
  const failing = failureOf(graph.read(statement, {}, { signal: caller.signal }));
  await waitForRunning(graph, mark, 1);
  caller.abort();
  // Its own time is over only long after this wait.
  await waitForRunning(graph, mark, 0);
  const failure = await failing;
  assert.ok(failure instanceof CatalogError, String(failure));
  assert.is(failure.code, 'unavailable');
});

test('a read with an aborted signal does not start', async () => {
  const { mark, statement } = createEndlessStatement();
  const failure = await failureOf(graph.read(statement, {}, { signal: AbortSignal.abort() }));
  assert.ok(failure instanceof CatalogError);
  assert.is(await countRunning(graph, mark), 0);
});

test('a signal that is not aborted changes nothing', async () => {
  const { signal } = new AbortController();
  const one: BoundStatement<object, { one: number }> = {
    name: 'one',
    text: 'RETURN 1 AS one',
    checkParams: () => {},
    checkColumns: () => {},
  };
  assert.equal(await graph.read(one, {}, { signal }), [{ one: 1 }]);
});

test.run();
