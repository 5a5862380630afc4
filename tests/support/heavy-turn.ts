/** Chooses which heavy tests have their turn, so that a week of changes runs all of them a few at a time. */

const DAYS = 7;
const DAY_MS = 86_400_000;

/**
 * The heavy tests of a day: every seventh, from the place that belongs to the day. The week decides which of them comes
 * first, so that a file that the time did not suffice for is among the first some week later.
 */
export const chooseHeavyTests = (files: readonly string[], time: Date): string[] => {
  const day = Math.floor(time.getTime() / DAY_MS);
  const chosen = files.filter((_, at) => at % DAYS === day % DAYS);
  const first = chosen.length === 0 ? 0 : Math.floor(day / DAYS) % chosen.length;
  return [...chosen.slice(first), ...chosen.slice(0, first)];
};
