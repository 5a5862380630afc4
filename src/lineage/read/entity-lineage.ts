import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { createView } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import type { Answer, Call } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { PIPELINE_KINDS } from '../../model/schemas/lineage/lineage.ts';
import { addEdgeCount, decodeDetails } from '../edge.ts';
import type { Endpoint } from '../endpoints.ts';
import { readNodeVisibility } from '../node-visibility.ts';
import type { EdgeTuple } from '../queries.ts';
import { type PipelineLookup, renderEdge } from '../render-edge.ts';
import { withAbortSignal } from './abort-signal.ts';
import { type Surroundings, walkPlatform } from './platform-walk.ts';
import {
  distinctEdges,
  edgePairKey,
  isEdgeVisible,
  type LineageBudget,
  type LineageDirection,
  type LineageWalk,
  type TruncatedWalks,
  truncateWalks,
  walkVisibleEdges,
} from './subgraph.ts';
import { type LineageWalker, walkerWithAbortSignal } from './walker.ts';

/** Header of a truncated answer; its value says whether nodes or edges exceeded the limit. */
const TRUNCATED_HEADER = 'X-Lineage-Truncated';

/** Returns the headers of an answer that may be truncated. */
export const truncationHeaders = (truncated: TruncatedWalks['truncated']): Readonly<Record<string, string>> =>
  truncated ? { [TRUNCATED_HEADER]: truncated } : {};

export type LineageReader = { readonly engine: Engine; readonly walker: LineageWalker };

export type LineageDepth = { readonly upstream: number; readonly downstream: number };

export const isPipeline = ({ kind }: Pick<Endpoint, 'kind'>): boolean =>
  PIPELINE_KINDS.some((type) => type === kind.entityType);

/** The part of a record that a walk needs. */
type WalkRoot = Pick<Endpoint, 'id' | 'kind'>;

/**
 * Splits edges that run through a pipeline into two halves: from the origin to the pipeline, and from it to the target.
 */
const splitPipelineEdges = (root: WalkRoot, edges: readonly EdgeTuple[], direction: LineageDirection): EdgeTuple[] =>
  edges.map((whole): EdgeTuple => {
    const [from, to, pipelineId, detailsJson] = whole;
    return direction === 'upstream'
      ? [from, root.id, pipelineId, detailsJson, whole]
      : [root.id, to, pipelineId, detailsJson, whole];
  });

type SurroundingSubgraph = { readonly edges: readonly EdgeTuple[]; readonly nodes: readonly RefNode[] };

/** Walks from a record in one direction; from a pipeline, the walk includes the edges that run through it. */
export const walkFromRoot = async (
  { walker }: Pick<LineageReader, 'walker'>,
  root: WalkRoot,
  direction: LineageDirection,
  depth: number,
  budget: LineageBudget,
): Promise<SurroundingSubgraph> => {
  const own = walker.walk(direction, [root.id], depth, budget);
  if (depth === 0 || !isPipeline(root)) return own;
  const carried = await walker.viaPipeline(root.id, budget.edges + 1);
  const halves = splitPipelineEdges(root, carried.edges, direction);
  const starts = [...new Set(halves.map(([from, to]) => (direction === 'upstream' ? from : to)))];
  const [near, far] = await Promise.all([own, walker.walk(direction, starts, depth - 1, budget)]);
  return {
    edges: [...near.edges, ...halves, ...far.edges],
    nodes: [...near.nodes, ...carried.nodes, ...far.nodes],
  };
};

/** Merges asserted and derived edges; an edge that is both keeps its details and gets the derived count. */
export const mergeDerivedEdges = (edges: readonly EdgeTuple[], derived: readonly EdgeTuple[]): readonly EdgeTuple[] => {
  const own = distinctEdges(edges);
  if (derived.length === 0) return own;
  const counted = new Map(derived.map((edge) => [edgePairKey(edge), edge]));
  const both = own.map((edge): EdgeTuple => {
    const count = counted.get(edgePairKey(edge));
    if (!count) return edge;
    counted.delete(edgePairKey(edge));
    return [edge[0], edge[1], edge[2], addEdgeCount(edge[3], count[3])];
  });
  return [...both, ...counted.values()];
};

