import type { Engine } from '../catalog/engine.ts';
import { type FilterLineageEvents, parseEventRecordKey } from '../events/event-visibility.ts';
import type { JsonObject } from '../model/json.ts';
import { EDGE_CHANGE_LISTS } from './lineage-events.ts';
import { type NodeVisibility, readNodeVisibility } from './node-visibility.ts';

/** One edge in a change event. The value holds the JSON of the edge, before or after the change. */
type EdgeFieldChange = JsonObject & { readonly oldValue?: string; readonly newValue?: string };

type EventEdge = {
  readonly toEntity: string;
  readonly lineageDetails?: JsonObject & { readonly pipeline?: { readonly id: string } };
};

/** A parsed change event with its edge changes, grouped by the list of the change description that holds them. */
type ParsedLineageEvent = {
  readonly event: JsonObject;
  readonly lists: readonly (readonly [list: string, told: readonly EventEdgeChange[]])[];
};

/** One edge change and the parsed edge it contains. */
type EventEdgeChange = { readonly change: EdgeFieldChange; readonly edge: EventEdge };

const parseEdgeChange = (change: EdgeFieldChange): EventEdgeChange => ({
  change,
  edge: JSON.parse(change.newValue ?? change.oldValue ?? '{}') as EventEdge,
});

const changeDescriptionOf = (event: JsonObject) => event['changeDescription'] as JsonObject;

const parseEvent = ({ json }: { readonly json: string }): ParsedLineageEvent => {
  const event = JSON.parse(json) as JsonObject;
  const changesIn = (list: string) => (changeDescriptionOf(event)[list] ?? []) as readonly EdgeFieldChange[];
  return { event, lists: EDGE_CHANGE_LISTS.map((list) => [list, changesIn(list).map(parseEdgeChange)]) };
};

const pipelineIdsIn = ({ lists }: ParsedLineageEvent): readonly string[] =>
  lists.flatMap(([, told]) => told.flatMap(({ edge }) => edge.lineageDetails?.pipeline?.id ?? []));

/** Removes the pipeline from an edge when the caller may not see it. */
const redactPipeline = (edge: EventEdge, sees: NodeVisibility): EventEdge => {
  const { pipeline, ...details } = edge.lineageDetails ?? {};
  return pipeline === undefined || sees(pipeline.id) ? edge : { ...edge, lineageDetails: details };
};

const filterEdgeChange = ({ change, edge }: EventEdgeChange, sees: NodeVisibility): readonly EdgeFieldChange[] => {
  if (!sees(edge.toEntity)) return [];
  const text = JSON.stringify(redactPipeline(edge, sees));
  return [{ ...change, ...(change.newValue === undefined ? { oldValue: text } : { newValue: text }) }];
};

const filterEvent = ({ event, lists }: ParsedLineageEvent, sees: NodeVisibility): JsonObject => {
  const seen = lists.map(([list, told]) => [list, told.flatMap((one) => filterEdgeChange(one, sees))]);
  const change: JsonObject = { ...changeDescriptionOf(event), ...Object.fromEntries(seen) };
  return { ...event, changeDescription: change, incrementalChangeDescription: change };
};

/** Filters change events for a principal: drops edges to hidden records and redacts hidden pipelines. */
export const filterLineageEvents =
  (engine: Engine): FilterLineageEvents =>
  async (principal, tellings) => {
    const events = tellings.map(parseEvent);
    const ends = tellings
      .flatMap(({ ends }) => ends.map(parseEventRecordKey))
      .map(({ entityType, entityId: id }) => ({ entityType, id }));
    const carrierIds = new Set(events.flatMap(pipelineIdsIn));
    const carriers = await Promise.all([...carrierIds].map((id) => engine.store.referenceById(id)));
    const sees = await readNodeVisibility(engine, principal, [
      ...ends,
      ...carriers.flatMap((carrier) => carrier ?? []),
    ]);
    return events.map((event) => JSON.stringify(filterEvent(event, sees)));
  };
