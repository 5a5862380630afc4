import { notFound } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import { AFTER_PARAMETER, integerParameter, limitParameter } from '../http/query-parameters.ts';
import { type Answer, asOwn, type Call, type Route } from '../http/route.ts';
import { decodeCursor, encodeCursor, sortKeyOf } from '../model/cursor.ts';
import { isUuid } from '../model/uuid.ts';
import { Integer, listOf, must, shape, Text, Timestamp, Uuid } from '../model/values.ts';
import { countMailOptOuts, deleteMailOptOut, listMailOptOuts } from './mail-opt-out-queries.ts';

/**
 * What people see of the event subscriptions whose mails they have ended by the link of a mail, and how they get such
 * mails again. Nobody else sees or changes it.
 */

const BASE = '/v1/notifications/mailOptOuts';
const MAX_PAGE = 1000;
const DEFAULT_PAGE = 100;
/** Cursors hold only the id of a subscription, after an empty name. */
const CURSOR_START = sortKeyOf('', '');

const MailOptOut = shape('MailOptOut', { id: must(Uuid), name: must(Text), createdAt: must(Timestamp) });

const MailOptOutList = shape('MailOptOutList', {
  data: must(listOf(MailOptOut, MAX_PAGE)),
  paging: must(shape('MailOptOutPaging', { after: Text, total: must(Integer) })),
});

const answerList = async (graph: Graph, { principal, query }: Call): Promise<Answer> => {
  const limit = integerParameter(query, 'limit', DEFAULT_PAGE, 1, MAX_PAGE);
  const after = query.get('after');
  const edge = after ? decodeCursor(after).slice(CURSOR_START.length) : '';
  const [rows, [counted]] = await Promise.all([
    graph.read(listMailOptOuts, { userId: principal.id, edge, limit: limit + 1 }),
    graph.read(countMailOptOuts, { userId: principal.id }),
  ]);
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  const paging = {
    ...(last === undefined ? {} : { after: encodeCursor(sortKeyOf('', last.id)) }),
    total: counted?.total ?? 0,
  };
  return { status: 200, json: { data, paging } };
};

const endOptOut = async (graph: Graph, { principal, params }: Call): Promise<Answer> => {
  const text = params['id'] ?? '';
  const key = { userId: principal.id, subscriptionId: text.toLowerCase() };
  const [row] = isUuid(key.subscriptionId)
    ? await graph.write((transaction) => transaction.run(deleteMailOptOut, key))
    : [];
  if (!row) throw notFound(`mailOptOut instance for ${text} not found`);
  return { status: 200, json: row };
};

export const mailOptOutRoutes = ({ graph }: { readonly graph: Graph }): Route[] => {
  const shared = { tag: 'Notifications', access: 'authenticated' } as const;
  return asOwn([
    {
      ...shared,
      method: 'GET',
      path: BASE,
      summary: 'List the event subscriptions whose mails you have ended',
      query: [limitParameter('event subscriptions', 1, MAX_PAGE, DEFAULT_PAGE), AFTER_PARAMETER],
      responses: { 200: MailOptOutList },
      handle: (call) => answerList(graph, call),
    },
    {
      ...shared,
      method: 'DELETE',
      path: `${BASE}/{id}`,
      summary: 'Get the mails of an event subscription again',
      responses: { 200: MailOptOut },
      handle: (call) => endOptOut(graph, call),
    },
  ]);
};
