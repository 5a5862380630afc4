/** Request handlers of the routes that put one edge. */
import { parseQueryFlag, readRequiredJson } from '../catalog/read/answer.ts';
import { badRequest } from '../errors.ts';
import { preferenceApplied, readReturnPreference } from '../http/preference.ts';
import type { Answer, Call } from '../http/route.ts';
import type { Json } from '../model/json.ts';
import { AddLineage, LineageDetailsInput } from '../model/schemas/lineage/lineage.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { serializeDetails } from './edge.ts';
import { type Endpoint, permitLineageEdit } from './endpoints.ts';
import { aroundRecord, keepLineage, type LineageRoom, readerOf, readRefsByNames } from './handlers.ts';
import { needsSqlParsing, type ParsedEdge } from './ingest/edge-sql-parser.ts';
import { createPrepare } from './ingest/routes.ts';
import { mergeAssertions } from './merge-assertions.ts';
import type { EdgeTuple } from './queries.ts';
import { addRequiredEdge, lineageAnswer, renderEntityLineage } from './read/entity-lineage.ts';
import { canKeepLineage, encodedLineage, lineageKey } from './read/kept-lineage.ts';
import { type FoundLineage, isPipeline, judgeSubgraph, type WalkLimits, walkSubgraph } from './read/read-subgraph.ts';
import { MAX_ADJACENT_EDGES } from './read/walker.ts';
import { unknownColumnsHeader } from './unknown-columns.ts';
import {
  type EdgeDetailsInput,
  type EdgeInput,
  type PutResult,
  putEdge,
  type ResolvedEdge,
  resolveEdgeBetween,
  resolveEdgeInput,
} from './write/put-edge.ts';

/** The answer to a PUT contains the edge and its nearest neighbours only, up to these limits. */
const PUT_ANSWER_LIMITS: WalkLimits = {
  span: { upstream: 1, downstream: 1 },
  budget: { nodes: MAX_ADJACENT_EDGES + 2, edges: MAX_ADJACENT_EDGES + 1 },
};

/** `If-None-Match: *` asks for a new edge only, so that nothing is replaced that the caller has not seen. */
const readMustBeNew = (call: Call): boolean => {
  const header = call.header('if-none-match');
  if (header !== undefined && header.trim() !== '*') throw badRequest('[If-None-Match must be *]');
  return header !== undefined;
};

const readPutOptions = (call: Call) => ({
  strictColumns: parseQueryFlag(call, 'strictColumns'),
  mustBeNew: readMustBeNew(call),
  isDryRun: parseQueryFlag(call, 'dryRun'),
});

/** Converts a written edge to the tuple that walks return. */
const toEdgeTuple = ({ from, to, result }: PutResult): EdgeTuple | undefined => {
  const merged = result.state && mergeAssertions(result.state.assertions);
  return merged && [from.id, to.id, merged.pipelineId ?? null, serializeDetails(merged)];
};

/** Header with the number of SQL parts that could not be resolved. */
const UNRESOLVED_HEADER = 'X-Lineage-Unresolved';

const parseEdgeSql = async (
  room: LineageRoom,
  call: Call,
  found: ResolvedEdge,
): Promise<Partial<ParsedEdge> & { found: ResolvedEdge }> => {
  const prepare = createPrepare(room.parser, call);
  if (!prepare || !needsSqlParsing(found)) return { found };
  await permitLineageEdit(room.engine, call.principal, [found.from, found.to]);
  return prepare(found);
};

/**
 * Reads the edges next to the record an edge was put for. Most records need one adjacency query; platform records and
 * pipelines need a full walk.
 */
const readAdjacentEdges = async (room: LineageRoom, call: Call, root: Endpoint): Promise<FoundLineage> => {
  if (root.kind.platformView || isPipeline(root)) {
    return walkSubgraph(readerOf(room, call, root), call.principal, aroundRecord(root, PUT_ANSWER_LIMITS));
  }
  const { up, down, isCut } = await room.walker.adjacentEdges(root.id);
  const nodes = new Map([...up.nodes, ...down.nodes].map((node) => [node.id, node]));
  const truncated = isCut ? 'edges' : undefined;
  return { nodes, upstream: up.edges, downstream: down.edges, carried: [], derived: [], truncated };
};

