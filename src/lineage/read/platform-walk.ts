import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import type { PlatformView } from '../../model/schemas/lineage/lineage.ts';
import type { Endpoint } from '../endpoints.ts';
import type { EdgeTuple, LineageNode } from '../queries.ts';
import { farEndOf, groupLeavingEdges, type WalkStep, walkBreadthFirst } from './breadth-first.ts';
import { readDerivedEdges } from './derived-edges.ts';
import type { FoundLineage, LineageReader, WalkLimits } from './read-subgraph.ts';
import type { LineageDirection, TruncatedWalks } from './walk-edges.ts';

/** Which derived edges count: those of deleted records too, and those beyond the last records reached. */
export type PlatformWalk = { readonly includeDeleted: boolean; readonly beyond: boolean };

type WalkSide = {
  readonly direction: LineageDirection;
  readonly edges: EdgeTuple[];
  readonly passed: string[];
  /** The edges of the next step, which are read when it is known where the last one ended. */
  leaving: ReadonlyMap<string, readonly EdgeTuple[]>;
  readonly steps: Iterator<WalkStep<EdgeTuple>, undefined>;
  readonly depth: number;
  front: readonly string[];
};

const startSide = (direction: LineageDirection, root: string, depth: number): WalkSide => {
  const leaving = { get: (id: string) => side.leaving.get(id) };
  const side: WalkSide = {
    direction,
    edges: [],
    passed: [root],
    leaving: new Map(),
    steps: walkBreadthFirst(leaving, { starts: [root], depth, farOf: farEndOf(direction) }),
    depth,
    front: depth > 0 ? [root] : [],
  };
  return side;
};

/** Advances one step along all edges that leave the records reached last. */
const advanceSide = (side: WalkSide, edges: Iterable<EdgeTuple>): void => {
  side.leaving = groupLeavingEdges(side.direction, edges);
  const step = side.steps.next().value;
  const reached = step?.reached ?? [];
  side.passed.push(...reached);
  side.front = step && step.depth < side.depth ? reached : [];
};

/** Counts the edges around each record only once, whichever walk reaches it first. */
const createEdgeCounter = (
  engine: Engine,
  principal: Principal,
  includeDeleted: boolean,
  nodes: Map<string, LineageNode>,
) => {
  const edges = new Map<string, EdgeTuple>();
  const counted = new Set<string>();
  let isCut = false;
  const countIn = async (view: PlatformView, around: readonly RefNode[]): Promise<void> => {
    const found = await readDerivedEdges(engine, principal, view, { includeDeleted, around });
    for (const edge of found.edges) edges.set(`${edge[0]} ${edge[1]}`, edge);
    for (const node of found.nodes) nodes.set(node.id, node);
    isCut ||= found.truncated !== undefined;
  };
  const count = async (ids: Iterable<string>): Promise<void> => {
    const fresh = new Set([...ids].filter((id) => !counted.has(id)));
    const views = new Map<PlatformView, RefNode[]>();
    for (const id of fresh) {
      counted.add(id);
      const node = nodes.get(id);
      const view = node && engine.registry.byType.get(node.entityType)?.platformView;
      if (view) views.set(view, [...(views.get(view) ?? []), node]);
    }
    await Promise.all([...views].map(([view, around]) => countIn(view, around)));
  };
  return { edges, count, isCut: () => isCut };
};

/**
 * Walks from a platform record layer by layer, along asserted and derived edges. Derived edges are counted only around
 * the records reached; with `beyond`, also around the last layer.
 */
export const walkPlatform = async (
  { engine, walker }: LineageReader,
  principal: Principal,
  { id }: Pick<Endpoint, 'id'>,
  { span, budget }: WalkLimits,
  { includeDeleted, beyond }: PlatformWalk,
): Promise<FoundLineage> => {
  const root = await engine.store.referenceById(id);
  const nodes = new Map<string, LineageNode>(root ? [[id, root]] : []);
  const counter = createEdgeCounter(engine, principal, includeDeleted, nodes);
  const up = startSide('upstream', id, span.upstream);
  const down = startSide('downstream', id, span.downstream);
  const cut = (): TruncatedWalks['truncated'] =>
    counter.isCut() || Math.max(up.edges.length, down.edges.length, counter.edges.size) > budget.edges
      ? 'edges'
      : nodes.size > budget.nodes
        ? 'nodes'
        : undefined;
  const waiting = () => [up, down].filter(({ front }) => front.length > 0);
  for (let open = waiting(); open.length > 0 && !cut(); open = waiting()) {
    const steps = open.map(({ direction, front }) => walker.walk(direction, front, 1, budget));
    const [said] = await Promise.all([Promise.all(steps), counter.count(open.flatMap(({ front }) => front))]);
    for (const [at, side] of open.entries()) {
      const found = said[at];
      if (!found) continue;
      side.edges.push(...found.edges);
      for (const node of found.nodes) nodes.set(node.id, node);
      advanceSide(side, [...found.edges, ...counter.edges.values()]);
    }
  }
  if (beyond) await counter.count([...up.passed, ...down.passed]);
  return {
    nodes,
    upstream: up.edges,
    downstream: down.edges,
    carried: [],
    derived: [...counter.edges.values()],
    truncated: cut(),
  };
};
