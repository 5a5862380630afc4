import { createHash } from 'node:crypto';
import { StartupError } from '../../../errors.ts';
import { type CatalogAnswer, objectOf, readList, textOf } from '../../catalog-client.ts';
import type { SourceClient } from '../source-client.ts';

/** Reads the run events that Marquez keeps, in the order of their times. */

/** Where reading goes on: at events of this millisecond and later, without those that were read. */
export type EventPosition = { readonly after: string; readonly read: readonly string[] };

export type EventPage = {
  readonly events: readonly CatalogAnswer[];
  /** Where reading goes on after this page. */
  readonly position: EventPosition;
  /** How many events there are after the position that reading began from. */
  readonly total: number;
};

export const BEFORE_ALL_EVENTS: EventPosition = { after: '1970-01-01T00:00:00.000Z', read: [] };

/** Marquez would answer none after 2029 by itself. */
const AFTER_ALL_EVENTS = '9999-01-01T00:00:00.000Z';

const fingerprint = (event: CatalogAnswer): string =>
  createHash('sha256').update(JSON.stringify(event)).digest('base64url').slice(0, 16);

/** The millisecond of an event, below which its time is cut. */
const timeOf = (event: CatalogAnswer, source: SourceClient): number => {
  const time = Date.parse(textOf(event['eventTime']));
  if (!Number.isNaN(time)) return time;
  throw new StartupError(`${source.server} answers an event whose time is "${textOf(event['eventTime'])}"`);
};

/**
 * Pages go on by time and not by an offset: Marquez does not order events of one moment, so that offsets would repeat some
 * and lose others, and large offsets are slow. Where a page holds one millisecond only, a larger one is asked for.
 */
export async function* readEventPages(
  source: SourceClient,
  pageSize: number,
  start: EventPosition,
): AsyncGenerator<EventPage> {
  let after = Date.parse(start.after);
  let read = new Set(start.read);
  for (let limit = pageSize; ; ) {
    const begin = new Date(after).toISOString();
    const query = { sortDirection: 'asc', after: begin, before: AFTER_ALL_EVENTS, limit };
    const answer = await source.read('events/lineage', query);
    const all = readList(answer['events']);
    const known = all.map((event) => ({ event, time: timeOf(event, source), key: fingerprint(event) }));
    const events = known.filter(({ key }) => !read.has(key)).map(({ event }) => objectOf(event));
    const newest = known.reduce((latest, { time }) => Math.max(latest, time), after);
    const keys = known.filter(({ time }) => time === newest).map(({ key }) => key);
    const isLater = newest > after;
    read = isLater ? new Set(keys) : new Set([...read, ...keys]);
    after = newest;
    const position = { after: new Date(after).toISOString(), read: [...read] };
    yield { events, position, total: Number(answer['totalCount'] ?? 0) };
    if (all.length < limit) return;
    limit = isLater ? pageSize : limit * 2;
  }
}
