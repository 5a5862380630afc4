import type { Engine } from '../catalog/engine.ts';
import { buildWriteAnswer, createView, nameAddress, parseQueryFlag, readRequiredJson } from '../catalog/read/answer.ts';
import { createColumnFinder, type PlacedColumn } from '../catalog/read/column-paths.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { NO_FIELDS, writeFields } from '../catalog/read/fields.ts';
import { renderRecord } from '../catalog/read/render.ts';
import {
  findRedactedColumns,
  isColumnRedacted,
  measuredAt,
  redactRecord,
  type WithheldColumns,
} from '../catalog/read/sensitive-values.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import type { Address } from '../catalog/read/store.ts';
import { requireKind } from '../catalog/registry.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { badRequest, notFound, recordNotFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { operationsToReadFields } from '../model/kind/required-operations.ts';
import { fqnPart, splitFqn } from '../model/name.ts';
import {
  ColumnProfile,
  CreateTableProfile,
  redactColumnProfile,
  SystemProfile,
  TableProfile,
} from '../model/schemas/profiler/profile.ts';
import { isUuid } from '../model/uuid.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { type ProfileReport, removeProfiles, storeProfileReport } from './ingest.ts';
import { answerProfilePage, PAGE_PARAMETERS, parsePaging, parseWindow } from './page.ts';
import {
  columnProfileSource,
  columnsProfileSource,
  type ProfileSource,
  type TimeWindow,
  tableProfileSource,
} from './profile-source.ts';
import type { ProfileRow } from './queries.ts';
import { PROFILE_TYPES, type ProfileType } from './sort-key.ts';

const PROFILE: ReadonlySet<string> = new Set(['profile']);
const EDIT: readonly string[] = ['EditDataProfile'];

/** A table, and one of its columns if the path names one. */
type ProfileTarget = { readonly table: Snapshot; readonly column: PlacedColumn | undefined };

const joinParts = (parts: readonly string[]): string => parts.map(fqnPart).join('.');

/** Parses the text in a path: a table's ID or name, or the name of a column. */
const parseTarget = (kind: Kind, text: string): { readonly address: Address; readonly column: string } => {
  if (isUuid(text)) return { address: { id: text.toLowerCase() }, column: '' };
  const parts = splitFqn(nameAddress(kind, text).fqn);
  const depth = kind.scopeDepth + 1;
  return { address: { fqn: joinParts(parts.slice(0, depth)) }, column: joinParts(parts.slice(depth)) };
};

const findProfileTarget = async (
  engine: Engine,
  kind: Kind,
  call: Call,
  operations: readonly string[],
  fields = NO_FIELDS,
): Promise<ProfileTarget> => {
  const text = call.params['id'] ?? '';
  const { address, column } = parseTarget(kind, text);
  const table = await engine.store.record(kind, address, fields);
  if (!table || table.deleted) throw recordNotFound(kind.entityType, text);
  const found = column === '' ? undefined : createColumnFinder(kind, table.columns).named(column);
  if (column !== '' && !found) throw recordNotFound('column', text);
  await authorizeRecord(engine, call.principal, operations, table);
  return { table, column: found };
};

/** Finds a table where the path cannot name a column. */
const findTable = async (
  engine: Engine,
  kind: Kind,
  call: Call,
  operations: readonly string[],
  fields = NO_FIELDS,
): Promise<Snapshot> => {
  const { table, column } = await findProfileTarget(engine, kind, call, operations, fields);
  if (column) throw recordNotFound(kind.entityType, call.params['id'] ?? '');
  return table;
};

/** Inserts the column name before the other members of a non-empty JSON object. */
const withColumnName = (json: string, name: string): string => `{"name":${JSON.stringify(name)},${json.slice(1)}`;

/** Withholds the telling members of a profile, as JSON text, if it was measured while the column's values are hidden. */
const redactProfile = (json: string, column: PlacedColumn, withheld: WithheldColumns): string => {
  const profile = JSON.parse(json) as JsonObject;
  return isColumnRedacted(column, withheld, measuredAt(profile)) ? JSON.stringify(redactColumnProfile(profile)) : json;
};

/** Renders profiles of columns with their current names, redacted to what the caller may see. */
const createColumnRenderer = async (
  engine: Engine,
  call: Call,
  { kind, id, columns }: Snapshot,
): Promise<(rows: readonly ProfileRow[]) => string[]> => {
  const withheld = (await findRedactedColumns(engine, call.principal, [{ id, kind }])).get(id);
  const { byKey } = createColumnFinder(kind, columns);
  return (rows) =>
    rows.flatMap(({ key, json }) => {
      const column = byKey.get(key ?? '');
      if (!column) return [];
      return [withColumnName(withheld ? redactProfile(json, column, withheld) : json, column.name)];
    });
};

const renderRows = (rows: readonly ProfileRow[]): string[] => rows.map(({ json }) => json);

const selectSource = (
  engine: Engine,
  sort: ProfileType,
  { table, column }: ProfileTarget,
  window: TimeWindow,
): ProfileSource => {
  if (sort !== 'column') return tableProfileSource(engine, sort, table.id, window);
  return column ? columnProfileSource(engine, column.node.key, window) : columnsProfileSource(engine, table.id, window);
};

