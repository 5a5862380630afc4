import { statement } from '../graph/statement.ts';

type Named = { readonly name: string; readonly teamFqn: string; readonly userFqn: string };

export const readBots = statement<{ rows: readonly { at: number; fqn: string }[] }, { at: number }>('user/read_bot', {
  params: ['rows'],
  row: ['at'],
});

export const readMemberships = statement<
  { rows: readonly { at: number; ownerId: string; names: readonly Named[] }[] },
  { at: number; names: readonly string[] }
>('team/read_membership', { params: ['rows'], row: ['at', 'names'] });
