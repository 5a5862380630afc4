import { findStringEnd } from './json.ts';
import { createPacer } from './pacer.ts';

/** Works on long JSON texts without parsing them. */

/** One member of an object in a JSON text: its name, start and end. */
type MemberRange = { readonly name: string; readonly start: number; readonly end: number };

const QUOTE = '"';

/** How many tokens are read before the loop checks whether to yield. */
const MARKS_AT_ONCE = 4096;

/** Finds the members of the outermost object without parsing their values. */
const findMemberRanges = async (text: string): Promise<MemberRange[]> => {
  const pacer = createPacer();
  const marks = /["{}[\],]/g;
  const places: MemberRange[] = [];
  let depth = 0;
  let start = 0;
  let name: string | undefined;
  let looked = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const [sign] = mark;
    looked += 1;
    if (looked % MARKS_AT_ONCE === 0 && pacer.isSliceUsedUp()) await pacer.yieldToEventLoop();
    if (sign === QUOTE) {
      const end = findStringEnd(text, mark.index);
      if (depth === 1 && name === undefined) {
        start = mark.index;
        name = JSON.parse(text.slice(start, end + 1)) as string;
      }
      marks.lastIndex = end + 1;
    } else if (sign === '{' || sign === '[') depth += 1;
    else if (sign !== ',') depth -= 1;
    const isEnd = (sign === ',' && depth === 1) || depth === 0;
    if (!isEnd || name === undefined) continue;
    places.push({ name, start, end: mark.index });
    name = undefined;
  }
  return places;
};

/** Removes members from the text of an object. Their values are neither parsed nor changed. */
export const filterJsonMembers = async (text: string, isKept: (name: string) => boolean): Promise<string> => {
  const places = await findMemberRanges(text);
  if (places.every(({ name }) => isKept(name))) return text;
  return `{${places.flatMap(({ name, start, end }) => (isKept(name) ? [text.slice(start, end)] : [])).join(',')}}`;
};

/** How many characters are quoted in one turn of the event loop. */
const QUOTED_AT_ONCE = 128 * 1024;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** Quotes a text as a JSON string, in pieces small enough not to block the event loop. */
export async function* quoteInPieces(text: string): AsyncGenerator<string, void, undefined> {
  const pacer = createPacer();
  let piece = QUOTE;
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + QUOTED_AT_ONCE);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    yield piece + JSON.stringify(text.slice(start, end)).slice(1, -1);
    piece = '';
    start = end;
    if (pacer.isSliceUsedUp()) await pacer.yieldToEventLoop();
  }
  yield piece + QUOTE;
}
