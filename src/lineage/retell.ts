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

const textOf = ({ oldValue, newValue }: Change): string => newValue ?? oldValue ?? '{}';

const edgeOf = (change: Change): Edge => JSON.parse(textOf(change)) as Edge;

const changesIn = (event: JsonObject): readonly Change[] => {
  const described = event['changeDescription'] as JsonObject;
  return CHANGE_LISTS.flatMap((list) => (described[list] ?? []) as readonly Change[]);
};

/** Who carries an edge is told only to who may see them. */
const withoutCarrier = (edge: Edge, sees: Sees): Edge => {
  const { pipeline, ...details } = edge.lineageDetails ?? {};
  return pipeline === undefined || sees(pipeline.id) ? edge : { ...edge, lineageDetails: details };
};

const retellChange = (change: Change, sees: Sees): readonly Change[] => {
  const edge = edgeOf(change);
  if (!sees(edge.toEntity)) return [];
  const text = JSON.stringify(withoutCarrier(edge, sees));
  return [{ ...change, ...(change.newValue === undefined ? { oldValue: text } : { newValue: text }) }];
};

const retellDescription = (described: JsonObject, sees: Sees): JsonObject => ({
  ...described,
  ...Object.fromEntries(
    CHANGE_LISTS.map((list) => [
      list,
      ((described[list] ?? []) as readonly Change[]).flatMap((change) => retellChange(change, sees)),
    ]),
  ),
});

const retellEvent = (event: JsonObject, sees: Sees): JsonObject => {
  const change = retellDescription(event['changeDescription'] as JsonObject, sees);
  return { ...event, changeDescription: change, incrementalChangeDescription: change };
};

/** What happened to edges, without those to records that a caller may not see and without carriers that they may not. */
export const retellEdges =
  (engine: Engine): Retell =>
  async (principal, tellings) => {
    const events = tellings.map(({ json }) => JSON.parse(json) as JsonObject);
    const ends = tellings
      .flatMap(({ ends }) => ends.map(endFrom))
      .map(({ entityType, entityId: id }) => ({ entityType, id }));
    const carrierIds = events.flatMap(changesIn).flatMap((change) => edgeOf(change).lineageDetails?.pipeline?.id ?? []);
    const carriers = await Promise.all([...new Set(carrierIds)].map((id) => engine.store.referenceById(id)));
    const sees = await sightOf(engine, principal, [...ends, ...carriers.flatMap((carrier) => carrier ?? [])]);
    return events.map((event) => JSON.stringify(retellEvent(event, sees)));
  };
