import type { Engine } from './engine.ts';

/**
 * How much is changed within one request and by one transaction: more records than this below another are not changed
 * before the answer, and records that hold so much cannot be changed by one transaction in any number. What was told of
 * runs, results and measurements is small, and there may be very much of it.
 */
const DEFAULT_LIMITS = Object.freeze({
  cascadeRows: 10_000,
  batchRows: 1000,
  cascadeSeriesRows: 50_000,
  batchSeriesRows: 5000,
});

export type LimitOverrides = { readonly [Name in keyof typeof DEFAULT_LIMITS]?: number };

/** The limits that the catalog works with; `bounds` narrows those that nobody sets from outside. */
export const resolveLimits = (
  { bulkRows }: Pick<Engine['limits'], 'bulkRows'>,
  { cascadeRows, batchRows, cascadeSeriesRows, batchSeriesRows }: LimitOverrides = {},
): Engine['limits'] => ({
  bulkRows,
  cascadeRows: cascadeRows ?? DEFAULT_LIMITS.cascadeRows,
  batchRows: batchRows ?? DEFAULT_LIMITS.batchRows,
  cascadeSeriesRows: cascadeSeriesRows ?? DEFAULT_LIMITS.cascadeSeriesRows,
  batchSeriesRows: batchSeriesRows ?? DEFAULT_LIMITS.batchSeriesRows,
});
