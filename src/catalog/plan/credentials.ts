import type { Step, WriteRow } from '../../graph/commit.ts';
import { encodeProperty } from '../../graph/property.ts';
import { statement } from '../../graph/statement.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { ORDER, step } from './step.ts';

const voidCredentials = statement<{ rows: readonly WriteRow[] }, { at: number }>('account/void_credentials', {
  params: ['rows'],
  row: ['at'],
});

/**
 * The step that ends the sessions and tokens of a user whose password was set anew, or who is deleted: whoever knew the
 * old password, or held a token, must not stay signed in. `moment` is when the change was made, in epoch milliseconds.
 */
export const voidCredentialSteps = (before: Snapshot, after: Snapshot, moment: number): Step[] => {
  if (before.kind.entityType !== 'user') return [];
  const isReset = before.values['password'] !== after.values['password'];
  const isLeaving = after.deleted && !before.deleted;
  if (!isReset && !isLeaving) return [];
  return [step(voidCredentials, ORDER.verify, [{ id: before.id, moment: encodeProperty(moment) }])];
};
