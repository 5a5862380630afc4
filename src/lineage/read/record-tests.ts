import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { canSeeEverything } from '../../catalog/read/facts.ts';
import { chunk } from '../../model/chunk.ts';
import type { TestStatus } from '../../model/schemas/quality/test-case.ts';
import { readNodeVisibility } from '../node-visibility.ts';
import { listRecordTests } from '../queries.ts';

/** A test of a record, or of the column that it names. */
export type TestNode = RefNode & { readonly columnName: string | null; readonly status: TestStatus | null };

/** The tests of records, by the ids of those that have any. */
export type TestsByRecord = ReadonlyMap<string, readonly TestNode[]>;

/** So many tests are looked at of one record. */
const MAX_TESTS_PER_RECORD = 1000;
const BATCH_SIZE = 1000;

/** The tests of some records that the caller may see; with a status, those whose latest result has it. */
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

/** The states of the tests of some records, of which it is known what all tests say: as far as the caller may see them. */
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

/** From what is worst to what is best. */
const WORST_FIRST: readonly TestStatus[] = ['Failed', 'Aborted', 'Queued', 'Success'];

/** How the tests of a record went last, all in all: as the worst of them. Nothing when none has run. */
const worstStatusOf = (tests: readonly TestNode[]): TestStatus | undefined => {
  const statuses = new Set(tests.map(({ status }) => status));
  return WORST_FIRST.find((status) => statuses.has(status));
};
