import { type Parser, parse } from 'csv-parse';
import { type CsvRow, removeFormulaGuard } from '../../http/csv-writer.ts';
import type { TextSource } from './text-source.ts';

type DoneCallback = (failure?: Error | null) => void;

const waitForDone = (begin: (done: DoneCallback) => unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    begin((failure) => (failure ? reject(failure) : resolve()));
  });

/** Parses the records of a text as RFC 4180 (csv.md 2), the records of one piece at a time. Throws a CsvError. */
export async function* readCsvRecords(source: TextSource): AsyncGenerator<readonly CsvRow[]> {
  let records: CsvRow[] = [];
  const parser: Parser = parse({
    // Lines may end differently within one file.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    on_record: (record: string[]) => {
      records.push(record);
      // The parser would otherwise create and discard an error with a stack for every row of another length.
      (parser.info as { records: number }).records = 0;
      // Records are collected here, because the stream would wait for a reader of each.
      return null;
    },
  });
  // The error is thrown to the caller that awaits the piece.
  parser.on('error', () => undefined);
  for await (const piece of source()) {
    await waitForDone((done) => parser.write(piece, done));
    yield records;
    records = [];
  }
  await waitForDone((done) => parser.end(done));
  yield records;
}

type ReadRowsOptions = {
  /** Whether cells that would be formulas start with an apostrophe that is not part of their text. */
  readonly isSafe: boolean;
  readonly atOnce: number;
};

/** Reads the rows after the header in batches. */
export async function* readCsvRows(
  source: TextSource,
  { isSafe, atOnce }: ReadRowsOptions,
): AsyncGenerator<readonly CsvRow[]> {
  let isHeader = true;
  let rows: CsvRow[] = [];
  for await (const records of readCsvRecords(source)) {
    for (const record of records) {
      if (isHeader) isHeader = false;
      else rows.push(isSafe ? record.map(removeFormulaGuard) : record);
      if (rows.length === atOnce) {
        yield rows;
        rows = [];
      }
    }
  }
  if (rows.length > 0) yield rows;
}