const EMPTY_SUBGRAPH: SurroundingSubgraph = { edges: [], nodes: [] };

/** Sorts the edges of each step by the names of their ends. */
const sortSteps = ({ direction, steps }: LineageWalk, nodes: ReadonlyMap<string, RefNode>): LineageWalk => {
  const names = ([from, to]: EdgeTuple): string => {
    const name = (id: string) => nodes.get(id)?.fullyQualifiedName ?? '';
    return direction === 'downstream' ? `${name(to)}\u0001${name(from)}` : `${name(from)}\u0001${name(to)}`;
  };
  const sorted = (step: readonly EdgeTuple[]): readonly EdgeTuple[] => {
    if (step.length < 2) return step;
    const keyed = step.map((edge) => ({ edge, key: names(edge) }));
    return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ edge }) => edge);
  };
  return { direction, steps: steps.map(sorted) };
};

/** Reads references to the pipelines of edges, as far as the caller may see them. */
export const readPipelineReferences = async (
  { engine }: Pick<LineageReader, 'engine'>,
  call: Call,
  carrierIds: readonly (string | null | undefined)[],
  view: View,
): Promise<PipelineLookup> => {
  const ids = [...new Set(carrierIds.flatMap((id) => id ?? []))];
  if (ids.length === 0) return () => undefined;
  const found = await Promise.all(ids.map((id) => engine.store.referenceById(id)));
  const nodes = found.filter((node) => node !== undefined);
  const sees = await readNodeVisibility(engine, call.principal, nodes);
  const shown = new Map(nodes.flatMap((node) => (sees(node.id) ? [[node.id, renderRef(node, view)] as const] : [])));
  return (id) => shown.get(id);
};

const createEdgeRenderer = (nodes: ReadonlyMap<string, RefNode>, carrierOf: PipelineLookup) => {
  const end = (id: string) => ({ id, fullyQualifiedName: nodes.get(id)?.fullyQualifiedName ?? '' });
  return ([fromId, toId, pipelineId, text, whole]: EdgeTuple): JsonObject => {
    const merged = decodeDetails(text, pipelineId);
    if (!whole) return renderEdge({ from: end(fromId), to: end(toId) }, merged, carrierOf);
    const shown = renderEdge({ from: end(whole[0]), to: end(whole[1]) }, merged, carrierOf);
    return { ...shown, fromEntity: fromId, toEntity: toId };
  };
};

type RenderedLineage = { readonly json: JsonObject; readonly truncated: TruncatedWalks['truncated'] };

/** Returns the IDs of the reached records in the order of the walk. */
const listReachedIds = (root: string, walks: readonly LineageWalk[]): readonly string[] => {
  const ids = new Set<string>();
  const deepest = Math.max(0, ...walks.map(({ steps }) => steps.length));
  for (let step = 0; step < deepest; step += 1) {
    for (const { steps } of walks) for (const [from, to] of steps[step] ?? []) ids.add(from).add(to);
  }
  ids.delete(root);
  return [...ids];
};

/** An edge at the root that the answer contains even when the budget is exhausted. */
export type RequiredEdge = { readonly edge: EdgeTuple; readonly node: RefNode };

const addRequiredEdge = (found: SurroundingSubgraph, surely: RequiredEdge | undefined): SurroundingSubgraph =>
  surely ? { edges: [surely.edge, ...found.edges], nodes: [...found.nodes, surely.node] } : found;

/** Determines whether the database left out nodes or edges because of the budget. */
export const findTruncation = (
  budget: LineageBudget,
  ...found: readonly SurroundingSubgraph[]
): TruncatedWalks['truncated'] =>
  found.some(({ edges }) => edges.length > budget.edges)
    ? 'edges'
    : found.some(({ nodes }) => nodes.length > budget.nodes)
      ? 'nodes'
      : undefined;

