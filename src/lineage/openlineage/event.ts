import * as v from 'valibot';
import { badRequest } from '../../errors.ts';
import type { Json } from '../../model/json.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import { AnyJson, DateTime, listOf, Markdown, must, openShape, ShortText, Text } from '../../model/values.ts';

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

/** The datasets of an event, and the jobs that make some of them from others. */
export type ParsedEvent = {
  readonly job: OpenLineageName | undefined;
  readonly sql: string | undefined;
  readonly inputs: readonly OpenLineageDataset[];
  readonly outputs: readonly OpenLineageDataset[];
};

const MAX_DATASETS = 1000;
const MAX_FIELDS = 10_000;
/** The maximum number of edges in one event. */
const MAX_EVENT_EDGES = 10_000;

const RequiredName = v.pipe(ShortText, v.minLength(1, 'must not be empty'));
const nameMembers = { namespace: must(RequiredName), name: must(RequiredName) };

const Transformation = openShape('OpenLineageTransformation', { type: Text, subtype: Text, description: Markdown });

const InputField = openShape('OpenLineageInputField', {
  ...nameMembers,
  field: must(RequiredName),
  transformations: listOf(Transformation),
});

const DerivedField = openShape('OpenLineageDerivedField', {
  inputFields: must(listOf(InputField, MAX_FIELDS)),
  transformationDescription: Markdown,
  transformationType: Text,
});

const SchemaField: v.GenericSchema = openShape('OpenLineageField', {
  name: must(RequiredName),
  type: Text,
  description: Markdown,
  fields: v.lazy(() => listOf(SchemaField, MAX_FIELDS)),
});

const MAX_SYMLINKS = 10;

const DatasetFacets = openShape('OpenLineageDatasetFacets', {
  symlinks: openShape('OpenLineageSymlinksFacet', {
    identifiers: listOf(openShape('OpenLineageSymlink', nameMembers), MAX_SYMLINKS),
  }),
  schema: openShape('OpenLineageSchemaFacet', { fields: listOf(SchemaField, MAX_FIELDS) }),
  columnLineage: openShape('OpenLineageColumnLineageFacet', { fields: v.record(v.string(), DerivedField) }),
});

const DatasetBody = openShape('OpenLineageDataset', { ...nameMembers, facets: DatasetFacets });

const JobBody = openShape('OpenLineageJob', {
  ...nameMembers,
  facets: openShape('OpenLineageJobFacets', {
    sql: openShape('OpenLineageSqlFacet', {
      query: v.pipe(Text, v.maxLength(1_000_000, 'size must be at most 1000000')),
    }),
  }),
});

/** An OpenLineage event of any of the three types. The last three members and those that are not named are ignored. */
export const OpenLineageEvent = openShape('OpenLineageEvent', {
  eventTime: DateTime,
  eventType: Text,
  job: JobBody,
  dataset: DatasetBody,
  inputs: listOf(DatasetBody, MAX_DATASETS),
  outputs: listOf(DatasetBody, MAX_DATASETS),
  run: AnyJson,
  producer: AnyJson,
  schemaURL: AnyJson,
});

type DerivedBody = {
  readonly inputFields: readonly (OpenLineageName & {
    readonly field: string;
    readonly transformations?: readonly { readonly description?: string }[];
  })[];
  readonly transformationDescription?: string;
};

type DatasetBody = OpenLineageName & {
  readonly facets?: {
    readonly schema?: { readonly fields?: readonly OpenLineageField[] };
    readonly columnLineage?: { readonly fields?: Readonly<Record<string, DerivedBody>> };
    readonly symlinks?: { readonly identifiers?: readonly OpenLineageName[] };
  };
};

type EventBody = {
  readonly eventType?: string;
  readonly job?: OpenLineageName & { readonly facets?: { readonly sql?: { readonly query?: string } } };
  readonly dataset?: DatasetBody;
  readonly inputs?: readonly DatasetBody[];
  readonly outputs?: readonly DatasetBody[];
};

const textOf = (text: string | undefined): string | undefined => (text === undefined || text === '' ? undefined : text);

const toFieldDerivation = ([field, { inputFields, transformationDescription }]: readonly [
  string,
  DerivedBody,
]): FieldDerivation => ({
  field,
  origins: inputFields.map(({ namespace, name, field: origin, transformations = [] }) => {
    const descriptions = transformations.flatMap(({ description }) => textOf(description) ?? []);
    const how = textOf(transformationDescription) ?? textOf(descriptions.join('; '));
    return { namespace, name, field: origin, ...(how === undefined ? {} : { how }) };
  }),
});

const toDataset = ({ namespace, name, facets = {} }: DatasetBody): OpenLineageDataset => {
  const fields = facets.schema?.fields;
  const derived = facets.columnLineage?.fields;
  const symlinks = (facets.symlinks?.identifiers ?? []).map(({ namespace: at, name: called }) => ({
    namespace: at,
    name: called,
  }));
  return {
    namespace,
    name,
    ...(fields === undefined ? {} : { fields }),
    ...(derived === undefined ? {} : { derived: Object.entries(derived).map(toFieldDerivation) }),
    ...(symlinks.length === 0 ? {} : { symlinks }),
  };
};

