import type { Principal } from '../../access/principal.ts';
import { type Candidate, candidateFromDocument } from '../../catalog/desire/candidate.ts';
import type { Engine } from '../../catalog/engine.ts';
import { plainView } from '../../catalog/read/kept.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { kindNamed } from '../../catalog/registry.ts';
import { createCandidate, rehearseCreation } from '../../catalog/write/create.ts';
import { reviseRecord } from '../../catalog/write/write.ts';
import { CatalogError, type ErrorCode, recordNotFound } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { CellDesk } from '../cells/desk.ts';
import type { Layout } from '../layout.ts';
import { wantedDocument } from './document.ts';
import { parentTypeOf } from './levels.ts';
import {
  type Attempt,
  failAll,
  failUnit,
  forbidRows,
  hasGoodRows,
  newAttempt,
  type Placed,
  rowFailed,
  rowsOf,
  settleRows,
  type Unit,
} from './unit.ts';

/** What an earlier row would have left behind had it been applied. */
type Pending = { readonly document: JsonObject; readonly record?: Snapshot };

/** Where the rows of one import are applied. */
export type Site = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly layout: Layout;
  readonly desk: CellDesk;
  readonly dryRun: boolean;
  /** Only in a dry run: what earlier rows would have made, by type and name. */
  readonly pending: Map<string, Pending>;
  /** Told of what nobody expected. */
  readonly wonder: (failure: unknown) => void;
};

/** Thrown out of a change when no row is left that would change anything. */
class NothingLeft extends Error {}

const EDIT_ALL: readonly string[] = ['EditAll'];

/** How a record is known while it is not there yet. */
export const recordKey = (type: string, fqn: string): string => `${type} ${fqn}`;

const keyOf = ({ type, fqn }: Unit): string => recordKey(type, fqn);

const isOf = (failure: unknown, ...codes: readonly ErrorCode[]): boolean =>
  failure instanceof CatalogError && codes.includes(failure.code);

/** A document with what earlier rows would have made of its columns. */
const withPending = (site: Site, unit: Unit, document: JsonObject): JsonObject => {
  const columns = site.pending.get(keyOf(unit))?.document['columns'];
  return columns === undefined ? document : { ...document, columns };
};

/** Changes the record that there is; undefined when there is none. */
const revise = async (site: Site, kind: Kind, unit: Unit): Promise<Attempt | undefined> => {
  const { engine, principal, dryRun, pending } = site;
  let attempt: Attempt | undefined;
  let wanted: JsonObject = {};
  try {
    await reviseRecord(
      engine,
      { principal, kind },
      {
        address: { fqn: unit.fqn },
        revise: async (document) => {
          const fresh = newAttempt(unit, site.layout);
          attempt = fresh;
          wanted = await wantedDocument(site.desk, kind, fresh, withPending(site, unit, document));
          if (!hasGoodRows(fresh)) throw new NothingLeft();
          return wanted;
        },
        touched: [],
        isJsonPatch: false,
        operations: EDIT_ALL,
        precondition: () => undefined,
        viewFor: (fields) => plainView(engine, fields),
        rehearses: dryRun,
      },
    );
    if (dryRun && attempt && attempt.fresh.size > 0) pending.set(keyOf(unit), { document: wanted });
  } catch (failure) {
    // What is missing before its document was seen is the record itself.
    if (!attempt && isOf(failure, 'not_found')) return undefined;
    if (!(failure instanceof NothingLeft)) throw failure;
  }
  return attempt;
};

/** The wish for a record that is not there yet. */
const candidateFor = (kind: Kind, unit: Unit, wanted: JsonObject): Candidate => {
  const [parent] = kind.parents;
  return {
    ...candidateFromDocument(kind, { ...wanted, name: unit.name }),
    parents: parent ? { [parent.field]: { type: parent.kind, fqn: unit.parentFqn } } : {},
  };
};

const create = async (site: Site, kind: Kind, unit: Unit): Promise<Attempt> => {
  const { engine, principal, desk, layout, dryRun, pending } = site;
  const attempt = newAttempt(unit, layout);
  const known = pending.get(keyOf(unit));
  if (!unit.record && !known) {
    failAll(attempt, recordNotFound(unit.type, unit.fqn).message);
    return attempt;
  }
  const wanted = await wantedDocument(desk, kind, attempt, known?.document ?? {});
  if (!hasGoodRows(attempt)) return attempt;
  if (unit.record) attempt.fresh.add(unit.record);
  const writer = { principal, kind };
  const candidate = candidateFor(kind, unit, wanted);
  if (!dryRun) await createCandidate(engine, writer, candidate);
  else {
    const above = pending.get(recordKey(parentTypeOf(unit.type), unit.parentFqn));
    const record = await rehearseCreation(engine, writer, candidate, above?.record);
    pending.set(keyOf(unit), { document: { ...wanted, name: unit.name }, record });
  }
  return attempt;
};

