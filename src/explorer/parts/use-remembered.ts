import { useCallback, useState } from 'react';

/** A choice between two that lasts in this browser; where nothing can be stored, as long as the page. */

const read = (key: string): boolean | undefined => {
  try {
    const stored = localStorage.getItem(key);
    return stored === null ? undefined : stored === 'true';
  } catch {
    return undefined;
  }
};

const write = (key: string, value: boolean): void => {
  try {
    localStorage.setItem(key, String(value));
  } catch {
    // Storage may be switched off or full; the page itself goes on knowing.
  }
};

export const useRemembered = (key: string, unlessChosen: boolean) => {
  const [chosen, setChosen] = useState(() => read(key));
  const choose = useCallback(
    (value: boolean) => {
      write(key, value);
      setChosen(value);
    },
    [key],
  );
  return [chosen ?? unlessChosen, choose] as const;
};
