import type { JsonObject } from '../../../model/json.ts';
import { type CatalogAnswer, objectOf, readList, textOf } from '../../catalog-client.ts';

/** Says what Marquez knows besides its run events as OpenLineage events, which the service reads as any others. */

/** The classification of the tags of Marquez, which has no classifications. */
export const MARQUEZ_CLASSIFICATION = 'marquezTags';

type EventKind = 'RunEvent' | 'JobEvent' | 'DatasetEvent';

const SPECIFICATION = 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/';
const FACET = 'https://openlineage.io/spec/facets/1-0-0/';

const eventOf = (producer: string, kind: EventKind, time: string, more: JsonObject): JsonObject => ({
  eventTime: time,
  producer,
  schemaURL: `${SPECIFICATION}${kind}`,
  ...more,
});

/** A facet by its name; none when it says nothing. */
const facetOf = (producer: string, name: string, body: JsonObject | undefined): JsonObject =>
  body === undefined ? {} : { [name]: { _producer: producer, _schemaURL: `${FACET}${name}.json`, ...body } };

export const openLineageName = (value: unknown): { readonly namespace: string; readonly name: string } => {
  const { namespace, name } = objectOf(value);
  return { namespace: textOf(namespace), name: textOf(name) };
};

const tagsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(textOf) : []);

const describe = (description: unknown): JsonObject | undefined =>
  textOf(description).trim() === '' ? undefined : { description: textOf(description) };

const tagFacet = (dataset: CatalogAnswer): JsonObject | undefined => {
  const label = (tag: string, field?: string) => ({
    key: `${MARQUEZ_CLASSIFICATION}.${tag}`,
    source: 'MARQUEZ',
    ...(field === undefined ? {} : { field }),
  });
  const tags = [
    ...tagsOf(dataset['tags']).map((tag) => label(tag)),
    ...readList(dataset['fields']).flatMap((field) =>
      tagsOf(field['tags']).map((tag) => label(tag, textOf(field['name']))),
    ),
  ];
  return tags.length === 0 ? undefined : { tags };
};

/** The fields of a dataset; where events have its schema, only those that Marquez's own API described. */
const schemaFacet = (dataset: CatalogAnswer, hasEvents: boolean): JsonObject | undefined => {
  const fieldsOfEvents = readList(objectOf(objectOf(dataset['facets'])['schema'])['fields']);
  const described = new Set(
    fieldsOfEvents.filter((field) => describe(field['description'])).map((field) => field['name']),
  );
  const fields = readList(dataset['fields'])
    .filter((field) => !hasEvents || (describe(field['description']) && !described.has(field['name'])))
    .map(({ name, type, description }) => ({
      name: textOf(name),
      ...(textOf(type) === '' ? {} : { type: textOf(type) }),
      ...describe(description),
    }));
  return fields.length === 0 ? undefined : { fields };
};

/** The column lineage of a dataset as Marquez sums it up. */
const columnFacet = (dataset: CatalogAnswer): JsonObject | undefined => {
  const columns = readList(dataset['columnLineage']);
  if (columns.length === 0) return undefined;
  const fields = columns.map(({ name, inputFields }) => [
    textOf(name),
    {
      inputFields: readList(inputFields).map((input) => ({
        namespace: textOf(input['namespace']),
        name: textOf(input['dataset']),
        field: textOf(input['field']),
      })),
    },
  ]);
  return { fields: Object.fromEntries(fields) as JsonObject };
};

/**
 * What Marquez's own API says of a dataset: tags, and descriptions that no event has. Of a dataset without events it is
 * also the schema. Undefined when that is nothing.
 */
