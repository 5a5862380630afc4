import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { cellDesk } from '../cells/desk.ts';
import type { Importer, Importing } from '../exchange.ts';
import type { Layout } from '../layout.ts';
import type { Told } from '../report.ts';
import { openRow } from '../row.ts';
import { readRows } from '../text/rows.ts';
import { applyUnit, recordKey, rowFailed, type Site } from './apply.ts';
import { parentTypeOf } from './levels.ts';
import { type Place, placeField, readPlace, targetKey } from './place.ts';
import { type Entry, failUnit, isPlaced, newUnit, type Unit } from './unit.ts';

/**
 * Rows as records below another one. Rows of a batch are applied side by side, so that they share look-ups and
 * transactions; those about what lies above and below each other keep the order of the file.
 */

/** A batch goes on for as long as the rows are about columns of one table, up to so many. */
const BATCH = 100;
const LONGEST_BATCH = 2000;

const openEntry = (root: Snapshot, layout: Layout, cells: Entry['cells']): Entry => {
  const row = openRow(layout, cells);
  const place = readPlace(root, row);
  return { cells, place, ...(place ? {} : { outcome: { status: 'failure', faults: row.faults } }) };
};

/** Whether two rows are about columns of one table, which are better changed together. */
const belongTogether = (one: Place | undefined, other: Place | undefined): boolean =>
  one !== undefined && other?.path !== undefined && one.type === other.type && one.fqn === other.fqn;

async function* batchesOf({ source, isSafe, record, layout }: Importing): AsyncGenerator<readonly Entry[]> {
  let batch: Entry[] = [];
  for await (const rows of readRows(source, { isSafe, atOnce: BATCH })) {
    for (const cells of rows) {
      const entry = openEntry(record, layout, cells);
      const isFull =
        batch.length >= LONGEST_BATCH || (batch.length >= BATCH && !belongTogether(batch.at(-1)?.place, entry.place));
      if (isFull) {
        yield batch;
        batch = [];
      }
      batch.push(entry);
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

/** The units of a batch, each with those that have to be over before it. */
type Plan = Map<Unit, readonly Unit[]>;

const planBatch = (layout: Layout, entries: readonly Entry[], { targets }: Past): Plan => {
  const plan: Plan = new Map();
  const latest = new Map<string, Unit>();
  const below = new Map<string, Unit[]>();
  const begin = (place: Place): Unit => {
    const unit = newUnit(place);
    const key = recordKey(unit.type, unit.fqn);
    const above = recordKey(parentTypeOf(unit.type), unit.parentFqn);
    plan.set(
      unit,
      [latest.get(key), latest.get(above), ...(below.get(key) ?? [])].filter((one) => one !== undefined),
    );
    latest.set(key, unit);
    below.set(above, [...(below.get(above) ?? []), unit]);
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
    const known = latest.get(recordKey(place.type, place.fqn));
    // A row about a record comes after those about its columns that stand before it.
    if (place.path) (known ?? begin(place)).columns.push(entry);
    else begin(place).record = entry;
  }
  return plan;
};

/** The row that has failed and without which those of a unit make no sense. */
const failedAbove = ({ type, fqn, parentFqn, record }: Unit, { failed }: Past) => {
  const above = { type: parentTypeOf(type), fqn: parentFqn };
  return [above, ...(record ? [] : [{ type, fqn }])].find((one) => failed.has(recordKey(one.type, one.fqn)));
};

const runUnit = async (site: Site, unit: Unit, past: Past): Promise<void> => {
  const above = failedAbove(unit, past);
  if (above) failUnit(unit, site.layout, rowFailed(above));
  else await applyUnit(site, unit);
  if (unit.record && unit.record.outcome?.status !== 'success') past.failed.add(recordKey(unit.type, unit.fqn));
};

/** Applies the rows of a batch. When one of them may not be begun any more, those under way are waited for all the same. */
const applyBatch = async (site: Site, plan: Plan, past: Past, check: () => void): Promise<void> => {
  const running = new Map<Unit, Promise<void>>();
  for (const [unit, before] of plan) {
    const run = async () => {
      await Promise.allSettled(before.map((one) => running.get(one)));
      check();
      await runUnit(site, unit, past);
    };
    running.set(unit, run());
  }
  const ends = await Promise.allSettled(running.values());
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
};

const siteOf = ({ engine, principal, layout, dryRun, wonder }: Importing): Site => {
  const pending: Site['pending'] = new Map();
  const wouldExist = (type: string, fqn: string) => pending.has(recordKey(type, fqn));
  return { engine, principal, layout, dryRun, pending, wonder, desk: cellDesk({ engine, principal, wouldExist }) };
};

const UNTOLD = { status: 'skipped', faults: [] } as const;

/** Rows as what hangs below a service, a database or a schema. */
export const importHierarchy: Importer = async function* (wish) {
  const site = siteOf(wish);
  const past: Past = { targets: new Set(), failed: new Set() };
  for await (const batch of batchesOf(wish)) {
    await wish.engine.judge.settle();
    await applyBatch(site, planBatch(wish.layout, batch, past), past, wish.check);
    yield batch.map(({ cells, outcome }): Told => ({ cells, outcome: outcome ?? UNTOLD }));
  }
};
