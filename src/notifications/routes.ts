import { queryFlag, requiredJson } from '../catalog/read/answer.ts';
import { badRequest } from '../errors.ts';
import { typesOf } from '../events/filter-query.ts';
import type { RedactFor, SightOf } from '../events/seen.ts';
import { placeOfTime } from '../events/sequence.ts';
import type { Graph } from '../graph/client.ts';
import { AFTER, BEFORE, limitParameter, textParameter, wholeNumber } from '../http/query.ts';
import type { Answer, Call, Method, QueryParameter, Route } from '../http/route.ts';
import { decodeCursor } from '../model/cursor.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { check, dropNulls } from '../model/validate.ts';
import { Flag, Integer, listOf, must, Ref, shape, Text, Timestamp, Uuid } from '../model/values.ts';
import {
  type AddressOf,
  countInbox,
  findNotification,
  markBefore,
  markNotification,
  type Owner,
  removeNotification,
  renderNotification,
} from './inbox.ts';
import { listNotifications, type PageRequest } from './list.ts';
import { findPreferences, keepPreferences, PreferencesBody, parsePreferences } from './preferences.ts';
import type { NotificationNode } from './queries.ts';

export type NotificationRoutesDeps = {
  readonly graph: Graph;
  readonly sightOf: SightOf;
  readonly redactFor: RedactFor;
  /** Where the records of a type are found, below the address of the service. */
  readonly pathOf: (entityType: string) => string | undefined;
};

const MAX_LIMIT = 1_000_000;
const DEFAULT_LIMIT = 10;

