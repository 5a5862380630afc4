import { setImmediate as nextTurn } from 'node:timers/promises';

/** A text that is read several times over, in pieces, so that nobody has to hold what was made of it. */
export type Source = () => AsyncIterable<string>;

/** Small enough that neither its cells nor the time that it takes are much, large enough that pieces are few. */
const PIECE_CHARACTERS = 64 * 1024;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** A text in pieces of at most so many characters, none of which ends within a character. */
export function* cutText(text: string, most: number = PIECE_CHARACTERS): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = Math.min(from + most, text.length);
    const to = end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}

/** A text at hand as a source. Between its pieces everybody else has a turn. */
export const sourceOf = (text: string): Source =>
  async function* () {
    for (const piece of cutText(text)) {
      yield piece;
      await nextTurn();
    }
  };