export const datasetEvent = (producer: string, dataset: CatalogAnswer, hasEvents: boolean): JsonObject | undefined => {
  const documented = objectOf(objectOf(dataset['facets'])['documentation'])['description'];
  const facets = {
    ...facetOf(
      producer,
      'documentation',
      describe(hasEvents && documented ? undefined : dataset['description'] || documented),
    ),
    ...facetOf(producer, 'schema', schemaFacet(dataset, hasEvents)),
    ...facetOf(producer, 'tags', tagFacet(dataset)),
  };
  if (hasEvents && Object.keys(facets).length === 0) return undefined;
  const time = textOf(dataset['updatedAt']);
  return eventOf(producer, 'DatasetEvent', time, { dataset: { ...openLineageName(dataset['id']), facets } });
};

/** The tags of a job that events told of. Undefined when it has none. */
export const jobTagsEvent = (producer: string, job: CatalogAnswer): JsonObject | undefined => {
  const tags = tagsOf(job['tags']).map((tag) => ({ key: `${MARQUEZ_CLASSIFICATION}.${tag}`, source: 'MARQUEZ' }));
  if (tags.length === 0) return undefined;
  const facets = facetOf(producer, 'tags', { tags });
  return eventOf(producer, 'JobEvent', textOf(job['updatedAt']), {
    job: { ...openLineageName(job['id']), facets },
    inputs: [],
    outputs: [],
  });
};

/** What Marquez says of a job that no event told of. */
export const jobEvent = (
  producer: string,
  job: CatalogAnswer,
  version: CatalogAnswer,
  datasets: ReadonlyMap<string, CatalogAnswer>,
): JsonObject => {
  const location = textOf(job['location']);
  const tags = tagsOf(job['tags']).map((tag) => ({ key: `${MARQUEZ_CLASSIFICATION}.${tag}`, source: 'MARQUEZ' }));
  const facets = {
    ...facetOf(producer, 'documentation', describe(job['description'])),
    ...facetOf(producer, 'sourceCodeLocation', location === '' ? undefined : { type: 'url', url: location }),
    ...facetOf(producer, 'tags', tags.length === 0 ? undefined : { tags }),
  };
  const ends = (member: 'inputs' | 'outputs') => {
    const own = readList(job[member]);
    return (own.length > 0 ? own : readList(version[member])).map(openLineageName);
  };
  const outputs = ends('outputs').map((one) => ({
    ...one,
    facets: facetOf(producer, 'columnLineage', columnFacet(datasets.get(datasetKey(one)) ?? {})),
  }));
  const name = openLineageName(job['id']);
  return eventOf(producer, 'JobEvent', textOf(job['updatedAt']), {
    job: { ...name, facets },
    inputs: ends('inputs'),
    outputs,
  });
};

export const datasetKey = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  JSON.stringify([namespace, name]);

/** How runs end in OpenLineage, by how they do in Marquez. */
const RUN_ENDS: Readonly<Record<string, string>> = { COMPLETED: 'COMPLETE', FAILED: 'FAIL', ABORTED: 'ABORT' };

/** The begin and the end of a run that no event told of. */
export const runEvents = (producer: string, job: CatalogAnswer, run: CatalogAnswer): readonly JsonObject[] => {
  const { id, state, startedAt, endedAt, createdAt, nominalStartTime, nominalEndTime } = run;
  const start = textOf(nominalStartTime);
  const nominal =
    start === ''
      ? undefined
      : {
          nominalStartTime: start,
          ...(textOf(nominalEndTime) === '' ? {} : { nominalEndTime: textOf(nominalEndTime) }),
        };
  const name = openLineageName(job['id']);
  const one = (eventType: string, time: string) =>
    eventOf(producer, 'RunEvent', time, {
      eventType,
      run: { runId: textOf(id), facets: facetOf(producer, 'nominalTime', nominal) },
      job: name,
      inputs: [],
      outputs: [],
    });
  const end = RUN_ENDS[textOf(state)];
  const began = textOf(startedAt) || textOf(createdAt);
  return [one('START', began), ...(end === undefined ? [] : [one(end, textOf(endedAt) || began)])];
};
