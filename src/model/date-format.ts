/**
 * Date formats in the notation of Java (`yyyy-MM-dd HH:mm:ss`), as far as dates, times of day and offsets go. Parsing is
 * strict: a text matches a format when it is what the format would print.
 */

/** What a format tells of a moment. */
export type DateParts = { readonly date: boolean; readonly time: boolean };

export type DateFormat = DateParts & {
  /** Whether a text has this form and names a day and a time that exist. */
  readonly matches: (text: string) => boolean;
};

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

type Field = 'year' | 'month' | 'day' | 'dayOfYear' | 'hour' | 'minute' | 'second';
type Values = Partial<Record<Field, number>>;

type Token = {
  readonly pattern: string;
  readonly part?: keyof DateParts;
  readonly read?: (text: string, values: Values) => void;
};

const digits = (pattern: string, part: keyof DateParts, field: Field): Token => ({
  pattern,
  part,
  read: (text, values) => {
    values[field] = Number(text);
  },
});

const month = (names: readonly string[]): Token => ({
  pattern: names.join('|'),
  part: 'date',
  read: (text, values) => {
    values.month = names.indexOf(text) + 1;
  },
});

const OFFSET = { X: 'Z|[+-](?:0\\d|1[0-8])(?:[0-5]\\d)?', XX: 'Z|[+-](?:0\\d|1[0-8])[0-5]\\d' } as const;

/** How Java writes the place of an offset such as +02:00. */
const LONG_OFFSET = 'XXX';

const TOKENS: Readonly<Record<string, Token>> = {
  yyyy: digits('\\d{4}', 'date', 'year'),
  uuuu: digits('\\d{4}', 'date', 'year'),
  yy: {
    pattern: '\\d{2}',
    part: 'date',
    read: (text, values) => {
      values.year = 2000 + Number(text);
    },
  },
  M: digits('[1-9]|1[0-2]', 'date', 'month'),
  MM: digits('\\d{2}', 'date', 'month'),
  MMM: month(MONTHS.map((name) => name.slice(0, 3))),
  MMMM: month(MONTHS),
  d: digits('[1-9]|[12]\\d|3[01]', 'date', 'day'),
  dd: digits('\\d{2}', 'date', 'day'),
  DDD: digits('\\d{3}', 'date', 'dayOfYear'),
  H: digits('1?\\d|2[0-3]', 'time', 'hour'),
  HH: digits('\\d{2}', 'time', 'hour'),
  h: digits('[1-9]|1[0-2]', 'time', 'hour'),
  hh: digits('0[1-9]|1[0-2]', 'time', 'hour'),
  m: digits('[1-5]?\\d', 'time', 'minute'),
  mm: digits('\\d{2}', 'time', 'minute'),
  s: digits('[1-5]?\\d', 'time', 'second'),
  ss: digits('\\d{2}', 'time', 'second'),
  a: { pattern: 'AM|PM', part: 'time' },
  X: { pattern: OFFSET.X },
  XX: { pattern: OFFSET.XX },
  [LONG_OFFSET]: { pattern: 'Z|[+-](?:0\\d|1[0-8]):[0-5]\\d' },
  Z: { pattern: '[+-](?:0\\d|1[0-8])[0-5]\\d' },
};

/** Fractions of a second may have up to nine digits. */
const fraction = (letters: string): Token | undefined =>
  /^S{1,9}$/.test(letters) ? { pattern: `\\d{${letters.length}}`, part: 'time' } : undefined;

const literal = (text: string): Token => ({ pattern: text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&') });

/** A run of one letter, a quoted text (`''` is one quote), or anything else. */
const PIECE = /([A-Za-z])\1*|'((?:[^']|'')*)'|[^A-Za-z']+/y;

const LONGEST = 64;

const tokenFor = (piece: RegExpExecArray): Token | undefined => {
  const [whole, letter, quoted] = piece;
  if (quoted !== undefined) return literal(quoted === '' ? "'" : quoted.replaceAll("''", "'"));
  if (letter === undefined) return literal(whole);
  return Object.hasOwn(TOKENS, whole) ? TOKENS[whole] : fraction(whole);
};

const tokensOf = (format: string): Token[] | undefined => {
  if (format === '' || format.length > LONGEST) return undefined;
  const tokens: Token[] = [];
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < format.length) {
    const piece = PIECE.exec(format);
    const token = piece ? tokenFor(piece) : undefined;
    if (!token) return undefined;
    tokens.push(token);
  }
  return tokens;
};

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** A day without a year may be the leap day. */
const isDay = ({ year = 2000, month: at, day, dayOfYear }: Values): boolean => {
  if (dayOfYear !== undefined && (dayOfYear < 1 || dayOfYear > (isLeap(year) ? 366 : 365))) return false;
  if (at !== undefined && (at < 1 || at > 12)) return false;
  if (day === undefined) return true;
  const length = at === undefined ? 31 : at === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(at) ? 30 : 31;
  return day >= 1 && day <= length;
};

const isTime = ({ hour = 0, minute = 0, second = 0 }: Values): boolean => hour <= 23 && minute <= 59 && second <= 59;

/** The format that a text of Java's notation describes; undefined when it uses anything that is not known here. */
export const parseDateFormat = (format: string): DateFormat | undefined => {
  const tokens = tokensOf(format);
  if (!tokens) return undefined;
  const form = new RegExp(`^${tokens.map(({ pattern }) => `(${pattern})`).join('')}$`);
  const tells = (part: keyof DateParts) => tokens.some((token) => token.part === part);
  const matches = (text: string): boolean => {
    const found = form.exec(text);
    if (!found) return false;
    const values: Values = {};
    tokens.forEach(({ read }, index) => {
      read?.(found[index + 1] ?? '', values);
    });
    return isDay(values) && isTime(values);
  };
  return { date: tells('date'), time: tells('time'), matches };
};
