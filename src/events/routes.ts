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
  textParameter(name, `Comma-separated entity types, or \`*\`, whose ${what} events are returned`);

/** The filter parameters of lists and streams of events. */
export const eventFilterParameters: readonly QueryParameter[] = [
  typesParameter('entityCreated', 'creation'),
  typesParameter('entityUpdated', 'update'),
  typesParameter('entityRestored', 'restoration'),
  typesParameter('entityDeleted', 'soft and hard deletion'),
  textParameter('entityType', 'Comma-separated entity types'),
  textParameter('entityId', 'Comma-separated IDs of assets'),
  textParameter('eventType', 'Comma-separated event types'),
  textParameter('userName', 'Comma-separated names of the users and bots that made the changes'),
];

const eventListParameters: readonly QueryParameter[] = [
  {
    name: 'timestamp',
    description: 'Time of the earliest event, in milliseconds since 1970; 24 hours ago by default',
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
    summary: 'List change events, oldest first',
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
