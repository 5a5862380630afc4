import { badRequest, CatalogError, recordNotFound } from '../../errors.ts';
import type { Json } from '../../model/json.ts';
import { type Kind, lookupFqn } from '../../model/kind.ts';
import { scopesOf } from '../../model/name.ts';
import { piecesOf } from '../../model/pieces.ts';
import { check, dropNulls } from '../../model/validate.ts';
import { Flag, Fqn, listOf, must, shape, Text } from '../../model/values.ts';
import { checkRemoval, removeRecord } from '../below/remove.ts';
import type { Engine, Writer } from '../engine.ts';
import { listWithin } from '../queries.ts';
import { permitted } from '../read/facts.ts';
import { NO_FIELDS } from '../read/fields.ts';
import { type BulkResult, bulkResult, type Failed, isFailed, type Passed, rowFailure } from './bulk.ts';

/** More names than a body can hold. */
const MAX_SEEN = 1_000_000;

export const StaleRequest = shape('DeleteStale', {
  scopeFqn: must(Fqn),
  scopeEntityType: must(Text),
  seenFqns: must(listOf(Fqn, MAX_SEEN)),
  dryRun: Flag,
  hardDelete: Flag,
  recursive: Flag,
});

type Request = {
  readonly scopeFqn: string;
  readonly scopeEntityType: string;
  readonly seenFqns: readonly string[];
  readonly dryRun?: boolean;
  readonly hardDelete?: boolean;
  readonly recursive?: boolean;
};

/** What was seen, and what stands above something that was: neither is stale. */
type Seen = { readonly names: ReadonlySet<string>; readonly above: ReadonlySet<string> };

type Found = { readonly id: string; readonly fqn: string };

/** How many names are looked at, and how many records are removed, at once. */
const NAMES_AT_ONCE = 1000;
const REMOVALS_AT_ONCE = 100;

/** Whether records of a kind can lie below records of a type: names alone may coincide between kinds. */
const liesBelow = (engine: Engine, kind: Kind, type: string, passed = new Set<Kind>()): boolean => {
  if (passed.has(kind)) return false;
  passed.add(kind);
  return kind.parents.some((parent) => {
    const above = engine.registry.byType.get(parent.kind);
    return parent.kind === type || (above !== undefined && liesBelow(engine, above, type, passed));
  });
};

/** The name of the scope as its record has it. */
const findScope = async (engine: Engine, { scopeFqn, scopeEntityType }: Request): Promise<string> => {
  const kind = engine.registry.byType.get(scopeEntityType);
  if (!kind) throw badRequest(`[scopeEntityType must be one of ${[...engine.registry.byType.keys()].join(', ')}]`);
  const scope = await engine.store.record(kind, { fqn: lookupFqn(kind, scopeFqn) }, NO_FIELDS);
  if (!scope || scope.deleted) throw recordNotFound(scopeEntityType, scopeFqn);
  return scope.fullyQualifiedName;
};

const seenIn = (kind: Kind, names: readonly string[]): Seen => {
  const seen = new Set(names.map((name) => lookupFqn(kind, name)));
  return { names: seen, above: new Set([...seen].flatMap(scopesOf)) };
};

/** Those that the caller may remove, or may at least know of: an answer names no others. */
const knowable = async (engine: Engine, { kind, principal }: Writer, found: readonly Found[]): Promise<Found[]> => {
  const records = found.map(({ id }) => ({ entityType: kind.entityType, entityId: id }));
  const [removable, visible] = await Promise.all(
    ['Delete', 'ViewBasic'].map((operation) => permitted(engine, principal, [operation], records)),
  );
  return found.filter((_, at) => removable?.[at] || visible?.[at]);
};

