import type { JsonObject } from '../../src/model/json.ts';
import { ok } from './expect.ts';
import { type CreatedRecord, createSamples, type Samples } from './samples.ts';
import { type Reply, type Service, uniqueName } from './service.ts';

/** Creates data quality tests, suites and definitions for tests. */

export const CASES = '/v1/dataQuality/testCases';
export const SUITES = '/v1/dataQuality/testSuites';
export const DEFINITIONS = '/v1/dataQuality/testDefinitions';

export const entityLinkOf = (table: Pick<CreatedRecord, 'fullyQualifiedName'>, column?: string): string =>
  `<#E::table::${table.fullyQualifiedName}${column === undefined ? '' : `::columns::${column}`}>`;

/** Tables and tests of them, for the tests of quality. */
export type QualityTests = {
  readonly samples: Samples;
  table(columns?: readonly JsonObject[], more?: JsonObject): Promise<CreatedRecord>;
  /** The body of a test that a value of the column may not be missing, or that the table has one row. */
  body(table: CreatedRecord, column?: string, more?: JsonObject): JsonObject;
  // biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it.
  test(table: CreatedRecord, column?: string, more?: JsonObject): Promise<any>;
  post(body: JsonObject): Promise<Reply>;
};

const COLUMNS: readonly JsonObject[] = [
  { name: 'id', dataType: 'INT' },
  { name: 'amount', dataType: 'DOUBLE' },
  { name: 'address', dataType: 'STRUCT', children: [{ name: 'city', dataType: 'STRING' }] },
];

export const createQualityTests = (service: Service): QualityTests => {
  const samples = createSamples(service);
  const body: QualityTests['body'] = (table, column, more = {}) => ({
    name: uniqueName('check'),
    entityLink: entityLinkOf(table, column),
    ...(column === undefined
      ? { testDefinition: 'tableRowCountToEqual', parameterValues: [{ name: 'value', value: '1' }] }
      : { testDefinition: 'columnValuesToBeNotNull' }),
    ...more,
  });
  return {
    samples,
    table: (columns = COLUMNS, more = {}) => samples.create('table', { columns, ...more }),
    body,
    test: async (table, column, more) => ok(await service.admin.post(CASES, body(table, column, more)), 201),
    post: (asked) => service.admin.post(CASES, asked),
  };
};