/** Builds the key that identifies a dataset or job. */
export const openLineageNameKey = ({ namespace, name }: OpenLineageName): string => `${namespace}\u0001${name}`;

/** The fields that the column lineage of some outputs names, by the dataset that has them. */
const fieldsInLineage = (outputs: readonly OpenLineageDataset[]): ReadonlyMap<string, Set<string>> => {
  const named = new Map<string, Set<string>>();
  const add = (dataset: OpenLineageName, field: string) => {
    const key = openLineageNameKey(dataset);
    named.set(key, (named.get(key) ?? new Set()).add(field));
  };
  for (const output of outputs) {
    for (const { field, origins } of output.derived ?? []) {
      add(output, field);
      for (const origin of origins) add(origin, origin.field);
    }
  }
  return named;
};

/** Whether a schema lists a field of that name, or one that it lies in. The listed names are in lower case. */
const isListed = (listed: ReadonlySet<string>, name: string): boolean => {
  const wanted = name.toLowerCase();
  for (let end = wanted.length; end > 0; end = wanted.lastIndexOf('.', end - 1)) {
    if (listed.has(wanted.slice(0, end))) return true;
  }
  return false;
};

/** Gives a dataset the fields that lineage names and its schema does not list; nobody has told their types. */
const withNamedFields =
  (named: ReadonlyMap<string, ReadonlySet<string>>) =>
  (dataset: OpenLineageDataset): OpenLineageDataset => {
    const { fields = [] } = dataset;
    const wanted = named.get(openLineageNameKey(dataset));
    if (wanted === undefined) return dataset;
    const listed = new Set(fields.map(({ name }) => name.toLowerCase()));
    const missing = [...wanted].filter((name) => !isListed(listed, name));
    return missing.length === 0 ? dataset : { ...dataset, fields: [...fields, ...missing.map((name) => ({ name }))] };
  };

/** Adds datasets that only occur as origins of fields to the inputs of the job. */
const withOrigins = (
  inputs: readonly OpenLineageDataset[],
  outputs: readonly OpenLineageDataset[],
): readonly OpenLineageDataset[] => {
  const all = new Map<string, OpenLineageDataset>();
  for (const { derived = [] } of outputs) {
    for (const { origins } of derived) {
      for (const { namespace, name } of origins) all.set(openLineageNameKey({ namespace, name }), { namespace, name });
    }
  }
  for (const input of inputs) all.delete(openLineageNameKey(input));
  return [...inputs, ...all.values()];
};

/**
 * Run states without data: a run that starts, aborts or fails only names what it was about to read and write. Running
 * and completed runs, and events without a run, report actual data.
 */
const EVENTS_WITHOUT_DATA = /^(START|ABORT|FAIL)$/i;

/** Parses an event. Throws bad_request when it is invalid or has too many edges. */
export const parseOpenLineageEvent = (body: Json): ParsedEvent => {
  const event = validate(OpenLineageEvent, dropNulls(body), 'event') as unknown as EventBody;
  if (!event.job && !event.dataset) throw badRequest('[event must have a job or a dataset]');
  const outputs = [...(event.outputs ?? []), ...(event.dataset && !event.job ? [event.dataset] : [])].map(toDataset);
  const complete = withNamedFields(fieldsInLineage(outputs));
  const inputs = withOrigins((event.inputs ?? []).map(toDataset), outputs).map(complete);
  if (inputs.length * outputs.length > MAX_EVENT_EDGES)
    throw badRequest(`[event must contain at most ${MAX_EVENT_EDGES} edges]`);
  const isTold = !EVENTS_WITHOUT_DATA.test(event.eventType ?? '');
  return {
    job: event.job && { namespace: event.job.namespace, name: event.job.name },
    sql: textOf(event.job?.facets?.sql?.query),
    inputs: isTold ? inputs : [],
    outputs: isTold ? outputs.map(complete) : [],
  };
};

/** A mapping by field names. */
export type FieldMapping = { readonly from: readonly string[]; readonly to: string; readonly how?: string };

/** The origins of a field, by the dataset that has them. */
const originsByDataset = (origins: readonly FieldOrigin[]): ReadonlyMap<string, readonly FieldOrigin[]> => {
  const grouped = new Map<string, FieldOrigin[]>();
  for (const origin of origins) {
    const key = openLineageNameKey(origin);
    const own = grouped.get(key);
    if (own) own.push(origin);
    else grouped.set(key, [origin]);
  }
  return grouped;
};

/**
 * Returns the mappings to an output by the key of the input that they come from, or undefined when the event has no
 * column lineage for the output.
 */
export const fieldMappingsTo = ({
  derived,
}: OpenLineageDataset): ReadonlyMap<string, readonly FieldMapping[]> | undefined => {
  if (derived === undefined) return undefined;
  const mappings = new Map<string, FieldMapping[]>();
  for (const { field, origins } of derived) {
    for (const [key, own] of originsByDataset(origins)) {
      const how = own.find((origin) => origin.how !== undefined)?.how;
      const from = [...new Set(own.map((origin) => origin.field))];
      const known = mappings.get(key) ?? [];
      known.push({ from, to: field, ...(how === undefined ? {} : { how }) });
      mappings.set(key, known);
    }
  }
  return mappings;
};
