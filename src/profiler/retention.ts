import type { Kept, SeriesSort } from '../retention/retention.ts';
import { momentPrefix, SORTS, type Sort, seriesOf, spanOf } from './place.ts';
import { deleteExcessColumns, deleteExcessTables, deleteOld } from './queries.ts';

const later = (a: string, b: string): string => (a > b ? a : b);

/** The letter with which the series of a sort begin. */
const letterOf = (sort: 'table' | 'system'): string => seriesOf(sort, '').trim();

const NOTHING = { seen: 0, removed: 0, edge: null };

const removeExcess = (sort: Sort): SeriesSort['removeExcess'] =>
  sort === 'column'
    ? async (graph, kept, look) =>
        (await graph.write((transaction) => transaction.run(deleteExcessColumns, { ...look, kept })))[0] ?? NOTHING
    : async (graph, kept, look) =>
        (
          await graph.write((transaction) =>
            transaction.run(deleteExcessTables, { ...look, kept, letter: letterOf(sort) }),
          )
        )[0] ?? NOTHING;

/** The series of profiles, and what is kept of each. */
export const profileSeries = (kept: Kept): readonly SeriesSort[] =>
  SORTS.map((sort) => ({
    name: `${sort} profiles`,
    kept,
    removeOld: async (graph, before, { edge, limit }) => {
      // Places are counted down: what is older lies behind.
      const { to } = spanOf(sort, 0, Math.max(0, before));
      const from = later(edge, momentPrefix(sort, Math.max(0, before)));
      const [looked] = await graph.write((transaction) => transaction.run(deleteOld, { edge: from, to, limit }));
      return looked ?? NOTHING;
    },
    removeExcess: removeExcess(sort),
  }));
