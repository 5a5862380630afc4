import * as v from 'valibot';
import { badRequest } from '../../../errors.ts';
import { isObject, type Json, type JsonObject, member } from '../../json.ts';
import type { ShownRecord } from '../../kind/attribute.ts';
import { dropNulls } from '../../validate.ts';
import {
  bounded,
  defaulting,
  Flag,
  FreeForm,
  Integer,
  listOf,
  MAX_SHORT_TEXT,
  must,
  NonEmptyText,
  oneOf,
  shape,
  Text,
  Uuid,
} from '../../values.ts';

/** The schema of destinations: where subscriptions deliver change events (events.md 4.1). */

const DESTINATION_CATEGORIES = [
  'Users',
  'Teams',
  'Admins',
  'Assignees',
  'Owners',
  'Mentions',
  'Followers',
  'External',
] as const;

const DESTINATION_TYPES = [
  'Webhook',
  'Slack',
  'MsTeams',
  'GChat',
  'Email',
  'ActivityFeed',
  'GovernanceWorkflowChangeEvent',
] as const;

/** The audience of a destination of type ActivityFeed. */
const FEED_CATEGORIES: readonly string[] = ['Owners', 'Followers', 'Users', 'Admins'];

const AUTH_TYPES = ['none', 'bearer', 'oauth2'] as const;

const WebhookAuthType = shape('WebhookAuth', {
  type: must(oneOf(AUTH_TYPES)),
  secretKey: NonEmptyText,
  tokenUrl: Text,
  clientId: Text,
  clientSecret: Text,
  scope: Text,
});

const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol) && new URL(text).hostname !== '';

const WebhookEndpoint = v.pipe(
  NonEmptyText,
  v.check(isHttpUrl, 'must be an address starting with http:// or https://'),
);

/** Headers that the delivery sets itself, or that belong to the connection rather than the message. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'user-agent',
  'upgrade',
  'x-om-signature',
]);

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const MAX_TEXT_MAP_SIZE = 50;

/** An object of short texts. Numbers and booleans are converted to text. */
const textMap = (isName: (name: string) => boolean, isValue: (value: string) => boolean, expected: string) =>
  v.pipe(
    v.custom<JsonObject>((input) => isObject(input as Json), 'must be an object'),
    v.transform((input) =>
      Object.fromEntries(
        Object.entries(dropNulls(input) as JsonObject).map(([name, value]) => [
          name,
          typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
        ]),
      ),
    ),
    v.check(
      (input) => Object.keys(input).length <= MAX_TEXT_MAP_SIZE,
      `must have at most ${MAX_TEXT_MAP_SIZE} members`,
    ),
    v.check(
      (input) =>
        Object.entries(input).every(
          ([name, value]) =>
            isName(name) && typeof value === 'string' && value.length <= MAX_SHORT_TEXT && isValue(value),
        ),
      expected,
    ),
  );

const WebhookHeaders = textMap(
  (name) => HEADER_NAME.test(name) && !RESERVED_HEADERS.has(name.toLowerCase()),
  (value) => HEADER_VALUE.test(value),
  'must be headers by name, without those that every request has',
);
const WebhookQueryParams = textMap(
  (name) => name !== '',
  () => true,
  'must be texts by name',
);

/** The configuration of a webhook. Older clients put the secret directly here. */
const WebhookConfig = shape('Webhook', {
  endpoint: WebhookEndpoint,
  headers: WebhookHeaders,
  queryParams: WebhookQueryParams,
  httpMethod: oneOf(['POST', 'PUT']),
  receivers: listOf(NonEmptyText, 1000),
  sendToAdmins: Flag,
  sendToOwners: Flag,
  sendToFollowers: Flag,
  authType: WebhookAuthType,
  secretKey: NonEmptyText,
});

/** Clients send null for members that they leave unset, here as well. */
const DestinationConfig = v.pipe(
  FreeForm,
  v.transform((config): Record<string, unknown> => ({ ...(dropNulls(config) as JsonObject) })),
  WebhookConfig,
);

