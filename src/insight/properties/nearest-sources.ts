import { groupBy } from '../../model/group-by.ts';
import { compareByFqn } from '../../model/name.ts';
import { PROPAGATION_STOP } from '../propagation/ways.ts';

/**
 * Finds for each node of a graph the nearest nodes upstream that have a value. A node with a value passes on only that
 * one; a node without passes on what it takes from the nearest sources. What a node is and what a value is do not matter.
 */

export type ValueNode = { readonly key: string; readonly fullyQualifiedName: string };

export type FlowStep<N extends ValueNode> = {
  readonly from: N;
  readonly to: N;
  /** What keeps values from passing. */
  readonly blocker: string | undefined;
};

export type ValueFlow<N extends ValueNode> = {
  readonly steps: readonly FlowStep<N>[];
  /** Identifies the value that a node passes on; undefined when it has none. */
  readonly passedBy: (node: N) => string | undefined;
  /** Whether a node inherits nothing and passes nothing on. */
  readonly isStop: (node: N) => boolean;
  readonly maxDepth: number;
};

/** The first obstacle on a way. */
export type FlowBlock<N extends ValueNode> = { readonly from: N; readonly to: N; readonly function: string };

/** One of the nearest sources of a node. */
export type NearestSource<N extends ValueNode> = {
  readonly source: N;
  readonly value: string;
  /** Lists some of the shortest ways from it to the node. */
  readonly listPaths: () => readonly (readonly N[])[];
};

export type Nearest<N extends ValueNode> = {
  readonly node: N;
  /** Sources at the smallest distance: the first ones, and for each of their values at least one. */
  readonly sources: readonly NearestSource<N>[];
  /** Set when every way has an obstacle; the only source is then that of the shortest way. */
  readonly blockedBy: FlowBlock<N> | undefined;
};

export const MAX_PATHS = 3;
export const MAX_SOURCES = 5;
/** A source does not count for itself, so each node keeps one more than an answer names, and two of each value. */
const MAX_KEPT_SOURCES = MAX_SOURCES + 1;
const MAX_KEPT_PER_VALUE = 2;
/** So many different values at the same distance are told apart. */
const MAX_VALUES = 20;

/** A source as seen from a node, with the same source as seen from the nodes before it on the shortest ways. */
type Arrival<N extends ValueNode> = {
  readonly node: N;
  readonly source: N;
  readonly value: string;
  before: Arrival<N>[];
};

/** The sources that reach a node at one distance, by key. */
type Group<N extends ValueNode> = {
  readonly distance: number;
  readonly arrivals: Map<string, Arrival<N>>;
  readonly counts: Map<string, number>;
};

/** The nearest sources of a node and, when these are only one, the next ones: the one may not count further on. */
type Reached<N extends ValueNode> = { readonly node: N; readonly first: Group<N>; second: Group<N> | undefined };

type Leaving<N extends ValueNode> = ReadonlyMap<string, readonly FlowStep<N>[]>;

/** The steps that leave each node, in the order of the names they lead to, so that answers do not depend on storage. */
const groupSteps = <N extends ValueNode>(steps: readonly FlowStep<N>[]): Leaving<N> =>
  groupBy(
    [...steps].sort((a, b) => compareByFqn(a.to, b.to)),
    ({ from }) => from.key,
  );

/** The nodes that have a value and from which a step leaves, in the order of their names. */
export const listSources = <N extends ValueNode>({ steps, passedBy }: ValueFlow<N>): readonly N[] => {
  const nodes = new Map(steps.map(({ from }) => [from.key, from]));
  return [...nodes.values()].filter((node) => passedBy(node) !== undefined).sort(compareByFqn);
};

const openGroup = <N extends ValueNode>(distance: number): Group<N> => ({
  distance,
  arrivals: new Map(),
  counts: new Map(),
});

/** Adds an arrival to a group, or one more way to it. Returns the arrival when it is new. */
const addArrival = <N extends ValueNode>(group: Group<N>, node: N, before: Arrival<N>): Arrival<N> | undefined => {
  const { source, value } = before;
  const known = group.arrivals.get(source.key);
  if (known) {
    if (known.before.length < MAX_PATHS) known.before.push(before);
    return undefined;
  }
  const count = group.counts.get(value) ?? 0;
  const isRare = count < MAX_KEPT_PER_VALUE && (count > 0 || group.counts.size < MAX_VALUES);
  if (group.arrivals.size >= MAX_KEPT_SOURCES && !isRare) return undefined;
  const arrival = { node, source, value, before: [before] };
  group.arrivals.set(source.key, arrival);
  group.counts.set(value, count + 1);
  return arrival;
};

/** The group of a node that a source at some distance belongs to; undefined when others are nearer. */
const groupAt = <N extends ValueNode>(
  reached: Map<string, Reached<N>>,
  node: N,
  source: N,
  distance: number,
): Group<N> | undefined => {
  const known = reached.get(node.key);
  if (!known) {
    const first = openGroup<N>(distance);
    reached.set(node.key, { node, first, second: undefined });
    return first;
  }
  if (known.first.distance === distance) return known.first;
  if (known.first.arrivals.size > 1 || known.first.arrivals.has(source.key)) return undefined;
  known.second ??= openGroup<N>(distance);
  return known.second.distance === distance ? known.second : undefined;
};

