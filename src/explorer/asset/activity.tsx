import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { ask } from '../api/ask.ts';
import type { Schemas } from '../api/types.ts';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { isoMoment, readableTime } from '../parts/times.ts';
import { describeEvent } from './describe-event.ts';
import { LongList } from './long-list.tsx';

/** What happened to a record, the newest first. */

type ChangeEvent = Schemas['ChangeEvent'];
type Page = { readonly events: readonly ChangeEvent[]; readonly window: number };

const DAY_MS = 86_400_000;
/** The API lists events from a time on, the oldest first; so the past is read in stretches that become longer. */
const WINDOWS_DAYS = [0, 2, 14, 60, 3650];
const PAGE = 200;

const readWindow = async (id: string, window: number, signal: AbortSignal): Promise<readonly ChangeEvent[]> => {
  const now = Date.now();
  const since = now - (WINDOWS_DAYS[window + 1] ?? 0) * DAY_MS;
  const until = window === 0 ? Number.POSITIVE_INFINITY : now - (WINDOWS_DAYS[window] ?? 0) * DAY_MS;
  const events: ChangeEvent[] = [];
  let after: string | undefined;
  do {
    const page = await ask<Schemas['ChangeEventList']>('/v1/events', {
      query: { entityId: id, timestamp: Math.max(0, Math.round(since)), limit: PAGE, after },
      signal,
    });
    events.push(...page.data.filter(({ timestamp }) => timestamp < until));
    const isPast = (page.data.at(-1)?.timestamp ?? Number.POSITIVE_INFINITY) >= until;
    after = isPast ? undefined : page.paging.after;
  } while (after !== undefined);
  return events.reverse();
};

/** Reads on until something happened, or nothing is left. */
const readEvents = async (id: string, first: number, signal: AbortSignal): Promise<Page> => {
  for (let window = first; window < WINDOWS_DAYS.length - 1; window += 1) {
    const events = await readWindow(id, window, signal);
    if (events.length > 0) return { events, window };
  }
  return { events: [], window: WINDOWS_DAYS.length };
};

/** Before a record was created nothing happened to it. */
const nextWindow = ({ events, window }: Page): number | undefined => {
  const isWhole = events.at(-1)?.eventType === 'entityCreated' || window + 2 >= WINDOWS_DAYS.length;
  return isWhole ? undefined : window + 1;
};

const EventRow = ({ event }: { readonly event: ChangeEvent }) => (
  <>
    <time className="quiet event-time" dateTime={isoMoment(event.timestamp)}>
      {readableTime(event.timestamp)}
    </time>
    {event.userName === undefined ? (
      <span>Somebody</span>
    ) : (
      <Link href={assetAddress('user', event.userName)}>{event.userName}</Link>
    )}
    <span className="event-text" title={describeEvent(event)}>
      {describeEvent(event)}
      {event.impersonatedBy !== undefined && <span className="quiet"> through {event.impersonatedBy}</span>}
    </span>
  </>
);

export const Activity = ({ id }: { readonly id: string }) => {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['activity', id],
    queryFn: ({ pageParam, signal }) => readEvents(id, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: nextWindow,
  });
  const events = data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <section className="card stack" aria-label="Activity">
      <h2>Activity</h2>
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the activity" />}
      {data && events.length === 0 && <Nothing>Nothing has happened to it as far back as events are stored.</Nothing>}
      {events.length > 0 && (
        <LongList
          label="Events, newest first"
          items={events}
          keyOf={(event) => event.id}
          row={(event) => <EventRow event={event} />}
        />
      )}
      {hasNextPage && (
        <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Show more
        </button>
      )}
    </section>
  );
};
