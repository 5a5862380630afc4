import { escapeHtml } from '../../model/html.ts';
import type { TextSpan } from '../../search-documents/tokens.ts';

/** Cuts long texts down to the fragments around matched words, and marks the words. */

const OPENING = '<span class="text-highlighter">';
const CLOSING = '</span>';

/** A fragment of a text, with the marks that lie inside it. */
type Fragment = TextSpan & { readonly marks: readonly TextSpan[] };

const renderFragment = (text: string, { start, end, marks }: Fragment): string => {
  let at = start;
  let out = '';
  for (const mark of marks) {
    out += `${escapeHtml(text.slice(at, mark.start))}${OPENING}${escapeHtml(text.slice(mark.start, mark.end))}${CLOSING}`;
    at = mark.end;
  }
  return out + escapeHtml(text.slice(at, end));
};

/** Renders the whole text with its marks. */
export const markText = (text: string, marks: readonly TextSpan[]): string =>
  renderFragment(text, { start: 0, end: text.length, marks });

/** The approximate length of a fragment; its first mark is in the middle. */
const FRAGMENT_LENGTH = 150;
/** The most characters added to avoid cutting a word. */
const WORD_SLACK = 30;
const MAX_FRAGMENTS = 3;

const isBlankAt = (text: string, at: number): boolean => /\s/.test(text.charAt(at));

/** Whether a cut here would split a surrogate pair. */
const splitsCharacter = (text: string, at: number): boolean =>
  /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));

/** Finds the start of a fragment: before a word, not before `least`, and not after the mark. */
const fragmentStart = (text: string, wanted: number, least: number, mark: TextSpan): number => {
  if (wanted <= least) return least;
  for (let at = wanted; at >= Math.max(least, wanted - WORD_SLACK); at -= 1) {
    if (at === least || isBlankAt(text, at - 1)) return at;
  }
  for (let at = wanted + 1; at <= mark.start; at += 1) if (isBlankAt(text, at - 1)) return at;
  return splitsCharacter(text, wanted) ? wanted - 1 : wanted;
};

/** Finds the end of a fragment: after a word, and not before the end of the last mark. */
const fragmentEnd = (text: string, wanted: number, last: TextSpan): number => {
  if (wanted >= text.length) return text.length;
  for (let at = wanted; at <= Math.min(text.length, wanted + WORD_SLACK); at += 1) {
    if (at === text.length || isBlankAt(text, at)) return at;
  }
  for (let at = wanted - 1; at >= last.end; at -= 1) if (isBlankAt(text, at)) return at;
  return splitsCharacter(text, wanted) ? wanted + 1 : wanted;
};

const cutFragments = (text: string, marks: readonly TextSpan[]): readonly Fragment[] => {
  const pieces: Fragment[] = [];
  let next = 0;
  for (let first = marks[0]; first && pieces.length < MAX_FRAGMENTS; first = marks[next]) {
    const before = pieces.at(-1)?.end ?? 0;
    const start = fragmentStart(text, first.start - FRAGMENT_LENGTH / 2, before, first);
    const wanted = Math.max(start + FRAGMENT_LENGTH, first.end);
    const within = [first];
    next += 1;
    for (let mark = marks[next]; mark && mark.end <= wanted; mark = marks[next]) {
      within.push(mark);
      next += 1;
    }
    const end = fragmentEnd(text, wanted, within.at(-1) ?? first);
    // Marks in the added characters belong to the fragment as well.
    for (let mark = marks[next]; mark && mark.start < end; mark = marks[next]) {
      within.push(mark);
      next += 1;
    }
    pieces.push({ start, end: Math.max(end, within.at(-1)?.end ?? end), marks: within });
  }
  return pieces;
};

/** Returns the fragments around the first marks of a text, or the whole text when it is not much longer. */
export const highlightFragments = (text: string, marks: readonly TextSpan[]): readonly string[] => {
  if (marks.length === 0) return [];
  if (text.length <= 2 * FRAGMENT_LENGTH) return [markText(text, marks)];
  return cutFragments(text, marks).map((piece) => renderFragment(text, piece).trim());
};
