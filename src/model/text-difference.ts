import { createPacer, type Pacer } from './pacer.ts';

/**
 * Computes the difference between two texts, as instructions that build the second from the first. A string inserts
 * text; a pair of numbers copies from the first text: the distance from the end of the last copy, and the length. Texts
 * are cut into chunks where a JSON object begins, so that items of long lists are found wherever they have moved. The
 * texts are never parsed: the result is exactly the second text, whatever it contains.
 */
export type TextDifference = readonly (number | string)[];

/** A chunk without an end of an object is cut after a comma, or at the maximum length. */
const SOFT_CHUNK_LENGTH = 256;
const MAX_CHUNK_LENGTH = 4096;

/** A shorter copy costs more than the characters themselves. */
const MIN_COPY_LENGTH = 12;

/** The first member of a list item usually identifies it. This many characters of it are compared. */
const MAX_HEAD_LENGTH = 80;

/** How many chunks are processed before the loop checks whether to yield. */
const CHUNKS_AT_ONCE = 256;

/** Finds the positions where a text is cut, from 0 to its length. */
const findCuts = async (text: string, pacer: Pacer): Promise<number[]> => {
  const cuts: number[] = [0];
  const positions = { '{"': -1, ',"': -1 };
  // Each mark is searched once per position, so that a text without it is not scanned to its end again and again.
  const next = (mark: keyof typeof positions, from: number): number => {
    if (positions[mark] < from) {
      const found = text.indexOf(mark, from);
      positions[mark] = found < 0 ? text.length : found;
    }
    return positions[mark];
  };
  for (let start = 0; start < text.length; ) {
    let end = next('{"', start + 1);
    if (end - start > SOFT_CHUNK_LENGTH)
      end = Math.min(end, next(',"', start + SOFT_CHUNK_LENGTH), start + MAX_CHUNK_LENGTH);
    cuts.push(end);
    start = end;
    if (cuts.length % CHUNKS_AT_ONCE === 0 && pacer.isSliceUsedUp()) await pacer.yieldToEventLoop();
  }
  return cuts;
};

const chunkHead = (chunk: string): string => {
  const comma = chunk.indexOf(',');
  return chunk.slice(0, comma < 0 ? MAX_HEAD_LENGTH : Math.min(comma, MAX_HEAD_LENGTH));
};

/** The positions of the chunks of the first text, by their content and by their beginning. */
type ChunkIndex = {
  readonly cuts: readonly number[];
  readonly byText: ReadonlyMap<string, number>;
  readonly byHead: ReadonlyMap<string, number>;
};

const indexChunks = async (text: string, pacer: Pacer): Promise<ChunkIndex> => {
  const cuts = await findCuts(text, pacer);
  const byText = new Map<string, number>();
  const byHead = new Map<string, number>();
  for (let at = 0; at + 1 < cuts.length; at += 1) {
    const chunk = text.slice(cuts[at], cuts[at + 1]);
    if (!byText.has(chunk)) byText.set(chunk, at);
    const head = chunkHead(chunk);
    if (!byHead.has(head)) byHead.set(head, at);
    if (at % CHUNKS_AT_ONCE === 0 && pacer.isSliceUsedUp()) await pacer.yieldToEventLoop();
  }
  return { cuts, byText, byHead };
};

/** Collects instructions, and joins those that continue the previous one. */
const createDifferenceWriter = () => {
  const out: (number | string)[] = [];
  let inserted: string[] = [];
  let copyStart = 0;
  let copyEnd = 0;
  let lastEnd = 0;

  const endInsertion = () => {
    if (inserted.length > 0) out.push(inserted.join(''));
    inserted = [];
  };
  const endCopy = () => {
    if (copyEnd > copyStart) {
      out.push(copyStart - lastEnd, copyEnd - copyStart);
      lastEnd = copyEnd;
    }
    copyStart = copyEnd;
  };
  return {
    copy: (start: number, end: number) => {
      if (end <= start) return;
      endInsertion();
      if (start !== copyEnd || copyEnd === copyStart) {
        endCopy();
        copyStart = start;
      }
      copyEnd = end;
    },
    insert: (text: string) => {
      if (text === '') return;
      endCopy();
      inserted.push(text);
    },
    end: (): TextDifference => {
      endInsertion();
      endCopy();
      return out;
    },
  };
};

type DifferenceWriter = ReturnType<typeof createDifferenceWriter>;

const commonStart = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
};

const commonEnd = (one: string, other: string, most: number): number => {
  let length = 0;
  while (length < most && one.charCodeAt(one.length - 1 - length) === other.charCodeAt(other.length - 1 - length)) {
    length += 1;
  }
  return length;
};

/** Writes a chunk as the beginning and end that it shares with its counterpart, and the text in between. */
const writeChangedChunk = (writer: DifferenceWriter, chunk: string, former: string, at: number): void => {
  const start = commonStart(chunk, former);
  const shared = start < MIN_COPY_LENGTH ? 0 : start;
  const end = commonEnd(chunk, former, Math.min(chunk.length, former.length) - shared);
  const tail = end < MIN_COPY_LENGTH ? 0 : end;
  writer.copy(at, at + shared);
  writer.insert(chunk.slice(shared, chunk.length - tail));
  writer.copy(at + former.length - tail, at + former.length);
};

/** Finds the first cut at or after a position. */
const findCutFrom = (cuts: readonly number[], place: number): number => {
  let [low, high] = [0, cuts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cuts[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Computes instructions that build `target` from `base`. Yields to the event loop regularly. */
export const diffText = async (base: string, target: string, pacer = createPacer()): Promise<TextDifference> => {
  const writer = createDifferenceWriter();
  const cuts = await findCuts(target, pacer);
  let index: ChunkIndex | undefined;
  let expected = 0;
  for (let at = 0; at + 1 < cuts.length; at += 1) {
    if (at % CHUNKS_AT_ONCE === 0 && pacer.isSliceUsedUp()) await pacer.yieldToEventLoop();
    const chunk = target.slice(cuts[at], cuts[at + 1]);
    // Most of a text continues as before, and then no look-up is needed.
    if (base.startsWith(chunk, expected)) {
      writer.copy(expected, expected + chunk.length);
      expected += chunk.length;
      continue;
    }
    index ??= await indexChunks(base, pacer);
    const same = index.byText.get(chunk);
    const counterpart = same ?? index.byHead.get(chunkHead(chunk)) ?? findCutFrom(index.cuts, expected);
    const [start, end] = [index.cuts[counterpart] ?? base.length, index.cuts[counterpart + 1] ?? base.length];
    if (same === undefined) writeChangedChunk(writer, chunk, base.slice(start, end), start);
    else writer.copy(start, end);
    expected = end;
  }
  return writer.end();
};

/** Rebuilds the second text from the first and the difference. Throws when the difference does not match the text. */
export const applyTextDifference = async (
  base: string,
  difference: TextDifference,
  pacer = createPacer(),
): Promise<string> => {
  const parts: string[] = [];
  let last = 0;
  for (let at = 0; at < difference.length; at += 1) {
    if (at % CHUNKS_AT_ONCE === 0 && pacer.isSliceUsedUp()) await pacer.yieldToEventLoop();
    const step = difference[at];
    if (typeof step === 'string') {
      parts.push(step);
      continue;
    }
    const length = difference[at + 1];
    at += 1;
    const start = last + (step ?? Number.NaN);
    if (typeof length !== 'number' || !(start >= 0 && length > 0 && start + length <= base.length))
      throw new Error('a difference does not fit the text it is applied to');
    parts.push(base.slice(start, start + length));
    last = start + length;
  }
  return parts.join('');
};