/** How often a record is looked for again that comes and goes while it is written. */
const ATTEMPTS = 5;

/** Makes the change that the rows of a unit are. What the engine refuses of it is thrown. */
const change = async (site: Site, unit: Unit): Promise<Attempt> => {
  const kind = kindNamed(site.engine.registry, unit.type);
  for (let left = ATTEMPTS; ; left -= 1) {
    const isPending = site.pending.get(keyOf(unit))?.record !== undefined;
    const revised = isPending ? undefined : await revise(site, kind, unit);
    if (revised) return revised;
    try {
      return await create(site, kind, unit);
    } catch (failure) {
      if (!isOf(failure, 'already_exists')) throw failure;
      const holder = await site.engine.store.reference(kind, unit.fqn);
      if (holder?.deleted || left === 0) {
        const attempt = newAttempt(unit, site.layout);
        failAll(attempt, `the ${unit.type} ${unit.fqn} was deleted; it can be restored`);
        return attempt;
      }
    }
  }
};

/** Fails the rows of a unit for what was thrown. Whatever is no fault of theirs ends the import. */
const refuse = (site: Site, unit: Unit, failure: unknown): void => {
  if (isOf(failure, 'unavailable')) throw failure;
  if (failure instanceof CatalogError && failure.status < 500) {
    failUnit(unit, site.layout, failure.message);
    if (failure.code === 'forbidden') forbidRows(unit);
    return;
  }
  site.wonder(failure);
  const faults = ['#UNKNOWN: Something went wrong that nobody expected'];
  for (const entry of rowsOf(unit)) entry.outcome = { status: 'failure', faults };
};

/** Some of the rows of a unit as a unit of their own. */
export const partOf = ({ type, name, fqn, parentFqn }: Unit, rows: readonly Placed[]): Unit => {
  const record = rows.find(({ place }) => !place.path);
  const columns = rows.filter(({ place }) => place.path);
  return { type, name, fqn, parentFqn, columns, ...(record ? { record } : {}) };
};

/** What a trial of some rows of a unit has to know of those before, and may add to. */
const pendingFor = ({ pending }: Site, unit: Unit): Site['pending'] => {
  const keys = [keyOf(unit), recordKey(parentTypeOf(unit.type), unit.parentFqn)];
  return new Map(
    keys.flatMap((key) => {
      const known = pending.get(key);
      return known ? [[key, known] as const] : [];
    }),
  );
};

/** Tries whether some rows would pass together; notes what speaks against the last of them. */
const wouldPass = async (site: Site, unit: Unit, rows: readonly Placed[]): Promise<boolean> => {
  const last = partOf(unit, rows.slice(-1));
  try {
    settleRows(await change({ ...site, dryRun: true, pending: pendingFor(site, unit) }, partOf(unit, rows)));
  } catch (failure) {
    refuse(site, last, failure);
  }
  return rowsOf(last)[0]?.outcome?.status === 'success';
};

/** Finds the rows that are to blame one by one, and applies the others together. */
const applyRest = async (site: Site, unit: Unit): Promise<void> => {
  const good: Placed[] = [];
  for (const entry of rowsOf(unit)) {
    if (await wouldPass(site, unit, [...good, entry])) good.push(entry);
    else if (entry === unit.record) {
      return failUnit(partOf(unit, unit.columns), site.layout, rowFailed(unit));
    }
  }
  if (good.length === 0) return;
  const rest = partOf(unit, good);
  try {
    settleRows(await change(site, rest));
  } catch (failure) {
    refuse(site, rest, failure);
  }
};

/** Applies the rows of a unit, all together if possible, and notes what became of each. */
export const applyUnit = async (site: Site, unit: Unit): Promise<void> => {
  try {
    settleRows(await change(site, unit));
  } catch (failure) {
    // What is forbidden is so for all rows alike, and is not looked for among them.
    if (isOf(failure, 'bad_request', 'not_found') && rowsOf(unit).length > 1) await applyRest(site, unit);
    else refuse(site, unit, failure);
  }
};
