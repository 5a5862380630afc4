import { badRequest } from '../../errors.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { jsonObject, jsonObjects } from '../../model/json-parts.ts';
import { parseDateTime } from '../../model/time.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import {
  type DatasetBody,
  type DeclaredLineage,
  type DerivedBody,
  type EventBody,
  type FacetBag,
  type FieldDerivation,
  type OpenLineageDataset,
  OpenLineageEvent,
  type OpenLineageFlow,
  type OpenLineageName,
  openLineageNameKey,
  type ParentRun,
  type ParsedEvent,
  type WithFacets,
} from './event.ts';
import { type FedEnd, flowsOfEnds, readFedEnds, wordsOf } from './flows.ts';

/** Reads an event: its job, its datasets with all fields that it names, what feeds what, and the facets of all of them. */

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

/** Leaves out facets that are marked as deleted. They are members of the third object from outside. */
const dropDeleted = (value: Json, depth = 3): Json => {
  if (isArray(value)) return value.map((one) => dropDeleted(one, depth));
  if (depth === 0 || !isObject(value)) return value;
  const live = Object.entries(value).filter(([, one]) => !isObject(one) || member(one, '_deleted') !== true);
  return Object.fromEntries(live.map(([name, one]) => [name, dropDeleted(one, depth - 1)]));
};

/** The facets of a dataset in each of its roles. */
const bagOf = (told: JsonObject): FacetBag => ({
  ...jsonObject(member(told, 'facets')),
  ...jsonObject(member(told, 'inputFacets')),
  ...jsonObject(member(told, 'outputFacets')),
});

const toDataset = ({ namespace, name, facets = {} }: DatasetBody, told: JsonObject): WithFacets<OpenLineageDataset> => {
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
    facets: bagOf(told),
  };
};

