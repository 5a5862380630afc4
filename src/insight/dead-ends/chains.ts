import { degreeOf, type LineageNetwork, neighboursOf } from '../graph/network.ts';

/** What lies upstream of a dead end and serves nothing else. */

const NONE = -1;

/** Groups of assets that feed each other in a circle; an asset on no circle is a group of its own. */
type VisitGroup = (members: readonly number[]) => void;

/**
 * Visits the strongly connected components of lineage, each after all that it feeds. It keeps its own stack, because a chain
 * may be longer than the call stack allows.
 */
const visitFromTheEnd = ({ assets, downstream }: LineageNetwork, visit: VisitGroup): void => {
  const size = assets.length;
  const order = new Int32Array(size);
  const lowest = new Int32Array(size);
  const isOpen = new Uint8Array(size);
  const next = downstream.starts.slice(0, size);
  const open: number[] = [];
  let reached = 0;
  const enter = (node: number): number => {
    reached += 1;
    order[node] = reached;
    lowest[node] = reached;
    isOpen[node] = 1;
    open.push(node);
    return node;
  };
  const lower = (node: number, value = 0): void => {
    lowest[node] = Math.min(lowest[node] ?? 0, value);
  };
  const close = (node: number): void => {
    if (lowest[node] !== order[node]) return;
    const members = open.splice(open.lastIndexOf(node));
    for (const member of members) isOpen[member] = 0;
    visit(members);
  };
  for (let start = 0; start < size; start += 1) {
    if (order[start] !== 0) continue;
    const way = [enter(start)];
    for (let node = way.at(-1); node !== undefined; node = way.at(-1)) {
      const at = next[node] ?? 0;
      next[node] = at + 1;
      const to = at < (downstream.starts[node + 1] ?? 0) ? downstream.ends[at] : undefined;
      if (to === undefined) {
        close(node);
        way.pop();
        const above = way.at(-1);
        if (above !== undefined) lower(above, lowest[node]);
      } else if (order[to] === 0) way.push(enter(to));
      else if (isOpen[to] === 1) lower(node, order[to]);
    }
  }
};

/** Returns the only dead end that a group leads to, given those of all that it feeds; NONE when there is none or another way. */
const onlyEndOf = ({ downstream }: LineageNetwork, ends: Int32Array, members: readonly number[]): number => {
  const own = new Set(members);
  let end: number | undefined;
  for (const member of members) {
    for (const to of neighboursOf(downstream, member)) {
      if (own.has(to)) continue;
      if (ends[to] === NONE || (end !== undefined && ends[to] !== end)) return NONE;
      end = ends[to];
    }
  }
  return end ?? NONE;
};

/**
 * Finds the dead ends, each with the assets upstream that serve nothing else: every way down from them ends there, and
 * nobody uses them or anything on the way.
 */
export const findChains = (
  network: LineageNetwork,
  { canEnd, isUsed }: { readonly canEnd: (node: number) => boolean; readonly isUsed: (node: number) => boolean },
): ReadonlyMap<number, readonly number[]> => {
  const chains = new Map<number, number[]>();
  const ends = new Int32Array(network.assets.length).fill(NONE);
  visitFromTheEnd(network, (members) => {
    if (members.some(isUsed)) return;
    const [first = 0] = members;
    if (members.length === 1 && degreeOf(network.downstream, first) === 0) {
      if (!canEnd(first)) return;
      ends[first] = first;
      chains.set(first, []);
      return;
    }
    const end = onlyEndOf(network, ends, members);
    if (end === NONE) return;
    for (const member of members) ends[member] = end;
    chains.get(end)?.push(...members);
  });
  return chains;
};
