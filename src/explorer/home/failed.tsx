import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { assetAddress, lineageAddress } from '../addresses.ts';
import { ContractOutcome, TestOutcome } from '../parts/outcome-chip.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { formatAge, formatMoment, isoMoment } from '../parts/times.ts';
import { newestFailures, type RecentFailure } from './failures.ts';
import { readFailingContracts, readFailingTests } from './read-failures.ts';
import { HomeSection } from './section.tsx';

const SHOWN = 8;

const FailureRow = ({ failure: { kind, name, fqn, at, status, text, asset } }: { readonly failure: RecentFailure }) => (
  <li>
    <div className="home-row-name">
      <span>
        <Link href={assetAddress(kind, fqn)}>{name}</Link>
        {asset && (
          <>
            <span className="quiet"> on </span>
            <Link href={`${assetAddress(asset.type, asset.fqn)}?view=${kind === 'testCase' ? 'quality' : 'contract'}`}>
              {asset.name}
            </Link>
          </>
        )}
      </span>
      <span className="quiet home-row-detail">
        {kind === 'testCase' ? 'Test' : 'Contract'}
        {at > 0 && (
          <>
            {', '}
            <time dateTime={isoMoment(at)} title={formatMoment(at)}>
              {formatAge(at, Date.now())}
            </time>
          </>
        )}
        {text && `: ${text}`}
      </span>
    </div>
    {kind === 'testCase' ? <TestOutcome status={status} /> : <ContractOutcome status={status} />}
    {asset && (
      <Link
        className="home-row-lineage"
        href={lineageAddress(asset.type, asset.fqn)}
        aria-label={`Lineage of ${asset.name}`}
      >
        Lineage
      </Link>
    )}
  </li>
);

/** Tests and contracts whose latest result is bad, the newest first. When one of both cannot be read, the other is still shown. */
export const Failed = () => {
  const tests = useQuery({ queryKey: ['failed tests'], queryFn: ({ signal }) => readFailingTests(SHOWN, signal) });
  const contracts = useQuery({
    queryKey: ['failed contracts'],
    queryFn: ({ signal }) => readFailingContracts(SHOWN, signal),
  });
  const failures = newestFailures(tests.data ?? [], contracts.data ?? [], SHOWN);
  const isWaiting = tests.isPending || contracts.isPending;
  return (
    <HomeSection title="What failed lately">
      {tests.error && <Failure failure={tests.error} again={tests.refetch} />}
      {contracts.error && <Failure failure={contracts.error} again={contracts.refetch} />}
      {failures.length === 0 && isWaiting && <Waiting what="tests and contracts" />}
      {failures.length === 0 && tests.data && contracts.data && <Nothing>No test and no contract fails.</Nothing>}
      <ul className="home-rows">
        {failures.map((failure) => (
          <FailureRow key={failure.id} failure={failure} />
        ))}
      </ul>
    </HomeSection>
  );
};
