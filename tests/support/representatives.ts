import { createHash } from 'node:crypto';

/**
 * What a sweep meets in `npm test`: of many things of one sort a few, which the title chooses by its hash, so that every run
 * chooses the same ones. With `EVERY_KIND=true`, as `npm run test:all` has it, a sweep meets all.
 */

const meetsAll = process.env['EVERY_KIND'] === 'true';

/** The smaller of two volumes of like things; all of them when everything is met. */
export const manyOr = (few: number, all: number): number => (meetsAll ? all : few);

const rankOf = (title: string, name: string): string => createHash('sha256').update(`${title} ${name}`).digest('hex');

const byRank = (title: string, names: readonly string[]): readonly string[] =>
  [...names].sort((one, other) => (rankOf(title, one) < rankOf(title, other) ? -1 : 1));

/** The names that a title chooses. */
export const chooseFew = (title: string, names: readonly string[], few: number): ReadonlySet<string> =>
  new Set(meetsAll ? names : byRank(title, names).slice(0, few));

/**
 * The names that each of several titles chooses. A name that none of them chooses is met by the title that ranks it first, so
 * that each name is met at least once.
 */
export const chooseForTitles = (
  namesByTitle: ReadonlyMap<string, readonly string[]>,
  few: number,
): ReadonlyMap<string, ReadonlySet<string>> => {
  const chosen = new Map([...namesByTitle].map(([title, names]) => [title, new Set(chooseFew(title, names, few))]));
  const met = new Set([...chosen.values()].flatMap((names) => [...names]));
  for (const name of new Set([...namesByTitle.values()].flat())) {
    if (met.has(name)) continue;
    const titles = [...namesByTitle].filter(([, names]) => names.includes(name)).map(([title]) => title);
    const [first = ''] = titles.sort((one, other) => (rankOf(one, name) < rankOf(other, name) ? -1 : 1));
    chosen.get(first)?.add(name);
  }
  return chosen;
};
