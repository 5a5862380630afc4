import { empty, nested, property, relation, walked } from '../model/attribute.ts';
import { parseEntityLink } from '../model/entity-link.ts';
import type { JsonObject } from '../model/json.ts';
import { BASE_BLOCK, defineKind, without } from '../model/kind.ts';
import { parentFqn } from '../model/name.ts';
import { either } from '../model/policy-values.ts';
import { TableData } from '../model/sample-values.ts';
import { Names, ParameterValues, TEST_STATUSES, TestCaseResult } from '../model/test-values.ts';
import { bounded, ENTITY_STATUSES, Flag, Markdown, oneOf, Text } from '../model/values.ts';

/** What follows from the place of a test or from its runs: no request sets it, and a patch that changes it is refused. */
const fixed = { request: false, immutable: true, onAbsent: 'keep' } as const;

const shown = { request: false, readOnly: true, versioned: false } as const;

/** The column or table that a list of tests is asked for by its link, by its name, or with everything below it. */
const readFilters = (query: URLSearchParams): URLSearchParams => {
  const asked = new URLSearchParams(query);
  const link = query.get('entityLink');
  if (link) {
    const { fqn, field, item } = parseEntityLink(link);
    asked.set('entityFQN', field === 'columns' && item !== undefined ? `${fqn}.${item}` : fqn);
  }
  const target = asked.get('entityFQN');
  if (target && query.get('includeAllTests')?.toLowerCase() === 'true') {
    asked.delete('entityFQN');
    asked.set('includeAllTests', target);
  } else asked.delete('includeAllTests');
  return asked;
};

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
    }),
    testSuite: relation({ edge: 'PARENT_OF', direction: 'in', kinds: ['testSuite'], many: false, gated: false }),
    testSuites: { ...walked('quality/walk_suites'), as: 'record' },
    entityLink: property(Text, { required: true, immutable: true }),
    entityFQN: property(Text, fixed),
    // What lists are narrowed by.
    columnName: property(Text, { ...fixed, hidden: true }),
    target: property(oneOf(['table', 'column']), { ...fixed, hidden: true }),
    parameterValues: nested(ParameterValues, { list: 'name' }),
    testCaseStatus: property(oneOf(TEST_STATUSES), shown),
    testCaseResult: nested(TestCaseResult, shown),
    incidentId: property(Text, { ...shown, gated: true }),
    incidentStatus: empty(Text, undefined),
    createdBy: property(Text, fixed),
    computePassedFailedRowCount: property(Flag, { fallback: false }),
    useDynamicAssertion: property(Flag, { fallback: false }),
    dimensionColumns: property(Names, { list: 'value' }),
    topDimensions: property(bounded(1, 50), { fallback: 5 }),
    autoCloseIncident: property(Flag, { request: false, onAbsent: 'keep' }),
    entityStatus: property(oneOf(ENTITY_STATUSES), { request: false, onAbsent: 'keep', fallback: 'Approved' }),
    inspectionQuery: property(Markdown, { request: false, onAbsent: 'keep' }),
    failedRowsSample: nested(TableData, { ...shown, hidden: true, gated: true }),
    reviewers: relation({ edge: 'REVIEWS', direction: 'in', kinds: ['user', 'team'], request: 'ref' }),
  },
  initial: (_related, by) => ({ createdBy: by }),
  search: { index: 'test_case_search_index', aliases: ['all', 'testSuite'], tells: ['testSuites'] },
  readFilters,
  filters: {
    entityLink: { by: 'ignored' },
    entityFQN: { by: 'name', property: 'entityFQN' },
    includeAllTests: { by: 'scope' },
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
