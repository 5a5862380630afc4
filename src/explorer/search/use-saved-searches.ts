import { useCallback, useEffect, useState } from 'react';
import { useMe } from '../api/me.ts';
import { addSavedSearch, readSavedSearches, type SavedSearch, storageKey } from './saved-searches.ts';

/** Storage may be switched off or full; then there is nothing to keep searches in. */
const readStored = (key: string): readonly SavedSearch[] => {
  try {
    return readSavedSearches(localStorage.getItem(key));
  } catch {
    return [];
  }
};

const writeStored = (key: string, searches: readonly SavedSearch[]): boolean => {
  try {
    localStorage.setItem(key, JSON.stringify(searches));
    return true;
  } catch {
    return false;
  }
};

export type SaveOutcome = 'saved' | 'tooMany' | 'noStorage';

/** The saved searches of whoever is signed in, once that is known. Other tabs see what changes. */
export const useSavedSearches = () => {
  const { data: me } = useMe();
  const key = me && storageKey(me.id);
  const [searches, setSearches] = useState<readonly SavedSearch[]>([]);
  useEffect(() => {
    if (key === undefined) return;
    setSearches(readStored(key));
    const onStorage = (event: StorageEvent) => {
      if (event.key === key) setSearches(readStored(key));
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  }, [key]);
  const store = useCallback(
    (next: readonly SavedSearch[]): SaveOutcome => {
      if (key === undefined || !writeStored(key, next)) return 'noStorage';
      setSearches(next);
      return 'saved';
    },
    [key],
  );
  const save = (search: SavedSearch): SaveOutcome => {
    const next = addSavedSearch(key === undefined ? searches : readStored(key), search);
    return next === undefined ? 'tooMany' : store(next);
  };
  const remove = (name: string) => store(searches.filter((one) => one.name !== name));
  return { searches, save, remove, isReady: key !== undefined };
};
