import { CatalogError } from '../../errors.ts';
import type { Step, Write, WriteRow } from '../../graph/commit.ts';
import { statement } from '../../graph/statement.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { ORDER, step } from './step.ts';

const confirmAdministrator = statement<{ rows: readonly WriteRow[] }, { at: number }>('user/confirm_administrator', {
  params: ['rows'],
  row: ['at'],
});

/** The node at which writes wait for each other that take an administrator away. */
const ADMINISTRATORS = 'administrators';

/** Whether the record is a person who may administer the catalog. A bot that may is nobody who could sign in. */
const isAdministrator = ({ kind, deleted, values }: Snapshot): boolean =>
  kind.entityType === 'user' && !deleted && values['isAdmin'] === true && values['isBot'] !== true;

const lastAdministrator = () =>
  new CatalogError('conflict', 'The last administrator can be neither deleted nor demoted');

/**
 * The step that refuses a change which would leave no administrator. It looks inside the transaction, after the change,
 * so that two administrators who demote each other at the same moment cannot both succeed. Without `after` the record
 * is removed.
 */
export const keepAdministratorSteps = (before: Snapshot, after?: Snapshot): Step[] =>
  isAdministrator(before) && !(after && isAdministrator(after))
    ? [step(confirmAdministrator, ORDER.govern - 1, [{ name: ADMINISTRATORS }], lastAdministrator)]
    : [];

/** Writes that take administrators away never share a batch: judged together, each would be refused for the other. */
export const withAdministratorKey = (write: Write): Write =>
  write.steps.some(({ statement }) => statement === confirmAdministrator)
    ? { ...write, keys: [...write.keys, ADMINISTRATORS] }
    : write;
