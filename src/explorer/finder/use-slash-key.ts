import { useEffect } from 'react';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

/** The key `/` leads to the search box from anywhere but where somebody types. */
export const useSlashKey = (): void => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isPlain = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isPlain || event.defaultPrevented || isTyping(event.target)) return;
      const box = document.querySelector<HTMLInputElement>('[data-search-box]');
      if (box === null) return;
      event.preventDefault();
      box.focus();
      box.select();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
};
