import { type Parser, parse } from 'csv-parse';
import { type CsvRow, removeFormulaGuard } from '../../http/csv-writer.ts';
import type { TextSource } from './text-source.ts';

type DoneCallback = (failure?: Error | null) => void;

const waitForDone = (begin: (done: DoneCallback) => unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    begin((failure) => (failure ? reject(failure) : resolve()));
  });

/** The records of a text, those of one piece at a time; what they are made of is RFC 4180 (csv.md 2). Fails with a CsvError. */
export async function* readCsvRecords(source: TextSource): AsyncGenerator<readonly CsvRow[]> {
  let records: CsvRow[] = [];
  const parser: Parser = parse({
    // Lines may end in different ways.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    on_record: (record: string[]) => {
      records.push(record);
      // For every row of another length than the first an error would be made, with its stack, and thrown away.
      (parser.info as { records: number }).records = 0;
      // Taken here, since a stream would wait for a reader of each.
      return null;
    },
  });
  // It is told to whoever waits for the piece.
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
  /** Every cell that would be a formula begins with an apostrophe that is none of its text. */
  readonly isSafe: boolean;
  readonly atOnce: number;
};

/** The rows behind the header, so many at once. */
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
