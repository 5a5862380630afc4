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

/** Writes exported files and import reports as text, for every layout. */

/** Called with unexpected failures. */
export type OnUnexpected = CsvImportRequest['onUnexpected'];

/** Finds the record that a file is for. Throws when the caller lacks the permission for the operations. */
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

/**
 * Whether an import reads the rows of a file once, as for hierarchies. Rows of a table are read again for every
 * attempt and for the report.
 */
export const readsRowsOnce = (layout: CsvLayout): boolean => !isTableLayout(layout);

/** A piece of a file, with the number of rows up to its end. */
export type FilePiece = { readonly text: string; readonly rows: number };

/** Joins texts to pieces of about `max` characters, regardless of their own lengths. */
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

/** Exports a file in pieces of about `max` characters. */
export const exportCsvFile = (request: CsvExportRequest, isSafe: boolean, max: number): AsyncGenerator<FilePiece> =>
  gatherPieces(writeFileLines(request, isSafe), max);

/** The progress of an import: report lines, and the row counts so far. */
export type ImportProgress = { readonly lines: string; readonly tally: RowCounts };

/** Imports a file, or validates it in a dry run. */
export async function* importCsvFile(request: CsvImportRequest): AsyncGenerator<ImportProgress> {
  let tally = NO_ROW_COUNTS;
  yield { lines: writeReportHeader(request.layout), tally };
  for await (const reports of (isTableLayout(request.layout) ? importTable : importHierarchy)(request)) {
    tally = addRowCounts(tally, reports);
    yield { lines: writeReportLines(reports, request.isSafe), tally };
  }
}
