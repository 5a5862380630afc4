/**
 * Date formats in the notation of Java (`yyyy-MM-dd HH:mm:ss`), limited to dates, times of day and offsets. Parsing is
 * strict: a text matches a format when the format would print it.
 */

/** Whether a format contains a date and a time. */
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

type DateField = 'year' | 'month' | 'day' | 'dayOfYear' | 'hour' | 'minute' | 'second';
type DateFieldValues = Partial<Record<DateField, number>>;

type FormatToken = {
  readonly pattern: string;
  readonly part?: keyof DateParts;
  readonly read?: (text: string, values: DateFieldValues) => void;
};

const digitsToken = (pattern: string, part: keyof DateParts, field: DateField): FormatToken => ({
  pattern,
  part,
  read: (text, values) => {
    values[field] = Number(text);
  },
});

const monthToken = (names: readonly string[]): FormatToken => ({
  pattern: names.join('|'),
  part: 'date',
  read: (text, values) => {
    values.month = names.indexOf(text) + 1;
  },
});

const OFFSET_PATTERNS = { X: 'Z|[+-](?:0\\d|1[0-8])(?:[0-5]\\d)?', XX: 'Z|[+-](?:0\\d|1[0-8])[0-5]\\d' } as const;

/** Java's pattern for an offset such as +02:00. */
const LONG_OFFSET = 'XXX';

const FORMAT_TOKENS: Readonly<Record<string, FormatToken>> = {
  yyyy: digitsToken('\\d{4}', 'date', 'year'),
  uuuu: digitsToken('\\d{4}', 'date', 'year'),
  yy: {
    pattern: '\\d{2}',
    part: 'date',
    read: (text, values) => {
      values.year = 2000 + Number(text);
    },
  },
  M: digitsToken('[1-9]|1[0-2]', 'date', 'month'),
  MM: digitsToken('\\d{2}', 'date', 'month'),
  MMM: monthToken(MONTHS.map((name) => name.slice(0, 3))),
  MMMM: monthToken(MONTHS),
  d: digitsToken('[1-9]|[12]\\d|3[01]', 'date', 'day'),
  dd: digitsToken('\\d{2}', 'date', 'day'),
  DDD: digitsToken('\\d{3}', 'date', 'dayOfYear'),
  H: digitsToken('1?\\d|2[0-3]', 'time', 'hour'),
  HH: digitsToken('\\d{2}', 'time', 'hour'),
  h: digitsToken('[1-9]|1[0-2]', 'time', 'hour'),
  hh: digitsToken('0[1-9]|1[0-2]', 'time', 'hour'),
  m: digitsToken('[1-5]?\\d', 'time', 'minute'),
  mm: digitsToken('\\d{2}', 'time', 'minute'),
  s: digitsToken('[1-5]?\\d', 'time', 'second'),
  ss: digitsToken('\\d{2}', 'time', 'second'),
  a: { pattern: 'AM|PM', part: 'time' },
  X: { pattern: OFFSET_PATTERNS.X },
  XX: { pattern: OFFSET_PATTERNS.XX },
  [LONG_OFFSET]: { pattern: 'Z|[+-](?:0\\d|1[0-8]):[0-5]\\d' },
  Z: { pattern: '[+-](?:0\\d|1[0-8])[0-5]\\d' },
};

/** Fractions of a second may have up to nine digits. */
const fractionToken = (letters: string): FormatToken | undefined =>
  /^S{1,9}$/.test(letters) ? { pattern: `\\d{${letters.length}}`, part: 'time' } : undefined;

const literalToken = (text: string): FormatToken => ({ pattern: text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&') });

/** A run of one letter, a quoted text (`''` is one quote), or anything else. */
const FORMAT_PIECE = /([A-Za-z])\1*|'((?:[^']|'')*)'|[^A-Za-z']+/y;

const MAX_FORMAT_LENGTH = 64;

/**
 * The most pieces of a format that take more or fewer digits. Each doubles the ways to divide a text among them, all of
 * which are tried for a text that matches none.
 */
const MAX_VARYING_PIECES = 8;
const VARYING_PIECE = /^[MdHhmsX]$/;

const tokenFor = (piece: RegExpExecArray): FormatToken | undefined => {
  const [whole, letter, quoted] = piece;
  if (quoted !== undefined) return literalToken(quoted === '' ? "'" : quoted.replaceAll("''", "'"));
  if (letter === undefined) return literalToken(whole);
  return Object.hasOwn(FORMAT_TOKENS, whole) ? FORMAT_TOKENS[whole] : fractionToken(whole);
};

const tokeniseFormat = (format: string): FormatToken[] | undefined => {
  if (format === '' || format.length > MAX_FORMAT_LENGTH) return undefined;
  const tokens: FormatToken[] = [];
  let varying = 0;
  FORMAT_PIECE.lastIndex = 0;
  while (FORMAT_PIECE.lastIndex < format.length) {
    const piece = FORMAT_PIECE.exec(format);
    const token = piece ? tokenFor(piece) : undefined;
    if (VARYING_PIECE.test(piece?.[0] ?? '')) varying += 1;
    if (!token || varying > MAX_VARYING_PIECES) return undefined;
    tokens.push(token);
  }
  return tokens;
};

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Whether the day exists. A day without a year may be the leap day. */
const isValidDay = ({ year = 2000, month: at, day, dayOfYear }: DateFieldValues): boolean => {
  if (dayOfYear !== undefined && (dayOfYear < 1 || dayOfYear > (isLeapYear(year) ? 366 : 365))) return false;
  if (at !== undefined && (at < 1 || at > 12)) return false;
  if (day === undefined) return true;
  const length = at === undefined ? 31 : at === 2 ? (isLeapYear(year) ? 29 : 28) : [4, 6, 9, 11].includes(at) ? 30 : 31;
  return day >= 1 && day <= length;
};

const isValidTime = ({ hour = 0, minute = 0, second = 0 }: DateFieldValues): boolean =>
  hour <= 23 && minute <= 59 && second <= 59;

/** Parses a format in Java's notation. Answers undefined when it uses a pattern that is not supported here. */
export const parseDateFormat = (format: string): DateFormat | undefined => {
  const tokens = tokeniseFormat(format);
  if (!tokens) return undefined;
  const form = new RegExp(`^${tokens.map(({ pattern }) => `(${pattern})`).join('')}$`);
  const tells = (part: keyof DateParts) => tokens.some((token) => token.part === part);
  const matches = (text: string): boolean => {
    const found = form.exec(text);
    if (!found) return false;
    const values: DateFieldValues = {};
    tokens.forEach(({ read }, index) => {
      read?.(found[index + 1] ?? '', values);
    });
    return isValidDay(values) && isValidTime(values);
  };
  return { date: tells('date'), time: tells('time'), matches };
};
