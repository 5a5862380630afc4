import * as v from 'valibot';
import { isObject, type Json, type JsonObject, member } from '../../json.ts';
import {
  AnyJson,
  defaulting,
  Flag,
  Integer,
  listOf,
  Markdown,
  must,
  Num,
  oneOf,
  shape,
  Text,
  Timestamp,
} from '../../values.ts';

/** The schemas of test cases and of their results. */

export const TEST_STATUSES = ['Success', 'Failed', 'Aborted', 'Queued'] as const;
export type TestStatus = (typeof TEST_STATUSES)[number];

export const TEST_PLATFORMS = ['OpenMetadata', 'GreatExpectations', 'dbt', 'Deequ', 'Soda', 'Other'] as const;
export const TEST_TARGETS = ['TABLE', 'COLUMN'] as const;

export const TEST_DIMENSIONS = [
  'Completeness',
  'Accuracy',
  'Consistency',
  'Validity',
  'Uniqueness',
  'Integrity',
  'SQL',
  'NoDimension',
] as const;

/** The type that the text of a parameter's value represents. */
export const PARAMETER_TYPES = [
  'NUMBER',
  'INT',
  'FLOAT',
  'DOUBLE',
  'DECIMAL',
  'TIMESTAMP',
  'TIME',
  'DATE',
  'DATETIME',
  'ARRAY',
  'MAP',
  'SET',
  'STRING',
  'BOOLEAN',
] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];

export const PARAMETER_RULES = ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN_OR_EQUALS', 'LESS_THAN_OR_EQUALS'] as const;
export type ParameterRule = (typeof PARAMETER_RULES)[number];

const ParameterDefinition = shape('TestCaseParameterDefinition', {
  name: must(Text),
  displayName: Text,
  dataType: oneOf(PARAMETER_TYPES),
  description: Markdown,
  required: defaulting(Flag, false),
  optionValues: defaulting(listOf(AnyJson, 1000), []),
  validationRule: shape('TestCaseParameterValidationRule', {
    parameterField: must(Text),
    rule: must(oneOf(PARAMETER_RULES)),
  }),
});

export const ParameterDefinitions = listOf(ParameterDefinition, 100);

/** A parameter as a test definition declares it. */
export type DeclaredTestParameter = {
  readonly name: string;
  readonly dataType?: ParameterType;
  readonly required?: boolean;
  readonly validationRule?: { readonly parameterField: string; readonly rule: ParameterRule };
};

export const ParameterValues = listOf(shape('TestCaseParameterValue', { name: must(Text), value: Text }), 100);

export type TestParameterValue = { readonly name: string; readonly value?: string };

/** The names of columns or values in a test, of limited number. */
export const TestCaseNames = listOf(Text, 1000);

const TestResultValues = listOf(shape('TestResultValue', { name: Text, value: Text, predictedValue: Text }), 1000);

const RESULT_MEMBERS = {
  timestamp: must(v.pipe(Timestamp, v.maxValue(9_999_999_999_999, 'must be a time in milliseconds'))),
  testCaseStatus: must(oneOf(TEST_STATUSES)),
  result: Markdown,
  sampleData: Markdown,
  testResultValue: TestResultValues,
  passedRows: Integer,
  failedRows: Integer,
  passedRowsPercentage: Num,
  failedRowsPercentage: Num,
  minBound: Num,
  maxBound: Num,
  incidentId: Text,
  dimensionResults: listOf(AnyJson, 1000),
};

/** Members derived from the URL or from stored data, so those in a request are ignored. */
const IGNORED_RESULT_MEMBERS = {
  id: Text,
  testCaseFQN: Text,
  fqn: Text,
  testCase: AnyJson,
  testDefinition: AnyJson,
};

/** The result of one run of a test in a request. */
export const TestCaseResultInput = shape('CreateTestCaseResult', { ...RESULT_MEMBERS, ...IGNORED_RESULT_MEMBERS });

/** A result among many, which says whose it is. */
export const TestCaseResultRow = shape('TestCaseResultRow', {
  ...RESULT_MEMBERS,
  ...IGNORED_RESULT_MEMBERS,
  testCaseFQN: must(Text),
});

/** The result of one run of a test, as it is stored and returned. */
export const TestCaseResult = shape('TestCaseResult', { id: Text, testCaseFQN: Text, ...RESULT_MEMBERS });

export type StoredTestResult = JsonObject & {
  readonly id: string;
  readonly timestamp: number;
  readonly testCaseStatus: TestStatus;
};

export type TestResult = StoredTestResult & { readonly testCaseFQN: string };

const STATUS_COUNTS = { success: Integer, failed: Integer, aborted: Integer, queued: Integer, total: Integer };

/** The latest results of many tests, counted by status. */
export const TestSummary = shape('TestSummary', {
  ...STATUS_COUNTS,
  columnTestSummary: listOf(shape('ColumnTestSummary', { ...STATUS_COUNTS, entityLink: Text }), 100_000),
});

/** How many tests on one target have the same latest status; null when there is no result yet. */
export type TestSummaryRow = {
  readonly entityLink: string;
  readonly isColumn: boolean;
  readonly status: TestStatus | null;
  readonly count: number;
};

type StatusCounts = Readonly<Record<string, number>>;

const countAll = (rows: readonly TestSummaryRow[]): StatusCounts => {
  const counts: Record<string, number> = { success: 0, failed: 0, aborted: 0, queued: 0, total: 0 };
  for (const { status, count } of rows) {
    counts['total'] = (counts['total'] ?? 0) + count;
    if (status) counts[status.toLowerCase()] = (counts[status.toLowerCase()] ?? 0) + count;
  }
  return counts;
};

/** Counts the tests in total and per column. Tests without a result count in the total. */
export const summariseTests = (rows: readonly TestSummaryRow[]): Json => {
  const columns = new Map<string, TestSummaryRow[]>();
  for (const row of rows) {
    if (row.isColumn) columns.set(row.entityLink, [...(columns.get(row.entityLink) ?? []), row]);
  }
  const links = [...columns].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    ...countAll(rows),
    columnTestSummary: links.map(([entityLink, some]) => ({ ...countAll(some), entityLink })),
  };
};

/** Answers the number of tests in a summary. */
export const testTotalOf = (summary: Json): number => (isObject(summary) ? Number(member(summary, 'total') ?? 0) : 0);

export const ResultSummaries = listOf(
  shape('ResultSummary', { testCaseName: Text, status: oneOf(TEST_STATUSES), timestamp: Timestamp }),
  1_000_000,
);
