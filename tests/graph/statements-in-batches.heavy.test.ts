import neo4j, { type Driver } from 'neo4j-driver';
import * as assert from 'uvu/assert';
import '../../src/catalog/read/facts-queries.ts';
import { declaredStatements } from '../../src/graph/statement.ts';
import { openService } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that the server plans a statement once for batches of all sizes. Whoever counts plans clears the caches of the server,
 * so that all that comes later on it is planned again.
 */

const test = suite('graph: statements in batches');

let driver: Driver;

const run = async (text: string, params: Record<string, unknown> = {}) => {
  const session = driver.session();
  try {
    return await session.run(text, params);
  } finally {
    await session.close();
  }
};

test.before(async () => {
  await openService();
  driver = neo4j.driver(
    process.env['TEST_NEO4J_URI'] ?? '',
    neo4j.auth.basic(process.env['TEST_NEO4J_USER'] ?? '', process.env['TEST_NEO4J_PASSWORD'] ?? ''),
    { disableLosslessIntegers: true },
  );
});

test.after(() => driver.close());

/** How many queries the server had planned since its caches were last cleared, by what it says when it clears them. */
const clearPlans = async (): Promise<number> => {
  const { records } = await run('CALL db.clearQueryCaches()');
  const said = String(records[0]?.get('value'));
  return Number(/\d+/.exec(said)?.[0]);
};

const planOnce = 'a batch of another size is not planned anew';
if (process.env['NEO4J_URI']) {
  test.skipped(planOnce, 'how the server of NEO4J_URI plans is a matter of its own settings');
} else {
  test(planOnce, async () => {
    const text = declaredStatements().get('catalog/record/read_own_facts')?.text ?? '';
    // Texts of their own make the count much larger than what the service sends meanwhile.
    const copies = Array.from({ length: 10 }, (_, at) => `\n// ${at}`);
    const plansFor = async (query: string, params: readonly Record<string, unknown>[]): Promise<number> => {
      await clearPlans();
      for (const copy of copies) for (const each of params) await run(`${query}${copy}`, each);
      return clearPlans();
    };
    const row = { id: 'none', owners: false, domains: false, tags: false, certification: false };
    const rowsOf = (size: number) => ({ rows: Array.from({ length: size }, (_, at) => ({ ...row, at })) });
    const one = await plansFor(text, [rowsOf(1)]);
    assert.ok(one >= copies.length, `${one} plans for ${copies.length} texts`);
    const sizes = await plansFor(text, [1, 2, 11, 101].map(rowsOf));
    assert.ok(sizes < one + copies.length, `${one} plans for one size became ${sizes} for four`);
    // Parameters of another type are planned anew, and that is counted.
    const types = await plansFor('RETURN $value AS value', [{ value: 1 }, { value: 'x' }, { value: true }]);
    assert.ok(types >= 3 * copies.length, `${types} plans for three types`);
  });
}

test.run();
