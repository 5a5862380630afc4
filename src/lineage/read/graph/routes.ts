import type { Engine } from '../../../catalog/engine.ts';
import { createView, parseQueryFlag } from '../../../catalog/read/answer.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../../catalog/read/fields.ts';
import { createRedactor } from '../../../catalog/read/redaction.ts';
import { badRequest } from '../../../errors.ts';
import { integerParameter, momentParameter, readMoment } from '../../../http/query-parameters.ts';
import type { Answer, Call, QueryParameter, Route } from '../../../http/route.ts';
import { LineageDiff, LineageGraphAnswer } from '../../../model/schemas/lineage/lineage-graph.ts';
import type { Endpoint } from '../../endpoints.ts';
import { withAbortSignal } from '../abort-signal.ts';
import { readPipelineReferences, truncationHeaders } from '../entity-lineage.ts';
import { readVisibleContracts } from '../record-contracts.ts';
import { readTestStatuses } from '../record-tests.ts';
import { buildGraph, type GraphRequest, type LineageGraph } from './build-graph.ts';
import { compareGraphs } from './compare-graphs.ts';
import { GRAPH_FORMATS } from './formats.ts';
import {
  findGraphRoot,
  GRAPH_FILTER_PARAMETERS,
  GRAPH_ROOT_PARAMETERS,
  graphDepthParameters,
  graphRouteAccess,
  INCLUDE_PARAMETER,
  readGraphDepth,
  readGraphFilter,
  readInclude,
} from './graph-parameters.ts';
import { createPastReader, createPresentReader } from './graph-reader.ts';
import type { GraphRoom } from './graph-room.ts';
import { healthRoutes } from './health-routes.ts';
import { lineageImpactRoutes } from './impact-routes.ts';
import { pathRoutes } from './path-routes.ts';
import { collectJoinedColumns, type GraphRendering } from './render-graph.ts';

/**
 * Routes of the lineage graph API: graphs, comparisons over time, paths, impact and health. Read `build-graph.ts` and
 * `render-graph.ts` for graphs, `impact.ts` for the effects of a change, `paths.ts` and `shortest-paths.ts` for paths,
 * and `health.ts` for problems. `graph-reader.ts` reads lineage of the present or the past, and `queries.ts` declares
 * the statements.
 */

const openGraphReader = ({ engine, walker, budget }: GraphRoom, at: number | undefined) =>
  at === undefined ? createPresentReader(engine.graph, walker, budget) : createPastReader(engine.graph, at, budget);

const findPermittedRoot = async (engine: Engine, call: Call, alsoDeleted = false): Promise<Endpoint> => {
  const root = await findGraphRoot(engine, call, alsoDeleted);
  await authorizeRecord(engine, call.principal, VIEW_OPERATIONS, root);
  return root;
};

const prepareRendering = async (
  room: GraphRoom,
  call: Call,
  drawing: LineageGraph,
  { withColumns, isPresent }: { readonly withColumns: boolean; readonly isPresent: boolean },
): Promise<GraphRendering> => {
  const view = createView(room.engine, call, NO_FIELDS);
  const carriers = drawing.edges.map(({ tuple }) => tuple?.[2]);
  return {
    drawing,
    view,
    redact: createRedactor(room.engine, call.principal),
    carrierOf: await readPipelineReferences(room, call, carriers, view),
    names: new Map(drawing.nodes.map(({ node }) => [node.id, node.fullyQualifiedName])),
    columns: withColumns ? collectJoinedColumns(drawing.edges) : undefined,
    // The current test results and contracts do not describe a past state, so graphs of the past omit them.
    statesOf: isPresent
      ? (known) => readTestStatuses(room.engine, call.principal, known)
      : () => Promise.resolve(new Map()),
    contractsOf: isPresent
      ? (ids) => readVisibleContracts(room.engine, call.principal, ids)
      : () => Promise.resolve(new Map()),
  };
};

const readFormat = ({ query }: Call) => {
  const name = query.get('format') || 'json';
  const format = Object.hasOwn(GRAPH_FORMATS, name) ? GRAPH_FORMATS[name] : undefined;
  if (!format) throw badRequest(`[format must be one of ${Object.keys(GRAPH_FORMATS).join(', ')}]`);
  return format;
};

