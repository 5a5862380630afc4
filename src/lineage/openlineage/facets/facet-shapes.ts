import * as v from 'valibot';
import { CatalogError } from '../../../errors.ts';
import { member } from '../../../model/json.ts';
import { validate } from '../../../model/validate.ts';
import {
  AnyJson,
  DateTime,
  Flag,
  Integer,
  listOf,
  Markdown,
  must,
  NonEmptyText,
  Num,
  openShape,
  Text,
} from '../../../model/values.ts';
import type { FacetBag } from '../event.ts';
import type { FacetReport, FacetSubject } from './facet-report.ts';

/** The shapes of the facets that are applied. A facet of another shape is told and leaves the rest of the event. */

const ColumnMetrics = openShape('OpenLineageColumnMetrics', {
  nullCount: Num,
  distinctCount: Num,
  sum: Num,
  count: Num,
  min: Num,
  max: Num,
  quantiles: v.record(v.string(), Num),
});

const Statistics = openShape('OpenLineageStatistics', { rowCount: Num, size: Num, fileCount: Num });

const Assertion = openShape('OpenLineageAssertion', {
  assertion: must(NonEmptyText),
  success: must(Flag),
  column: Text,
  name: Text,
  severity: Text,
  description: Markdown,
  expected: Text,
  actual: Text,
  content: Text,
  params: AnyJson,
});

const TestExecution = openShape('OpenLineageTestExecution', {
  name: must(NonEmptyText),
  status: must(Text),
  severity: Text,
  type: Text,
  expected: Text,
  actual: Text,
});

const Dependencies = listOf(
  openShape('OpenLineageJobDependency', {
    job: must(openShape('OpenLineageDependentJob', { namespace: must(NonEmptyText), name: must(NonEmptyText) })),
  }),
  1000,
);

/** The facets that are applied, by name. */
export const FACET_SHAPES = {
  documentation: openShape('OpenLineageDocumentation', { description: must(Markdown) }),
  ownership: openShape('OpenLineageOwnership', {
    owners: listOf(openShape('OpenLineageOwner', { name: must(NonEmptyText) }), 100),
  }),
  tags: openShape('OpenLineageTags', {
    tags: listOf(openShape('OpenLineageTag', { key: must(NonEmptyText), value: Text, field: Text }), 1000),
  }),
  dataQualityMetrics: openShape('OpenLineageMetrics', {
    rowCount: Num,
    bytes: Num,
    fileCount: Num,
    columnMetrics: v.record(v.string(), ColumnMetrics),
  }),
  dataQualityAssertions: openShape('OpenLineageAssertions', { assertions: must(listOf(Assertion, 1000)) }),
  outputStatistics: Statistics,
  inputStatistics: Statistics,
  lifecycleStateChange: openShape('OpenLineageLifecycle', { lifecycleStateChange: must(Text) }),
  jobType: openShape('OpenLineageJobType', { processingType: must(Text), integration: must(Text), jobType: Text }),
  sourceCodeLocation: openShape('OpenLineageSourceLocation', {
    url: Text,
    version: Text,
    branch: Text,
    tag: Text,
    pullRequestNumber: Text,
  }),
  datasetType: openShape('OpenLineageDatasetType', { datasetType: must(Text), subType: Text }),
  hierarchy: openShape('OpenLineageHierarchy', {
    hierarchy: must(listOf(openShape('OpenLineageHierarchyLevel', { type: must(Text), name: must(Text) }), 20)),
  }),
  version: openShape('OpenLineageDatasetVersion', { datasetVersion: must(Text) }),
  nominalTime: openShape('OpenLineageNominalTime', { nominalStartTime: must(DateTime), nominalEndTime: DateTime }),
  errorMessage: openShape('OpenLineageError', { message: must(Text), stackTrace: Text }),
  executionParameters: openShape('OpenLineageExecutionParameters', {
    parameters: listOf(
      openShape('OpenLineageExecutionParameter', { key: must(NonEmptyText), name: Text, value: AnyJson }),
      1000,
    ),
  }),
  externalQuery: openShape('OpenLineageExternalQuery', { externalQueryId: must(Text), source: must(Text) }),
  extractionError: openShape('OpenLineageExtractionErrors', {
    totalTasks: Integer,
    failedTasks: Integer,
    errors: listOf(
      openShape('OpenLineageExtractionError', { errorMessage: must(Text), task: Text, taskNumber: Integer }),
      1000,
    ),
  }),
  test: openShape('OpenLineageTestRun', { tests: must(listOf(TestExecution, 10_000)) }),
  jobDependencies: openShape('OpenLineageJobDependencies', { upstream: Dependencies, downstream: Dependencies }),
  processing_engine: openShape('OpenLineageEngine', { name: Text, version: Text }),
} as const;

export type FacetName = keyof typeof FACET_SHAPES;

/** What a facet says. */
export type Facet<N extends FacetName> = v.InferOutput<(typeof FACET_SHAPES)[N]>;

/** Reads a facet; undefined when it is absent or, which is told, of another shape. */
export const readFacet = <N extends FacetName>(
  bag: FacetBag,
  name: N,
  subject: FacetSubject,
  report: FacetReport,
): Facet<N> | undefined => {
  const facet = member(bag, name);
  if (facet === undefined) return undefined;
  try {
    return validate(FACET_SHAPES[name], facet, name) as Facet<N>;
  } catch (failure) {
    if (!(failure instanceof CatalogError)) throw failure;
    report.add(subject, name, `not understood: ${failure.message}`);
    return undefined;
  }
};

/** Why the catalog has no place for facets of OpenLineage that it knows. */
const WITHOUT_PLACE: Readonly<Record<string, string>> = {
  sourceCode: 'the code of jobs is not kept',
  environmentVariables: 'environment variables may hold secrets',
  storage: 'how datasets are stored is not kept',
  dataSource: 'services are known by their connections',
  catalog: 'services are known by their connections',
  subset: 'parts of datasets are not kept',
};

/** Tells the facets that nothing reads. They are told once for all datasets of an event. */
export const reportUnknown = (
  bag: FacetBag,
  known: ReadonlySet<string>,
  { of }: FacetSubject,
  report: FacetReport,
): void => {
  for (const name of Object.keys(bag)) {
    if (!known.has(name))
      report.add({ of }, name, (Object.hasOwn(WITHOUT_PLACE, name) && WITHOUT_PLACE[name]) || 'not known');
  }
};
