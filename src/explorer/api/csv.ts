import { ask, askText } from './ask.ts';
import { csvKindOf } from './csv-kinds.ts';
import { fetchPermissions } from './permissions.ts';
import type { Schemas } from './types.ts';

/** Exports and imports of assets as CSV, which run as jobs. */

export type CsvTarget = { readonly type: string; readonly fqn: string };

/** The most that an import may have, as the service documents it. */
export const MOST_CSV_BYTES = 20 * 1024 * 1024;

export type CsvRights = { readonly mayExport: boolean; readonly mayImport: boolean };

export const fetchCsvRights = async (
  { type, id }: { readonly type: string; readonly id: string },
  signal: AbortSignal,
): Promise<CsvRights> => {
  const may = await fetchPermissions(type, id, signal);
  return { mayExport: may('ViewAll'), mayImport: may('EditAll') };
};

const pathOf = ({ type, fqn }: CsvTarget): string => `/v1/${csvKindOf(type)?.path}/name/${encodeURIComponent(fqn)}`;

export type CsvExportOptions = { readonly recursive: boolean; readonly safeCsv: boolean };

export const startExport = (target: CsvTarget, { recursive, safeCsv }: CsvExportOptions) =>
  ask<Schemas['JobStart']>(`${pathOf(target)}/exportAsync`, { query: { recursive, safeCsv } });

export type CsvImportOptions = { readonly dryRun: boolean; readonly safeCsv: boolean };

export const startImport = (target: CsvTarget, content: string | Blob, { dryRun, safeCsv }: CsvImportOptions) =>
  ask<Schemas['JobStart']>(`${pathOf(target)}/importAsync`, {
    method: 'PUT',
    query: { dryRun, safeCsv },
    mediaType: 'text/csv',
    content,
  });

export const readCsvDocumentation = (type: string, recursive: boolean, signal: AbortSignal) =>
  ask<Schemas['CsvDocumentation']>(`/v1/csv/documentation/${encodeURIComponent(type)}`, {
    query: { recursive },
    signal,
  });

const jobPath = (jobId: string): string => `/v1/jobs/${encodeURIComponent(jobId)}`;

export const readJobText = (jobId: string, signal: AbortSignal): Promise<string> => askText(jobPath(jobId), { signal });

export const readJobResult = (jobId: string, signal?: AbortSignal): Promise<string> =>
  askText(`${jobPath(jobId)}/result`, { headers: { accept: 'application/json, text/csv' }, signal });

export const cancelJob = (jobId: string) => ask<Schemas['Job']>(`${jobPath(jobId)}/cancel`, { method: 'PUT' });

/** The caller's latest jobs on an asset. */
export const listJobsOf = async ({ type, fqn }: CsvTarget, signal: AbortSignal) => {
  const { data } = await ask<Schemas['JobList']>('/v1/jobs', { query: { limit: 100 }, signal });
  return data.filter(({ entityType, targetFqn }) => entityType === type && targetFqn === fqn);
};
