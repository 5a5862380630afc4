import { badRequest, CatalogError, recordNotFound } from '../../errors.ts';
import { chunk } from '../../model/chunk.ts';
import type { Json } from '../../model/json.ts';
import { type Kind, resolveFqnText } from '../../model/kind/kind.ts';
import { fqnPrefixes } from '../../model/name.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import { Flag, Fqn, listOf, must, shape, Text } from '../../model/values.ts';
import { checkDeletion, deleteRecord } from '../cascade/delete-and-restore.ts';
import type { Engine, Writer } from '../engine.ts';
import { listNameRange } from '../queries.ts';
import { authorizeRecord, checkPermissions, VIEW_OPERATIONS } from '../read/facts.ts';
import { NO_FIELDS } from '../read/fields.ts';
import {
  type BulkFailure,
  type BulkResult,
  type BulkSuccess,
  buildBulkResult,
  isFailed,
  toBulkFailure,
} from './bulk.ts';
import { collectSeenNames, isAboveSeen, type SeenNames } from './seen-names.ts';

/** The maximum number of seen names, more than a body can hold. */
const MAX_SEEN_NAMES = 1_000_000;

export const DeleteStaleSchema = shape('DeleteStale', {
  scopeFqn: must(Fqn),
  scopeEntityType: must(Text),
  seenFqns: must(listOf(Fqn, MAX_SEEN_NAMES)),
  dryRun: Flag,
  hardDelete: Flag,
  recursive: Flag,
});

type DeleteStaleRequest = {
  readonly scopeFqn: string;
  readonly scopeEntityType: string;
  readonly seenFqns: readonly string[];
  readonly dryRun?: boolean;
  readonly hardDelete?: boolean;
  readonly recursive?: boolean;
};

type StaleRecord = { readonly id: string; readonly fqn: string };

/** The batch sizes for checking names and for deleting records. */
const NAMES_AT_ONCE = 1000;
const REMOVALS_AT_ONCE = 100;

/** Whether records of a kind can be descendants of records of a type: names alone may coincide between kinds. */
const canLieBelow = (engine: Engine, kind: Kind, type: string, visited = new Set<Kind>()): boolean => {
  if (visited.has(kind)) return false;
  visited.add(kind);
  return kind.parents.some((parent) => {
    const above = engine.registry.byType.get(parent.kind);
    return parent.kind === type || (above !== undefined && canLieBelow(engine, above, type, visited));
  });
};

/** Finds the stored name of a scope that the caller sees. */
const findScope = async (
  engine: Engine,
  { principal }: Writer,
  { scopeFqn, scopeEntityType }: DeleteStaleRequest,
): Promise<string> => {
  const kind = engine.registry.byType.get(scopeEntityType);
  if (!kind) throw badRequest(`[scopeEntityType must be one of ${[...engine.registry.byType.keys()].join(', ')}]`);
  const scope = await engine.store.record(kind, { fqn: resolveFqnText(kind, scopeFqn) }, NO_FIELDS);
  if (!scope || scope.deleted) throw recordNotFound(scopeEntityType, scopeFqn);
  await authorizeRecord(engine, principal, VIEW_OPERATIONS, scope);
  return scope.fullyQualifiedName;
};

/** Keeps the records that the caller may delete or at least see; an answer names no others. */
const filterKnowable = async (
  engine: Engine,
  { kind, principal }: Writer,
  found: readonly StaleRecord[],
): Promise<StaleRecord[]> => {
  const records = found.map(({ id }) => ({ entityType: kind.entityType, entityId: id }));
  const [removable, visible] = await Promise.all(
    ['Delete', 'ViewBasic'].map((operation) => checkPermissions(engine, principal, [operation], records)),
  );
  return found.filter((_, at) => removable?.[at] || visible?.[at]);
};

