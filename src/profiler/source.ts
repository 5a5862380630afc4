import type { Engine } from '../catalog/engine.ts';
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

const totalIn = (rows: readonly { readonly total: number }[]): number => rows[0]?.total ?? 0;

/** What is newer than a window. */
const newer = (sort: Sort, { end }: Window): Span => ({
  ...spanOf(sort, end, Number.MAX_SAFE_INTEGER),
  to: spanOf(sort, 0, end).from,
});

/**
 * How many rows lie within a window. Where it reaches back to the beginning, what is newer is taken off the whole, which is
 * known without counting: most readers ask for everything, and hardly anything is newer than now.
 */
const totalWithin = async (
  sort: Sort,
  window: Window,
  all: () => Promise<number>,
  count: (span: Span) => Promise<number>,
): Promise<number> => {
  if (window.start > 0) return count(spanOf(sort, window.start, window.end));
  const [whole, rest] = await Promise.all([all(), count(newer(sort, window))]);
  return whole - rest;
};

const common = (sort: Sort, { start, end }: Window) => ({
  span: spanOf(sort, start, end),
  edgeOf,
  placeOf: (edge: MomentPlace) => placeOf(sort, edge),
});

const seriesSource = ({ graph }: Engine, sort: Sort, id: string, window: Window): Omit<Source, 'total'> => ({
  ...common(sort, window),
  page: (span, limit) => graph.read(query.listSeries, { ...span, id, limit }),
  find: async (span, skip) => (await graph.read(query.findSeries, { ...span, id, skip })).map(({ place }) => place),
});

/** What was measured of a table, or told of its use. */
export const ofTable = (engine: Engine, sort: 'table' | 'system', tableId: string, window: Window): Source => {
  const id = seriesOf(sort, tableId);
  const source = seriesSource(engine, sort, id, window);
  return { ...source, total: async () => totalIn(await engine.graph.read(query.countSeries, { ...source.span, id })) };
};

const NOTHING: Omit<Source, 'span' | 'edgeOf' | 'placeOf'> = {
  page: () => Promise.resolve([]),
  find: () => Promise.resolve([]),
  total: () => Promise.resolve(0),
};

/** What was measured of one column. */
export const ofColumn = async (engine: Engine, key: string, window: Window): Promise<Source> => {
  const { graph } = engine;
  const [found] = await graph.read(query.readSeries, { keys: [key] });
  const id = found?.series ?? undefined;
  if (id === undefined) return { ...common('column', window), ...NOTHING };
  const count = async (span: Span) => totalIn(await graph.read(query.countSeries, { ...span, id }));
  return {
    ...seriesSource(engine, 'column', id, window),
    page: async (span, limit) =>
      (await graph.read(query.listSeries, { ...span, id, limit })).map((row) => ({ ...row, key })),
    total: () => totalWithin('column', window, () => Promise.resolve(found?.total ?? 0), count),
  };
};

/** What was measured of all columns of a table. */
export const ofColumns = ({ graph }: Engine, id: string, window: Window): Source => {
  const count = async (span: Span) => totalIn(await graph.read(query.countColumns, { ...span, id }));
  const all = async () => totalIn(await graph.read(query.countEverything, { id }));
  return {
    ...common('column', window),
    page: (span, limit) => graph.read(query.listColumns, { ...span, id, limit }),
    find: async (span, skip) => (await graph.read(query.findColumns, { ...span, id, skip })).map(({ place }) => place),
    total: () => totalWithin('column', window, all, count),
  };
};
