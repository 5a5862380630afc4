import { recordNotFound } from '../../errors.ts';
import type { WriteStatementRow, WriteStep } from '../../graph/group-commit.ts';

/** The order in which the statements of one transaction run. */
export const STEP_ORDER = {
  /** Run before anything changes what an edge of lineage counts for. */
  claimEdges: 1,
  subtractEdges: 2,
  supersede: 5,
  deletionEvent: 9.2,
  /** Runs before columns are removed, because it counts the records that refer to them. */
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
  /** Runs late, because writers that change the same counts wait for each other at this step. */
  countEdges: 90,
  /** Runs last, because all writes that change access wait for each other at this step. */
  accessRevision: 99,
} as const;

/** Thrown when another writer changed the record between the read and the write. */
export class StaleStateError extends Error {}

/** Thrown when a descendant was added or changed between the read and the write. */
export class DescendantsChangedError extends StaleStateError {}

/** Thrown in place of a commit when a dry run meets nothing that would refuse the write. */
export class DryRunPassed extends Error {}

export const staleStateError = () => new StaleStateError('the record changed since it was read');
export const descendantsChangedError = () =>
  new DescendantsChangedError('the descendants of the record changed since they were read');
export const notFoundFactory = (entityType: string, key: string) => () => recordNotFound(entityType, key);

export const createStep = (
  statement: WriteStep['statement'],
  order: number,
  rows: readonly WriteStatementRow[],
  missingRowError?: () => unknown,
): WriteStep => (missingRowError ? { statement, order, rows, missingRowError } : { statement, order, rows });
