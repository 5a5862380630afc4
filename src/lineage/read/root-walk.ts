import type { Engine } from '../../catalog/engine.ts';
import type { Call } from '../../http/route.ts';
import { PIPELINE_KINDS } from '../../model/schemas/lineage/lineage.ts';
import type { Endpoint } from '../endpoints.ts';
import type { EdgeTuple } from '../queries.ts';
import type { LineageBudget, LineageDirection, TruncatedWalks } from './subgraph.ts';
import { type LineageWalker, NO_EDGES, type Subgraph, walkerWithAbortSignal } from './walker.ts';

/** Reads what lies around one record, which every answer about a record starts from. */

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

/** Walks from a record in one direction; from a pipeline, the walk includes the edges that run through it. */
export const walkFromRoot = async (
  { walker }: Pick<LineageReader, 'walker'>,
  root: WalkRoot,
  direction: LineageDirection,
  depth: number,
  budget: LineageBudget,
): Promise<Subgraph> => {
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

/** Determines whether the database left out nodes or edges because of the budget. */
export const findTruncation = (budget: LineageBudget, ...found: readonly Subgraph[]): TruncatedWalks['truncated'] =>
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
export type BothDirections = readonly [upstream: Subgraph, downstream: Subgraph];

export const walkBothDirections = async (
  { walker: shared }: Pick<LineageReader, 'walker'>,
  call: Call,
  root: WalkRoot,
  { span, budget }: WalkLimits,
): Promise<BothDirections> => {
  if (root.kind.platformView) return [NO_EDGES, NO_EDGES];
  const walker = walkerWithAbortSignal(shared, call);
  return Promise.all([
    walkFromRoot({ walker }, root, 'upstream', span.upstream, budget),
    walkFromRoot({ walker }, root, 'downstream', span.downstream, budget),
  ]);
};
