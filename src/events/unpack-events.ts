import type { Graph } from '../graph/client.ts';
import { storedTextLength } from '../graph/stored-text-format.ts';
import { readStoredText } from '../graph/stored-texts.ts';

/** The most characters that are unpacked together. */
const MAX_UNPACKED_CHARACTERS = 4 * 1024 * 1024;

/** The packed text of an event. */
type PackedEvent = { readonly json: string };

/** Counts the rows, at least one, that may be unpacked together. */
const countWithinLimit = (rows: readonly PackedEvent[]): number => {
  let characters = 0;
  const over = rows.findIndex(({ json }) => {
    characters += storedTextLength(json);
    return characters > MAX_UNPACKED_CHARACTERS;
  });
  return over < 0 ? rows.length : Math.max(1, over);
};

/** Unpacks the first rows, as many as fit into memory at once. */
export const unpackFirstEvents = async <T extends PackedEvent>(graph: Graph, rows: readonly T[]): Promise<T[]> => {
  const unpacked: T[] = [];
  // Unpacks one row after another, so that events of one record share one stored copy.
  for (const row of rows.slice(0, countWithinLimit(rows))) {
    unpacked.push({ ...row, json: await readStoredText(graph, row.json) });
  }
  return unpacked;
};

/** Unpacks rows in batches, so that memory does not grow with their number. */
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
