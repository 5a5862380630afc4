/** Units of time as documents spell them. */
export type TimeUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

const SPELLINGS: readonly (readonly [unit: TimeUnit, words: readonly string[]])[] = [
  ['second', ['s', 'sec', 'secs', 'second', 'seconds']],
  ['minute', ['m', 'min', 'mins', 'minute', 'minutes']],
  ['hour', ['h', 'hr', 'hrs', 'hour', 'hours']],
  ['day', ['d', 'day', 'days']],
  ['week', ['w', 'wk', 'wks', 'week', 'weeks']],
  ['month', ['mo', 'mos', 'month', 'months']],
  ['year', ['y', 'yr', 'yrs', 'year', 'years']],
];

const UNITS: ReadonlyMap<string, TimeUnit> = new Map(
  SPELLINGS.flatMap(([unit, words]) => words.map((word) => [word, unit] as const)),
);

const SECONDS: Partial<Readonly<Record<TimeUnit, number>>> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
};
const MONTHS: Partial<Readonly<Record<TimeUnit, number>>> = { month: 1, year: 12 };

const ORDER: readonly TimeUnit[] = SPELLINGS.map(([unit]) => unit);

/** The unit that a word stands for, in any letter case. */
export const parseTimeUnit = (word: string): TimeUnit | undefined => UNITS.get(word.trim().toLowerCase());

/** The conversion factor between two units, as a fraction; undefined when they cannot be converted. */
const conversionFactor = (unit: TimeUnit, other: TimeUnit): readonly [number, number] | undefined => {
  for (const scale of [SECONDS, MONTHS]) {
    const [one, two] = [scale[unit], scale[other]];
    if (one !== undefined && two !== undefined) return [one, two];
  }
  return undefined;
};

export type TimeAmount = { readonly value: number; readonly unit: TimeUnit };

/** Converts an amount to the nearest offered unit in which it is an integer. */
export const convertAmount = ({ value, unit }: TimeAmount, offered: readonly TimeUnit[]): TimeAmount | undefined => {
  const distance = (other: TimeUnit) => Math.abs(ORDER.indexOf(other) - ORDER.indexOf(unit));
  for (const other of [...offered].sort((one, two) => distance(one) - distance(two))) {
    const [numerator, denominator] = conversionFactor(unit, other) ?? [];
    if (numerator === undefined || denominator === undefined) continue;
    const product = value * numerator;
    if (product % denominator === 0 && Number.isSafeInteger(product))
      return { value: product / denominator, unit: other };
  }
  return undefined;
};
