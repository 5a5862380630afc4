import { setTimeout as sleep } from 'node:timers/promises';
import { CatalogError } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import { encodeCursor } from '../model/cursor.ts';
import { createAdaptivePageSize } from './adaptive-page-size.ts';
import { type ExpiringRow, filterComplete, lastKnownPlace } from './event-expiry.ts';
import { countVisibleEvents, type EventVisibility, filterVisible, redactEventsFor } from './event-visibility.ts';
import type { EventListFilter, EventListRequest, EventSort } from './filter-query.ts';
import {
  type EventCountRow,
  type ListedEvent,
  listAllEvents,
  listEventsByRecord,
  listEventsBySort,
  listEventsByUser,
} from './queries.ts';
import { unpackEvents } from './unpack-events.ts';

/** How many events are read at once: a list is streamed in pages, so that memory does not grow with its limit. */
const PAGE_SIZE = 500;

type EventListPlan = {
  readonly page: (edge: string, limit: number) => Promise<readonly ExpiringRow<ListedEvent>[]>;
  readonly count: (edge: string, byRecord: boolean) => Promise<readonly EventCountRow[]>;
};

const sortKeys = (sorts: readonly EventSort[] | undefined): readonly string[] | null =>
  sorts?.map(({ entityType, eventType }) => `${entityType} ${eventType}`) ?? null;

/** Selects the statements that use the most selective index for the filter. */
const createListPlan = (graph: Graph, { sorts, ids, userNames }: EventListFilter): EventListPlan => {
  const sortTexts = sortKeys(sorts);
  if (ids) {
    const wanted = { ids, whats: sortTexts, userNames: userNames ?? null };
    return {
      page: (edge, limit) => graph.read(listEventsByRecord.page, { ...wanted, edge, limit }),
      count: (edge, byRecord) => graph.read(listEventsByRecord.count, { ...wanted, edge, byRecord }),
    };
  }
  if (userNames) {
    const wanted = { userNames, whats: sortTexts };
    return {
      page: (edge, limit) => graph.read(listEventsByUser.page, { ...wanted, edge, limit }),
      count: (edge, byRecord) => graph.read(listEventsByUser.count, { ...wanted, edge, byRecord }),
    };
  }
  if (sorts) {
    return {
      page: (edge, limit) => graph.read(listEventsBySort.page, { sorts, edge, limit }),
      count: (edge, byRecord) => graph.read(listEventsBySort.count, { sorts, edge, byRecord }),
    };
  }
  return {
    page: (edge, limit) => graph.read(listAllEvents.page, { edge, limit }),
    count: (edge, byRecord) => graph.read(listAllEvents.count, { edge, byRecord }),
  };
};

/** How often, and how soon, a page that holds only events in removal is read again. */
const MAX_REMOVAL_CHECKS = 100;
const REMOVAL_CHECK_MS = 20;

const waitForRemoval = async (checks: number): Promise<void> => {
  if (checks > MAX_REMOVAL_CHECKS) throw new CatalogError('unavailable', 'Events are being removed, try again shortly');
  await sleep(REMOVAL_CHECK_MS);
};

/** Reads the events of a list in order, page by page, and one more than the limit when there are more. */
async function* readEventPages(
  graph: Graph,
  plan: EventListPlan,
  { after, limit }: EventListRequest,
  visibility: EventVisibility,
) {
  let left = limit + 1;
  let edge = after;
  let emptyReads = 0;
  const pieces = createAdaptivePageSize(PAGE_SIZE);
  while (left > 0) {
    const size = Math.min(left, pieces.size());
    const found = await plan.page(edge, size);
    const rows = filterComplete<ListedEvent>(found);
    pieces.adapt(rows);
    const seen = (await filterVisible(rows, visibility.records)).slice(0, left);
    left -= seen.length;
    for await (const unpacked of unpackEvents(graph, seen)) yield await redactEventsFor(unpacked, visibility);
    if (found.length < size) return;
    const next = lastKnownPlace(found, edge);
    if (next === edge) await waitForRemoval(++emptyReads);
    edge = next;
  }
}

/** Streams a list of events as pieces of JSON text. */
export async function* listEvents(
  graph: Graph,
  request: EventListRequest,
  visibility: EventVisibility,
): AsyncGenerator<string, void, undefined> {
  const plan = createListPlan(graph, request.filter);
  const total = await countVisibleEvents((byRecord) => plan.count(request.since, byRecord), visibility.records);
  yield '{"data":[';
  let count = 0;
  let last: string | undefined;
  let next: string | undefined;
  if (request.limit > 0) {
    for await (const piece of readEventPages(graph, plan, request, visibility)) {
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
