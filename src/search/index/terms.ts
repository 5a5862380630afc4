import { createHash } from 'node:crypto';

/**
 * The words of the search index. The index splits texts at white space and changes nothing in them, so every word that is
 * written here is one term there, and whoever asks for it writes it the same way. A term says where something stands and
 * what: which field, how it is compared, and the value.
 */

/** What a term says of a value: which it is in any case of letters, as it is written, as a number; that there is one; or that
 * there is one that is too long to be a term. */
export type Sort = 'folded' | 'exact' | 'number' | 'there' | 'long';

const MARKS: Readonly<Record<Sort, string>> = { folded: '=', exact: '@', number: '#', there: '$', long: '%' };

const CODE_LENGTH = 6;

/** Names of fields are long and stand before every value, so the index has short ones. */
export const codeOf = (path: readonly string[]): string => {
  const digest = createHash('sha256').update(path.join('.')).digest();
  return digest.readUIntBE(0, 6).toString(36).padStart(CODE_LENGTH, '0').slice(-CODE_LENGTH);
};

/** What either side takes for white space; a space is by far the most frequent of them. */
const BLANK = /[\s\p{Cc}]/gu;
const SPACE_MARK = '\u0002';
const OTHER_MARK = '\u0003';

/** The form in which a value or a piece of one stands in a term. */
export const written = (text: string): string =>
  text.replace(BLANK, (one) =>
    one === ' ' ? SPACE_MARK : `${OTHER_MARK}${one.charCodeAt(0).toString(36)}${OTHER_MARK}`,
  );

const unwritten = (text: string): string =>
  text
    .replaceAll(SPACE_MARK, ' ')
    .replace(/\p{Cc}([0-9a-z]+)\p{Cc}/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 36)));

export const textIn = Object.assign(unwritten, { write: written });

/** No term of an index may be longer than 255 characters; of what is longer, the end is replaced by a checksum. */
const MOST = 200;
const CUT_MARK = '\u0004';

/** Whether a text is too long to stand in a term as it is. */
export const isLong = (text: string): boolean => text.length > MOST || written(text).length > MOST;

const CUT = new RegExp(`${CUT_MARK}[0-9a-f]{16}$`);

/** Whether a term stands for a text that was too long for it. */
export const isCut = (term: string): boolean => CUT.test(term);

/** A value behind the beginning of its term as people are shown it; of one that is too long, how it begins. */
export const shownIn = (text: string): string => unwritten(text.replace(CUT, '…'));

const headOf = (text: string): string => {
  const head = text.slice(0, MOST);
  return /[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head;
};

const cut = (text: string): string => {
  if (text.length <= MOST) return text;
  const sum = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${headOf(text)}${CUT_MARK}${sum}`;
};

/**
 * How every term begins whose text begins like this. Terms of long texts are cut, so a long beginning also stands for
 * texts that differ from it behind the cut.
 */
export const termStart = (text: string): string => {
  const whole = written(text);
  return whole.length > MOST ? `${headOf(whole)}${CUT_MARK}` : whole;
};

/** The beginning that all terms of a field and a sort have. */
export const stem = (code: string, sort: Sort): string => `${code}${MARKS[sort]}`;

export const term = (code: string, sort: 'folded' | 'exact', text: string): string =>
  `${stem(code, sort)}${cut(written(text))}`;

/** A word of a text, which says nothing of where it stands. */
export const wordTerm = (word: string): string => cut(written(word));

export const thereTerm = (code: string): string => stem(code, 'there');

export const longTerm = (code: string): string => stem(code, 'long');

const bytes = new DataView(new ArrayBuffer(8));

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');

/** Numbers as texts of which the smaller comes first. */
const sortable = (value: number): string => {
  // Minus zero is no other number.
  bytes.setFloat64(0, value === 0 ? 0 : value);
  const [high, low] = [bytes.getUint32(0), bytes.getUint32(4)];
  return high >>> 31 ? hex(~high) + hex(~low) : hex(high | 0x80000000) + hex(low);
};

/** The number that was written like this. */
const unsorted = (text: string): number => {
  const [high, low] = [Number.parseInt(text.slice(0, 8), 16), Number.parseInt(text.slice(8, 16), 16)];
  bytes.setUint32(0, high >>> 31 ? high ^ 0x80000000 : ~high);
  bytes.setUint32(4, high >>> 31 ? low : ~low);
  return bytes.getFloat64(0);
};

/** What terms say behind their beginnings, and back. */
export const numberIn = Object.assign(unsorted, { write: sortable });

export const numberTerm = (code: string, value: number): string => `${stem(code, 'number')}${sortable(value)}`;
