import { statement } from '../graph/statement.ts';

export const countUnindexed = statement<Record<string, never>, { waiting: number }>('system/count_unindexed', {
  params: [],
  row: ['waiting'],
});

type DefaultsKey = { readonly name: string };
type DefaultsRow = { readonly hasDefaults: boolean };

export const readDefaults = statement<DefaultsKey, DefaultsRow>('system/read_defaults', {
  params: ['name'],
  row: ['hasDefaults'],
});
export const updateDefaults = statement<DefaultsKey, DefaultsRow>('system/update_defaults', {
  params: ['name'],
  row: ['hasDefaults'],
});

/** Finds an administrator, preferably the one of the given name. */
export const findAdministrator = statement<{ preferred: string }, { name: string; email: string }>(
  'system/find_administrator',
  { params: ['preferred'], row: ['name', 'email'] },
);

export type BacklogRow = { readonly queue: string; readonly waiting: number; readonly ageMs: number };

export const readBacklog = statement<{ limit: number }, BacklogRow>('system/read_backlog', {
  params: ['limit'],
  row: ['queue', 'waiting', 'ageMs'],
});
