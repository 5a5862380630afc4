import type { Graph } from '../graph/client.ts';
import { AFTER_PARAMETER, limitParameter, textParameter } from '../http/query-parameters.ts';
import type { QueryParameter, Route } from '../http/route.ts';
import { ChangeEventSchema } from '../model/schemas/events/change-event.ts';
import { Integer, listOf, must, shape, Text } from '../model/values.ts';
import type { EventVisibilityOf } from './event-visibility.ts';
import { DEFAULT_EVENT_LIMIT, MAX_EVENT_LIMIT, parseEventList } from './filter-query.ts';
import { listEvents } from './list-events.ts';

/**
 * This folder numbers change events, lists and streams them, and delivers them to subscriptions. Read
 * `event-service.ts` first, then `sequencer.ts` and `sequence.ts` (numbering), `tail.ts` (reading in order) and
 * `event-visibility.ts` (what a caller sees). Lists are in `filter-query.ts` and `list-events.ts`, streams in
 * `event-channel.ts`, webhooks in `dispatcher.ts`, `delivery.ts` and `webhook-caller.ts`.
 */

export type EventRoutesDeps = {
  readonly graph: Graph;
  readonly visibilityOf: EventVisibilityOf;
  readonly clock: () => number;
};

const ChangeEventPaging = shape('ChangeEventPaging', { after: Text, total: must(Integer) });
const ChangeEventList = shape('ChangeEventList', {
  data: must(listOf(ChangeEventSchema, MAX_EVENT_LIMIT)),
  paging: must(ChangeEventPaging),
});

const typesParameter = (name: string, what: string): QueryParameter =>
  textParameter(name, `Comma-separated types of records, or *: what was ${what} of these`);

/** The filter parameters of lists and streams of events. */
export const eventFilterParameters: readonly QueryParameter[] = [
  typesParameter('entityCreated', 'created'),
  typesParameter('entityUpdated', 'changed'),
  typesParameter('entityRestored', 'restored'),
  typesParameter('entityDeleted', 'deleted, for good or not,'),
  textParameter('entityType', 'Comma-separated types of records'),
  textParameter('entityId', 'Comma-separated ids of records'),
  textParameter('eventType', 'Comma-separated types of events'),
  textParameter('userName', 'Comma-separated names of people and bots who did it'),
];

const eventListParameters: readonly QueryParameter[] = [
  {
    name: 'timestamp',
    description: 'Only what happened at this moment or later, in milliseconds since 1970; the last day unless given',
    schema: { type: 'integer', minimum: 0 },
  },
  ...eventFilterParameters,
  limitParameter('events', 0, MAX_EVENT_LIMIT, DEFAULT_EVENT_LIMIT),
  AFTER_PARAMETER,
];

/** The routes that list events. */
export const eventRoutes = ({ graph, visibilityOf, clock }: EventRoutesDeps): Route[] => [
  {
    method: 'GET',
    path: '/v1/events',
    summary: 'List what happened, oldest first',
    tag: 'Events',
    access: 'authenticated',
    query: eventListParameters,
    responses: { 200: ChangeEventList },
    isHeavy: true,
    handle: async (call) => {
      const request = parseEventList(call.query, clock());
      return { status: 200, stream: listEvents(graph, request, visibilityOf(call.principal)) };
    },
  },
];
