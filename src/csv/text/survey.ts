import { CsvError } from 'csv-parse';
import type { Row } from '../../http/csv.ts';
import { headerOf, type Layout, recognise } from '../layout.ts';
import { type FileFault, fileRefused } from './fault.ts';
import { readRecords } from './rows.ts';
import type { Source } from './source.ts';

/** What is known of a file before its first row is applied. */
export type Survey = { readonly layout: Layout; readonly rows: number };

type Expectation = { readonly among: readonly Layout[]; readonly dryRun: boolean };

/** As much of a header that is none as anybody wants to read. */
const SHOWN_CHARACTERS = 1_000;

const headerFault = (header: Row, among: readonly Layout[]): FileFault => {
  const meant = among.find(({ fields }) => fields.length === header.length) ?? among[0];
  const expected = meant ? headerOf(meant).join(',') : '';
  const actual = header.join(',').slice(0, SHOWN_CHARACTERS);
  return { code: 'INVALID_HEADER', reason: `the header is [${actual}] but must be [${expected}]`, processed: 1 };
};

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'something stands behind a closing quote',
  INVALID_OPENING_QUOTE: 'a quote stands within a cell that does not begin with one',
};

const textFault = (failure: CsvError): FileFault => {
  const reason = REASONS[failure.code] ?? 'the file is no CSV';
  const { lines } = failure;
  return { code: 'PARSER_FAILURE', reason: typeof lines === 'number' ? `${reason}, in line ${lines}` : reason };
};

const countRecords = async (source: Source): Promise<{ header: Row | undefined; rows: number }> => {
  let header: Row | undefined;
  let rows = 0;
  for await (const records of readRecords(source)) {
    header ??= records[0];
    rows += records.length;
  }
  return { header, rows: Math.max(rows - 1, 0) };
};

/** Reads a file once from end to end and throws `fileRefused` for what is wrong with it anywhere. */
export const surveyFile = async (source: Source, { among, dryRun }: Expectation): Promise<Survey> => {
  const { header, rows } = await countRecords(source).catch((failure: unknown) => {
    if (failure instanceof CsvError) throw fileRefused(textFault(failure), dryRun, failure);
    throw failure;
  });
  if (!header) throw fileRefused({ code: 'PARSER_FAILURE', reason: 'the file is empty' }, dryRun);
  const layout = recognise(header, among);
  if (!layout) throw fileRefused(headerFault(header, among), dryRun);
  return { layout, rows };
};
