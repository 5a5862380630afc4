import type { OpenListener } from '../access/listener.ts';
import { badRequest } from '../errors.ts';
import {
  createEventChannel,
  findStreamStart,
  parseLastEventId,
  type StreamChannel,
  streamChannel,
} from '../events/event-channel.ts';
import type { EventVisibilityOf, RecordVisibilityOf, RedactForPrincipal } from '../events/event-visibility.ts';
import { parseEventListFilter } from '../events/filter-query.ts';
import { eventFilterParameters } from '../events/routes.ts';
import type { EventTail } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import { EVENT_STREAM_TYPE, type EventStreams } from '../http/event-stream.ts';
import type { Call, QueryParameter, Route } from '../http/route.ts';
import { ChangeEventSchema } from '../model/schemas/events/change-event.ts';
import { anyOf } from '../model/values.ts';
import { createNotificationChannel } from './notification-channel.ts';
import type { NotificationWatcher } from './notification-watcher.ts';
import { createHrefOf, NotificationSchema } from './routes.ts';

export type StreamRoutesDeps = {
  readonly graph: Graph;
  readonly tail: EventTail;
  readonly watcher: NotificationWatcher;
  readonly streams: EventStreams;
  readonly listeners: OpenListener;
  readonly visibilityOf: RecordVisibilityOf;
  readonly redactForPrincipal: RedactForPrincipal;
  readonly eventVisibilityOf: EventVisibilityOf;
  readonly pathOf: (entityType: string) => string | undefined;
  readonly clock: () => number;
};

const STREAM_SCOPES = ['notifications', 'events'] as const;

const parseStreamScope = ({ query }: Call): (typeof STREAM_SCOPES)[number] => {
  const text = query.get('scope') || 'notifications';
  const scope = STREAM_SCOPES.find((known) => known === text);
  if (!scope) throw badRequest(`[scope must be one of ${STREAM_SCOPES.join(', ')}]`);
  return scope;
};

const ACCEPTED_RANGES: ReadonlySet<string> = new Set([EVENT_STREAM_TYPE, 'text/*', '*/*']);

/** An Accept header must allow event streams; a quality of zero excludes a type. */
const checkAccept = (header: string | undefined): void => {
  if (!header?.trim()) return;
  const takes = header.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return ACCEPTED_RANGES.has(type) && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
  if (!takes) throw badRequest(`[Accept must allow ${EVENT_STREAM_TYPE}]`);
};

const openChannel = (deps: StreamRoutesDeps, call: Call): StreamChannel => {
  if (parseStreamScope(call) === 'events')
    return createEventChannel(deps.tail, parseEventListFilter(call.query), deps.eventVisibilityOf);
  return createNotificationChannel({
    ...deps,
    redactFor: deps.redactForPrincipal,
    hrefOf: createHrefOf(deps.pathOf, call),
  });
};

const streamParameters: readonly QueryParameter[] = [
  {
    name: 'scope',
    description:
      'Content of the stream: your notifications, or all change events visible to you, filtered by the other parameters',
    schema: { type: 'string', enum: STREAM_SCOPES, default: 'notifications' },
  },
  {
    name: 'lastEventId',
    description: 'ID of the last event received; the header Last-Event-ID takes precedence',
    schema: { type: 'integer', minimum: 0 },
  },
  ...eventFilterParameters,
];

/** The routes that stream events and notifications as they happen. */
export const eventStreamRoutes = (deps: StreamRoutesDeps): Route[] => [
  {
    method: 'GET',
    path: '/v1/events/stream',
    summary: 'Stream your notifications or change events',
    tag: 'Events',
    access: 'authenticated',
    isOwn: true,
    query: streamParameters,
    responses: { 200: undefined },
    answers: EVENT_STREAM_TYPE,
    each: anyOf(NotificationSchema, ChangeEventSchema),
    reads: ['Last-Event-ID'],
    fails: [429],
    handle: async (call) => {
      checkAccept(call.header('accept'));
      const channel = openChannel(deps, call);
      const lastId = parseLastEventId(call.header('last-event-id'), call.query.get('lastEventId'));
      const listener = await deps.listeners(call.header('authorization'), call.header('x-impersonate-user'));
      const start = await findStreamStart(channel, lastId);
      return deps.streams.open(call.principal.name, streamChannel(channel, start, listener, deps.clock));
    },
  },
];
