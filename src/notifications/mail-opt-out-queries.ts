import { statement } from '../graph/statement.ts';

/** An event subscription whose mails a person has ended. Its name is known to the person: the mails show it. */
export type MailOptOutRow = { readonly id: string; readonly name: string; readonly createdAt: number };

type MailOptOutKey = { readonly userId: string; readonly subscriptionId: string };

export const createMailOptOut = statement<MailOptOutKey, { readonly id: string }>('notifications/create_mail_opt_out', {
  params: ['userId', 'subscriptionId'],
  row: ['id'],
});
export const deleteMailOptOut = statement<MailOptOutKey, MailOptOutRow>('notifications/delete_mail_opt_out', {
  params: ['userId', 'subscriptionId'],
  row: ['id', 'name', 'createdAt'],
});
export const readMailOptOut = statement<MailOptOutKey, { readonly name: string; readonly isOptedOut: boolean }>(
  'notifications/read_mail_opt_out',
  { params: ['userId', 'subscriptionId'], row: ['name', 'isOptedOut'] },
);
export const listMailOptOuts = statement<
  { readonly userId: string; readonly edge: string; readonly limit: number },
  MailOptOutRow
>('notifications/list_mail_opt_outs', { params: ['userId', 'edge', 'limit'], row: ['id', 'name', 'createdAt'] });
export const countMailOptOuts = statement<{ readonly userId: string }, { readonly total: number }>(
  'notifications/count_mail_opt_outs',
  { params: ['userId'], row: ['total'] },
);