const Notification = shape('Notification', {
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
const Paging = shape('NotificationPaging', { before: Text, after: Text, total: must(Integer) });
const NotificationList = shape('NotificationList', {
  data: must(listOf(Notification, MAX_LIMIT)),
  paging: must(Paging),
});
const Counts = shape('NotificationCounts', { unread: must(Integer), total: must(Integer) });
const Updated = shape('NotificationsRead', { updated: must(Integer) });
const ReadMark = shape('ReadMark', { read: must(Flag) });
const ReadBefore = shape('ReadBefore', { before: must(Timestamp) });

const cursorIn = (call: Call, name: string): string | undefined => {
  const text = call.query.get(name);
  return text ? decodeCursor(text) : undefined;
};

const parsePage = (call: Call): PageRequest => {
  const after = cursorIn(call, 'after');
  const before = cursorIn(call, 'before');
  if (after !== undefined && before !== undefined) {
    throw badRequest('Only one of before or after query parameter allowed');
  }
  const entityTypes = typesOf(call.query, 'entityType');
  return {
    after,
    before,
    limit: wholeNumber(call.query, 'limit', DEFAULT_LIMIT, 0, MAX_LIMIT),
    unreadOnly: queryFlag(call, 'unread'),
    entityTypes: entityTypes.length > 0 ? entityTypes : null,
    since: placeOfTime(wholeNumber(call.query, 'since', 0, 0, Number.MAX_SAFE_INTEGER)),
  };
};

/** A list would pass for an object without members. */
const objectIn = async (call: Call): Promise<JsonObject> => {
  const body = dropNulls((await requiredJson(call)) as Json);
  if (!isObject(body)) throw badRequest('[body must be an object]');
  return body;
};

/** Where the references of this request's answers lead. */
export const addressesFor =
  (pathOf: NotificationRoutesDeps['pathOf'], { hrefBase }: Pick<Call, 'hrefBase'>): AddressOf =>
  (entityType, id) => {
    const path = pathOf(entityType);
    return path === undefined ? undefined : `${hrefBase}/v1/${path}/${id}`;
  };

/** One request for somebody's own notifications. */
type Visit = {
  readonly call: Call;
  readonly graph: Graph;
  readonly owner: Owner;
  readonly addressOf: AddressOf;
  readonly redact: (values: readonly Json[]) => Promise<readonly Json[]>;
};

type Handler = (visit: Visit) => Promise<Answer>;

const idOf = ({ call }: Visit): string => call.params['id'] ?? '';

const answerOne = ({ addressOf }: Visit, node: NotificationNode): Answer => ({
  status: 200,
  json: renderNotification(node, addressOf),
});

const list: Handler = async ({ call, graph, owner, addressOf, redact }) => {
  const render = (nodes: readonly NotificationNode[]) =>
    redact(nodes.map((node) => renderNotification(node, addressOf)));
  return { status: 200, stream: listNotifications(graph, owner.userId, parsePage(call), owner.sight, render) };
};

const count: Handler = async ({ graph, owner }) => ({ status: 200, json: await countInbox(graph, owner) });

const read: Handler = async (visit) => answerOne(visit, await findNotification(visit.graph, visit.owner, idOf(visit)));

const mark: Handler = async (visit) => {
  const { read: isRead } = check(ReadMark, await objectIn(visit.call)) as { readonly read: boolean };
  return answerOne(visit, await markNotification(visit.graph, visit.owner, idOf(visit), isRead));
};

const markAll: Handler = async ({ call, graph, owner }) => {
  const { before } = check(ReadBefore, await objectIn(call)) as { readonly before: number };
  return { status: 200, json: { updated: await markBefore(graph, owner, before) } };
};

const remove: Handler = async (visit) =>
  answerOne(visit, await removeNotification(visit.graph, visit.owner, idOf(visit)));

const readWishes: Handler = async ({ graph, owner }) => ({
  status: 200,
  json: await findPreferences(graph, owner.userId),
});

const keepWishes: Handler = async ({ call, graph, owner }) => {
  const wishes = parsePreferences(await objectIn(call));
  return { status: 200, json: await keepPreferences(graph, owner.userId, wishes) };
};

const listParameters: readonly QueryParameter[] = [
  limitParameter('notifications', 0, MAX_LIMIT, DEFAULT_LIMIT),
  AFTER,
  BEFORE,
  { name: 'unread', description: 'Only what is not read yet', schema: { type: 'boolean', default: false } },
  textParameter('entityType', 'Comma-separated types of records'),
  {
    name: 'since',
    description: 'Only what happened at this moment or later, in milliseconds since 1970',
    schema: { type: 'integer', minimum: 0 },
  },
];

const BASE = '/v1/notifications';

const bodyOf = (schema: ReturnType<typeof shape>): Pick<Route, 'body'> => ({
  body: { schema, mediaTypes: ['application/json'], maxBytes: 64 * 1024 },
});

/** What the caller was told of, and how they want to be told: everybody reaches their own. */
export const notificationRoutes = ({ graph, sightOf, redactFor, pathOf }: NotificationRoutesDeps): Route[] => {
  const declare = (
    method: Method,
    path: string,
    summary: string,
    handle: Handler,
    rest: Pick<Route, 'responses'> & Partial<Pick<Route, 'query' | 'body'>>,
  ): Route => ({
    method,
    path: `${BASE}${path}`,
    summary,
    tag: 'Notifications',
    access: 'authenticated',
    ...rest,
    handle: (call) => {
      const owner = { userId: call.principal.id, sight: sightOf(call.principal) };
      const redact = (values: readonly Json[]) => redactFor(call.principal, values);
      return handle({ call, graph, owner, addressOf: addressesFor(pathOf, call), redact });
    },
  });
  const one = { responses: { 200: Notification } };
  const wishes = { responses: { 200: PreferencesBody } };
  return [
    declare('GET', '', 'List your own notifications, newest first', list, {
      query: listParameters,
      responses: { 200: NotificationList },
    }),
    declare('GET', '/count', 'Count your own notifications', count, { responses: { 200: Counts } }),
    declare('GET', '/preferences', 'Read how you want to be told of things', readWishes, wishes),
    declare('PUT', '/preferences', 'Say how you want to be told of things', keepWishes, {
      ...wishes,
      ...bodyOf(PreferencesBody),
    }),
    declare('PUT', '/read', 'Say that you have read everything before a moment', markAll, {
      ...bodyOf(ReadBefore),
      responses: { 200: Updated },
    }),
    declare('GET', '/{id}', 'Read one of your notifications', read, one),
    declare('PUT', '/{id}/read', 'Say whether you have read a notification', mark, { ...one, ...bodyOf(ReadMark) }),
    declare('DELETE', '/{id}', 'Remove one of your notifications', remove, one),
  ];
};
