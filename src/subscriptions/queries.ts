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
