import { badRequest } from '../../../errors.ts';
import { computedPageParameters, takePage } from '../../../http/computed-page.ts';
import { momentParameter, readMoment, textParameter } from '../../../http/query-parameters.ts';
import type { Answer, Call, QueryParameter, Route } from '../../../http/route.ts';
import { LineageNeighboursAnswer } from '../../../model/schemas/lineage/lineage-graph.ts';
import { withAbortSignal } from '../abort-signal.ts';
import { truncationHeaders } from '../entity-lineage.ts';
import type { LineageDirection } from '../walk-edges.ts';
import { answerFitParameters, EDGE_FIELDS_PARAMETER, GRAPH_NODE_FIELDS, readAnswerFit } from './answer-fit.ts';
import { ASSERTIONS_PARAMETER } from './edge-assertions.ts';
import { graphJsonPieces } from './graph-json.ts';
import {
  DESCRIBED_FILTER_PARAMETERS,
  GRAPH_ROOT_PARAMETERS,
  graphRouteAccess,
  INCLUDE_PARAMETER,
  readGraphFilter,
  readInclude,
} from './graph-parameters.ts';
import type { ScoredGraphRoom } from './graph-room.ts';
import { buildNeighbourGraph, listNeighbours, type Neighbour, type NeighbourQuestion } from './neighbours.ts';
import { findPermittedRoot, openGraphReader, prepareGraph } from './prepare-rendering.ts';

/** The route that lists the neighbours of an asset page by page, for explorers at assets that have thousands. */

const SIDES: readonly LineageDirection[] = ['upstream', 'downstream'];
const ORDERS = ['name', 'importance'] as const;

const SIDE_PARAMETER: QueryParameter = {
  name: 'side',
  description: 'Side of the asset whose neighbours are listed; required',
  schema: { type: 'string', enum: SIDES },
};

const ORDER_PARAMETER: QueryParameter = {
  name: 'order',
  description: 'Order of the neighbours: by name, or those on which most depends first',
  schema: { type: 'string', enum: ORDERS, default: 'name' },
};

const readChoice = <T extends string>({ query }: Call, name: string, choices: readonly T[], fallback?: T): T => {
  const text = query.get(name) || fallback;
  const known = choices.find((choice) => choice === text);
  if (!known) throw badRequest(`[${name} must be one of ${choices.join(', ')}]`);
  return known;
};

const readQuestion = async ({ engine, openScores }: ScoredGraphRoom, call: Call): Promise<NeighbourQuestion> => ({
  side: readChoice(call, 'side', SIDES),
  include: readInclude(call),
  words: (call.query.get('q') ?? '').toLowerCase().split(/\s+/u).filter(Boolean),
  filter: readGraphFilter(engine, call),
  scoreOf: readChoice(call, 'order', ORDERS, 'name') === 'importance' ? await openScores(call.principal) : undefined,
});

const idOf = ({ id }: Neighbour): string => id;

const handleNeighbours =
  (all: ScoredGraphRoom) =>
  async (call: Call): Promise<Answer> => {
    const room = withAbortSignal(all, call.signal);
    const { engine, budget } = room;
    const at = readMoment(call.query, 'asOf');
    const fit = readAnswerFit(call, GRAPH_NODE_FIELDS);
    const question = await readQuestion(room, call);
    const root = await findPermittedRoot(engine, call, question.include !== 'non-deleted');
    const moment = openGraphReader(room, at);
    const context = { engine, moment, budget };
    const { rows, types, ...found } = await listNeighbours(context, call.principal, root, question);
    const { paging, ...page } = takePage(call, { rows, cut: found.isCut ? 'nodes' : undefined }, idOf);
    const drawing = await buildNeighbourGraph(context, call.principal, root, question, { ...found, ...page });
    const showing = await prepareGraph(room, call, drawing, { moment, at, fit, hasColumnEdges: false });
    const headers = { ...truncationHeaders(drawing.truncated), 'Content-Type': 'application/json' };
    const further = { types, paging };
    return { status: 200, headers, stream: graphJsonPieces(engine, showing, at ?? engine.clock(), further) };
  };

export const neighbourRoutes = (room: ScoredGraphRoom): Route[] => [
  {
    ...graphRouteAccess,
    method: 'GET',
    path: '/v1/lineage/neighbours',
    summary: 'List the direct neighbours of an asset, searched, sorted and paged',
    query: [
      ...GRAPH_ROOT_PARAMETERS,
      SIDE_PARAMETER,
      textParameter('q', 'Words that the name, display name or full name of a neighbour must contain'),
      textParameter('types', 'Comma-separated entity types of the neighbours; all by default'),
      ...DESCRIBED_FILTER_PARAMETERS,
      ORDER_PARAMETER,
      INCLUDE_PARAMETER,
      momentParameter('asOf', 'Time of the lineage to return (now by default)'),
      ...computedPageParameters('neighbours'),
      ...answerFitParameters('the neighbours of the page', GRAPH_NODE_FIELDS),
      EDGE_FIELDS_PARAMETER,
      ASSERTIONS_PARAMETER,
    ],
    responses: { 200: LineageNeighboursAnswer },
    handle: handleNeighbours(room),
  },
];
