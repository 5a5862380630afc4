import { type AssetUrlOf, buildChangeMessage, type ChangeMessage, MAX_ENTRIES } from '../messages/change-message.ts';
import { type EmailContent, renderEmail } from '../messages/email-message.ts';
import { renderGChatMessage } from '../messages/gchat-message.ts';
import { renderSlackMessage } from '../messages/slack-message.ts';
import { renderTeamsMessage } from '../messages/teams-message.ts';
import type { JsonObject } from '../model/json.ts';
import type { Destination } from '../model/schemas/events/destination.ts';
import type { DeliveryResult } from './delivery-result.ts';
import type { Mail, Mailer } from './mailer.ts';
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
  /** The address of mail. */
  readonly emailTo?: string;
};

export type DestinationSender = {
  /** Sends events to a target; never throws. Fails at once when the signal is aborted. */
  send(target: DeliveryTarget, subscriptionName: string, signal: AbortSignal): Promise<DeliveryResult>;
  /** Closes the idle connections. */
  close(): void;
};

type DestinationSenderDeps = {
  readonly caller: WebhookCaller;
  /** Absent when no mail server is configured. */
  readonly mailer: Mailer | undefined;
  readonly assetUrlOf: AssetUrlOf;
};

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

/** A thread holds the mails about one asset, or those of a destination about several. */
const threadKeyOf = ({ destination, events }: DeliveryTarget): string => {
  const [first] = events;
  return events.every(({ entityId }) => entityId === first?.entityId) ? (first?.entityId ?? '') : destination.id;
};

const toMail = (target: DeliveryTarget, to: string, content: EmailContent): Mail => {
  const { destination, events } = target;
  return {
    to,
    content,
    key: `${destination.id} ${events[0]?.id} ${events.at(-1)?.id}`,
    threadKey: threadKeyOf(target),
    listId: destination.id,
  };
};

/** Splits destinations with several receivers into a target for each. */
export const toTargets = (destination: Destination, events: readonly SentEvent[]): readonly DeliveryTarget[] => {
  if (destination.type !== 'Email') return [{ key: destination.id, destination, events }];
  const receivers = new Set(destination.config?.receivers ?? []);
  return [...receivers].map((emailTo) => ({ key: `${destination.id} ${emailTo}`, destination, events, emailTo }));
};

export const createDestinationSender = ({ caller, mailer, assetUrlOf }: DestinationSenderDeps): DestinationSender => ({
  send: async (target, subscriptionName, signal) => {
    const { destination, events, emailTo } = target;
    if (emailTo === undefined)
      return caller.call(destination, renderBody(target, subscriptionName, assetUrlOf), signal);
    if (!mailer) return { isOk: false, reason: 'No mail server is configured' };
    const content = renderEmail(buildMessage(events, subscriptionName, assetUrlOf));
    return mailer.send(toMail(target, emailTo, content), signal);
  },
  close: () => {
    caller.close();
    mailer?.close();
  },
});
