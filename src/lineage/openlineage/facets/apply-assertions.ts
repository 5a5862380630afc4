import type { JsonObject } from '../../../model/json.ts';
import { joinFqn } from '../../../model/name.ts';
import { cleanTestName } from '../../../model/test-name.ts';
import { findOrCreate } from '../create-records.ts';
import type { FacetBag } from '../event.ts';
import { applyOrReport } from './facet-report.ts';
import type { FacetRoom, FacetTarget, FacetTestRun } from './facet-room.ts';
import { type Facet, readFacet } from './facet-shapes.ts';

/** Makes test cases and results of the assertions that producers checked. */

type Assertion = Facet<'dataQualityAssertions'>['assertions'][number];

/** Built-in definitions without parameters that mean the same as an assertion of a column. */
const COLUMN_DEFINITIONS: Readonly<Record<string, string>> = {
  not_null: 'columnValuesToBeNotNull',
  unique: 'columnValuesToBeUnique',
  expect_column_values_to_not_be_null: 'columnValuesToBeNotNull',
  expect_column_values_to_be_unique: 'columnValuesToBeUnique',
};

/** The definitions of all other assertions, which their producers check by rules of their own. */
const GENERAL: Readonly<Record<'TABLE' | 'COLUMN', JsonObject>> = {
  COLUMN: {
    name: 'openLineageColumnAssertion',
    displayName: 'Column assertion of a pipeline',
    description: 'A check of a column that a pipeline made by a rule of its own and reported with its run.',
    entityType: 'COLUMN',
    testPlatforms: ['Other'],
  },
  TABLE: {
    name: 'openLineageTableAssertion',
    displayName: 'Table assertion of a pipeline',
    description: 'A check of a table that a pipeline made by a rule of its own and reported with its run.',
    entityType: 'TABLE',
    testPlatforms: ['Other'],
  },
};

const definitionFor = async (room: FacetRoom, { assertion, column }: Assertion): Promise<string> => {
  const known = column === undefined ? undefined : COLUMN_DEFINITIONS[assertion];
  if (known !== undefined) return known;
  const body = GENERAL[column === undefined ? 'TABLE' : 'COLUMN'];
  const name = String(body['name']);
  await findOrCreate(room, { type: 'testDefinition', fqn: name, body: async () => body });
  return name;
};

/** The result says in words and in values what was expected and found, and how severe it is that it does not hold. */
const toRun = ({ success, severity, expected, actual }: Assertion, timestamp: number): FacetTestRun => {
  const values = Object.entries({ severity, expected, actual }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  const words = values.map(({ name, value }) => `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${value}.`);
  return {
    timestamp,
    testCaseStatus: success ? 'Success' : 'Failed',
    result: [success ? 'The assertion holds.' : 'The assertion does not hold.', ...words].join(' '),
    ...(values.length === 0 ? {} : { testResultValue: values }),
  };
};

/** One assertion per name and column; of several, one that does not hold counts. */
const distinctAssertions = (assertions: readonly Assertion[]): readonly Assertion[] => {
  const distinct = new Map<string, Assertion>();
  for (const one of assertions) {
    const key = JSON.stringify([testNameOf(one), one.column?.toLowerCase()]);
    if (distinct.get(key)?.success !== false) distinct.set(key, one);
  }
  return [...distinct.values()];
};

const testNameOf = ({ name, assertion }: Assertion): string =>
  cleanTestName(name === undefined || name === '' ? assertion : name);

/** The column of a table by the name that an event has for it, in the table's spelling. */
export type FindColumn = (name: string) => string | undefined;

const applyAssertion = async (
  { room, endpoint }: FacetTarget,
  assertion: Assertion,
  column: string | undefined,
  timestamp: number,
): Promise<void> => {
  const table = endpoint.fullyQualifiedName;
  const name = testNameOf(assertion);
  const fqn = joinFqn(column === undefined ? table : joinFqn(table, column), name);
  const body = async () => ({
    name,
    testDefinition: await definitionFor(room, assertion),
    entityLink: `<#E::table::${table}${column === undefined ? '' : `::columns::${column}`}>`,
    ...(assertion.description === undefined ? {} : { description: assertion.description }),
  });
  await findOrCreate(room, { type: 'testCase', fqn, body });
  await room.stores.storeTestRun(room.principal, fqn, toRun(assertion, timestamp));
};

/** Stores the assertions of a facet as results of tests, which are created where they are missing. */
export const applyAssertions = async (
  target: FacetTarget,
  bag: FacetBag,
  timestamp: number,
  findColumn: FindColumn,
): Promise<void> => {
  const { report, subject, endpoint } = target;
  const facet = 'dataQualityAssertions';
  const assertions = readFacet(bag, facet, subject, report)?.assertions ?? [];
  if (assertions.length === 0) return;
  if (endpoint.kind.entityType !== 'table') return report.add(subject, facet, 'only tables have tests');
  if (assertions.some(({ content, params }) => content !== undefined || params !== undefined))
    report.add(subject, facet, 'the content and parameters of assertions are not kept');
  for (const assertion of distinctAssertions(assertions)) {
    const { column: told = '' } = assertion;
    const column = told === '' ? undefined : findColumn(told);
    if (told !== '' && column === undefined) {
      report.add(subject, facet, `no column ${told}`);
      continue;
    }
    await applyOrReport(report, subject, facet, () => applyAssertion(target, assertion, column, timestamp));
  }
};
