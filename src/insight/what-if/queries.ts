import type { RefNode } from '../../catalog/queries.ts';
import { statement } from '../../graph/statement.ts';

export const listDatabaseServices = statement<{ limit: number }, { node: RefNode }>('insight/whatif/list_services', {
  params: ['limit'],
  row: ['node'],
});
