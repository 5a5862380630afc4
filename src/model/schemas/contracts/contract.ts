import * as v from 'valibot';
import type { Json, JsonObject } from '../../json.ts';
import {
  bounded,
  DateTime,
  defaulting,
  Flag,
  Fqn,
  FreeForm,
  Integer,
  listOf,
  Markdown,
  must,
  NonEmptyText,
  Num,
  oneOf,
  ShortText,
  shape,
  Text,
  Timestamp,
  Uuid,
} from '../../values.ts';
import { ColumnSchema, stripComputedColumnMembers } from '../columns/column.ts';
import { parseContractStatus, specStatusOf, statusSearchWords, TIMEZONES } from './contract-status.ts';

/** The schemas of data contracts and of their results (data-contracts.md 3 and 7). */

/** A state from either vocabulary, normalised for storage. */
export const ContractStatusText = v.pipe(
  Text,
  v.check(
    (word) => parseContractStatus(word) !== undefined,
    'must be Draft, Active, Deprecated or another known status',
  ),
  v.transform((word) => parseContractStatus(word) ?? word),
);

const MAX_CONTRACT_COLUMNS = 20_000;

/** The columns that a contract promises. They have the shape of a table's columns, but are no nodes of the graph. */
export const ContractColumns = v.pipe(
  listOf(ColumnSchema, MAX_CONTRACT_COLUMNS),
  v.transform((columns) => (columns as readonly JsonObject[]).map(stripComputedColumnMembers)),
);

const MAX_RULE_LENGTH = 64 * 1024;
const RuleText = v.pipe(Text, v.maxLength(MAX_RULE_LENGTH, `size must be at most ${MAX_RULE_LENGTH}`));

/**
 * Removes the `inherited` flag that the server adds to inherited values. A client that sends such a value back makes it
 * the contract's own.
 */
const withoutInherited = <T extends v.GenericSchema>(schema: T) =>
  v.pipe(
    schema,
    v.transform((value) => {
      const { inherited: _, ...own } = value as JsonObject;
      return own as JsonObject;
    }),
  );

export const SemanticsRules = listOf(
  withoutInherited(
    shape('SemanticsRule', {
      name: must(NonEmptyText),
      description: must(Markdown),
      rule: must(RuleText),
      enabled: must(Flag),
      entityType: Text,
      ignoredEntities: listOf(Text, 100),
      jsonTree: RuleText,
      provider: defaulting(oneOf(['system', 'user', 'automation']), 'user'),
      inherited: Flag,
    }),
  ),
  1000,
);

const TermsOfUseObject = withoutInherited(shape('TermsOfUse', { content: Markdown, inherited: Flag }));

/** Requests may give the text alone. */
export const TermsOfUse = v.union([
  v.pipe(
    Markdown,
    v.transform((content) => ({ content })),
  ),
  TermsOfUseObject,
]);

const ContractPolicy = shape('ContractPolicy', {
  accessPolicy: Text,
  identities: listOf(Text, 1000),
  rowFilters: listOf(shape('RowFilter', { columnName: Text, values: listOf(Text, 1000) }), 1000),
});

export const ContractSecurity = withoutInherited(
  shape('ContractSecurity', { inherited: Flag, dataClassification: Text, policies: listOf(ContractPolicy, 1000) }),
);

const Amount = bounded(0, 2_147_483_647);

export const ContractSla = withoutInherited(
  shape('ContractSLA', {
    inherited: Flag,
    refreshFrequency: shape('RefreshFrequency', {
      interval: must(Amount),
      unit: must(oneOf(['hour', 'day', 'week', 'month', 'year'])),
    }),
    maxLatency: shape('MaxLatency', { value: must(Amount), unit: must(oneOf(['minute', 'hour', 'day'])) }),
    availabilityTime: ShortText,
    timezone: oneOf(TIMEZONES),
    retention: shape('Retention', { period: must(Amount), unit: must(oneOf(['day', 'week', 'month', 'year'])) }),
    columnName: ShortText,
  }),
);