/** The datasets in one role, with the facets that the event told of them. */
const datasetsOf = (bodies: readonly DatasetBody[] = [], told: Json | undefined) => {
  const all = jsonObjects(told);
  return bodies.map((body, at) => toDataset(body, all[at] ?? {}));
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
  <T extends OpenLineageDataset>(dataset: T): T => {
    const { fields = [] } = dataset;
    const wanted = named.get(openLineageNameKey(dataset));
    if (wanted === undefined) return dataset;
    const listed = new Set(fields.map(({ name }) => name.toLowerCase()));
    const missing = [...wanted].filter((name) => !isListed(listed, name));
    return missing.length === 0 ? dataset : { ...dataset, fields: [...fields, ...missing.map((name) => ({ name }))] };
  };

/** The datasets that only lineage names. */
const listSources = (
  known: readonly OpenLineageDataset[],
  flows: readonly OpenLineageFlow[],
): readonly OpenLineageDataset[] => {
  const ends = flows.flatMap(({ from, to }) => [from, to]).filter(({ is }) => is === 'dataset');
  const all = new Map(
    ends.map(({ namespace, name }) => [openLineageNameKey({ namespace, name }), { namespace, name }] as const),
  );
  for (const one of known) all.delete(openLineageNameKey(one));
  return [...all.values()];
};

/**
 * Run states without data: a run that starts, aborts or fails only names what it was about to read and write. Running
 * and completed runs, and events without a run, report actual data.
 */
const STATES_WITHOUT_DATA: ReadonlySet<string> = new Set(['START', 'ABORT', 'FAIL']);

const MAX_RUN_ID = 200;

const runIdOf = (value: Json | undefined): string => {
  const runId = member(jsonObject(value), 'runId');
  return typeof runId === 'string' ? runId.slice(0, MAX_RUN_ID) : '';
};

/** Reads a run that a facet names with its job; undefined when it has no name. */
const readRunAbove = (facet: JsonObject): ParentRun | undefined => {
  const { namespace, name } = jsonObject(member(facet, 'job'));
  if (typeof namespace !== 'string' || typeof name !== 'string' || namespace === '' || name === '') return undefined;
  return { job: { namespace, name }, runId: runIdOf(member(facet, 'run')) };
};

/** Reads the parent of a run and the run at the very top. Older clients call the facet `parentRun`. */
const readParents = (run: FacetBag) => {
  const facet = jsonObject(member(run, 'parent') ?? member(run, 'parentRun'));
  const [parent, root] = [readRunAbove(facet), readRunAbove(jsonObject(member(facet, 'root')))];
  const isSame = root && parent && openLineageNameKey(root.job) === openLineageNameKey(parent.job);
  return { parent, root: isSame ? undefined : root };
};

const listTested = (datasets: readonly WithFacets<OpenLineageName>[]): readonly WithFacets<OpenLineageName>[] =>
  datasets.flatMap(({ namespace, name, facets }) => {
    const { dataQualityAssertions } = facets;
    return dataQualityAssertions === undefined ? [] : [{ namespace, name, facets: { dataQualityAssertions } }];
  });

/** The job and the run of an event. */
const readRun = ({ job, eventTime = '', eventType = '' }: EventBody, told: JsonObject) => {
  const run = jsonObject(member(told, 'run'));
  const runId = runIdOf(run);
  const facets = jsonObject(member(run, 'facets'));
  return {
    eventType: eventType.toUpperCase(),
    time: parseDateTime(eventTime),
    runId: runId === '' ? undefined : runId,
    run: facets,
    ...(job ? readParents(facets) : { parent: undefined, root: undefined }),
    job: job && { namespace: job.namespace, name: job.name, facets: bagOf(jsonObject(member(told, 'job'))) },
    sql: textOf(job?.facets?.sql?.query),
  };
};

/**
 * The job or dataset of which an event declares all lineage: it has no run, and says something of lineage, if only that
 * the facet which said it before is deleted. Clients send empty lists of datasets with all that they say of a job.
 */
const declaredBy = ({ eventType, job, dataset, inputs = [], outputs = [] }: EventBody, body: JsonObject) => {
  const facetsOf = (owner: string) => jsonObject(member(jsonObject(member(body, owner)), 'facets'));
  const declare = (of: DeclaredLineage['of'], { namespace, name }: OpenLineageName) => ({ of, namespace, name });
  if (member(body, 'run') !== undefined || eventType !== undefined) return undefined;
  if (job) return inputs.length + outputs.length > 0 || 'lineage' in facetsOf('job') ? declare('job', job) : undefined;
  const facets = facetsOf('dataset');
  return dataset && ('lineage' in facets || 'columnLineage' in facets) ? declare('dataset', dataset) : undefined;
};

/** Parses an event. Throws bad_request when it is invalid or has too many edges. */
export const parseOpenLineageEvent = (body: Json): ParsedEvent => {
  const whole = dropNulls(body);
  const told = dropDeleted(whole);
  const event = validate(OpenLineageEvent, told, 'event') as unknown as EventBody;
  if (!event.job && !event.dataset) throw badRequest('[event must have a job or a dataset]');
  const members = jsonObject(told);
  const own = event.dataset && !event.job ? [toDataset(event.dataset, jsonObject(member(members, 'dataset')))] : [];
  const outputs = [...datasetsOf(event.outputs, member(members, 'outputs')), ...own];
  const inputs = datasetsOf(event.inputs, member(members, 'inputs'));
  const fed = readFedEnds(event, inputs, outputs);
  const flows = flowsOfEnds(fed);
  const run = readRun(event, members);
  if (STATES_WITHOUT_DATA.has(run.eventType)) {
    const tested = run.eventType === 'FAIL' ? listTested([...inputs, ...outputs]) : [];
    return { ...run, inputs: [], outputs: [], datasets: [], tested, flows: [], declares: undefined };
  }
  const complete = withNamedFields(fieldsInLineage(fed));
  const [read, written] = [inputs.map(complete), outputs.map(complete)];
  const datasets = [...read, ...listSources([...inputs, ...outputs], flows).map(complete), ...written];
  const declares = declaredBy(event, jsonObject(whole));
  return { ...run, inputs: read, outputs: written, datasets, tested: [], flows, declares };
};
