import { listOf, must, Num, oneOf, Ref, shape, Timestamp, Uuid } from '../../values.ts';

/** What a query cost in the period that begins at a moment, as collectors of query logs report it. */

/** The number of costs kept per query. */
export const MAX_QUERY_COSTS = 366;

const REPORTED = {
  timestamp: must(Timestamp),
  jsonSchema: oneOf(['queryCostRecord']),
  queryReference: must(Ref),
  cost: must(Num),
  count: must(Num),
  totalDuration: Num,
};

export const CreateQueryCost = shape('CreateQueryCostRecord', REPORTED);

export const QueryCost = shape('QueryCostRecord', {
  id: must(Uuid),
  ...REPORTED,
  updatedAt: must(Timestamp),
});

export const QueryCostList = shape('QueryCostRecordList', { data: must(listOf(QueryCost, MAX_QUERY_COSTS)) });
