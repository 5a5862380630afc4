import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../catalog/engine.ts';
import { gone, ORDER, StaleState, stale, step } from '../catalog/plan/step.ts';
import { markStale, touchRecords } from '../catalog/queries.ts';
import { columnFinder, type PlacedColumn } from '../catalog/read/column-paths.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { badRequest, CatalogError } from '../errors.ts';
import type { Step, Write, WriteRow } from '../graph/commit.ts';
import { encodeProperty } from '../graph/property.ts';
import type { JsonObject } from '../model/json.ts';
import { momentPrefix, seriesOf } from './place.ts';
import { deleteProfiles, putColumnProfiles, putSystemProfiles, putTableProfiles, readKept } from './queries.ts';

type Measured = JsonObject & { readonly timestamp: number };
type OfColumn = Measured & { readonly name: string };
type OfSystem = Measured & { readonly operation: string };

/** What a request tells of a table, checked for shape. */
export type Report = {
  readonly tableProfile: Measured;
  readonly columnProfile?: readonly OfColumn[];
  readonly systemProfile?: readonly OfSystem[];
};

/** Enough of a name to put rows of one moment in order, and not more than an index takes. */
const ORDERING = 200;

const newSeries = (name: string): string => `${name.slice(0, ORDERING)}\u0001${randomUUID()}`;

const tableRow = ({ id }: Snapshot, profile: Measured): WriteRow => {
  const { timestamp } = profile;
  const place = momentPrefix('table', timestamp) + id;
  return {
    id,
    place,
    series: seriesOf('table', id),
    timestamp: encodeProperty(timestamp),
    json: JSON.stringify(profile),
  };
};

const systemRow = ({ id }: Snapshot, profile: OfSystem): WriteRow => {
  const { timestamp, operation } = profile;
  const place = `${momentPrefix('system', timestamp)}${operation} ${id}`;
  return {
    id,
    place,
    series: seriesOf('system', id),
    timestamp: encodeProperty(timestamp),
    json: JSON.stringify(profile),
  };
};

const columnRow = (id: string, { node }: PlacedColumn, fresh: string, { name: _, ...profile }: OfColumn): WriteRow => ({
  id,
  column: node.key,
  fresh,
  moment: momentPrefix('column', profile.timestamp as number),
  timestamp: encodeProperty(profile.timestamp),
  json: JSON.stringify(profile),
});

/** A later row for the same moment is the one that counts. */
const lastOf = (rows: readonly (readonly [key: string, row: WriteRow])[]): readonly WriteRow[] => [
  ...new Map(rows).values(),
];

const columnRows = (table: Snapshot, profiles: readonly OfColumn[]): readonly WriteRow[] => {
  const { named } = columnFinder(table.kind, table.columns);
  // Rows of one column in one request must agree on the series that the first of them makes.
  const fresh = new Map<string, string>();
  return lastOf(
    profiles.map((profile) => {
      const column = named(profile.name);
      if (!column) throw badRequest(`Invalid column name ${profile.name}`);
      const { key } = column.node;
      const series = fresh.get(key) ?? newSeries(column.name);
      fresh.set(key, series);
      return [`${key} ${profile.timestamp}`, columnRow(table.id, column, series, profile)] as const;
    }),
  );
};

/** Profiles hang beside a table: its version stays, and nobody is told. */
const planBeside = ({ kind, id }: Snapshot, steps: readonly Step[]): Write => ({
  keys: [id],
  steps: [
    step(touchRecords, ORDER.lock, [{ id, changes: {} }], gone(kind.entityType, id)),
    ...steps,
    step(markStale, ORDER.tell, [{ entityId: id }]),
  ],
});

type Rows = Readonly<Record<'table' | 'column' | 'system', readonly WriteRow[]>>;

const rowsOf = (table: Snapshot, { tableProfile, columnProfile = [], systemProfile = [] }: Report): Rows => ({
  table: [tableRow(table, tableProfile)],
  column: columnRows(table, columnProfile),
  system: lastOf(systemProfile.map((one) => [`${one.timestamp} ${one.operation}`, systemRow(table, one)] as const)),
});

const planReport = (table: Snapshot, { table: own, column, system }: Rows): Write =>
  planBeside(table, [
    step(putTableProfiles, ORDER.link, own, stale),
    step(putColumnProfiles, ORDER.link, column, stale),
    step(putSystemProfiles, ORDER.link, system, stale),
  ]);

const areKept = async ({ graph }: Engine, rows: readonly WriteRow[]): Promise<boolean> => {
  const asked = rows.map(({ place = null, column = null, moment = null }, at) => ({ place, column, moment, at }));
  const found = new Map((await graph.read(readKept, { rows: asked })).map(({ at, json }) => [at, json]));
  return rows.every(({ json }, at) => found.get(at) === json);
};

/** Whether everything is kept as it is sent. The table alone tells it for almost every report that is new. */
const isRepeated = async (engine: Engine, { table, column, system }: Rows): Promise<boolean> =>
  (await areKept(engine, table)) && (await areKept(engine, [...column, ...system]));

/** How often a report is tried again on the columns that the table has by then. */
const ATTEMPTS = 20;

/**
 * Keeps what was measured of a table: all of it or nothing, and nothing if it is kept already. `read` answers the table as
 * it is, or throws.
 */
export const keepReport = async (engine: Engine, read: () => Promise<Snapshot>, report: Report): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const table = await read();
      const rows = rowsOf(table, report);
      if (await isRepeated(engine, rows)) return;
      return await engine.commit(planReport(table, rows));
    } catch (failure) {
      if (!(failure instanceof StaleState)) throw failure;
      if (attempt === ATTEMPTS)
        throw new CatalogError('unavailable', 'The table is being changed too often at the moment');
      await sleep(Math.random() * 10 * attempt);
    }
  }
};

/** Removes profiles of a table by their places. */
export const removeProfiles = (engine: Engine, table: Snapshot, places: readonly string[]): Promise<void> => {
  const rows = places.map((place) => ({ place }));
  return engine.commit(planBeside(table, [step(deleteProfiles, ORDER.unlink, rows)]));
};
