import { declareVariants } from './statement.ts';

/** The variants that several rooms declare statements with. */

/** The order of a sort key, and the comparison that holds for what comes after a position in that order. */
export const SORT_ORDERS = declareVariants({
  ascending: { ORDER: '', AFTER: '>', BEFORE: '<' },
  descending: { ORDER: ' DESC', AFTER: '<', BEFORE: '>' },
});

/** The direction of an edge: the ends of its arrow, seen from the record on the left. */
export const EDGE_DIRECTIONS = declareVariants({
  outgoing: { IN: '', OUT: '>' },
  incoming: { IN: '<', OUT: '' },
});
