import { fqnPart, splitFqn } from './name.ts';

/** Suggests names that are like one which nothing has, by a search that allows for a wrong letter in each word. */

const MAX_SUGGESTIONS = 3;

const MAX_SUGGESTION_WORDS = 5;

/** How much more a name counts in the place that was asked for than elsewhere. */
const PLACE_BOOST = 10;

const escapeQuery = (text: string): string => text.replaceAll(/[^\p{L}\p{N}_.]/gu, '\\$&');

/** The parameters of the search, or undefined for a name without words. What is in the same place comes first. */
export const suggestionQuery = (name: string) => {
  const parts = splitFqn(name);
  const words = (parts.at(-1) ?? '').match(/[\p{L}\p{N}_]+/gu)?.slice(0, MAX_SUGGESTION_WORDS) ?? [];
  if (words.length === 0) return undefined;
  const alike = words.map((word) => `name:${word}~1`).join(' OR ');
  const place = escapeQuery(parts.slice(0, -1).map(fqnPart).join('.'));
  return {
    q: place === '' ? alike : `${alike} OR ((${alike}) AND fullyQualifiedName:${place}.*)^${PLACE_BOOST}`,
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
