import { useSyncExternalStore } from 'react';

/** Up to this width tables of many columns are shown as cards. */
const NARROW = '(max-width: 700px)';

const subscribe = (onChange: () => void): (() => void) => {
  const media = matchMedia(NARROW);
  media.addEventListener('change', onChange);
  return () => media.removeEventListener('change', onChange);
};

/** Whether the window is as narrow as a phone. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches);