/** The written edge and its ends, without their other neighbours. */
const edgeAlone = (edge: EdgeTuple | undefined, { node }: Endpoint): FoundLineage => {
  const nothing = { nodes: new Map(), upstream: [], downstream: [], carried: [], derived: [], truncated: undefined };
  return edge ? addRequiredEdge(nothing, { edge, node }) : nothing;
};

/** Answers with the surroundings of the upstream end, as they are kept when nothing has changed since. */
const answerSurroundings = async (room: LineageRoom, call: Call, { from: root, to }: PutResult, edge?: EdgeTuple) => {
  const isKeepable = canKeepLineage(room.engine, call.principal, root.kind);
  const { span } = PUT_ANSWER_LIMITS;
  const key = `put ${lineageKey({ kind: root.kind, id: root.id, span, hrefBase: call.hrefBase })}`;
  const known = isKeepable ? await room.kept.find(key) : undefined;
  if (known) return encodedLineage(known);
  const adjacent = await readAdjacentEdges(room, call, root);
  const around = edge ? addRequiredEdge(adjacent, { edge, node: to.node }) : adjacent;
  const subgraph = await judgeSubgraph(room.engine, call.principal, [root], around);
  const shown = await renderEntityLineage(room, call, root, PUT_ANSWER_LIMITS, subgraph, edge);
  return isKeepable ? keepLineage(room, key, root.id, shown) : lineageAnswer(shown);
};

const answerEdgeAlone = async (room: LineageRoom, call: Call, { from: root, to }: PutResult, edge?: EdgeTuple) => {
  const subgraph = await judgeSubgraph(room.engine, call.principal, [root], edgeAlone(edge, to));
  return lineageAnswer(await renderEntityLineage(room, call, root, PUT_ANSWER_LIMITS, subgraph, edge));
};

/** What a PUT returns when the caller has no preference. */
type UsualAnswer = 'surroundings' | 'nothing';

const answerPut = (room: LineageRoom, call: Call, done: PutResult, usual: UsualAnswer): Answer | Promise<Answer> => {
  const preference = readReturnPreference(call);
  if (preference === 'minimal') return answerEdgeAlone(room, call, done, toEdgeTuple(done));
  if (preference === undefined && usual === 'nothing') return { status: 200 };
  return answerSurroundings(room, call, done, toEdgeTuple(done));
};

const putResolvedEdge = async (
  room: LineageRoom,
  call: Call,
  resolved: ResolvedEdge,
  usual: UsualAnswer,
): Promise<Answer> => {
  const { found, unresolved } = await parseEdgeSql(room, call, resolved);
  const done = await putEdge(room.edges, call.principal, found, readPutOptions(call));
  const answer = await answerPut(room, call, done, usual);
  const headers = {
    ...answer.headers,
    ...preferenceApplied(readReturnPreference(call)),
    ...(unresolved === undefined ? {} : { [UNRESOLVED_HEADER]: String(unresolved.length) }),
    ...unknownColumnsHeader(done.unknown),
  };
  return { ...answer, headers };
};

export const handlePutEdge =
  (room: LineageRoom) =>
  async (call: Call): Promise<Answer> => {
    const body = validate(AddLineage, dropNulls((await readRequiredJson(call)) as Json)) as unknown as {
      readonly edge: EdgeInput;
    };
    return putResolvedEdge(room, call, await resolveEdgeInput(room.edges, body.edge), 'surroundings');
  };

/** Answers without a body, as OpenMetadata does: whoever writes many edges by name reads none of it. */
export const handlePutEdgeByName =
  (room: LineageRoom) =>
  async (call: Call): Promise<Answer> => {
    const body = dropNulls(((await call.body.json()) ?? {}) as Json);
    const details = validate(LineageDetailsInput, body) as unknown as EdgeDetailsInput;
    const refs = readRefsByNames(room.engine, call);
    return putResolvedEdge(room, call, await resolveEdgeBetween(room.edges, refs, details), 'nothing');
  };
