import { CsvError } from 'csv-parse';
import type { CsvRow } from '../../http/csv-writer.ts';
import { type CsvLayout, layoutHeader, recogniseLayout } from '../layout.ts';
import { type FileFault, fileRefusedError } from './file-error.ts';
import { readCsvRecords } from './read-rows.ts';
import type { TextSource } from './text-source.ts';

/** What is known of a file before its first row is applied. */
export type FileSurvey = { readonly layout: CsvLayout; readonly rows: number };

type SurveyOptions = { readonly among: readonly CsvLayout[]; readonly dryRun: boolean };

/** The maximum length of an unknown header in the message. */
const MAX_SHOWN_CHARACTERS = 1_000;

const headerFault = (header: CsvRow, among: readonly CsvLayout[]): FileFault => {
  const closest = among.find(({ fields }) => fields.length === header.length) ?? among[0];
  const expected = closest ? layoutHeader(closest).join(',') : '';
  const actual = header.join(',').slice(0, MAX_SHOWN_CHARACTERS);
  return { code: 'INVALID_HEADER', reason: `the header is [${actual}] but must be [${expected}]`, processed: 1 };
};

const CSV_ERROR_REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a closing quote is followed by other characters',
  INVALID_OPENING_QUOTE: 'a quote is inside a cell that does not begin with a quote',
};

const parserFault = (failure: CsvError): FileFault => {
  const reason = CSV_ERROR_REASONS[failure.code] ?? 'the file is not valid CSV';
  const { lines } = failure;
  return { code: 'PARSER_FAILURE', reason: typeof lines === 'number' ? `${reason}, in line ${lines}` : reason };
};

const countRecords = async (source: TextSource): Promise<{ header: CsvRow | undefined; rows: number }> => {
  let header: CsvRow | undefined;
  let rows = 0;
  for await (const records of readCsvRecords(source)) {
    header ??= records[0];
    rows += records.length;
  }
  return { header, rows: Math.max(rows - 1, 0) };
};

/** Reads a file once in full and throws a refused-file error for any fault of the file as a whole. */
export const surveyFile = async (source: TextSource, { among, dryRun }: SurveyOptions): Promise<FileSurvey> => {
  const { header, rows } = await countRecords(source).catch((failure: unknown) => {
    if (failure instanceof CsvError) throw fileRefusedError(parserFault(failure), dryRun, failure);
    throw failure;
  });
  if (!header) throw fileRefusedError({ code: 'PARSER_FAILURE', reason: 'the file is empty' }, dryRun);
  const layout = recogniseLayout(header, among);
  if (!layout) throw fileRefusedError(headerFault(header, among), dryRun);
  return { layout, rows };
};
