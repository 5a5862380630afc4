import { countVisibleEvents, filterVisible, type RecordVisibility } from '../events/event-visibility.ts';
import { timePlace } from '../events/sequence.ts';
import type { Graph } from '../graph/client.ts';
import { encodeCursor } from '../model/cursor.ts';
import type { Json } from '../model/json.ts';
import { listAllNotifications, listUnreadNotifications, type NotificationNode } from './queries.ts';

/** Selects notifications of a user. */
export type NotificationFilter = {
  readonly unreadOnly: boolean;
  readonly entityTypes: readonly string[] | null;
  /** The position in time order from which the filtered set begins. */
  readonly since: string;
};

/** A page of a user's notifications, newest first. `after` and `before` are positions; at most one of them is given. */
export type NotificationPageRequest = NotificationFilter & {
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly limit: number;
};

export const ALL_NOTIFICATIONS: NotificationFilter = Object.freeze({
  unreadOnly: false,
  entityTypes: null,
  since: timePlace(0),
});

/** Sorts after every position. */
const NEWEST_PLACE = '~';

/**
 * How many notifications are read at once: a list is streamed in pages, so that memory does not grow with its limit.
 */
const PAGE_SIZE = 500;

const listStatements = ({ unreadOnly }: NotificationFilter) =>
  unreadOnly ? listUnreadNotifications : listAllNotifications;

/** Counts the notifications of the filtered set that their owner may see. */
export const countNotifications = (
  graph: Graph,
  userId: string,
  filter: NotificationFilter,
  visibility: RecordVisibility,
): Promise<number> => {
  const { entityTypes, since } = filter;
  const { count } = listStatements(filter);
  return countVisibleEvents((byRecord) => graph.read(count, { userId, entityTypes, since, byRecord }), visibility);
};

type NotificationPage = readonly NotificationNode[];

/** Reads the visible notifications before or after a position, nearest first, in pages of at most `limit` in total. */
async function* walkNotifications(
  graph: Graph,
  userId: string,
  {
    narrowing: filter,
    towards: direction,
    edge,
    limit,
  }: { narrowing: NotificationFilter; towards: 'older' | 'newer'; edge: string; limit: number },
  visibility: RecordVisibility,
): AsyncGenerator<NotificationPage, void, undefined> {
  const { entityTypes, since } = filter;
  const statement = listStatements(filter)[direction];
  let left = limit;
  let place = edge;
  while (left > 0) {
    const size = Math.min(left, PAGE_SIZE);
    const rows = await graph.read(statement, { userId, edge: place, since, entityTypes, limit: size });
    const nodes = rows.map(({ note }) => note);
    const seen = await filterVisible(nodes, visibility);
    left -= seen.length;
    if (seen.length > 0) yield seen;
    const last = nodes.at(-1);
    if (!last || nodes.length < size) return;
    place = last.place;
  }
}

/** Finds where a page that ends before a position begins, its length, and whether newer notifications precede it. */
const findPageStart = async (
  graph: Graph,
  userId: string,
  request: NotificationPageRequest,
  edge: string,
  visibility: RecordVisibility,
) => {
  const { limit } = request;
  let count = 0;
  let start = edge;
  const pieces = walkNotifications(
    graph,
    userId,
    { narrowing: request, towards: 'newer', edge, limit: limit + 1 },
    visibility,
  );
  for await (const piece of pieces) {
    const taken = piece.slice(0, limit - count);
    start = taken.at(-1)?.place ?? start;
    count += piece.length;
  }
  // The start itself belongs to the page, so the edge lies right after it.
  return { edge: `${start}${NEWEST_PLACE}`, length: Math.min(count, limit), hasNewer: count > limit };
};

const pageStart = (graph: Graph, userId: string, request: NotificationPageRequest, visibility: RecordVisibility) => {
  const { after, before, limit } = request;
  if (before !== undefined) return findPageStart(graph, userId, request, before, visibility);
  return { edge: after ?? NEWEST_PLACE, length: limit, hasNewer: after !== undefined };
};

/** Streams a page of a user's notifications as pieces of JSON text. */
export async function* listNotifications(
  graph: Graph,
  userId: string,
  request: NotificationPageRequest,
  visibility: RecordVisibility,
  render: (nodes: readonly NotificationNode[]) => Promise<readonly Json[]>,
): AsyncGenerator<string, void, undefined> {
  const total = await countNotifications(graph, userId, request, visibility);
  yield '{"data":[';
  const { edge, length, hasNewer } = await pageStart(graph, userId, request, visibility);
  let first: string | undefined;
  let last: string | undefined;
  let count = 0;
  let hasOlder = false;
  const limit = length > 0 ? length + 1 : 0;
  for await (const piece of walkNotifications(
    graph,
    userId,
    { narrowing: request, towards: 'older', edge, limit },
    visibility,
  )) {
    const nodes = piece.slice(0, length - count);
    hasOlder = nodes.length < piece.length;
    if (nodes.length > 0) {
      const texts = (await render(nodes)).map((shown) => JSON.stringify(shown));
      yield `${count > 0 ? ',' : ''}${texts.join(',')}`;
    }
    count += nodes.length;
    first ??= nodes[0]?.place;
    last = nodes.at(-1)?.place ?? last;
  }
  const paging = {
    ...(hasNewer && first !== undefined ? { before: encodeCursor(first) } : {}),
    ...(hasOlder && last !== undefined ? { after: encodeCursor(last) } : {}),
    total,
  };
  yield `],"paging":${JSON.stringify(paging)}}`;
}
