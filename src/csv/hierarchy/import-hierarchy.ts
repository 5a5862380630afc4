import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { createCellContext } from '../cells/cell-context.ts';
import type { CsvImporter, CsvImportRequest } from '../import-export.ts';
import type { RowReport } from '../import-report.ts';
import { type CsvLayout, fieldIndex } from '../layout.ts';
import { openRowReader } from '../row-reader.ts';
import { readCsvRows } from '../text/read-rows.ts';
import { applyUnit, hierarchyRecordKey, type ImportContext, takeRowsOfUnit } from './apply-unit.ts';
import { parentTypeOf } from './levels.ts';
import { type RowTarget, readRowTarget, rowTargetKey, targetField } from './row-target.ts';
import {
  createRowUnit,
  failRowsOfUnit,
  hasTarget,
  type RowEntry,
  type RowUnit,
  rowFailedReason,
  rowsOfUnit,
} from './row-unit.ts';

/**
 * Imports rows as descendants of a record. Rows are applied concurrently, so that they share look-ups and
 * transactions; rows about a record and its ancestors or descendants keep the order of the file.
 */

/**
 * A batch has about this many records; further rows about columns of its last record are added up to the maximum
 * number of rows.
 */
const BATCH_RECORDS = 100;
const MAX_BATCH_ROWS = 2000;
/** Long rows make smaller batches, because rows in progress are held in memory several times. */
const MAX_BATCH_CHARACTERS = 128 * 1024;
const READ_BATCH_ROWS = 100;

const targetRecordKey = ({ type, fqn }: Pick<RowUnit, 'type' | 'fqn'>): string => hierarchyRecordKey(type, fqn);

const createEntry = (root: Snapshot, layout: CsvLayout, cells: RowEntry['cells']): RowEntry => {
  const row = openRowReader(layout, cells);
  const target = readRowTarget(root, row);
  return { cells, target, ...(target ? {} : { outcome: { status: 'failure', faults: row.faults } }) };
};

