/** Searches that somebody keeps in this browser under a name. What is stored may have been written by anything, so all of it is checked. */

export type SavedSearch = { readonly name: string; readonly query: string };

export const MOST_SEARCHES = 50;
export const LONGEST_NAME = 80;
const LONGEST_QUERY = 8000;

/** People who share a browser have searches of their own. */
export const storageKey = (userId: string): string => `tributary.searches.${userId}`;

const isSavedSearch = (value: unknown): value is SavedSearch => {
  const { name, query } = (value ?? {}) as Partial<Record<keyof SavedSearch, unknown>>;
  return (
    typeof name === 'string' &&
    typeof query === 'string' &&
    name !== '' &&
    name.length <= LONGEST_NAME &&
    query.length <= LONGEST_QUERY
  );
};

export const readSavedSearches = (stored: string | null): readonly SavedSearch[] => {
  try {
    const value: unknown = JSON.parse(stored ?? '[]');
    if (!Array.isArray(value)) return [];
    return value
      .filter(isSavedSearch)
      .map(({ name, query }) => ({ name, query }))
      .slice(0, MOST_SEARCHES);
  } catch {
    return [];
  }
};

/** Adds a search in front of the others, in place of one of the same name. Undefined when there are too many. */
export const addSavedSearch = (
  searches: readonly SavedSearch[],
  { name, query }: SavedSearch,
): readonly SavedSearch[] | undefined => {
  const added = { name: name.trim().slice(0, LONGEST_NAME), query };
  if (!isSavedSearch(added)) return undefined;
  const others = searches.filter((one) => one.name !== added.name);
  return others.length >= MOST_SEARCHES ? undefined : [added, ...others];
};
