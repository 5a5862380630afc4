import type { RefNode } from '../../catalog/queries.ts';
import { createView } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import type { Answer, Call } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { decodeDetails } from '../edge.ts';
import type { Endpoint } from '../endpoints.ts';
import { readNodeVisibility } from '../node-visibility.ts';
import type { EdgeTuple, LineageNode } from '../queries.ts';
import { type PipelineLookup, renderEdge } from '../render-edge.ts';
import { withAbortSignal } from './abort-signal.ts';
import type { LineageRecords } from './kept-lineage.ts';
import { type Surroundings, walkPlatform } from './platform-walk.ts';
import { type BothDirections, findTruncation, type LineageReader, type WalkLimits } from './root-walk.ts';
import {
  isEdgeVisible,
  type LineageDirection,
  type LineageWalk,
  mergeDerivedEdges,
  type TruncatedWalks,
  truncateWalks,
  walkVisibleEdges,
} from './subgraph.ts';
import { NO_EDGES, type Subgraph } from './walker.ts';

/** Header of a truncated answer; its value says whether nodes or edges exceeded the limit. */
const TRUNCATED_HEADER = 'X-Lineage-Truncated';

/** Returns the headers of an answer that may be truncated. */
export const truncationHeaders = (truncated: TruncatedWalks['truncated']): Readonly<Record<string, string>> =>
  truncated ? { [TRUNCATED_HEADER]: truncated } : {};

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

type RenderedLineage = {
  readonly json: JsonObject;
  readonly truncated: TruncatedWalks['truncated'];
  /** The records that the answer tells of besides its root. */
  readonly records: LineageRecords;
};

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

const addRequiredEdge = (found: Subgraph, surely: RequiredEdge | undefined): Subgraph =>
  surely ? { edges: [surely.edge, ...found.edges], nodes: [...found.nodes, surely.node] } : found;

/** Reads what surrounds a record; for a platform record, this includes derived edges and the records behind them. */
const readSurroundings = async (
  { engine, walker }: LineageReader,
  call: Call,
  root: Endpoint,
  { span, budget }: WalkLimits,
  [up, down]: BothDirections,
): Promise<Surroundings> => {
  if (!root.kind.platformView) return { up, down, derived: NO_EDGES, truncated: findTruncation(budget, up, down) };
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
  const around: readonly LineageNode[] = [root.node, ...derived.nodes, ...up.nodes, ...down.nodes];
  const nodes = new Map(around.map((node) => [node.id, node]));
  const sees = await readNodeVisibility(engine, call.principal, [...nodes.values()]);
  const walk = (direction: LineageDirection, { edges }: Subgraph, depth: number): LineageWalk => {
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
  const reached = listReachedIds(root.id, walks).map((id) => nodes.get(id) as LineageNode);
  return {
    json: {
      entity: renderRef(root.node, view),
      nodes: reached.map((node) => renderRef(node, view)),
      upstreamEdges: upstream.map(show),
      downstreamEdges: downstream.map(show),
    },
    truncated,
    records: new Map([
      ...carried.flatMap((id) => (id && carrierOf(id) ? [[id, undefined] as const] : [])),
      ...reached.map(({ id, lineageRevision }) => [id, lineageRevision] as const),
    ]),
  };
};

export const lineageAnswer = ({ json, truncated }: Omit<RenderedLineage, 'records'>): Answer => ({
  status: 200,
  headers: truncationHeaders(truncated),
  json,
});
