import { useQueries } from '@tanstack/react-query';
import { Link } from 'wouter';
import { searchChoiceAddress } from '../addresses.ts';
import { search } from '../api/search.ts';
import { Failure, Waiting } from '../parts/states.tsx';
import type { SearchChoice } from '../search/choice.ts';
import { COVERED_KINDS, GAPS, type Gap, gapQuery, scopeQuery } from './health-choice.ts';

const choiceOf = (text: string): SearchChoice => ({ text, chosen: { entityType: COVERED_KINDS }, sort: 'used' });

const useCounts = (texts: readonly string[]) =>
  useQueries({
    queries: texts.map((text) => ({
      queryKey: ['count', text, COVERED_KINDS],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        search({ text, chosen: { entityType: COVERED_KINDS }, size: 0 }, signal),
    })),
  });

type GapRowProps = { readonly gap: Gap; readonly text: string; readonly missing: number; readonly total: number };

const GapRow = ({ gap, text, missing, total }: GapRowProps) => {
  const share = total === 0 ? 1 : (total - missing) / total;
  const percent = missing === 0 ? 100 : Math.min(99, Math.round(share * 100));
  return (
    <li className="coverage-row">
      <span>
        <strong>{percent} %</strong> {gap.title}
      </span>
      <meter min={0} max={1} value={share} aria-label={`Share of assets that ${gap.title}`} />
      {missing === 0 ? (
        <span className="quiet">none {gap.missing}</span>
      ) : (
        <Link href={searchChoiceAddress(choiceOf(text))}>
          {missing.toLocaleString()} {gap.missing}
        </Link>
      )}
    </li>
  );
};

/** How much of the data has what people need to trust it. */
export const Coverage = ({ scope }: { readonly scope: string | undefined }) => {
  const texts = GAPS.map((gap) => gapQuery(gap, scope));
  const [all, ...gaps] = useCounts([scopeQuery(scope), ...texts]);
  const failed = [all, ...gaps].find((one) => one?.error);
  if (failed) return <Failure failure={failed.error} again={failed.refetch} />;
  const total = all?.data?.total;
  if (total === undefined || gaps.some(({ data }) => data === undefined)) return <Waiting what="the counts" />;
  if (total === 0) return <p className="quiet">No tables, dashboards, topics, pipelines, models or containers here.</p>;
  return (
    <ul className="coverage">
      {GAPS.map((gap, index) => (
        <GapRow
          key={gap.title}
          gap={gap}
          text={texts[index] ?? ''}
          missing={gaps[index]?.data?.total ?? 0}
          total={total}
        />
      ))}
    </ul>
  );
};
