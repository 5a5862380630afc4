import { parseQueryFlag, readRequiredJson } from '../catalog/read/answer.ts';
import { badRequest } from '../errors.ts';
import type { RecordVisibilityOf, RedactForPrincipal } from '../events/event-visibility.ts';
import { parseRecordTypes } from '../events/filter-query.ts';
import { timePlace } from '../events/sequence.ts';
import type { Graph } from '../graph/client.ts';
import {
  AFTER_PARAMETER,
  BEFORE_PARAMETER,
  integerParameter,
  limitParameter,
  textParameter,
} from '../http/query-parameters.ts';
import { type Answer, asOwn, type Call, type HttpMethod, type QueryParameter, type Route } from '../http/route.ts';
import { decodeCursor } from '../model/cursor.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { Flag, Integer, listOf, must, Ref, shape, Text, Timestamp, Uuid } from '../model/values.ts';
import {
  countInbox,
  findNotification,
  type InboxOwner,
  markNotification,
  markNotificationsBefore,
  type NotificationHrefOf,
  removeNotification,
  renderNotification,
} from './inbox.ts';
import { listNotifications, type NotificationPageRequest } from './list-notifications.ts';
import { findPreferences, PreferencesBody, parsePreferences, storePreferences } from './preferences.ts';
import type { NotificationNode } from './queries.ts';

/**
 * Notifications tell users about changes to records that they follow or own. Read `notification-service.ts` first, then
 * `notification-writer.ts` with `notification-addressees.ts` (whom each event notifies) and `notification-trigger.ts`
 * (which events count), and `notification-watcher.ts` with `notification-channel.ts` (streams). `inbox.ts` and
 * `list-notifications.ts` serve the routes; `retention.ts` removes old notifications.
 */

export type NotificationRoutesDeps = {
  readonly graph: Graph;
  readonly visibilityOf: RecordVisibilityOf;
  readonly redactForPrincipal: RedactForPrincipal;
  /** The path of the records of a type, relative to the service. */
  readonly pathOf: (entityType: string) => string | undefined;
};

const MAX_LIMIT = 1_000_000;
const DEFAULT_LIMIT = 10;

export const NotificationSchema = shape('Notification', {
  id: must(Uuid),
  userId: must(Uuid),
  reason: must(Text),
  read: must(Flag),
  timestamp: must(Timestamp),
  eventType: must(Text),
  entityRef: must(Ref),
  actor: must(Text),
  summary: must(Text),
  changeEventId: must(Uuid),
});
const NotificationPaging = shape('NotificationPaging', { before: Text, after: Text, total: must(Integer) });
const NotificationList = shape('NotificationList', {
  data: must(listOf(NotificationSchema, MAX_LIMIT)),
  paging: must(NotificationPaging),
});
const NotificationCounts = shape('NotificationCounts', { unread: must(Integer), total: must(Integer) });
const NotificationsRead = shape('NotificationsRead', { updated: must(Integer) });
const ReadMark = shape('ReadMark', { read: must(Flag) });
const ReadBefore = shape('ReadBefore', { before: must(Timestamp) });

const parseCursorParameter = (call: Call, name: string): string | undefined => {
  const text = call.query.get(name);
  return text ? decodeCursor(text) : undefined;
};

const parseNotificationPage = (call: Call): NotificationPageRequest => {
  const after = parseCursorParameter(call, 'after');
  const before = parseCursorParameter(call, 'before');
  if (after !== undefined && before !== undefined) {
    throw badRequest('Only one of before or after query parameter allowed');
  }
  const entityTypes = parseRecordTypes(call.query, 'entityType');
  return {
    after,
    before,
    limit: integerParameter(call.query, 'limit', DEFAULT_LIMIT, 0, MAX_LIMIT),
    unreadOnly: parseQueryFlag(call, 'unread'),
    entityTypes: entityTypes.length > 0 ? entityTypes : null,
    since: timePlace(integerParameter(call.query, 'since', 0, 0, Number.MAX_SAFE_INTEGER)),
  };
};

/** An array would otherwise pass as an object without members. */
const readObjectBody = async (call: Call): Promise<JsonObject> => {
  const body = dropNulls((await readRequiredJson(call)) as Json);
  if (!isObject(body)) throw badRequest('[body must be an object]');
  return body;
};

/** Builds the URLs of the references in an answer. */
export const createHrefOf =
  (pathOf: NotificationRoutesDeps['pathOf'], { hrefBase }: Pick<Call, 'hrefBase'>): NotificationHrefOf =>
  (entityType, id) => {
    const path = pathOf(entityType);
    return path === undefined ? undefined : `${hrefBase}/v1/${path}/${id}`;
  };

/** A request for the caller's own notifications. */
type InboxRequest = {
  readonly call: Call;
  readonly graph: Graph;
  readonly owner: InboxOwner;
  readonly addressOf: NotificationHrefOf;
  readonly redact: (values: readonly Json[]) => Promise<readonly Json[]>;
};

