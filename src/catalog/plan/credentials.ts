import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteStatementRow, WriteStep } from '../../graph/group-commit.ts';
import { statement } from '../../graph/statement.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { createStep, STEP_ORDER } from './step.ts';

const revokeCredentials = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'catalog/write/delete_credentials',
  {
    params: ['rows'],
    row: ['at'],
  },
);

/**
 * The step that ends the sessions and tokens of a user whose password was reset or who is deleted: anyone who knew the
 * old password or held a token must not stay signed in. `moment` is the time of the change in epoch milliseconds.
 */
export const revokeCredentialSteps = (before: Snapshot, after: Snapshot, moment: number): WriteStep[] => {
  if (before.kind.entityType !== 'user') return [];
  const isReset = before.values['password'] !== after.values['password'];
  const isDeletion = after.deleted && !before.deleted;
  if (!isReset && !isDeletion) return [];
  return [createStep(revokeCredentials, STEP_ORDER.verify, [{ id: before.id, moment: encodeProperty(moment) }])];
};
