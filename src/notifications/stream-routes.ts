import type { Listeners } from '../access/listener.ts';
import { badRequest } from '../errors.ts';
import { parseFilter } from '../events/filter-query.ts';
import { type Channel, eventChannel, listen, parseLastId, startAfter } from '../events/listen.ts';
import { filterParameters } from '../events/routes.ts';
import type { EyesOf, RedactFor, SightOf } from '../events/seen.ts';
import type { Tail } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import type { EventStreams } from '../http/event-stream.ts';
import type { Call, QueryParameter, Route } from '../http/route.ts';
import { notificationChannel } from './channel.ts';
import type { News } from './news.ts';
import { addressesFor } from './routes.ts';

export type StreamRoutesDeps = {
  readonly graph: Graph;
  readonly tail: Tail;
  readonly news: News;
  readonly streams: EventStreams;
  readonly listeners: Listeners;
  readonly sightOf: SightOf;
  readonly redactFor: RedactFor;
  readonly eyesOf: EyesOf;
  readonly pathOf: (entityType: string) => string | undefined;
  readonly clock: () => number;
};

const SCOPES = ['notifications', 'events'] as const;

const scopeOf = ({ query }: Call): (typeof SCOPES)[number] => {
  const text = query.get('scope') || 'notifications';
  const scope = SCOPES.find((known) => known === text);
  if (!scope) throw badRequest(`[scope must be one of ${SCOPES.join(', ')}]`);
  return scope;
};

const MEDIA_TYPE = 'text/event-stream';
const ACCEPTED: ReadonlySet<string> = new Set([MEDIA_TYPE, 'text/*', '*/*']);

/** Whoever says what they take must take a stream of events; a quality of zero says that they do not. */
const checkAccept = (header: string | undefined): void => {
  if (!header?.trim()) return;
  const takes = header.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return ACCEPTED.has(type) && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
  if (!takes) throw badRequest(`[Accept must allow ${MEDIA_TYPE}]`);
};

const channelFor = (deps: StreamRoutesDeps, call: Call): Channel => {
  if (scopeOf(call) === 'events') return eventChannel(deps.tail, parseFilter(call.query), deps.eyesOf);
  return notificationChannel({ ...deps, addressOf: addressesFor(deps.pathOf, call) });
};

const parameters: readonly QueryParameter[] = [
  {
    name: 'scope',
    description: 'Your own notifications, or everything that happens and you may see, narrowed by the filters below',
    schema: { type: 'string', enum: SCOPES, default: 'notifications' },
  },
  {
    name: 'lastEventId',
    description: 'The id after which the stream goes on; the header Last-Event-ID goes before',
    schema: { type: 'integer', minimum: 0 },
  },
  ...filterParameters,
];

/** What happens, told as it happens. */
export const streamRoutes = (deps: StreamRoutesDeps): Route[] => [
  {
    method: 'GET',
    path: '/v1/events/stream',
    summary: 'Listen to your notifications, or to what happens, as a stream of events',
    tag: 'Events',
    access: 'authenticated',
    query: parameters,
    responses: { 200: undefined },
    answers: MEDIA_TYPE,
    handle: async (call) => {
      checkAccept(call.header('accept'));
      const channel = channelFor(deps, call);
      const lastId = parseLastId(call.header('last-event-id'), call.query.get('lastEventId'));
      const listener = await deps.listeners(call.header('authorization'), call.header('x-impersonate-user'));
      const start = await startAfter(channel, lastId);
      return deps.streams.open(call.principal.name, listen(channel, start, listener, deps.clock));
    },
  },
];
