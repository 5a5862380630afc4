import { CatalogError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';

/** A fault of a file as a whole (csv.md 6). */
export type FileFault = {
  readonly code: 'PARSER_FAILURE' | 'INVALID_HEADER';
  readonly reason: string;
  /** The number of records read, none of which is valid. */
  readonly processed?: number;
};

/** The result of an import that cannot start because its file is invalid. */
const abortedResult = ({ code, reason, processed = 0 }: FileFault, dryRun: boolean): JsonObject => ({
  dryRun,
  status: 'aborted',
  abortReason: `#${code}: ${reason}`,
  numberOfRowsProcessed: processed,
  numberOfRowsPassed: 0,
  numberOfRowsFailed: processed,
});

/** Builds the error for a refused file: 400 with the result that contains the reason. */
export const fileRefusedError = (fault: FileFault, dryRun: boolean, cause?: unknown): CatalogError => {
  const result = abortedResult(fault, dryRun);
  return new CatalogError('bad_request', String(result['abortReason']), { cause, result });
};
