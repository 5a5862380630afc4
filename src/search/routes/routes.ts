import { parseQueryFlag } from '../../catalog/read/answer.ts';
import { joinHints } from '../../catalog/read/hint-collector.ts';
import { PLAIN_TEXT_TYPE } from '../../http/csv-writer.ts';
import { HINT_HEADER, hintHeaders } from '../../http/hint.ts';
import { textParameter } from '../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { LineageJobStart } from '../../model/schemas/lineage/lineage-map.ts';
import {
  AggregateRequest,
  EntityTypeCounts,
  FieldCounts,
  SearchAnswer,
  SearchDocumentAnswer,
  SearchOrHierarchyAnswer,
  Suggestions,
} from '../../model/schemas/search/search-response.ts';
import { PreviewRequest } from '../../model/schemas/search/search-settings.ts';
import { Text } from '../../model/values.ts';
import { runSearch } from '../find/run-search.ts';
import type { SearchContext } from '../find/search-context.ts';
import { readSearchRequest, SEARCH_PARAMETERS } from '../request/search-request.ts';
import { readSelection } from '../request/source-selection.ts';
import { exportHits, SAFE_CSV_PARAMETER, startExportJob } from './export.ts';
import { AGGREGATE_PARAMETERS, getFieldCounts, postFieldCounts } from './field-counts.ts';
import { buildHierarchy, canShowHierarchy, hierarchyFilter } from './hierarchy.ts';
import { previewSearch } from './preview.ts';
import {
  countEntityTypes,
  readSearchDocument,
  searchByField,
  searchBySourceUrl,
  searchByText,
} from './search-variants.ts';
import { SUGGEST_PARAMETERS, suggestNames } from './suggest.ts';

/** The tree view does not show upstream lineage. */
const HIERARCHY_SELECTION = readSelection({ includes: [], excludes: ['upstreamLineage'], fetchSource: true });

const SEARCH_TAG = 'Search';

/** The header that names the engine of an answer. */
const ENGINE_HEADER = 'X-Search-Engine';

const answerSearch = async (json: Promise<unknown>, engine = () => 'neo4j'): Promise<Answer> => {
  const shown = await json;
  return { status: 200, headers: { [ENGINE_HEADER]: engine() }, json: shown };
};

/** Runs a search that Typesense may answer, and names the engine that did. */
const answerFromEngine = (
  context: SearchContext,
  work: (context: SearchContext) => Promise<unknown>,
): Promise<Answer> => {
  let engine = 'neo4j';
  const answeredBeside = () => {
    engine = 'typesense';
  };
  return answerSearch(work({ ...context, answeredBeside }), () => engine);
};

/**
 * GET /v1/search/query: answers in the format of a search engine, or as a tree if that was requested and the kinds
 * allow it.
 */
const searchOrHierarchy = async (context: SearchContext, call: Call): Promise<unknown> => {
  const request = readSearchRequest(context.engine.registry.kinds, call, { onHint: context.onHint });
  const { kinds } = request.searched;
  if (!parseQueryFlag(call, 'getHierarchy') || !canShowHierarchy(kinds)) return runSearch(context, request, call);
  const whole = {
    ...request,
    filter: hierarchyFilter(kinds, request.filter),
    selection: HIERARCHY_SELECTION,
    aggregates: false,
  };
  const { hits } = (await runSearch(context, whole, call)) as {
    readonly hits: { readonly hits: readonly JsonObject[] };
  };
  const documents = hits.hits.flatMap(({ _source }) => _source ?? []);
  return buildHierarchy(context.engine, call.principal, documents);
};

/** An export covers all hits and neither counts nor explains them, so it lacks these parameters. */
const NON_EXPORT_PARAMETERS: ReadonlySet<string> = new Set([
  'include_source_fields',
  'exclude_source_fields',
  'fetch_source',
  'getHierarchy',
  'include_aggregations',
  'track_total_hits',
  'explain',
  'size',
]);
const EXPORT_PARAMETERS: Route['query'] = [
  ...SEARCH_PARAMETERS.filter(({ name }) => !NON_EXPORT_PARAMETERS.has(name)),
  { name: 'size', description: 'Number of hits to export; all by default', schema: { type: 'integer', minimum: 0 } },
];

/** A query beyond these limits may take long to translate and to highlight. */
const LONG_QUERY = 256;
const MANY_WILDCARDS = 8;

const hasManyWildcards = (text: string): boolean => (text.match(/[*?]/g)?.length ?? 0) > MANY_WILDCARDS;

/** A filter is long without being hard: clients write each value of a facet as a clause of its own. */
const chargeHardQuery = ({ query, countWork }: Call): void => {
  const texts = ['q', 'fieldValue', 'value'].map((name) => query.get(name) ?? '');
  const isHard =
    texts.some((text) => text.length > LONG_QUERY) ||
    [...texts, query.get('query_filter') ?? ''].some(hasManyWildcards);
  if (isHard) countWork(Number.POSITIVE_INFINITY);
};

const FIELD_PARAMETERS = [
  textParameter('fieldName', 'Name of the field'),
  textParameter('fieldValue', 'Pattern for the whole value: `*` matches any characters, `?` exactly one'),
];

type SearchWork = (context: SearchContext, call: Call) => Promise<unknown>;

type GetDeclaration = Required<Pick<Route, 'path' | 'summary' | 'query' | 'responses'>> & {
  readonly work: SearchWork;
  /** Whether the query may name fields, so that the answer says which of them are none. */
  readonly namesFields?: true;
};

