import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { type Row, withoutGuard } from '../../http/csv.ts';
import type { Source } from './source.ts';

/** The records of a text one after the other; what they are made of is RFC 4180 (csv.md 2). Fails with a CsvError. */
export const readRecords = (source: Source): AsyncIterable<Row> => {
  const parser = parse({
    // Lines may end in different ways.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // What goes wrong in either is thrown to whoever reads.
  pipeline(Readable.from(source()), parser, () => undefined);
  return parser as AsyncIterable<Row>;
};

type Reading = {
  /** Every cell that would be a formula begins with an apostrophe that is none of its text. */
  readonly isSafe: boolean;
  readonly atOnce: number;
};

/** The rows behind the header, so many at once. */
export async function* readRows(source: Source, { isSafe, atOnce }: Reading): AsyncGenerator<readonly Row[]> {
  let isHeader = true;
  let rows: Row[] = [];
  for await (const record of readRecords(source)) {
    if (isHeader) {
      isHeader = false;
      continue;
    }
    rows.push(isSafe ? record.map(withoutGuard) : record);
    if (rows.length === atOnce) {
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
}
