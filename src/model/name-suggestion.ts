import { splitFqn } from './name.ts';

/** Suggests names that are like one which nothing has, by a search that allows for a wrong letter in each word. */

const MAX_SUGGESTIONS = 3;

const MAX_SUGGESTION_WORDS = 5;

/** The parameters of the search, or undefined for a name without words. */
export const suggestionQuery = (name: string) => {
  const words = (splitFqn(name).at(-1) ?? '').match(/[\p{L}\p{N}_]+/gu)?.slice(0, MAX_SUGGESTION_WORDS) ?? [];
  if (words.length === 0) return undefined;
  return {
    q: words.map((word) => `name:${word}~1`).join(' OR '),
    size: MAX_SUGGESTIONS,
    include_source_fields: 'fullyQualifiedName,entityType',
  };
};

type FoundName = { readonly entityType?: unknown; readonly fullyQualifiedName?: unknown };

/** Asks whether one of the names was meant, if there are any. */
export const askWhetherMeant = (found: readonly FoundName[]): string | undefined => {
  const names = found.map(({ entityType, fullyQualifiedName }) => `${entityType} ${fullyQualifiedName}`);
  return names.length === 0 ? undefined : `Did you mean ${names.join(' or ')}?`;
};
