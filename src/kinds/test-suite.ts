import type { JsonObject } from '../model/json.ts';
import { ancestor, computedRefs, computedRows, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, childOf, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { normaliseFqn, singlePartFqn } from '../model/name.ts';
import { ResultSummaries, summariseTests, TestSummary, testTotalOf } from '../model/schemas/quality/test-case.ts';
import { Flag, Fqn, Ref, Text } from '../model/values.ts';

const SUITE_NAME_PART = 'testSuite';

/** FQNs of suites of a table have a fixed last part. Every other suite has an FQN of one part, in any spelling. */
const lookup = (text: string): string =>
  text.endsWith(`.${SUITE_NAME_PART}`) ? normaliseFqn(text) : singlePartFqn(text);

const removedElsewhere = ({ basic, isContracts }: JsonObject): string | undefined => {
  if (basic === true) return 'A basic test suite is deleted by the operation for basic test suites';
  return isContracts === true ? 'The test suite of a data contract goes with what the contract expects' : undefined;
};

/** A group of tests: all tests of a table, or a selection made by a user. */
export const testSuite = defineKind({
  entityType: 'testSuite',
  label: 'TestSuite',
  path: 'dataQuality/testSuites',
  title: 'Test suites',
  parents: [
    childOf('basicEntityReference', 'table', { required: false, setByOperation: true, leaf: SUITE_NAME_PART }),
    childOf('contract', 'dataContract', { required: false, setByOperation: true, edge: 'PARENT_OF', isFqnRoot: true }),
  ],
  isAbout: ['table', 'dataContract'],
  normaliseLookup: lookup,
  create: ['name', 'displayName', 'description', 'owners', 'tags', 'domains'],
  base: withoutMembers(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
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
    tests: computedRefs('quality/walk_tests'),
    pipelines: computedRefs('pipelines/walk_ingestion'),
    summary: computedRows('quality/count_suite_results', TestSummary, summariseTests, {
      visible: { statement: 'quality/count_results_visible', size: testTotalOf },
    }),
    testCaseResultSummary: computedRows(
      'quality/list_suite_results',
      ResultSummaries,
      (found: readonly JsonObject[]) => found,
    ),
    dataContract: { ...computedRefs('contracts/walk_suite_contract'), as: 'single' },
    isContracts: property(Flag, { request: false, immutable: true, onAbsent: 'keep', hidden: true }),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
  },
  // The operation that creates a suite defines what it belongs to.
  ignored: { basicEntityReference: Fqn, executableEntityReference: Fqn, dataContract: Ref },
  search: { index: 'test_suite_search_index', aliases: ['all'], includedMembers: ['summary'] },
  filters: {
    testSuiteType: {
      by: 'word',
      property: 'basic',
      words: { executable: true, basic: true, logical: false },
      lenient: true,
    },
    includeEmptyTestSuites: { by: 'filled' },
  },
  special: {
    undeletableReason: removedElsewhere,
  },
});
