/**
 * Passages of a text as a search answers them: what was found stands between marks, and the rest is escaped for pages. Here
 * all of it becomes plain text again, in parts that know whether they were found.
 */

export type PassagePart = { readonly text: string; readonly isFound: boolean };

const OPEN = '<span class="text-highlighter">';
const CLOSE = '</span>';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi;

const LAST_CODE_POINT = 0x10ffff;

const readEntity = (whole: string, decimal?: string, hex?: string, name?: string): string => {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
};

const decodeText = (text: string): string => text.replace(ENTITY, readEntity);

/** Marks that stand inside a text as letters are escaped, so that only those of the search are read as marks. */
export const readPassage = (passage: string): readonly PassagePart[] =>
  passage
    .split(OPEN)
    .flatMap((piece, index) => {
      if (index === 0) return [{ text: decodeText(piece), isFound: false }];
      const end = piece.indexOf(CLOSE);
      if (end < 0) return [{ text: decodeText(piece), isFound: true }];
      return [
        { text: decodeText(piece.slice(0, end)), isFound: true },
        { text: decodeText(piece.slice(end + CLOSE.length)), isFound: false },
      ];
    })
    .filter(({ text }) => text !== '');

/** A passage without its marks. */
export const plainPassage = (passage: string): string =>
  readPassage(passage)
    .map(({ text }) => text)
    .join('');

/** So many letters before the first word that was found still fit into a short line with it. */
const LEAD = 24;

/** The parts of a passage from shortly before what was found, so that one line shows it. */
export const beginNearFound = (parts: readonly PassagePart[]): readonly PassagePart[] => {
  const [first, ...rest] = parts;
  if (!first || first.isFound || first.text.length <= LEAD) return parts;
  const lead = first.text.slice(-LEAD);
  return [{ text: `… ${lead.slice(lead.indexOf(' ') + 1)}`, isFound: false }, ...rest];
};

/** How much of a passage was found, from 0 to 1. */
export const shareFound = (passage: string): number => {
  const parts = readPassage(passage);
  const lengthOf = (some: readonly PassagePart[]): number => some.reduce((sum, { text }) => sum + text.length, 0);
  return lengthOf(parts.filter(({ isFound }) => isFound)) / Math.max(1, lengthOf(parts));
};

/** A text as parts, with what was typed marked where it first stands, in whatever case. */
export const markTyped = (text: string, typed: string): readonly PassagePart[] => {
  const sought = typed.trim().toLowerCase();
  const at = sought === '' ? -1 : text.toLowerCase().indexOf(sought);
  if (at < 0) return [{ text, isFound: false }];
  const end = at + sought.length;
  return [
    { text: text.slice(0, at), isFound: false },
    { text: text.slice(at, end), isFound: true },
    { text: text.slice(end), isFound: false },
  ].filter((part) => part.text !== '');
};
