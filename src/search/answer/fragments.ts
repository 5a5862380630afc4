import type { Stretch } from '../tokens.ts';

/** Cuts long texts down to what stands around the words that were found in them, and marks these. */

const OPENING = '<span class="text-highlighter">';
const CLOSING = '</span>';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** A piece of a text in which all marks lie that are given with it. */
type Piece = Stretch & { readonly marks: readonly Stretch[] };

const written = (text: string, { start, end, marks }: Piece): string => {
  let at = start;
  let out = '';
  for (const mark of marks) {
    out += `${escaped(text.slice(at, mark.start))}${OPENING}${escaped(text.slice(mark.start, mark.end))}${CLOSING}`;
    at = mark.end;
  }
  return out + escaped(text.slice(at, end));
};

/** The whole text with its marks. */
export const markedWhole = (text: string, marks: readonly Stretch[]): string =>
  written(text, { start: 0, end: text.length, marks });

/** About so long is a fragment, its first mark in the middle. */
const LENGTH = 150;
/** So much is added at most so that no word is cut. */
const SLACK = 30;
const MOST_FRAGMENTS = 3;

const isBlankAt = (text: string, at: number): boolean => /\s/.test(text.charAt(at));

/** Whether a cut there would tear a character apart. */
const isTorn = (text: string, at: number): boolean =>
  /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));

/** Where a fragment begins: before a word, nowhere before the least, and not behind the mark. */
const beginning = (text: string, wanted: number, least: number, mark: Stretch): number => {
  if (wanted <= least) return least;
  for (let at = wanted; at >= Math.max(least, wanted - SLACK); at -= 1) {
    if (at === least || isBlankAt(text, at - 1)) return at;
  }
  for (let at = wanted + 1; at <= mark.start; at += 1) if (isBlankAt(text, at - 1)) return at;
  return isTorn(text, wanted) ? wanted - 1 : wanted;
};

/** Where a fragment ends: behind a word, and not before the last mark does. */
const ending = (text: string, wanted: number, last: Stretch): number => {
  if (wanted >= text.length) return text.length;
  for (let at = wanted; at <= Math.min(text.length, wanted + SLACK); at += 1) {
    if (at === text.length || isBlankAt(text, at)) return at;
  }
  for (let at = wanted - 1; at >= last.end; at -= 1) if (isBlankAt(text, at)) return at;
  return isTorn(text, wanted) ? wanted + 1 : wanted;
};

const piecesOf = (text: string, marks: readonly Stretch[]): readonly Piece[] => {
  const pieces: Piece[] = [];
  let next = 0;
  for (let first = marks[0]; first && pieces.length < MOST_FRAGMENTS; first = marks[next]) {
    const before = pieces.at(-1)?.end ?? 0;
    const start = beginning(text, first.start - LENGTH / 2, before, first);
    const wanted = Math.max(start + LENGTH, first.end);
    const within = [first];
    next += 1;
    for (let mark = marks[next]; mark && mark.end <= wanted; mark = marks[next]) {
      within.push(mark);
      next += 1;
    }
    const end = ending(text, wanted, within.at(-1) ?? first);
    // What lies in the slack is seen as well.
    for (let mark = marks[next]; mark && mark.start < end; mark = marks[next]) {
      within.push(mark);
      next += 1;
    }
    pieces.push({ start, end: Math.max(end, within.at(-1)?.end ?? end), marks: within });
  }
  return pieces;
};

/** What stands around the first marks of a text, or the whole text where it is not much longer. */
export const fragmentsOf = (text: string, marks: readonly Stretch[]): readonly string[] => {
  if (marks.length === 0) return [];
  if (text.length <= 2 * LENGTH) return [markedWhole(text, marks)];
  return piecesOf(text, marks).map((piece) => written(text, piece).trim());
};
