import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { storageView } from '../../catalog/read/stored-snapshot.ts';
import { requireKind } from '../../catalog/registry.ts';
import { type Candidate, candidateFromDocument } from '../../catalog/resolve/candidate.ts';
import { createCandidate, previewCreation } from '../../catalog/write/create.ts';
import { reviseRecord } from '../../catalog/write/update.ts';
import { CatalogError, type ErrorCode, recordNotFound } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { CellContext } from '../cells/cell-context.ts';
import type { CsvLayout } from '../layout.ts';
import { parentTypeOf } from './levels.ts';
import {
  createAttempt,
  failAllRows,
  failRowsOfUnit,
  forbidRows,
  hasValidRows,
  type RowUnit,
  recordOutcomes,
  rowFailedReason,
  rowsOfUnit,
  type TargetedRow,
  type UnitAttempt,
} from './row-unit.ts';
import { buildTargetDocument } from './target-document.ts';

/** A record that earlier rows of a dry run would have created or changed. */
type PendingRecord = { readonly document: JsonObject; readonly record?: Snapshot };

/** The context in which the rows of one import are applied. */
export type ImportContext = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly layout: CsvLayout;
  readonly cells: CellContext;
  readonly dryRun: boolean;
  /** Whether some rows of a record are tried before those that are valid are applied together. */
  readonly isTrial?: boolean;
  /** What earlier rows would have written, by type and name. Only a dry run fills it. */
  readonly pending: Map<string, PendingRecord>;
  /** Called with unexpected failures. */
  readonly onUnexpected: (failure: unknown) => void;
};

/** Thrown to leave a change when no valid row is left. */
class NoChangeLeft extends Error {}

const EDIT_ALL: readonly string[] = ['EditAll'];

/** The key of a record that may not exist yet. */
export const hierarchyRecordKey = (type: string, fqn: string): string => `${type} ${fqn}`;

const unitKey = ({ type, fqn }: RowUnit): string => hierarchyRecordKey(type, fqn);

const hasErrorCode = (failure: unknown, ...codes: readonly ErrorCode[]): boolean =>
  failure instanceof CatalogError && codes.includes(failure.code);

/** Adds the columns that earlier rows of a dry run would have written. */
const addPendingColumns = (context: ImportContext, unit: RowUnit, document: JsonObject): JsonObject => {
  const columns = context.pending.get(unitKey(unit))?.document['columns'];
  return columns === undefined ? document : { ...document, columns };
};

/** Updates the existing record; undefined when there is none. */
const reviseExisting = async (context: ImportContext, kind: Kind, unit: RowUnit): Promise<UnitAttempt | undefined> => {
  const { engine, principal, dryRun, isTrial, pending } = context;
  let attempt: UnitAttempt | undefined;
  let target: JsonObject = {};
  try {
    await reviseRecord(
      engine,
      { principal, kind },
      {
        address: { fqn: unit.fqn },
        revise: async (document) => {
          const fresh = createAttempt(unit, context.layout);
          attempt = fresh;
          target = await buildTargetDocument(context.cells, kind, fresh, addPendingColumns(context, unit, document));
          if (!hasValidRows(fresh)) throw new NoChangeLeft();
          return target;
        },
        touched: [],
        isJsonPatch: false,
        operations: EDIT_ALL,
        precondition: () => undefined,
        viewFor: (fields) => storageView(engine, fields),
        dryRun: dryRun ? (isTrial ? 'part' : 'whole') : undefined,
      },
    );
    if (dryRun && attempt && attempt.fresh.size > 0) pending.set(unitKey(unit), { document: target });
  } catch (failure) {
    // A not_found error before the document was read means that the record itself is missing.
    if (!attempt && hasErrorCode(failure, 'not_found')) return undefined;
    if (!(failure instanceof NoChangeLeft)) throw failure;
  }
  return attempt;
};

/** Builds the candidate of a record that does not exist yet. */
const createUnitCandidate = (kind: Kind, unit: RowUnit, target: JsonObject): Candidate => {
  const [parent] = kind.parents;
  return {
    ...candidateFromDocument(kind, { ...target, name: unit.name }),
    parents: parent ? { [parent.field]: { type: parent.kind, fqn: unit.parentFqn } } : {},
  };
};

const createMissing = async (context: ImportContext, kind: Kind, unit: RowUnit): Promise<UnitAttempt> => {
  const { engine, principal, cells, layout, dryRun, pending } = context;
  const attempt = createAttempt(unit, layout);
  const known = pending.get(unitKey(unit));
  if (!unit.record && !known) {
    failAllRows(attempt, recordNotFound(unit.type, unit.fqn).message);
    return attempt;
  }
  const target = await buildTargetDocument(cells, kind, attempt, known?.document ?? {});
  if (!hasValidRows(attempt)) return attempt;
  if (unit.record) attempt.fresh.add(unit.record);
  const writer = { principal, kind };
  const candidate = createUnitCandidate(kind, unit, target);
  if (!dryRun) await createCandidate(engine, writer, candidate);
  else {
    const above = pending.get(hierarchyRecordKey(parentTypeOf(unit.type), unit.parentFqn));
    const record = await previewCreation(engine, writer, candidate, above?.record);
    pending.set(unitKey(unit), { document: { ...target, name: unit.name }, record });
  }
  return attempt;
};

