import type { Engine } from '../catalog/engine.ts';
import type { Bound } from '../graph/statement.ts';
import type { MomentPlace } from '../model/cursor.ts';
import { edgeOf, placeOf, type Sort, seriesOf, spanOf } from './place.ts';
import type { ProfileRow, Span } from './queries.ts';
import * as query from './queries.ts';

/** The stretch of time that is asked for, both ends included. */
export type Window = { readonly start: number; readonly end: number };

/** Profiles in the order of their places, as far as they lie within a window. */
export type Source = {
  readonly span: Span;
  readonly page: (span: Span, limit: number) => Promise<readonly ProfileRow[]>;
  /** Of the rows of a span, the place of the one that so many others follow, and of the one before that. */
  readonly find: (span: Span, skip: number) => Promise<readonly string[]>;
  readonly total: () => Promise<number>;
  readonly edgeOf: (place: string) => MomentPlace;
  readonly placeOf: (edge: MomentPlace) => string;
};

type OneSpan = Span & { id: string };

/** How the rows of one thing are read. */
type Reads = {
  readonly list: Bound<OneSpan & { limit: number }, ProfileRow>;
  readonly find: Bound<OneSpan & { skip: number }, { place: string }>;
  readonly count: Bound<OneSpan, { total: number }>;
  /** Counts everything but what is newer than a window, without looking at what it counts. */
  readonly countUntil?: Bound<OneSpan, { total: number }>;
};

/** What is newer than a window. */
const newer = (sort: Sort, { end }: Window): Span => ({
  from: spanOf(sort, end, Number.MAX_SAFE_INTEGER).from,
  to: spanOf(sort, 0, end).from,
});

const sourceOf = ({ graph }: Engine, sort: Sort, id: string, window: Window, reads: Reads): Source => {
  const span = spanOf(sort, window.start, window.end);
  const { countUntil } = reads;
  const count =
    window.start === 0 && countUntil
      ? () => graph.read(countUntil, { ...newer(sort, window), id })
      : () => graph.read(reads.count, { ...span, id });
  return {
    span,
    page: (part, limit) => graph.read(reads.list, { ...part, id, limit }),
    find: async (part, skip) => (await graph.read(reads.find, { ...part, id, skip })).map(({ place }) => place),
    total: async () => (await count())[0]?.total ?? 0,
    edgeOf,
    placeOf: (edge) => placeOf(sort, edge),
  };
};

const SERIES: Reads = { list: query.listSeries, find: query.findSeries, count: query.countSeries };

const COLUMN: Reads = {
  list: query.listColumn,
  find: query.findColumn,
  count: query.countColumn,
  countUntil: query.countColumnUntil,
};

const COLUMNS: Reads = {
  list: query.listColumns,
  find: query.findColumns,
  count: query.countColumns,
  countUntil: query.countColumnsUntil,
};

/** What was measured of a table, or told of its use. */
export const ofTable = (engine: Engine, sort: 'table' | 'system', tableId: string, window: Window): Source =>
  sourceOf(engine, sort, seriesOf(sort, tableId), window, SERIES);

/** What was measured of one column. */
export const ofColumn = (engine: Engine, key: string, window: Window): Source =>
  sourceOf(engine, 'column', key, window, COLUMN);

/** What was measured of all columns of a table. */
export const ofColumns = (engine: Engine, tableId: string, window: Window): Source =>
  sourceOf(engine, 'column', tableId, window, COLUMNS);
