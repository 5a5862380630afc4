import { useSyncExternalStore } from 'react';

/** Light or dark: as the visitor chose in this browser, otherwise as the system says. */

export type Theme = 'light' | 'dark' | 'system';

const CHOSEN = 'tributary.theme';
const listeners = new Set<() => void>();

const chosenTheme = (): Theme => {
  const chosen = localStorage.getItem(CHOSEN);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
};

export const applyTheme = (): void => {
  const theme = chosenTheme();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};

export const chooseTheme = (theme: Theme): void => {
  if (theme === 'system') localStorage.removeItem(CHOSEN);
  else localStorage.setItem(CHOSEN, theme);
  applyTheme();
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useTheme = (): Theme => useSyncExternalStore(subscribe, chosenTheme);
