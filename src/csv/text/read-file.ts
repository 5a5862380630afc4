import { setImmediate as nextTurn } from 'node:timers/promises';
import { CatalogError } from '../../errors.ts';
import { CSV_TYPE, PLAIN_TEXT_TYPE } from '../../http/csv-writer.ts';
import type { Call } from '../../http/route.ts';
import { type FileFault, fileRefusedError } from './file-error.ts';
import { cutPieces } from './text-source.ts';

/** The content types of files. */
export const CSV_FILE_TYPES: readonly string[] = [PLAIN_TEXT_TYPE, CSV_TYPE];

/** The maximum length of a file in bytes and in lines. */
export const MAX_CSV_FILE_BYTES = 20 * 1024 * 1024;
const MAX_FILE_LINES = 100_000;

/**
 * The maximum number of cells per row. Every layout has far fewer, and a line of only commas would otherwise create
 * millions of cells.
 */
const MAX_ROW_CELLS = 1_000;

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

const checkCharset = (call: Pick<Call, 'header'>): void => {
  const charset = CHARSET.exec(call.header('content-type') ?? '')?.[1]?.toLowerCase();
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return;
  throw new CatalogError('unsupported_media_type', 'Unsupported character set, expected UTF-8');
};

const COMMA = 0x2c;
const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

type TextCounts = { lines: number; cells: number; mostCells: number; isQuoted: boolean; last: number };

const countLineEnd = (count: TextCounts): void => {
  if (!count.isQuoted) count.cells = 0;
  count.lines += 1;
};

/** Counts the lines and cells of a piece. A line ends with CR, LF or CRLF; the latter counts once. */
const countPiece = (count: TextCounts, piece: string): void => {
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at);
    if (code === QUOTE) count.isQuoted = !count.isQuoted;
    else if (code === LF) {
      if (count.isQuoted || count.last !== CR) countLineEnd(count);
    } else if (count.isQuoted) {
      // Inside quotes every other character is part of the cell.
    } else if (code === CR) countLineEnd(count);
    else if (code === COMMA) {
      count.cells += 1;
      if (count.cells > count.mostCells) count.mostCells = count.cells;
    }
    count.last = code;
  }
};

const countText = async (pieces: readonly string[]): Promise<TextCounts> => {
  const count = { lines: 0, cells: 0, mostCells: 0, isQuoted: false, last: 0 };
  for (const piece of cutPieces(pieces)) {
    countPiece(count, piece);
    await nextTurn();
  }
  return count;
};

const findFileFault = async (pieces: readonly string[]): Promise<FileFault | undefined> => {
  const fault = (reason: string): FileFault => ({ code: 'PARSER_FAILURE', reason });
  if (pieces.some((piece) => piece.includes('\0'))) return fault('the file contains a NUL character');
  const { lines, mostCells, isQuoted } = await countText(pieces);
  if (lines > MAX_FILE_LINES) return fault(`the file has more than ${MAX_FILE_LINES} lines`);
  if (pieces.every((piece) => piece.trim() === '')) return fault('the file is empty');
  if (isQuoted) return fault('a quote is not closed');
  return mostCells >= MAX_ROW_CELLS ? fault(`a row has more than ${MAX_ROW_CELLS} cells`) : undefined;
};

/**
 * Reads the file of a request in pieces. Throws 415, 413, or a refused-file error when it is not text, has too many
 * lines, or is empty.
 */
export const readCsvFile = async (call: Pick<Call, 'body' | 'header'>, dryRun: boolean): Promise<string[]> => {
  checkCharset(call);
  const pieces = await call.body.pieces().catch((failure: unknown) => {
    if (!(failure instanceof CatalogError) || failure.code !== 'bad_request') throw failure;
    throw fileRefusedError({ code: 'PARSER_FAILURE', reason: failure.message }, dryRun, failure);
  });
  const fault = await findFileFault(pieces);
  if (fault) throw fileRefusedError(fault, dryRun);
  return pieces;
};
