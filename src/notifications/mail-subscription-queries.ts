import { type IndexedRows, statement } from '../graph/statement.ts';
import type { NotificationNode } from './queries.ts';

/** A mail subscription as its node stores it, with the name of its person. */
export type MailSubscriptionNode = {
  readonly id: string;
  readonly userId: string;
  readonly userName: string | null;
  readonly name: string;
  readonly resources: readonly string[];
  readonly eventTypes: readonly string[];
  readonly reasons: readonly string[];
  /** The seconds between two mails. */
  readonly pollInterval: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The number of the last event that it has considered. */
  readonly seq: number;
  /** How many mails were sent. */
  readonly mails: number;
  /** How often the present mail was refused. */
  readonly attempts?: number | null;
  readonly lastSuccessfulAt?: number | null;
  readonly lastFailedAt?: number | null;
  readonly lastFailedReason?: string | null;
};

type MailSubscriptionRow = { readonly node: MailSubscriptionNode };
type SubscriptionValues = { readonly values: Readonly<Record<string, unknown>> };

export const createMailSubscription = statement<
  { readonly userId: string; readonly progress: string; readonly most: number } & SubscriptionValues,
  MailSubscriptionRow
>('notifications/create_mail_subscription', { params: ['userId', 'progress', 'most', 'values'], row: ['node'] });
export const updateMailSubscription = statement<
  { readonly userId: string; readonly id: string } & SubscriptionValues,
  MailSubscriptionRow
>('notifications/update_mail_subscription', { params: ['userId', 'id', 'values'], row: ['node'] });
export const listMailSubscriptionsOfUser = statement<{ readonly userId: string }, MailSubscriptionRow>(
  'notifications/list_mail_subscriptions_of_user',
  { params: ['userId'], row: ['node'] },
);
export const listMailSubscriptions = statement<{ readonly edge: string; readonly limit: number }, MailSubscriptionRow>(
  'notifications/list_mail_subscriptions',
  { params: ['edge', 'limit'], row: ['node'] },
);
export const countMailSubscriptions = statement<Record<never, never>, { total: number }>(
  'notifications/count_mail_subscriptions',
  { params: [], row: ['total'] },
);
export const readMailSubscription = statement<{ readonly id: string }, MailSubscriptionRow>(
  'notifications/read_mail_subscription',
  { params: ['id'], row: ['node'] },
);
export const deleteMailSubscription = statement<{ readonly id: string }, { removed: number }>(
  'notifications/delete_mail_subscription',
  { params: ['id'], row: ['removed'] },
);
export const deleteMailSubscriptionsOfUsers = statement<{ readonly userIds: readonly string[] }, { removed: number }>(
  'notifications/delete_mail_subscriptions_of_users',
  { params: ['userIds'], row: ['removed'] },
);

export const markDueMailSubscriptions = statement<{ readonly userIds: readonly string[] }, { marked: number }>(
  'notifications/update_due_mail_subscriptions',
  { params: ['userIds'], row: ['marked'] },
);

/** A mail subscription with something to mail, and whether mail can reach its person. */
export type DueMailSubscription = MailSubscriptionRow & {
  /** The number of the event up to which all notifications are written. */
  readonly head: number;
  readonly email: string | null;
  readonly isReachable: boolean;
};
export const listDueMailSubscriptions = statement<
  { readonly progress: string; readonly limit: number },
  DueMailSubscription
>('notifications/list_due_mail_subscriptions', {
  params: ['progress', 'limit'],
  row: ['node', 'head', 'email', 'isReachable'],
});

type MailableKey = {
  readonly userId: string;
  readonly after: number;
  readonly reasons: readonly string[];
  readonly entityTypes: readonly string[] | null;
  readonly eventTypes: readonly string[] | null;
};
export const listMailableNotifications = statement<
  IndexedRows<MailableKey> & { readonly limit: number },
  { readonly at: number; readonly note: NotificationNode }
>('notifications/list_mailable_notifications', { params: ['rows', 'limit'], row: ['at', 'note'] });

/** What became of the mail of one subscription. */
export type MailedRow = {
  readonly id: string;
  readonly changes: Readonly<Record<string, unknown>>;
  readonly mails: number;
  /** The delay of the next attempt; null when the mail is done. */
  readonly retryMs: unknown;
};
export const saveMailedSubscriptions = statement<IndexedRows<MailedRow>, { readonly at: number }>(
  'notifications/update_mailed_subscriptions',
  { params: ['rows'], row: ['at'] },
);
