import * as v from 'valibot';
import { badRequest } from '../../errors.ts';
import type { Json } from '../../model/json.ts';
import { check, dropNulls } from '../../model/validate.ts';
import { DateTime, listOf, Markdown, must, openShape, ShortText, Text } from '../../model/values.ts';

/** How OpenLineage calls a dataset or a job. */
export type Name = { readonly namespace: string; readonly name: string };

/** A field of a dataset as the `schema` facet tells of it. */
export type Field = {
  readonly name: string;
  readonly type?: string;
  readonly description?: string;
  readonly fields?: readonly Field[];
};

/** A field of another dataset that a field is made from. */
export type Origin = Name & { readonly field: string; readonly how?: string };

/** What the `columnLineage` facet says of one field. */
export type Derived = { readonly field: string; readonly origins: readonly Origin[] };

export type Dataset = Name & {
  /** Absent when the event says nothing of the fields. */
  readonly fields?: readonly Field[];
  /** Absent when the event says nothing of what the fields are made from. */
  readonly derived?: readonly Derived[];
};

/** What an event tells: which datasets there are, and which job makes which from which. */
export type LineageEvent = {
  readonly job: Name | undefined;
  readonly sql: string | undefined;
  readonly inputs: readonly Dataset[];
  readonly outputs: readonly Dataset[];
};

const MOST_DATASETS = 1000;
const MOST_FIELDS = 10_000;
/** So many edges one event may tell of. */
const MOST_EDGES = 10_000;

const Named = v.pipe(ShortText, v.minLength(1, 'must not be empty'));
const named = { namespace: must(Named), name: must(Named) };

const Transformation = openShape('OpenLineageTransformation', { type: Text, subtype: Text, description: Markdown });

const InputField = openShape('OpenLineageInputField', {
  ...named,
  field: must(Named),
  transformations: listOf(Transformation),
});

const DerivedField = openShape('OpenLineageDerivedField', {
  inputFields: must(listOf(InputField, MOST_FIELDS)),
  transformationDescription: Markdown,
  transformationType: Text,
});

const SchemaField: v.GenericSchema = openShape('OpenLineageField', {
  name: must(Named),
  type: Text,
  description: Markdown,
  fields: v.lazy(() => listOf(SchemaField, MOST_FIELDS)),
});

const DatasetFacets = openShape('OpenLineageDatasetFacets', {
  schema: openShape('OpenLineageSchemaFacet', { fields: listOf(SchemaField, MOST_FIELDS) }),
  columnLineage: openShape('OpenLineageColumnLineageFacet', { fields: v.record(v.string(), DerivedField) }),
});

const DatasetBody = openShape('OpenLineageDataset', { ...named, facets: DatasetFacets });

const JobBody = openShape('OpenLineageJob', {
  ...named,
  facets: openShape('OpenLineageJobFacets', {
    sql: openShape('OpenLineageSqlFacet', {
      query: v.pipe(Text, v.maxLength(1_000_000, 'size must be at most 1000000')),
    }),
  }),
});

/** An event of OpenLineage, of whichever of the three sorts; what else it holds is nobody's concern here. */
export const OpenLineageEvent = openShape('OpenLineageEvent', {
  eventTime: DateTime,
  eventType: Text,
  job: JobBody,
  dataset: DatasetBody,
  inputs: listOf(DatasetBody, MOST_DATASETS),
  outputs: listOf(DatasetBody, MOST_DATASETS),
});

type DerivedBody = {
  readonly inputFields: readonly (Name & {
    readonly field: string;
    readonly transformations?: readonly { readonly description?: string }[];
  })[];
  readonly transformationDescription?: string;
};

type DatasetBody = Name & {
  readonly facets?: {
    readonly schema?: { readonly fields?: readonly Field[] };
    readonly columnLineage?: { readonly fields?: Readonly<Record<string, DerivedBody>> };
  };
};

