import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { Schemas } from '../api/types.ts';
import type { Point } from './spark-line.tsx';

/** What was measured of a table and its columns over time. */

export type ColumnProfile = Schemas['ColumnProfile'];
export type TableProfile = Schemas['TableProfile'];

const RUNS = 30;

export const useTableProfiles = (id: string, isWanted = true) =>
  useQuery({
    queryKey: ['table profiles', id],
    queryFn: async ({ signal }) => {
      const { data } = await ask<Schemas['TableProfileList']>(`/v1/tables/${id}/tableProfile`, {
        query: { limit: RUNS },
        signal,
      });
      return [...data].reverse();
    },
    enabled: isWanted,
  });

/** The profiles of one column, the oldest first. */
export const useColumnProfiles = (fqn: string | undefined) =>
  useQuery({
    queryKey: ['column profiles', fqn],
    queryFn: async ({ signal }) => {
      const path = `/v1/tables/${encodeURIComponent(fqn ?? '')}/columnProfile`;
      const { data } = await ask<Schemas['ColumnProfileList']>(path, { query: { limit: RUNS }, signal });
      return [...data].reverse();
    },
    enabled: fqn !== undefined,
  });

/** Of wider tables the profiles are read column by column, when one is opened. */
const MOST_COLUMNS_WITH_LINES = 100;

/** The profiles of all columns by the names of the columns, the oldest first. */
export const useAllColumnProfiles = (id: string, columns: number, isWanted: boolean) =>
  useQuery({
    queryKey: ['all column profiles', id],
    queryFn: async ({ signal }) => {
      const { data } = await ask<Schemas['ColumnProfileList']>(`/v1/tables/${id}/columnProfile`, {
        query: { limit: RUNS * columns },
        signal,
      });
      const byName = new Map<string, ColumnProfile[]>();
      for (const profile of [...data].reverse())
        byName.set(profile.name, [...(byName.get(profile.name) ?? []), profile]);
      return byName as ReadonlyMap<string, readonly ColumnProfile[]>;
    },
    enabled: isWanted && columns <= MOST_COLUMNS_WITH_LINES,
  });

export const pointsOf = <T extends { readonly timestamp: number }>(
  profiles: readonly T[],
  read: (profile: T) => unknown,
): readonly Point[] =>
  profiles.flatMap((profile) => {
    const value = read(profile);
    return typeof value === 'number' ? [{ at: profile.timestamp, value }] : [];
  });
