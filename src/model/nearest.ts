import leven, { closestMatch } from 'leven';

/** The longest name that is suggested for, and the length to which texts are compared, so that no request costs much. */
const MAX_LENGTH = 64;
const MAX_COMPARED_LENGTH = 200;

/** The maximum number of names that one is compared with. */
const MAX_CANDIDATES = 1000;

/** Answers the candidate that was probably meant, if one differs by few letters, whatever their case. */
export const nearestOf = (name: string, candidates: readonly string[]): string | undefined => {
  if (name.length > MAX_LENGTH) return undefined;
  const byFolded = new Map(
    candidates.slice(0, MAX_CANDIDATES).map((candidate) => [candidate.toLowerCase(), candidate] as const),
  );
  const folded = name.toLowerCase();
  // A third of the letters may differ: more would suggest names that have nothing in common.
  const most = Math.ceil(name.length / 3);
  const found = closestMatch(folded, [...byFolded.keys()], { maxDistance: most });
  return found === undefined ? undefined : byFolded.get(found);
};

/**
 * Suggests the column of a record that was probably meant, in full if the name was given in full. `names` are those of its
 * columns below the record.
 */
export const suggestColumn = (fqn: string, given: string, names: readonly string[]): string | undefined => {
  const prefix = given.startsWith(`${fqn}.`) ? `${fqn}.` : '';
  const nearest = nearestOf(given.slice(prefix.length), names);
  return nearest === undefined ? undefined : `Did you mean ${prefix}${nearest}?`;
};

/** Answers the share of letters in which two texts differ: 0 for equal ones, 1 for those that have nothing in common. */
export const differenceOf = (one: string, other: string): number => {
  const [a, b] = [one, other].map((text) => text.slice(0, MAX_COMPARED_LENGTH).toLowerCase()) as [string, string];
  return leven(a, b) / Math.max(a.length, b.length, 1);
};
