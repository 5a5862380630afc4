import { demandAdmin } from '../../access/authorization.ts';
import type { Engine } from '../../catalog/engine.ts';
import { badRequest, recordNotFound } from '../../errors.ts';
import { integerParameter, limitParameter, textParameter } from '../../http/query-parameters.ts';
import { type Answer, asOwn, type Call, type Route } from '../../http/route.ts';
import { chunk } from '../../model/chunk.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import {
  AppRuns,
  ReindexEntities,
  ReindexFailures,
  ReindexRequest,
  ReindexStart,
  SearchDrift,
  SearchStats,
} from '../../model/schemas/search/search-upkeep.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import { indexResolverOf } from '../request/index-names.ts';
import { demandApp, readAppRuns } from './app-runs.ts';
import { reportDrift, searchableKinds } from './drift.ts';
import { countDocumentFailures, type DocumentFailureRow, listDocumentFailures } from './queries.ts';
import { REINDEX_OPERATION, type ReindexExtent } from './reindex-job.ts';
import { readSearchStats } from './stats.ts';
import {
  compareWithTypesense,
  ignoreUnavailable,
  type TypesenseMaintenance,
  unservedDrift,
} from './typesense-drift.ts';

/**
 * Keeps search documents equal to their records. Read `refresher.ts` first: it rewrites documents that contain data of
 * changed records, with `refresh-documents.ts`. `reindex-job.ts` rewrites documents on request, `drift.ts` and
 * `typesense-drift.ts` report differences, `stats.ts` and `app-runs.ts` serve the status routes.
 */

const SEARCH_TAG = 'Search';

/** Reindex jobs run one after another, because two at once would do the same work twice. */
const EXCLUSIVE_JOB = 'search documents';

type ReindexWork = {
  readonly extent: ReindexExtent;
  /** The kinds to reindex; all when absent. */
  readonly kinds?: readonly Kind[] | undefined;
  readonly ids?: readonly string[];
};

const IDS_PER_PIECE = 1000;

const startReindex = async (
  { jobs }: Engine,
  { principal }: Call,
  { extent, kinds, ids = [] }: ReindexWork,
): Promise<Answer> => {
  const entityTypes = kinds?.map(({ entityType }) => entityType);
  const { jobId } = await jobs.submit(
    {
      operation: REINDEX_OPERATION,
      entityType: entityTypes?.length === 1 ? (entityTypes[0] ?? '') : 'all',
      targetFqn: '',
      actor: principal,
      input: { extent, ...(entityTypes ? { entityTypes } : {}) },
      exclusive: EXCLUSIVE_JOB,
      ...(extent === 'named' ? { total: ids.length } : {}),
    },
    chunk(ids, IDS_PER_PIECE).map((some) => JSON.stringify(some)),
  );
  return { status: 202, json: { jobId, message: 'Reindexing initiated successfully.' } };
};

/**
 * Resolves names to kinds; undefined when they mean all kinds. The name of an entity type means only that type, because
 * its child records have documents of their own. Other names are indexes and aliases.
 */
const resolveKinds = ({ registry }: Engine, names: readonly string[]): readonly Kind[] | undefined => {
  if (names.length === 0 || names.includes('all')) return undefined;
  const indexes = indexResolverOf(registry.kinds);
  const named = names.flatMap((name) => {
    const kind = registry.byType.get(name);
    return kind?.search.index ? [kind] : indexes(name).kinds;
  });
  return [...new Set(named)];
};

type ReindexBody = { readonly entities?: readonly string[] };

const readReindexWork = async (engine: Engine, call: Call): Promise<ReindexWork> => {
  const body = ((await call.body.json()) ?? {}) as Json;
  if (!isObject(body)) throw badRequest('[body must be an object]');
  const { entities = [] } = validate(ReindexRequest, dropNulls(body)) as ReindexBody;
  return { extent: 'all', kinds: resolveKinds(engine, entities) };
};

type ReindexReference = { readonly id?: string; readonly type?: string; readonly fullyQualifiedName?: string };