/** Walks from all sources at once, level by level, along ways without obstacles. */
const walkOpenWays = <N extends ValueNode>(
  leaving: Leaving<N>,
  flow: ValueFlow<N>,
): ReadonlyMap<string, Reached<N>> => {
  const { passedBy, isStop, maxDepth } = flow;
  const reached = new Map<string, Reached<N>>();
  let frontier = listSources(flow).flatMap((source): Arrival<N>[] =>
    isStop(source) ? [] : [{ node: source, source, value: passedBy(source) ?? '', before: [] }],
  );
  for (let distance = 1; distance <= maxDepth && frontier.length > 0; distance += 1) {
    const next: Arrival<N>[] = [];
    for (const before of frontier) {
      for (const { to, blocker } of leaving.get(before.node.key) ?? []) {
        if (blocker !== undefined || to.key === before.source.key || isStop(to)) continue;
        const group = groupAt(reached, to, before.source, distance);
        const arrival = group && addArrival(group, to, before);
        if (arrival && passedBy(to) === undefined) next.push(arrival);
      }
    }
    frontier = next;
  }
  return reached;
};

const listPaths = <N extends ValueNode>({ node, before }: Arrival<N>): readonly (readonly N[])[] => {
  if (before.length === 0) return [[node]];
  const paths: (readonly N[])[] = [];
  for (const one of before) {
    for (const path of listPaths(one)) paths.push([...path, node]);
    if (paths.length >= MAX_PATHS) break;
  }
  return paths.slice(0, MAX_PATHS);
};

const toNearest = <N extends ValueNode>({ node, first }: Reached<N>): Nearest<N> => ({
  node,
  sources: [...first.arrivals.values()].map((arrival) => ({
    source: arrival.source,
    value: arrival.value,
    listPaths: () => listPaths(arrival),
  })),
  blockedBy: undefined,
});

type BlockedWay<N extends ValueNode> = {
  readonly node: N;
  readonly source: N;
  readonly before: BlockedWay<N> | undefined;
  readonly block: FlowBlock<N> | undefined;
};

const stopAt = <N extends ValueNode>(from: N, to: N): FlowBlock<N> => ({ from, to, function: PROPAGATION_STOP });

const obstacleOf = <N extends ValueNode>({ from, to, blocker }: FlowStep<N>, isStop: ValueFlow<N>['isStop']) =>
  blocker === undefined ? (isStop(to) ? stopAt(from, to) : undefined) : { from, to, function: blocker };

/** Finds the shortest way to each node without a value as if nothing had kept values from passing. */
const walkAllWays = <N extends ValueNode>(
  leaving: Leaving<N>,
  flow: ValueFlow<N>,
): ReadonlyMap<string, BlockedWay<N>> => {
  const { passedBy, isStop, maxDepth } = flow;
  const found = new Map<string, BlockedWay<N>>();
  let frontier = listSources(flow).map((source): BlockedWay<N> => {
    const block = isStop(source) ? stopAt(source, source) : undefined;
    return { node: source, source, before: undefined, block };
  });
  for (let depth = 0; depth < maxDepth && frontier.length > 0; depth += 1) {
    const next: BlockedWay<N>[] = [];
    for (const before of frontier) {
      for (const step of leaving.get(before.node.key) ?? []) {
        if (found.has(step.to.key) || passedBy(step.to) !== undefined) continue;
        const block = before.block ?? obstacleOf(step, isStop);
        const way = { node: step.to, source: before.source, before, block };
        found.set(step.to.key, way);
        next.push(way);
      }
    }
    frontier = next;
  }
  return found;
};

const nodesOf = <N extends ValueNode>(way: BlockedWay<N>): readonly N[] => {
  const nodes: N[] = [];
  for (let at: BlockedWay<N> | undefined = way; at; at = at.before) nodes.push(at.node);
  return nodes.reverse();
};

/** Lists the nodes that values reach, or would reach if nothing kept them from passing, in the order of their names. */
export const findNearest = <N extends ValueNode>(flow: ValueFlow<N>): readonly Nearest<N>[] => {
  const leaving = groupSteps(flow.steps);
  const open = walkOpenWays(leaving, flow);
  const blocked = [...walkAllWays(leaving, flow)].flatMap(([key, way]): Nearest<N>[] =>
    open.has(key)
      ? []
      : [
          {
            node: way.node,
            sources: [{ source: way.source, value: flow.passedBy(way.source) ?? '', listPaths: () => [nodesOf(way)] }],
            blockedBy: way.block,
          },
        ],
  );
  return [...[...open.values()].map(toNearest), ...blocked].sort((a, b) => compareByFqn(a.node, b.node));
};

/** Keeps the steps that lead to a wanted node, so that nothing depends on what else was read. */
export const keepLeadingSteps = <N extends ValueNode>(
  steps: readonly FlowStep<N>[],
  isWanted: (node: N) => boolean,
): readonly FlowStep<N>[] => {
  const entering = groupBy(steps, ({ to }) => to.key);
  const leads = new Set(steps.flatMap(({ to }) => (isWanted(to) ? [to.key] : [])));
  // A set goes on with what is added on the way.
  for (const key of leads) for (const { from } of entering.get(key) ?? []) leads.add(from.key);
  return steps.filter(({ to }) => leads.has(to.key));
};
