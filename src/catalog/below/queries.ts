import { template } from '../../graph/statement.ts';

/** A record from which an edge leads to another one, if there is any. */
export const findIncoming = template<{ id: string }, { name: string }>('edge/find_incoming', 'TYPE', {
  params: ['id'],
  row: ['name'],
});
