import { randomUUID } from 'node:crypto';
import { badRequest, CatalogError, notFound } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { SubscriptionResources } from '../model/schemas/events/subscription.ts';
import { isUuid } from '../model/uuid.ts';
import { validate } from '../model/validate.ts';
import { bounded, Integer, listOf, must, NonEmptyText, oneOf, shape, Text, Timestamp, Uuid } from '../model/values.ts';
import {
  countMailSubscriptions,
  createMailSubscription,
  deleteMailSubscription,
  listMailSubscriptions,
  listMailSubscriptionsOfUser,
  type MailSubscriptionNode,
  readMailSubscription,
  updateMailSubscription,
} from './mail-subscription-queries.ts';
import { NOTABLE_EVENT_TYPES } from './notification-trigger.ts';
import { NOTIFICATION_REASONS } from './preferences.ts';
import { NOTIFICATION_PROGRESS } from './queries.ts';

/**
 * Mail subscriptions: a person's own choice to be mailed what arrives in their inbox because they own or follow it. They
 * only narrow the inbox and lead nowhere but to the person, so nobody needs a right to make one.
 */

const MAX_MAIL_SUBSCRIPTIONS = 10;
const MIN_PAUSE_SECONDS = 60;
const MAX_PAUSE_SECONDS = 7 * 86_400;
const DEFAULT_PAUSE_SECONDS = 300;
const MAX_NAME_LENGTH = 256;

const members = {
  resources: SubscriptionResources,
  eventTypes: listOf(oneOf(NOTABLE_EVENT_TYPES), 100),
  reasons: listOf(oneOf(NOTIFICATION_REASONS), 100),
  pollInterval: bounded(MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS),
};

export const MailSubscriptionRequest = shape('MailSubscriptionRequest', { name: must(NonEmptyText), ...members });

const MailSubscriptionStatus = shape('MailSubscriptionStatus', {
  mails: must(Integer),
  lastSuccessfulAt: Timestamp,
  lastFailedAt: Timestamp,
  lastFailedReason: Text,
});

export const MailSubscription = shape('MailSubscription', {
  id: must(Uuid),
  userId: must(Uuid),
  userName: must(Text),
  name: must(Text),
  ...members,
  createdAt: must(Timestamp),
  updatedAt: must(Timestamp),
  statusDetails: must(MailSubscriptionStatus),
});

const keepKnown = (known: readonly string[], wanted: readonly string[] | undefined): readonly string[] =>
  wanted === undefined || wanted.length === 0 ? known : known.filter((item) => wanted.includes(item));

/** Reads the values of a subscription from a body; members that it leaves out get their defaults. */
const parseValues = (body: Json, now: number): Readonly<Record<string, unknown>> => {
  const given = validate(MailSubscriptionRequest, body) as JsonObject & {
    readonly name: string;
    readonly eventTypes?: readonly string[];
    readonly reasons?: readonly string[];
  };
  if (given.name.length > MAX_NAME_LENGTH) throw badRequest(`[name size must be at most ${MAX_NAME_LENGTH}]`);
  return {
    name: given.name,
    resources: given['resources'] ?? [],
    eventTypes: keepKnown(NOTABLE_EVENT_TYPES, given.eventTypes),
    reasons: keepKnown(NOTIFICATION_REASONS, given.reasons),
    pollInterval: encodeProperty(given['pollInterval'] ?? DEFAULT_PAUSE_SECONDS),
    updatedAt: encodeProperty(now),
  };
};

const isPresent = ([, value]: readonly [string, unknown]): boolean => value !== null && value !== undefined;

export const renderMailSubscription = (node: MailSubscriptionNode): JsonObject => {
  const { id, userId, name, resources, eventTypes, reasons, pollInterval, createdAt, updatedAt } = node;
  const { mails, lastSuccessfulAt, lastFailedAt, lastFailedReason } = node;
  const status = Object.entries({ mails, lastSuccessfulAt, lastFailedAt, lastFailedReason }).filter(isPresent);
  return {
    id,
    userId,
    userName: node.userName ?? '',
    name,
    resources,
    eventTypes,
    reasons,
    pollInterval,
    createdAt,
    updatedAt,
    statusDetails: Object.fromEntries(status) as JsonObject,
  };
};

const mailSubscriptionNotFound = (id: string) => notFound(`mailSubscription instance for ${id} not found`);

/** Creates a subscription of a person. Throws bad_request when the person has as many as are allowed. */
export const addMailSubscription = async (
  graph: Graph,
  userId: string,
  body: Json,
  now: number,
): Promise<MailSubscriptionNode> => {
  const values = { ...parseValues(body, now), id: randomUUID(), createdAt: encodeProperty(now) };
  const [row] = await graph.write((transaction) =>
    transaction.run(createMailSubscription, {
      userId,
      progress: NOTIFICATION_PROGRESS,
      most: MAX_MAIL_SUBSCRIPTIONS,
      values,
    }),
  );
  if (!row) throw new CatalogError('conflict', `You have ${MAX_MAIL_SUBSCRIPTIONS} mail subscriptions already`);
  return row.node;
};

/** Replaces what a subscription of a person mails. Throws not_found for those of others. */
export const replaceMailSubscription = async (
  graph: Graph,
  userId: string,
  text: string,
  body: Json,
  now: number,
): Promise<MailSubscriptionNode> => {
  const [id, values] = [text.toLowerCase(), parseValues(body, now)];
  const [row] = isUuid(id)
    ? await graph.write((transaction) => transaction.run(updateMailSubscription, { userId, id, values }))
    : [];
  if (!row) throw mailSubscriptionNotFound(text);
  return row.node;
};

/** Who looks at subscriptions: people see their own, administrators those of everybody. */
type MailSubscriptionReader = { readonly id: string; readonly isAdmin: boolean };

export const findMailSubscription = async (
  graph: Graph,
  reader: MailSubscriptionReader,
  text: string,
): Promise<MailSubscriptionNode> => {
  const id = text.toLowerCase();
  const [row] = isUuid(id) ? await graph.read(readMailSubscription, { id }) : [];
  if (!row || (row.node.userId !== reader.id && !reader.isAdmin)) throw mailSubscriptionNotFound(text);
  return row.node;
};

/** Ends a subscription and returns it as it was. */
export const endMailSubscription = async (
  graph: Graph,
  reader: MailSubscriptionReader,
  text: string,
): Promise<MailSubscriptionNode> => {
  const node = await findMailSubscription(graph, reader, text);
  const [row] = await graph.write((transaction) => transaction.run(deleteMailSubscription, { id: node.id }));
  if (row?.removed !== 1) throw mailSubscriptionNotFound(text);
  return node;
};

export const listOwnMailSubscriptions = async (
  graph: Graph,
  userId: string,
): Promise<readonly MailSubscriptionNode[]> =>
  (await graph.read(listMailSubscriptionsOfUser, { userId })).map(({ node }) => node);

/** A page of the subscriptions of everybody, with the number of all of them. */
export const listAllMailSubscriptions = async (graph: Graph, edge: string, limit: number) => {
  const [rows, [counted]] = await Promise.all([
    graph.read(listMailSubscriptions, { edge, limit: limit + 1 }),
    graph.read(countMailSubscriptions, {}),
  ]);
  const nodes = rows.slice(0, limit).map(({ node }) => node);
  return { nodes, next: rows.length > limit ? nodes.at(-1)?.id : undefined, total: counted?.total ?? 0 };
};