const list =
  (engine: Engine, kind: Kind, sort: ProfileType) =>
  async (call: Call): Promise<Answer> => {
    const window = parseWindow(call.query, engine.clock());
    const paging = parsePaging(call.query);
    const place = await findProfileTarget(engine, kind, call, operationsToReadFields(kind, PROFILE));
    if (place.column && sort !== 'column') throw recordNotFound(kind.entityType, call.params['id'] ?? '');
    const source = selectSource(engine, sort, place, window);
    return answerProfilePage(
      source,
      paging,
      sort === 'column' ? await createColumnRenderer(engine, call, place.table) : renderRows,
    );
  };

/** Answers a table with its latest profile, and those of its columns unless the request excludes them. */
const readLatest =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const withColumns = parseQueryFlag(call, 'includeColumnProfile', true);
    const table = await findTable(engine, kind, call, operationsToReadFields(kind, PROFILE), PROFILE);
    const shown = await redactRecord(engine, call.principal, table);
    const { profile } = shown.computed;
    const bare =
      isObject(profile) && !withColumns ? { ...shown, computed: { profile: { ...profile, columns: {} } } } : shown;
    return { status: 200, json: renderRecord(bare, createView(engine, call, PROFILE)) };
  };

const put =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const report = validate(
      CreateTableProfile,
      dropNulls((await readRequiredJson(call)) as Json),
    ) as unknown as ProfileReport;
    const text = call.params['id'] ?? '';
    if (!isUuid(text)) throw recordNotFound(kind.entityType, text);
    const read = () => findTable(engine, kind, call, EDIT);
    const { id } = await read();
    await storeProfileReport(engine, read, report);
    const fields = new Set([...writeFields(kind), ...PROFILE]);
    const table = await engine.store.record(kind, { id }, fields);
    if (!table) throw recordNotFound(kind.entityType, id);
    const record = await redactRecord(engine, call.principal, table);
    return buildWriteAnswer(engine, call, { outcome: 'entityFieldsChanged', record }, PROFILE);
  };

const parseProfileType = (call: Call): ProfileType => {
  const word = call.params['sort'] ?? '';
  const sort = PROFILE_TYPES.find((known) => known === word);
  if (!sort) throw badRequest(`[${word} must be one of ${PROFILE_TYPES.join(', ')}]`);
  return sort;
};

/** The maximum number of profiles that one deletion removes; no table has more columns. */
const MAX_REMOVED = 20_000;

const remove =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const sort = parseProfileType(call);
    const text = call.params['timestamp'] ?? '';
    const place = await findProfileTarget(engine, kind, call, EDIT);
    const missing = () => notFound(`Failed to find a ${sort} profile for ${text}`);
    if (!/^\d{1,16}$/.test(text) || (place.column && sort !== 'column')) throw missing();
    const moment = Number(text);
    if (!Number.isSafeInteger(moment)) throw missing();
    const source = selectSource(engine, sort, place, { start: moment, end: moment });
    const rows = await source.page(source.span, MAX_REMOVED);
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
  description: 'Whether to include the latest profile of each column',
  schema: { type: 'boolean', default: true },
};

const LISTS = {
  table: schema.valueListSchema('TableProfileList', TableProfile),
  column: schema.valueListSchema('ColumnProfileList', ColumnProfile),
  system: schema.valueListSchema('SystemProfileList', SystemProfile),
} as const;
const SUMMARIES: Readonly<Record<ProfileType, string>> = {
  table: 'List profiles of a table by ID or name, newest first',
  column: 'List profiles of all columns of a table, or of the named column, newest first',
  system: 'List system profiles of a table by ID or name, newest first',
};

/** Routes of table, column and system profiles. */
export const profileRoutes = (engine: Engine): Route[] => {
  const kind = requireKind(engine.registry, 'table');
  const tag = kind.title;
  const base = `/v1/${kind.path}/{id}`;
  const reading = { method: 'GET', tag, access: { operation: 'ViewDataProfile', resource: kind.entityType } } as const;
  const changing = { tag, access: { operation: 'EditDataProfile', resource: kind.entityType } } as const;
  return [
    ...PROFILE_TYPES.map(
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
      summary: 'Get a table by ID or name with its latest profile',
      query: [WITH_COLUMNS],
      responses: { 200: schema.recordSchema(kind) },
      handle: readLatest(engine, kind),
    },
    {
      ...changing,
      method: 'PUT',
      path: `${base}/tableProfile`,
      summary: 'Add a profile of a table',
      body: { schema: CreateTableProfile, mediaTypes: ['application/json'] },
      responses: { 200: schema.recordSchema(kind) },
      handle: put(engine, kind),
    },
    {
      ...changing,
      method: 'DELETE',
      path: `${base}/{sort}/{timestamp}/profile`,
      summary: 'Delete the profile of a given time',
      responses: { 200: undefined },
      handle: remove(engine, kind),
    },
  ];
};
