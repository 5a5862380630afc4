import type { Graph } from '../graph/client.ts';
import type { WriteRow } from '../graph/commit.ts';
import { createPieces, deletePieces, listPieces } from './queries.ts';

/**
 * What is too long for a property: the input of a job and its result, kept as texts in order. Several short writes and
 * reads instead of one long one, so that neither memory nor a transaction depends on the length of the whole.
 */

/** Which of a job's texts: what it was given, or a part of what it made. Results are read part by part in this order. */
export type Part = 'input' | `result${1 | 2 | 3 | 4 | 5}`;

/** What one piece may hold at most, in characters. Whoever cuts a text must not cut a surrogate pair. */
export const PIECE_CHARACTERS = 256 * 1024;

const WRITE_CHARACTERS = 2 * 1024 * 1024;
const READ_AT_ONCE = 4;
const DELETE_AT_ONCE = 50;
const DIGITS = 8;

const placeOf = (part: Part, position: number): string => `${part} ${String(position).padStart(DIGITS, '0')}`;

/** A row of `job/create_piece`. Writing a piece of the same place again replaces it. */
export const pieceRow = (jobId: string, part: Part, position: number, text: string): WriteRow => {
  const place = placeOf(part, position);
  return { key: `${jobId} ${place}`, jobId, place, text };
};

/** Keeps texts as the pieces of one part, in transactions of bounded size. */
export const writePieces = async (
  graph: Graph,
  jobId: string,
  part: Part,
  texts: Iterable<string>,
): Promise<number> => {
  let rows: (WriteRow & { at: number })[] = [];
  let characters = 0;
  let position = 0;
  const flush = async () => {
    const batch = rows;
    rows = [];
    characters = 0;
    if (batch.length > 0) await graph.write((transaction) => transaction.run(createPieces, { rows: batch }));
  };
  for (const text of texts) {
    rows.push({ ...pieceRow(jobId, part, position, text), at: rows.length });
    position += 1;
    characters += text.length;
    if (characters >= WRITE_CHARACTERS) await flush();
  }
  await flush();
  return position;
};

const endOf = (prefix: string): string => `${prefix}~`;

/** The pieces of one part from a position on, or of all parts of the result. */
export async function* readPieces(
  graph: Graph,
  jobId: string,
  of: Part | 'result',
  from = 0,
): AsyncGenerator<string, void, undefined> {
  const end = endOf(of);
  let edge = of === 'result' || from === 0 ? of : placeOf(of, from - 1);
  for (;;) {
    const rows = await graph.read(listPieces, { jobId, edge, end, limit: READ_AT_ONCE });
    for (const { text } of rows) yield text;
    const last = rows.at(-1);
    if (!last || rows.length < READ_AT_ONCE) return;
    edge = last.place;
  }
}

/** Removes the pieces of a job, or those of one kind only, a few at a time. */
export const removePieces = async (graph: Graph, jobId: string, of: Part | 'result' | '' = ''): Promise<void> => {
  const span = { jobId, edge: of, end: endOf(of), limit: DELETE_AT_ONCE };
  for (;;) {
    const [row] = await graph.write((transaction) => transaction.run(deletePieces, span));
    if ((row?.removed ?? 0) < DELETE_AT_ONCE) return;
  }
};