const Destination = shape('Destination', {
  id: Uuid,
  category: must(oneOf(DESTINATION_CATEGORIES)),
  type: must(oneOf(DESTINATION_TYPES)),
  statusDetails: FreeForm,
  timeout: defaulting(bounded(1, 60), 10),
  readTimeout: defaulting(bounded(1, 120), 12),
  enabled: defaulting(Flag, true),
  config: DestinationConfig,
  notifyDownstream: defaulting(Flag, false),
  downstreamDepth: bounded(1, 50),
});

export const Destinations = listOf(Destination, 10);

/** A destination as it is stored. */
export type Destination = {
  readonly id: string;
  readonly category: (typeof DESTINATION_CATEGORIES)[number];
  readonly type: (typeof DESTINATION_TYPES)[number];
  readonly timeout: number;
  readonly readTimeout: number;
  readonly enabled: boolean;
  readonly config?: WebhookConfig;
};

export type WebhookConfig = {
  readonly endpoint?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly queryParams?: Readonly<Record<string, string>>;
  readonly httpMethod?: 'POST' | 'PUT';
  readonly receivers?: readonly string[];
  readonly authType?: { readonly type: (typeof AUTH_TYPES)[number]; readonly secretKey?: string };
  readonly secretKey?: string;
};

/** The types of destinations that the delivery calls over HTTP with messages for people. */
const CHAT_TYPES: readonly string[] = ['Slack', 'MsTeams', 'GChat'];

type Typed = Pick<Destination, 'type'>;

const isWebhook = ({ type }: Typed): boolean => type === 'Webhook';

/** Whether a destination gets messages for people, which may tell of many events at once. */
export const isMessageDestination = ({ type }: Typed): boolean => type === 'Email' || CHAT_TYPES.includes(type);

/** Whether the delivery sends events to a destination. The inbox is written apart. */
export const isCalledDestination = (destination: Typed): boolean =>
  isWebhook(destination) || isMessageDestination(destination);

const checkWebhook = ({ category, type, config }: Destination, name: string) => {
  if (category !== 'External') throw badRequest(`[${name}.category must be External for ${type}]`);
  if (config?.endpoint === undefined) throw badRequest(`[${name}.config.endpoint must not be null]`);
  const { authType } = config;
  if (authType?.type === 'oauth2') throw badRequest(`[${name}.config.authType.type must be none or bearer]`);
  if (authType?.type === 'bearer' && authType.secretKey === undefined) {
    throw badRequest(`[${name}.config.authType.secretKey must not be null]`);
  }
};

