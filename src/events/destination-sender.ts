import { type AssetUrlOf, buildChangeMessage, type ChangeMessage, MAX_ENTRIES } from '../messages/change-message.ts';
import { type EmailContent, renderEmail } from '../messages/email-message.ts';
import { renderGChatMessage } from '../messages/gchat-message.ts';
import { renderSlackMessage } from '../messages/slack-message.ts';
import { renderTeamsMessage } from '../messages/teams-message.ts';
import type { JsonObject } from '../model/json.ts';
import type { Destination } from '../model/schemas/events/destination.ts';
import type { SpanDescription, Tracing } from '../tracing/tracing.ts';
import type { DeliveryResult } from './delivery-result.ts';
import type { Mail, Mailer } from './mailer.ts';
import type { WebhookCaller } from './webhook-caller.ts';

/** Sends events to destinations, to each in the form that it reads. */

/** An event as its receiver may see it. */
export type SentEvent = {
  readonly seq: number;
  readonly id: string;
  readonly entityId: string;
  readonly json: string;
  /** The span that has caused the event, where it was traced. It is linked to the delivery and reaches no receiver. */
  readonly traceparent?: string;
};

/** One call of a delivery: to a destination, with the events that go there. */
export type DeliveryTarget = {
  /** Identifies the target among those of its subscription. */
  readonly key: string;
  readonly destination: Destination;
  readonly events: readonly SentEvent[];
  /** The address of mail. */
  readonly emailTo?: string;
  /** The address that ends such mails to their reader. */
  readonly endUrl?: string;
};

export type DestinationSender = {
  /** Sends events to a target; never throws. Fails at once when the signal is aborted. */
  send(target: DeliveryTarget, subscriptionName: string, signal: AbortSignal): Promise<DeliveryResult>;
  /** Closes the idle connections. */
  close(): void;
  /** What records the calls, where they are traced. */
  readonly tracing?: Tracing | undefined;
};

type DestinationSenderDeps = {
  readonly caller: WebhookCaller;
  /** Absent when no mail server is configured. */
  readonly mailer: Mailer | undefined;
  readonly assetUrlOf: AssetUrlOf;
  /** Records a span for each call. */
  readonly tracing: Tracing | undefined;
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
  const { destination, events, endUrl } = target;
  return {
    to,
    content,
    key: `${destination.id} ${events[0]?.id} ${events.at(-1)?.id}`,
    threadKey: threadKeyOf(target),
    listId: destination.id,
    ...(endUrl && { endUrl }),
  };
};

/** Splits destinations with several receivers into a target for each. */
export const toTargets = (destination: Destination, events: readonly SentEvent[]): readonly DeliveryTarget[] => {
  if (destination.type !== 'Email') return [{ key: destination.id, destination, events }];
  const receivers = new Set(destination.config?.receivers ?? []);
  return [...receivers].map((emailTo) => ({ key: `${destination.id} ${emailTo}`, destination, events, emailTo }));
};

const sendToTarget = async (
  { caller, mailer, assetUrlOf, tracing }: DestinationSenderDeps,
  target: DeliveryTarget,
  subscriptionName: string,
  signal: AbortSignal,
): Promise<DeliveryResult> => {
  const { destination, events, emailTo, endUrl } = target;
  if (emailTo === undefined) {
    const body = renderBody(target, subscriptionName, assetUrlOf);
    return caller.call(destination, body, signal, tracing?.headers());
  }
  if (!mailer) return { isOk: false, reason: 'No mail server is configured' };
  const message = buildMessage(events, subscriptionName, assetUrlOf);
  const content = renderEmail({ ...message, ...(endUrl && { endUrl }) });
  return mailer.send(toMail(target, emailTo, content), signal);
};

/** Describes a call without its address, which somebody has written and which often holds a token. */
const describeSending = ({ destination, events, emailTo }: DeliveryTarget): SpanDescription => {
  const attributes = { 'tributary.destination.type': destination.type, 'tributary.delivery.events': events.length };
  if (emailTo !== undefined) return { name: 'send mail', kind: 'client', attributes };
  const method = destination.config?.httpMethod ?? 'POST';
  return { name: method, kind: 'client', attributes: { ...attributes, 'http.request.method': method } };
};

export const createDestinationSender = (deps: DestinationSenderDeps): DestinationSender => ({
  send: (target, subscriptionName, signal) => {
    const { tracing } = deps;
    if (!tracing) return sendToTarget(deps, target, subscriptionName, signal);
    return tracing.child(describeSending(target), async (span) => {
      const result = await sendToTarget(deps, target, subscriptionName, signal);
      const { statusCode } = result;
      if (statusCode !== undefined && target.emailTo === undefined)
        span?.note({ 'http.response.status_code': statusCode });
      if (!result.isOk) span?.fail(statusCode);
      return result;
    });
  },
  close: () => {
    deps.caller.close();
    deps.mailer?.close();
  },
  tracing: deps.tracing,
});
