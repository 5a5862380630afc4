import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import type { Asset } from '../api/asset.ts';
import { nameAt } from '../api/members.ts';
import { sortTests, statusOf, type TestCase } from '../api/tests.ts';
import { Causes } from '../causes/causes.tsx';
import { TestOutcome } from '../parts/outcome-chip.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { readableTime } from '../parts/times.ts';
import { readableSize } from './describe-members.ts';
import { LongList } from './long-list.tsx';
import { SparkLine } from './spark-line.tsx';
import { TestResults } from './test-results.tsx';
import { pointsOf, type TableProfile, useTableProfiles } from './use-profiles.ts';
import { useTests } from './use-tests.ts';

/** How good the data of a table is: its tests with their results, failing ones first, and what was measured of it. */

/** Beyond this many tests only their states are shown; each has a page with its results. */
const MOST_WITH_RESULTS = 30;

const subjectOf = (fqn: string, { entityFQN }: TestCase): string =>
  entityFQN === undefined || entityFQN === fqn ? 'whole table' : entityFQN.slice(fqn.length + 1);

const TestLine = ({ fqn, test }: { readonly fqn: string; readonly test: TestCase }) => (
  <div className="row test-line">
    <Link href={assetAddress('testCase', test.fullyQualifiedName)}>{nameAt(test)}</Link>
    <span className="quiet">{subjectOf(fqn, test)}</span>
    <TestOutcome status={statusOf(test)} />
    {test.incidentId !== undefined && (
      <span className="chip warn">incident{test.incidentStatus === undefined ? '' : `: ${test.incidentStatus}`}</span>
    )}
  </div>
);

const TestRow = ({ fqn, test }: { readonly fqn: string; readonly test: TestCase }) => (
  <li className="test">
    <TestLine fqn={fqn} test={test} />
    {test.testCaseResult?.result && statusOf(test) !== 'Success' && (
      <p className="quiet">{test.testCaseResult.result}</p>
    )}
    <TestResults fqn={test.fullyQualifiedName} name={nameAt(test)} />
  </li>
);

const countStates = (tests: readonly TestCase[]): string => {
  const failing = tests.filter((test) => statusOf(test) === 'Failed').length;
  const passed = tests.filter((test) => statusOf(test) === 'Success').length;
  return `${failing} of ${tests.length} failing, ${passed} passed`;
};

const Tests = ({ fqn }: { readonly fqn: string }) => {
  const { data, error, refetch } = useTests(fqn);
  if (error) return <Failure failure={error} again={refetch} />;
  if (!data) return <Waiting what="the tests" />;
  const tests = sortTests(data.data);
  if (tests.length === 0) return <Nothing>Nothing tests this table.</Nothing>;
  return (
    <>
      <p className="quiet" role="status">
        {countStates(tests)}
      </p>
      {tests.length <= MOST_WITH_RESULTS ? (
        <ul className="tests">
          {tests.map((test) => (
            <TestRow key={test.id} fqn={fqn} test={test} />
          ))}
        </ul>
      ) : (
        <LongList
          label="All tests, failing first"
          items={tests}
          keyOf={({ id }) => id}
          row={(test) => <TestLine fqn={fqn} test={test} />}
        />
      )}
    </>
  );
};

const ProfileTable = ({ profiles }: { readonly profiles: readonly TableProfile[] }) => (
  <details>
    <summary>All measurements</summary>
    <div className="table-scroll">
      <table className="plain-table">
        <caption className="visually-hidden">Measurements of the table, newest first</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Rows</th>
            <th scope="col">Columns</th>
            <th scope="col">Size</th>
          </tr>
        </thead>
        <tbody>
          {[...profiles].reverse().map(({ timestamp, rowCount, columnCount, sizeInByte }) => (
            <tr key={timestamp}>
              <td>{readableTime(timestamp)}</td>
              <td>{rowCount?.toLocaleString()}</td>
              <td>{columnCount?.toLocaleString()}</td>
              <td>{sizeInByte === undefined ? '' : readableSize(sizeInByte)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);

const Profiles = ({ id }: { readonly id: string }) => {
  const { data, error, refetch } = useTableProfiles(id);
  if (error) return <Failure failure={error} again={refetch} />;
  if (!data) return <Waiting what="the profiles" />;
  const last = data.at(-1);
  if (last === undefined) return <Nothing>Nothing was measured of this table yet.</Nothing>;
  return (
    <div className="stack">
      <p className="big-number">
        {last.rowCount?.toLocaleString()} <span className="quiet">rows on {readableTime(last.timestamp)}</span>
      </p>
      <SparkLine points={pointsOf(data, ({ rowCount }) => rowCount)} label="Number of rows" width={320} height={70} />
      <ProfileTable profiles={data} />
    </div>
  );
};

export const Quality = ({ asset }: { readonly asset: Asset }) => (
  <>
    <section className="card stack" aria-label="Tests">
      <h2>Tests</h2>
      <Tests fqn={asset.fullyQualifiedName} />
    </section>
    <Causes id={asset.id} />
    <section className="card stack" aria-label="Rows over time">
      <h2>Rows over time</h2>
      <Profiles id={asset.id} />
    </section>
  </>
);
