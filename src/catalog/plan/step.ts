import { recordNotFound } from '../../errors.ts';
import type { WriteStatementRow, WriteStep } from '../../graph/group-commit.ts';

/** The order in which the statements of one transaction run. */
export const STEP_ORDER = {
  supersede: 5,
  deletionEvent: 9.2,
  /** Before columns go, as those who point at them are counted. */
  countColumns: 9.5,
  lock: 10,
  rename: 15,
  removeColumns: 20,
  changeColumns: 25,
  addColumns: 30,
  createNestedColumns: 31,
  linkNestedColumns: 32,
  unlink: 35,
  claim: 36,
  linkParent: 38,
  link: 40,
  label: 42,
  verify: 45,
  saveVersion: 50,
  publish: 60,
  saveIntent: 70,
  /** Last, because all that change anything of the kind wait for each other there. */
  accessRevision: 99,
} as const;

/** Somebody else changed the record between the read and the write. */
export class StaleStateError extends Error {}

/** Something came to hang below the record between the look and the write, or what hung there changed. */
export class DescendantsChangedError extends StaleStateError {}

export const staleStateError = () => new StaleStateError('the record changed since it was read');
export const descendantsChangedError = () =>
  new DescendantsChangedError('what hangs below the record changed since it was read');
export const notFoundFactory = (entityType: string, key: string) => () => recordNotFound(entityType, key);

export const createStep = (
  statement: WriteStep['statement'],
  order: number,
  rows: readonly WriteStatementRow[],
  missingRowError?: () => unknown,
): WriteStep => (missingRowError ? { statement, order, rows, missingRowError } : { statement, order, rows });
