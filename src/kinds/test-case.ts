import type { JsonObject } from '../model/json.ts';
import { computedRefs, empty, nested, property, relation } from '../model/kind/attribute.ts';
import { BASE_BLOCK, defineKind, withoutMembers } from '../model/kind/kind.ts';
import { parseEntityLink } from '../model/language/entity-link.ts';
import { parentFqn } from '../model/name.ts';
import { anyOfOperations } from '../model/schemas/access/policy.ts';
import { sampleMasksMember, TableData } from '../model/schemas/profiler/sample-data.ts';
import { ParameterValues, TEST_STATUSES, TestCaseNames, TestCaseResult } from '../model/schemas/quality/test-case.ts';
import { checkTestName, normaliseTestFilters } from '../model/schemas/quality/test-rules.ts';
import { bounded, ENTITY_STATUSES, Flag, Markdown, oneOf, Text } from '../model/values.ts';

/**
 * Members derived from the test's target or from its results. No request sets them, and a patch that changes one is
 * refused.
 */
const FIXED = { request: false, immutable: true, onAbsent: 'keep' } as const;

const COMPUTED = { request: false, readOnly: true, versioned: false } as const;

/** Answers the FQN of the table that a test is about, also for a test of a column. */
const testedEntityFqn = ({ entityLink }: JsonObject): string => parseEntityLink(String(entityLink)).fqn;

const createMissingSuite = (fqn: string) => ({
  name: fqn,
  values: { basic: true, executable: true } satisfies JsonObject,
  parents: { basicEntityReference: { type: 'table', fqn: parentFqn(fqn) ?? '' } },
});

export const testCase = defineKind({
  entityType: 'testCase',
  label: 'TestCase',
  path: 'dataQuality/testCases',
  title: 'Test cases',
  parents: [
    {
      field: 'testSuite',
      kind: 'testSuite',
      edge: 'PARENT_OF',
      required: false,
      namedBy: 'fqn',
      createMissing: createMissingSuite,
    },
    { field: 'table', kind: 'table', edge: 'CONTAINS', required: true, namedBy: 'fqn', setByOperation: true },
  ],
  scopeDepth: 4,
  isAbout: ['table'],
  create: ['name', 'displayName', 'description', 'owners', 'tags'],
  base: withoutMembers(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
  gated: ['owners', 'followers', 'tags', 'domains', 'dataProducts'],
  attributes: {
    testDefinition: relation({
      edge: 'DEFINED_BY',
      direction: 'out',
      kinds: ['testDefinition'],
      many: false,
      request: 'fqn',
      required: true,
      gated: false,
      shownWhenHidden: true,
    }),
    testSuite: relation({
      edge: 'PARENT_OF',
      direction: 'in',
      kinds: ['testSuite'],
      many: false,
      gated: false,
      shownWhenHidden: true,
    }),
    testSuites: { ...computedRefs('quality/walk_suites'), as: 'record' },
    entityLink: property(Text, { required: true, immutable: true }),
    entityFQN: property(Text, FIXED),
    // List filters use these members.
    columnName: property(Text, { ...FIXED, hidden: true }),
    target: property(oneOf(['table', 'column']), { ...FIXED, hidden: true }),
    parameterValues: nested(ParameterValues, { list: 'name', fallback: [] }),
    testCaseStatus: property(oneOf(TEST_STATUSES), COMPUTED),
    testCaseResult: nested(TestCaseResult, COMPUTED),
    incidentId: property(Text, { ...COMPUTED, gated: true }),
    incidentStatus: empty(Text, undefined),
    createdBy: property(Text, FIXED),
    computePassedFailedRowCount: property(Flag, { fallback: false }),
    useDynamicAssertion: property(Flag, { fallback: false }),
    dimensionColumns: property(TestCaseNames, { list: 'value', fallback: [] }),
    topDimensions: property(bounded(1, 50), { fallback: 5 }),
    autoCloseIncident: property(Flag, { request: false, onAbsent: 'keep' }),
    entityStatus: property(oneOf(ENTITY_STATUSES), { request: false, onAbsent: 'keep', fallback: 'Approved' }),
    inspectionQuery: property(Markdown, { request: false, onAbsent: 'keep' }),
    failedRowsSample: nested(TableData, { ...COMPUTED, hidden: true, gated: true }),
    failedRowsMasks: sampleMasksMember,
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
  },
  initialValues: (_related, by) => ({ createdBy: by }),
  search: {
    index: 'test_case_search_index',
    aliases: ['all', 'testSuite'],
    includedMembers: ['testSuites'],
    derivedNames: { originEntityFQN: testedEntityFqn },
  },
  bodyRules: [checkTestName],
  normaliseFilters: normaliseTestFilters,
  filters: {
    entityLink: { by: 'ignored', text: 'Entity link of the table or column whose test cases are returned' },
    entityFQN: { by: 'name', property: 'entityFQN' },
    includeAllTests: {
      by: 'scope',
      flag: 'Whether to include the test cases of descendants: for a table, those of its columns',
    },
    columnName: { by: 'value', property: 'columnName' },
    testSuiteId: { by: 'edge', edge: 'HAS_TEST', from: 'testSuite' },
    testCaseStatus: { by: 'value', property: 'testCaseStatus', values: TEST_STATUSES },
    testCaseType: {
      by: 'word',
      property: 'target',
      words: { column: 'column', table: 'table', all: undefined },
    },
    createdBy: { by: 'value', property: 'createdBy' },
  },
  special: {
    // The FQN of a test continues that of its table or column. The suite is no part of it.
    namedBelow: ({ entityFQN }) => entityFQN as string | undefined,
    inherits: { tags: 'quality/walk_labels', followers: 'quality/walk_followers' },
    alsoCreatedBy: { kind: 'table', operation: anyOfOperations('EditTests', 'CreateTests') },
  },
});
