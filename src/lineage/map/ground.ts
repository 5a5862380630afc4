import type { RefNode } from '../../catalog/queries.ts';
import type { Call } from '../../http/route.ts';
import { decodeDetails } from '../edge.ts';
import type { Site } from '../ends.ts';
import { cutAmong, isCarrier, type Reader, type Span } from '../entity-lineage.ts';
import type { EdgeTuple } from '../queries.ts';
import { sightOf } from '../sight.ts';
import type { Budget, Cut, Direction } from '../subgraph.ts';
import type { Found } from '../walk.ts';
import type { Period, Scope } from './asked.ts';
import { type Paths, pathsOf } from './layers.ts';

/** For whom something is read, and what addresses begin with. */
export type Caller = Pick<Call, 'principal' | 'hrefBase'>;

/** What there is to walk on around a record: all that the caller may see and the request looks at. */
export type Ground = {
  readonly root: Site;
  readonly nodes: ReadonlyMap<string, RefNode>;
  readonly paths: Readonly<Record<Direction, Paths>>;
  readonly truncated: Cut['truncated'];
};

const NOTHING: Found = { edges: [], nodes: [] };

type Side = { readonly own: Found; readonly carried: Found };

/** What data runs through begins lineage with the edges that run through it. */
const sideOf = async (
  { walker }: Reader,
  root: Site,
  direction: Direction,
  depth: number,
  budget: Budget,
): Promise<Side> => {
  const own = walker.walk(direction, [root.id], depth, budget);
  if (depth === 0 || !isCarrier(root)) return { own: await own, carried: NOTHING };
  const carried = await walker.carried(root.id, budget.edges + 1);
  const starts = [...new Set(carried.edges.map(([from, to]) => (direction === 'upstream' ? from : to)))];
  const [near, far] = await Promise.all([own, walker.walk(direction, starts, depth - 1, budget)]);
  return { own: { edges: [...near.edges, ...far.edges], nodes: [...near.nodes, ...far.nodes] }, carried };
};

/** An edge held from when it was made until it was last changed. */
const isDuring =
  (period: Period | undefined) =>
  ([, , pipelineId, text]: EdgeTuple): boolean => {
    if (!period) return true;
    const { createdAt, updatedAt } = decodeDetails(text, pipelineId);
    return createdAt <= period.end && updatedAt >= period.start;
  };

/** Reads what there is around a record. */
export const readGround = async (
  reader: Reader,
  { principal }: Caller,
  root: Site,
  span: Span,
  { includeDeleted, period }: Scope,
  budget: Budget,
): Promise<Ground> => {
  const sides = await Promise.all([
    sideOf(reader, root, 'upstream', span.upstream, budget),
    sideOf(reader, root, 'downstream', span.downstream, budget),
  ]);
  const found = sides.flatMap(({ own, carried }) => [own, carried]);
  const all = new Map([root.node, ...found.flatMap(({ nodes }) => nodes)].map((node) => [node.id, node]));
  const sees = await sightOf(reader.engine, principal, [...all.values()]);
  const nodes = new Map(
    [...all].filter(([id, { deleted }]) => id === root.id || (sees(id) && (includeDeleted || deleted !== true))),
  );
  const isIn = isDuring(period);
  const inSight = (edges: readonly EdgeTuple[]) =>
    edges.filter((edge) => nodes.has(edge[0]) && nodes.has(edge[1]) && isIn(edge));
  const [up, down] = sides.map(({ own, carried }) => ({ edges: inSight(own.edges), carried: inSight(carried.edges) }));
  return {
    root,
    nodes,
    paths: {
      upstream: pathsOf('upstream', root.id, up?.edges ?? [], up?.carried ?? []),
      downstream: pathsOf('downstream', root.id, down?.edges ?? [], down?.carried ?? []),
    },
    truncated: cutAmong(budget, ...found),
  };
};