/** Resolves a reference to the id of its record. Throws when there is no such record. */
const resolveRecordId = async (
  { registry, store }: Engine,
  { id, type, fullyQualifiedName }: ReindexReference,
): Promise<string> => {
  const kind = type === undefined ? undefined : registry.byType.get(type);
  if (!kind?.search.index) throw badRequest(`[type ${type} is not known]`);
  if (id === undefined && fullyQualifiedName === undefined) throw badRequest('[id must not be null]');
  const found = await (id === undefined
    ? store.reference(kind, fullyQualifiedName ?? '')
    : store.referenceById(id.toLowerCase()));
  if (found?.entityType !== kind.entityType) throw recordNotFound(kind.entityType, id ?? fullyQualifiedName ?? '');
  return found.id;
};

const reindexRecords = async (engine: Engine, call: Call): Promise<Answer> => {
  const refs = validate(
    ReindexEntities,
    dropNulls(((await call.body.json()) ?? null) as Json),
  ) as unknown as ReindexReference[];
  const ids = await Promise.all(refs.map((ref) => resolveRecordId(engine, ref)));
  return startReindex(engine, call, { extent: 'named', ids: [...new Set(ids)] });
};

const MAX_FAILURES = 1000;

const formatFailure = ({
  id,
  entityType,
  fullyQualifiedName,
  failure,
  failedAt,
  attempts,
  retryAt,
  stage,
}: DocumentFailureRow) => ({
  entityId: id,
  entityType,
  ...(fullyQualifiedName === null ? {} : { entityFqn: fullyQualifiedName }),
  failureStage: stage,
  errorMessage: failure,
  timestamp: failedAt,
  attempts,
  retryAt,
});

/** GET /v1/search/reindex/failures: the records whose documents currently cannot be built. */
const listFailuresOf = async (engine: Engine, { query }: Call): Promise<JsonObject> => {
  const offset = integerParameter(query, 'offset', 0, 0, Number.MAX_SAFE_INTEGER);
  const limit = integerParameter(query, 'limit', 50, 0, MAX_FAILURES);
  const entityType = query.get('entityType') || null;
  if (entityType !== null) resolveKinds(engine, [entityType]);
  const [rows, [counted]] = await Promise.all([
    engine.graph.read(listDocumentFailures, { entityType, offset, limit }),
    engine.graph.read(countDocumentFailures, { entityType }),
  ]);
  return { data: rows.map(formatFailure), total: counted?.total ?? 0, offset, limit };
};

const MAX_FINDINGS = 1000;

const sumMember = <K extends string>(rows: readonly Readonly<Record<K, number>>[], name: K): number =>
  rows.reduce((sum, row) => sum + row[name], 0);

/** The dependencies of the routes. */
type MaintenanceContext = { readonly engine: Engine; readonly typesense?: TypesenseMaintenance | undefined };

/** GET /v1/search/drift: the documents that differ from their records although no work in progress corrects that. */
const readDrift = async ({ engine, typesense }: MaintenanceContext, { query }: Call): Promise<JsonObject> => {
  const most = integerParameter(query, 'limit', 100, 0, MAX_FINDINGS);
  const entityType = query.get('entityType');
  const kinds = (entityType ? resolveKinds(engine, [entityType]) : undefined) ?? searchableKinds(engine);
  const started = performance.now();
  const { kinds: rows, orphaned, found } = await reportDrift(engine, kinds, most);
  const other = typesense && (await ignoreUnavailable(typesense, () => compareWithTypesense(typesense, kinds)));
  const [missing, behind] = [sumMember(rows, 'missing'), sumMember(rows, 'behind')];
  const elsewhere = other ? other.missing + other.behind + other.orphaned : 0;
  return {
    timestamp: engine.clock(),
    took: Math.round(performance.now() - started),
    isTrue: missing + behind + orphaned + elsewhere === 0 && !(typesense && !other),
    records: sumMember(rows, 'records'),
    documents: sumMember(rows, 'documents') + orphaned,
    pending: sumMember(rows, 'pending'),
    missing,
    behind,
    orphaned,
    indexes: rows,
    found,
    ...(typesense ? { typesense: other ?? unservedDrift(kinds) } : {}),
  };
};

const OFFSET = {
  name: 'offset',
  description: 'Number of failures to skip',
  schema: { type: 'integer', minimum: 0, default: 0 },
} as const;

