import type { Graph } from '../graph/client.ts';
import { AFTER, limitParameter, textParameter } from '../http/query.ts';
import type { QueryParameter, Route } from '../http/route.ts';
import { ChangeEvent } from '../model/event-values.ts';
import { Integer, listOf, must, shape, Text } from '../model/values.ts';
import { DEFAULT_EVENTS, MAX_EVENTS, parseEventList } from './filter-query.ts';
import { listEvents } from './list.ts';
import type { EyesOf } from './seen.ts';

export type EventRoutesDeps = {
  readonly graph: Graph;
  readonly eyesOf: EyesOf;
  readonly clock: () => number;
};

const Paging = shape('ChangeEventPaging', { after: Text, total: must(Integer) });
const ChangeEventList = shape('ChangeEventList', {
  data: must(listOf(ChangeEvent, MAX_EVENTS)),
  paging: must(Paging),
});

const happened = (name: string, what: string): QueryParameter =>
  textParameter(name, `Comma-separated types of records, or *: what was ${what} of these`);

/** What narrows a list or a stream of events. */
export const filterParameters: readonly QueryParameter[] = [
  happened('entityCreated', 'created'),
  happened('entityUpdated', 'changed'),
  happened('entityRestored', 'restored'),
  happened('entityDeleted', 'deleted, for good or not,'),
  textParameter('entityType', 'Comma-separated types of records'),
  textParameter('entityId', 'Comma-separated ids of records'),
  textParameter('eventType', 'Comma-separated types of events'),
  textParameter('userName', 'Comma-separated names of people and bots who did it'),
];

const listParameters: readonly QueryParameter[] = [
  {
    name: 'timestamp',
    description: 'Only what happened at this moment or later, in milliseconds since 1970; the last day unless given',
    schema: { type: 'integer', minimum: 0 },
  },
  ...filterParameters,
  limitParameter('events', 0, MAX_EVENTS, DEFAULT_EVENTS),
  AFTER,
];

/** What happened, as callers look it up. */
export const eventRoutes = ({ graph, eyesOf, clock }: EventRoutesDeps): Route[] => [
  {
    method: 'GET',
    path: '/v1/events',
    summary: 'List what happened, oldest first',
    tag: 'Events',
    access: 'authenticated',
    query: listParameters,
    responses: { 200: ChangeEventList },
    isHeavy: true,
    handle: async (call) => {
      const request = parseEventList(call.query, clock());
      return { status: 200, stream: listEvents(graph, request, eyesOf(call.principal)) };
    },
  },
];
