import { badRequest, CatalogError } from '../errors.ts';
import { createSerial } from '../graph/serial.ts';
import { isObject, type Json, type JsonObject, member } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import type { Engine, Writer } from './engine.ts';
import { putRecord } from './write.ts';

/** The answer of every operation over many rows (conventions 13). */
export type BulkResult = JsonObject;

export type Passed = { readonly request: Json; readonly status: number };
export type Failed = Passed & { readonly message: string };

/** A row that fails for any reason of its own is a 400, unless the caller may not do it. */
export const rowFailure = (row: Json, failure: unknown): Failed => {
  if (!(failure instanceof CatalogError) || failure.status >= 500) throw failure;
  return { request: row, status: failure.code === 'forbidden' ? 403 : 400, message: failure.message };
};

export const bulkResult = (passed: readonly Passed[], failed: readonly Failed[], dryRun: boolean): BulkResult => ({
  dryRun,
  status: failed.length === 0 ? 'success' : passed.length === 0 ? 'failure' : 'partialSuccess',
  numberOfRowsProcessed: passed.length + failed.length,
  numberOfRowsPassed: passed.length,
  numberOfRowsFailed: failed.length,
  successRequest: passed as unknown as Json,
  failedRequest: failed as unknown as Json,
});

/** Rows of one name are applied in the order they were sent: the first creates, the rest update. */
const rowName = (kind: Kind, row: Json): string => {
  if (!isObject(row)) return '';
  return JSON.stringify([member(row, 'name'), ...kind.parents.map((parent) => member(row, parent.field))]);
};

/**
 * PUT bulk: every row stands on its own. The rows go through the same path as a single PUT; because they arrive
 * together, their look-ups share queries and their writes share transactions.
 */
export const putBulk = async (
  engine: Engine,
  writer: Writer,
  body: unknown,
  overrideMetadata: boolean,
): Promise<BulkResult> => {
  if (!Array.isArray(body)) throw badRequest('[body must be a list]');
  if (body.length > engine.limits.bulkRows) {
    throw new CatalogError('payload_too_large', `[body must have at most ${engine.limits.bulkRows} rows]`);
  }
  const putRow = async (row: Json): Promise<Passed | Failed> => {
    try {
      const { record } = await putRecord(engine, writer, row, { overrideMetadata, trustHash: true });
      return { request: record.fullyQualifiedName, status: 200 };
    } catch (failure) {
      return rowFailure(row, failure);
    }
  };
  const inOrder = createSerial();
  const outcomes = await Promise.all(
    (body as Json[]).map((row) => inOrder(rowName(writer.kind, row), () => putRow(row))),
  );
  const failed = outcomes.filter((outcome): outcome is Failed => 'message' in outcome);
  return bulkResult(
    outcomes.filter((outcome) => !('message' in outcome)),
    failed,
    false,
  );
};