async function* readBatches({ source, isSafe, record, layout }: CsvImportRequest): AsyncGenerator<readonly RowEntry[]> {
  let batch: RowEntry[] = [];
  let records = new Set<string>();
  let characters = 0;
  for await (const rows of readCsvRows(source, { isSafe, atOnce: READ_BATCH_ROWS })) {
    for (const cells of rows) {
      const entry = createEntry(record, layout, cells);
      // A row without a target counts as a record of its own.
      const about = entry.target ? targetRecordKey(entry.target) : `row ${batch.length}`;
      const isFull = records.size >= BATCH_RECORDS || characters >= MAX_BATCH_CHARACTERS;
      if (batch.length >= MAX_BATCH_ROWS || (isFull && !records.has(about))) {
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

/** What is known of earlier rows. */
type EarlierRows = {
  /** The targets of earlier rows. */
  readonly targets: Set<string>;
  /** The records whose rows failed. */
  readonly failed: Set<string>;
};

/** Refuses a row whose target an earlier row has: the first row wins. */
const refuseDuplicateRow = (layout: CsvLayout, entry: RowEntry): void => {
  const row = openRowReader(layout, entry.cells);
  row.fail(targetField(row), 'an earlier row is about the same asset');
  entry.outcome = { status: 'failure', faults: row.faults };
};

/** Groups the rows of a batch into units, in the order of the file. */
const groupIntoUnits = (
  layout: CsvLayout,
  entries: readonly RowEntry[],
  { targets }: EarlierRows,
): readonly RowUnit[] => {
  const units: RowUnit[] = [];
  const latest = new Map<string, RowUnit>();
  const begin = (place: RowTarget): RowUnit => {
    const unit = createRowUnit(place);
    units.push(unit);
    latest.set(targetRecordKey(unit), unit);
    return unit;
  };
  for (const entry of entries) {
    if (!hasTarget(entry)) continue;
    const { target: place } = entry;
    const target = rowTargetKey(place);
    if (targets.has(target)) {
      refuseDuplicateRow(layout, entry);
      continue;
    }
    targets.add(target);
    // A row about a record starts a new unit, after earlier rows about the record's columns.
    if (place.path) (latest.get(targetRecordKey(place)) ?? begin(place)).columns.push(entry);
    else begin(place).record = entry;
  }
  return units;
};

/** Finds the failed record, the unit's own or its parent, without which its rows cannot be applied. */
const findFailedParent = ({ type, fqn, parentFqn, record }: RowUnit, { failed }: EarlierRows) => {
  const above = { type: parentTypeOf(type), fqn: parentFqn };
  return [above, ...(record ? [] : [{ type, fqn }])].find((one) => failed.has(targetRecordKey(one)));
};

type PendingChange = Promise<void>;

/** Whether a row names other records, which earlier rows may create, in its extension. */
const namesOtherRecords = ({ cells }: RowEntry, layout: CsvLayout): boolean =>
  (cells[fieldIndex(layout, 'extension') ?? -1] ?? '') !== '';

/** Applies a unit, and retries failed rows that name records which rows in progress may create. */
const applyUnitWithRetry = async (
  context: ImportContext,
  unit: RowUnit,
  earlier: readonly PendingChange[],
): Promise<void> => {
  await applyUnit(context, unit);
  const failed = rowsOfUnit(unit).filter(({ outcome }) => outcome?.status === 'failure');
  if (earlier.length === 0 || !failed.some((entry) => namesOtherRecords(entry, context.layout))) return;
  await Promise.allSettled(earlier);
  await applyUnit(context, takeRowsOfUnit(unit, failed));
};

const runUnitAfterParent = async (
  context: ImportContext,
  unit: RowUnit,
  past: EarlierRows,
  earlier: readonly PendingChange[],
): Promise<void> => {
  const above = findFailedParent(unit, past);
  if (above) failRowsOfUnit(unit, context.layout, rowFailedReason(above));
  else await applyUnitWithRetry(context, unit, earlier);
  if (unit.record && unit.record.outcome?.status !== 'success') past.failed.add(targetRecordKey(unit));
};

/** A running import, with its work in progress: all of it, by target, and by parent. */
type ImportRun = {
  readonly site: ImportContext;
  readonly earlier: EarlierRows;
  readonly checkRunning: () => void;
  readonly underWay: Set<PendingChange>;
  readonly at: Map<string, PendingChange>;
  readonly below: Map<string, Set<PendingChange>>;
};

/** Starts a unit once all earlier work on its target, ancestors and descendants has ended. */
const startUnit = (
  { site, earlier: past, checkRunning, underWay, at, below }: ImportRun,
  unit: RowUnit,
): PendingChange => {
  const key = targetRecordKey(unit);
  const above = hierarchyRecordKey(parentTypeOf(unit.type), unit.parentFqn);
  const before = [at.get(key), at.get(above), ...(below.get(key) ?? [])];
  const earlier = rowsOfUnit(unit).some((entry) => namesOtherRecords(entry, site.layout)) ? [...underWay] : [];
  const run = (async () => {
    await Promise.allSettled(before);
    checkRunning();
    await runUnitAfterParent(site, unit, past, earlier);
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

const SKIPPED = { status: 'skipped', faults: [] } as const;

/** Applies the rows of a batch. When the import must stop, rows in progress are still awaited. */
const applyImportBatch = async (course: ImportRun, batch: readonly RowEntry[]): Promise<readonly RowReport[]> => {
  const units = groupIntoUnits(course.site.layout, batch, course.earlier);
  const ends = await Promise.allSettled(units.map((unit) => startUnit(course, unit)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return batch.map(({ cells, outcome }) => ({ cells, outcome: outcome ?? SKIPPED }));
};

const createImportContext = ({ engine, principal, layout, dryRun, onUnexpected }: CsvImportRequest): ImportContext => {
  const pending: ImportContext['pending'] = new Map();
  const wouldExist = (type: string, fqn: string) => pending.has(hierarchyRecordKey(type, fqn));
  return {
    engine,
    principal,
    layout,
    dryRun,
    pending,
    onUnexpected,
    cells: createCellContext({ engine, principal, wouldExist }),
  };
};

/** The maximum number of concurrent batches: one is looked up while another is written. */
const MAX_CONCURRENT_BATCHES = 4;

/** Imports rows as descendants of a service, a database or a schema. */
export const importHierarchy: CsvImporter = async function* (request) {
  const earlier: EarlierRows = { targets: new Set(), failed: new Set() };
  const { checkRunning } = request;
  const course: ImportRun = {
    site: createImportContext(request),
    earlier,
    checkRunning,
    underWay: new Set(),
    at: new Map(),
    below: new Map(),
  };
  const batches: Promise<readonly RowReport[]>[] = [];
  try {
    for await (const batch of readBatches(request)) {
      await request.engine.authorizer.ensureFresh();
      const applied = applyImportBatch(course, batch);
      // The promise is awaited later; until then a rejection must not end the process.
      applied.catch(() => {});
      batches.push(applied);
      if (batches.length >= MAX_CONCURRENT_BATCHES) yield (await batches.shift()) ?? [];
    }
    while (batches.length > 0) yield (await batches.shift()) ?? [];
  } finally {
    await Promise.allSettled(batches);
  }
};
