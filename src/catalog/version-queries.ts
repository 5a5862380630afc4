import type { WriteRow } from '../graph/commit.ts';
import { statement } from '../graph/statement.ts';

export type VersionRow = { readonly version: number; readonly json: string };

type VersionPage = { readonly id: string; readonly below: number; readonly skip: number; readonly limit: number };

/** Former states below a version, newest first. */
export const readVersions = statement<VersionPage, VersionRow>('record/read_versions', {
  params: ['id', 'below', 'skip', 'limit'],
  row: ['version', 'json'],
});

export const readVersion = statement<{ id: string; version: number }, VersionRow>('record/read_version', {
  params: ['id', 'version'],
  row: ['version', 'json'],
});

/** The version that a record of a type is at, and how long its texts are; nothing when it is being removed. */
export const readPresentVersion = statement<{ id: string; entityType: string }, { version: number; weight: number }>(
  'version/read_present',
  { params: ['id', 'entityType'], row: ['version', 'weight'] },
);

export const createTextCopies = statement<{ rows: readonly WriteRow[] }, { at: number }>('text/create_copy', {
  params: ['rows'],
  row: ['at'],
});
