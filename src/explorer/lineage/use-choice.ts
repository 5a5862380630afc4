import { useCallback, useEffect, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { useSettings } from '../api/settings.ts';
import { changeChoice, type LineageChoice, readChoice } from './choice.ts';

/** The choice in the address of this page, and how it is changed. */
export const useLineageChoice = () => {
  const [params, setParams] = useSearchParams();
  const choice = useMemo(() => readChoice(params), [params]);
  const change = useCallback(
    (part: Partial<LineageChoice>) => setParams((former) => changeChoice(former, part)),
    [setParams],
  );
  // An address that says something else than what is shown is not left to be shared.
  const isOrdered = (['asOf', 'since'] as const).every((name) => (params.get(name) ?? undefined) === choice[name]);
  const most = useSettings()?.limits.lineageDepth ?? Number.POSITIVE_INFINITY;
  const { upstream, downstream } = choice;
  useEffect(() => {
    const bounded = { upstream: Math.min(upstream, most), downstream: Math.min(downstream, most) };
    if (isOrdered && bounded.upstream === upstream && bounded.downstream === downstream) return;
    setParams((former) => changeChoice(former, bounded), { replace: true });
  }, [isOrdered, upstream, downstream, most, setParams]);
  return { choice, change };
};
