import { encodeProperty } from '../graph/encode-property.ts';
import { sortKeyOf } from '../model/cursor.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { DESTINATION_STATUSES } from '../model/schemas/events/destination.ts';
import type { FailedDeliveryRow, ListedFailedDelivery } from './queries.ts';
import { timePlace } from './sequence.ts';

/** The outcome of the calls to one destination (events.md 4.3). */
export type DestinationStatus = {
  readonly status: (typeof DESTINATION_STATUSES)[number];
  readonly lastSuccessfulAt?: number;
  readonly lastFailedAt?: number;
  readonly lastFailedStatusCode?: number;
  readonly lastFailedReason?: string;
  readonly nextAttempt?: number;
  readonly timestamp: number;
};

/** An event, or some that are delivered together, that at least one destination has not accepted yet. */
export type DeliveryRetry = {
  /** The number of the last of these events. */
  readonly seq: number;
  /** How many attempts were made. */
  readonly attempts: number;
  /** The time of the next attempt. */
  readonly at: number;
  /** The keys of the targets that are done with the events: the ids of their destinations. */
  readonly done: readonly string[];
  /** The delay that a receiver asked for. */
  readonly askedMs?: number;
};

/** The progress of the deliveries to one subscription. */
export type DeliveryProgress = {
  /** The number of the last event that was processed. */
  readonly seq: number;
  readonly startSeq: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly statuses: Readonly<Record<string, DestinationStatus>>;
  readonly retry: DeliveryRetry | undefined;
};

type DeliveryProperties = { readonly [name: string]: unknown };

const parseJsonProperty = <T>(text: unknown): T | undefined =>
  typeof text === 'string' ? (JSON.parse(text) as T) : undefined;

const numberProperty = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Decodes the node of a delivery. A pending target position counts as reached. */
export const decodeDeliveryProgress = (node: DeliveryProperties): DeliveryProgress => {
  const [seq, goTo] = [numberProperty(node['seq']), numberProperty(node['goTo'])];
  const hasMoved = goTo > seq;
  return {
    seq: Math.max(seq, goTo),
    startSeq: numberProperty(node['startSeq']),
    succeeded: numberProperty(node['succeeded']),
    failed: numberProperty(node['failed']),
    statuses: parseJsonProperty<DeliveryProgress['statuses']>(node['statusesJson']) ?? {},
    retry: hasMoved ? undefined : parseJsonProperty<DeliveryRetry>(node['retryJson']),
  };
};

/** Encodes the progress for its node. */
export const encodeDeliveryProgress = ({
  seq,
  succeeded,
  failed,
  statuses,
  retry,
}: DeliveryProgress): DeliveryProperties => ({
  seq: encodeProperty(seq),
  succeeded: encodeProperty(succeeded),
  failed: encodeProperty(failed),
  statusesJson: JSON.stringify(statuses),
  retryJson: retry === undefined ? null : JSON.stringify(retry),
});

/** An event that a destination did not accept in any attempt. */
export type FailedDelivery = {
  readonly subscriptionId: string;
  readonly destinationId: string;
  readonly seq: number;
  readonly timestamp: number;
  readonly reason: string;
  readonly statusCode?: number;
  readonly eventId: string;
};

export const toFailureRow = (failure: FailedDelivery): FailedDeliveryRow => {
  const { subscriptionId, destinationId, seq, timestamp } = failure;
  const key = `${subscriptionId} ${seq} ${destinationId}`;
  const place = sortKeyOf(timePlace(timestamp), `${seq} ${destinationId}`);
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

/** Renders a failed delivery, with its event if that is still stored. */
export const renderFailedDelivery = ({ node, json }: ListedFailedDelivery): JsonObject => ({
  failingSubscriptionId: node['subscriptionId'] as Json,
  ...(json === null ? {} : { changeEvent: JSON.parse(json) as Json }),
  reason: node['reason'] as Json,
  retriesLeft: 0,
  timestamp: node['timestamp'] as Json,
});
