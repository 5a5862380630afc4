import { countSeen, onlySeen, type Sight } from '../events/seen.ts';
import { placeOfTime } from '../events/sequence.ts';
import type { Graph } from '../graph/client.ts';
import { encodeCursor } from '../model/cursor.ts';
import type { Json } from '../model/json.ts';
import { listEvery, listUnread, type NotificationNode } from './queries.ts';

/** What of somebody's notifications is asked for. */
export type Narrowing = {
  readonly unreadOnly: boolean;
  readonly entityTypes: readonly string[] | null;
  /** The place in the order of time from which the filtered set begins. */
  readonly since: string;
};

/** A page of somebody's notifications, newest first. Its edges are places; one of both at most. */
export type PageRequest = Narrowing & {
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly limit: number;
};

export const EVERYTHING: Narrowing = Object.freeze({ unreadOnly: false, entityTypes: null, since: placeOfTime(0) });

/** Behind every place there is. */
const NEWEST = '~';

/** What is read at once: a list is answered in pieces, so that memory does not grow with its limit. */
const PIECE = 500;

const statementsFor = ({ unreadOnly }: Narrowing) => (unreadOnly ? listUnread : listEvery);

/** How many notifications of the filtered set their owner may see. */
export const countNotifications = (
  graph: Graph,
  userId: string,
  narrowing: Narrowing,
  sight: Sight,
): Promise<number> => {
  const { entityTypes, since } = narrowing;
  const { count } = statementsFor(narrowing);
  return countSeen((byRecord) => graph.read(count, { userId, entityTypes, since, byRecord }), sight);
};

type Piece = readonly NotificationNode[];

/** What its owner may see before or after a place, nearest first, in pieces of at most `limit` together. */
async function* walk(
  graph: Graph,
  userId: string,
  {
    narrowing,
    towards,
    edge,
    limit,
  }: { narrowing: Narrowing; towards: 'older' | 'newer'; edge: string; limit: number },
  sight: Sight,
): AsyncGenerator<Piece, void, undefined> {
  const { entityTypes, since } = narrowing;
  const statement = statementsFor(narrowing)[towards];
  let left = limit;
  let place = edge;
  while (left > 0) {
    const size = Math.min(left, PIECE);
    const rows = await graph.read(statement, { userId, edge: place, since, entityTypes, limit: size });
    const nodes = rows.map(({ note }) => note);
    const seen = await onlySeen(nodes, sight);
    left -= seen.length;
    if (seen.length > 0) yield seen;
    const last = nodes.at(-1);
    if (!last || nodes.length < size) return;
    place = last.place;
  }
}

/** Where a page begins that ends before a place, how long it is, and whether anything precedes it. */
const findStart = async (graph: Graph, userId: string, request: PageRequest, edge: string, sight: Sight) => {
  const { limit } = request;
  let count = 0;
  let start = edge;
  const pieces = walk(graph, userId, { narrowing: request, towards: 'newer', edge, limit: limit + 1 }, sight);
  for await (const piece of pieces) {
    const taken = piece.slice(0, limit - count);
    start = taken.at(-1)?.place ?? start;
    count += piece.length;
  }
  // The place itself belongs to the page, so that it begins right behind it.
  return { edge: `${start}${NEWEST}`, length: Math.min(count, limit), hasNewer: count > limit };
};

const startOf = (graph: Graph, userId: string, request: PageRequest, sight: Sight) => {
  const { after, before, limit } = request;
  if (before !== undefined) return findStart(graph, userId, request, before, sight);
  return { edge: after ?? NEWEST, length: limit, hasNewer: after !== undefined };
};

/** A page of somebody's notifications as JSON text in pieces. */
export async function* listNotifications(
  graph: Graph,
  userId: string,
  request: PageRequest,
  sight: Sight,
  render: (nodes: readonly NotificationNode[]) => Promise<readonly Json[]>,
): AsyncGenerator<string, void, undefined> {
  const total = await countNotifications(graph, userId, request, sight);
  yield '{"data":[';
  const { edge, length, hasNewer } = await startOf(graph, userId, request, sight);
  let first: string | undefined;
  let last: string | undefined;
  let count = 0;
  let hasOlder = false;
  const limit = length > 0 ? length + 1 : 0;
  for await (const piece of walk(graph, userId, { narrowing: request, towards: 'older', edge, limit }, sight)) {
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
