import { useEffect, useRef } from 'react';

/** So many rows beyond those in sight are in the page. */
export const ROWS_AHEAD = 10;

/** Asks for what comes after the last row when that is about to come into sight. */
export const useNearEnd = (count: number, lastShown: number, onNearEnd: (() => void) | undefined): void => {
  const latest = useRef(onNearEnd);
  latest.current = onNearEnd;
  useEffect(() => {
    if (count > 0 && lastShown >= count - ROWS_AHEAD) latest.current?.();
  }, [lastShown, count]);
};
