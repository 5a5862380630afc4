import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { cellDesk } from '../cells/desk.ts';
import type { Importer, Importing } from '../exchange.ts';
import { type Layout, placeOf } from '../layout.ts';
import type { Told } from '../report.ts';
import { openRow } from '../row.ts';
import { readRows } from '../text/rows.ts';
import { applyUnit, partOf, recordKey, type Site } from './apply.ts';
import { parentTypeOf } from './levels.ts';
import { type Place, placeField, readPlace, targetKey } from './place.ts';
import { type Entry, failUnit, isPlaced, newUnit, rowFailed, rowsOf, type Unit } from './unit.ts';

/**
 * Rows as records below another one. Rows are applied side by side, so that they share look-ups and
 * transactions; those about what lies above and below each other keep the order of the file.
 */

/** A batch is about so many records, and about columns of the last of them for as long as there are any, up to so many. */
const RECORDS = 100;
const LONGEST_BATCH = 2000;
/** Rows that say very much make smaller batches: what is under way is held in memory several times over. */
const MOST_CHARACTERS = 128 * 1024;
const READ_AT_ONCE = 100;

const keyOf = ({ type, fqn }: Pick<Unit, 'type' | 'fqn'>): string => recordKey(type, fqn);

const openEntry = (root: Snapshot, layout: Layout, cells: Entry['cells']): Entry => {
  const row = openRow(layout, cells);
  const place = readPlace(root, row);
  return { cells, place, ...(place ? {} : { outcome: { status: 'failure', faults: row.faults } }) };
};

async function* batchesOf({ source, isSafe, record, layout }: Importing): AsyncGenerator<readonly Entry[]> {
  let batch: Entry[] = [];
  let records = new Set<string>();
  let characters = 0;
  for await (const rows of readRows(source, { isSafe, atOnce: READ_AT_ONCE })) {
    for (const cells of rows) {
      const entry = openEntry(record, layout, cells);
      // A row that is about nothing counts as if it were about a record of its own.
      const about = entry.place ? keyOf(entry.place) : `row ${batch.length}`;
      const isFull = records.size >= RECORDS || characters >= MOST_CHARACTERS;
      if (batch.length >= LONGEST_BATCH || (isFull && !records.has(about))) {
        yield batch;
        [batch, records, characters] = [[], new Set(), 0];
      }
      batch.push(entry);
      characters += cells.reduce((sum, cell) => sum + cell.length, 0);
      records.add(about);
    }
  }
  if (batch.length > 0) yield batch;
}

/** What is known of the rows before. */
type Past = {
  /** What rows were about. */
  readonly targets: Set<string>;
  /** The records whose rows failed. */
  readonly failed: Set<string>;
};

/** The first row about something counts; whatever comes later contradicts it. */
const refuseTwin = (layout: Layout, entry: Entry): void => {
  const row = openRow(layout, entry.cells);
  row.fail(placeField(row), 'there is another row about the same before this one');
  entry.outcome = { status: 'failure', faults: row.faults };
};

/** The rows of a batch as changes, in the order of the file. */
const unitsOf = (layout: Layout, entries: readonly Entry[], { targets }: Past): readonly Unit[] => {
  const units: Unit[] = [];
  const latest = new Map<string, Unit>();
  const begin = (place: Place): Unit => {
    const unit = newUnit(place);
    units.push(unit);
    latest.set(keyOf(unit), unit);
    return unit;
  };
  for (const entry of entries) {
    if (!isPlaced(entry)) continue;
    const { place } = entry;
    const target = targetKey(place);
    if (targets.has(target)) {
      refuseTwin(layout, entry);
      continue;
    }
    targets.add(target);
    // A row about a record comes after those about its columns that stand before it.
    if (place.path) (latest.get(keyOf(place)) ?? begin(place)).columns.push(entry);
    else begin(place).record = entry;
  }
  return units;
};

/** The row that has failed and without which those of a unit make no sense. */
const failedAbove = ({ type, fqn, parentFqn, record }: Unit, { failed }: Past) => {
  const above = { type: parentTypeOf(type), fqn: parentFqn };
  return [above, ...(record ? [] : [{ type, fqn }])].find((one) => failed.has(keyOf(one)));
};

type Change = Promise<void>;

