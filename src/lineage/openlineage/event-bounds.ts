import { CatalogError } from '../../errors.ts';
import {
  type OpenLineageDataset,
  type OpenLineageField,
  type OpenLineageFlow,
  openLineageNameKey,
  type ParsedEvent,
} from './event.ts';

/** Bounds what the events of one request may name together. Each name counts once, however many events say it. */

const MAX_DATASETS = 2000;
const MAX_FIELDS = 20_000;
/** Pairs of datasets and of fields that lineage joins, in all events together. */
const MAX_PAIRS = 100_000;
/** Each edge keeps the SQL of its job. */
const MAX_EDGE_SQL = 64 * 1024 * 1024;

const tooMuchError = (what: string) =>
  new CatalogError('payload_too_large', `[the events of a request may have at most ${what}; send several requests]`);

/** Adds the places of fields and of those inside them. */
const addFields = (into: Set<string>, fields: readonly OpenLineageField[], at: string): void => {
  for (const { name, fields: inner = [] } of fields) {
    const place = `${at}\u0001${name}`;
    into.add(place);
    addFields(into, inner, place);
  }
};

const countFields = ({ mappings = [] }: OpenLineageFlow): number =>
  mappings.reduce((sum, { from }) => sum + from.length, 0);

/** What the events of a request may still name. */
export type EventBounds = {
  /** Counts an event. Throws payload_too_large, and counts nothing, when there is no room for it. */
  take(event: ParsedEvent): void;
};

export const createEventBounds = (): EventBounds => {
  const datasets = new Set<string>();
  const fields = new Set<string>();
  let [pairs, edgeSql] = [0, 0];
  return {
    take: ({ datasets: told, tested, flows, sql = '' }) => {
      const all: readonly OpenLineageDataset[] = [...told, ...tested];
      const newDatasets = new Set(all.map(openLineageNameKey).filter((key) => !datasets.has(key)));
      if (datasets.size + newDatasets.size > MAX_DATASETS) throw tooMuchError(`${MAX_DATASETS} datasets`);
      const named = new Set<string>();
      for (const dataset of all) addFields(named, dataset.fields ?? [], openLineageNameKey(dataset));
      const newFields = [...named].filter((place) => !fields.has(place));
      if (fields.size + newFields.length > MAX_FIELDS) throw tooMuchError(`${MAX_FIELDS} fields`);
      const edges = flows.length;
      const morePairs = edges + flows.reduce((sum, flow) => sum + countFields(flow), 0);
      if (pairs + morePairs > MAX_PAIRS) throw tooMuchError(`${MAX_PAIRS} pairs of datasets or fields`);
      if (edgeSql + edges * sql.length > MAX_EDGE_SQL)
        throw tooMuchError(`${MAX_EDGE_SQL} characters of SQL, counted for each edge`);
      for (const key of newDatasets) datasets.add(key);
      for (const place of newFields) fields.add(place);
      pairs += morePairs;
      edgeSql += edges * sql.length;
    },
  };
};
