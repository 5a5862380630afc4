import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { LineageNode, Schemas } from '../api/types.ts';
import { GrowingList } from '../parts/growing-list.tsx';
import { RefLinks } from '../parts/refs.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { isoMoment, readableTime } from '../parts/times.ts';
import { findFailingSince } from './failing.ts';
import { RecordLink } from './record-link.tsx';
import './failing-tests.css';

/** The tests of a record that do not pass: what they last said, since when, who answers for them, and in which incident. */

type TestCase = Schemas['TestCase'];

const TESTS = '/v1/dataQuality/testCases';
const MOST_TESTS = 1000;

/** Each asks for its results. */
const SHOWN_AT_ONCE = 10;

const Since = ({ test }: { readonly test: TestCase }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['results of', test.fullyQualifiedName],
    queryFn: ({ signal }) =>
      ask<Schemas['TestCaseResultList']>(`${TESTS}/testCaseResults/${encodeURIComponent(test.fullyQualifiedName)}`, {
        signal,
      }),
  });
  if (error) return <Failure failure={error} again={refetch} />;
  const since = data && findFailingSince(data.data);
  if (since === undefined) return null;
  return (
    <span className="quiet">
      {test.testCaseStatus === 'Aborted' ? 'aborted' : 'fails'} since{' '}
      <time dateTime={isoMoment(since)}>{readableTime(since)}</time>
    </span>
  );
};

const Incident = ({ test: { incidentId, incidentStatus, testCaseResult } }: { readonly test: TestCase }) => {
  const id = incidentId ?? testCaseResult?.incidentId;
  return id === undefined ? null : (
    <p>
      Incident <code>{id}</code>
      {incidentStatus === undefined ? '' : `: ${incidentStatus}`}
    </p>
  );
};

const FailingTest = ({ test }: { readonly test: TestCase }) => (
  <>
    <span className="row">
      <RecordLink record={{ ...test, type: 'testCase' }} />
      <Since test={test} />
    </span>
    {test.testCaseResult?.result && <p className="quiet">{test.testCaseResult.result}</p>}
    <Incident test={test} />
    <span className="row">
      <span className="quiet">Owners</span> <RefLinks refs={test.owners} none="Nobody" />
    </span>
  </>
);

type TestsProps = { readonly record: LineageNode };

export const FailingTests = ({ record: { type, fullyQualifiedName, testStatus = 'Failed' } }: TestsProps) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['failing tests', fullyQualifiedName, testStatus],
    queryFn: ({ signal }) =>
      ask<Schemas['TestCaseList']>(TESTS, {
        query: {
          entityLink: `<#E::${type}::${fullyQualifiedName}>`,
          includeAllTests: true,
          testCaseStatus: testStatus,
          fields: 'testCaseResult,incidentId,incidentStatus,owners',
          limit: MOST_TESTS,
        },
        signal,
      }),
  });
  if (error) return <Failure failure={error} again={refetch} />;
  if (!data) return <Waiting what="the tests" />;
  if (data.data.length === 0) return <Nothing>They pass by now.</Nothing>;
  return (
    <GrowingList
      className="failing-tests"
      items={data.data}
      keyOf={({ id }) => id}
      row={(test) => <FailingTest test={test} />}
      step={SHOWN_AT_ONCE}
    />
  );
};
