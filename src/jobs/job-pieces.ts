import type { Graph } from '../graph/client.ts';
import type { WriteStatementRow } from '../graph/group-commit.ts';
import { createJobPieces, deleteJobPieces, listJobPieces } from './queries.ts';

/**
 * Stores texts that are too long for a property, the input and the result of a job, as numbered pieces. Several short
 * reads and writes keep memory and transactions independent of the total length.
 */

/**
 * The text that a piece belongs to: the input, or one part of the result. Parts of the result are read in this order.
 */
export type JobTextPart = 'input' | `result${1 | 2 | 3 | 4 | 5}`;

/** The most characters in one piece. Code that cuts a text must not split a surrogate pair. */
export const MAX_PIECE_CHARACTERS = 256 * 1024;

const WRITE_CHARACTERS = 2 * 1024 * 1024;
const READ_BATCH = 4;
const DELETE_BATCH = 50;
const POSITION_DIGITS = 8;

const placeOfPiece = (part: JobTextPart, position: number): string =>
  `${part} ${String(position).padStart(POSITION_DIGITS, '0')}`;

/** A row of `jobs/create_pieces`. A piece with the same key is replaced. */
export const createPieceRow = (jobId: string, part: JobTextPart, position: number, text: string): WriteStatementRow => {
  const place = placeOfPiece(part, position);
  return { key: `${jobId} ${place}`, jobId, place, text };
};

/** Stores texts as the pieces of one part, in transactions of bounded size. */
export const writeJobPieces = async (
  graph: Graph,
  jobId: string,
  part: JobTextPart,
  texts: Iterable<string>,
): Promise<number> => {
  let rows: (WriteStatementRow & { at: number })[] = [];
  let characters = 0;
  let position = 0;
  const flush = async () => {
    const batch = rows;
    rows = [];
    characters = 0;
    if (batch.length > 0) await graph.write((transaction) => transaction.run(createJobPieces, { rows: batch }));
  };
  for (const text of texts) {
    rows.push({ ...createPieceRow(jobId, part, position, text), at: rows.length });
    position += 1;
    characters += text.length;
    if (characters >= WRITE_CHARACTERS) await flush();
  }
  await flush();
  return position;
};

const rangeEnd = (prefix: string): string => `${prefix}~`;

/** Reads the pieces of one part from a position on, or of all parts of the result. */
export async function* readJobPieces(
  graph: Graph,
  jobId: string,
  of: JobTextPart | 'result',
  from = 0,
): AsyncGenerator<string, void, undefined> {
  const end = rangeEnd(of);
  let edge = of === 'result' || from === 0 ? of : placeOfPiece(of, from - 1);
  for (;;) {
    const rows = await graph.read(listJobPieces, { jobId, edge, end, limit: READ_BATCH });
    for (const { text } of rows) yield text;
    const last = rows.at(-1);
    if (!last || rows.length < READ_BATCH) return;
    edge = last.place;
  }
}

/** Removes all pieces of a job, or those of one part, in small batches. */
export const removeJobPieces = async (
  graph: Graph,
  jobId: string,
  of: JobTextPart | 'result' | '' = '',
): Promise<void> => {
  const span = { jobId, edge: of, end: rangeEnd(of), limit: DELETE_BATCH };
  for (;;) {
    const [row] = await graph.write((transaction) => transaction.run(deleteJobPieces, span));
    if ((row?.removed ?? 0) < DELETE_BATCH) return;
  }
};
