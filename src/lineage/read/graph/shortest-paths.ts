import type { LineageDirection } from '../walk-edges.ts';

/** A step between two nodes, which are records or columns. */
export type Hop = readonly [from: string, to: string];

/** Reads the steps that leave some nodes, without steps that must not be taken. */
export type ExpandFrontier = (
  direction: LineageDirection,
  ids: readonly string[],
  limit: number,
) => Promise<readonly Hop[]>;

export type PathSearch = {
  readonly starts: readonly string[];
  readonly targets: readonly string[];
  readonly maxLength: number;
  readonly maxPaths: number;
  /** The maximum number of steps examined in total. */
  readonly maxHops: number;
};

/** Paths as lists of nodes, shortest first. */
export type ShortestPaths = { readonly paths: readonly (readonly string[])[]; readonly truncated: boolean };

/** The maximum number of steps tried while enumerating paths; in a graph with many cycles most of them lead nowhere. */
const MAX_TRIES = 500_000;

type SearchSide = {
  readonly direction: LineageDirection;
  readonly passed: Set<string>;
  frontier: readonly string[];
  depth: number;
};

const startSearchSide = (direction: LineageDirection, ids: readonly string[]): SearchSide => ({
  direction,
  passed: new Set(ids),
  frontier: [...new Set(ids)],
  depth: 0,
});

type KnownHops = { readonly out: Map<string, Set<string>>; readonly into: Map<string, Set<string>>; hops: number };

const addHop = (known: KnownHops, [from, to]: Hop): void => {
  const targets = known.out.get(from) ?? new Set();
  if (targets.has(to)) return;
  known.out.set(from, targets.add(to));
  known.into.set(to, (known.into.get(to) ?? new Set()).add(from));
  known.hops += 1;
};

/** Expands one side by one step; false when that would exceed the limit. */
const expandSide = async (
  side: SearchSide,
  known: KnownHops,
  next: ExpandFrontier,
  maxHops: number,
): Promise<boolean> => {
  const room = maxHops - known.hops;
  const hops = await next(side.direction, side.frontier, room + 1);
  if (hops.length > room) return false;
  const fresh: string[] = [];
  for (const hop of hops) {
    addHop(known, hop);
    const far = side.direction === 'downstream' ? hop[1] : hop[0];
    if (side.passed.has(far)) continue;
    side.passed.add(far);
    fresh.push(far);
  }
  side.frontier = fresh;
  side.depth += 1;
  return true;
};

/** For each number of steps, the nodes from which a target can be reached in exactly that many steps. */
type ReachLayers = readonly ReadonlySet<string>[];

/** Extends the layers to a greater length; valid only while no new steps were added since they were built. */
const extendLayers = ({ into }: KnownHops, nearer: ReachLayers, length: number): ReachLayers => {
  const layers: ReadonlySet<string>[] = [...nearer];
  for (let step = layers.length; step <= length; step += 1) {
    const layer = new Set<string>();
    for (const id of layers[step - 1] ?? []) for (const from of into.get(id) ?? []) layer.add(from);
    layers.push(layer);
  }
  return layers;
};

type TryBudget = { left: number };

/** Returns the simple paths of one exact length, up to the requested number. */
const enumeratePaths = (
  known: KnownHops,
  layers: ReachLayers,
  starts: readonly string[],
  most: number,
  tries: TryBudget,
): string[][] => {
  const length = layers.length - 1;
  const found: string[][] = [];
  const path: string[] = [];
  const follow = (id: string): void => {
    tries.left -= 1;
    if (found.length >= most || tries.left < 0) return;
    path.push(id);
    const left = length - path.length + 1;
    if (left === 0) found.push([...path]);
    else {
      for (const to of known.out.get(id) ?? []) {
        if (layers[left - 1]?.has(to) && !path.includes(to)) follow(to);
      }
    }
    path.pop();
  };
  for (const start of starts) if (layers[length]?.has(start)) follow(start);
  return found;
};

/**
 * Finds the shortest paths between two sets of nodes by bidirectional search, always expanding the smaller side. After
 * both sides together took n steps, every path of length n is among the known steps, so paths of that length are
 * enumerated then. Only nodes that lead to a target are followed.
 */
export const findShortestPaths = async (search: PathSearch, next: ExpandFrontier): Promise<ShortestPaths> => {
  const { starts, targets, maxLength, maxPaths, maxHops } = search;
  const known: KnownHops = { out: new Map(), into: new Map(), hops: 0 };
  const [one, other] = [startSearchSide('downstream', starts), startSearchSide('upstream', targets)];
  const paths: string[][] = [];
  const tries: TryBudget = { left: MAX_TRIES };
  const ends: ReachLayers = [new Set(targets)];
  let layers = ends;
  for (let length = 1; length <= maxLength; length += 1) {
    const isExhausted = one.frontier.length === 0 || other.frontier.length === 0;
    if (!isExhausted) {
      const side = one.frontier.length <= other.frontier.length ? one : other;
      if (!(await expandSide(side, known, next, maxHops))) return { paths, truncated: true };
      layers = ends;
    }
    layers = extendLayers(known, layers, length);
    // If no node reaches a target in this many steps, none does in more.
    if (isExhausted && layers[length]?.size === 0) break;
    paths.push(...enumeratePaths(known, layers, starts, maxPaths + 1 - paths.length, tries));
    if (paths.length > maxPaths) return { paths: paths.slice(0, maxPaths), truncated: true };
    if (tries.left < 0) return { paths, truncated: true };
    // A simple path is never longer than the number of nodes.
    if (isExhausted && length > known.out.size) break;
  }
  return { paths, truncated: false };
};
