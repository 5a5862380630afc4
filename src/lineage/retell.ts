import type { Engine } from '../catalog/engine.ts';
import { endFrom, type Retell } from '../events/seen.ts';
import type { JsonObject } from '../model/json.ts';
import { type Sees, sightOf } from './sight.ts';
import { CHANGE_LISTS } from './telling.ts';

/** What an event says of one edge: the value that is the text of an edge, before or after. */
type Change = JsonObject & { readonly oldValue?: string; readonly newValue?: string };

type Edge = {
  readonly toEntity: string;
  readonly lineageDetails?: JsonObject & { readonly pipeline?: { readonly id: string } };
};

/** An event, and what it says of edges by the list in which it says so. */
type Read = { readonly event: JsonObject; readonly lists: readonly (readonly [list: string, told: readonly Told[]])[] };

/** What is said of an edge, and the edge itself. */
type Told = { readonly change: Change; readonly edge: Edge };

const readChange = (change: Change): Told => ({
  change,
  edge: JSON.parse(change.newValue ?? change.oldValue ?? '{}') as Edge,
});

const describedIn = (event: JsonObject) => event['changeDescription'] as JsonObject;

const readEvent = ({ json }: { readonly json: string }): Read => {
  const event = JSON.parse(json) as JsonObject;
  const changesIn = (list: string) => (describedIn(event)[list] ?? []) as readonly Change[];
  return { event, lists: CHANGE_LISTS.map((list) => [list, changesIn(list).map(readChange)]) };
};

const carrierIdsIn = ({ lists }: Read): readonly string[] =>
  lists.flatMap(([, told]) => told.flatMap(({ edge }) => edge.lineageDetails?.pipeline?.id ?? []));

/** Who carries an edge is told only to who may see them. */
const withoutCarrier = (edge: Edge, sees: Sees): Edge => {
  const { pipeline, ...details } = edge.lineageDetails ?? {};
  return pipeline === undefined || sees(pipeline.id) ? edge : { ...edge, lineageDetails: details };
};

const retellChange = ({ change, edge }: Told, sees: Sees): readonly Change[] => {
  if (!sees(edge.toEntity)) return [];
  const text = JSON.stringify(withoutCarrier(edge, sees));
  return [{ ...change, ...(change.newValue === undefined ? { oldValue: text } : { newValue: text }) }];
};

const retellEvent = ({ event, lists }: Read, sees: Sees): JsonObject => {
  const seen = lists.map(([list, told]) => [list, told.flatMap((one) => retellChange(one, sees))]);
  const change: JsonObject = { ...describedIn(event), ...Object.fromEntries(seen) };
  return { ...event, changeDescription: change, incrementalChangeDescription: change };
};

/** What happened to edges, without those to records that a caller may not see and without carriers that they may not. */
export const retellEdges =
  (engine: Engine): Retell =>
  async (principal, tellings) => {
    const events = tellings.map(readEvent);
    const ends = tellings
      .flatMap(({ ends }) => ends.map(endFrom))
      .map(({ entityType, entityId: id }) => ({ entityType, id }));
    const carrierIds = new Set(events.flatMap(carrierIdsIn));
    const carriers = await Promise.all([...carrierIds].map((id) => engine.store.referenceById(id)));
    const sees = await sightOf(engine, principal, [...ends, ...carriers.flatMap((carrier) => carrier ?? [])]);
    return events.map((event) => JSON.stringify(retellEvent(event, sees)));
  };
