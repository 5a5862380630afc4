import { Link } from 'wouter';
import { assetAddress, columnAddress } from '../addresses.ts';
import type { Asset } from '../api/asset.ts';
import { readEntityLink } from '../api/entity-link.ts';
import { lastName } from '../api/full-name.ts';
import { textAt } from '../api/members.ts';
import { Causes } from '../causes/causes.tsx';
import { TestOutcome } from '../parts/outcome-chip.tsx';
import { Failure, Waiting } from '../parts/states.tsx';
import { formatAge, isoMoment, readableTime } from '../parts/times.ts';
import { type Streak, streakOf } from './test-outcome.ts';
import { TestHistory, useTestResults } from './test-results.tsx';

/** How a test goes now, since when, and of what; then how it went before. */

const Since = ({ streak: { latest, since, runs, isWhole } }: { readonly streak: Streak }) => (
  <span className="quiet">
    {isWhole && runs > 1
      ? 'in all kept results, since '
      : runs > 1
        ? `in its last ${runs.toLocaleString()} runs, since `
        : 'in its last run, '}
    <time dateTime={isoMoment(since)} title={formatAge(since, Date.now())}>
      {readableTime(since)}
    </time>
    {runs > 1 && latest.timestamp !== since && <>, last run {formatAge(latest.timestamp, Date.now())}</>}
  </span>
);

/** What is tested: a column of a table, or the whole of it. */
const Target = ({ asset }: { readonly asset: Asset }) => {
  const linked = readEntityLink(textAt(asset, 'entityLink') ?? '');
  if (linked === undefined) return null;
  const name = lastName(linked.fqn);
  return (
    <p>
      Tests{' '}
      {linked.column !== undefined && (
        <>
          the column{' '}
          <Link href={columnAddress(linked.type, linked.fqn, textAt(asset, 'entityFQN') ?? '')}>{linked.column}</Link>{' '}
          of{' '}
        </>
      )}
      <Link href={assetAddress(linked.type, linked.fqn)} title={linked.fqn}>
        {name}
      </Link>
      .
    </p>
  );
};

const Incident = ({ asset }: { readonly asset: Asset }) => {
  const id = textAt(asset, 'incidentId');
  const status = textAt(asset, 'incidentStatus');
  return id === undefined && status === undefined ? null : (
    <p className="row">
      <span className="chip warn">incident{status === undefined ? ' open' : `: ${status.toLowerCase()}`}</span>
      {id !== undefined && <code className="quiet">{id}</code>}
    </p>
  );
};

export const TestState = ({ asset }: { readonly asset: Asset }) => {
  const { data, error, refetch } = useTestResults(asset.fullyQualifiedName);
  const streak = streakOf(data?.data ?? []);
  return (
    <>
      <section className="card stack" aria-label="Latest result">
        {error && <Failure failure={error} again={refetch} />}
        {!data && !error && <Waiting what="the results" />}
        {data && (
          <div className="row test-state">
            <TestOutcome status={streak?.latest.testCaseStatus} />
            {streak && <Since streak={streak} />}
          </div>
        )}
        {streak?.latest.result && <p className="test-says">{streak.latest.result}</p>}
        <Incident asset={asset} />
        <Target asset={asset} />
        {data && data.data.length > 0 && <TestHistory results={data.data} name={asset.displayName || asset.name} />}
      </section>
      {/* Whoever looks at a test that fails asks why it does. */}
      {streak?.latest.testCaseStatus === 'Failed' && <Causes id={asset.id} />}
    </>
  );
};