/** The living records below a scope that were not seen, at most `limit` of them, in the order of their names. */
const findStale = async (
  engine: Engine,
  writer: Writer,
  scope: string,
  seen: Seen,
  limit: number,
): Promise<Found[]> => {
  const { kind } = writer;
  const stale: Found[] = [];
  // All names below the scope lie between the scope with a dot and the scope with the character after the dot.
  const end = `${scope}/`;
  for (let edge = `${scope}.`; ; ) {
    const rows = await engine.graph.read(listWithin.for(kind.label), { edge, end, limit: NAMES_AT_ONCE });
    const unseen = rows.filter((row) => !seen.names.has(row.fullyQualifiedName));
    const found = unseen.map(({ id, fullyQualifiedName }) => ({ id, fqn: fullyQualifiedName }));
    stale.push(...(await knowable(engine, writer, found)));
    const last = rows.at(-1);
    if (!last || rows.length < NAMES_AT_ONCE || stale.length >= limit) return stale.slice(0, limit);
    edge = last.fullyQualifiedName;
  }
};

type Sweep = {
  readonly engine: Engine;
  readonly writer: Writer;
  readonly removal: { readonly hardDelete: boolean; readonly recursive: boolean };
  readonly dryRun: boolean;
  readonly seen: Seen;
};

/** Whether somebody else, or the removal of what stood above, was faster. */
const isGone = (failure: unknown): boolean => failure instanceof CatalogError && failure.code === 'not_found';

const removeOne = async (
  { engine, writer, removal, dryRun, seen }: Sweep,
  { id, fqn }: Found,
): Promise<Passed | Failed> => {
  try {
    if (seen.above.has(fqn)) throw badRequest(`${fqn} holds what was seen`);
    await (dryRun ? checkRemoval : removeRecord)(engine, writer, { id }, removal);
  } catch (failure) {
    if (!isGone(failure)) return rowFailure(fqn, failure);
  }
  return { request: fqn, status: 200 };
};

/** Records at one depth after the other: from the top when what hangs below goes along, else from the bottom. */
const waves = (stale: readonly Found[], recursive: boolean): Found[][] => {
  const byDepth = new Map<number, Found[]>();
  for (const found of stale) {
    const depth = scopesOf(found.fqn).length;
    const wave = byDepth.get(depth);
    if (wave) wave.push(found);
    else byDepth.set(depth, [found]);
  }
  const sorted = [...byDepth].sort(([a], [b]) => (recursive ? a - b : b - a));
  return sorted.flatMap(([, wave]) => piecesOf(wave, REMOVALS_AT_ONCE));
};

const removeAll = async (sweep: Sweep, stale: readonly Found[]): Promise<BulkResult> => {
  const outcomes: (Passed | Failed)[] = [];
  for (const wave of waves(stale, sweep.removal.recursive)) {
    outcomes.push(...(await Promise.all(wave.map((found) => removeOne(sweep, found)))));
  }
  return bulkResult(
    outcomes.filter((outcome) => !isFailed(outcome)),
    outcomes.filter(isFailed),
    sweep.dryRun,
  );
};

/**
 * DELETE deleteStale: removes the records of one kind below a scope that the caller has not seen there. What stands above
 * something seen is kept and told of. More than a bulk request may hold are removed in several requests.
 */
export const deleteStale = async (engine: Engine, writer: Writer, body: unknown): Promise<BulkResult> => {
  const request = check(StaleRequest, dropNulls(body as Json)) as unknown as Request;
  const { kind } = writer;
  const scope = await findScope(engine, request);
  const { dryRun = false, hardDelete = false, recursive = true } = request;
  const seen = seenIn(kind, request.seenFqns);
  const { bulkRows } = engine.limits;
  const isPossible = liesBelow(engine, kind, request.scopeEntityType);
  const stale = isPossible ? await findStale(engine, writer, scope, seen, bulkRows + 1) : [];
  const sweep = { engine, writer, removal: { hardDelete, recursive }, dryRun, seen };
  const result = await removeAll(sweep, stale.slice(0, bulkRows));
  if (stale.length <= bulkRows) return result;
  return {
    ...result,
    status: 'aborted',
    abortReason: `More than ${bulkRows} records are stale; call again for the rest`,
  };
};
