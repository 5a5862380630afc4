/** The command was called wrongly: nothing was tried, and the process ends with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Mistakes in options, as `parseArgs` reports them, are mistakes in usage. */
export const isUsageMistake = (failure: unknown): failure is Error =>
  failure instanceof UsageError ||
  (failure instanceof Error && 'code' in failure && String(failure.code).startsWith('ERR_PARSE_ARGS'));
