import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { Reference, Schemas } from '../api/types.ts';
import { TestOutcome } from '../parts/outcome-chip.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import type { FieldsProps } from './basic-fields.tsx';
import { Clause } from './clause.tsx';

/** Chooses the tests that have to pass, among those of the table and its columns. */

const MOST_TESTS = 1000;

const useTests = (fqn: string) =>
  useQuery({
    queryKey: ['tests to choose', fqn],
    queryFn: ({ signal }) =>
      ask<Schemas['TestCaseList']>('/v1/dataQuality/testCases', {
        query: { entityFQN: fqn, includeAllTests: true, fields: 'testCaseResult', limit: MOST_TESTS },
        signal,
      }),
  });

/** What the test is about, below the table. */
const placeOf = (testFqn: string, tableFqn: string): string => testFqn.slice(tableFqn.length + 1);

type TestChoiceProps = FieldsProps & { readonly fqn: string; readonly odcsRules: number };

export const TestChoice = ({ fqn, form, setForm, problems, odcsRules }: TestChoiceProps) => {
  const { data, error, refetch } = useTests(fqn);
  const chosen = form.qualityExpectations;
  const known = new Set<string | undefined>(data?.data.map(({ id }) => id));
  const toggle = (test: Reference, isChosen: boolean) =>
    setForm({
      qualityExpectations: isChosen ? [...chosen, test] : chosen.filter(({ id }) => id !== test.id),
    });
  const row = (test: Reference, place: string, status: string | undefined) => (
    <li key={test.id}>
      <label className="check">
        <input
          type="checkbox"
          checked={chosen.some(({ id }) => id === test.id)}
          onChange={({ target }) => toggle(test, target.checked)}
        />
        <span className="choice-label">{place}</span>
      </label>
      <TestOutcome status={status} />
    </li>
  );
  return (
    <Clause
      title="Tests"
      members={['qualityExpectations']}
      problems={problems}
      hint="The contract fails when the latest result of one of these fails."
    >
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the tests" />}
      {data?.data.length === 0 && chosen.length === 0 && <Nothing>Nothing tests this table yet.</Nothing>}
      <ul className="rows test-choices">
        {data?.data.map(({ id, name, fullyQualifiedName, testCaseResult }) =>
          row(
            { id, type: 'testCase', name },
            placeOf(fullyQualifiedName ?? name ?? '', fqn),
            testCaseResult?.testCaseStatus,
          ),
        )}
        {data &&
          chosen.filter(({ id }) => !known.has(id)).map((test) => row(test, test.name ?? test.id ?? '', undefined))}
      </ul>
      {odcsRules > 0 && (
        <p className="quiet">
          {odcsRules} quality {odcsRules === 1 ? 'rule' : 'rules'} of an ODCS document are kept beside these. They are
          exported again, and changed by an import.
        </p>
      )}
    </Clause>
  );
};
