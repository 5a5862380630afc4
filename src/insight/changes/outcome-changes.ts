import { trySplitFqn } from '../../model/name.ts';
import type { ChangeName } from '../../model/schemas/insight/changes.ts';
import type { ChangedColumn, ChangeRecord } from './catalog-change.ts';
import type { OutcomesRow } from './queries.ts';

/**
 * Tells when the outcome of a test or a contract changed. A test that fails every day is one change: the first failure.
 */

export type OutcomeSource = 'tests' | 'contracts';

/** The results that say whether something holds. Others, such as an aborted run, change no outcome. */
export const CONCLUSIVE_STATUSES: Readonly<Record<OutcomeSource, readonly string[]>> = {
  tests: ['Success', 'Failed'],
  contracts: ['Success', 'Failed', 'PartialSuccess'],
};

const CHANGES: Readonly<Record<OutcomeSource, readonly [passed: ChangeName, failed: ChangeName]>> = {
  tests: ['testPassed', 'testFailed'],
  contracts: ['contractPassed', 'contractFailed'],
};

const isPassed = (status: string): boolean => status === 'Success';

const testedColumn = ({ columnName, subject }: OutcomesRow): ChangedColumn | undefined =>
  columnName === null || subject === null
    ? undefined
    : {
        name: trySplitFqn(columnName)?.at(-1) ?? columnName,
        fullyQualifiedName: `${subject.fullyQualifiedName}.${columnName}`,
        owner: subject,
      };

export const listOutcomeChanges = (source: OutcomeSource, row: OutcomesRow): readonly ChangeRecord[] => {
  const column = testedColumn(row);
  const changes: ChangeRecord[] = [];
  let before = row.before;
  for (const [at, status] of [...row.runs].reverse()) {
    if (before === null || isPassed(before) !== isPassed(status)) {
      const change = CHANGES[source][isPassed(status) ? 0 : 1];
      changes.push({
        at,
        by: null,
        node: row.node,
        about: row.subject,
        kind: source,
        change,
        ...(column === undefined ? {} : { column }),
        before,
        after: status,
        breaking: change === 'contractFailed',
        version: null,
        event: { entityId: row.node.id, eventTypes: ['entityUpdated'], mark: `\\"timestamp\\":${at}` },
      });
    }
    before = status;
  }
  return changes;
};