/** Every receiver gets a mail of their own. */
const MAX_EMAIL_RECEIVERS = 100;
const EMAIL_ADDRESS = /^[^\s@<>,;:"()[\]\\\p{Cc}]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/iu;

/** The people to whom mail goes: those of the asset and all administrators, or the users or teams that are named. */
const RELATED_MAIL_CATEGORIES: readonly string[] = ['Owners', 'Followers', 'Admins'];
const NAMED_MAIL_CATEGORIES: readonly string[] = ['Users', 'Teams'];

/** Whether mail goes to people of the catalog, and not to fixed addresses. */
export const isMailedToPeople = ({ category, type }: Pick<Destination, 'category' | 'type'>): boolean =>
  type === 'Email' && category !== 'External';

const checkReceiverCount = (receivers: readonly string[], name: string, what: string) => {
  if (receivers.length > 0 && receivers.length <= MAX_EMAIL_RECEIVERS) return;
  throw badRequest(`[${name}.config.receivers must have 1 to ${MAX_EMAIL_RECEIVERS} ${what}]`);
};

const checkEmail = ({ category, config }: Destination, name: string) => {
  const receivers = config?.receivers ?? [];
  if (RELATED_MAIL_CATEGORIES.includes(category)) return;
  if (NAMED_MAIL_CATEGORIES.includes(category)) return checkReceiverCount(receivers, name, `names of ${category}`);
  if (category !== 'External') {
    const allowed = ['External', ...RELATED_MAIL_CATEGORIES, ...NAMED_MAIL_CATEGORIES].join(', ');
    throw badRequest(`[${name}.category must be one of ${allowed} for Email]`);
  }
  checkReceiverCount(receivers, name, 'e-mail addresses');
  receivers.forEach((receiver, index) => {
    if (receiver.length > MAX_SHORT_TEXT || !EMAIL_ADDRESS.test(receiver))
      throw badRequest(`[${name}.config.receivers.${index} must be an e-mail address]`);
  });
};

const checkDestination = (destination: Destination, name: string) => {
  const { category, type } = destination;
  if (isWebhook(destination) || CHAT_TYPES.includes(type)) return checkWebhook(destination, name);
  if (type === 'Email') return checkEmail(destination, name);
  if (type === 'ActivityFeed' && FEED_CATEGORIES.includes(category)) return;
  throw badRequest(
    `[${name} must be External with Webhook, ${CHAT_TYPES.join(', ')}, Email, or ${FEED_CATEGORIES.join(', ')} with ActivityFeed]`,
  );
};

/** A subscription has one position, at which either one event or many are delivered together. */
const checkGrouping = (destinations: readonly Destination[]) => {
  if (!destinations.some(isWebhook) || !destinations.some(isMessageDestination)) return;
  throw badRequest('[destinations must not have a Webhook beside messages: make a subscription for each]');
};

export const destinationsOf = (values: JsonObject): readonly Destination[] =>
  (values['destinations'] ?? []) as unknown as readonly Destination[];

/** Refuses destinations that nothing can be delivered to. */
export const checkDestinations = (candidate: JsonObject): void => {
  const destinations = destinationsOf(candidate);
  destinations.forEach((destination, index) => {
    checkDestination(destination, `destinations.${index}`);
  });
  checkGrouping(destinations);
  if (new Set(destinations.map(({ id }) => id)).size < destinations.length) {
    throw badRequest('[destinations must not have two items of one id]');
  }
};

/** The address that stands for sending mail. */
const MAIL_URL = 'mailto:';

/** Answers the URLs that a subscription calls; that of mail leads to the mail server of the configuration. */
export const endpointsOfSubscription = (values: JsonObject): readonly string[] =>
  destinationsOf(values).flatMap(({ type, config }) => {
    if (type === 'Email') return [MAIL_URL];
    return config?.endpoint === undefined ? [] : [config.endpoint];
  });

const withoutSecretKey = (config: JsonObject): JsonObject => {
  const { secretKey: _, ...shown } = config;
  return shown as JsonObject;
};

/** Answers the delivery status of a destination. */
const destinationStatus = (destination: JsonObject, isEnabled: boolean, known: Json | undefined): Json => {
  const status = isObject(known) ? known : { status: 'active' };
  return isEnabled && destination['enabled'] !== false ? status : { ...status, status: 'disabled' };
};

/** Builds destinations for an answer: without secrets that may not be returned, and with their delivery status. */
export const showDestinations = (value: Json, { values, computed }: ShownRecord): Json => {
  const statuses = isObject(computed?.['statuses']) ? computed['statuses'] : {};
  return (value as readonly JsonObject[]).map((destination) => {
    const { config, id } = destination;
    const status = destinationStatus(destination, values['enabled'] !== false, member(statuses, String(id)));
    return {
      ...destination,
      ...(isObject(config) ? { config: withoutSecretKey(config) } : {}),
      ...(computed ? { statusDetails: status } : {}),
    };
  });
};

export const DESTINATION_STATUSES = ['disabled', 'failed', 'retryLimitReached', 'awaitingRetry', 'active'] as const;

/** The delivery status of one destination. */
export const SubscriptionStatus = shape('SubscriptionStatus', {
  status: must(oneOf(DESTINATION_STATUSES)),
  lastSuccessfulAt: Integer,
  lastFailedAt: Integer,
  lastFailedStatusCode: Integer,
  lastFailedReason: Text,
  nextAttempt: Integer,
  timestamp: Integer,
});
