import { createHash } from 'node:crypto';

/**
 * The terms of the search index. The index splits texts at white space and changes nothing else, so every word written
 * here is one term, and a query must encode its words in the same way. A term names the field, the form of comparison,
 * and the value.
 */

/**
 * The form of a term: the value folded, exact, or as a number; folded with a mark before its last word; a mark that a
 * value exists; or a mark that a value is too long for a term.
 */
export type TermForm = 'folded' | 'exact' | 'number' | 'lastWord' | 'there' | 'long';

const FORM_MARKS: Readonly<Record<TermForm, string>> = {
  folded: '=',
  exact: '@',
  number: '#',
  lastWord: '>',
  there: '$',
  long: '%',
};

const CODE_LENGTH = 6;

/** A short code for the name of a field, because names are long and precede every value. */
export const fieldCode = (path: readonly string[]): string => {
  const digest = createHash('sha256').update(path.join('.')).digest();
  return digest.readUIntBE(0, 6).toString(36).padStart(CODE_LENGTH, '0').slice(-CODE_LENGTH);
};

/** White space for JavaScript or for the index; the space is by far the most frequent. */
const BLANK = /[\s\p{Cc}]/gu;
const SPACE_MARK = '\u0002';
const OTHER_MARK = '\u0003';

/** Encodes a value, or a part of one, for a term. */
export const encodeTermText = (text: string): string =>
  text.replace(BLANK, (one) =>
    one === ' ' ? SPACE_MARK : `${OTHER_MARK}${one.charCodeAt(0).toString(36)}${OTHER_MARK}`,
  );

const decodeTermText = (text: string): string =>
  text
    .replaceAll(SPACE_MARK, ' ')
    .replace(/\p{Cc}([0-9a-z]+)\p{Cc}/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 36)));

export const termText = Object.assign(decodeTermText, { write: encodeTermText });

/**
 * The maximum length of a term, below the index's limit of 255 characters; a checksum replaces the end of a longer
 * term.
 */
const MAX_TERM_LENGTH = 200;
const CUT_MARK = '\u0004';

/** Whether a text is too long to be stored in a term unchanged. */
export const isTooLongForTerm = (text: string): boolean =>
  text.length > MAX_TERM_LENGTH || encodeTermText(text).length > MAX_TERM_LENGTH;

const TRUNCATED = new RegExp(`${CUT_MARK}[0-9a-f]{16}$`);

/** Whether a term represents a text that was too long for it. */
export const isTruncatedTerm = (term: string): boolean => TRUNCATED.test(term);

/** Decodes the value of a term for display; of a truncated value, its beginning. */
export const displayTermText = (text: string): string => decodeTermText(text.replace(TRUNCATED, '…'));

const truncatedHead = (text: string): string => {
  const head = text.slice(0, MAX_TERM_LENGTH);
  return /[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head;
};

const truncateTerm = (text: string): string => {
  if (text.length <= MAX_TERM_LENGTH) return text;
  const sum = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${truncatedHead(text)}${CUT_MARK}${sum}`;
};

/**
 * The common prefix of all terms whose text starts with the given text. Terms of long texts are truncated, so a long
 * prefix also matches texts that differ after the cut.
 */
export const termStartOf = (text: string): string => {
  const whole = encodeTermText(text);
  return whole.length > MAX_TERM_LENGTH ? `${truncatedHead(whole)}${CUT_MARK}` : whole;
};

/** The prefix of all terms of a field and form. */
export const termPrefix = (code: string, sort: TermForm): string => `${code}${FORM_MARKS[sort]}`;

export const valueTerm = (code: string, sort: 'folded' | 'exact', text: string): string =>
  `${termPrefix(code, sort)}${truncateTerm(encodeTermText(text))}`;

const LAST_WORD_MARK = '\u0005';
const WORD_SEPARATORS = ['_', '-', '.', '/', ':', SPACE_MARK];

/**
 * The term of a name with a mark before its last word. When a text begins it, only the last word of the name is
 * unfinished.
 */
export const lastWordTerm = (code: string, folded: string): string => {
  const whole = encodeTermText(folded);
  const start = Math.max(...WORD_SEPARATORS.map((separator) => whole.lastIndexOf(separator))) + 1;
  const marked = `${whole.slice(0, start)}${LAST_WORD_MARK}${whole.slice(start)}`;
  return `${termPrefix(code, 'lastWord')}${truncateTerm(marked)}`;
};

/** The term of a word, without a field. */
export const wordTerm = (word: string): string => truncateTerm(encodeTermText(word));

export const existsTerm = (code: string): string => termPrefix(code, 'there');

export const longValueTerm = (code: string): string => termPrefix(code, 'long');

const bytes = new DataView(new ArrayBuffer(8));

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');

/** Encodes a number as a text that sorts in numeric order. */
const encodeNumber = (value: number): string => {
  // Minus zero equals zero.
  bytes.setFloat64(0, value === 0 ? 0 : value);
  const [high, low] = [bytes.getUint32(0), bytes.getUint32(4)];
  return high >>> 31 ? hex(~high) + hex(~low) : hex(high | 0x80000000) + hex(low);
};

/** Decodes an encoded number. */
const decodeNumber = (text: string): number => {
  const [high, low] = [Number.parseInt(text.slice(0, 8), 16), Number.parseInt(text.slice(8, 16), 16)];
  bytes.setUint32(0, high >>> 31 ? high ^ 0x80000000 : ~high);
  bytes.setUint32(4, high >>> 31 ? low : ~low);
  return bytes.getFloat64(0);
};

/** Decodes the number in a term; `write` encodes one. */
export const termNumber = Object.assign(decodeNumber, { write: encodeNumber });

export const numberTerm = (code: string, value: number): string =>
  `${termPrefix(code, 'number')}${encodeNumber(value)}`;
