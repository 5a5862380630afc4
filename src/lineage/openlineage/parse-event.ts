import { badRequest } from '../../errors.ts';
import type { Json } from '../../model/json.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import {
  type DatasetBody,
  type DerivedBody,
  type EventBody,
  type FieldDerivation,
  type OpenLineageDataset,
  OpenLineageEvent,
  type OpenLineageFlow,
  type OpenLineageName,
  openLineageNameKey,
  type ParsedEvent,
} from './event.ts';
import { type FedEnd, flowsOfEnds, readFedEnds, wordsOf } from './flows.ts';

/** Reads an event: its job, its datasets with all fields that it names, and what feeds what. */

const textOf = (text: string | undefined): string | undefined => (text === undefined || text === '' ? undefined : text);

const toFieldDerivation = ([field, { inputFields, transformationDescription }]: readonly [
  string,
  DerivedBody,
]): FieldDerivation => ({
  field,
  origins: inputFields.map(({ namespace, name, field: origin, transformations }) => {
    const how = textOf(transformationDescription) ?? wordsOf(transformations);
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

/** The fields that lineage names, by the dataset that has them. */
const fieldsInLineage = (fed: readonly FedEnd[]): ReadonlyMap<string, Set<string>> => {
  const named = new Map<string, Set<string>>();
  const add = (dataset: OpenLineageName, field: string) => {
    const key = openLineageNameKey(dataset);
    named.set(key, (named.get(key) ?? new Set()).add(field));
  };
  for (const { to, derived = [] } of fed) {
    for (const { field, origins } of derived) {
      add(to, field);
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

/** Adds to the inputs the datasets that only lineage names. */
const withSources = (
  inputs: readonly OpenLineageDataset[],
  outputs: readonly OpenLineageDataset[],
  flows: readonly OpenLineageFlow[],
): readonly OpenLineageDataset[] => {
  const ends = flows.flatMap(({ from, to }) => [from, to]).filter(({ is }) => is === 'dataset');
  const all = new Map(
    ends.map(({ namespace, name }) => [openLineageNameKey({ namespace, name }), { namespace, name }] as const),
  );
  for (const known of [...inputs, ...outputs]) all.delete(openLineageNameKey(known));
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
  const inputs = (event.inputs ?? []).map(toDataset);
  const fed = readFedEnds(event, inputs, outputs);
  const flows = flowsOfEnds(fed);
  const complete = withNamedFields(fieldsInLineage(fed));
  const isTold = !EVENTS_WITHOUT_DATA.test(event.eventType ?? '');
  return {
    job: event.job && { namespace: event.job.namespace, name: event.job.name },
    sql: textOf(event.job?.facets?.sql?.query),
    inputs: isTold ? withSources(inputs, outputs, flows).map(complete) : [],
    outputs: isTold ? outputs.map(complete) : [],
    flows: isTold ? flows : [],
  };
};
