import { createHash } from 'node:crypto';
import type { Engine } from '../catalog/engine.ts';
import { createView } from '../catalog/read/answer.ts';
import { createColumnFinder } from '../catalog/read/column-paths.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { renderRef } from '../catalog/read/render.ts';
import {
  findRedactedColumns,
  isColumnRedacted,
  measuredAt,
  type WithheldColumns,
} from '../catalog/read/sensitive-values.ts';
import { type Snapshot, toRefNode } from '../catalog/read/snapshot.ts';
import { type Visibility, visibilityOf } from '../catalog/read/visibility.ts';
import { requireKind } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { badRequest } from '../errors.ts';
import { textParameter } from '../http/query-parameters.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { SeriesPosition } from '../model/cursor.ts';
import type { JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { parseRecordType } from '../model/kind/record-type.ts';
import { operationsToReadFields } from '../model/kind/required-operations.ts';
import { EntityProfile, redactColumnProfile } from '../model/schemas/profiler/profile.ts';
import { answerProfilePage, PAGE_PARAMETERS, pagingWithNulls, parsePaging, parseWindow } from './page.ts';
import type { ProfileSource, TimeWindow } from './profile-source.ts';
import {
  countAllProfiles,
  findProfilesBefore,
  listAllProfiles,
  type ProfileRow,
  type SortKeyRange,
} from './queries.ts';
import {
  decodeSortKey,
  encodeSortKey,
  nextSortKey,
  PROFILE_TYPES,
  type ProfileType,
  profileTypeOf,
  sortKeyRange,
  withoutTypePrefix,
  withTypePrefix,
} from './sort-key.ts';

/** Lists the profiles of all tables that a caller may see, ordered by time. */

const PROFILE: ReadonlySet<string> = new Set(['profile']);

type ProfileLocation = { readonly place: string; readonly tableId: string };

/** Compares sort keys by code point, as the database does, ignoring the profile type. */
const compareSortKeys = (a: ProfileLocation, b: ProfileLocation): number =>
  Buffer.compare(Buffer.from(withoutTypePrefix(a.place)), Buffer.from(withoutTypePrefix(b.place)));

type TableVisibilityCheck = (rows: readonly ProfileLocation[]) => Promise<ReadonlySet<string>>;

/** Filters rows to those of tables that exist and that the caller may see. */
const createVisibilityCheck =
  ({ store }: Pick<Engine, 'store'>, visibility: Visibility): TableVisibilityCheck =>
  async (rows) => {
    const ids = [...new Set(rows.map(({ tableId }) => tableId))];
    const found = await Promise.all(ids.map((id) => store.referenceById(id)));
    const living = found.flatMap((node) => (node && !node.deleted ? [node.id] : []));
    return visibility === 'all' ? new Set(living) : visibility(living);
  };

/** The number of rows per read when some of them may not be visible to the caller. */
const ROWS_PER_READ = 1000;

type ProfileRowReader<R> = (edge: string | undefined, limit: number) => Promise<readonly R[]>;

/** Reads the rows that a caller may see, batch by batch, starting with a small batch. */
async function* readVisibleRows<R extends ProfileLocation>(
  read: ProfileRowReader<R>,
  check: TableVisibilityCheck,
  firstSize: number,
): AsyncGenerator<readonly R[]> {
  let edge: string | undefined;
  for (let size = Math.min(firstSize, ROWS_PER_READ); ; size = Math.min(size * 2, ROWS_PER_READ)) {
    const rows = await read(edge, size);
    const seen = await check(rows);
    yield rows.filter(({ tableId }) => seen.has(tableId));
    const last = rows.at(-1);
    if (!last || rows.length < size) return;
    edge = withoutTypePrefix(last.place);
  }
}

const collectRows = async <R extends ProfileLocation>(
  read: ProfileRowReader<R>,
  check: TableVisibilityCheck,
  limit: number,
): Promise<readonly R[]> => {
  const found: R[] = [];
  for await (const rows of readVisibleRows(read, check, limit)) {
    found.push(...rows);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
};

/** Finds the sort keys of the two rows that follow a given number of others. */
const findSortKeysBehind = async (
  read: ProfileRowReader<ProfileLocation>,
  check: TableVisibilityCheck,
  skip: number,
): Promise<readonly string[]> => {
  const found: string[] = [];
  let passed = 0;
  for await (const rows of readVisibleRows(read, check, skip + 2)) {
    for (const { place } of rows) {
      if (passed >= skip) found.push(withoutTypePrefix(place));
      passed += 1;
    }
    if (found.length >= 2) break;
  }
  return found.slice(0, 2);
};

const rangeOfType = (sort: ProfileType, { from, to }: SortKeyRange): SortKeyRange => ({
  from: withTypePrefix(sort, from),
  to: withTypePrefix(sort, to),
});

const rangeOfWindow = ({ start, end }: TimeWindow): SortKeyRange => {
  const { from, to } = sortKeyRange('table', start, end);
  return { from: withoutTypePrefix(from), to: withoutTypePrefix(to) };
};

/** A source of the profiles of several types. Sort keys omit the type, so that all types share one order. */
const createSource = (
  { graph }: Engine,
  sorts: readonly ProfileType[],
  window: TimeWindow,
  check: TableVisibilityCheck,
): ProfileSource => {
  const merged = async <R extends ProfileLocation>(
    read: (sort: ProfileType) => Promise<readonly R[]>,
    limit: number,
    turn: 1 | -1,
  ) => {
    const rows = (await Promise.all(sorts.map(read))).flat();
    return rows.sort((a, b) => turn * compareSortKeys(a, b)).slice(0, limit);
  };
  const span = rangeOfWindow(window);
  return {
    span,
    page: async (part, limit) => {
      const read: ProfileRowReader<ProfileRow> = (edge, size) => {
        const rest = edge === undefined ? part : { ...part, from: nextSortKey(edge) };
        return merged((sort) => graph.read(listAllProfiles, { ...rangeOfType(sort, rest), limit: size }), size, 1);
      };
      const rows = await collectRows(read, check, limit);
      return rows.map((row) => ({ ...row, place: withoutTypePrefix(row.place), sort: profileTypeOf(row.place) }));
    },
    find: (part, skip) => {
      const read: ProfileRowReader<ProfileLocation> = (edge, size) => {
        const rest = edge === undefined ? part : { ...part, to: edge };
        return merged((sort) => graph.read(findProfilesBefore, { ...rangeOfType(sort, rest), limit: size }), size, -1);
      };
      return findSortKeysBehind(read, check, skip);
    },
    total: async () => {
      const counts = await Promise.all(sorts.map((sort) => graph.read(countAllProfiles, rangeOfType(sort, span))));
      const rows = counts.flat().map((row) => ({ ...row, place: '' }));
      const seen = await check(rows);
      return rows.reduce((sum, { tableId, total }) => (seen.has(tableId) ? sum + total : sum), 0);
    },
    edgeOf: (bare) => decodeSortKey(withTypePrefix('table', bare)),
    placeOf: (edge: SeriesPosition) => withoutTypePrefix(encodeSortKey('table', edge)),
  };
};

/** Derives the ID of a profile from its sort key, as profiles have no stored ID. */
const profileIdOf = (place: string): string => {
  const hex = createHash('sha256').update(place).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
};

type ColumnFinders = ReadonlyMap<string, ReturnType<typeof createColumnFinder>>;

const profileDataOf = (row: ProfileRow, finders: ColumnFinders, withheld: ReadonlyMap<string, WithheldColumns>) => {
  const data = JSON.parse(row.json) as JsonObject;
  if (row.sort !== 'column') return data;
  const column = finders.get(row.tableId)?.byKey.get(row.key ?? '');
  if (!column) return undefined;
  const profile = { name: column.name, ...data };
  const hidden = withheld.get(row.tableId);
  return hidden && isColumnRedacted(column, hidden, measuredAt(data)) ? redactColumnProfile(profile) : profile;
};

const createRowRenderer =
  (engine: Engine, call: Call, kind: Kind) =>
  async (rows: readonly ProfileRow[]): Promise<string[]> => {
    const ids = [...new Set(rows.map(({ tableId }) => tableId))];
    const tables = await engine.store.records(kind, ids, NO_FIELDS);
    const byId = new Map<string, Snapshot>(tables.map((table) => [table.id, table]));
    const finders: ColumnFinders = new Map(tables.map((table) => [table.id, createColumnFinder(kind, table.columns)]));
    const withheld = await findRedactedColumns(engine, call.principal, tables);
    const view = createView(engine, call, NO_FIELDS);
    return rows.flatMap((row) => {
      const { sort = 'table', place, tableId } = row;
      const table = byId.get(tableId);
      const profileData = profileDataOf(row, finders, withheld);
      if (!table || !profileData) return [];
      const { timestamp } = decodeSortKey(withTypePrefix(sort, place));
      const entityReference = renderRef(toRefNode(table), view);
      const id = profileIdOf(withTypePrefix(sort, place));
      return [JSON.stringify({ id, entityReference, timestamp, profileData, profileType: sort })];
    });
  };

const parseProfileTypes = (query: URLSearchParams): readonly ProfileType[] => {
  const text = query.get('profileType');
  if (!text) return PROFILE_TYPES;
  const sort = PROFILE_TYPES.find((known) => known === text);
  if (!sort) throw badRequest(`[profileType must be one of ${PROFILE_TYPES.join(', ')}]`);
  return [sort];
};

const EMPTY_SOURCE: Pick<ProfileSource, 'page' | 'find' | 'total'> = {
  page: () => Promise.resolve([]),
  find: () => Promise.resolve([]),
  total: () => Promise.resolve(0),
};

const list =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const text = call.params['entityType'] ?? '';
    const entityType = parseRecordType(text);
    if (!entityType) throw badRequest(`Invalid entity ${text}`);
    const sorts = parseProfileTypes(call.query);
    const [window, paging] = [parseWindow(call.query, engine.clock()), parsePaging(call.query)];
    const visibility = visibilityOf(engine, call.principal, operationsToReadFields(kind, PROFILE), entityType);
    const source = createSource(engine, sorts, window, createVisibilityCheck(engine, visibility));
    const found = entityType === kind.entityType ? source : { ...source, ...EMPTY_SOURCE };
    return answerProfilePage(found, paging, createRowRenderer(engine, call, kind), pagingWithNulls);
  };

/** The route that lists the profiles of all records of a type. */
export const allProfilesRoute = (engine: Engine): Route => {
  const kind = requireKind(engine.registry, 'table');
  return {
    method: 'GET',
    path: '/v1/entity/profiles/{entityType}',
    summary: 'List profiles of all assets of a type, newest first',
    tag: kind.title,
    access: { operation: 'ViewDataProfile', resource: kind.entityType },
    query: [...PAGE_PARAMETERS, textParameter('profileType', `Profile type: ${PROFILE_TYPES.join(', ')}`)],
    responses: { 200: schema.nullableCursorListSchema('EntityProfileList', EntityProfile) },
    handle: list(engine, kind),
  };
};
