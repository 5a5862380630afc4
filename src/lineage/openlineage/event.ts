import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import { AnyJson, DateTime, listOf, Markdown, must, NonEmptyText, oneOf, openShape, Text } from '../../model/values.ts';

/** The OpenLineage name of a dataset or job. */
export type OpenLineageName = { readonly namespace: string; readonly name: string };

/** A field of a dataset in the `schema` facet. */
export type OpenLineageField = {
  readonly name: string;
  readonly type?: string;
  readonly description?: string;
  readonly fields?: readonly OpenLineageField[];
};

/** A field of another dataset that a field is made from. */
export type FieldOrigin = OpenLineageName & { readonly field: string; readonly how?: string };

/** The origins of one field in the `columnLineage` facet. */
export type FieldDerivation = { readonly field: string; readonly origins: readonly FieldOrigin[] };

export type OpenLineageDataset = OpenLineageName & {
  /** Absent when the event has no schema facet. */
  readonly fields?: readonly OpenLineageField[];
  /** Absent when the event has no column lineage facet. */
  readonly derived?: readonly FieldDerivation[];
  /** Other names of the dataset, such as that of the table whose files it is. */
  readonly symlinks?: readonly OpenLineageName[];
};

/** A mapping by field names. */
export type FieldMapping = { readonly from: readonly string[]; readonly to: string; readonly how?: string };

/** An end of a flow: a dataset, or a job that hands on data without any. */
export type FlowEnd = OpenLineageName & { readonly is: 'dataset' | 'job' };

/** Data that one dataset or job of an event gets from another. */
export type OpenLineageFlow = {
  readonly from: FlowEnd;
  readonly to: FlowEnd;
  /** Absent when the event says nothing of the fields of the target. */
  readonly mappings?: readonly FieldMapping[];
};

/** The facets of a dataset, a job or a run as an event has them, whichever of its roles they belong to. */
export type FacetBag = JsonObject;

/** A dataset or a job of an event with its facets, whose shapes are checked when they are applied. */
export type WithFacets<T extends OpenLineageName> = T & { readonly facets: FacetBag };

/** A run above the one of an event: its job and its id. */
export type ParentRun = { readonly job: OpenLineageName; readonly runId: string };

/** The job or dataset whose whole lineage an event declares. */
export type DeclaredLineage = OpenLineageName & { readonly of: 'job' | 'dataset' };

/** An event: its job and run, its datasets, and what feeds what. It has datasets only where they were read and written. */
export type ParsedEvent = {
  /** The state of the run in upper case; empty when the event has none. */
  readonly eventType: string;
  /** The time of the event in milliseconds, if it says one. */
  readonly time: number | undefined;
  readonly runId: string | undefined;
  readonly run: FacetBag;
  readonly parent: ParentRun | undefined;
  /** The run at the very top, where that is not the parent. */
  readonly root: ParentRun | undefined;
  readonly job: WithFacets<OpenLineageName> | undefined;
  readonly sql: string | undefined;
  readonly inputs: readonly WithFacets<OpenLineageDataset>[];
  readonly outputs: readonly WithFacets<OpenLineageDataset>[];
  /** The inputs, the datasets that only lineage names, and the outputs. */
  readonly datasets: readonly OpenLineageDataset[];
  /** The datasets that a failed run tested: what a test found is known even though, or because, the run failed. */
  readonly tested: readonly WithFacets<OpenLineageName>[];
  readonly flows: readonly OpenLineageFlow[];
  /** What the flows are all lineage of, as an event without a run says it. */
  readonly declares: DeclaredLineage | undefined;
};

const MAX_DATASETS = 1000;
const MAX_FIELDS = 10_000;

const nameMembers = { namespace: must(NonEmptyText), name: must(NonEmptyText) };

const Transformations = listOf(
  openShape('OpenLineageTransformation', { type: Text, subtype: Text, description: Markdown }),
);

const InputField = openShape('OpenLineageInputField', {
  ...nameMembers,
  field: must(NonEmptyText),
  transformations: Transformations,
});

const DerivedField = openShape('OpenLineageDerivedField', {
  inputFields: must(listOf(InputField, MAX_FIELDS)),
  transformationDescription: Markdown,
  transformationType: Text,
});

const SchemaField: v.GenericSchema<unknown, OpenLineageField> = openShape('OpenLineageField', {
  name: must(NonEmptyText),
  type: Text,
  description: Markdown,
  fields: v.lazy(() => listOf(SchemaField, MAX_FIELDS)),
});

const endType = must(oneOf(['DATASET', 'JOB']));

/** What feeds a dataset, a job or a field. A job without a name is that of the event. */
const LineageInput = openShape('OpenLineageInput', {
  namespace: NonEmptyText,
  name: NonEmptyText,
  type: endType,
  field: NonEmptyText,
  transformations: Transformations,
});

const lineageMembers = {
  inputs: listOf(LineageInput, MAX_FIELDS),
  fields: v.record(v.string(), openShape('OpenLineageFieldInputs', { inputs: must(listOf(LineageInput, MAX_FIELDS)) })),
};

const LineageEntry = openShape('OpenLineageEntry', {
  namespace: NonEmptyText,
  name: NonEmptyText,
  type: endType,
  ...lineageMembers,
});

const MAX_SYMLINKS = 10;

const LineageOfDataset = openShape('OpenLineageDatasetLineageFacet', lineageMembers);

const DatasetFacets = openShape('OpenLineageDatasetFacets', {
  symlinks: openShape('OpenLineageSymlinksFacet', {
    identifiers: listOf(openShape('OpenLineageSymlink', nameMembers), MAX_SYMLINKS),
  }),
  schema: openShape('OpenLineageSchemaFacet', { fields: listOf(SchemaField, MAX_FIELDS) }),
  columnLineage: openShape('OpenLineageColumnLineageFacet', { fields: v.record(v.string(), DerivedField) }),
  lineage: LineageOfDataset,
});

const Dataset = openShape('OpenLineageDataset', { ...nameMembers, facets: DatasetFacets });

const Job = openShape('OpenLineageJob', {
  ...nameMembers,
  facets: openShape('OpenLineageJobFacets', {
    sql: openShape('OpenLineageSqlFacet', {
      query: v.pipe(Text, v.maxLength(1_000_000, 'size must be at most 1000000')),
    }),
    lineage: openShape('OpenLineageJobLineageFacet', { entries: must(listOf(LineageEntry, MAX_DATASETS)) }),
  }),
});

/** An OpenLineage event of any of the three types. The last three members and those that are not named are ignored. */
export const OpenLineageEvent = openShape('OpenLineageEvent', {
  eventTime: DateTime,
  eventType: Text,
  job: Job,
  dataset: Dataset,
  inputs: listOf(Dataset, MAX_DATASETS),
  outputs: listOf(Dataset, MAX_DATASETS),
  run: AnyJson,
  producer: AnyJson,
  schemaURL: AnyJson,
});

export type DerivedBody = v.InferOutput<typeof DerivedField>;
export type LineageInputBody = v.InferOutput<typeof LineageInput>;
export type LineageBody = v.InferOutput<typeof LineageOfDataset>;
export type DatasetBody = v.InferOutput<typeof Dataset>;
export type EventBody = v.InferOutput<typeof OpenLineageEvent>;

/** Builds the key that identifies a dataset or job. */
export const openLineageNameKey = ({ namespace, name }: OpenLineageName): string => `${namespace}\u0001${name}`;
