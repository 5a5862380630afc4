import { createHash } from 'node:crypto';
import type { Engine } from '../catalog/engine.ts';
import { viewFor } from '../catalog/read/answer.ts';
import { columnFinder } from '../catalog/read/column-paths.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { renderRef } from '../catalog/read/render.ts';
import { type Sight, sightOf } from '../catalog/read/sight.ts';
import { refOf, type Snapshot } from '../catalog/read/snapshot.ts';
import { isWithheld, withheldColumns } from '../catalog/read/withheld.ts';
import { kindNamed } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { badRequest } from '../errors.ts';
import { textParameter } from '../http/query.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { MomentPlace } from '../model/cursor.ts';
import type { JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { EntityProfile, withoutValues } from '../model/profile-values.ts';
import { recordType } from '../model/record-type.ts';
import { operationsOfFields } from '../model/required-operations.ts';
import { answerPage, PAGE_PARAMETERS, pagingIn, windowIn, withNulls } from './page.ts';
import { after, bareOf, edgeOf, placeOf, SORTS, type Sort, sortOf, spanOf, withSort } from './place.ts';
import { countAll, findAll, listAll, type ProfileRow, type Span } from './queries.ts';
import type { Source, Window } from './source.ts';

/** Profiles of all tables that a caller may see, in the order of time. */

const PROFILE: ReadonlySet<string> = new Set(['profile']);

type Placed = { readonly place: string; readonly tableId: string };

/** Sorts as the database does, by code point. What is compared is the place without its sort. */
const byMoment = (a: Placed, b: Placed): number =>
  Buffer.compare(Buffer.from(bareOf(a.place)), Buffer.from(bareOf(b.place)));

type Look = (rows: readonly Placed[]) => Promise<ReadonlySet<string>>;

/** The tables of some rows that are there and that a caller may see. */
const lookBy =
  ({ store }: Pick<Engine, 'store'>, sight: Sight): Look =>
  async (rows) => {
    const ids = [...new Set(rows.map(({ tableId }) => tableId))];
    const found = await Promise.all(ids.map((id) => store.referenceById(id)));
    const living = found.flatMap((node) => (node && !node.deleted ? [node.id] : []));
    return sight === 'all' ? new Set(living) : sight(living);
  };

/** How many rows are read at once where some of them may not be for the caller. */
const AT_ONCE = 1000;

type Read<R> = (edge: string | undefined, limit: number) => Promise<readonly R[]>;

/** The rows that a caller may see, as they are read on and on; at first no more than so many are looked at. */
async function* visible<R extends Placed>(read: Read<R>, look: Look, few: number): AsyncGenerator<readonly R[]> {
  let edge: string | undefined;
  for (let size = Math.min(few, AT_ONCE); ; size = Math.min(size * 2, AT_ONCE)) {
    const rows = await read(edge, size);
    const seen = await look(rows);
    yield rows.filter(({ tableId }) => seen.has(tableId));
    const last = rows.at(-1);
    if (!last || rows.length < size) return;
    edge = bareOf(last.place);
  }
}

const rowsOf = async <R extends Placed>(read: Read<R>, look: Look, limit: number): Promise<readonly R[]> => {
  const found: R[] = [];
  for await (const rows of visible(read, look, limit)) {
    found.push(...rows);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
};

/** The places of the two rows behind so many others. */
const placesBehind = async (read: Read<Placed>, look: Look, skip: number): Promise<readonly string[]> => {
  const found: string[] = [];
  let passed = 0;
  for await (const rows of visible(read, look, skip + 2)) {
    for (const { place } of rows) {
      if (passed >= skip) found.push(bareOf(place));
      passed += 1;
    }
    if (found.length >= 2) break;
  }
  return found.slice(0, 2);
};

const ofSort = (sort: Sort, { from, to }: Span): Span => ({ from: withSort(sort, from), to: withSort(sort, to) });

const bareSpan = ({ start, end }: Window): Span => {
  const { from, to } = spanOf('table', start, end);
  return { from: bareOf(from), to: bareOf(to) };
};

/** All profiles of some sorts. Their places go without the sort, so that they stand in one order. */
const sourceOf = ({ graph }: Engine, sorts: readonly Sort[], window: Window, look: Look): Source => {
  const merged = async <R extends Placed>(read: (sort: Sort) => Promise<readonly R[]>, limit: number, turn: 1 | -1) => {
    const rows = (await Promise.all(sorts.map(read))).flat();
    return rows.sort((a, b) => turn * byMoment(a, b)).slice(0, limit);
  };
  const span = bareSpan(window);
  return {
    span,
    page: async (part, limit) => {
      const read: Read<ProfileRow> = (edge, size) => {
        const rest = edge === undefined ? part : { ...part, from: after(edge) };
        return merged((sort) => graph.read(listAll, { ...ofSort(sort, rest), limit: size }), size, 1);
      };
      const rows = await rowsOf(read, look, limit);
      return rows.map((row) => ({ ...row, place: bareOf(row.place), sort: sortOf(row.place) }));
    },
    find: (part, skip) => {
      const read: Read<Placed> = (edge, size) => {
        const rest = edge === undefined ? part : { ...part, to: edge };
        return merged((sort) => graph.read(findAll, { ...ofSort(sort, rest), limit: size }), size, -1);
      };
      return placesBehind(read, look, skip);
    },
    total: async () => {
      const counts = await Promise.all(sorts.map((sort) => graph.read(countAll, ofSort(sort, span))));
      const rows = counts.flat().map((row) => ({ ...row, place: '' }));
      const seen = await look(rows);
      return rows.reduce((sum, { tableId, total }) => (seen.has(tableId) ? sum + total : sum), 0);
    },
    edgeOf: (bare) => edgeOf(withSort('table', bare)),
    placeOf: (edge: MomentPlace) => bareOf(placeOf('table', edge)),
  };
};

/** A profile has no id of its own: one that follows from its place tells it apart from all others. */
const idOf = (place: string): string => {
  const hex = createHash('sha256').update(place).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
};

type Finders = ReadonlyMap<string, ReturnType<typeof columnFinder>>;

const dataOf = (row: ProfileRow, finders: Finders, withheld: ReadonlyMap<string, ReadonlySet<string>>) => {
  const data = JSON.parse(row.json) as JsonObject;
  if (row.sort !== 'column') return data;
  const column = finders.get(row.tableId)?.byKey.get(row.key ?? '');
  if (!column) return undefined;
  const profile = { name: column.name, ...data };
  return isWithheld(column, withheld.get(row.tableId) ?? new Set()) ? withoutValues(profile) : profile;
};

const shower =
  (engine: Engine, call: Call, kind: Kind) =>
  async (rows: readonly ProfileRow[]): Promise<string[]> => {
    const ids = [...new Set(rows.map(({ tableId }) => tableId))];
    const tables = await engine.store.records(kind, ids, NO_FIELDS);
    const byId = new Map<string, Snapshot>(tables.map((table) => [table.id, table]));
    const finders: Finders = new Map(tables.map((table) => [table.id, columnFinder(kind, table.columns)]));
    const withheld = await withheldColumns(engine, call.principal, tables);
    const view = viewFor(engine, call, NO_FIELDS);
    return rows.flatMap((row) => {
      const { sort = 'table', place, tableId } = row;
      const table = byId.get(tableId);
      const profileData = dataOf(row, finders, withheld);
      if (!table || !profileData) return [];
      const { timestamp } = edgeOf(withSort(sort, place));
      const entityReference = renderRef(refOf(table), view);
      const id = idOf(withSort(sort, place));
      return [JSON.stringify({ id, entityReference, timestamp, profileData, profileType: sort })];
    });
  };

const sortsIn = (query: URLSearchParams): readonly Sort[] => {
  const text = query.get('profileType');
  if (!text) return SORTS;
  const sort = SORTS.find((known) => known === text);
  if (!sort) throw badRequest(`[profileType must be one of ${SORTS.join(', ')}]`);
  return [sort];
};

const NOTHING: Pick<Source, 'page' | 'find' | 'total'> = {
  page: () => Promise.resolve([]),
  find: () => Promise.resolve([]),
  total: () => Promise.resolve(0),
};

const list =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const text = call.params['entityType'] ?? '';
    const entityType = recordType(text);
    if (!entityType) throw badRequest(`Invalid entity ${text}`);
    const sorts = sortsIn(call.query);
    const [window, paging] = [windowIn(call.query, engine.clock()), pagingIn(call.query)];
    const sight = sightOf(engine, call.principal, operationsOfFields(kind, PROFILE), entityType);
    const source = sourceOf(engine, sorts, window, lookBy(engine, sight));
    const found = entityType === kind.entityType ? source : { ...source, ...NOTHING };
    return answerPage(found, paging, shower(engine, call, kind), withNulls);
  };

/** What was measured of all records of a type. */
export const everyProfileRoute = (engine: Engine): Route => {
  const kind = kindNamed(engine.registry, 'table');
  return {
    method: 'GET',
    path: '/v1/entity/profiles/{entityType}',
    summary: 'List what was measured of all records of a type, the newest first',
    tag: kind.title,
    access: { operation: 'ViewDataProfile', resource: kind.entityType },
    query: [...PAGE_PARAMETERS, textParameter('profileType', `Only ${SORTS.join(', or only ')}`)],
    responses: { 200: schema.listOfValues('EntityProfileList', EntityProfile) },
    handle: list(engine, kind),
  };
};
