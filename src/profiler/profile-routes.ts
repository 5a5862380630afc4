import type { Engine } from '../catalog/engine.ts';
import { nameAddress, queryFlag, requiredJson, viewFor, writeAnswer } from '../catalog/read/answer.ts';
import { columnFinder, type PlacedColumn } from '../catalog/read/column-paths.ts';
import { permit } from '../catalog/read/facts.ts';
import { NO_FIELDS, writeFields } from '../catalog/read/fields.ts';
import { render } from '../catalog/read/render.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import type { Address } from '../catalog/read/store.ts';
import { isWithheld, withheldColumns, withhold } from '../catalog/read/withheld.ts';
import { kindNamed } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { badRequest, notFound, recordNotFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { fqnPart, splitFqn } from '../model/name.ts';
import {
  ColumnProfile,
  CreateTableProfile,
  SystemProfile,
  TableProfile,
  withoutValues,
} from '../model/profile-values.ts';
import { operationsOfFields } from '../model/required-operations.ts';
import { isUuid } from '../model/uuid.ts';
import { check, dropNulls } from '../model/validate.ts';
import { keepReport, type Report, removeProfiles } from './ingest.ts';
import { answerPage, PAGE_PARAMETERS, pagingIn, windowIn } from './page.ts';
import { SORTS, type Sort } from './place.ts';
import type { ProfileRow } from './queries.ts';
import { ofColumn, ofColumns, ofTable, type Source, type Window } from './source.ts';

const PROFILE: ReadonlySet<string> = new Set(['profile']);
const EDIT: readonly string[] = ['EditDataProfile'];

/** A table, and one of its columns when the path names that. */
type Place = { readonly table: Snapshot; readonly column: PlacedColumn | undefined };

const joinParts = (parts: readonly string[]): string => parts.map(fqnPart).join('.');

/** What a path names: a table by its id or name, or one of the columns by name. */
const readPlace = (kind: Kind, text: string): { readonly address: Address; readonly column: string } => {
  if (isUuid(text)) return { address: { id: text.toLowerCase() }, column: '' };
  const parts = splitFqn(nameAddress(kind, text).fqn);
  const depth = kind.scopeDepth + 1;
  return { address: { fqn: joinParts(parts.slice(0, depth)) }, column: joinParts(parts.slice(depth)) };
};

const findPlace = async (
  engine: Engine,
  kind: Kind,
  call: Call,
  operations: readonly string[],
  fields = NO_FIELDS,
): Promise<Place> => {
  const text = call.params['id'] ?? '';
  const { address, column } = readPlace(kind, text);
  const table = await engine.store.record(kind, address, fields);
  if (!table || table.deleted) throw recordNotFound(kind.entityType, text);
  const found = column === '' ? undefined : columnFinder(kind, table.columns).named(column);
  if (column !== '' && !found) throw recordNotFound('column', text);
  await permit(engine, call.principal, operations, table);
  return { table, column: found };
};

/** The same where a path cannot name a column. */
const findTable = async (
  engine: Engine,
  kind: Kind,
  call: Call,
  operations: readonly string[],
  fields = NO_FIELDS,
): Promise<Snapshot> => {
  const { table, column } = await findPlace(engine, kind, call, operations, fields);
  if (column) throw recordNotFound(kind.entityType, call.params['id'] ?? '');
  return table;
};

/** The text of an object that has a member at least, with a name before the others. */
const named = (json: string, name: string): string => `{"name":${JSON.stringify(name)},${json.slice(1)}`;

/** Rows of columns with the names that those have now, as far as the caller may see what was measured. */
const showColumns = async (
  engine: Engine,
  call: Call,
  { kind, id, columns }: Snapshot,
): Promise<(rows: readonly ProfileRow[]) => string[]> => {
  const withheld = (await withheldColumns(engine, call.principal, [{ id, kind }])).get(id) ?? new Set<string>();
  const { byKey } = columnFinder(kind, columns);
  return (rows) =>
    rows.flatMap(({ key, json }) => {
      const column = byKey.get(key ?? '');
      if (!column) return [];
      const shown = isWithheld(column, withheld) ? JSON.stringify(withoutValues(JSON.parse(json) as JsonObject)) : json;
      return [named(shown, column.name)];
    });
};

const showPlainly = (rows: readonly ProfileRow[]): string[] => rows.map(({ json }) => json);

const sourceOf = (engine: Engine, sort: Sort, { table, column }: Place, window: Window): Source => {
  if (sort !== 'column') return ofTable(engine, sort, table.id, window);
  return column ? ofColumn(engine, column.node.key, window) : ofColumns(engine, table.id, window);
};

const list =
  (engine: Engine, kind: Kind, sort: Sort) =>
  async (call: Call): Promise<Answer> => {
    const window = windowIn(call.query, engine.clock());
    const paging = pagingIn(call.query);
    const place = await findPlace(engine, kind, call, operationsOfFields(kind, PROFILE));
    if (place.column && sort !== 'column') throw recordNotFound(kind.entityType, call.params['id'] ?? '');
    const source = sourceOf(engine, sort, place, window);
    return answerPage(source, paging, sort === 'column' ? await showColumns(engine, call, place.table) : showPlainly);
  };

/** The table with what was last measured of it, and of its columns unless they are not wanted. */
const latest =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const withColumns = queryFlag(call, 'includeColumnProfile', true);
    const table = await findTable(engine, kind, call, operationsOfFields(kind, PROFILE), PROFILE);
    const shown = await withhold(engine, call.principal, table);
    const { profile } = shown.beside;
    const bare =
      isObject(profile) && !withColumns ? { ...shown, beside: { profile: { ...profile, columns: {} } } } : shown;
    return { status: 200, json: render(bare, viewFor(engine, call, PROFILE)) };
  };

