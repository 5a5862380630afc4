import { badRequest } from '../../errors.ts';
import { groupBy } from '../../model/group-by.ts';
import {
  type EventBody,
  type FieldDerivation,
  type FieldMapping,
  type FieldOrigin,
  type FlowEnd,
  type LineageBody,
  type LineageInputBody,
  type OpenLineageDataset,
  type OpenLineageFlow,
  openLineageNameKey,
} from './event.ts';

/**
 * Works out what feeds what in an event. Where a `lineage` facet says it, that is all of it. Otherwise inputs feed outputs,
 * and of several outputs each is fed by what its column lineage names.
 */

/** What feeds one end, and its fields as far as the event says that. */
export type FedEnd = {
  readonly to: FlowEnd;
  readonly sources: readonly FlowEnd[];
  readonly derived?: readonly FieldDerivation[] | undefined;
};

/** The maximum number of edges in one event. */
const MAX_EVENT_EDGES = 10_000;

const requireFew = (edges: number): void => {
  if (edges > MAX_EVENT_EDGES) throw badRequest(`[event must contain at most ${MAX_EVENT_EDGES} edges]`);
};

const endKey = (end: FlowEnd): string => `${end.is} ${openLineageNameKey(end)}`;

const datasetEnd = ({ namespace, name }: Pick<FlowEnd, 'namespace' | 'name'>): FlowEnd => ({
  is: 'dataset',
  namespace,
  name,
});

/** The end that an input or an entry names; none when it is the job of the event, at which edges neither begin nor end. */
const namedEnd = ({ type, namespace, name }: Pick<LineageInputBody, 'type' | 'namespace' | 'name'>): FlowEnd[] => {
  if (namespace !== undefined && name !== undefined)
    return [{ is: type === 'JOB' ? 'job' : 'dataset', namespace, name }];
  if (type === 'JOB' && namespace === undefined && name === undefined) return [];
  throw badRequest('[event has lineage with a namespace or a name alone, or with a dataset without them]');
};

/** How something was made, in the words of its transformations. */
export const wordsOf = (transformations: LineageInputBody['transformations'] = []): string | undefined =>
  transformations.flatMap(({ description = '' }) => (description === '' ? [] : [description])).join('; ') || undefined;

const toOrigin = (input: LineageInputBody): readonly FieldOrigin[] => {
  const { field, transformations } = input;
  const how = wordsOf(transformations);
  if (field === undefined) return [];
  return namedEnd(input).flatMap(({ is, namespace, name }) =>
    is === 'job' ? [] : [{ namespace, name, field, ...(how === undefined ? {} : { how }) }],
  );
};

const explicitlyFed = (to: FlowEnd, { inputs = [], fields }: LineageBody): FedEnd => {
  const byField = Object.entries(fields ?? {});
  const all = [...inputs, ...byField.flatMap(([, { inputs: own }]) => own)];
  return {
    to,
    sources: all.flatMap(namedEnd),
    // Jobs have no fields.
    ...(fields === undefined || to.is === 'job'
      ? {}
      : { derived: byField.map(([field, { inputs: own }]) => ({ field, origins: own.flatMap(toOrigin) })) }),
  };
};

/** What the `lineage` facets of an event say; undefined when it has none. */
const readExplicit = ({ job, dataset, outputs = [] }: EventBody): readonly FedEnd[] | undefined => {
  const entries = job?.facets?.lineage?.entries;
  if (entries) return entries.flatMap((entry) => namedEnd(entry).map((to) => explicitlyFed(to, entry)));
  const told = [...outputs, ...(dataset ? [dataset] : [])].flatMap((one) => {
    const { lineage } = one.facets ?? {};
    return lineage ? [explicitlyFed(datasetEnd(one), lineage)] : [];
  });
  return told.length === 0 ? undefined : told;
};

/** Several outputs are told apart by their column lineage; a single one is fed by all that its job reads. */
const readImplied = (
  inputs: readonly OpenLineageDataset[],
  outputs: readonly OpenLineageDataset[],
): readonly FedEnd[] => {
  requireFew(inputs.length * outputs.length);
  const read = inputs.map(datasetEnd);
  return outputs.map((output) => {
    const { derived } = output;
    const origins = (derived ?? []).flatMap((field) => field.origins.map(datasetEnd));
    const sources = outputs.length > 1 && origins.length > 0 ? origins : [...read, ...origins];
    return { to: datasetEnd(output), sources, derived };
  });
};

/** What feeds the datasets of an event, and the jobs that it names besides its own. */
export const readFedEnds = (
  event: EventBody,
  inputs: readonly OpenLineageDataset[],
  outputs: readonly OpenLineageDataset[],
): readonly FedEnd[] => readExplicit(event) ?? readImplied(inputs, outputs);

/**
 * Returns the mappings to a dataset by the key of the dataset that they come from, or undefined when the event has no
 * column lineage for it.
 */
export const fieldMappingsTo = ({
  derived,
}: Pick<FedEnd, 'derived'>): ReadonlyMap<string, readonly FieldMapping[]> | undefined => {
  if (derived === undefined) return undefined;
  const mappings = new Map<string, FieldMapping[]>();
  for (const { field, origins } of derived) {
    for (const [key, own] of groupBy(origins, openLineageNameKey)) {
      const how = own.find((origin) => origin.how !== undefined)?.how;
      const from = [...new Set(own.map((origin) => origin.field))];
      const known = mappings.get(key) ?? [];
      known.push({ from, to: field, ...(how === undefined ? {} : { how }) });
      mappings.set(key, known);
    }
  }
  return mappings;
};

/** The flows to one end, from each of its sources once. */
const flowsTo = (fed: FedEnd): readonly OpenLineageFlow[] => {
  const { to, sources } = fed;
  const mappings = fieldMappingsTo(fed);
  const distinct = new Map(sources.map((from) => [endKey(from), from]));
  return [...distinct.values()].map((from) =>
    mappings && from.is === 'dataset'
      ? { from, to, mappings: mappings.get(openLineageNameKey(from)) ?? [] }
      : { from, to },
  );
};

/** The flows to some ends, each once; what several entries say of the fields of one flow is taken together. */
export const flowsOfEnds = (fed: readonly FedEnd[]): readonly OpenLineageFlow[] => {
  const flows = groupBy(fed.flatMap(flowsTo), ({ from, to }) => `${endKey(from)}\u0001${endKey(to)}`);
  requireFew(flows.size);
  return [...flows.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const told = [first, ...others].flatMap(({ mappings }) => (mappings ? [mappings] : []));
    return [told.length === 0 ? first : { ...first, mappings: told.flat() }];
  });
};