/** Whether a row names records in a cell of its own that rows before it may bring. */
const namesOthers = ({ cells }: Entry, layout: Layout): boolean =>
  (cells[placeOf(layout, 'extension') ?? -1] ?? '') !== '';

/** Applies a unit, and what failed of it again where the rows before it, which are under way, may bring what it names. */
const applyAmong = async (site: Site, unit: Unit, earlier: readonly Change[]): Promise<void> => {
  await applyUnit(site, unit);
  const failed = rowsOf(unit).filter(({ outcome }) => outcome?.status === 'failure');
  if (earlier.length === 0 || !failed.some((entry) => namesOthers(entry, site.layout))) return;
  await Promise.allSettled(earlier);
  await applyUnit(site, partOf(unit, failed));
};

const runUnit = async (site: Site, unit: Unit, past: Past, earlier: readonly Change[]): Promise<void> => {
  const above = failedAbove(unit, past);
  if (above) failUnit(unit, site.layout, rowFailed(above));
  else await applyAmong(site, unit, earlier);
  if (unit.record && unit.record.outcome?.status !== 'success') past.failed.add(keyOf(unit));
};

/** An import on its way, with what is being done just now: all of it, by what it is about, and by what that lies in. */
type Course = {
  readonly site: Site;
  readonly past: Past;
  readonly check: () => void;
  readonly underWay: Set<Change>;
  readonly at: Map<string, Change>;
  readonly below: Map<string, Set<Change>>;
};

/** Begins a change as soon as everything before it is over that lies above or below, or is about the same. */
const beginUnit = ({ site, past, check, underWay, at, below }: Course, unit: Unit): Change => {
  const key = keyOf(unit);
  const above = recordKey(parentTypeOf(unit.type), unit.parentFqn);
  const before = [at.get(key), at.get(above), ...(below.get(key) ?? [])];
  const earlier = rowsOf(unit).some((entry) => namesOthers(entry, site.layout)) ? [...underWay] : [];
  const run = (async () => {
    await Promise.allSettled(before);
    check();
    await runUnit(site, unit, past, earlier);
  })();
  underWay.add(run);
  const siblings = below.get(above) ?? new Set();
  below.set(above, siblings.add(run));
  at.set(key, run);
  const forget = () => {
    underWay.delete(run);
    if (at.get(key) === run) at.delete(key);
    siblings.delete(run);
    if (siblings.size === 0 && below.get(above) === siblings) below.delete(above);
  };
  run.then(forget, forget);
  return run;
};

const UNTOLD = { status: 'skipped', faults: [] } as const;

/** Applies the rows of a batch. When one of them may not be begun any more, those under way are waited for all the same. */
const applyBatch = async (course: Course, batch: readonly Entry[]): Promise<readonly Told[]> => {
  const units = unitsOf(course.site.layout, batch, course.past);
  const ends = await Promise.allSettled(units.map((unit) => beginUnit(course, unit)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return batch.map(({ cells, outcome }) => ({ cells, outcome: outcome ?? UNTOLD }));
};

const siteOf = ({ engine, principal, layout, dryRun, wonder }: Importing): Site => {
  const pending: Site['pending'] = new Map();
  const wouldExist = (type: string, fqn: string) => pending.has(recordKey(type, fqn));
  return { engine, principal, layout, dryRun, pending, wonder, desk: cellDesk({ engine, principal, wouldExist }) };
};

/** So many batches are under way at once: one is looked up while another is written. */
const SIDE_BY_SIDE = 4;

/** Rows as what hangs below a service, a database or a schema. */
export const importHierarchy: Importer = async function* (wish) {
  const past: Past = { targets: new Set(), failed: new Set() };
  const { check } = wish;
  const course: Course = { site: siteOf(wish), past, check, underWay: new Set(), at: new Map(), below: new Map() };
  const batches: Promise<readonly Told[]>[] = [];
  try {
    for await (const batch of batchesOf(wish)) {
      await wish.engine.judge.settle();
      const applied = applyBatch(course, batch);
      // It is waited for in its turn; until then its failure must not bring the process down.
      applied.catch(() => {});
      batches.push(applied);
      if (batches.length >= SIDE_BY_SIDE) yield (await batches.shift()) ?? [];
    }
    while (batches.length > 0) yield (await batches.shift()) ?? [];
  } finally {
    await Promise.allSettled(batches);
  }
};