type EventBody = {
  readonly eventType?: string;
  readonly job?: Name & { readonly facets?: { readonly sql?: { readonly query?: string } } };
  readonly dataset?: DatasetBody;
  readonly inputs?: readonly DatasetBody[];
  readonly outputs?: readonly DatasetBody[];
};

const textOf = (text: string | undefined): string | undefined => (text === undefined || text === '' ? undefined : text);

const derivedOf = ([field, { inputFields, transformationDescription }]: readonly [string, DerivedBody]): Derived => ({
  field,
  origins: inputFields.map(({ namespace, name, field: origin, transformations = [] }) => {
    const told = transformations.flatMap(({ description }) => textOf(description) ?? []);
    const how = textOf(transformationDescription) ?? textOf(told.join('; '));
    return { namespace, name, field: origin, ...(how === undefined ? {} : { how }) };
  }),
});

const datasetOf = ({ namespace, name, facets = {} }: DatasetBody): Dataset => {
  const fields = facets.schema?.fields;
  const derived = facets.columnLineage?.fields;
  return {
    namespace,
    name,
    ...(fields === undefined ? {} : { fields }),
    ...(derived === undefined ? {} : { derived: Object.entries(derived).map(derivedOf) }),
  };
};

/** What tells a dataset or a job from all others. */
export const nameKey = ({ namespace, name }: Name): string => `${namespace}\u0001${name}`;

/** Datasets that are only named as what a field is made from go into the job as well. */
const withOrigins = (inputs: readonly Dataset[], outputs: readonly Dataset[]): readonly Dataset[] => {
  const all = new Map<string, Dataset>();
  for (const { derived = [] } of outputs) {
    for (const { origins } of derived) {
      for (const { namespace, name } of origins) all.set(nameKey({ namespace, name }), { namespace, name });
    }
  }
  for (const input of inputs) all.delete(nameKey(input));
  return [...inputs, ...all.values()];
};

/**
 * Runs that only begin, or that came to nothing: what they name is what they were about to read and write. A run that goes
 * on for long, and one that is over, tells what it has done; so does an event that is not about a run.
 */
const WITHOUT_DATA = /^(START|ABORT|FAIL)$/i;

/** What an event tells. Throws bad_request when it is none, or tells too much at once. */
export const readEvent = (body: Json): LineageEvent => {
  const event = check(OpenLineageEvent, dropNulls(body), 'event') as unknown as EventBody;
  if (!event.job && !event.dataset) throw badRequest('[event must have a job or a dataset]');
  const outputs = [...(event.outputs ?? []), ...(event.dataset && !event.job ? [event.dataset] : [])].map(datasetOf);
  const inputs = withOrigins((event.inputs ?? []).map(datasetOf), outputs);
  if (inputs.length * outputs.length > MOST_EDGES) throw badRequest(`[event must tell of at most ${MOST_EDGES} edges]`);
  const isTold = !WITHOUT_DATA.test(event.eventType ?? '');
  return {
    job: event.job && { namespace: event.job.namespace, name: event.job.name },
    sql: textOf(event.job?.facets?.sql?.query),
    inputs: isTold ? inputs : [],
    outputs: isTold ? outputs : [],
  };
};

/** A mapping by the names of fields. */
export type FieldMapping = { readonly from: readonly string[]; readonly to: string; readonly how?: string };

/** What the fields of an output are made from in one input; undefined when the event says nothing of the output's fields. */
export const mappingsBetween = (input: Dataset, output: Dataset): readonly FieldMapping[] | undefined => {
  const wanted = nameKey(input);
  return output.derived?.flatMap(({ field, origins }): FieldMapping[] => {
    const own = origins.filter((origin) => nameKey(origin) === wanted);
    if (own.length === 0) return [];
    const how = own.find((origin) => origin.how !== undefined)?.how;
    return [
      { from: [...new Set(own.map((origin) => origin.field))], to: field, ...(how === undefined ? {} : { how }) },
    ];
  });
};
