import { type Json, type JsonObject, member } from '../../../model/json.ts';
import { jsonObject, jsonObjects } from '../../../model/json-parts.ts';
import { parseDateTime } from '../../../model/time.ts';
import { dropNulls } from '../../../model/validate.ts';
import { type OpenLineageName, openLineageNameKey } from '../event.ts';
import type { FacetBag } from './facet-shapes.ts';

/** Finds the facets of an event whose shape was checked. What they say is read later, one by one. */

/** The facets of a dataset in an event, whichever of its roles they belong to. */
export type DatasetFacets = OpenLineageName & { readonly facets: FacetBag };

export type EventFacets = {
  readonly eventType: string;
  /** The time of the event in milliseconds, if it says one. */
  readonly time: number | undefined;
  readonly runId: string | undefined;
  readonly job: (OpenLineageName & { readonly facets: FacetBag }) | undefined;
  readonly run: FacetBag;
  readonly inputs: readonly DatasetFacets[];
  readonly outputs: readonly DatasetFacets[];
};

const objectAt = (value: JsonObject, name: string): JsonObject => jsonObject(member(value, name));

const textAt = (value: JsonObject, name: string): string => {
  const text = member(value, name);
  return typeof text === 'string' ? text : '';
};

const nameOf = (value: JsonObject): OpenLineageName => ({
  namespace: textAt(value, 'namespace'),
  name: textAt(value, 'name'),
});

const toDataset = (value: JsonObject): DatasetFacets => ({
  ...nameOf(value),
  facets: { ...objectAt(value, 'facets'), ...objectAt(value, 'inputFacets'), ...objectAt(value, 'outputFacets') },
});

const datasetsAt = (event: JsonObject, role: string): readonly DatasetFacets[] =>
  jsonObjects(member(event, role)).map(toDataset);

const MAX_RUN_ID = 200;

export const readEventFacets = (body: Json): EventFacets => {
  const event = jsonObject(dropNulls(body));
  const job = objectAt(event, 'job');
  const dataset = objectAt(event, 'dataset');
  const runId = textAt(objectAt(event, 'run'), 'runId').slice(0, MAX_RUN_ID);
  const hasJob = textAt(job, 'name') !== '';
  return {
    eventType: textAt(event, 'eventType').toUpperCase(),
    time: parseDateTime(textAt(event, 'eventTime')),
    runId: runId === '' ? undefined : runId,
    job: hasJob ? { ...nameOf(job), facets: objectAt(job, 'facets') } : undefined,
    run: objectAt(objectAt(event, 'run'), 'facets'),
    inputs: datasetsAt(event, 'inputs'),
    outputs: [
      ...datasetsAt(event, 'outputs'),
      ...(!hasJob && textAt(dataset, 'name') !== '' ? [toDataset(dataset)] : []),
    ],
  };
};

/**
 * The datasets of a failed run that it tested: what a test found is known even though, or because, the run failed.
 */
export const listTested = ({ eventType, inputs, outputs }: EventFacets): readonly DatasetFacets[] =>
  eventType === 'FAIL' ? [...inputs, ...outputs].filter(({ facets }) => 'dataQualityAssertions' in facets) : [];

/** Merges the facets that an event tells of one dataset in several roles. */
export const mergeDatasets = (datasets: readonly DatasetFacets[]): readonly DatasetFacets[] => {
  const merged = new Map<string, DatasetFacets>();
  for (const one of datasets) {
    const key = openLineageNameKey(one);
    merged.set(key, { ...one, facets: { ...merged.get(key)?.facets, ...one.facets } });
  }
  return [...merged.values()];
};
