export const DAY_MS = 24 * 60 * 60 * 1000;

/** What tells the time in milliseconds. */
export type Clock = () => number;

/** Reads a monotonic clock, so that a change of the system time does not extend the life of cached values. */
export const monotonicNow: Clock = () => performance.now();

/** A date with a time that names no time zone. */
const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}[T ][\d:.]+$/;

/**
 * Parses a date, with or without a time, to milliseconds since 1970; undefined where the text is none. What names no
 * time zone is UTC, whatever the time zone of the process.
 */
export const parseDateTime = (text: string): number | undefined => {
  const at = Date.parse(WITHOUT_ZONE.test(text) ? `${text}Z` : text);
  return Number.isNaN(at) ? undefined : at;
};
