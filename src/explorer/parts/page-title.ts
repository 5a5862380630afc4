import { useEffect } from 'react';
import { titleOf } from './title-of.ts';

/** Every page has one heading of the first rank: the document is called by it, whatever page it is and whenever it changes. */
export const usePageTitle = (): void => {
  useEffect(() => {
    const name = () => {
      const title = titleOf(document.querySelector('main h1')?.textContent ?? '');
      if (document.title !== title) document.title = title;
    };
    const observer = new MutationObserver(name);
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    name();
    return () => observer.disconnect();
  }, []);
};
