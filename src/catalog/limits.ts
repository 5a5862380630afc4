import type { Engine } from './engine.ts';

/**
 * How much is changed within one request and by one transaction: more records than this below another are not changed
 * before the answer, and records that hold so much cannot be changed by one transaction in any number. What was told of
 * runs, results and measurements is small, and there may be very much of it.
 */
const LIMITS = Object.freeze({ cascadeRows: 10_000, batchRows: 1000, cascadeParts: 50_000, batchParts: 5000 });

export type Bounds = { readonly [Name in keyof typeof LIMITS]?: number };

/** The limits that the catalog works with; `bounds` narrows those that nobody sets from outside. */
export const limitsOf = (
  { bulkRows }: Pick<Engine['limits'], 'bulkRows'>,
  { cascadeRows, batchRows, cascadeParts, batchParts }: Bounds = {},
): Engine['limits'] => ({
  bulkRows,
  cascadeRows: cascadeRows ?? LIMITS.cascadeRows,
  batchRows: batchRows ?? LIMITS.batchRows,
  cascadeParts: cascadeParts ?? LIMITS.cascadeParts,
  batchParts: batchParts ?? LIMITS.batchParts,
});
