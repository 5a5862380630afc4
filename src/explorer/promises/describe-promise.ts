import type { Schemas } from '../api/types.ts';

/** What the explorer says of promises and whether they can hold. */

export type PromiseWay = Schemas['PromiseWay'];
type PromiseCheck = PromiseWay['freshness'];

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [1, 'second'],
] as const;

/** A length of time in its two greatest units. */
export const describeSeconds = (seconds: number): string => {
  let rest = Math.round(seconds);
  const parts = UNITS.flatMap(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? '' : 's'}`];
  });
  return parts.slice(0, 2).join(' ') || 'no time';
};

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** A time of day that may lie on a later day than the promise, or on the day before it. */
export const describeTimeOfDay = (seconds: number): string => {
  const day = Math.floor(seconds / DAY);
  const rest = seconds - day * DAY;
  const time = `${twoDigits(Math.floor(rest / HOUR))}:${twoDigits(Math.floor((rest % HOUR) / MINUTE))}`;
  if (day === 0) return time;
  return day > 0 ? `${time} a day later` : `${time} the day before`;
};

export type PromiseLine = { readonly text: string; readonly holds: boolean | null };

const describeCheck = (
  { promised, upstream, holds }: PromiseCheck,
  says: { readonly promise: (promised: number) => string; readonly upstream: (upstream: number) => string },
): PromiseLine | undefined => {
  if (promised === null) return undefined;
  const rest = upstream === null ? 'nothing is agreed upstream' : says.upstream(upstream);
  return { text: `${says.promise(promised)}; ${rest}`, holds };
};

/** What is promised at the end of a way and what its contracts come to; nothing where nobody promised. */
export const describePromises = ({ freshness, availability }: PromiseWay): readonly PromiseLine[] =>
  [
    describeCheck(freshness, {
      promise: (promised) => `At most ${describeSeconds(promised)} old`,
      upstream: (upstream) => `what is agreed upstream comes to ${describeSeconds(upstream)}`,
    }),
    describeCheck(availability, {
      promise: (promised) => `There by ${describeTimeOfDay(promised)}`,
      upstream: (upstream) => `what is agreed upstream is there by ${describeTimeOfDay(upstream)}`,
    }),
  ].flatMap((line) => line ?? []);
