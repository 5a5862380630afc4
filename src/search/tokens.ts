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

const CHUNK = /[^\s,;()[\]{}"<>|!?=*\\]+/gu;
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

/** How many parts some words have together. */
export const countParts = (words: readonly Word[]): number => words.reduce((sum, { parts }) => sum + parts.length, 0);

/** The words of one text laid out so that words and sequences of them are found in it. */
export type Text = {
  /** Every form under which a word of it is known. */
  readonly tokens: ReadonlySet<string>;
  /** The parts of all its words in their order. */
  readonly parts: readonly string[];
  /** By the number of its first part: a word without its separators, and the number behind its last part. */
  readonly wordAt: ReadonlyMap<number, { readonly joined: string; readonly end: number }>;
};

/** What lies behind so many parts of one text is not looked at: no text that somebody reads is longer. */
const MAX_PARTS = 50_000;

export const layOut = (text: string): Text => {
  const tokens = new Set<string>();
  const parts: string[] = [];
  const wordAt = new Map<number, { joined: string; end: number }>();
  for (const word of wordsOf(text)) {
    if (parts.length >= MAX_PARTS) break;
    wordAt.set(parts.length, { joined: word.joined, end: parts.length + word.parts.length });
    tokens.add(word.whole).add(word.joined);
    for (const part of word.parts) {
      tokens.add(part);
      parts.push(part);
    }
  }
  return { tokens, parts, wordAt };
};
