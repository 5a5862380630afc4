import { demandAdmin } from '../../access/authorize.ts';
import type { Engine } from '../../catalog/engine.ts';
import { badRequest, recordNotFound } from '../../errors.ts';
import { limitParameter, textParameter, wholeNumber } from '../../http/query.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { piecesOf } from '../../model/pieces.ts';
import {
  AppRuns,
  ReindexEntities,
  ReindexFailures,
  ReindexRequest,
  ReindexStart,
  SearchDrift,
  SearchStats,
} from '../../model/search-upkeep-values.ts';
import { check, dropNulls } from '../../model/validate.ts';
import { indexesNamed } from '../answer/aliases.ts';
import { demandApp, readRuns } from './apps.ts';
import { type Beside, driftBeside, unserved, whileThere } from './beside.ts';
import { reportDrift, searchable } from './drift.ts';
import { countFailures, type FailureRow, listFailures } from './queries.ts';
import { type Extent, REINDEX } from './reindex.ts';
import { readStats } from './stats.ts';

const TAG = 'Search';

/** Documents are written anew one job after the other: two at once would do everything twice. */
const EXCLUSIVE = 'search documents';

type Wish = {
  readonly extent: Extent;
  /** The kinds that are meant; all of them when absent. */
  readonly kinds?: readonly Kind[] | undefined;
  readonly ids?: readonly string[];
};

const NAMED_AT_ONCE = 1000;

const begin = async ({ jobs }: Engine, { principal }: Call, { extent, kinds, ids = [] }: Wish): Promise<Answer> => {
  const entityTypes = kinds?.map(({ entityType }) => entityType);
  const { jobId } = await jobs.submit(
    {
      operation: REINDEX,
      entityType: entityTypes?.length === 1 ? (entityTypes[0] ?? '') : 'all',
      targetFqn: '',
      actor: principal,
      input: { extent, ...(entityTypes ? { entityTypes } : {}) },
      exclusive: EXCLUSIVE,
      ...(extent === 'named' ? { total: ids.length } : {}),
    },
    piecesOf(ids, NAMED_AT_ONCE).map((some) => JSON.stringify(some)),
  );
  return { status: 202, json: { jobId, message: 'Reindexing initiated successfully.' } };
};

/**
 * The kinds that names stand for; undefined when they stand for all there are. The name of a type means that type alone:
 * what lies below its records is found by documents of its own. Other names are those of indexes and aliases.
 */
const kindsNamed = ({ registry }: Engine, names: readonly string[]): readonly Kind[] | undefined => {
  if (names.length === 0 || names.includes('all')) return undefined;
  const indexes = indexesNamed(registry.kinds);
  const named = names.flatMap((name) => {
    const kind = registry.byType.get(name);
    return kind?.search.index ? [kind] : indexes(name).kinds;
  });
  return [...new Set(named)];
};

type Request = { readonly entities?: readonly string[] };

const wishOf = async (engine: Engine, call: Call): Promise<Wish> => {
  const body = ((await call.body.json()) ?? {}) as Json;
  if (!isObject(body)) throw badRequest('[body must be an object]');
  const { entities = [] } = check(ReindexRequest, dropNulls(body)) as Request;
  return { extent: 'all', kinds: kindsNamed(engine, entities) };
};

type Ref = { readonly id?: string; readonly type?: string; readonly fullyQualifiedName?: string };

/** The id of the record a reference means. Throws when it means none. */
const idOf = async ({ registry, store }: Engine, { id, type, fullyQualifiedName }: Ref): Promise<string> => {
  const kind = type === undefined ? undefined : registry.byType.get(type);
  if (!kind?.search.index) throw badRequest(`[type ${type} is not known]`);
  if (id === undefined && fullyQualifiedName === undefined) throw badRequest('[id must not be null]');
  const found = await (id === undefined
    ? store.reference(kind, fullyQualifiedName ?? '')
    : store.referenceById(id.toLowerCase()));
  if (found?.entityType !== kind.entityType) throw recordNotFound(kind.entityType, id ?? fullyQualifiedName ?? '');
  return found.id;
};

const reindexNamed = async (engine: Engine, call: Call): Promise<Answer> => {
  const refs = check(ReindexEntities, dropNulls(((await call.body.json()) ?? null) as Json)) as unknown as Ref[];
  const ids = await Promise.all(refs.map((ref) => idOf(engine, ref)));
  return begin(engine, call, { extent: 'named', ids: [...new Set(ids)] });
};

const MOST_FAILURES = 1000;

const failureOf = ({
  id,
  entityType,
  fullyQualifiedName,
  failure,
  failedAt,
  attempts,
  retryAt,
  stage,
}: FailureRow) => ({
  entityId: id,
  entityType,
  ...(fullyQualifiedName === null ? {} : { entityFqn: fullyQualifiedName }),
  failureStage: stage,
  errorMessage: failure,
  timestamp: failedAt,
  attempts,
  retryAt,
});

/** GET /v1/search/reindex/failures: the records of which no document could be made, as long as that is so. */
const failures = async (engine: Engine, { query }: Call): Promise<JsonObject> => {
  const offset = wholeNumber(query, 'offset', 0, 0, Number.MAX_SAFE_INTEGER);
  const limit = wholeNumber(query, 'limit', 50, 0, MOST_FAILURES);
  const entityType = query.get('entityType') || null;
  if (entityType !== null) kindsNamed(engine, [entityType]);
  const [rows, [counted]] = await Promise.all([
    engine.graph.read(listFailures, { entityType, offset, limit }),
    engine.graph.read(countFailures, { entityType }),
  ]);
  return { data: rows.map(failureOf), total: counted?.total ?? 0, offset, limit };
};

