import type { Kind } from './kind.ts';

/** How texts of the API name the assets of a kind: «table», «a table», «tables». */
export type KindWords = { readonly one: string; readonly a: string; readonly many: string };

const lowerCase = (title: string): string =>
  title
    .split(' ')
    .map((word) => (word === word.toUpperCase() ? word : word.toLowerCase()))
    .join(' ');

const toSingular = (plural: string): string => plural.replace(/(?:(?<=x)es|s)$/, '').replace(/ie$/, 'y');

/** Answers the words for a kind, from its title. */
export const kindWords = ({ title }: Pick<Kind, 'title'>): KindWords => {
  const many = lowerCase(title);
  const one = toSingular(many);
  return { one, a: `${/^(?:[aeio]|ML )/i.test(one) ? 'an' : 'a'} ${one}`, many };
};
