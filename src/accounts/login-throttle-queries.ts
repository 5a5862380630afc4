import { type IndexedRows, statement } from '../graph/statement.ts';

/** Times are encoded by the caller, so that they are stored as integers. */
type EncodedMoment = unknown;

type ThrottleState = {
  readonly at: number;
  readonly count: number;
  readonly waitUntil: number;
  readonly isKnown: boolean;
};

export const readLoginThrottle = statement<IndexedRows<{ key: string }> & { now: EncodedMoment }, ThrottleState>(
  'accounts/read_login_throttle',
  {
    params: ['rows', 'now'],
    row: ['at', 'count', 'waitUntil', 'isKnown'],
  },
);

type FailureRow = {
  readonly key: string;
  readonly free: number;
  readonly baseMs: number;
  readonly mostMs: number;
  readonly windowMs: number;
};

export const updateLoginFailures = statement<
  IndexedRows<FailureRow> & { attempt: string; now: EncodedMoment },
  { at: number; waitUntil: number }
>('accounts/update_login_failures', { params: ['rows', 'attempt', 'now'], row: ['at', 'waitUntil'] });

export const updateLoginSuccess = statement<
  { key: string; now: EncodedMoment; knownUntil: EncodedMoment },
  { waitUntil: number }
>('accounts/update_login_success', { params: ['key', 'now', 'knownUntil'], row: ['waitUntil'] });
