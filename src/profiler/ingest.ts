import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../catalog/engine.ts';
import { createStep, notFoundFactory, STEP_ORDER, StaleStateError, staleStateError } from '../catalog/plan/step.ts';
import { bumpRevisions, markDocumentsStale } from '../catalog/queries.ts';
import { createColumnFinder, type PlacedColumn } from '../catalog/read/column-paths.ts';
import { findSensitiveColumns, isColumnRedacted, type WithheldColumns } from '../catalog/read/sensitive-values.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { badRequest, CatalogError } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { WriteRequest, WriteStatementRow, WriteStep } from '../graph/group-commit.ts';
import type { JsonObject } from '../model/json.ts';
import {
  deleteProfiles,
  readStoredProfiles,
  upsertColumnProfiles,
  upsertSystemProfiles,
  upsertTableProfiles,
} from './queries.ts';
import { profileSeriesOf, timestampPrefix } from './sort-key.ts';

/** Stores and removes profile reports of tables. */

type ProfileValues = JsonObject & { readonly timestamp: number };
type ColumnProfileValues = ProfileValues & { readonly name: string };
type SystemProfileValues = ProfileValues & { readonly operation: string };

/** A profile report of a table, validated for shape. */
export type ProfileReport = {
  /** Absent when only columns or writes were measured. */
  readonly tableProfile?: ProfileValues;
  readonly columnProfile?: readonly ColumnProfileValues[];
  readonly systemProfile?: readonly SystemProfileValues[];
};

/** The length to which names are cut: enough to order rows with one timestamp, and within the limits of an index. */
const MAX_SERIES_NAME = 200;

const newSeries = (name: string): string => `${name.slice(0, MAX_SERIES_NAME)}\u0001${randomUUID()}`;

const tableRow = ({ id }: Snapshot, profile: ProfileValues): WriteStatementRow => {
  const { timestamp } = profile;
  const place = timestampPrefix('table', timestamp) + id;
  return {
    id,
    place,
    series: profileSeriesOf('table', id),
    timestamp: encodeProperty(timestamp),
    json: JSON.stringify(profile),
  };
};

const systemRow = ({ id }: Snapshot, profile: SystemProfileValues): WriteStatementRow => {
  const { timestamp, operation } = profile;
  const place = `${timestampPrefix('system', timestamp)}${operation} ${id}`;
  return {
    id,
    place,
    series: profileSeriesOf('system', id),
    timestamp: encodeProperty(timestamp),
    json: JSON.stringify(profile),
  };
};

const columnRow = (
  id: string,
  { node }: PlacedColumn,
  isSensitive: boolean,
  fresh: string,
  { name: _, ...profile }: ColumnProfileValues,
): WriteStatementRow => ({
  id,
  column: node.key,
  isSensitive,
  fresh,
  moment: timestampPrefix('column', profile.timestamp as number),
  timestamp: encodeProperty(profile.timestamp),
  json: JSON.stringify(profile),
});

/** Keeps the last row per key, because a later row with the same timestamp wins. */
const lastPerKey = (
  rows: readonly (readonly [key: string, row: WriteStatementRow])[],
): readonly WriteStatementRow[] => [...new Map(rows).values()];

const columnRows = (
  table: Snapshot,
  sensitive: WithheldColumns | undefined,
  profiles: readonly ColumnProfileValues[],
): readonly WriteStatementRow[] => {
  const { named } = createColumnFinder(table.kind, table.columns);
  // Rows of one column in one request must share the series that the first of them creates.
  const fresh = new Map<string, string>();
  return lastPerKey(
    profiles.map((profile) => {
      const column = named(profile.name);
      if (!column) throw badRequest(`Invalid column name ${profile.name}`);
      const { key } = column.node;
      const series = fresh.get(key) ?? newSeries(column.name);
      fresh.set(key, series);
      const isSensitive = sensitive !== undefined && isColumnRedacted(column, sensitive);
      return [`${key} ${profile.timestamp}`, columnRow(table.id, column, isSensitive, series, profile)] as const;
    }),
  );
};

/**
 * Plans a write of profiles. Profiles do not belong to the table's document, so the table's version stays the same
 * and no event is published.
 */
const planProfileWrite = (
  { kind, id }: Snapshot,
  steps: readonly WriteStep[],
  changes: Readonly<Record<string, unknown>> = {},
): WriteRequest => ({
  keys: [id],
  steps: [
    createStep(bumpRevisions, STEP_ORDER.lock, [{ id, changes }], notFoundFactory(kind.entityType, id)),
    ...steps,
    createStep(markDocumentsStale, STEP_ORDER.publish, [{ entityId: id }]),
  ],
});

type ProfileRows = Readonly<Record<'table' | 'column' | 'system', readonly WriteStatementRow[]>>;

const buildRows = (
  table: Snapshot,
  sensitive: WithheldColumns | undefined,
  { tableProfile, columnProfile = [], systemProfile = [] }: ProfileReport,
): ProfileRows => ({
  table: tableProfile ? [tableRow(table, tableProfile)] : [],
  column: columnRows(table, sensitive, columnProfile),
  system: lastPerKey(systemProfile.map((one) => [`${one.timestamp} ${one.operation}`, systemRow(table, one)] as const)),
});

const planReport = (table: Snapshot, { table: own, column, system }: ProfileRows): WriteRequest =>
  planProfileWrite(
    table,
    [
      createStep(upsertTableProfiles, STEP_ORDER.link, own, staleStateError),
      createStep(upsertColumnProfiles, STEP_ORDER.link, column, staleStateError),
      createStep(upsertSystemProfiles, STEP_ORDER.link, system, staleStateError),
    ],
    column.some(({ isSensitive }) => isSensitive) ? { sensitiveProfiles: true } : {},
  );

const areStored = async ({ graph }: Engine, rows: readonly WriteStatementRow[]): Promise<boolean> => {
  const keys = rows.map(({ place = null, column = null, moment = null }, at) => ({ place, column, moment, at }));
  const found = new Map((await graph.read(readStoredProfiles, { rows: keys })).map(({ at, json }) => [at, json]));
  return rows.every(({ json }, at) => found.get(at) === json);
};

/**
 * Whether everything in a report is stored already. Checking the table's own row first settles almost every new
 * report.
 */
const isRepeated = async (engine: Engine, { table, column, system }: ProfileRows): Promise<boolean> =>
  (await areStored(engine, table)) && (await areStored(engine, [...column, ...system]));

/** How often a report is retried with the current columns of the table. */
const ATTEMPTS = 20;

/**
 * Stores a profile report, all or nothing, and writes nothing when it is stored already. `read` returns the current
 * table or throws.
 */
export const storeProfileReport = async (
  engine: Engine,
  read: () => Promise<Snapshot>,
  report: ProfileReport,
): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const table = await read();
      const sensitive = report.columnProfile && (await findSensitiveColumns(engine, [table.id])).get(table.id);
      const rows = buildRows(table, sensitive, report);
      if (await isRepeated(engine, rows)) return;
      return await engine.commit(planReport(table, rows));
    } catch (failure) {
      if (!(failure instanceof StaleStateError)) throw failure;
      if (attempt === ATTEMPTS)
        throw new CatalogError('unavailable', 'The table is being changed too often, try again shortly');
      await sleep(Math.random() * 10 * attempt);
    }
  }
};

/** Deletes profiles of a table by sort key. */
export const removeProfiles = (engine: Engine, table: Snapshot, places: readonly string[]): Promise<void> => {
  const rows = places.map((place) => ({ place }));
  return engine.commit(planProfileWrite(table, [createStep(deleteProfiles, STEP_ORDER.unlink, rows)]));
};
