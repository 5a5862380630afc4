import { CatalogError } from '../../errors.ts';
import type { WriteRequest, WriteStatementRow, WriteStep } from '../../graph/group-commit.ts';
import { statement } from '../../graph/statement.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { createStep, STEP_ORDER } from './step.ts';

const confirmAdministrator = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'user/confirm_administrator',
  {
    params: ['rows'],
    row: ['at'],
  },
);

/** The node at which writes wait for each other that take an administrator away. */
const ADMINISTRATORS_LOCK = 'administrators';

/** Whether the record is a person who may administer the catalog. A bot that may is nobody who could sign in. */
const isAdministrator = ({ kind, deleted, values }: Snapshot): boolean =>
  kind.entityType === 'user' && !deleted && values['isAdmin'] === true && values['isBot'] !== true;

const lastAdministratorError = () =>
  new CatalogError('conflict', 'The last administrator can be neither deleted nor demoted');

/**
 * The step that refuses a change which would leave no administrator. It looks inside the transaction, after the change,
 * so that two administrators who demote each other at the same moment cannot both succeed. Without `after` the record
 * is removed.
 */
export const lastAdministratorSteps = (before: Snapshot, after?: Snapshot): WriteStep[] =>
  isAdministrator(before) && !(after && isAdministrator(after))
    ? [
        createStep(
          confirmAdministrator,
          STEP_ORDER.accessRevision - 1,
          [{ name: ADMINISTRATORS_LOCK }],
          lastAdministratorError,
        ),
      ]
    : [];

/** Writes that take administrators away never share a batch: judged together, each would be refused for the other. */
export const withAdministratorKey = (write: WriteRequest): WriteRequest =>
  write.steps.some(({ statement }) => statement === confirmAdministrator)
    ? { ...write, keys: [...write.keys, ADMINISTRATORS_LOCK] }
    : write;