/** Lists up to `limit` records below a scope that are not deleted and were not seen, in the order of names. */
const findStale = async (
  engine: Engine,
  writer: Writer,
  scope: string,
  seen: SeenNames,
  limit: number,
): Promise<StaleRecord[]> => {
  const { kind } = writer;
  const stale: StaleRecord[] = [];
  // All names below the scope sort between the scope plus a dot and the scope plus the character after the dot.
  const end = `${scope}/`;
  for (let edge = `${scope}.`; ; ) {
    const rows = await engine.graph.read(listNameRange, {
      entityType: kind.entityType,
      edge,
      end,
      limit: NAMES_AT_ONCE,
    });
    const unseen = rows.filter((row) => !seen.names.has(row.fullyQualifiedName));
    const found = unseen.map(({ id, fullyQualifiedName }) => ({ id, fqn: fullyQualifiedName }));
    stale.push(...(await filterKnowable(engine, writer, found)));
    const last = rows.at(-1);
    if (!last || rows.length < NAMES_AT_ONCE || stale.length >= limit) return stale.slice(0, limit);
    edge = last.fullyQualifiedName;
  }
};

type StaleDeletion = {
  readonly engine: Engine;
  readonly writer: Writer;
  readonly removal: { readonly hardDelete: boolean; readonly recursive: boolean };
  readonly dryRun: boolean;
  readonly seen: SeenNames;
};

/** Whether the record is already gone, through another request or the deletion of its ancestor. */
const isNotFound = (failure: unknown): boolean => failure instanceof CatalogError && failure.code === 'not_found';

const deleteOne = async (
  { engine, writer, removal, dryRun, seen }: StaleDeletion,
  { id, fqn }: StaleRecord,
): Promise<BulkSuccess | BulkFailure> => {
  try {
    if (isAboveSeen(seen, fqn)) throw badRequest(`${fqn} has descendants that are not stale`);
    await (dryRun ? checkDeletion : deleteRecord)(engine, writer, { id }, removal);
  } catch (failure) {
    if (!isNotFound(failure)) return toBulkFailure(fqn, failure);
  }
  return { request: fqn, status: 200 };
};

/** Groups records by depth: from the top when the deletion is recursive, else from the bottom. */
const groupByDepth = (stale: readonly StaleRecord[], recursive: boolean): StaleRecord[][] => {
  const byDepth = new Map<number, StaleRecord[]>();
  for (const found of stale) {
    const depth = fqnPrefixes(found.fqn).length;
    const wave = byDepth.get(depth);
    if (wave) wave.push(found);
    else byDepth.set(depth, [found]);
  }
  const sorted = [...byDepth].sort(([a], [b]) => (recursive ? a - b : b - a));
  return sorted.flatMap(([, wave]) => chunk(wave, REMOVALS_AT_ONCE));
};

const deleteAll = async (deletion: StaleDeletion, stale: readonly StaleRecord[]): Promise<BulkResult> => {
  const outcomes: (BulkSuccess | BulkFailure)[] = [];
  for (const wave of groupByDepth(stale, deletion.removal.recursive)) {
    outcomes.push(...(await Promise.all(wave.map((found) => deleteOne(deletion, found)))));
  }
  return buildBulkResult(
    outcomes.filter((outcome) => !isFailed(outcome)),
    outcomes.filter(isFailed),
    deletion.dryRun,
  );
};

/**
 * DELETE deleteStale: deletes the records of one kind below a scope that the caller did not see there. It keeps and
 * reports ancestors of seen records. More records than a bulk request may hold take several requests.
 */
export const deleteStale = async (engine: Engine, writer: Writer, body: unknown): Promise<BulkResult> => {
  const request = validate(DeleteStaleSchema, dropNulls(body as Json)) as unknown as DeleteStaleRequest;
  const { kind } = writer;
  const scope = await findScope(engine, writer, request);
  const { dryRun = false, hardDelete = false, recursive = true } = request;
  const seen = collectSeenNames(kind, request.seenFqns);
  const { bulkRows } = engine.limits;
  const isPossible = canLieBelow(engine, kind, request.scopeEntityType);
  const stale = isPossible ? await findStale(engine, writer, scope, seen, bulkRows + 1) : [];
  const deletion = { engine, writer, removal: { hardDelete, recursive }, dryRun, seen };
  const result = await deleteAll(deletion, stale.slice(0, bulkRows));
  if (stale.length <= bulkRows) return result;
  return {
    ...result,
    status: 'aborted',
    abortReason: `More than ${bulkRows} records are stale; call again for the rest`,
  };
};
