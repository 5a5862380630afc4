import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import { hasTimedOut } from '../../src/graph/database-failure.ts';
import { buildJavaArguments, formatServerSettings } from '../../src/graph/embedded/settings.ts';
import { createEndlessStatement, openPatientGraph, waitForRunning } from '../support/endless-statement.ts';
import { suite } from '../support/suite.ts';

/** Shows that long statements and large stores stay within their limits. */

const test = suite('graph: limits');

const graph = openPatientGraph(500);

const isUnavailable = (failure: unknown): boolean => failure instanceof CatalogError && failure.code === 'unavailable';

test('a statement that takes too long is ended by the database and may be repeated', async () => {
  const { mark, statement } = createEndlessStatement();
  for (const work of [
    () => graph.read(statement, {}),
    () => graph.write((transaction) => transaction.run(statement, {})),
  ]) {
    try {
      await work();
      assert.unreachable();
    } catch (failure) {
      assert.ok(isUnavailable(failure), String(failure));
      assert.ok(hasTimedOut(failure), 'the database itself says that its time was over');
    }
  }
  await waitForRunning(graph, mark, 0);
});

test('the embedded server has the configured size', () => {
  const options = { jars: 'jars', home: 'home', mainClass: 'Main', flags: [], marks: {} };
  assert.ok(buildJavaArguments({ ...options, heap: '768m' }).includes('-Xmx768m'));
  assert.match(formatServerSettings(7687, '96m'), /^server\.memory\.pagecache\.size=96m$/m);
  assert.match(formatServerSettings(7687, '96m'), /^server\.bolt\.listen_address=127\.0\.0\.1:7687$/m);
  assert.match(formatServerSettings(7687, '96m'), /^dbms\.security\.auth_enabled=true$/m);
});

test.after(() => graph.close());

test.run();
