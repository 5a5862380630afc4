import type { RetainedSeries, RetentionPolicy } from '../retention/retention.ts';
import { deleteExcessColumnProfiles, deleteExcessTableProfiles, deleteOldProfiles } from './queries.ts';
import { PROFILE_TYPES, type ProfileType, profileSeriesOf, sortKeyRange, timestampPrefix } from './sort-key.ts';

const later = (a: string, b: string): string => (a > b ? a : b);

/** The letter that the series of a profile type start with. */
const letterOf = (type: 'table' | 'system'): string => profileSeriesOf(type, '').trim();

const EMPTY_SCAN = { seen: 0, removed: 0, edge: null };

const removeExcess = (type: ProfileType): RetainedSeries['removeExcess'] =>
  type === 'column'
    ? async (graph, kept, look) =>
        (await graph.write((transaction) => transaction.run(deleteExcessColumnProfiles, { ...look, kept })))[0] ??
        EMPTY_SCAN
    : async (graph, kept, look) =>
        (
          await graph.write((transaction) =>
            transaction.run(deleteExcessTableProfiles, { ...look, kept, letter: letterOf(type) }),
          )
        )[0] ?? EMPTY_SCAN;

/** The retention of profiles per type: how long and how many are stored per series. */
export const profileRetention = (kept: RetentionPolicy): readonly RetainedSeries[] =>
  PROFILE_TYPES.map((sort) => ({
    name: `${sort} profiles`,
    policy: kept,
    removeOld: async (graph, before, { edge, limit }) => {
      // Sort keys contain inverted timestamps, so older rows sort later.
      const { to } = sortKeyRange(sort, 0, Math.max(0, before));
      const from = later(edge, timestampPrefix(sort, Math.max(0, before)));
      const [looked] = await graph.write((transaction) =>
        transaction.run(deleteOldProfiles, { edge: from, to, limit }),
      );
      return looked ?? EMPTY_SCAN;
    },
    removeExcess: removeExcess(sort),
  }));
