import { readFile, stat } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { StartupError } from '../errors.ts';
import { locateAsset, objectOf, openCatalog, textOf } from './catalog-client.ts';
import type { CommandInput } from './command.ts';
import { describeProgress, waitForJob } from './job-progress.ts';
import { createContentRequest, createJsonRequest, type ServiceConnection } from './service-client.ts';

/** Validates or imports a CSV file of an asset by a job of a running service, and tells how each row was judged. */

const COMMAND = 'import csv';

/** The size that the service takes. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

const MAX_SHOWN_ROWS = 50;

const readFileText = async (file: string): Promise<string> => {
  try {
    if (file === '-') return await readStream(process.stdin);
    if ((await stat(file)).size > MAX_FILE_BYTES) throw new Error('it has more than 20 MiB');
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new StartupError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
};

type JudgedRow = {
  readonly row: number;
  readonly name: string;
  readonly status: string;
  readonly details: string;
};

/** The rows of the file as the service judged them. Rows are counted as a spreadsheet counts them, the header first. */
const readJudgedRows = (resultCsv: string): readonly JudgedRow[] => {
  const [header = [], ...rows] = parse(resultCsv, { relax_column_count: true }) as string[][];
  const fqn = header.indexOf('fullyQualifiedName');
  return rows.map((cells, at) => {
    const [status = '', details = '', name = ''] = cells;
    return { row: at + 2, name: (fqn > 0 && cells[fqn]) || name, status, details };
  });
};

const isRefused = ({ status }: JudgedRow): boolean => status !== 'success';

const printRows = ({ output }: CommandInput, rows: readonly JudgedRow[]): void => {
  const shown = [...rows.filter(isRefused), ...rows.filter((row) => !isRefused(row))].slice(0, MAX_SHOWN_ROWS);
  const verdict = ({ status, details }: JudgedRow) => (status === 'success' ? details.replace('Entity ', '') : details);
  output.table(
    ['Row', 'Name', 'Result'],
    shown.map((row) => [String(row.row), row.name, verdict(row)]),
  );
  if (rows.length > shown.length) {
    output.note(`… ${(rows.length - shown.length).toLocaleString('en')} more rows; --json prints all.`);
  }
};

/** Imports a file. Nothing is written without `--apply`. The exit code is 1 when a row was refused. */
export const importCsv = async (input: CommandInput, remote: ServiceConnection): Promise<number> => {
  const [fqn = '', file = ''] = input.positionals;
  const { output } = input;
  const isApplied = input.has('apply');
  const content = await readFileText(file);
  const { collection } = await locateAsset(openCatalog(remote, COMMAND), fqn, input.text('type'));
  const query = new URLSearchParams({ dryRun: String(!isApplied), safeCsv: String(input.has('safe')) });
  const place = `${collection}/name/${encodeURIComponent(fqn)}/importAsync?${query}`;
  const started = await createContentRequest(remote)(file, 'PUT', place, { mediaType: 'text/csv', content });
  const jobId = textOf(objectOf(await started.json())['jobId']);
  const request = createJsonRequest(remote);
  await waitForJob(request, COMMAND, jobId, { onProgress: (job) => output.progress(describeProgress(job, 'rows')) });
  const result = objectOf(await request(COMMAND, 'GET', `jobs/${jobId}/result`));
  const rows = readJudgedRows(textOf(result['importResultsCsv']));
  const refused = rows.filter(isRefused).length;
  const { importResultsCsv: _csv, ...counts } = result;
  if (input.has('json')) output.json({ ...counts, rows });
  else {
    if (rows.length > 0) printRows(input, rows);
    const passed = `${rows.length - refused} of ${rows.length} rows`;
    output.note(
      isApplied ? `${passed} were applied.` : `${passed} would be applied. Nothing was written: add --apply.`,
    );
  }
  return refused > 0 ? 1 : 0;
};