const JSON_BODY = ['application/json'] as const;

type MaintenanceRoute = Pick<Route, 'method' | 'path' | 'summary' | 'responses' | 'handle'> &
  Partial<Pick<Route, 'query' | 'body'>>;

const adminRoute = (route: MaintenanceRoute): Route => ({
  tag: SEARCH_TAG,
  access: 'authenticated',
  ...route,
  handle: async (call) => {
    demandAdmin(call.principal, 'EditAll');
    return route.handle(call);
  },
});

const getRoute = (path: string, summary: string, response: Route['responses'][number], query: Route['query'] = []) =>
  ({ method: 'GET', path, summary, query, responses: { 200: response } }) as const;

const postRoute = (path: string, summary: string) =>
  ({ method: 'POST', path, summary, responses: { 202: ReindexStart } }) as const;

const REINDEX_BODY = { schema: ReindexRequest, mediaTypes: JSON_BODY };
const TYPE_PARAMETER = textParameter('entityType', 'Entity type; all by default');

const reindexRoutes = ({ engine }: MaintenanceContext): Route[] => [
  adminRoute({
    ...postRoute('/v1/search/reindex', 'Rebuild all search documents'),
    body: REINDEX_BODY,
    handle: async (call) => startReindex(engine, call, await readReindexWork(engine, call)),
  }),
  adminRoute({
    ...postRoute('/v1/search/reindex/{entityType}', 'Rebuild the search documents of an entity type'),
    body: REINDEX_BODY,
    handle: async (call) => {
      await readReindexWork(engine, call);
      const kinds = resolveKinds(engine, [call.params['entityType'] ?? '']);
      return startReindex(engine, call, { extent: 'all', kinds });
    },
  }),
  adminRoute({
    ...postRoute('/v1/search/reindexEntities', 'Rebuild the search documents of given assets'),
    body: { schema: ReindexEntities, mediaTypes: JSON_BODY },
    handle: (call) => reindexRecords(engine, call),
  }),
  adminRoute({
    ...getRoute(
      '/v1/search/reindex/failures',
      'List assets whose search document could not be built',
      ReindexFailures,
      [TYPE_PARAMETER, OFFSET, limitParameter('failures', 0, MAX_FAILURES, 50)],
    ),
    handle: async (call) => ({ status: 200, json: await listFailuresOf(engine, call) }),
  }),
];

const driftRoutes = (context: MaintenanceContext): Route[] =>
  asOwn([
    adminRoute({
      ...getRoute('/v1/search/stats', 'Get statistics of the search index', SearchStats),
      handle: async () => ({ status: 200, json: await readSearchStats(context.engine, context.typesense) }),
    }),
    adminRoute({
      ...getRoute('/v1/search/drift', 'Compare the search documents with their assets', SearchDrift, [
        TYPE_PARAMETER,
        limitParameter('differences', 0, MAX_FINDINGS, 100),
      ]),
      handle: async (call) => ({ status: 200, json: await readDrift(context, call) }),
    }),
    adminRoute({
      ...postRoute('/v1/search/drift/repair', 'Rebuild search documents that differ from their assets'),
      handle: (call) => startReindex(context.engine, call, { extent: 'differing' }),
    }),
  ]);

/** Reindexing as an application, for clients that know it as one. */
const appRoutes = ({ engine }: MaintenanceContext): Route[] => [
  adminRoute({
    ...postRoute('/v1/apps/trigger/{name}', 'Trigger the search indexing application'),
    body: REINDEX_BODY,
    handle: async (call) => {
      demandApp(call);
      return startReindex(engine, call, await readReindexWork(engine, call));
    },
  }),
  adminRoute({
    ...getRoute('/v1/apps/name/{name}/status', 'List runs of the search indexing application', AppRuns),
    handle: async (call) => {
      demandApp(call);
      return { status: 200, json: await readAppRuns(engine.jobs) };
    },
  }),
];

/** The maintenance routes of search, for administrators: reindexing and drift reports. */
export const searchMaintenanceRoutes = (engine: Engine, typesense?: TypesenseMaintenance): Route[] => {
  const context = { engine, typesense };
  return [...reindexRoutes(context), ...driftRoutes(context), ...appRoutes(context)];
};
