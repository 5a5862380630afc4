import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Asset } from '../api/asset.ts';
import { fetchContractOf } from '../api/contracts.ts';
import { ApiFailure } from '../api/failure.ts';
import { statusOf } from '../api/tests.ts';
import { canHaveContract, canPromiseTests } from '../contract/subjects.ts';
import { contractOutcome, type Outcome } from '../parts/outcome.ts';
import { OutcomeChip } from '../parts/outcome-chip.tsx';
import { RefLinks } from '../parts/refs.tsx';
import { formatAge, readableTime } from '../parts/times.ts';
import { tierOf } from './label-edit.ts';
import { dataChangedAt, testsOutcome } from './trust-words.ts';
import { useTableProfiles } from './use-profiles.ts';
import { useTests } from './use-tests.ts';
import './trust.css';

/** Whether an asset can be relied on, and who answers for it, before anything has to be opened or scrolled. */

type FactProps = { readonly title: string; readonly isBeside?: boolean; readonly children: ReactNode };

/** What stands beside the columns on a wide page is told here on a narrow one only, where it would come far below. */
const Fact = ({ title, isBeside = false, children }: FactProps) => (
  <div className={isBeside ? 'trust-fact beside' : 'trust-fact'}>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

const WAITING: Outcome = { words: '…', tone: 'plain' };
const NO_CONTRACT: Outcome = { words: 'none', tone: 'plain' };

const withoutAnswer = (error: unknown): Outcome | undefined => {
  if (!error) return undefined;
  const isHidden = error instanceof ApiFailure && error.status === 403;
  return { words: isHidden ? 'not for you to see' : 'could not be read', tone: 'plain' };
};

const Part = ({ view, outcome }: { readonly view: string; readonly outcome: Outcome }) => (
  <Link className="trust-link" href={`?view=${view}`}>
    <OutcomeChip of={outcome} />
  </Link>
);

const TestsFact = ({ asset }: { readonly asset: Asset }) => {
  const { data, error } = useTests(asset.fullyQualifiedName);
  const outcome = withoutAnswer(error) ?? (data ? testsOutcome(data.data.map(statusOf)) : WAITING);
  return (
    <Fact title="Tests">
      <Part view="quality" outcome={outcome} />
    </Fact>
  );
};

const ContractFact = ({ type, id }: { readonly type: string; readonly id: string }) => {
  const { data, error } = useQuery({
    queryKey: ['contract of', id],
    queryFn: ({ signal }) => fetchContractOf({ type, id }, signal),
  });
  const found = data === undefined ? WAITING : data && contractOutcome(data.latestResult?.status);
  return (
    <Fact title="Contract">
      <Part view="contract" outcome={withoutAnswer(error) ?? found ?? NO_CONTRACT} />
    </Fact>
  );
};

const Age = ({ at }: { readonly at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={readableTime(at)}>
    {formatAge(at, Date.now())}
  </time>
);

const MeasuredFact = ({ id }: { readonly id: string }) => {
  const { data, error } = useTableProfiles(id);
  const last = data?.at(-1);
  return (
    <Fact title="Measured">
      {last === undefined ? (
        (withoutAnswer(error)?.words ?? (data ? 'never' : '…'))
      ) : (
        <>
          {last.rowCount !== undefined && `${last.rowCount.toLocaleString()} rows, `}
          <Age at={last.timestamp} />
        </>
      )}
    </Fact>
  );
};

const ChangedFact = ({ asset }: { readonly asset: Asset }) => {
  const at = dataChangedAt(asset);
  return at === undefined ? null : (
    <Fact title="Data changed">
      <Age at={at} />
    </Fact>
  );
};

const AnswersFacts = ({ asset: { owners, tags } }: { readonly asset: Asset }) => {
  const tier = tierOf(tags);
  return (
    <>
      {owners && (
        <Fact title="Owners" isBeside>
          <RefLinks refs={owners} none="Nobody" />
        </Fact>
      )}
      {tier !== '' && (
        <Fact title="Tier" isBeside>
          <span className="chip accent">{tier.replace('Tier.', '')}</span>
        </Fact>
      )}
    </>
  );
};

export const Trust = ({ type, asset }: { readonly type: string; readonly asset: Asset }) => {
  const isTested = canPromiseTests(type);
  const isJudged = isTested || canHaveContract(type);
  return (
    <dl className={isJudged ? 'trust' : 'trust beside'}>
      {isTested && <TestsFact asset={asset} />}
      {canHaveContract(type) && <ContractFact type={type} id={asset.id} />}
      {isTested && <MeasuredFact id={asset.id} />}
      <ChangedFact asset={asset} />
      <AnswersFacts asset={asset} />
    </dl>
  );
};
