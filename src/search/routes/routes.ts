import { parseQueryFlag } from '../../catalog/read/answer.ts';
import { PLAIN_TEXT_TYPE } from '../../http/csv-writer.ts';
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
  const request = readSearchRequest(context.engine.registry.kinds, call);
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
  { name: 'size', description: 'How many hits to export; without it, all', schema: { type: 'integer', minimum: 0 } },
];

/** A query beyond these limits may take long to translate and to highlight. */
const LONG_QUERY = 256;
const MANY_WILDCARDS = 8;

const chargeHardQuery = ({ query, countWork }: Call): void => {
  const texts = [query.get('q'), query.get('fieldValue'), query.get('value')].map((text) => text ?? '');
  const isHard = texts.some((text) => text.length > LONG_QUERY || (text.match(/[*?]/g)?.length ?? 0) > MANY_WILDCARDS);
  if (isHard) countWork(Number.POSITIVE_INFINITY);
};

const FIELD_PARAMETERS = [
  textParameter('fieldName', 'The field'),
  textParameter('fieldValue', 'The form of its whole value, in which `*` is any run of characters and `?` any one'),
];

export const searchRoutes = (context: SearchContext): Route[] => {
  const searchRoute = (
    path: string,
    summary: string,
    query: Route['query'],
    work: (context: SearchContext, call: Call) => Promise<unknown>,
  ): Route => ({
    method: 'GET',
    path: `/v1/search/${path}`,
    summary,
    tag: SEARCH_TAG,
    access: 'authenticated',
    query: query ?? [],
    responses: { 200: SearchAnswer },
    handle: async (call) => {
      chargeHardQuery(call);
      return answerFromEngine(context, (one) => work(one, call));
    },
  });
  const postRoute = (
    path: string,
    summary: string,
    schema: NonNullable<Route['body']>['schema'],
    work: (context: SearchContext, call: Call) => Promise<unknown>,
  ): Omit<Route, 'responses'> => ({
    method: 'POST',
    path: `/v1/search/${path}`,
    summary,
    tag: SEARCH_TAG,
    access: 'authenticated',
    body: { schema, mediaTypes: ['application/json'] },
    handle: (call) => answerSearch(work(context, call)),
  });
  const exportRoute = (
    path: string,
    summary: string,
    work: (context: SearchContext, call: Call) => Promise<Answer>,
  ): Omit<Route, 'responses'> => ({
    method: 'GET',
    path: `/v1/search/${path}`,
    summary,
    tag: SEARCH_TAG,
    access: 'authenticated',
    query: [...EXPORT_PARAMETERS, SAFE_CSV_PARAMETER],
    handle: (call) => work(context, call),
  });
  return [
    {
      ...searchRoute('query', 'Search for records', SEARCH_PARAMETERS, searchOrHierarchy),
      responses: { 200: SearchOrHierarchyAnswer },
    },
    searchRoute('nlq/query', 'Search for records by free text', SEARCH_PARAMETERS, searchByText),
    searchRoute(
      'fieldQuery',
      'Search for records by the form of a value',
      [...FIELD_PARAMETERS, ...SEARCH_PARAMETERS],
      searchByField,
    ),
    searchRoute(
      'sourceUrl',
      'Search for what comes from an address',
      [textParameter('sourceUrl', 'The address'), ...SEARCH_PARAMETERS],
      searchBySourceUrl,
    ),
    {
      ...searchRoute('entityTypeCounts', 'Count what is found by its types', SEARCH_PARAMETERS, countEntityTypes),
      responses: { 200: EntityTypeCounts },
    },
    {
      ...searchRoute('aggregate', 'Count what is found by the values of a field', AGGREGATE_PARAMETERS, getFieldCounts),
      responses: { 200: FieldCounts },
    },
    {
      ...postRoute('aggregate', 'Count what is found by the values of a field', AggregateRequest, postFieldCounts),
      responses: { 200: FieldCounts },
    },
    {
      ...postRoute('preview', 'Try out other weights and boosts', PreviewRequest, previewSearch),
      responses: { 200: SearchAnswer },
    },
    {
      ...searchRoute('suggest', 'Complete a name that somebody is typing', SUGGEST_PARAMETERS, suggestNames),
      responses: { 200: Suggestions },
    },
    {
      ...exportRoute('export', 'Export what is found as CSV', exportHits),
      responses: { 200: Text },
      answers: PLAIN_TEXT_TYPE,
    },
    {
      ...exportRoute('export/async', 'Export what is found as CSV, later', startExportJob),
      responses: { 202: LineageJobStart },
    },
    {
      method: 'GET',
      path: '/v1/search/get/{index}/doc/{id}',
      summary: 'Read the document by which a record is found',
      tag: SEARCH_TAG,
      access: 'authenticated',
      responses: { 200: SearchDocumentAnswer },
      handle: (call) => answerSearch(readSearchDocument(context, call)),
    },
  ];
};
