import { ancestor, empty, property, relation, rows, walked } from '../model/attribute.ts';
import type { JsonObject } from '../model/json.ts';
import { BASE_BLOCK, below, defineKind, without } from '../model/kind.ts';
import { normaliseFqn, singlePartFqn } from '../model/name.ts';
import { ResultSummaries, summarise, TestSummary, totalOf } from '../model/test-values.ts';
import { Flag, Fqn, listOf, Ref, Text } from '../model/values.ts';

const LEAF = 'testSuite';

/** Names below a table end alike; every other suite has a name of one part, however it is written. */
const lookup = (text: string): string => (text.endsWith(`.${LEAF}`) ? normaliseFqn(text) : singlePartFqn(text));

const removedElsewhere = ({ basic, isContracts }: JsonObject): string | undefined => {
  if (basic === true) return 'A basic test suite is deleted by the operation for basic test suites';
  return isContracts === true ? 'The test suite of a data contract goes with what the contract expects' : undefined;
};

/** Tests that are looked at together: all tests of a table, or those that somebody has chosen. */
export const testSuite = defineKind({
  entityType: 'testSuite',
  label: 'TestSuite',
  path: 'dataQuality/testSuites',
  title: 'Test suites',
  parents: [
    below('basicEntityReference', 'table', { required: false, unoffered: true, leaf: LEAF }),
    below('contract', 'dataContract', { required: false, unoffered: true, edge: 'PARENT_OF', apart: true }),
  ],
  lookup,
  create: ['name', 'displayName', 'description', 'owners', 'tags', 'domains'],
  base: without(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
  gated: ['owners', 'tags', 'domains'],
  attributes: {
    serviceType: property(Text, { request: false, readOnly: true, fallback: 'TestSuite' }),
    basic: property(Flag, { request: false, immutable: true, onAbsent: 'keep', fallback: false }),
    executable: property(Flag, {
      request: false,
      immutable: true,
      onAbsent: 'keep',
      fallback: false,
    }),
    basicEntityReference: ancestor('table'),
    executableEntityReference: ancestor('table'),
    tests: walked('quality/walk_tests'),
    pipelines: empty(listOf(Ref), []),
    summary: rows('quality/count_results', TestSummary, summarise, {
      visible: { statement: 'quality/count_results_visible', size: totalOf },
    }),
    testCaseResultSummary: rows('quality/list_latest', ResultSummaries, (found: readonly JsonObject[]) => found),
    dataContract: { ...walked('contract/walk_suite'), as: 'single' },
    isContracts: property(Flag, { request: false, immutable: true, onAbsent: 'keep', hidden: true }),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
  },
  // What a suite belongs to is said by the operation that makes it.
  ignored: { basicEntityReference: Fqn, executableEntityReference: Fqn, dataContract: Ref },
  removedElsewhere,
  search: { index: 'test_suite_search_index', aliases: ['all'], tells: ['summary'] },
  filters: {
    testSuiteType: {
      by: 'word',
      property: 'basic',
      words: { executable: true, basic: true, logical: false },
      lenient: true,
    },
    includeEmptyTestSuites: { by: 'filled' },
  },
});
