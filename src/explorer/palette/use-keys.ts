import { useEffect } from 'react';

/** The keys that act on every page. */

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

/** On a Mac, Ctrl and a letter move the cursor of a text. */
const isMac = navigator.platform.startsWith('Mac');

export const PALETTE_KEYS = isMac ? '⌘ K' : 'Ctrl K';

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && (isMac ? metaKey : ctrlKey) && !altKey && !shiftKey;

const goToSearchBox = (): boolean => {
  const box = document.querySelector<HTMLInputElement>('[data-search-box]');
  box?.focus();
  box?.select();
  return box !== null;
};

type Acts = {
  readonly openPalette: () => void;
  readonly openKeys: () => void;
  /** Whether single signs act: some people speak to their browser, which types what it hears. */
  readonly hasSigns: boolean;
};

const act = (event: KeyboardEvent, { openPalette, openKeys, hasSigns }: Acts): boolean => {
  if (isPaletteKey(event)) openPalette();
  else if (!hasSigns || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return false;
  else if (event.key === '?') openKeys();
  else return event.key === '/' && goToSearchBox();
  return true;
};

/** Listens while nothing lies over the page. */
export const useKeys = (acts: Acts, isCovered: boolean): void => {
  useEffect(() => {
    if (isCovered) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && act(event, acts)) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
};
