import { setImmediate as nextTurn } from 'node:timers/promises';

/** A text that can be read repeatedly in pieces, so that parsed rows need not be kept in memory. */
export type TextSource = () => AsyncIterable<string>;

/** Small enough to limit memory and time per piece, large enough to keep the number of pieces low. */
const MAX_SOURCE_PIECE = 64 * 1024;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** Cuts a text into pieces of at most `max` characters without splitting a surrogate pair. */
export function* cutText(text: string, max: number = MAX_SOURCE_PIECE): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = Math.min(from + max, text.length);
    const to = end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}

/** Cuts pieces into smaller ones of at most `max` characters. */
export function* cutPieces(pieces: readonly string[], max: number = MAX_SOURCE_PIECE): Generator<string> {
  for (const piece of pieces) yield* cutText(piece, max);
}

/** Cuts pieces and releases each, for a text that is read for the last time. */
export function* cutPiecesAndRelease(pieces: string[], max: number = MAX_SOURCE_PIECE): Generator<string> {
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) yield* cutText(piece, max);
}

async function* yieldInTurns(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}

/** Creates a source from a text in memory. Other work gets a turn between its pieces. */
export const createTextSource =
  (pieces: readonly string[]): TextSource =>
  () =>
    yieldInTurns(cutPieces(pieces));

/** Creates a source of a text that is read for the last time and released while it is read. */
export const createLastTextSource =
  (pieces: string[]): TextSource =>
  () =>
    yieldInTurns(cutPiecesAndRelease(pieces));
