import type { Engine } from '../../../catalog/engine.ts';
import { createView } from '../../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../../catalog/read/fields.ts';
import { badRequest } from '../../../errors.ts';
import { momentParameter, readMoment } from '../../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../../http/route.ts';
import type { JsonObject } from '../../../model/json.ts';
import { LineageDiffAnswer } from '../../../model/schemas/lineage/lineage-graph.ts';
import { withAbortSignal } from '../abort-signal.ts';
import { truncationHeaders } from '../entity-lineage.ts';
import {
  type AnswerFit,
  ASSET_FIELDS,
  answerFitParameters,
  EDGE_FIELDS_PARAMETER,
  readAnswerFit,
} from './answer-fit.ts';
import { buildGraph, type GraphRequest, type LineageGraph } from './build-graph.ts';
import { compareGraphs, type GraphDifference, type GraphPart } from './compare-graphs.ts';
import { fitAnswer, readAssetDescriptions } from './fit-answer.ts';
import {
  GRAPH_FILTER_PARAMETERS,
  GRAPH_ROOT_PARAMETERS,
  graphDepthParameters,
  graphRouteAccess,
  readGraphDepth,
  readGraphFilter,
} from './graph-parameters.ts';
import type { GraphReader } from './graph-reader.ts';
import type { GraphRoom } from './graph-room.ts';
import { findPermittedRoot, openGraphReader, prepareRendering, readCarriers } from './prepare-rendering.ts';
import type { ReferenceFitter } from './reference-fitter.ts';

/** The comparison of the lineage of an asset at two times. */

/** Reads a required time parameter. */
const requiredTime = (call: Call, name: string): number => {
  const at = readMoment(call.query, name);
  if (at === undefined) throw badRequest(`[${name} must be given]`);
  return at;
};

const fitPart = ({ nodes, edges, columnEdges }: GraphPart, { fitAsset, fitEdge }: ReferenceFitter) => ({
  nodes: nodes.map(fitAsset),
  edges: edges.map(fitEdge),
  columnEdges,
});

const fitDifference = ({ added, removed, changed }: GraphDifference, fitter: ReferenceFitter): JsonObject => ({
  added: fitPart(added, fitter),
  removed: fitPart(removed, fitter),
  changed: changed.map(({ edge, before, after }) => ({
    edge,
    before: fitter.fitEdge(before),
    after: fitter.fitEdge(after),
  })),
});

/** Describes the nodes that came or went where the fit needs it, and fits the comparison. */
const fitComparison = async (
  engine: Engine,
  call: Call,
  fit: AnswerFit,
  { added, removed, changed }: GraphDifference,
): Promise<JsonObject> => {
  const different = [...added.nodes, ...removed.nodes];
  const ids = different.flatMap(({ id, hidden }) => (hidden === true ? [] : [String(id)]));
  const { describe, describeFully } = await readAssetDescriptions(
    engine,
    fit,
    createView(engine, call, NO_FIELDS),
    ids,
  );
  const describePart = (part: GraphPart): GraphPart => ({ ...part, nodes: part.nodes.map(describe) });
  return fitAnswer(engine, call.principal, fit, {
    answer: { added: describePart(added), removed: describePart(removed), changed },
    listAssets: () => different.map(describeFully),
    reshape: (answer, fitter) => fitDifference(answer as unknown as GraphDifference, fitter),
  });
};

/** Opens the lineage to compare. */
type LineageMoments = (room: GraphRoom) => {
  readonly before: GraphReader;
  readonly after: GraphReader;
};

/** Answers what is different between two states of the lineage of an asset, by the parameters of its query. */
export const compareLineage =
  (all: GraphRoom, openMoments: (call: Call) => LineageMoments) =>
  async (call: Call): Promise<Answer> => {
    const room = withAbortSignal(all, call.signal);
    const { engine, budget } = room;
    const request: GraphRequest = {
      span: readGraphDepth(call, room.maxDepth),
      filter: readGraphFilter(engine, call),
      include: 'all',
      maxNodes: budget.nodes,
    };
    const fit = readAnswerFit(call, ASSET_FIELDS);
    const moments = openMoments(call)(room);
    const root = await findPermittedRoot(engine, call, true);
    const graphOf = (moment: GraphReader) => buildGraph({ engine, moment, budget }, call.principal, [root], request);
    const [before, after] = await Promise.all([graphOf(moments.before), graphOf(moments.after)]);
    // The graphs have most of their pipelines in common, so both are asked for at once.
    const carrierOf = await readCarriers(room, call, before, after);
    const render = (drawing: LineageGraph) =>
      prepareRendering(room, call, drawing, { carrierOf, fit, hasColumnEdges: true, isPresent: false });
    return {
      status: 200,
      headers: truncationHeaders(before.truncated ?? after.truncated),
      json: await fitComparison(engine, call, fit, compareGraphs(render(before), render(after))),
    };
  };

const openTimes = (call: Call): LineageMoments => {
  const [from, to] = [requiredTime(call, 'from'), requiredTime(call, 'to')];
  return (room) => ({ before: openGraphReader(room, from), after: openGraphReader(room, to) });
};

export const diffRoutes = (room: GraphRoom): Route[] => [
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
      ...GRAPH_FILTER_PARAMETERS,
      ...answerFitParameters('the assets that were added or removed', ASSET_FIELDS),
      EDGE_FIELDS_PARAMETER,
    ],
    responses: { 200: LineageDiffAnswer },
    handle: compareLineage(room, openTimes),
  },
];
