import { type AssetUrlOf, buildChangeMessage, type ChangeMessage, MAX_ENTRIES } from '../messages/change-message.ts';
import { renderGChatMessage } from '../messages/gchat-message.ts';
import { renderSlackMessage } from '../messages/slack-message.ts';
import { renderTeamsMessage } from '../messages/teams-message.ts';
import type { JsonObject } from '../model/json.ts';
import type { Destination } from '../model/schemas/events/destination.ts';
import type { DeliveryResult } from './delivery-result.ts';
import type { WebhookCaller } from './webhook-caller.ts';

/** Sends events to destinations, to each in the form that it reads. */

/** An event as its receiver may see it. */
export type SentEvent = { readonly seq: number; readonly id: string; readonly entityId: string; readonly json: string };

/** One call of a delivery: to a destination, with the events that go there. */
export type DeliveryTarget = {
  /** Identifies the target among those of its subscription. */
  readonly key: string;
  readonly destination: Destination;
  readonly events: readonly SentEvent[];
};

export type DestinationSender = {
  /** Sends events to a target; never throws. Fails at once when the signal is aborted. */
  send(target: DeliveryTarget, subscriptionName: string, signal: AbortSignal): Promise<DeliveryResult>;
  /** Closes the idle connections. */
  close(): void;
};

type DestinationSenderDeps = { readonly caller: WebhookCaller; readonly assetUrlOf: AssetUrlOf };

const RENDERERS: Readonly<Record<string, (message: ChangeMessage) => string>> = {
  Slack: renderSlackMessage,
  MsTeams: renderTeamsMessage,
  GChat: renderGChatMessage,
};

/** Builds the content of a message. Only the events that it describes are parsed: events can be long. */
const buildMessage = (
  events: readonly SentEvent[],
  subscriptionName: string,
  assetUrlOf: AssetUrlOf,
): ChangeMessage => {
  const described = events.slice(0, MAX_ENTRIES).map(({ json }) => JSON.parse(json) as JsonObject);
  const assets = new Set(events.map(({ entityId }) => entityId)).size;
  return buildChangeMessage(described, { changes: events.length, assets, subscriptionName }, assetUrlOf);
};

const renderBody = (
  { destination, events }: DeliveryTarget,
  subscriptionName: string,
  assetUrlOf: AssetUrlOf,
): string => {
  const render = RENDERERS[destination.type];
  return render ? render(buildMessage(events, subscriptionName, assetUrlOf)) : (events[0]?.json ?? '');
};

export const createDestinationSender = ({ caller, assetUrlOf }: DestinationSenderDeps): DestinationSender => ({
  send: (target, subscriptionName, signal) =>
    caller.call(target.destination, renderBody(target, subscriptionName, assetUrlOf), signal),
  close: caller.close,
});
