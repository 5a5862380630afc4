import { CatalogError } from '../../errors.ts';
import type { WriteRequest, WriteStatementRow, WriteStep } from '../../graph/group-commit.ts';
import { statement } from '../../graph/statement.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { createStep, STEP_ORDER } from './step.ts';

const confirmAdministrator = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'catalog/write/claim_administrator',
  {
    params: ['rows'],
    row: ['at'],
  },
);

/** The name of the lock node that serializes writes which take an administrator away. */
const ADMINISTRATORS_LOCK = 'administrators';

/**
 * Whether the record is a person who may administer the catalog. An administrator that is a bot does not count, because
 * a bot cannot sign in.
 */
const isAdministrator = ({ kind, deleted, values }: Snapshot): boolean =>
  kind.entityType === 'user' && !deleted && values['isAdmin'] === true && values['isBot'] !== true;

const lastAdministratorError = () =>
  new CatalogError('conflict', 'The last administrator can be neither deleted nor demoted');

/**
 * The step that refuses a change which would leave no administrator. It checks inside the transaction, after the
 * change, so that two administrators who demote each other at the same moment cannot both succeed. Without `after` the
 * record is deleted.
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

/**
 * Keeps writes that take administrators away out of a common batch: in one batch, each would be refused because of the
 * other.
 */
export const withAdministratorKey = (write: WriteRequest): WriteRequest =>
  write.steps.some(({ statement }) => statement === confirmAdministrator)
    ? { ...write, keys: [...write.keys, ADMINISTRATORS_LOCK] }
    : write;
