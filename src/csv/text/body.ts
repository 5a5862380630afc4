import { setImmediate as nextTurn } from 'node:timers/promises';
import { CatalogError } from '../../errors.ts';
import { CSV, PLAIN } from '../../http/csv.ts';
import type { Call } from '../../http/route.ts';
import { type FileFault, fileRefused } from './fault.ts';
import { cutAgain } from './source.ts';

/** The types in which a file may be sent. */
export const FILE_TYPES: readonly string[] = [PLAIN, CSV];

/** The longest file, in bytes and in lines. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;
const MAX_LINES = 100_000;

/** No layout comes near, and a line of nothing but commas would be a list of millions of cells. */
const MAX_CELLS = 1_000;

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

const refuseCharset = (call: Pick<Call, 'header'>): void => {
  const charset = CHARSET.exec(call.header('content-type') ?? '')?.[1]?.toLowerCase();
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return;
  throw new CatalogError('unsupported_media_type', 'Unsupported character set, expected UTF-8');
};

const COMMA = 0x2c;
const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

type Count = { lines: number; cells: number; mostCells: number; isQuoted: boolean; last: number };

const endLine = (count: Count): void => {
  if (!count.isQuoted) count.cells = 0;
  count.lines += 1;
};

/** Every line feed counts, and so does every other end of a line; of two that belong together the second does not. */
const countPiece = (count: Count, piece: string): void => {
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at);
    if (code === QUOTE) count.isQuoted = !count.isQuoted;
    else if (code === LF) {
      if (count.isQuoted || count.last !== CR) endLine(count);
    } else if (count.isQuoted) {
      // Within quotes nothing else means anything.
    } else if (code === CR) endLine(count);
    else if (code === COMMA) {
      count.cells += 1;
      if (count.cells > count.mostCells) count.mostCells = count.cells;
    }
    count.last = code;
  }
};

const countText = async (pieces: readonly string[]): Promise<Count> => {
  const count = { lines: 0, cells: 0, mostCells: 0, isQuoted: false, last: 0 };
  for (const piece of cutAgain(pieces)) {
    countPiece(count, piece);
    await nextTurn();
  }
  return count;
};

const faultOf = async (pieces: readonly string[]): Promise<FileFault | undefined> => {
  const fault = (reason: string): FileFault => ({ code: 'PARSER_FAILURE', reason });
  if (pieces.some((piece) => piece.includes('\0'))) return fault('the file has a NUL character in it');
  const { lines, mostCells, isQuoted } = await countText(pieces);
  if (lines > MAX_LINES) return fault(`the file has more than ${MAX_LINES} lines`);
  if (pieces.every((piece) => piece.trim() === '')) return fault('the file is empty');
  if (isQuoted) return fault('a quote is opened and never closed');
  return mostCells >= MAX_CELLS ? fault(`a row has more than ${MAX_CELLS} cells`) : undefined;
};

/** The text of a request's file, in pieces: 415, 413, or `fileRefused` for what is no text, has too many lines, or is empty. */
export const readFile = async (call: Pick<Call, 'body' | 'header'>, dryRun: boolean): Promise<string[]> => {
  refuseCharset(call);
  const pieces = await call.body.pieces().catch((failure: unknown) => {
    if (!(failure instanceof CatalogError) || failure.code !== 'bad_request') throw failure;
    throw fileRefused({ code: 'PARSER_FAILURE', reason: failure.message }, dryRun, failure);
  });
  const fault = await faultOf(pieces);
  if (fault) throw fileRefused(fault, dryRun);
  return pieces;
};
