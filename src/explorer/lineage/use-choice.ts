import { useCallback, useEffect, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { changeChoice, type LineageChoice, readChoice } from './choice.ts';

/** The choice in the address of this page, and how it is changed. */
export const useLineageChoice = () => {
  const [params, setParams] = useSearchParams();
  const choice = useMemo(() => readChoice(params), [params]);
  const change = useCallback(
    (part: Partial<LineageChoice>) => setParams((former) => changeChoice(former, part)),
    [setParams],
  );
  // An address whose times say something else than what is shown is not left to be shared.
  const isOrdered = (['asOf', 'since'] as const).every((name) => (params.get(name) ?? undefined) === choice[name]);
  useEffect(() => {
    if (!isOrdered) setParams((former) => changeChoice(former, {}), { replace: true });
  }, [isOrdered, setParams]);
  return { choice, change };
};
