import { parseQueryFlag, readRequiredJson } from '../../../catalog/read/answer.ts';
import { momentParameter, readMoment } from '../../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../../http/route.ts';
import type { Json } from '../../../model/json.ts';
import { LineageAmongAnswer, LineageAmongQuestion } from '../../../model/schemas/lineage/lineage-graph.ts';
import { dropNulls, validate } from '../../../model/validate.ts';
import { withAbortSignal } from '../abort-signal.ts';
import { truncationHeaders } from '../entity-lineage.ts';
import { answerFitParameters, EDGE_FIELDS_PARAMETER, GRAPH_NODE_FIELDS, readAnswerFit } from './answer-fit.ts';
import { ASSERTIONS_PARAMETER } from './edge-assertions.ts';
import { buildGraphAmong } from './graph-among.ts';
import { graphJsonPieces } from './graph-json.ts';
import { COLUMNS_PARAMETER, graphRouteAccess, INCLUDE_PARAMETER, readInclude } from './graph-parameters.ts';
import type { ScoredGraphRoom } from './graph-room.ts';
import { openGraphReader, prepareGraph } from './prepare-rendering.ts';

/** The route that reads the lineage among given records, for explorers that join several answers. */

const handleAmong =
  (all: ScoredGraphRoom) =>
  async (call: Call): Promise<Answer> => {
    const room = withAbortSignal(all, call.signal);
    const { engine, budget } = room;
    const include = readInclude(call);
    const at = readMoment(call.query, 'asOf');
    const hasColumnEdges = parseQueryFlag(call, 'columns');
    const fit = readAnswerFit(call, GRAPH_NODE_FIELDS);
    const { ids } = validate(LineageAmongQuestion, dropNulls((await readRequiredJson(call)) as Json)) as {
      readonly ids: readonly string[];
    };
    const named = [...new Set(ids.map((id) => id.toLowerCase()))];
    const moment = openGraphReader(room, at);
    const drawing = await buildGraphAmong({ engine, moment, budget }, call.principal, named, include);
    const showing = await prepareGraph(room, call, drawing, { moment, at, fit, hasColumnEdges });
    const headers = { ...truncationHeaders(drawing.truncated), 'Content-Type': 'application/json' };
    return { status: 200, headers, stream: graphJsonPieces(engine, showing, at ?? engine.clock()) };
  };

export const amongRoutes = (room: ScoredGraphRoom): Route[] => [
  {
    ...graphRouteAccess,
    method: 'POST',
    path: '/v1/lineage/graph',
    summary: 'Get the lineage among assets that the body names',
    query: [
      COLUMNS_PARAMETER,
      INCLUDE_PARAMETER,
      momentParameter('asOf', 'Time of the lineage to return (now by default)'),
      ...answerFitParameters('the nodes of the graph', GRAPH_NODE_FIELDS),
      EDGE_FIELDS_PARAMETER,
      ASSERTIONS_PARAMETER,
    ],
    body: { schema: LineageAmongQuestion, mediaTypes: ['application/json'] },
    responses: { 200: LineageAmongAnswer },
    handle: handleAmong(room),
  },
];
