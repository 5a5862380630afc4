import { setTimeout as sleep } from 'node:timers/promises';
import { CatalogError } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import { encodeCursor } from '../model/cursor.ts';
import { type Fading, placeBehind, stillThere } from './fading.ts';
import type { EventFilter, EventListRequest, Sort } from './filter-query.ts';
import { createPieces } from './pieces.ts';
import { type CountedEvents, type ListedEvent, listAll, listByPerson, listByRecord, listBySort } from './queries.ts';
import { countSeen, type Eyes, onlySeen, retold } from './seen.ts';
import { unpackRows } from './unpack.ts';

/** What is read at once: a list is answered in pieces, so that memory does not grow with its limit. */
const PIECE = 500;

type Plan = {
  readonly page: (edge: string, limit: number) => Promise<readonly Fading<ListedEvent>[]>;
  readonly count: (edge: string, byRecord: boolean) => Promise<readonly CountedEvents[]>;
};

const textsOf = (sorts: readonly Sort[] | undefined): readonly string[] | null =>
  sorts?.map(({ entityType, eventType }) => `${entityType} ${eventType}`) ?? null;

/** The statements that answer a filter by the index that narrows most. */
const planFor = (graph: Graph, { sorts, ids, userNames }: EventFilter): Plan => {
  const whats = textsOf(sorts);
  if (ids) {
    const wanted = { ids, whats, userNames: userNames ?? null };
    return {
      page: (edge, limit) => graph.read(listByRecord.page, { ...wanted, edge, limit }),
      count: (edge, byRecord) => graph.read(listByRecord.count, { ...wanted, edge, byRecord }),
    };
  }
  if (userNames) {
    const wanted = { userNames, whats };
    return {
      page: (edge, limit) => graph.read(listByPerson.page, { ...wanted, edge, limit }),
      count: (edge, byRecord) => graph.read(listByPerson.count, { ...wanted, edge, byRecord }),
    };
  }
  if (sorts) {
    return {
      page: (edge, limit) => graph.read(listBySort.page, { sorts, edge, limit }),
      count: (edge, byRecord) => graph.read(listBySort.count, { sorts, edge, byRecord }),
    };
  }
  return {
    page: (edge, limit) => graph.read(listAll.page, { edge, limit }),
    count: (edge, byRecord) => graph.read(listAll.count, { edge, byRecord }),
  };
};

/** How often a piece of nothing but events that are being removed is looked at again, and how soon. */
const MOST_LOOKS = 100;
const LOOK_MS = 20;

const waitForRemoval = async (looks: number): Promise<void> => {
  if (looks > MOST_LOOKS) throw new CatalogError('unavailable', 'Events are being removed at the moment');
  await sleep(LOOK_MS);
};

/** Events of a list in their order, piece by piece, one more than the limit when there are more. */
async function* readPieces(graph: Graph, plan: Plan, { after, limit }: EventListRequest, eyes: Eyes) {
  let left = limit + 1;
  let edge = after;
  let fruitless = 0;
  const pieces = createPieces(PIECE);
  while (left > 0) {
    const size = Math.min(left, pieces.size());
    const found = await plan.page(edge, size);
    const rows = stillThere<ListedEvent>(found);
    pieces.learn(rows);
    const seen = (await onlySeen(rows, eyes.sight)).slice(0, left);
    left -= seen.length;
    for await (const unpacked of unpackRows(graph, seen)) yield await retold(unpacked, eyes);
    if (found.length < size) return;
    const next = placeBehind(found, edge);
    if (next === edge) await waitForRemoval(++fruitless);
    edge = next;
  }
}

/** A list of events as JSON text in pieces. */
export async function* listEvents(
  graph: Graph,
  request: EventListRequest,
  eyes: Eyes,
): AsyncGenerator<string, void, undefined> {
  const plan = planFor(graph, request.filter);
  const total = await countSeen((byRecord) => plan.count(request.since, byRecord), eyes.sight);
  yield '{"data":[';
  let count = 0;
  let last: string | undefined;
  let next: string | undefined;
  if (request.limit > 0) {
    for await (const piece of readPieces(graph, plan, request, eyes)) {
      const rows = piece.slice(0, request.limit - count);
      if (rows.length > 0) yield `${count > 0 ? ',' : ''}${rows.map(({ json }) => json).join(',')}`;
      count += rows.length;
      last = rows.at(-1)?.place ?? last;
      if (rows.length < piece.length) next = last;
    }
  }
  const paging = { ...(next === undefined ? {} : { after: encodeCursor(next) }), total };
  yield `],"paging":${JSON.stringify(paging)}}`;
}