const MOST_FOUND = 1000;

const sumOf = <K extends string>(rows: readonly Readonly<Record<K, number>>[], name: K): number =>
  rows.reduce((sum, row) => sum + row[name], 0);

/** What routes work with. */
type Room = { readonly engine: Engine; readonly beside?: Beside | undefined };

/** GET /v1/search/drift: in what documents differ from their records although nothing is under way that mends it. */
const drift = async ({ engine, beside }: Room, { query }: Call): Promise<JsonObject> => {
  const most = wholeNumber(query, 'limit', 100, 0, MOST_FOUND);
  const entityType = query.get('entityType');
  const kinds = (entityType ? kindsNamed(engine, [entityType]) : undefined) ?? searchable(engine);
  const started = performance.now();
  const { kinds: rows, orphaned, found } = await reportDrift(engine, kinds, most);
  const other = beside && (await whileThere(beside, () => driftBeside(beside, kinds)));
  const [missing, behind] = [sumOf(rows, 'missing'), sumOf(rows, 'behind')];
  const elsewhere = other ? other.missing + other.behind + other.orphaned : 0;
  return {
    timestamp: engine.clock(),
    took: Math.round(performance.now() - started),
    isTrue: missing + behind + orphaned + elsewhere === 0 && !(beside && !other),
    records: sumOf(rows, 'records'),
    documents: sumOf(rows, 'documents') + orphaned,
    pending: sumOf(rows, 'pending'),
    missing,
    behind,
    orphaned,
    indexes: rows,
    found,
    ...(beside ? { typesense: other ?? unserved(kinds) } : {}),
  };
};

const OFFSET = {
  name: 'offset',
  description: 'How many to pass over',
  schema: { type: 'integer', minimum: 0, default: 0 },
} as const;

const JSON_BODY = ['application/json'] as const;

type UpkeepRoute = Pick<Route, 'method' | 'path' | 'summary' | 'responses' | 'handle'> &
  Partial<Pick<Route, 'query' | 'body'>>;

/** What keeps search true, for administrators: writing documents anew, and telling whether that is needed. */
export const upkeepRoutes = (engine: Engine, beside?: Beside): Route[] => {
  const declare = (route: UpkeepRoute): Route => ({
    tag: TAG,
    access: 'authenticated',
    ...route,
    handle: async (call) => {
      demandAdmin(call.principal, 'EditAll');
      return route.handle(call);
    },
  });
  const reading = (path: string, summary: string, response: Route['responses'][number], query: Route['query'] = []) =>
    ({ method: 'GET', path, summary, query, responses: { 200: response } }) as const;
  const writing = (path: string, summary: string) =>
    ({ method: 'POST', path, summary, responses: { 202: ReindexStart } }) as const;
  const wished = { schema: ReindexRequest, mediaTypes: JSON_BODY };
  const ofType = textParameter('entityType', 'The type of record that is meant; all when absent');
  return [
    declare({
      ...writing('/v1/search/reindex', 'Write the documents of all records anew'),
      body: wished,
      handle: async (call) => begin(engine, call, await wishOf(engine, call)),
    }),
    declare({
      ...writing('/v1/search/reindex/{entityType}', 'Write the documents of all records of a type anew'),
      body: wished,
      handle: async (call) => {
        await wishOf(engine, call);
        return begin(engine, call, { extent: 'all', kinds: kindsNamed(engine, [call.params['entityType'] ?? '']) });
      },
    }),
    declare({
      ...writing('/v1/search/reindexEntities', 'Write the documents of some records anew'),
      body: { schema: ReindexEntities, mediaTypes: JSON_BODY },
      handle: (call) => reindexNamed(engine, call),
    }),
    declare({
      ...reading(
        '/v1/search/reindex/failures',
        'List the records of which no document could be made',
        ReindexFailures,
        [ofType, OFFSET, limitParameter('failures', 0, MOST_FAILURES, 50)],
      ),
      handle: async (call) => ({ status: 200, json: await failures(engine, call) }),
    }),
    declare({
      ...reading('/v1/search/stats', 'Read how much is kept for search', SearchStats),
      handle: async () => ({ status: 200, json: await readStats(engine, beside) }),
    }),
    declare({
      ...reading('/v1/search/drift', 'Compare what is kept for search with the records', SearchDrift, [
        ofType,
        limitParameter('differences', 0, MOST_FOUND, 100),
      ]),
      handle: async (call) => ({ status: 200, json: await drift({ engine, beside }, call) }),
    }),
    declare({
      ...writing('/v1/search/drift/repair', 'Write the documents anew that differ from their records'),
      handle: (call) => begin(engine, call, { extent: 'differing' }),
    }),
    declare({
      ...writing('/v1/apps/trigger/{name}', 'Write the documents of all records anew, as an application'),
      body: wished,
      handle: async (call) => {
        demandApp(call);
        return begin(engine, call, await wishOf(engine, call));
      },
    }),
    declare({
      ...reading('/v1/apps/name/{name}/status', 'List the last times documents were written anew', AppRuns),
      handle: async (call) => {
        demandApp(call);
        return { status: 200, json: await readRuns(engine.jobs) };
      },
    }),
  ];
};
