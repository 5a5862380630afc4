import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { recordNotFound } from '../errors.ts';
import { writeCsvLines } from '../http/csv-writer.ts';
import { resolveFqnText } from '../model/kind/kind.ts';
import { exportHierarchy } from './hierarchy/export-hierarchy.ts';
import { importHierarchy } from './hierarchy/import-hierarchy.ts';
import type { CsvExportRequest, CsvImportRequest } from './import-export.ts';
import { addRowCounts, NO_ROW_COUNTS, type RowCounts, writeReportHeader, writeReportLines } from './import-report.ts';
import { type CsvLayout, layoutHeader } from './layout.ts';
import { exportTable, importTable } from './table/table-file.ts';
import { cutText } from './text/text-source.ts';

/** Files of whatever layout as texts: what goes out, and what is told of what came in. */

/** Told of failures that nobody expected. */
export type OnUnexpected = CsvImportRequest['onUnexpected'];

/** The record that a file is about, if the caller may do to it what files need. */
export const findFileTarget = async (
  engine: Engine,
  principal: Principal,
  { entityType, fqn }: { readonly entityType: string; readonly fqn: string },
  operations: readonly string[],
): Promise<Snapshot> => {
  const kind = requireKind(engine.registry, entityType);
  const record = await engine.store.record(kind, { fqn: resolveFqnText(kind, fqn) }, NO_FIELDS);
  if (!record || record.deleted) throw recordNotFound(entityType, fqn);
  await authorizeRecord(engine, principal, operations, record);
  return record;
};

const isTableLayout = ({ name }: CsvLayout): boolean => name === 'table';

/** Rows of hierarchies are read once; those of a table for every attempt, and again for what is told of them. */
export const readsRowsOnce = (layout: CsvLayout): boolean => !isTableLayout(layout);

/** A part of a file, with how many rows are told of up to its end. */
export type FilePiece = { readonly text: string; readonly rows: number };

/** Texts put together to pieces of about so many characters and not much more, however long they are by themselves. */
async function* gatherPieces(texts: AsyncIterable<FilePiece>, max: number): AsyncGenerator<FilePiece> {
  let held = '';
  let rows = 0;
  for await (const piece of texts) {
    held += piece.text;
    rows = piece.rows;
    if (held.length < max) continue;
    for (const text of cutText(held, max)) yield { text, rows };
    held = '';
  }
  if (held !== '') yield { text: held, rows };
}

async function* writeFileLines(request: CsvExportRequest, isSafe: boolean): AsyncGenerator<FilePiece> {
  let rows = 0;
  yield { text: writeCsvLines([layoutHeader(request.layout)]), rows };
  for await (const some of (isTableLayout(request.layout) ? exportTable : exportHierarchy)(request)) {
    rows += some.length;
    yield { text: writeCsvLines(some, isSafe), rows };
  }
}

/** A file that goes out, in pieces of so many characters. */
export const exportCsvFile = (request: CsvExportRequest, isSafe: boolean, max: number): AsyncGenerator<FilePiece> =>
  gatherPieces(writeFileLines(request, isSafe), max);

/** What is told of a file while it comes in: lines of the report, and how many rows have passed or not so far. */
export type ImportProgress = { readonly lines: string; readonly tally: RowCounts };

/** Applies a file that came in, or only judges it. */
export async function* importCsvFile(request: CsvImportRequest): AsyncGenerator<ImportProgress> {
  let tally = NO_ROW_COUNTS;
  yield { lines: writeReportHeader(request.layout), tally };
  for await (const told of (isTableLayout(request.layout) ? importTable : importHierarchy)(request)) {
    tally = addRowCounts(tally, told);
    yield { lines: writeReportLines(told, request.isSafe), tally };
  }
}