const handleGraph =
  (all: GraphRoom) =>
  async (call: Call): Promise<Answer> => {
    const room = withAbortSignal(all, call.signal);
    const { engine, budget } = room;
    const span = readGraphDepth(call, room.maxDepth);
    const include = readInclude(call);
    const filter = readGraphFilter(engine, call);
    const at = readMoment(call.query, 'asOf');
    const maxNodes = integerParameter(call.query, 'maxNodes', budget.nodes, 1, budget.nodes);
    const withColumns = parseQueryFlag(call, 'columns');
    const { mediaType, pieces } = readFormat(call);
    const root = await findPermittedRoot(engine, call, include !== 'non-deleted');
    const easel = { engine, moment: openGraphReader(room, at), budget };
    const drawing = await buildGraph(easel, call.principal, root, { span, filter, include, maxNodes });
    const showing = await prepareRendering(room, call, drawing, { withColumns, isPresent: at === undefined });
    const headers = { ...truncationHeaders(drawing.truncated), 'Content-Type': mediaType };
    return { status: 200, headers, stream: pieces(engine, showing, at ?? engine.clock()) };
  };

const NO_FILTER: GraphRequest['filter'] = { types: [], services: [], domains: [], tags: [] };

/** Reads a required time parameter. */
const requiredTime = (call: Call, name: string): number => {
  const at = readMoment(call.query, name);
  if (at === undefined) throw badRequest(`[${name} must be given]`);
  return at;
};

const handleDiff =
  (all: GraphRoom) =>
  async (call: Call): Promise<Answer> => {
    const room = withAbortSignal(all, call.signal);
    const { engine, budget } = room;
    const wish: GraphRequest = {
      span: readGraphDepth(call, room.maxDepth),
      filter: NO_FILTER,
      include: 'all',
      maxNodes: budget.nodes,
    };
    const times = [requiredTime(call, 'from'), requiredTime(call, 'to')];
    const root = await findPermittedRoot(engine, call, true);
    const [before, after] = await Promise.all(
      times.map(async (at) => {
        const easel = { engine, moment: openGraphReader(room, at), budget };
        return prepareRendering(room, call, await buildGraph(easel, call.principal, root, wish), {
          withColumns: true,
          isPresent: false,
        });
      }),
    );
    if (!before || !after) throw new Error('two graphs are compared');
    const truncated = before.drawing.truncated ?? after.drawing.truncated;
    return { status: 200, headers: truncationHeaders(truncated), json: compareGraphs(before, after) };
  };

const COLUMNS_PARAMETER: QueryParameter = {
  name: 'columns',
  description: 'Whether to include columns and column lineage',
  schema: { type: 'boolean', default: false },
};

const FORMAT_PARAMETER: QueryParameter = {
  name: 'format',
  description: 'Format of the graph',
  schema: { type: 'string', enum: Object.keys(GRAPH_FORMATS), default: 'json' },
};

const maxNodesParameter = (most: number): QueryParameter => ({
  name: 'maxNodes',
  description: 'Maximum number of assets to return, nearest first',
  schema: { type: 'integer', minimum: 1, maximum: most, default: most },
});

/** Routes for lineage explorers: graphs, paths, changes over time, impact and health. */
export const graphRoutes = (room: GraphRoom): Route[] => [
  {
    ...graphRouteAccess,
    method: 'GET',
    path: '/v1/lineage/graph',
    summary: 'Get the lineage graph of an asset, filtered, by column or as of a time',
    query: [
      ...GRAPH_ROOT_PARAMETERS,
      ...graphDepthParameters(room.maxDepth),
      COLUMNS_PARAMETER,
      ...GRAPH_FILTER_PARAMETERS,
      INCLUDE_PARAMETER,
      momentParameter('asOf', 'Time of the lineage to return (now by default)'),
      maxNodesParameter(room.budget.nodes),
      FORMAT_PARAMETER,
    ],
    responses: { 200: LineageGraphAnswer },
    alsoAnswers: ['text/csv', 'application/graphml+xml', 'text/vnd.mermaid', 'text/vnd.graphviz'],
    handle: handleGraph(room),
  },
  {
    ...graphRouteAccess,
    method: 'GET',
    path: '/v1/lineage/diff',
    summary: 'Compare the lineage of an asset at two times',
    query: [
      ...GRAPH_ROOT_PARAMETERS,
      ...graphDepthParameters(room.maxDepth),
      momentParameter('from', 'Earlier time'),
      momentParameter('to', 'Later time'),
    ],
    responses: { 200: LineageDiff },
    handle: handleDiff(room),
  },
  ...pathRoutes(room),
  ...lineageImpactRoutes(room),
  ...healthRoutes(room),
];
