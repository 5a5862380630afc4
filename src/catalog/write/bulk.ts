import { setImmediate as nextTurn } from 'node:timers/promises';
import { badRequest, CatalogError } from '../../errors.ts';
import { createKeyedQueue } from '../../graph/keyed-queue.ts';
import { isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { type Kind, naturalKeyOf, withDerivedValues } from '../../model/kind/kind.ts';
import { maskSecrets } from '../../model/secret-masking.ts';
import type { Engine, Writer } from '../engine.ts';
import { putRecord } from './update.ts';

/** The answer of every operation over many rows (conventions 13). */
export type BulkResult = JsonObject;

export type BulkSuccess = { readonly request: Json; readonly status: number };
export type BulkFailure = BulkSuccess & { readonly message: string };

/** A row that fails for any reason of its own is a 400, unless the caller may not do it. It is told with its secrets masked. */
export const toBulkFailure = (row: Json, failure: unknown): BulkFailure => {
  if (!(failure instanceof CatalogError) || failure.status >= 500) throw failure;
  return { request: maskSecrets(row), status: failure.code === 'forbidden' ? 403 : 400, message: failure.message };
};

/** A result without its rows. */
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
 * What a row may mean: rows of one name, or that are each other's twins, are applied in the order they were sent: the
 * first creates, the rest update. A row without a name has the one that its kind gives it.
 */
const rowKeys = (kind: Kind, row: Json): readonly string[] => {
  if (!isObject(row)) return [];
  const place = JSON.stringify(kind.parents.map((parent) => member(row, parent.field) ?? null));
  const name = member(row, 'name') ?? kind.defaultName?.(row) ?? null;
  const twin = kind.naturalKey ? naturalKeyOf(kind, place, withDerivedValues(kind, row)) : undefined;
  return [`name ${place} ${JSON.stringify(name)}`, ...(twin === undefined ? [] : [`twin ${twin}`])];
};

export const isFailed = (outcome: BulkSuccess | BulkFailure): outcome is BulkFailure => 'message' in outcome;

const isUnavailable = (failure: unknown): failure is CatalogError =>
  failure instanceof CatalogError && failure.code === 'unavailable';

const UNAVAILABLE = 503;

/** Of rows of which some were written, all must be told; where nothing could be, the whole may be sent again. */
const failIfAllUnavailable = (outcomes: (BulkSuccess | BulkFailure)[]): (BulkSuccess | BulkFailure)[] => {
  const [first] = outcomes;
  const isLost = outcomes.every((one) => isFailed(one) && one.status === UNAVAILABLE);
  if (first && isFailed(first) && isLost) throw new CatalogError('unavailable', first.message);
  return outcomes;
};

/** So many rows are validated before the event loop does something else. */
const ROWS_PER_TURN = 16;

/** Spreads rows over turns of the event loop: answers when the turn of the next one has come. */
const createEventLoopTurns = (): (() => Promise<unknown>) => {
  let count = 0;
  let turn: Promise<unknown> = Promise.resolve();
  return () => {
    count += 1;
    if (count % ROWS_PER_TURN === 0) turn = turn.then(() => nextTurn());
    return turn;
  };
};

type PutRowsOptions = {
  readonly overrideMetadata: boolean;
  /** Called before each row; what it throws ends the whole. */
  readonly beforeRow?: () => void;
};

/**
 * Every row stands on its own. The rows go through the same path as a single PUT; because they arrive together, their
 * look-ups share queries and their writes share transactions.
 */
export const putRows = async (
  engine: Engine,
  writer: Writer,
  rows: readonly Json[],
  { overrideMetadata, beforeRow = () => {} }: PutRowsOptions,
): Promise<(BulkSuccess | BulkFailure)[]> => {
  const putRow = async (row: Json): Promise<BulkSuccess | BulkFailure> => {
    beforeRow();
    try {
      const { record } = await putRecord(engine, writer, row, { overrideMetadata, isBulkRow: true });
      return { request: record.fullyQualifiedName, status: 200 };
    } catch (failure) {
      if (isUnavailable(failure))
        return { request: maskSecrets(row), status: failure.status, message: failure.message };
      return toBulkFailure(row, failure);
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

/** The rows of a bulk request. Throws when they are none, or too many. */
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
  overrideMetadata: boolean,
): Promise<BulkResult> => {
  const outcomes = await putRows(engine, writer, parseBulkRows(engine, body), { overrideMetadata });
  return buildBulkResult(
    outcomes.filter((outcome) => !isFailed(outcome)),
    outcomes.filter(isFailed),
    false,
  );
};
