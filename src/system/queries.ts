import { statement } from '../graph/statement.ts';

export const countWaiting = statement<Record<string, never>, { waiting: number }>('store/count_waiting', {
  params: [],
  row: ['waiting'],
});

type Named = { readonly name: string };
type Given = { readonly hasDefaults: boolean };

export const readDefaults = statement<Named, Given>('access/read_defaults', {
  params: ['name'],
  row: ['hasDefaults'],
});
export const updateDefaults = statement<Named, Given>('access/update_defaults', {
  params: ['name'],
  row: ['hasDefaults'],
});

/** Somebody who may administer the catalog, of the preferred name if possible. */
export const findAdministrator = statement<{ preferred: string }, { name: string; email: string }>(
  'user/find_administrator',
  { params: ['preferred'], row: ['name', 'email'] },
);
