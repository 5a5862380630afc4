/**
 * A word of a text as searches see it. A word matches itself, its parts, and itself without separators, so that
 * `DimCustomer`, `dim_customer` and `dimcustomer` find each other.
 */
export type TextWord = {
  /** The word in lower case. */
  readonly whole: string;
  /** Only its letters and digits. */
  readonly joined: string;
  /** Its parts, split at separators, at changes of case, and between letters and digits. */
  readonly parts: readonly string[];
};

/** Folds a text for comparison without case. */
export const foldText = (text: string): string => text.toLowerCase();

/** Characters that separate words and never belong to one. */
const SEPARATORS = '\\s,;()[\\]{}"<>|!?=*\\\\';
const CHUNK = new RegExp(`[^${SEPARATORS}]+`, 'gu');
const BREAK = new RegExp(`[${SEPARATORS}]`, 'u');

/** Whether a text can be a piece of a word. */
export const canBePartOfWord = (text: string): boolean => !BREAK.test(text);

const PART = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+/gu;

/** Parses one word; surrounding punctuation is dropped. */
const parseWord = (chunk: string): TextWord | undefined => {
  const found = [...chunk.matchAll(PART)];
  const [first, last] = [found[0], found.at(-1)];
  if (!first || !last) return undefined;
  const parts = found.map(([part]) => foldText(part));
  return { whole: foldText(chunk.slice(first.index, last.index + last[0].length)), joined: parts.join(''), parts };
};

/** Parses the words of a text in their order; punctuation alone is no word. */
export const parseWords = (text: string): TextWord[] =>
  (text.match(CHUNK) ?? []).flatMap((chunk) => parseWord(chunk) ?? []);

/** The number of parts after which the rest of a text is ignored; texts that people read are shorter. */
const MAX_PARTS = 50_000;

/** A range in a text: its start, and its end, exclusive. */
export type TextSpan = { readonly start: number; readonly end: number };

/** A word with its range, and the ranges of its parts in the original text. */
export type LocatedWord = TextWord & TextSpan & { readonly partSpans: readonly TextSpan[] };

const spanOfMatch = (match: RegExpExecArray, from: number): TextSpan => ({
  start: from + match.index,
  end: from + match.index + match[0].length,
});

/** Locates the words of a text, up to the limit of parts. */
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

/** Lists the words of a text as they are written. */
export const listWordTexts = (text: string): readonly string[] =>
  locateWords(text).map(({ start, end }) => text.slice(start, end));

/** Counts the parts of some words. */
export const countWordParts = (words: readonly TextWord[]): number =>
  words.reduce((sum, { parts }) => sum + parts.length, 0);

/** Parses the words of a text, up to the limit of parts. */
export const parseIndexedWords = (text: string): readonly TextWord[] => {
  const words = parseWords(text);
  let parts = 0;
  const end = words.findIndex((word) => {
    parts += word.parts.length;
    return parts - word.parts.length >= MAX_PARTS;
  });
  return end < 0 ? words : words.slice(0, end);
};

/** The words of one text, prepared for searches for words and sequences of words. */
export type TokenizedText = {
  /** Every form of each word. */
  readonly tokens: ReadonlySet<string>;
  /** The parts of all words in their order. */
  readonly parts: readonly string[];
  /** All words in their order, without separators. */
  readonly joined: readonly string[];
};

export const tokenizeText = (text: string): TokenizedText => {
  const words = parseIndexedWords(text);
  const parts = words.flatMap((word) => word.parts);
  const joined = words.map((word) => word.joined);
  return { tokens: new Set([...words.map(({ whole }) => whole), ...joined, ...parts]), parts, joined };
};