const put =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const report = check(CreateTableProfile, dropNulls((await requiredJson(call)) as Json)) as unknown as Report;
    const text = call.params['id'] ?? '';
    if (!isUuid(text)) throw recordNotFound(kind.entityType, text);
    const read = () => findTable(engine, kind, call, EDIT);
    const { id } = await read();
    await keepReport(engine, read, report);
    const fields = new Set([...writeFields(kind), ...PROFILE]);
    const table = await engine.store.record(kind, { id }, fields);
    if (!table) throw recordNotFound(kind.entityType, id);
    const record = await withhold(engine, call.principal, table);
    return writeAnswer(engine, call, { outcome: 'entityFieldsChanged', record }, PROFILE);
  };

const sortIn = (call: Call): Sort => {
  const word = call.params['sort'] ?? '';
  const sort = SORTS.find((known) => known === word);
  if (!sort) throw badRequest(`[${word} must be one of ${SORTS.join(', ')}]`);
  return sort;
};

/** No table has more columns, nor is more told of it for one moment. */
const MOST_AT_ONCE = 20_000;

const remove =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const sort = sortIn(call);
    const text = call.params['timestamp'] ?? '';
    const place = await findPlace(engine, kind, call, EDIT);
    const missing = () => notFound(`Failed to find a ${sort} profile for ${text}`);
    if (!/^\d{1,16}$/.test(text) || (place.column && sort !== 'column')) throw missing();
    const moment = Number(text);
    if (!Number.isSafeInteger(moment)) throw missing();
    const source = sourceOf(engine, sort, place, { start: moment, end: moment });
    const rows = await source.page(source.span, MOST_AT_ONCE);
    if (rows.length === 0) throw missing();
    await removeProfiles(
      engine,
      place.table,
      rows.map((row) => row.place),
    );
    return { status: 200 };
  };

const WITH_COLUMNS: QueryParameter = {
  name: 'includeColumnProfile',
  description: 'Whether the columns are answered with what was last measured of them',
  schema: { type: 'boolean', default: true },
};

const LISTS = {
  table: schema.listOfValues('TableProfileList', TableProfile),
  column: schema.listOfValues('ColumnProfileList', ColumnProfile),
  system: schema.listOfValues('SystemProfileList', SystemProfile),
} as const;
const SUMMARIES: Readonly<Record<Sort, string>> = {
  table: 'List what was measured of a table, by id or name, the newest first',
  column: 'List what was measured of the columns of a table, or of one by its name, the newest first',
  system: 'List what systems told of the use of a table, by id or name, the newest first',
};

/** What was measured of tables. */
export const profileRoutes = (engine: Engine): Route[] => {
  const kind = kindNamed(engine.registry, 'table');
  const tag = kind.title;
  const base = `/v1/${kind.path}/{id}`;
  const reading = { method: 'GET', tag, access: { operation: 'ViewDataProfile', resource: kind.entityType } } as const;
  const changing = { tag, access: { operation: 'EditDataProfile', resource: kind.entityType } } as const;
  return [
    ...SORTS.map(
      (sort): Route => ({
        ...reading,
        path: `${base}/${sort}Profile`,
        summary: SUMMARIES[sort],
        query: PAGE_PARAMETERS,
        responses: { 200: LISTS[sort] },
        handle: list(engine, kind, sort),
      }),
    ),
    {
      ...reading,
      path: `${base}/tableProfile/latest`,
      summary: 'Read a table, by id or name, with what was last measured of it',
      query: [WITH_COLUMNS],
      responses: { 200: schema.record(kind) },
      handle: latest(engine, kind),
    },
    {
      ...changing,
      method: 'PUT',
      path: `${base}/tableProfile`,
      summary: 'Keep what was measured of a table',
      body: { schema: CreateTableProfile, mediaTypes: ['application/json'] },
      responses: { 200: schema.record(kind) },
      handle: put(engine, kind),
    },
    {
      ...changing,
      method: 'DELETE',
      path: `${base}/{sort}/{timestamp}/profile`,
      summary: 'Forget what was measured at one moment',
      responses: { 200: undefined },
      handle: remove(engine, kind),
    },
  ];
};
