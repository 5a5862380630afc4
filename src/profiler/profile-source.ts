import type { Engine } from '../catalog/engine.ts';
import type { BoundStatement } from '../graph/statement.ts';
import type { SeriesPosition } from '../model/cursor.ts';
import type { ProfileRow, SortKeyRange } from './queries.ts';
import * as query from './queries.ts';
import { decodeSortKey, encodeSortKey, type ProfileType, profileSeriesOf, sortKeyRange } from './sort-key.ts';

/** The requested time window, both ends inclusive. */
export type TimeWindow = { readonly start: number; readonly end: number };

/** Profiles in the order of their sort keys, within a time window. */
export type ProfileSource = {
  readonly span: SortKeyRange;
  readonly page: (span: SortKeyRange, limit: number) => Promise<readonly ProfileRow[]>;
  /** Finds the sort key of the row after `skip` others in a range, and the sort key before it. */
  readonly find: (span: SortKeyRange, skip: number) => Promise<readonly string[]>;
  readonly total: () => Promise<number>;
  readonly edgeOf: (place: string) => SeriesPosition;
  readonly placeOf: (edge: SeriesPosition) => string;
};

type SourceRange = SortKeyRange & { id: string };

/** The statements that read the rows of one table or column. */
type SourceStatements = {
  readonly list: BoundStatement<SourceRange & { limit: number }, ProfileRow>;
  readonly find: BoundStatement<SourceRange & { skip: number }, { place: string }>;
  readonly count: BoundStatement<SourceRange, { total: number }>;
  /** Counts everything except what is newer than a window, from degrees instead of rows. */
  readonly countUntil?: BoundStatement<SourceRange, { total: number }>;
};

/** The range of profiles newer than a window. */
const rangeAfter = (sort: ProfileType, { end }: TimeWindow): SortKeyRange => ({
  from: sortKeyRange(sort, end, Number.MAX_SAFE_INTEGER).from,
  to: sortKeyRange(sort, 0, end).from,
});

const createSource = (
  { graph }: Engine,
  sort: ProfileType,
  id: string,
  window: TimeWindow,
  reads: SourceStatements,
): ProfileSource => {
  const span = sortKeyRange(sort, window.start, window.end);
  const { countUntil } = reads;
  const count =
    window.start === 0 && countUntil
      ? () => graph.read(countUntil, { ...rangeAfter(sort, window), id })
      : () => graph.read(reads.count, { ...span, id });
  return {
    span,
    page: (part, limit) => graph.read(reads.list, { ...part, id, limit }),
    find: async (part, skip) => (await graph.read(reads.find, { ...part, id, skip })).map(({ place }) => place),
    total: async () => (await count())[0]?.total ?? 0,
    edgeOf: decodeSortKey,
    placeOf: (edge) => encodeSortKey(sort, edge),
  };
};

const SERIES_STATEMENTS: SourceStatements = {
  list: query.listSeriesProfiles,
  find: query.findSeriesPageStart,
  count: query.countSeriesProfiles,
};

const COLUMN_STATEMENTS: SourceStatements = {
  list: query.listColumnProfiles,
  find: query.findColumnPageStart,
  count: query.countColumnProfiles,
  countUntil: query.countColumnProfilesUntil,
};

const COLUMNS_STATEMENTS: SourceStatements = {
  list: query.listProfilesOfColumns,
  find: query.findColumnsPageStart,
  count: query.countProfilesOfColumns,
  countUntil: query.countProfilesOfColumnsUntil,
};

/** The table or system profiles of a table. */
export const tableProfileSource = (
  engine: Engine,
  sort: 'table' | 'system',
  tableId: string,
  window: TimeWindow,
): ProfileSource => createSource(engine, sort, profileSeriesOf(sort, tableId), window, SERIES_STATEMENTS);

/** The profiles of one column. */
export const columnProfileSource = (engine: Engine, key: string, window: TimeWindow): ProfileSource =>
  createSource(engine, 'column', key, window, COLUMN_STATEMENTS);

/** The profiles of all columns of a table. */
export const columnsProfileSource = (engine: Engine, tableId: string, window: TimeWindow): ProfileSource =>
  createSource(engine, 'column', tableId, window, COLUMNS_STATEMENTS);
