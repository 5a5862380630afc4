import type { Graph } from '../graph/client.ts';
import type { QueryParameter, Route } from '../http/route.ts';
import { ChangeEvent } from '../model/event-values.ts';
import { Integer, listOf, must, shape, Text } from '../model/values.ts';
import { DEFAULT_EVENTS, MAX_EVENTS, parseEventList } from './filter-query.ts';
import { listEvents, type SightOf } from './list.ts';

export type EventRoutesDeps = {
  readonly graph: Graph;
  readonly sightOf: SightOf;
  readonly clock: () => number;
};

const Paging = shape('ChangeEventPaging', { after: Text, total: must(Integer) });
const ChangeEventList = shape('ChangeEventList', {
  data: must(listOf(ChangeEvent, MAX_EVENTS)),
  paging: must(Paging),
});

const text = (name: string, description: string): QueryParameter => ({ name, description, schema: { type: 'string' } });

const happened = (name: string, what: string): QueryParameter =>
  text(name, `Comma-separated types of records, or *: what was ${what} of these`);

/** What narrows a list or a stream of events. */
export const filterParameters: readonly QueryParameter[] = [
  happened('entityCreated', 'created'),
  happened('entityUpdated', 'changed'),
  happened('entityRestored', 'restored'),
  happened('entityDeleted', 'deleted, for good or not,'),
  text('entityType', 'Comma-separated types of records'),
  text('entityId', 'Comma-separated ids of records'),
  text('eventType', 'Comma-separated types of events'),
  text('userName', 'Comma-separated names of people and bots who did it'),
];

const listParameters: readonly QueryParameter[] = [
  {
    name: 'timestamp',
    description: 'Only what happened at this moment or later, in milliseconds since 1970; the last day unless given',
    schema: { type: 'integer', minimum: 0 },
  },
  ...filterParameters,
  {
    name: 'limit',
    description: 'How many events to answer; 0 answers the total only',
    schema: { type: 'integer', minimum: 0, maximum: MAX_EVENTS, default: DEFAULT_EVENTS },
  },
  text('after', 'The cursor after which the page begins'),
];

/** What happened, as callers look it up. */
export const eventRoutes = ({ graph, sightOf, clock }: EventRoutesDeps): Route[] => [
  {
    method: 'GET',
    path: '/v1/events',
    summary: 'List what happened, oldest first',
    tag: 'Events',
    access: 'authenticated',
    query: listParameters,
    responses: { 200: ChangeEventList },
    handle: async (call) => {
      const request = parseEventList(call.query, clock());
      return { status: 200, stream: listEvents(graph, request, sightOf(call.principal)) };
    },
  },
];
