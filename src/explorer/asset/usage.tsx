import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import { ApiFailure } from '../api/failure.ts';
import { kindOf } from '../api/kinds.ts';
import type { Schemas } from '../api/types.ts';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { SparkLine } from './spark-line.tsx';

/** How often a record was used, and how that compares with others of its kind. */

const DAYS = 30;

export const hasUsage = (type: string): boolean => kindOf(type)?.fields.includes('usageSummary') ?? false;

const Numbers = ({ usage, kind }: { readonly usage: readonly Schemas['UsageDetails'][]; readonly kind: string }) => {
  const days = [...usage].sort((one, other) => one.date.localeCompare(other.date));
  const last = days.at(-1);
  if (last === undefined || days.every(({ dailyStats }) => dailyStats.count === 0))
    return <Nothing>No use of it was reported in the last {DAYS} days.</Nothing>;
  const { dailyStats, weeklyStats, monthlyStats, date } = last;
  const points = days.map((day) => ({ at: Date.parse(day.date), value: day.dailyStats.count }));
  return (
    <>
      <p>
        <strong className="big-number">{(monthlyStats?.count ?? 0).toLocaleString()}</strong>{' '}
        <span className="quiet">times in a month,</span> {(weeklyStats?.count ?? 0).toLocaleString()}{' '}
        <span className="quiet">in a week,</span> {dailyStats.count.toLocaleString()}{' '}
        <span className="quiet">on {new Date(date).toLocaleDateString()}</span>
      </p>
      <SparkLine points={points} label="Uses a day" width={240} height={40} />
      {monthlyStats !== undefined && (monthlyStats.percentileRank ?? 0) >= 1 && (
        <p className="quiet">
          More than {Math.floor(monthlyStats.percentileRank ?? 0)} % of all {kind} in that month.
        </p>
      )}
    </>
  );
};

export const Usage = ({ type, id }: { readonly type: string; readonly id: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['usage', id],
    queryFn: ({ signal }) => ask<Schemas['EntityUsage']>(`/v1/usage/${type}/${id}`, { query: { days: DAYS }, signal }),
  });
  // Whoever may not see the use of a record sees the record without it.
  if (error instanceof ApiFailure && error.status === 403) return null;
  return (
    <section className="card stack" aria-label="Use">
      <h2>Use</h2>
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the use" />}
      {data && <Numbers usage={data.usage} kind={(kindOf(type)?.title ?? type).toLowerCase()} />}
    </section>
  );
};
