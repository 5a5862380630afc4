import type { RefNode } from '../../catalog/queries.ts';
import { createView } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import type { Answer, Call } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { decodeDetails } from '../edge.ts';
import type { Endpoint } from '../endpoints.ts';
import { readVisibleReferences } from '../node-visibility.ts';
import type { EdgeTuple, LineageNode } from '../queries.ts';
import { type PipelineLookup, renderEdge } from '../render-edge.ts';
import type { LineageRecords } from './kept-lineage.ts';
import {
  type FoundLineage,
  type LineageReader,
  type Subgraph,
  splitAtPipelines,
  type WalkLimits,
} from './read-subgraph.ts';
import {
  isEdgeVisible,
  type LineageDirection,
  type LineageWalk,
  mergeDerivedEdges,
  type TruncatedWalks,
  truncateWalks,
  walkVisibleEdges,
} from './walk-edges.ts';

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
  const seen = await readVisibleReferences(engine, call.principal, carrierIds);
  const shown = new Map(seen.map((node) => [node.id, renderRef(node, view)] as const));
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

/** Adds an edge to lineage that was found, which is judged with it. */
export const addRequiredEdge = (found: FoundLineage, { edge, node }: RequiredEdge): FoundLineage => ({
  ...found,
  downstream: [edge, ...found.downstream],
  nodes: new Map([...found.nodes, [node.id, node]]),
});

/** Renders the lineage around a record, as far as the caller may see it. */
export const renderEntityLineage = async (
  { engine }: Pick<LineageReader, 'engine'>,
  call: Call,
  root: Endpoint,
  { span, budget }: WalkLimits,
  found: Subgraph,
  required?: EdgeTuple,
): Promise<RenderedLineage> => {
  const { sees, derived } = found;
  const nodes = new Map([[root.id, root.node], ...found.nodes]);
  const walk = (direction: LineageDirection): LineageWalk => {
    const edges = splitAtPipelines(direction, found, span[direction]).filter((edge) => isEdgeVisible(edge, sees));
    return sortSteps(
      walkVisibleEdges(direction, [root.id], mergeDerivedEdges(edges, derived), span[direction], sees),
      nodes,
    );
  };
  const whole = [walk('upstream'), walk('downstream')];
  const { walks, truncated = found.truncated } = truncateWalks(whole, [root.id], budget, required);
  const view = createView(engine, call, NO_FIELDS);
  const [upstream = [], downstream = []] = walks.map(({ steps }) => steps.flat());
  const carried = [...upstream, ...downstream].map(([, , pipelineId]) => pipelineId);
  const carrierOf = await readPipelineReferences({ engine }, call, carried, view);
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
