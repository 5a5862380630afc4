import { parseQueryFlag } from '../../../catalog/read/answer.ts';
import { badRequest } from '../../../errors.ts';
import { integerParameter, momentParameter, readMoment } from '../../../http/query-parameters.ts';
import type { Answer, Call, QueryParameter, Route } from '../../../http/route.ts';
import { LineageGraphAnswer } from '../../../model/schemas/lineage/lineage-graph.ts';
import { withAbortSignal } from '../abort-signal.ts';
import { truncationHeaders } from '../entity-lineage.ts';
import { amongRoutes } from './among-routes.ts';
import {
  type AnswerFit,
  answerFitParameters,
  EDGE_FIELDS_PARAMETER,
  GRAPH_NODE_FIELDS,
  isPlainAnswer,
  needsDescriptions,
  readAnswerFit,
} from './answer-fit.ts';
import { buildGraph } from './build-graph.ts';
import { findTrailColumns } from './column-trail.ts';
import { diffRoutes } from './diff-routes.ts';
import { ASSERTIONS_PARAMETER } from './edge-assertions.ts';
import { GRAPH_FORMATS } from './formats.ts';
import {
  COLUMNS_PARAMETER,
  GRAPH_FILTER_PARAMETERS,
  GRAPH_ROOTS_PARAMETERS,
  graphDepthParameters,
  graphRouteAccess,
  INCLUDE_PARAMETER,
  readGraphDepth,
  readGraphFilter,
  readInclude,
  readTrailNames,
  TRAIL_PARAMETER,
} from './graph-parameters.ts';
import type { KeptGraphRoom } from './graph-room.ts';
import { healthRoutes } from './health-routes.ts';
import { lineageImpactRoutes } from './impact-routes.ts';
import { answerGraph } from './kept-graph.ts';
import { neighbourRoutes } from './neighbour-routes.ts';
import { pathRoutes } from './path-routes.ts';
import { findPermittedRoots, openGraphReader, prepareGraph } from './prepare-rendering.ts';

/**
 * Routes of the lineage graph API: graphs, comparisons over time, paths, impact and health. Read `build-graph.ts` and
 * `render-graph.ts` for graphs, `impact.ts` for the effects of a change, `paths.ts` and `shortest-paths.ts` for paths,
 * and `health.ts` for problems. `graph-reader.ts` reads lineage of the present or the past, `answer-fit.ts` is where
 * answers become smaller, and `queries.ts` declares the statements.
 */

const readFormat = (call: Call, fit: AnswerFit) => {
  const { query } = call;
  const name = query.get('format') || 'json';
  const format = Object.hasOwn(GRAPH_FORMATS, name) ? GRAPH_FORMATS[name] : undefined;
  if (!format) throw badRequest(`[format must be one of ${Object.keys(GRAPH_FORMATS).join(', ')}]`);
  if (name !== 'json' && (!isPlainAnswer(fit) || parseQueryFlag(call, 'assertions'))) {
    const parameters = 'groupBy, fields, edgeFields, compact and assertions';
    throw badRequest(`[${parameters} must not be given with format ${name}, only with json]`);
  }
  return format;
};

const handleGraph =
  (all: KeptGraphRoom) =>
  async (call: Call): Promise<Answer> => {
    const room = withAbortSignal(all, call.signal);
    const { engine, budget } = room;
    const names = readTrailNames(call);
    const isTrail = names.length > 0;
    const span = readGraphDepth(call, room.maxDepth, isTrail ? room.maxDepth : undefined);
    const include = readInclude(call);
    const filter = readGraphFilter(engine, call);
    const at = readMoment(call.query, 'asOf');
    const maxNodes = integerParameter(call.query, 'maxNodes', budget.nodes, 1, budget.nodes);
    const hasColumnEdges = isTrail || parseQueryFlag(call, 'columns');
    const fit = readAnswerFit(call, GRAPH_NODE_FIELDS);
    const { mediaType, pieces } = readFormat(call, fit);
    return answerGraph(all, call, { include, filter, fit, isTrail }, async () => {
      const roots = await findPermittedRoots(engine, call, include !== 'non-deleted');
      if (isTrail && roots.length > 1) throw badRequest('[column must be given with one asset only]');
      const moment = openGraphReader(room, at);
      const context = { engine, moment, budget };
      const request = { span, filter, include, maxNodes, isDescribed: needsDescriptions(fit) };
      const columns = isTrail && (await findTrailColumns(context, roots[0], names, at === undefined));
      const drawing = await buildGraph(context, call.principal, roots, columns ? { ...request, columns } : request);
      const showing = await prepareGraph(room, call, drawing, { moment, at, fit, hasColumnEdges });
      const headers = { ...truncationHeaders(drawing.truncated), 'Content-Type': mediaType };
      return { drawing, headers, stream: pieces(engine, showing, at ?? engine.clock()) };
    });
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
export const graphRoutes = (room: KeptGraphRoom): Route[] => [
  {
    ...graphRouteAccess,
    method: 'GET',
    path: '/v1/lineage/graph',
    summary: 'Get the lineage graph of one or several assets, filtered, by column or as of a time',
    query: [
      ...GRAPH_ROOTS_PARAMETERS,
      ...graphDepthParameters(room.maxDepth),
      COLUMNS_PARAMETER,
      TRAIL_PARAMETER,
      ...GRAPH_FILTER_PARAMETERS,
      INCLUDE_PARAMETER,
      momentParameter('asOf', 'Time of the lineage to return (now by default)'),
      maxNodesParameter(room.budget.nodes),
      FORMAT_PARAMETER,
      ...answerFitParameters('the nodes of the graph', GRAPH_NODE_FIELDS),
      EDGE_FIELDS_PARAMETER,
      ASSERTIONS_PARAMETER,
    ],
    responses: { 200: LineageGraphAnswer },
    alsoAnswers: ['text/csv', 'application/graphml+xml', 'text/vnd.mermaid', 'text/vnd.graphviz'],
    handle: handleGraph(room),
  },
  ...amongRoutes(room),
  ...neighbourRoutes(room),
  ...diffRoutes(room),
  ...pathRoutes(room),
  ...lineageImpactRoutes(room),
  ...healthRoutes(room),
];
