import { parseQueryFlag, readRequiredJson } from '../catalog/read/answer.ts';
import { badRequest } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import { AFTER_PARAMETER, flagParameter, integerParameter, limitParameter } from '../http/query-parameters.ts';
import { type Answer, asOwn, type Call, type Route } from '../http/route.ts';
import { decodeCursor, encodeCursor, sortKeyOf } from '../model/cursor.ts';
import { isObject, type Json } from '../model/json.ts';
import { dropNulls } from '../model/validate.ts';
import { Integer, listOf, must, shape, Text } from '../model/values.ts';
import { type MailEndingDeps, mailEndingRoutes } from './mail-ending.ts';
import { mailOptOutRoutes } from './mail-opt-out-routes.ts';
import {
  addMailSubscription,
  endMailSubscription,
  findMailSubscription,
  listAllMailSubscriptions,
  listOwnMailSubscriptions,
  MailSubscription,
  MailSubscriptionRequest,
  renderMailSubscription,
  replaceMailSubscription,
} from './mail-subscription.ts';
import type { MailSubscriptionNode } from './mail-subscription-queries.ts';

export type MailSubscriptionRoutesDeps = MailEndingDeps & {
  readonly graph: Graph;
  readonly clock: () => number;
  /** Throws bad_request when the service cannot send to an address. */
  readonly checkCallable: (address: string) => Promise<void>;
};

const BASE = '/v1/notifications/subscriptions';
const MAX_PAGE = 1000;
const DEFAULT_PAGE = 100;
/** Cursors hold only the id of a subscription, after an empty name. */
const CURSOR_START = sortKeyOf('', '');

const MailSubscriptionList = shape('MailSubscriptionList', {
  data: must(listOf(MailSubscription, MAX_PAGE)),
  paging: must(shape('MailSubscriptionPaging', { after: Text, total: must(Integer) })),
});

const answerNode = (status: number, node: MailSubscriptionNode): Answer => ({
  status,
  json: renderMailSubscription(node),
});

/** An array would otherwise pass as an object without members. */
const readObject = async (call: Call): Promise<Json> => {
  const body = dropNulls((await readRequiredJson(call)) as Json);
  if (!isObject(body)) throw badRequest('[body must be an object]');
  return body;
};

const answerList = async ({ graph }: MailSubscriptionRoutesDeps, call: Call): Promise<Answer> => {
  const { principal, query } = call;
  const limit = integerParameter(query, 'limit', DEFAULT_PAGE, 1, MAX_PAGE);
  const after = query.get('after');
  const edge = after ? decodeCursor(after).slice(CURSOR_START.length) : '';
  // For everybody else, those of all people are their own.
  if (!principal.isAdmin || !parseQueryFlag(call, 'all')) {
    const data = (await listOwnMailSubscriptions(graph, principal.id)).map(renderMailSubscription);
    return { status: 200, json: { data, paging: { total: data.length } } };
  }
  const { nodes, next, total } = await listAllMailSubscriptions(graph, edge, limit);
  const paging = { ...(next === undefined ? {} : { after: encodeCursor(sortKeyOf('', next)) }), total };
  return { status: 200, json: { data: nodes.map(renderMailSubscription), paging } };
};

const create = async (deps: MailSubscriptionRoutesDeps, call: Call): Promise<Answer> => {
  const { graph, clock, checkCallable } = deps;
  const { id, email, isBot } = call.principal;
  const body = await readObject(call);
  if (isBot || email === '') throw badRequest('Bots and users without an e-mail address get no mail');
  await checkCallable('mailto:');
  return answerNode(201, await addMailSubscription(graph, id, body, clock()));
};

/** The mail subscriptions of the caller. Administrators also see and end those of others. */
export const mailSubscriptionRoutes = (deps: MailSubscriptionRoutesDeps): Route[] => {
  const { graph, clock } = deps;
  const shared = { tag: 'Notifications', access: 'authenticated' } as const;
  const one = { ...shared, path: `${BASE}/{id}`, responses: { 200: MailSubscription } } as const;
  const body = { schema: MailSubscriptionRequest, mediaTypes: ['application/json'], maxBytes: 64 * 1024 };
  const idOf = ({ params }: Call): string => params['id'] ?? '';
  return asOwn([
    {
      ...shared,
      method: 'GET',
      path: BASE,
      summary: 'List your mail subscriptions',
      query: [
        flagParameter('all', 'Whether an administrator lists those of everybody', false),
        limitParameter('mail subscriptions', 1, MAX_PAGE, DEFAULT_PAGE),
        AFTER_PARAMETER,
      ],
      responses: { 200: MailSubscriptionList },
      handle: (call) => answerList(deps, call),
    },
    {
      ...shared,
      method: 'POST',
      path: BASE,
      summary: 'Subscribe to mail about what you own or follow',
      body,
      responses: { 201: MailSubscription },
      handle: (call) => create(deps, call),
    },
    {
      ...one,
      method: 'GET',
      summary: 'Get a mail subscription',
      handle: async (call) => answerNode(200, await findMailSubscription(graph, call.principal, idOf(call))),
    },
    {
      ...one,
      method: 'PUT',
      summary: 'Replace one of your mail subscriptions',
      body,
      handle: async (call) =>
        answerNode(
          200,
          await replaceMailSubscription(graph, call.principal.id, idOf(call), await readObject(call), clock()),
        ),
    },
    {
      ...one,
      method: 'DELETE',
      summary: 'End a mail subscription',
      handle: async (call) => answerNode(200, await endMailSubscription(graph, call.principal, idOf(call))),
    },
    ...mailEndingRoutes(deps),
    ...mailOptOutRoutes(deps),
  ]);
};
