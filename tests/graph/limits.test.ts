import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import { openGraph } from '../../src/graph/client.ts';
import { buildJavaArguments, formatServerSettings } from '../../src/graph/embedded/settings.ts';
import type { BoundStatement } from '../../src/graph/statement.ts';
import { suite } from '../support/suite.ts';

/** Shows that long statements and large stores stay within their limits. */

const test = suite('graph: limits');

type Nothing = Record<string, never>;

/** A statement that goes on for longer than anybody waits. */
const endless: BoundStatement<Nothing, { total: number }> = {
  name: 'endless',
  text: 'UNWIND range(1, 100000000000) AS number RETURN sum(number) AS total',
  checkParams: () => {},
  checkColumns: () => {},
};

const TIMEOUT_MS = 500;

const graph = openGraph({
  uri: process.env['TEST_NEO4J_URI'] ?? '',
  user: process.env['TEST_NEO4J_USER'] ?? '',
  password: process.env['TEST_NEO4J_PASSWORD'] ?? '',
  database: 'neo4j',
  transactionMs: TIMEOUT_MS,
});

const isUnavailable = (failure: unknown): boolean => failure instanceof CatalogError && failure.code === 'unavailable';

test('a statement that takes too long is ended by the database and may be repeated', async () => {
  for (const work of [
    () => graph.read(endless, {}),
    () => graph.write((transaction) => transaction.run(endless, {})),
  ]) {
    const begun = performance.now();
    try {
      await work();
      assert.unreachable();
    } catch (failure) {
      assert.ok(isUnavailable(failure), String(failure));
    }
    assert.ok(performance.now() - begun >= TIMEOUT_MS);
  }
  const running = await graph.query(
    "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery CONTAINS '100000000000) AS number' AND NOT currentQuery CONTAINS 'SHOW' RETURN currentQuery",
  );
  assert.equal(running, []);
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
