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

/** The header that says of an answer that it is not whole, and what there was too much of. */
const TRUNCATED_HEADER = 'X-Lineage-Truncated';

/** What an answer says of itself when it is not whole. */
export const truncationHeaders = (truncated: TruncatedWalks['truncated']): Readonly<Record<string, string>> =>
  truncated ? { [TRUNCATED_HEADER]: truncated } : {};

export type LineageReader = { readonly engine: Engine; readonly walker: LineageWalker };

export type LineageDepth = { readonly upstream: number; readonly downstream: number };

export const isPipeline = ({ kind }: Pick<Endpoint, 'kind'>): boolean =>
  PIPELINE_KINDS.some((type) => type === kind.entityType);

/** As much of a record as it takes to walk from it. */
type WalkRoot = Pick<Endpoint, 'id' | 'kind'>;

/** The halves of edges that run through a record: from where they come to it, and from it to where they go. */
const splitPipelineEdges = (root: WalkRoot, edges: readonly EdgeTuple[], direction: LineageDirection): EdgeTuple[] =>
  edges.map((whole): EdgeTuple => {
    const [from, to, pipelineId, detailsJson] = whole;
    return direction === 'upstream'
      ? [from, root.id, pipelineId, detailsJson, whole]
      : [root.id, to, pipelineId, detailsJson, whole];
  });

type SurroundingSubgraph = { readonly edges: readonly EdgeTuple[]; readonly nodes: readonly RefNode[] };

/** What lies around a record; of what data runs through, the edges that do so as well. */
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

/** Edges together with those that follow from others; where somebody says something of one of these, it is both. */
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

/** Within one step, edges come in the order of the names they join. */
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

/** What data runs through, as far as the caller may see it. */
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

/** The records that are passed, in the order in which they are reached. */
const listReachedIds = (root: string, walks: readonly LineageWalk[]): readonly string[] => {
  const ids = new Set<string>();
  const deepest = Math.max(0, ...walks.map(({ steps }) => steps.length));
  for (let step = 0; step < deepest; step += 1) {
    for (const { steps } of walks) for (const [from, to] of steps[step] ?? []) ids.add(from).add(to);
  }
  ids.delete(root);
  return [...ids];
};

/** An edge out of the root that is answered whatever else there is no room for. */
export type RequiredEdge = { readonly edge: EdgeTuple; readonly node: RefNode };

const addRequiredEdge = (found: SurroundingSubgraph, surely: RequiredEdge | undefined): SurroundingSubgraph =>
  surely ? { edges: [surely.edge, ...found.edges], nodes: [...found.nodes, surely.node] } : found;

/** What the database left out, it left out for want of room. */
export const findTruncation = (
  budget: LineageBudget,
  ...found: readonly SurroundingSubgraph[]
): TruncatedWalks['truncated'] =>
  found.some(({ edges }) => edges.length > budget.edges)
    ? 'edges'
    : found.some(({ nodes }) => nodes.length > budget.nodes)
      ? 'nodes'
      : undefined;

/** How far to walk from a record, and how much of what is found there is room for. */
export type WalkLimits = { readonly span: LineageDepth; readonly budget: LineageBudget };

/**
 * What lies around a record, upstream and downstream of it, whoever may see it. Around one that stands for others nothing
 * is looked for yet: there, what was said and what follows are walked together.
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

/** What was found around a record; around one that stands for others, also what follows for it and what lies behind that. */
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

/** The lineage around a record as far as the caller may see it, of what was found there. */
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
