import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { PIPELINE_KINDS } from '../../model/schemas/lineage/lineage.ts';
import type { Endpoint } from '../endpoints.ts';
import { type NodeVisibility, readNodeVisibility } from '../node-visibility.ts';
import type { EdgeTuple, LineageNode } from '../queries.ts';
import { type PlatformWalk, walkPlatform } from './platform-walk.ts';
import type { LineageBudget, LineageDirection, TruncatedWalks } from './walk-edges.ts';
import type { FoundEdges, LineageWalker } from './walker.ts';

/** Reads what lies around some records, which every answer about lineage is made from. */

export type LineageReader = { readonly engine: Engine; readonly walker: LineageWalker };

export type LineageDepth = Readonly<Record<LineageDirection, number>>;

/** The depth of a walk and the budget for its results. */
export type WalkLimits = { readonly span: LineageDepth; readonly budget: LineageBudget };

export type SubgraphQuery = WalkLimits & {
  readonly roots: readonly Pick<Endpoint, 'id' | 'kind'>[];
  /** Which derived edges count around a service, domain or data product; without it there are none. */
  readonly derived?: PlatformWalk;
};

/** What the database has around the roots, for nobody in particular. */
export type FoundLineage = Readonly<Record<LineageDirection, readonly EdgeTuple[]>> & {
  /** The records that the edges join, perhaps without the roots. */
  readonly nodes: ReadonlyMap<string, LineageNode>;
  /** The edges that run through the roots. Walks go on beyond them. */
  readonly carried: readonly EdgeTuple[];
  readonly derived: readonly EdgeTuple[];
  /** What the database left out because of the budget. */
  readonly truncated: TruncatedWalks['truncated'];
};

/** Lineage around some records, and what of it the caller may see. Whoever asks for a root may see it. */
export type Subgraph = FoundLineage & { readonly sees: NodeVisibility };

export const isPipeline = ({ kind }: Pick<Endpoint, 'kind'>): boolean =>
  PIPELINE_KINDS.some((type) => type === kind.entityType);

const joinFound = (...found: readonly FoundEdges[]): FoundEdges => ({
  edges: found.flatMap(({ edges }) => edges),
  nodes: found.flatMap(({ nodes }) => nodes),
});

const nodesById = ({ nodes }: FoundEdges): Map<string, LineageNode> => new Map(nodes.map((node) => [node.id, node]));

const findTruncation = (budget: LineageBudget, found: readonly FoundEdges[]): TruncatedWalks['truncated'] =>
  found.some(({ edges }) => edges.length > budget.edges)
    ? 'edges'
    : found.some((side) => side.nodes.length > budget.nodes && nodesById(side).size > budget.nodes)
      ? 'nodes'
      : undefined;

/** Walks from the roots in both directions. From a pipeline, walks include the edges that run through it. */
const walkRecords = async (
  walker: LineageWalker,
  { roots, span, budget }: Omit<SubgraphQuery, 'derived'>,
): Promise<FoundLineage> => {
  const ids = roots.map(({ id }) => id);
  const pipelines = roots.filter(isPipeline);
  const [up, down, ...through] = await Promise.all([
    walker.walk('upstream', ids, span.upstream, budget),
    walker.walk('downstream', ids, span.downstream, budget),
    ...pipelines.map(({ id }) => walker.viaPipeline(id, budget.edges + 1)),
  ]);
  const carried = joinFound(...through);
  const beyond = (direction: LineageDirection, side: 0 | 1): Promise<FoundEdges> => {
    const starts = [...new Set(carried.edges.map((edge) => edge[side]))];
    return walker.walk(direction, starts, Math.max(span[direction] - 1, 0), budget);
  };
  const [above, below] = await Promise.all([beyond('upstream', 0), beyond('downstream', 1)]);
  const [upstream, downstream] = [joinFound(up, above), joinFound(down, below)];
  return {
    nodes: nodesById(joinFound(upstream, downstream, carried)),
    upstream: upstream.edges,
    downstream: downstream.edges,
    carried: carried.edges,
    derived: [],
    truncated: findTruncation(budget, [joinFound(upstream, carried), joinFound(downstream, carried)]),
  };
};

/** Reads the lineage around some records as the database has it. */
export const walkSubgraph = (
  { engine, walker }: LineageReader,
  principal: Principal,
  { derived, ...query }: SubgraphQuery,
): Promise<FoundLineage> => {
  const [root] = query.roots;
  return derived && root?.kind.platformView
    ? walkPlatform({ engine, walker }, principal, root, query, derived)
    : walkRecords(walker, query);
};

/** Determines what of the lineage around some records the caller may see. */
export const judgeSubgraph = async (
  engine: Engine,
  principal: Principal,
  roots: SubgraphQuery['roots'],
  found: FoundLineage,
): Promise<Subgraph> => {
  const own = new Set(roots.map(({ id }) => id));
  const seen = await readNodeVisibility(engine, principal, [...found.nodes.values()]);
  return { ...found, sees: (id) => own.has(id) || seen(id) };
};

/** Reads the lineage around some records that the caller may see. */
export const readSubgraph = async (
  reader: LineageReader,
  principal: Principal,
  query: SubgraphQuery,
): Promise<Subgraph> =>
  judgeSubgraph(reader.engine, principal, query.roots, await walkSubgraph(reader, principal, query));

/**
 * Splits the edges that run through pipelines into two halves: from the origin to the pipeline, and from it to the
 * target. Returns the halves of one direction after the edges that lead there without a pipeline.
 */
export const splitAtPipelines = (
  direction: LineageDirection,
  found: Pick<FoundLineage, LineageDirection | 'carried'>,
  depth: number,
): readonly EdgeTuple[] => {
  if (depth === 0 || found.carried.length === 0) return found[direction];
  const halves = found.carried.map((whole): EdgeTuple => {
    const [from, to, pipelineId, detailsJson] = whole;
    const pipeline = pipelineId ?? '';
    return direction === 'upstream'
      ? [from, pipeline, pipelineId, detailsJson, whole]
      : [pipeline, to, pipelineId, detailsJson, whole];
  });
  return [...found[direction], ...halves];
};
