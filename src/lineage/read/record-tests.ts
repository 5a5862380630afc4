import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { canSeeEverything } from '../../catalog/read/facts.ts';
import { chunk } from '../../model/chunk.ts';
import type { TestStatus } from '../../model/schemas/quality/test-case.ts';
import { readNodeVisibility } from '../node-visibility.ts';
import { listRecordTests } from '../queries.ts';

/** A test of a record or of one of its columns. */
export type TestNode = RefNode & { readonly columnName: string | null; readonly status: TestStatus | null };

/** Tests by the ID of their record. */
export type TestsByRecord = ReadonlyMap<string, readonly TestNode[]>;

/** The maximum number of tests read per record. */
const MAX_TESTS_PER_RECORD = 1000;
const BATCH_SIZE = 1000;

/**
 * Reads the tests of some records that the caller may see, optionally only those whose latest result has a given
 * status.
 */
export const readVisibleTests = async (
  engine: Engine,
  principal: Principal,
  ids: readonly string[],
  status?: TestStatus,
): Promise<TestsByRecord> => {
  const found = new Map<string, readonly TestNode[]>();
  for (const some of chunk(ids, BATCH_SIZE)) {
    const rows = await engine.graph.read(listRecordTests, {
      ids: some,
      status: status ?? null,
      limit: MAX_TESTS_PER_RECORD,
    });
    for (const { id, tests } of rows) if (tests.length > 0) found.set(id, tests);
  }
  if (found.size === 0) return found;
  const sees = await readNodeVisibility(engine, principal, [...found.values()].flat());
  const seen = [...found].map(([id, tests]) => [id, tests.filter((test) => sees(test.id))] as const);
  return new Map(seen.filter(([, tests]) => tests.length > 0));
};

/** Returns the test status of records. Callers who may see all tests get the known statuses without another query. */
export const readTestStatuses = async (
  engine: Engine,
  principal: Principal,
  known: ReadonlyMap<string, TestStatus>,
): Promise<ReadonlyMap<string, TestStatus>> => {
  if (known.size === 0 || canSeeEverything(engine, principal)) return known;
  const seen = await readVisibleTests(engine, principal, [...known.keys()]);
  return new Map(
    [...seen].flatMap(([id, tests]) => {
      const worst = worstStatusOf(tests);
      return worst ? [[id, worst] as const] : [];
    }),
  );
};

/** Test statuses, worst first. */
const WORST_FIRST: readonly TestStatus[] = ['Failed', 'Aborted', 'Queued', 'Success'];

/** Returns the worst latest status among the tests of a record, or undefined when none has run. */
export const worstStatusOf = (tests: readonly TestNode[]): TestStatus | undefined => {
  const statuses = new Set(tests.map(({ status }) => status));
  return WORST_FIRST.find((status) => statuses.has(status));
};
