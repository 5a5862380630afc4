import { type Rows, statement } from '../graph/statement.ts';

/** Moments are encoded by the caller, so that they are stored as whole numbers. */
type Moment = unknown;

type Throttled = { readonly at: number; readonly count: number; readonly waitUntil: number; readonly isKnown: boolean };

export const readThrottle = statement<Rows<{ key: string }> & { now: Moment }, Throttled>('account/read_throttle', {
  params: ['rows', 'now'],
  row: ['at', 'count', 'waitUntil', 'isKnown'],
});

type Failure = {
  readonly key: string;
  readonly free: number;
  readonly baseMs: number;
  readonly mostMs: number;
  readonly windowMs: number;
};

export const recordFailures = statement<
  Rows<Failure> & { attempt: string; now: Moment },
  { at: number; waitUntil: number }
>('account/record_failures', { params: ['rows', 'attempt', 'now'], row: ['at', 'waitUntil'] });

export const recordSuccess = statement<{ key: string; now: Moment; knownUntil: Moment }, { waitUntil: number }>(
  'account/record_success',
  { params: ['key', 'now', 'knownUntil'], row: ['waitUntil'] },
);