type InboxHandler = (visit: InboxRequest) => Promise<Answer>;

const notificationIdParameter = ({ call }: InboxRequest): string => call.params['id'] ?? '';

const answerNotification = ({ addressOf }: InboxRequest, node: NotificationNode): Answer => ({
  status: 200,
  json: renderNotification(node, addressOf),
});

const handleList: InboxHandler = async ({ call, graph, owner, addressOf, redact }) => {
  const render = (nodes: readonly NotificationNode[]) =>
    redact(nodes.map((node) => renderNotification(node, addressOf)));
  return {
    status: 200,
    stream: listNotifications(graph, owner.userId, parseNotificationPage(call), owner.visibility, render),
  };
};

const handleCount: InboxHandler = async ({ graph, owner }) => ({ status: 200, json: await countInbox(graph, owner) });

const handleRead: InboxHandler = async (visit) =>
  answerNotification(visit, await findNotification(visit.graph, visit.owner, notificationIdParameter(visit)));

const handleMark: InboxHandler = async (visit) => {
  const { read: isRead } = validate(ReadMark, await readObjectBody(visit.call)) as { readonly read: boolean };
  return answerNotification(
    visit,
    await markNotification(visit.graph, visit.owner, notificationIdParameter(visit), isRead),
  );
};

const handleMarkAll: InboxHandler = async ({ call, graph, owner }) => {
  const { before } = validate(ReadBefore, await readObjectBody(call)) as { readonly before: number };
  return { status: 200, json: { updated: await markNotificationsBefore(graph, owner, before) } };
};

const handleRemove: InboxHandler = async (visit) =>
  answerNotification(visit, await removeNotification(visit.graph, visit.owner, notificationIdParameter(visit)));

const handleReadPreferences: InboxHandler = async ({ graph, owner }) => ({
  status: 200,
  json: await findPreferences(graph, owner.userId),
});

const handleUpdatePreferences: InboxHandler = async ({ call, graph, owner }) => {
  const preferences = parsePreferences(await readObjectBody(call));
  return { status: 200, json: await storePreferences(graph, owner.userId, preferences) };
};

const notificationListParameters: readonly QueryParameter[] = [
  limitParameter('notifications', 0, MAX_LIMIT, DEFAULT_LIMIT),
  AFTER_PARAMETER,
  BEFORE_PARAMETER,
  {
    name: 'unread',
    description: 'Whether to return only unread notifications',
    schema: { type: 'boolean', default: false },
  },
  textParameter('entityType', 'Comma-separated entity types'),
  {
    name: 'since',
    description: 'Time of the earliest notification, in milliseconds since 1970',
    schema: { type: 'integer', minimum: 0 },
  },
];

const BASE = '/v1/notifications';

const jsonBody = (schema: ReturnType<typeof shape>): Pick<Route, 'body'> => ({
  body: { schema, mediaTypes: ['application/json'], maxBytes: 64 * 1024 },
});

/** The notification and preference routes; every caller reaches only their own. */
export const notificationRoutes = ({
  graph,
  visibilityOf,
  redactForPrincipal,
  pathOf,
}: NotificationRoutesDeps): Route[] => {
  const declare = (
    method: HttpMethod,
    path: string,
    summary: string,
    handle: InboxHandler,
    rest: Pick<Route, 'responses'> & Partial<Pick<Route, 'query' | 'body'>>,
  ): Route => ({
    method,
    path: `${BASE}${path}`,
    summary,
    tag: 'Notifications',
    access: 'authenticated',
    ...rest,
    handle: (call) => {
      const owner = { userId: call.principal.id, visibility: visibilityOf(call.principal) };
      const redact = (values: readonly Json[]) => redactForPrincipal(call.principal, values);
      return handle({ call, graph, owner, addressOf: createHrefOf(pathOf, call), redact });
    },
  });
  const one = { responses: { 200: NotificationSchema } };
  const preferences = { responses: { 200: PreferencesBody } };
  return asOwn([
    declare('GET', '', 'List your notifications, newest first', handleList, {
      query: notificationListParameters,
      responses: { 200: NotificationList },
    }),
    declare('GET', '/count', 'Count your notifications', handleCount, { responses: { 200: NotificationCounts } }),
    declare('GET', '/preferences', 'Get your notification preferences', handleReadPreferences, preferences),
    declare('PUT', '/preferences', 'Update your notification preferences', handleUpdatePreferences, {
      ...preferences,
      ...jsonBody(PreferencesBody),
    }),
    declare('PUT', '/read', 'Mark all notifications before a given time as read', handleMarkAll, {
      ...jsonBody(ReadBefore),
      responses: { 200: NotificationsRead },
    }),
    declare('GET', '/{id}', 'Get a notification', handleRead, one),
    declare('PUT', '/{id}/read', 'Mark a notification as read or unread', handleMark, {
      ...one,
      ...jsonBody(ReadMark),
    }),
    declare('DELETE', '/{id}', 'Delete a notification', handleRemove, one),
  ]);
};
