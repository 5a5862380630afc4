import { setImmediate as nextTurn } from 'node:timers/promises';

/** A text that is read several times over, in pieces, so that nobody has to hold what was made of it. */
export type TextSource = () => AsyncIterable<string>;

/** Small enough that neither its cells nor the time that it takes are much, large enough that pieces are few. */
const MAX_SOURCE_PIECE = 64 * 1024;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** A text in pieces of at most so many characters, none of which ends within a character. */
export function* cutText(text: string, max: number = MAX_SOURCE_PIECE): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = Math.min(from + max, text.length);
    const to = end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}

/** A text in pieces as others that are no longer than so many characters. */
export function* cutPieces(pieces: readonly string[], max: number = MAX_SOURCE_PIECE): Generator<string> {
  for (const piece of pieces) yield* cutText(piece, max);
}

/** The same, and each piece is forgotten when it was cut: what is read only once more need not be held to its end. */
export function* cutPiecesAndRelease(pieces: string[], max: number = MAX_SOURCE_PIECE): Generator<string> {
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) yield* cutText(piece, max);
}

async function* yieldInTurns(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}

/** A text at hand as a source. Between its pieces everybody else has a turn. */
export const createTextSource =
  (pieces: readonly string[]): TextSource =>
  () =>
    yieldInTurns(cutPieces(pieces));

/** The same of a text that is read for the last time. */
export const createLastTextSource =
  (pieces: string[]): TextSource =>
  () =>
    yieldInTurns(cutPiecesAndRelease(pieces));
