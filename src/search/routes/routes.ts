import { queryFlag } from '../../catalog/read/answer.ts';
import { PLAIN } from '../../http/csv.ts';
import { textParameter } from '../../http/query.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { JobStart } from '../../model/lineage-map-values.ts';
import { PreviewRequest } from '../../model/search-settings-values.ts';
import {
  AggregateRequest,
  EntityTypeCounts,
  FieldCounts,
  FoundDocument,
  SearchAnswer,
  SearchOrHierarchy,
  Suggestions,
} from '../../model/search-values.ts';
import { Text } from '../../model/values.ts';
import { readSelection } from '../answer/source.ts';
import { QUERY, readAsked } from '../asked/parameters.ts';
import { find } from '../find/find.ts';
import type { SearchRoom } from '../find/room.ts';
import { exportLater, exportNow, SAFE } from './export.ts';
import { AGGREGATE, countByField, countByFieldOf } from './field-counts.ts';
import { asHierarchy, forHierarchy, isHierarchic } from './hierarchy.ts';
import { countTypes, findByField, findBySource, findByText, readDocument } from './neighbours.ts';
import { preview } from './preview.ts';
import { SUGGEST, suggest } from './suggest.ts';

/** A tree shows nothing of what feeds its records. */
const IN_TREES = readSelection({ includes: [], excludes: ['upstreamLineage'], fetchSource: true });

const TAG = 'Search';
/** Which engine has answered. */
const ENGINE_HEADER = 'X-Search-Engine';

const answered = async (json: Promise<unknown>, engine = () => 'neo4j'): Promise<Answer> => {
  const shown = await json;
  return { status: 200, headers: { [ENGINE_HEADER]: engine() }, json: shown };
};

/** What may be answered beside the graph says by whom it was. */
const routed = (room: SearchRoom, work: (room: SearchRoom) => Promise<unknown>): Promise<Answer> => {
  let engine = 'neo4j';
  const answeredBeside = () => {
    engine = 'typesense';
  };
  return answered(work({ ...room, answeredBeside }), () => engine);
};

/** GET /v1/search/query: an answer like that of a search engine, or a tree where that is asked for and makes sense. */
const plain = async (room: SearchRoom, call: Call): Promise<unknown> => {
  const asked = readAsked(room.engine.registry.kinds, call);
  const { kinds } = asked.searched;
  if (!queryFlag(call, 'getHierarchy') || !isHierarchic(kinds)) return find(room, asked, call);
  const whole = { ...asked, filter: forHierarchy(kinds, asked.filter), selection: IN_TREES, aggregates: false };
  const { hits } = (await find(room, whole, call)) as { readonly hits: { readonly hits: readonly JsonObject[] } };
  const documents = hits.hits.flatMap(({ _source }) => _source ?? []);
  return asHierarchy(room.engine, call.principal, documents);
};

/** All that is found is exported, however many pages that would be, and nothing of it is counted or explained. */
const NOT_EXPORTED: ReadonlySet<string> = new Set([
  'include_source_fields',
  'exclude_source_fields',
  'fetch_source',
  'getHierarchy',
  'include_aggregations',
  'track_total_hits',
  'explain',
  'size',
]);
const EXPORTED: Route['query'] = [
  ...QUERY.filter(({ name }) => !NOT_EXPORTED.has(name)),
  { name: 'size', description: 'How many hits to export; without it, all', schema: { type: 'integer', minimum: 0 } },
];

/** A query that is longer, or has more wildcards, may take long to translate and to find again in what it found. */
const LONG_QUERY = 256;
const MANY_WILDCARDS = 8;

const spendOnQuery = ({ query, spend }: Call): void => {
  const texts = [query.get('q'), query.get('fieldValue'), query.get('value')].map((text) => text ?? '');
  const isHard = texts.some((text) => text.length > LONG_QUERY || (text.match(/[*?]/g)?.length ?? 0) > MANY_WILDCARDS);
  if (isHard) spend(Number.POSITIVE_INFINITY);
};

const FIELD = [
  textParameter('fieldName', 'The field'),
  textParameter('fieldValue', 'The form of its whole value, in which `*` is any run of characters and `?` any one'),
];

export const searchRoutes = (room: SearchRoom): Route[] => {
  const searching = (
    path: string,
    summary: string,
    query: Route['query'],
    work: (room: SearchRoom, call: Call) => Promise<unknown>,
  ): Route => ({
    method: 'GET',
    path: `/v1/search/${path}`,
    summary,
    tag: TAG,
    access: 'authenticated',
    query: query ?? [],
    responses: { 200: SearchAnswer },
    handle: async (call) => {
      spendOnQuery(call);
      return routed(room, (one) => work(one, call));
    },
  });
  const posting = (
    path: string,
    summary: string,
    schema: NonNullable<Route['body']>['schema'],
    work: (room: SearchRoom, call: Call) => Promise<unknown>,
  ): Omit<Route, 'responses'> => ({
    method: 'POST',
    path: `/v1/search/${path}`,
    summary,
    tag: TAG,
    access: 'authenticated',
    body: { schema, mediaTypes: ['application/json'] },
    handle: (call) => answered(work(room, call)),
  });
  const exporting = (
    path: string,
    summary: string,
    work: (room: SearchRoom, call: Call) => Promise<Answer>,
  ): Omit<Route, 'responses'> => ({
    method: 'GET',
    path: `/v1/search/${path}`,
    summary,
    tag: TAG,
    access: 'authenticated',
    query: [...EXPORTED, SAFE],
    handle: (call) => work(room, call),
  });
  return [
    { ...searching('query', 'Search for records', QUERY, plain), responses: { 200: SearchOrHierarchy } },
    searching('nlq/query', 'Search for records by free text', QUERY, findByText),
    searching('fieldQuery', 'Search for records by the form of a value', [...FIELD, ...QUERY], findByField),
    searching(
      'sourceUrl',
      'Search for what comes from an address',
      [textParameter('sourceUrl', 'The address'), ...QUERY],
      findBySource,
    ),
    {
      ...searching('entityTypeCounts', 'Count what is found by its types', QUERY, countTypes),
      responses: { 200: EntityTypeCounts },
    },
    {
      ...searching('aggregate', 'Count what is found by the values of a field', AGGREGATE, countByField),
      responses: { 200: FieldCounts },
    },
    {
      ...posting('aggregate', 'Count what is found by the values of a field', AggregateRequest, countByFieldOf),
      responses: { 200: FieldCounts },
    },
    {
      ...posting('preview', 'Try out other weights and boosts', PreviewRequest, preview),
      responses: { 200: SearchAnswer },
    },
    {
      ...searching('suggest', 'Complete a name that somebody is typing', SUGGEST, suggest),
      responses: { 200: Suggestions },
    },
    {
      ...exporting('export', 'Export what is found as CSV', exportNow),
      responses: { 200: Text },
      answers: PLAIN,
    },
    {
      ...exporting('export/async', 'Export what is found as CSV, later', exportLater),
      responses: { 202: JobStart },
    },
    {
      method: 'GET',
      path: '/v1/search/get/{index}/doc/{id}',
      summary: 'Read the document by which a record is found',
      tag: TAG,
      access: 'authenticated',
      responses: { 200: FoundDocument },
      handle: (call) => answered(readDocument(room, call)),
    },
  ];
};
