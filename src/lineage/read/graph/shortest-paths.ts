import type { LineageDirection } from '../subgraph.ts';

/** A step between two things that can be passed: records, or columns. */
export type Hop = readonly [from: string, to: string];

/** What is found one step away from some things. A step that must not be taken is not among them. */
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
  /** How many steps are looked at altogether. */
  readonly maxHops: number;
};

/** Paths as the things they pass, shortest first. */
export type ShortestPaths = { readonly paths: readonly (readonly string[])[]; readonly truncated: boolean };

/** How many steps are tried on the way to paths; in a graph with many cycles most of them lead nowhere. */
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

/** Goes one step farther on one side; false when there is more than may be looked at. */
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

/** From where a target is reached in exactly so many steps, for each number of steps. */
type ReachLayers = readonly ReadonlySet<string>[];

/** Goes on from the layers for fewer steps, as long as nothing was learned since they were made. */
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

/** All paths of exactly one length that pass nothing twice, as far as they are wanted. */
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
 * Finds the shortest paths between two sets of things. Both sides are walked towards each other, always the smaller one:
 * when they have gone so many steps together, every path of so many steps is among what they have seen, and only then are
 * paths of that length put together. Nothing is enumerated that does not lead to a target.
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
    // From nowhere a target is reached in so many steps, and so in more steps neither.
    if (isExhausted && layers[length]?.size === 0) break;
    paths.push(...enumeratePaths(known, layers, starts, maxPaths + 1 - paths.length, tries));
    if (paths.length > maxPaths) return { paths: paths.slice(0, maxPaths), truncated: true };
    if (tries.left < 0) return { paths, truncated: true };
    // No path that passes nothing twice is longer than there are things to pass.
    if (isExhausted && length > known.out.size) break;
  }
  return { paths, truncated: false };
};
