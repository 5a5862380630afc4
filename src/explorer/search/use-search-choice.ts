import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { readSearchChoice, type SearchChoice, writeSearchChoice } from './choice.ts';

/** The search in the address of this page, and how it is changed. Typing makes no history; choosing does. */
export const useSearchChoice = () => {
  const [params, setParams] = useSearchParams();
  const choice = useMemo(() => readSearchChoice(params), [params]);
  const change = useCallback(
    (next: SearchChoice, { replace = false }: { readonly replace?: boolean } = {}) =>
      setParams(writeSearchChoice(next), { replace }),
    [setParams],
  );
  return { choice, change };
};
