import type { RefNode } from '../../catalog/queries.ts';
import type { Call } from '../../http/route.ts';
import { decodeDetails } from '../edge.ts';
import type { Site } from '../ends.ts';
import { cutAmong, isCarrier, type Reader, type Span, withDerived } from '../entity-lineage.ts';
import { type Surroundings, walkPlatform } from '../platform-walk.ts';
import type { EdgeTuple } from '../queries.ts';
import { sightOf } from '../sight.ts';
import type { Budget, Cut, Direction } from '../subgraph.ts';
import type { Found } from '../walk.ts';
import type { Period, Scope } from './asked.ts';
import { type Paths, pathsOf } from './layers.ts';

/** For whom something is read, and what addresses begin with. */
export type Caller = Pick<Call, 'principal' | 'hrefBase'>;

/** Pairs of records of which the first feeds the second in some way. */
export type Implied = readonly (readonly [from: string, to: string])[];

/** What there is to walk on around a record: all that the caller may see and the request looks at. */
export type Ground = {
  readonly root: Site;
  readonly nodes: ReadonlyMap<string, RefNode>;
  readonly paths: Readonly<Record<Direction, Paths>>;
  /** Who is next to whom without there being an edge between just those two. */
  readonly implied: Implied;
  readonly truncated: Cut['truncated'];
};

const NOTHING: Found = { edges: [], nodes: [] };

/** The edges that run through a record; through most kinds of records none do. */
const readCarried = ({ walker }: Reader, root: Site, budget: Budget): Promise<Found> =>
  isCarrier(root) ? walker.carried(root.id, budget.edges + 1) : Promise.resolve(NOTHING);

/** What lies in one direction of a record, and behind the edges that run through it. */
const readSide = async (
  { walker }: Reader,
  root: Site,
  carried: Found,
  direction: Direction,
  depth: number,
  budget: Budget,
): Promise<Found> => {
  const starts = new Set(carried.edges.map(([from, to]) => (direction === 'upstream' ? from : to)));
  const [near, far] = await Promise.all([
    walker.walk(direction, [root.id], depth, budget),
    walker.walk(direction, [...starts], Math.max(depth - 1, 0), budget),
  ]);
  return { edges: [...near.edges, ...far.edges], nodes: [...near.nodes, ...far.nodes] };
};

const readSides = async (
  reader: Reader,
  root: Site,
  carried: Found,
  span: Span,
  budget: Budget,
): Promise<Surroundings> => {
  const [up, down] = await Promise.all([
    readSide(reader, root, carried, 'upstream', span.upstream, budget),
    readSide(reader, root, carried, 'downstream', span.downstream, budget),
  ]);
  return { up, down, derived: NOTHING, truncated: cutAmong(budget, up, down, carried) };
};

/** An edge held from when it was made until it was last changed; one that follows from others holds whenever they do. */
const isDuring =
  (period: Period | undefined) =>
  ([, , pipelineId, text]: EdgeTuple): boolean => {
    if (!period) return true;
    const { createdAt = period.start, updatedAt = period.end } = decodeDetails(text, pipelineId);
    return createdAt <= period.end && updatedAt >= period.start;
  };

/** Reads what there is around a record. What data runs through begins lineage with the edges that run through it. */
export const readGround = async (
  reader: Reader,
  { principal }: Caller,
  root: Site,
  span: Span,
  { includeDeleted, period }: Scope,
  budget: Budget,
): Promise<Ground> => {
  const carried = await readCarried(reader, root, budget);
  const around = root.kind.platformView
    ? walkPlatform(reader, principal, root, span, budget, { includeDeleted, beyond: true })
    : readSides(reader, root, carried, span, budget);
  const { up, down, derived, truncated } = await around;
  const found = [up, down, carried, derived];
  const all = new Map([...found.flatMap(({ nodes }) => nodes), root.node].map((node) => [node.id, node]));
  const sees = await sightOf(reader.engine, principal, [...all.values()]);
  const nodes = new Map(
    [...all].filter(([id, { deleted }]) => id === root.id || (sees(id) && (includeDeleted || deleted !== true))),
  );
  const isIn = isDuring(period);
  const inSight = (edges: readonly EdgeTuple[]) =>
    edges.filter((edge) => nodes.has(edge[0]) && nodes.has(edge[1]) && isIn(edge));
  const through = inSight(carried.edges);
  const paths = (direction: Direction, { edges }: Found) =>
    pathsOf(direction, root.id, inSight(withDerived(edges, derived.edges)), through);
  return {
    root,
    nodes,
    paths: { upstream: paths('upstream', up), downstream: paths('downstream', down) },
    implied: [
      ...inSight(derived.edges).map(([from, to]) => [from, to] as const),
      ...through.flatMap(([from, to]) => [[from, root.id] as const, [root.id, to] as const]),
    ],
    truncated,
  };
};
