import type { WriteStatementRow, WriteStep } from '../../graph/group-commit.ts';
import { declareVariants, statement } from '../../graph/statement.ts';
import { createStep, STEP_ORDER } from './step.ts';

/**
 * Edges of lineage are counted in the transaction that changes them, or changes what they count for: between services,
 * domains and data products. A change takes the edges out of the counts first and counts them again at its end.
 */

const shape = { params: ['rows'], row: ['at'] } as const;

type CountParams = { readonly rows: readonly WriteStatementRow[] };

const claimEdges = statement<CountParams, { at: number }>('catalog/supplies/claim_edges', shape);

const COUNTING = declareVariants({
  add: { SIGN: '1', WHICH: 'true', MARK: 'edge.awaitsCount = null, edge.isCounted = true' },
  subtract: { SIGN: '-1', WHICH: 'edge.isCounted', MARK: 'edge.isCounted = null' },
});

const addEdges = statement<CountParams, { at: number }>('catalog/supplies/update_counts', shape, COUNTING.add);
const subtractEdges = statement<CountParams, { at: number }>(
  'catalog/supplies/update_counts',
  shape,
  COUNTING.subtract,
);

/** The ends of an edge of lineage. */
type EdgeEnds = { readonly from: string; readonly to: string };

/** A write needs the statement that counts only once, however many edges it changes. */
const ONCE: readonly WriteStatementRow[] = [{}];

/** Counts the edges that a write creates. */
export const planCount = (): WriteStep => createStep(addEdges, STEP_ORDER.countEdges, ONCE);

/** Counts edges again: those around some records, whatever a write changes about these, and single ones. */
export const planRecount = (ids: readonly string[], edges: readonly EdgeEnds[] = []): WriteStep[] =>
  ids.length + edges.length === 0
    ? []
    : [
        createStep(claimEdges, STEP_ORDER.claimEdges, [...ids.map((id) => ({ id })), ...edges]),
        createStep(subtractEdges, STEP_ORDER.subtractEdges, ONCE),
        planCount(),
      ];
