/**
 * The words of a text as searches see them. A word stands for itself, for its parts, and for itself without what
 * separates the parts, so that `DimCustomer`, `dim_customer` and `dimcustomer` find each other.
 */
export type Word = {
  /** As it is written, in lower case. */
  readonly whole: string;
  /** Its letters and digits alone. */
  readonly joined: string;
  /** What lies between separators, changes of case, and changes from letters to digits. */
  readonly parts: readonly string[];
};

/** How texts are compared where their case does not matter. */
export const fold = (text: string): string => text.toLowerCase();

/** What stands between words and never in one. */
const BETWEEN = '\\s,;()[\\]{}"<>|!?=*\\\\';
const CHUNK = new RegExp(`[^${BETWEEN}]+`, 'gu');
const BREAK = new RegExp(`[${BETWEEN}]`, 'u');

/** Whether a text can be a piece of a word. */
export const standsInWords = (text: string): boolean => !BREAK.test(text);

const PART = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+/gu;

/** Punctuation around a word is no part of it. */
const wordOf = (chunk: string): Word | undefined => {
  const found = [...chunk.matchAll(PART)];
  const [first, last] = [found[0], found.at(-1)];
  if (!first || !last) return undefined;
  const parts = found.map(([part]) => fold(part));
  return { whole: fold(chunk.slice(first.index, last.index + last[0].length)), joined: parts.join(''), parts };
};

/** The words of a text in their order; punctuation alone is none. */
export const wordsOf = (text: string): Word[] => (text.match(CHUNK) ?? []).flatMap((chunk) => wordOf(chunk) ?? []);

/** What lies behind so many parts of one text is not looked at: no text that somebody reads is longer. */
const MAX_PARTS = 50_000;

/** Where something stands in a text: its first character, and the one behind its last. */
export type Stretch = { readonly start: number; readonly end: number };

/** A word together with where it and its parts stand in the text as it is written. */
export type PlacedWord = Word & Stretch & { readonly places: readonly Stretch[] };

const stretchOf = (match: RegExpExecArray, from: number): Stretch => ({
  start: from + match.index,
  end: from + match.index + match[0].length,
});

/** The words of a text as far as anybody looks for them, with their places. */
export const placedWords = (text: string): readonly PlacedWord[] => {
  const words: PlacedWord[] = [];
  let parts = 0;
  for (const chunk of text.matchAll(CHUNK)) {
    const word = wordOf(chunk[0]);
    if (!word) continue;
    if (parts >= MAX_PARTS) break;
    const places = [...chunk[0].matchAll(PART)].map((part) => stretchOf(part, chunk.index));
    words.push({ ...word, start: places[0]?.start ?? 0, end: places.at(-1)?.end ?? 0, places });
    parts += places.length;
  }
  return words;
};

/** The words of a text one by one, each as it is written. */
export const wordTexts = (text: string): readonly string[] =>
  placedWords(text).map(({ start, end }) => text.slice(start, end));

/** How many parts some words have together. */
export const countParts = (words: readonly Word[]): number => words.reduce((sum, { parts }) => sum + parts.length, 0);

/** The words of a text as far as anybody looks for them. */
export const soughtWords = (text: string): readonly Word[] => {
  const words = wordsOf(text);
  let parts = 0;
  const end = words.findIndex((word) => {
    parts += word.parts.length;
    return parts - word.parts.length >= MAX_PARTS;
  });
  return end < 0 ? words : words.slice(0, end);
};

/** The words of one text laid out so that words and sequences of them are found in it. */
export type Text = {
  /** Every form under which a word of it is known. */
  readonly tokens: ReadonlySet<string>;
  /** The parts of all its words in their order. */
  readonly parts: readonly string[];
  /** All its words in their order, without their separators. */
  readonly joined: readonly string[];
};

export const layOut = (text: string): Text => {
  const words = soughtWords(text);
  const parts = words.flatMap((word) => word.parts);
  const joined = words.map((word) => word.joined);
  return { tokens: new Set([...words.map(({ whole }) => whole), ...joined, ...parts]), parts, joined };
};
