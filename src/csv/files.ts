import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { permit } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { recordNotFound } from '../errors.ts';
import { csvLines } from '../http/csv.ts';
import { lookupFqn } from '../model/kind.ts';
import type { Exporting, Importing } from './exchange.ts';
import { exportHierarchy } from './hierarchy/export.ts';
import { importHierarchy } from './hierarchy/import.ts';
import { headerOf, type Layout } from './layout.ts';
import { NO_ROWS, reportHeader, reportLines, type Tally, tallied } from './report.ts';
import { exportTable, importTable } from './table/exchange.ts';
import { cutText } from './text/source.ts';

/** Files of whatever layout as texts: what goes out, and what is told of what came in. */

/** Told of failures that nobody expected. */
export type Wonder = Importing['wonder'];

/** The record that a file is about, if the caller may do to it what files need. */
export const findTarget = async (
  engine: Engine,
  principal: Principal,
  { entityType, fqn }: { readonly entityType: string; readonly fqn: string },
  operations: readonly string[],
): Promise<Snapshot> => {
  const kind = kindNamed(engine.registry, entityType);
  const record = await engine.store.record(kind, { fqn: lookupFqn(kind, fqn) }, NO_FIELDS);
  if (!record || record.deleted) throw recordNotFound(entityType, fqn);
  await permit(engine, principal, operations, record);
  return record;
};

const isOfTable = ({ name }: Layout): boolean => name === 'table';

/** Rows of hierarchies are read once; those of a table for every attempt, and again for what is told of them. */
export const isReadOnce = (layout: Layout): boolean => !isOfTable(layout);

/** A part of a file, with how many rows are told of up to its end. */
export type Piece = { readonly text: string; readonly rows: number };

/** Texts put together to pieces of about so many characters and not much more, however long they are by themselves. */
async function* gathered(texts: AsyncIterable<Piece>, most: number): AsyncGenerator<Piece> {
  let held = '';
  let rows = 0;
  for await (const piece of texts) {
    held += piece.text;
    rows = piece.rows;
    if (held.length < most) continue;
    for (const text of cutText(held, most)) yield { text, rows };
    held = '';
  }
  if (held !== '') yield { text: held, rows };
}

async function* linesOf(wish: Exporting, isSafe: boolean): AsyncGenerator<Piece> {
  let rows = 0;
  yield { text: csvLines([headerOf(wish.layout)]), rows };
  for await (const some of (isOfTable(wish.layout) ? exportTable : exportHierarchy)(wish)) {
    rows += some.length;
    yield { text: csvLines(some, isSafe), rows };
  }
}

/** A file that goes out, in pieces of so many characters. */
export const exportFile = (wish: Exporting, isSafe: boolean, most: number): AsyncGenerator<Piece> =>
  gathered(linesOf(wish, isSafe), most);

/** What is told of a file while it comes in: lines of the report, and how many rows have passed or not so far. */
export type Progress = { readonly lines: string; readonly tally: Tally };

/** Applies a file that came in, or only judges it. */
export async function* importFile(wish: Importing): AsyncGenerator<Progress> {
  let tally = NO_ROWS;
  yield { lines: reportHeader(wish.layout), tally };
  for await (const told of (isOfTable(wish.layout) ? importTable : importHierarchy)(wish)) {
    tally = tallied(tally, told);
    yield { lines: reportLines(told, wish.isSafe), tally };
  }
}