/** The maximum number of attempts when a record is created or deleted concurrently. */
const MAX_ATTEMPTS = 5;

/** Applies the rows of a unit as one change and throws what the engine refuses. */
const applyChange = async (context: ImportContext, unit: RowUnit): Promise<UnitAttempt> => {
  const kind = requireKind(context.engine.registry, unit.type);
  for (let left = MAX_ATTEMPTS; ; left -= 1) {
    const isPending = context.pending.get(unitKey(unit))?.record !== undefined;
    const revised = isPending ? undefined : await reviseExisting(context, kind, unit);
    if (revised) return revised;
    try {
      return await createMissing(context, kind, unit);
    } catch (failure) {
      if (!hasErrorCode(failure, 'already_exists')) throw failure;
      const holder = await context.engine.store.reference(kind, unit.fqn);
      if (holder?.deleted || left === 0) {
        const attempt = createAttempt(unit, context.layout);
        failAllRows(attempt, `the ${unit.type} ${unit.fqn} was deleted; it can be restored`);
        return attempt;
      }
    }
  }
};

/** Fails the rows of a unit with the error that was thrown. An error that the rows did not cause ends the import. */
const refuseUnit = (context: ImportContext, unit: RowUnit, failure: unknown): void => {
  if (hasErrorCode(failure, 'unavailable')) throw failure;
  if (failure instanceof CatalogError && failure.status < 500) {
    failRowsOfUnit(unit, context.layout, failure.message);
    if (failure.code === 'forbidden') forbidRows(unit);
    return;
  }
  context.onUnexpected(failure);
  const faults = ['#UNKNOWN: Something went wrong that nobody expected'];
  for (const entry of rowsOfUnit(unit)) entry.outcome = { status: 'failure', faults };
};

/** A unit of only some of the rows. */
export const takeRowsOfUnit = ({ type, name, fqn, parentFqn }: RowUnit, rows: readonly TargetedRow[]): RowUnit => {
  const record = rows.find(({ target }) => !target.path);
  const columns = rows.filter(({ target }) => target.path);
  return { type, name, fqn, parentFqn, columns, ...(record ? { record } : {}) };
};

/** Copies the pending records that a trial of some rows may read and change. */
const copyPendingFor = ({ pending }: ImportContext, unit: RowUnit): ImportContext['pending'] => {
  const keys = [unitKey(unit), hierarchyRecordKey(parentTypeOf(unit.type), unit.parentFqn)];
  return new Map(
    keys.flatMap((key) => {
      const known = pending.get(key);
      return known ? [[key, known] as const] : [];
    }),
  );
};

/** Tests whether rows can be applied together, and records the faults of the last of them. */
const testRows = async (context: ImportContext, unit: RowUnit, rows: readonly TargetedRow[]): Promise<boolean> => {
  const last = takeRowsOfUnit(unit, rows.slice(-1));
  try {
    recordOutcomes(
      await applyChange(
        { ...context, dryRun: true, isTrial: true, pending: copyPendingFor(context, unit) },
        takeRowsOfUnit(unit, rows),
      ),
    );
  } catch (failure) {
    refuseUnit(context, last, failure);
  }
  return rowsOfUnit(last)[0]?.outcome?.status === 'success';
};

/** Finds the invalid rows one by one and applies the others together. */
const applyGoodRows = async (context: ImportContext, unit: RowUnit): Promise<void> => {
  const good: TargetedRow[] = [];
  for (const entry of rowsOfUnit(unit)) {
    if (await testRows(context, unit, [...good, entry])) good.push(entry);
    else if (entry === unit.record) {
      return failRowsOfUnit(takeRowsOfUnit(unit, unit.columns), context.layout, rowFailedReason(unit));
    }
  }
  if (good.length === 0) return;
  const rest = takeRowsOfUnit(unit, good);
  try {
    recordOutcomes(await applyChange(context, rest));
  } catch (failure) {
    refuseUnit(context, rest, failure);
  }
};

/** Applies the rows of a unit, together if possible, and records the outcome of each. */
export const applyUnit = async (context: ImportContext, unit: RowUnit): Promise<void> => {
  try {
    recordOutcomes(await applyChange(context, unit));
  } catch (failure) {
    // Missing permission affects all rows alike, so there are no valid rows to search for.
    if (hasErrorCode(failure, 'bad_request', 'not_found') && rowsOfUnit(unit).length > 1)
      await applyGoodRows(context, unit);
    else refuseUnit(context, unit, failure);
  }
};
