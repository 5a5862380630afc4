/** Thrown for wrong usage: the command does nothing and the process exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Whether a failure is a usage error. Option errors from `parseArgs` count as such. */
export const isUsageMistake = (failure: unknown): failure is Error =>
  failure instanceof UsageError ||
  (failure instanceof Error && 'code' in failure && String(failure.code).startsWith('ERR_PARSE_ARGS'));
