import { kindOf } from '../api/kinds.ts';
import { count } from './names.ts';

/** How groups and bundles are told in words. */

/** The names of kinds begin with a small letter within a sentence, unless they are abbreviations. */
const manyOf = (one: string, title: string): string =>
  one.charAt(0) === one.charAt(0).toUpperCase() ? title : title.charAt(0).toLowerCase() + title.slice(1);

/** «3,400 tables», by the names of the kinds. */
const countOfKind = (type: string, number: number): string => {
  const { one, title } = kindOf(type) ?? { one: type, title: type };
  return count(number, one, manyOf(one, title));
};

const SHOWN_KINDS = 2;

/** «12 tables, 3 topics, 4 others», the kinds of a group with the most first. */
export const countKinds = (kinds: readonly (readonly [type: string, count: number])[]): string => {
  const shown = kinds.slice(0, SHOWN_KINDS).map(([type, count]) => countOfKind(type, count));
  const further = kinds.slice(SHOWN_KINDS).reduce((sum, [, count]) => sum + count, 0);
  return [...shown, ...(further > 0 ? [`${further.toLocaleString()} others`] : [])].join(', ');
};
