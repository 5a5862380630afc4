import { createPacer, type Pacer } from './pacer.ts';

/**
 * The difference between two texts, as instructions that make the second from the first: a text is inserted as it is,
 * and a pair of numbers copies from the first text, the distance from the end of the last copy and the length.
 * Texts are cut into chunks where a JSON object begins, so that the members of long lists are found again wherever they
 * have moved to. The texts themselves are never parsed: what is made is exactly the second text, whatever it says.
 */
export type TextDifference = readonly (number | string)[];

/** A chunk that no object ends earlier is cut behind a comma, or at this length at the latest. */
const SOFT_CHUNK_LENGTH = 256;
const MAX_CHUNK_LENGTH = 4096;

/** A copy shorter than this costs more than the characters themselves. */
const MIN_COPY_LENGTH = 12;

/** What tells list items apart usually stands in their first member, and this much of it is looked at. */
const MAX_HEAD_LENGTH = 80;

/** How many chunks are looked at before the work asks whether to give way. */
const CHUNKS_AT_ONCE = 256;

/** The places where a text is cut, from 0 to its length. */
const findCuts = async (text: string, pacer: Pacer): Promise<number[]> => {
  const cuts: number[] = [0];
  const positions = { '{"': -1, ',"': -1 };
  // Each mark is looked for once per place, so that a text without it is not searched to its end again and again.
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

/** Where the chunks of the first text are: those that say the same, and those that begin in the same way. */
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

/** Gathers instructions, joining those that go on where the one before ends. */
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

/** Writes a chunk as what it shares with its counterpart at both ends, and what it says itself. */
const writeChangedChunk = (writer: DifferenceWriter, chunk: string, former: string, at: number): void => {
  const start = commonStart(chunk, former);
  const shared = start < MIN_COPY_LENGTH ? 0 : start;
  const end = commonEnd(chunk, former, Math.min(chunk.length, former.length) - shared);
  const tail = end < MIN_COPY_LENGTH ? 0 : end;
  writer.copy(at, at + shared);
  writer.insert(chunk.slice(shared, chunk.length - tail));
  writer.copy(at + former.length - tail, at + former.length);
};

/** The first cut that is not before a place. */
const findCutFrom = (cuts: readonly number[], place: number): number => {
  let [low, high] = [0, cuts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cuts[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Instructions that make `target` from `base`. The event loop is never held for long. */
export const diffText = async (base: string, target: string): Promise<TextDifference> => {
  const pacer = createPacer();
  const writer = createDifferenceWriter();
  const cuts = await findCuts(target, pacer);
  let index: ChunkIndex | undefined;
  let expected = 0;
  for (let at = 0; at + 1 < cuts.length; at += 1) {
    if (at % CHUNKS_AT_ONCE === 0 && pacer.isSliceUsedUp()) await pacer.yieldToEventLoop();
    const chunk = target.slice(cuts[at], cuts[at + 1]);
    // Most of a text goes on as it did before, and then nothing has to be looked up.
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

/** The second text again, from the first and the difference. Throws when the difference does not fit the text. */
export const applyTextDifference = async (base: string, difference: TextDifference): Promise<string> => {
  const pacer = createPacer();
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