/** Runs a search, and adds to its answer what may help the caller. */
const answerWithHints = async (
  context: SearchContext,
  work: (context: SearchContext) => Promise<Answer>,
): Promise<Answer> => {
  const hints: string[] = [];
  const answer = await work({ ...context, onHint: (hint) => hints.push(hint) });
  return { ...answer, headers: { ...answer.headers, ...hintHeaders(joinHints(hints)) } };
};

/** A route that Typesense may answer. */
const getRoute = (context: SearchContext, { path, work, namesFields, ...route }: GetDeclaration): Route => ({
  method: 'GET',
  path: `/v1/search/${path}`,
  sends: namesFields ? [ENGINE_HEADER, HINT_HEADER] : [ENGINE_HEADER],
  tag: SEARCH_TAG,
  access: 'authenticated',
  ...route,
  handle: (call) => {
    chargeHardQuery(call);
    return answerWithHints(context, (hinted) => answerFromEngine(hinted, (one) => work(one, call)));
  },
});

type PostDeclaration = Pick<Route, 'path' | 'summary' | 'responses'> & {
  readonly schema: NonNullable<Route['body']>['schema'];
  readonly work: SearchWork;
};

const postRoute = (context: SearchContext, { path, schema, work, ...route }: PostDeclaration): Route => ({
  method: 'POST',
  path: `/v1/search/${path}`,
  sends: [ENGINE_HEADER, HINT_HEADER],
  tag: SEARCH_TAG,
  access: 'authenticated',
  ...route,
  body: { schema, mediaTypes: ['application/json'] },
  handle: (call) => answerWithHints(context, (hinted) => answerSearch(work(hinted, call))),
});

/** Searches that differ in what they look for. */
const queryRoutes = (context: SearchContext): Route[] => [
  getRoute(context, {
    path: 'query',
    namesFields: true,
    summary: 'Search assets',
    query: SEARCH_PARAMETERS,
    responses: { 200: SearchOrHierarchyAnswer },
    work: searchOrHierarchy,
  }),
  getRoute(context, {
    path: 'nlq/query',
    summary: 'Search assets by free text',
    query: SEARCH_PARAMETERS,
    responses: { 200: SearchAnswer },
    work: searchByText,
  }),
  getRoute(context, {
    path: 'fieldQuery',
    summary: 'Search assets by the pattern of a field value',
    query: [...FIELD_PARAMETERS, ...SEARCH_PARAMETERS],
    responses: { 200: SearchAnswer },
    work: searchByField,
  }),
  getRoute(context, {
    path: 'sourceUrl',
    summary: 'Search assets by source URL',
    query: [textParameter('sourceUrl', 'Source URL'), ...SEARCH_PARAMETERS],
    responses: { 200: SearchAnswer },
    work: searchBySourceUrl,
  }),
];

const countRoutes = (context: SearchContext): Route[] => [
  getRoute(context, {
    path: 'entityTypeCounts',
    namesFields: true,
    summary: 'Count hits by entity type',
    query: SEARCH_PARAMETERS,
    responses: { 200: EntityTypeCounts },
    work: countEntityTypes,
  }),
  getRoute(context, {
    path: 'aggregate',
    namesFields: true,
    summary: 'Count hits by the values of a field',
    query: AGGREGATE_PARAMETERS,
    responses: { 200: FieldCounts },
    work: getFieldCounts,
  }),
  postRoute(context, {
    path: 'aggregate',
    summary: 'Count hits by the values of a field, with top hits',
    schema: AggregateRequest,
    responses: { 200: FieldCounts },
    work: postFieldCounts,
  }),
];

/** Routes for the fields and forms of a search page. */
const inputRoutes = (context: SearchContext): Route[] => [
  postRoute(context, {
    path: 'preview',
    summary: 'Preview a search with other weights and boosts',
    schema: PreviewRequest,
    responses: { 200: SearchAnswer },
    work: previewSearch,
  }),
  getRoute(context, {
    path: 'suggest',
    summary: 'Suggest names for a prefix',
    query: SUGGEST_PARAMETERS,
    responses: { 200: Suggestions },
    work: suggestNames,
  }),
];

const exportRoutes = (context: SearchContext): Route[] => {
  const exporting = {
    method: 'GET',
    tag: SEARCH_TAG,
    access: 'authenticated',
    query: [...EXPORT_PARAMETERS, SAFE_CSV_PARAMETER],
    sends: [HINT_HEADER],
  } as const;
  return [
    {
      ...exporting,
      path: '/v1/search/export',
      summary: 'Export hits as CSV',
      responses: { 200: Text },
      answers: PLAIN_TEXT_TYPE,
      handle: (call) => answerWithHints(context, (hinted) => exportHits(hinted, call)),
    },
    {
      ...exporting,
      path: '/v1/search/export/async',
      summary: 'Export hits as CSV asynchronously',
      responses: { 202: LineageJobStart },
      handle: (call) => answerWithHints(context, (hinted) => startExportJob(hinted, call)),
    },
  ];
};

const documentRoute = (context: SearchContext): Route => ({
  method: 'GET',
  path: '/v1/search/get/{index}/doc/{id}',
  summary: 'Get the search document of an asset',
  tag: SEARCH_TAG,
  access: 'authenticated',
  responses: { 200: SearchDocumentAnswer },
  handle: (call) => answerSearch(readSearchDocument(context, call)),
});

export const searchRoutes = (context: SearchContext): Route[] => [
  ...queryRoutes(context),
  ...countRoutes(context),
  ...inputRoutes(context),
  ...exportRoutes(context),
  documentRoute(context),
];
