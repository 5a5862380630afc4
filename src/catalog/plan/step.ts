import { recordNotFound } from '../../errors.ts';
import type { Step, WriteRow } from '../../graph/commit.ts';

/** The order in which the statements of one transaction run. */
export const ORDER = {
  supersede: 5,
  takeLeave: 9.2,
  /** Before columns go, as those who point at them are counted. */
  countColumns: 9.5,
  lock: 10,
  rename: 15,
  removeColumns: 20,
  changeColumns: 25,
  addColumns: 30,
  nestColumns: 31,
  hangColumns: 32,
  unlink: 35,
  claim: 36,
  place: 38,
  link: 40,
  label: 42,
  verify: 45,
  keepVersion: 50,
  tell: 60,
  intend: 70,
  /** Last, because all that change anything of the kind wait for each other there. */
  govern: 99,
} as const;

/** Somebody else changed the record between the read and the write. */
export class StaleState extends Error {}

/** Something came to hang below the record between the look and the write, or what hung there changed. */
export class LeftBehind extends StaleState {}

export const stale = () => new StaleState('the record changed since it was read');
export const leftBehind = () => new LeftBehind('what hangs below the record changed since it was read');
export const gone = (entityType: string, key: string) => () => recordNotFound(entityType, key);

export const step = (
  statement: Step['statement'],
  order: number,
  rows: readonly WriteRow[],
  missing?: () => unknown,
): Step => (missing ? { statement, order, rows, missing } : { statement, order, rows });