/** The maximum number of quality rules in a contract. */
export const MAX_CONTRACT_RULES = 10_000;

/** Rules of an imported document, stored unchanged. */
export const OdcsRules = listOf(FreeForm, MAX_CONTRACT_RULES);

export const OdcsElementExtensions = listOf(
  shape('OdcsElementExtension', {
    element: Text,
    authoritativeDefinitions: listOf(FreeForm, 1000),
    transformSourceObjects: listOf(Text, 10_000),
  }),
);

const synonymMembers = { synonyms: listOf(Text), deprecated: Flag };

/** What an imported document says of the asset and its columns that the columns of a contract have no place for. */
export const OdcsAnnotations = shape('OdcsAnnotations', {
  contexts: listOf(
    shape('OdcsContext', {
      instructions: Markdown,
      verifiedStatements: listOf(shape('VerifiedStatement', { question: must(Text), answer: Text })),
      constraints: listOf(Text),
    }),
  ),
  ...synonymMembers,
  columns: listOf(
    shape('AnnotatedColumn', {
      column: must(Fqn),
      type: Text,
      semanticType: Text,
      enum: listOf(Text),
      ...synonymMembers,
    }),
  ),
});

export const EffectiveTime = DateTime;

export const EXECUTION_STATUSES = ['Running', 'Success', 'Failed', 'PartialSuccess', 'Aborted', 'Queued'] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

const ResultCount = bounded(0, Number.MAX_SAFE_INTEGER);
const resultCounts = { passed: must(ResultCount), failed: must(ResultCount), total: must(ResultCount) };
const TextList = listOf(Text, 100_000);
const Percentage = v.pipe(Num, v.minValue(0, 'must be at least 0'), v.maxValue(100, 'must be at most 100'));

const SchemaValidation = shape('SchemaValidation', {
  ...resultCounts,
  failedFields: TextList,
  duplicateFields: TextList,
  typeMismatchFields: TextList,
});

const VALIDATION_DETAILS = {
  schemaValidation: SchemaValidation,
  semanticsValidation: shape('SemanticsValidation', {
    ...resultCounts,
    failedRules: listOf(shape('FailedRule', { ruleName: Text, reason: Text })),
  }),
  qualityValidation: shape('QualityValidation', { ...resultCounts, qualityScore: Percentage }),
  slaValidation: shape('SlaValidation', {
    refreshFrequencyMet: Flag,
    latencyMet: Flag,
    availabilityMet: Flag,
    actualLatency: Integer,
  }),
  incidentId: Uuid,
  executionTime: ResultCount,
};

export const DataContractResult = shape('DataContractResult', {
  id: Uuid,
  dataContractFQN: Text,
  timestamp: must(v.pipe(Timestamp, v.maxValue(9_999_999_999_999, 'must be a time in milliseconds'))),
  contractExecutionStatus: must(oneOf(EXECUTION_STATUSES)),
  result: Markdown,
  ...VALIDATION_DETAILS,
});

export type ContractResult = JsonObject & {
  readonly id: string;
  readonly timestamp: number;
  readonly contractExecutionStatus: ExecutionStatus;
};

/** The newest result, as the contract shows it. */
export const LatestContractResult = shape('LatestResult', {
  timestamp: Timestamp,
  status: oneOf(EXECUTION_STATUSES),
  message: Text,
  resultId: Uuid,
});

/** The result of validating a contract without storing it. */
export const ContractValidationSchema = shape('ContractValidation', {
  valid: must(Flag),
  schemaValidation: SchemaValidation,
  entityErrors: TextList,
  constraintErrors: TextList,
  odcsImportReport: FreeForm,
});

const storedStatus = ({ entityStatus }: JsonObject): string =>
  typeof entityStatus === 'string' ? entityStatus : 'Draft';

/** Derives the state in the shorter vocabulary. */
export const deriveShortStatus = (values: JsonObject): Json => specStatusOf(storedStatus(values));

/** Derives the words by which list filters find the contract. */
export const deriveStatusWords = (values: JsonObject): Json => statusSearchWords(storedStatus(values));
