/**
 * The words of a text as searches see them. A word stands for itself, for its parts, and for itself without what
 * separates the parts, so that `DimCustomer`, `dim_customer` and `dimcustomer` find each other.
 */
export type TextWord = {
  /** As it is written, in lower case. */
  readonly whole: string;
  /** Its letters and digits alone. */
  readonly joined: string;
  /** What lies between separators, changes of case, and changes from letters to digits. */
  readonly parts: readonly string[];
};

/** How texts are compared where their case does not matter. */
export const foldText = (text: string): string => text.toLowerCase();

/** What stands between words and never in one. */
const SEPARATORS = '\\s,;()[\\]{}"<>|!?=*\\\\';
const CHUNK = new RegExp(`[^${SEPARATORS}]+`, 'gu');
const BREAK = new RegExp(`[${SEPARATORS}]`, 'u');

/** Whether a text can be a piece of a word. */
export const canBePartOfWord = (text: string): boolean => !BREAK.test(text);

const PART = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+/gu;

/** Punctuation around a word is no part of it. */
const parseWord = (chunk: string): TextWord | undefined => {
  const found = [...chunk.matchAll(PART)];
  const [first, last] = [found[0], found.at(-1)];
  if (!first || !last) return undefined;
  const parts = found.map(([part]) => foldText(part));
  return { whole: foldText(chunk.slice(first.index, last.index + last[0].length)), joined: parts.join(''), parts };
};

/** The words of a text in their order; punctuation alone is none. */
export const parseWords = (text: string): TextWord[] =>
  (text.match(CHUNK) ?? []).flatMap((chunk) => parseWord(chunk) ?? []);

/** What lies behind so many parts of one text is not looked at: no text that somebody reads is longer. */
const MAX_PARTS = 50_000;

/** Where something stands in a text: its first character, and the one behind its last. */
export type TextSpan = { readonly start: number; readonly end: number };

/** A word together with where it and its parts stand in the text as it is written. */
export type LocatedWord = TextWord & TextSpan & { readonly partSpans: readonly TextSpan[] };

const spanOfMatch = (match: RegExpExecArray, from: number): TextSpan => ({
  start: from + match.index,
  end: from + match.index + match[0].length,
});

/** The words of a text as far as anybody looks for them, with their places. */
export const locateWords = (text: string): readonly LocatedWord[] => {
  const words: LocatedWord[] = [];
  let parts = 0;
  for (const chunk of text.matchAll(CHUNK)) {
    const word = parseWord(chunk[0]);
    if (!word) continue;
    if (parts >= MAX_PARTS) break;
    const partSpans = [...chunk[0].matchAll(PART)].map((part) => spanOfMatch(part, chunk.index));
    words.push({ ...word, start: partSpans[0]?.start ?? 0, end: partSpans.at(-1)?.end ?? 0, partSpans });
    parts += partSpans.length;
  }
  return words;
};

/** The words of a text one by one, each as it is written. */
export const listWordTexts = (text: string): readonly string[] =>
  locateWords(text).map(({ start, end }) => text.slice(start, end));

/** How many parts some words have together. */
export const countWordParts = (words: readonly TextWord[]): number =>
  words.reduce((sum, { parts }) => sum + parts.length, 0);

/** The words of a text as far as anybody looks for them. */
export const parseIndexedWords = (text: string): readonly TextWord[] => {
  const words = parseWords(text);
  let parts = 0;
  const end = words.findIndex((word) => {
    parts += word.parts.length;
    return parts - word.parts.length >= MAX_PARTS;
  });
  return end < 0 ? words : words.slice(0, end);
};

/** The words of one text laid out so that words and sequences of them are found in it. */
export type TokenizedText = {
  /** Every form under which a word of it is known. */
  readonly tokens: ReadonlySet<string>;
  /** The parts of all its words in their order. */
  readonly parts: readonly string[];
  /** All its words in their order, without their separators. */
  readonly joined: readonly string[];
};

export const tokenizeText = (text: string): TokenizedText => {
  const words = parseIndexedWords(text);
  const parts = words.flatMap((word) => word.parts);
  const joined = words.map((word) => word.joined);
  return { tokens: new Set([...words.map(({ whole }) => whole), ...joined, ...parts]), parts, joined };
};
