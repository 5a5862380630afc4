import { CatalogError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';

/** What is wrong with a file as a whole (csv.md 6). */
export type FileFault = {
  readonly code: 'PARSER_FAILURE' | 'INVALID_HEADER';
  readonly reason: string;
  /** How many records were looked at, of which none is any good. */
  readonly processed?: number;
};

/** The result of an import that does not begin, because its file is none. */
const abortedResult = ({ code, reason, processed = 0 }: FileFault, dryRun: boolean): JsonObject => ({
  dryRun,
  status: 'aborted',
  abortReason: `#${code}: ${reason}`,
  numberOfRowsProcessed: processed,
  numberOfRowsPassed: 0,
  numberOfRowsFailed: processed,
});

/** Refuses a file as a whole: 400, with the result that says why. */
export const fileRefusedError = (fault: FileFault, dryRun: boolean, cause?: unknown): CatalogError => {
  const result = abortedResult(fault, dryRun);
  return new CatalogError('bad_request', String(result['abortReason']), { cause, result });
};
