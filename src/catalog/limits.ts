import type { Engine } from './engine.ts';

/**
 * The limits of one request and one transaction. A request changes at most `cascadeRows` descendants before its answer,
 * and records with very much content cannot share a transaction in any number. Runs, results and measurements have
 * limits of their own, because each is small and there may be very many. The other limits are times: for what one SQL text
 * means, for an answer about changes or many texts, and between the two times that an answer is made before it is kept.
 */
const DEFAULT_LIMITS = Object.freeze({
  cascadeRows: 10_000,
  batchRows: 1000,
  cascadeSeriesRows: 50_000,
  batchSeriesRows: 5000,
  sqlTextMs: 2000,
  questionMs: 30_000,
  confirmationMs: 500,
});

export type LimitOverrides = { readonly [Name in keyof typeof DEFAULT_LIMITS]?: number };

/** Returns the catalog's limits; `bounds` changes those that have no configuration setting. */
export const resolveLimits = (
  { bulkRows }: Pick<Engine['limits'], 'bulkRows'>,
  {
    cascadeRows,
    batchRows,
    cascadeSeriesRows,
    batchSeriesRows,
    sqlTextMs,
    questionMs,
    confirmationMs,
  }: LimitOverrides = {},
): Engine['limits'] => ({
  bulkRows,
  cascadeRows: cascadeRows ?? DEFAULT_LIMITS.cascadeRows,
  batchRows: batchRows ?? DEFAULT_LIMITS.batchRows,
  cascadeSeriesRows: cascadeSeriesRows ?? DEFAULT_LIMITS.cascadeSeriesRows,
  batchSeriesRows: batchSeriesRows ?? DEFAULT_LIMITS.batchSeriesRows,
  sqlTextMs: sqlTextMs ?? DEFAULT_LIMITS.sqlTextMs,
  questionMs: questionMs ?? DEFAULT_LIMITS.questionMs,
  confirmationMs: confirmationMs ?? DEFAULT_LIMITS.confirmationMs,
});
