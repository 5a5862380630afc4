import { statement } from '../graph/statement.ts';

type PrincipalName = { readonly name: string; readonly teamFqn: string; readonly userFqn: string };

export const findBotUsers = statement<{ rows: readonly { at: number; fqn: string }[] }, { at: number }>(
  'subscriptions/read_bot_users',
  {
    params: ['rows'],
    row: ['at'],
  },
);

export const findMembershipNamesOfOwners = statement<
  { rows: readonly { at: number; ownerId: string; names: readonly PrincipalName[] }[] },
  { at: number; names: readonly string[] }
>('subscriptions/read_memberships', { params: ['rows'], row: ['at', 'names'] });

/** A person who can get mail. */
export type MailPerson = { readonly userId: string; readonly name: string; readonly email: string };

/** A record, and the event that removed it if it is removed. */
type RelatedRecordKey = { readonly at: number; readonly entityId: string; readonly deletionId: string | null };

export const listRelatedPeople = statement<
  {
    readonly subscriptionId: string;
    readonly rows: readonly RelatedRecordKey[];
    readonly owners: boolean;
    readonly followers: boolean;
    readonly limit: number;
  },
  MailPerson & { readonly positions: readonly number[] }
>('subscriptions/list_related_people', {
  params: ['subscriptionId', 'rows', 'owners', 'followers', 'limit'],
  row: ['userId', 'name', 'email', 'positions'],
});

export const listNamedPeople = statement<
  {
    readonly subscriptionId: string;
    readonly names: readonly string[];
    readonly teams: readonly string[];
    readonly admins: boolean;
    readonly limit: number;
  },
  MailPerson
>('subscriptions/list_named_people', {
  params: ['subscriptionId', 'names', 'teams', 'admins', 'limit'],
  row: ['userId', 'name', 'email'],
});
