import { empty, nested, property, relation, walked } from '../model/attribute.ts';
import { parseEntityLink } from '../model/entity-link.ts';
import type { JsonObject } from '../model/json.ts';
import { BASE_BLOCK, defineKind, without } from '../model/kind.ts';
import { parentFqn } from '../model/name.ts';
import { either } from '../model/policy-values.ts';
import { TableData } from '../model/sample-values.ts';
import { checkTestName, readTestFilters } from '../model/test-rules.ts';
import { Names, ParameterValues, TEST_STATUSES, TestCaseResult } from '../model/test-values.ts';
import { bounded, ENTITY_STATUSES, Flag, Markdown, oneOf, Text } from '../model/values.ts';

/** What follows from the place of a test or from its runs: no request sets it, and a patch that changes it is refused. */
const fixed = { request: false, immutable: true, onAbsent: 'keep' } as const;

const shown = { request: false, readOnly: true, versioned: false } as const;

/** The table that a test is about, also when it tests a column of it. */
const originOf = ({ entityLink }: JsonObject): string => parseEntityLink(String(entityLink)).fqn;

const foundSuite = (fqn: string) => ({
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
      by: 'fqn',
      founding: foundSuite,
    },
    { field: 'table', kind: 'table', edge: 'CONTAINS', required: true, by: 'fqn', unoffered: true },
  ],
  // The suite has no part in the name: that follows the table, or the column.
  namedBelow: ({ entityFQN }) => entityFQN as string | undefined,
  inherits: { tags: 'quality/walk_labels', followers: 'quality/walk_followers' },
  alsoCreatedBy: { kind: 'table', operation: either('EditTests', 'CreateTests') },
  scopeDepth: 4,
  create: ['name', 'displayName', 'description', 'owners', 'tags'],
  base: without(BASE_BLOCK, 'entityStatus', 'sourceUrl'),
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
      evenHidden: true,
    }),
    testSuite: relation({
      edge: 'PARENT_OF',
      direction: 'in',
      kinds: ['testSuite'],
      many: false,
      gated: false,
      evenHidden: true,
    }),
    testSuites: { ...walked('quality/walk_suites'), as: 'record' },
    entityLink: property(Text, { required: true, immutable: true }),
    entityFQN: property(Text, fixed),
    // What lists are narrowed by.
    columnName: property(Text, { ...fixed, hidden: true }),
    target: property(oneOf(['table', 'column']), { ...fixed, hidden: true }),
    parameterValues: nested(ParameterValues, { list: 'name', fallback: [] }),
    testCaseStatus: property(oneOf(TEST_STATUSES), shown),
    testCaseResult: nested(TestCaseResult, shown),
    incidentId: property(Text, { ...shown, gated: true }),
    incidentStatus: empty(Text, undefined),
    createdBy: property(Text, fixed),
    computePassedFailedRowCount: property(Flag, { fallback: false }),
    useDynamicAssertion: property(Flag, { fallback: false }),
    dimensionColumns: property(Names, { list: 'value', fallback: [] }),
    topDimensions: property(bounded(1, 50), { fallback: 5 }),
    autoCloseIncident: property(Flag, { request: false, onAbsent: 'keep' }),
    entityStatus: property(oneOf(ENTITY_STATUSES), { request: false, onAbsent: 'keep', fallback: 'Approved' }),
    inspectionQuery: property(Markdown, { request: false, onAbsent: 'keep' }),
    failedRowsSample: nested(TableData, { ...shown, hidden: true, gated: true }),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
  },
  initial: (_related, by) => ({ createdBy: by }),
  search: {
    index: 'test_case_search_index',
    aliases: ['all', 'testSuite'],
    tells: ['testSuites'],
    derives: { originEntityFQN: originOf },
  },
  bodyRules: [checkTestName],
  readFilters: readTestFilters,
  filters: {
    entityLink: { by: 'ignored', text: 'Only tests of the table or column that this entity link points at' },
    entityFQN: { by: 'name', property: 'entityFQN' },
    includeAllTests: { by: 'scope', flag: 'Also the tests of everything below: of a table those of its columns' },
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
});
