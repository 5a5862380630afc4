/** The outcome of the tests of a contract, as its result contains it. */
export type QualityValidation = {
  readonly passed: number;
  readonly failed: number;
  readonly total: number;
  readonly qualityScore?: number;
};

/** Counts tests by the status of their latest result; tests without a final status are pending. */
export const tallyQuality = (
  statuses: readonly (string | undefined)[],
): { readonly qualityValidation: QualityValidation; readonly pending: number } => {
  const passed = statuses.filter((status) => status === 'Success').length;
  const failed = statuses.filter((status) => status === 'Failed' || status === 'Aborted').length;
  const counts = { passed, failed, total: statuses.length };
  const judged = passed + failed;
  return {
    qualityValidation: judged === 0 ? counts : { ...counts, qualityScore: (100 * passed) / judged },
    pending: statuses.length - judged,
  };
};
