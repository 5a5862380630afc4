import type { Schemas } from '../api/types.ts';
import { countStates, type JudgedRow, type RowState, readJudgedRows } from './judged-rows.ts';

/** Reads the result of an import apart from the page, which goes on answering while a hundred thousand rows are read. */

export type ImportSummary = {
  readonly result: Omit<Schemas['CsvImportResult'], 'importResultsCsv'>;
  readonly headers: readonly string[];
  readonly counts: Readonly<Record<RowState, number>>;
};

export type WorkerReply =
  | { readonly kind: 'job'; readonly job: Schemas['Job'] }
  | { readonly kind: 'rows'; readonly rows: readonly JudgedRow[] }
  | { readonly kind: 'end'; readonly summary: ImportSummary; readonly csv: Blob }
  | { readonly kind: 'failure'; readonly message: string };

export type WorkerRequest = { readonly kind: 'job' | 'result'; readonly text: string };

/** The page takes over so many rows at a time, so that no takeover is long. */
const ROWS_AT_ONCE = 1000;

const reply = (message: WorkerReply): void => postMessage(message);

const readResult = (text: string): void => {
  const { importResultsCsv = '', ...result } = JSON.parse(text) as Schemas['CsvImportResult'];
  const { headers, rows } = readJudgedRows(importResultsCsv);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    reply({ kind: 'rows', rows: rows.slice(at, at + ROWS_AT_ONCE) });
  reply({
    kind: 'end',
    summary: { result, headers, counts: countStates(rows) },
    csv: new Blob([importResultsCsv], { type: 'text/csv' }),
  });
};

/** The state of a job brings its result, which the page reads elsewhere. */
const readState = (text: string): void => {
  const { result: _, ...job } = JSON.parse(text) as Schemas['Job'];
  reply({ kind: 'job', job });
};

addEventListener('message', ({ data: { kind, text } }: MessageEvent<WorkerRequest>) => {
  try {
    if (kind === 'job') readState(text);
    else readResult(text);
  } catch (failure) {
    reply({ kind: 'failure', message: `The answer cannot be read: ${String(failure)}` });
  }
});
