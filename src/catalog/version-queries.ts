import type { WriteStatementRow } from '../graph/group-commit.ts';
import { statement } from '../graph/statement.ts';

export type VersionRow = { readonly version: number; readonly json: string };

type VersionListParams = { readonly id: string; readonly below: number; readonly skip: number; readonly limit: number };

/** Former states with a version lower than the given one, newest first. */
export const readVersions = statement<VersionListParams, VersionRow>('catalog/version/list', {
  params: ['id', 'below', 'skip', 'limit'],
  row: ['version', 'json'],
});

export const readVersion = statement<{ id: string; version: number }, VersionRow>('catalog/version/read', {
  params: ['id', 'version'],
  row: ['version', 'json'],
});

/** The current version of a record and the length of its texts; no row when the record is being removed. */
export const readCurrentVersion = statement<{ id: string; entityType: string }, { version: number; weight: number }>(
  'catalog/version/read_current',
  { params: ['id', 'entityType'], row: ['version', 'weight'] },
);

export const createTextCopies = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'catalog/write/create_text_copy',
  {
    params: ['rows'],
    row: ['at'],
  },
);
