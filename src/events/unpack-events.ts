import type { Graph } from '../graph/client.ts';
import { storedTextLength } from '../graph/stored-text-format.ts';
import { readStoredText } from '../graph/stored-texts.ts';

/** What the texts of some events may come to that are unpacked together. */
const MAX_UNPACKED_CHARACTERS = 4 * 1024 * 1024;

/** What of an event is unpacked. */
type PackedEvent = { readonly json: string };

/** How many of the rows, one at least, say no more than may be unpacked together. */
const countWithinLimit = (rows: readonly PackedEvent[]): number => {
  let characters = 0;
  const over = rows.findIndex(({ json }) => {
    characters += storedTextLength(json);
    return characters > MAX_UNPACKED_CHARACTERS;
  });
  return over < 0 ? rows.length : Math.max(1, over);
};

/** The first of some rows with what they say in full: as many of them as may be held in memory at once. */
export const unpackFirstEvents = async <T extends PackedEvent>(graph: Graph, rows: readonly T[]): Promise<T[]> => {
  const unpacked: T[] = [];
  // One after the other: what is said of one record is unpacked with the help of one copy.
  for (const row of rows.slice(0, countWithinLimit(rows))) {
    unpacked.push({ ...row, json: await readStoredText(graph, row.json) });
  }
  return unpacked;
};

/** Rows with what they say in full, so many at a time that memory does not grow with their number. */
export async function* unpackEvents<T extends PackedEvent>(
  graph: Graph,
  rows: readonly T[],
): AsyncGenerator<T[], void, undefined> {
  for (let start = 0; start < rows.length; ) {
    const piece = await unpackFirstEvents(graph, rows.slice(start));
    yield piece;
    start += piece.length;
  }
}
