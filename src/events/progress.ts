import { encodeProperty } from '../graph/property.ts';
import { sortKeyOf } from '../model/cursor.ts';
import type { STATUSES } from '../model/destination-values.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { FailedRow, ListedFailure } from './queries.ts';
import { placeOfTime } from './sequence.ts';

/** How calls of one destination went (events.md 4.3). */
export type DestinationStatus = {
  readonly status: (typeof STATUSES)[number];
  readonly lastSuccessfulAt?: number;
  readonly lastFailedAt?: number;
  readonly lastFailedStatusCode?: number;
  readonly lastFailedReason?: string;
  readonly nextAttempt?: number;
  readonly timestamp: number;
};

/** An event that some destination has not taken yet. */
export type Retry = {
  readonly seq: number;
  /** How often it was tried. */
  readonly attempts: number;
  /** When it is tried again. */
  readonly at: number;
  /** The destinations that are done with it. */
  readonly done: readonly string[];
};

/** How far the delivery to a subscription has come. */
export type Progress = {
  /** The last event that is dealt with. */
  readonly seq: number;
  readonly startSeq: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly statuses: Readonly<Record<string, DestinationStatus>>;
  readonly retry: Retry | undefined;
};

type Node = { readonly [name: string]: unknown };

const parsed = <T>(text: unknown): T | undefined => (typeof text === 'string' ? (JSON.parse(text) as T) : undefined);

const whole = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Reads the node of a delivery. Where somebody wants it to go on elsewhere, it has got there. */
export const decodeProgress = (node: Node): Progress => {
  const [seq, goTo] = [whole(node['seq']), whole(node['goTo'])];
  const hasMoved = goTo > seq;
  return {
    seq: Math.max(seq, goTo),
    startSeq: whole(node['startSeq']),
    succeeded: whole(node['succeeded']),
    failed: whole(node['failed']),
    statuses: parsed<Progress['statuses']>(node['statusesJson']) ?? {},
    retry: hasMoved ? undefined : parsed<Retry>(node['retryJson']),
  };
};

/** Progress as its node keeps it. */
export const encodeProgress = ({ seq, succeeded, failed, statuses, retry }: Progress): Node => ({
  seq: encodeProperty(seq),
  succeeded: encodeProperty(succeeded),
  failed: encodeProperty(failed),
  statusesJson: JSON.stringify(statuses),
  retryJson: retry === undefined ? null : JSON.stringify(retry),
});

/** An event that a destination did not take in the end. */
export type Failure = {
  readonly subscriptionId: string;
  readonly destinationId: string;
  readonly seq: number;
  readonly timestamp: number;
  readonly reason: string;
  readonly statusCode?: number;
  readonly eventId: string;
};

export const failureRow = (failure: Failure): FailedRow => {
  const { subscriptionId, destinationId, seq, timestamp } = failure;
  const key = `${subscriptionId} ${seq} ${destinationId}`;
  const place = sortKeyOf(placeOfTime(timestamp), `${seq} ${destinationId}`);
  return {
    key,
    properties: {
      key,
      place,
      subscriptionId,
      destinationId,
      seq: encodeProperty(seq),
      timestamp: encodeProperty(timestamp),
      reason: failure.reason,
      statusCode: encodeProperty(failure.statusCode),
      eventId: failure.eventId,
    },
  };
};

/** A failed delivery as it is answered, with the event if that is still kept. */
export const renderFailure = ({ node, json }: ListedFailure): JsonObject => ({
  failingSubscriptionId: node['subscriptionId'] as Json,
  ...(json === null ? {} : { changeEvent: JSON.parse(json) as Json }),
  reason: node['reason'] as Json,
  retriesLeft: 0,
  timestamp: node['timestamp'] as Json,
});
