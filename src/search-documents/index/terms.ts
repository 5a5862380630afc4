import { createHash } from 'node:crypto';

/**
 * The words of the search index. The index splits texts at white space and changes nothing in them, so every word that is
 * written here is one term there, and whoever asks for it writes it the same way. A term says where something stands and
 * what: which field, how it is compared, and the value.
 */

/** What a term says of a value: which it is in any case of letters, as it is written, as a number; that there is one; or that
 * there is one that is too long to be a term. */
export type TermForm = 'folded' | 'exact' | 'number' | 'there' | 'long';

const FORM_MARKS: Readonly<Record<TermForm, string>> = { folded: '=', exact: '@', number: '#', there: '$', long: '%' };

const CODE_LENGTH = 6;

/** Names of fields are long and stand before every value, so the index has short ones. */
export const fieldCode = (path: readonly string[]): string => {
  const digest = createHash('sha256').update(path.join('.')).digest();
  return digest.readUIntBE(0, 6).toString(36).padStart(CODE_LENGTH, '0').slice(-CODE_LENGTH);
};

/** What either side takes for white space; a space is by far the most frequent of them. */
const BLANK = /[\s\p{Cc}]/gu;
const SPACE_MARK = '\u0002';
const OTHER_MARK = '\u0003';

/** The form in which a value or a piece of one stands in a term. */
export const encodeTermText = (text: string): string =>
  text.replace(BLANK, (one) =>
    one === ' ' ? SPACE_MARK : `${OTHER_MARK}${one.charCodeAt(0).toString(36)}${OTHER_MARK}`,
  );

const decodeTermText = (text: string): string =>
  text
    .replaceAll(SPACE_MARK, ' ')
    .replace(/\p{Cc}([0-9a-z]+)\p{Cc}/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 36)));

export const termText = Object.assign(decodeTermText, { write: encodeTermText });

/** No term of an index may be longer than 255 characters; of what is longer, the end is replaced by a checksum. */
const MAX_TERM_LENGTH = 200;
const CUT_MARK = '\u0004';

/** Whether a text is too long to stand in a term as it is. */
export const isTooLongForTerm = (text: string): boolean =>
  text.length > MAX_TERM_LENGTH || encodeTermText(text).length > MAX_TERM_LENGTH;

const TRUNCATED = new RegExp(`${CUT_MARK}[0-9a-f]{16}$`);

/** Whether a term stands for a text that was too long for it. */
export const isTruncatedTerm = (term: string): boolean => TRUNCATED.test(term);

/** A value behind the beginning of its term as people are shown it; of one that is too long, how it begins. */
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
 * How every term begins whose text begins like this. Terms of long texts are cut, so a long beginning also stands for
 * texts that differ from it behind the cut.
 */
export const termStartOf = (text: string): string => {
  const whole = encodeTermText(text);
  return whole.length > MAX_TERM_LENGTH ? `${truncatedHead(whole)}${CUT_MARK}` : whole;
};

/** The beginning that all terms of a field and a sort have. */
export const termPrefix = (code: string, sort: TermForm): string => `${code}${FORM_MARKS[sort]}`;

export const valueTerm = (code: string, sort: 'folded' | 'exact', text: string): string =>
  `${termPrefix(code, sort)}${truncateTerm(encodeTermText(text))}`;

/** A word of a text, which says nothing of where it stands. */
export const wordTerm = (word: string): string => truncateTerm(encodeTermText(word));

export const existsTerm = (code: string): string => termPrefix(code, 'there');

export const longValueTerm = (code: string): string => termPrefix(code, 'long');

const bytes = new DataView(new ArrayBuffer(8));

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');

/** Numbers as texts of which the smaller comes first. */
const encodeNumber = (value: number): string => {
  // Minus zero is no other number.
  bytes.setFloat64(0, value === 0 ? 0 : value);
  const [high, low] = [bytes.getUint32(0), bytes.getUint32(4)];
  return high >>> 31 ? hex(~high) + hex(~low) : hex(high | 0x80000000) + hex(low);
};

/** The number that was written like this. */
const decodeNumber = (text: string): number => {
  const [high, low] = [Number.parseInt(text.slice(0, 8), 16), Number.parseInt(text.slice(8, 16), 16)];
  bytes.setUint32(0, high >>> 31 ? high ^ 0x80000000 : ~high);
  bytes.setUint32(4, high >>> 31 ? low : ~low);
  return bytes.getFloat64(0);
};

/** What terms say behind their beginnings, and back. */
export const termNumber = Object.assign(decodeNumber, { write: encodeNumber });

export const numberTerm = (code: string, value: number): string =>
  `${termPrefix(code, 'number')}${encodeNumber(value)}`;
