import { setImmediate as nextTurn } from 'node:timers/promises';
import { badRequest, CatalogError } from '../../errors.ts';
import { createKeyedQueue } from '../../graph/keyed-queue.ts';
import { isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { withDerivedValues } from '../../model/kind/derived-values.ts';
import { type Kind, naturalKeyOf } from '../../model/kind/kind.ts';
import type { AccessNeed } from '../../model/schemas/access/policy.ts';
import { maskSecrets } from '../../model/secret-masking.ts';
import type { Engine, Writer } from '../engine.ts';
import { authorizeAny } from '../read/facts.ts';
import { creationNeeds } from '../resolve/permit-creation.ts';
import { BULK_OPERATIONS } from './create.ts';
import { putRecord } from './update.ts';

/** The answer of every operation over many rows (conventions 13). */
export type BulkResult = JsonObject;

export type BulkSuccess = { readonly request: Json; readonly status: number };
export type BulkFailure = BulkSuccess & { readonly message: string };

/**
 * Converts an error to the failure of a row: status 400, unless the caller lacks the right. Secrets in the row are
 * masked.
 */
export const toBulkFailure = (row: Json, failure: unknown): BulkFailure => {
  if (!(failure instanceof CatalogError) || failure.status >= 500) throw failure;
  return { request: maskSecrets(row), status: failure.code === 'forbidden' ? 403 : 400, message: failure.message };
};

/** The counts of a bulk result, without its rows. */
export const bulkCounts = (passed: number, failed: number, dryRun: boolean): JsonObject => ({
  dryRun,
  status: failed === 0 ? 'success' : passed === 0 ? 'failure' : 'partialSuccess',
  numberOfRowsProcessed: passed + failed,
  numberOfRowsPassed: passed,
  numberOfRowsFailed: failed,
});

export const buildBulkResult = (
  passed: readonly BulkSuccess[],
  failed: readonly BulkFailure[],
  dryRun: boolean,
): BulkResult => ({
  ...bulkCounts(passed.length, failed.length, dryRun),
  successRequest: passed as unknown as Json,
  failedRequest: failed as unknown as Json,
});

/**
 * The keys of a row: rows with the same name or natural key are applied in the order they were sent, so the first
 * creates and the rest update. A row without a name gets the name that its kind derives.
 */
const rowKeys = (kind: Kind, row: Json): readonly string[] => {
  if (!isObject(row)) return [];
  const place = JSON.stringify(kind.parents.map((parent) => member(row, parent.field) ?? null));
  const name = member(row, 'name') ?? kind.defaultName?.(row) ?? null;
  const twin = kind.naturalKey ? naturalKeyOf(kind, place, withDerivedValues(kind, row)) : undefined;
  return [`name ${place} ${JSON.stringify(name)}`, ...(twin === undefined ? [] : [`twin ${twin}`])];
};

export const isFailed = (outcome: BulkSuccess | BulkFailure): outcome is BulkFailure => 'message' in outcome;

export const isUnavailable = (failure: unknown): failure is CatalogError =>
  failure instanceof CatalogError && failure.code === 'unavailable';

const UNAVAILABLE = 503;

/**
 * Throws if no row could be written because the store is unavailable, so that the client can send the request again. If
 * some rows were written, all outcomes must be reported.
 */
export const failIfAllUnavailable = (outcomes: (BulkSuccess | BulkFailure)[]): (BulkSuccess | BulkFailure)[] => {
  const [first] = outcomes;
  const isLost = outcomes.every((one) => isFailed(one) && one.status === UNAVAILABLE);
  if (first && isFailed(first) && isLost) throw new CatalogError('unavailable', first.message);
  return outcomes;
};

/** The number of rows that are validated in one turn of the event loop. */
const ROWS_PER_TURN = 16;

/** Spreads rows over turns of the event loop: the returned function waits for the turn of the next row. */
const createEventLoopTurns = (): (() => Promise<unknown>) => {
  let count = 0;
  let turn: Promise<unknown> = Promise.resolve();
  return () => {
    count += 1;
    if (count % ROWS_PER_TURN === 0) turn = turn.then(() => nextTurn());
    return turn;
  };
};

/** The rights of which a caller needs one to write any row. */
const rowNeeds = (kind: Kind): readonly AccessNeed[] => [
  ...creationNeeds(kind, BULK_OPERATIONS.create),
  ...BULK_OPERATIONS.update.map((operation) => ({ operation, resource: kind.entityType })),
];

type PutRowsOptions = {
  readonly overrideMetadata: boolean;
  /** Called before each row; an error it throws ends the whole operation. */
  readonly beforeRow?: () => void;
  /** Called with the failure of a refused row, which may hold what helps the caller. */
  readonly onFailure?: ((failure: CatalogError) => Promise<void>) | undefined;
};

/**
 * Writes each row independently, in the same way as a single PUT; because the rows arrive together, their lookups share
 * queries and their writes share transactions.
 */
export const putRows = async (
  engine: Engine,
  writer: Writer,
  rows: readonly Json[],
  { overrideMetadata, beforeRow = () => {}, onFailure }: PutRowsOptions,
): Promise<(BulkSuccess | BulkFailure)[]> => {
  const needs = rowNeeds(writer.kind);
  const putRow = async (row: Json): Promise<BulkSuccess | BulkFailure> => {
    beforeRow();
    try {
      // A row of a caller who may write none is neither validated nor looked up.
      authorizeAny(engine, writer.principal, needs);
      const { record } = await putRecord(engine, writer, row, { overrideMetadata, isBulkRow: true });
      return { request: record.fullyQualifiedName, status: 200 };
    } catch (failure) {
      if (isUnavailable(failure))
        return { request: maskSecrets(row), status: failure.status, message: failure.message };
      const failed = toBulkFailure(row, failure);
      if (failure instanceof CatalogError) await onFailure?.(failure);
      return failed;
    }
  };
  const inOrder = createKeyedQueue();
  const turnOf = createEventLoopTurns();
  const putInTurn = async (row: Json) => {
    await turnOf();
    return putRow(row);
  };
  return failIfAllUnavailable(
    await Promise.all(rows.map((row) => inOrder(rowKeys(writer.kind, row), () => putInTurn(row)))),
  );
};

/** Reads the rows of a bulk request. Throws when the body is not a list or has too many rows. */
export const parseBulkRows = (engine: Engine, body: unknown, limit = engine.limits.bulkRows): readonly Json[] => {
  if (!Array.isArray(body)) throw badRequest('[body must be a list]');
  if (body.length > limit) throw new CatalogError('payload_too_large', `[body must have at most ${limit} rows]`);
  return body as Json[];
};

/** PUT bulk. */
export const putBulk = async (
  engine: Engine,
  writer: Writer,
  body: unknown,
  options: Pick<PutRowsOptions, 'overrideMetadata' | 'onFailure'>,
): Promise<BulkResult> => {
  const outcomes = await putRows(engine, writer, parseBulkRows(engine, body), options);
  return buildBulkResult(
    outcomes.filter((outcome) => !isFailed(outcome)),
    outcomes.filter(isFailed),
    false,
  );
};