/** The depth of a walk and the budget for its results. */
export type WalkLimits = { readonly span: LineageDepth; readonly budget: LineageBudget };

/**
 * The subgraphs upstream and downstream of a record, before visibility is applied. Around a platform record they are
 * empty, because asserted and derived edges are walked together later.
 */
export type BothDirections = readonly [upstream: SurroundingSubgraph, downstream: SurroundingSubgraph];

export const walkBothDirections = async (
  { walker: shared }: Pick<LineageReader, 'walker'>,
  call: Call,
  root: WalkRoot,
  { span, budget }: WalkLimits,
): Promise<BothDirections> => {
  if (root.kind.platformView) return [EMPTY_SUBGRAPH, EMPTY_SUBGRAPH];
  const walker = walkerWithAbortSignal(shared, call);
  return Promise.all([
    walkFromRoot({ walker }, root, 'upstream', span.upstream, budget),
    walkFromRoot({ walker }, root, 'downstream', span.downstream, budget),
  ]);
};

/** Reads what surrounds a record; for a platform record, this includes derived edges and the records behind them. */
const readSurroundings = async (
  { engine, walker }: LineageReader,
  call: Call,
  root: Endpoint,
  { span, budget }: WalkLimits,
  [up, down]: BothDirections,
): Promise<Surroundings> => {
  if (!root.kind.platformView)
    return { up, down, derived: EMPTY_SUBGRAPH, truncated: findTruncation(budget, up, down) };
  return walkPlatform(withAbortSignal({ engine, walker }, call.signal), call.principal, root, span, budget, {
    includeDeleted: true,
    beyond: false,
  });
};

/** Renders the lineage around a record from a finished walk, as far as the caller may see it. */
export const readEntityLineage = async (
  reader: LineageReader,
  call: Call,
  root: Endpoint,
  { span, budget }: WalkLimits,
  bothWays: BothDirections,
  required?: RequiredEdge,
): Promise<RenderedLineage> => {
  const { engine } = reader;
  const found = await readSurroundings(reader, call, root, { span, budget }, bothWays);
  const { up, down: outward, derived, truncated: missing } = found;
  const down = addRequiredEdge(outward, required);
  const nodes = new Map([root.node, ...derived.nodes, ...up.nodes, ...down.nodes].map((node) => [node.id, node]));
  const sees = await readNodeVisibility(engine, call.principal, [...nodes.values()]);
  const walk = (direction: LineageDirection, { edges }: SurroundingSubgraph, depth: number): LineageWalk => {
    const told = edges.filter((edge) => isEdgeVisible(edge, sees));
    return sortSteps(
      walkVisibleEdges(direction, [root.id], mergeDerivedEdges(told, derived.edges), depth, sees),
      nodes,
    );
  };
  const whole = [walk('upstream', up, span.upstream), walk('downstream', down, span.downstream)];
  const { walks, truncated = missing } = truncateWalks(whole, [root.id], budget, required?.edge);
  const view = createView(engine, call, NO_FIELDS);
  const [upstream = [], downstream = []] = walks.map(({ steps }) => steps.flat());
  const carried = [...upstream, ...downstream].map(([, , pipelineId]) => pipelineId);
  const carrierOf = await readPipelineReferences(reader, call, carried, view);
  const show = createEdgeRenderer(nodes, carrierOf);
  const refs = listReachedIds(root.id, walks).map((id) => renderRef(nodes.get(id) as RefNode, view));
  return {
    json: {
      entity: renderRef(root.node, view),
      nodes: refs,
      upstreamEdges: upstream.map(show),
      downstreamEdges: downstream.map(show),
    },
    truncated,
  };
};

export const lineageAnswer = ({ json, truncated }: RenderedLineage): Answer => ({
  status: 200,
  headers: truncationHeaders(truncated),
  json,
});
