import { type Arc, partsOf } from './random-graphs.ts';

/** The method of Louvain, slowly: each possible move is rated by the modularity of the whole graph that it leads to. */

/** Modularity times the square of twice the number of edges, which is a whole number. */
export const modularityOf = (groupOf: readonly number[], arcs: readonly Arc[]): bigint => {
  const inside = new Map<number, bigint>();
  const degrees = new Map<number, bigint>();
  const add = (counts: Map<number, bigint>, key: number, value: bigint) =>
    counts.set(key, (counts.get(key) ?? 0n) + value);
  for (const [from, to] of arcs) {
    const [one = -1, other = -1] = [groupOf[from], groupOf[to]];
    add(degrees, one, 1n);
    add(degrees, other, 1n);
    if (one === other) add(inside, one, 2n);
  }
  const total = BigInt(2 * arcs.length);
  return [...degrees].reduce((sum, [group, degree]) => sum + total * (inside.get(group) ?? 0n) - degree * degree, 0n);
};

/** Moves blocks of nodes until no move raises modularity, and returns the number of each block's group. */
const moveBlocks = (blocks: readonly (readonly number[])[], size: number, arcs: readonly Arc[]): readonly number[] => {
  const blockOf = new Array<number>(size).fill(0);
  for (const [block, nodes] of blocks.entries()) for (const node of nodes) blockOf[node] = block;
  const groups = blocks.map((_, block) => block);
  const nearTo = (block: number) =>
    arcs.flatMap((arc) => {
      const [one = 0, other = 0] = arc.map((node) => blockOf[node] ?? 0);
      return one === block ? [other] : other === block ? [one] : [];
    });
  const modularityWith = (block: number, group: number) =>
    modularityOf(
      blockOf.map((other) => (other === block ? group : (groups[other] ?? 0))),
      arcs,
    );
  const due = new Set(groups);
  while (due.size > 0) {
    for (let block = 0; block < blocks.length; block += 1) {
      if (!due.delete(block)) continue;
      const own = groups[block] ?? 0;
      const others = [...new Set(nearTo(block).map((near) => groups[near] ?? 0))].sort((a, b) => a - b);
      let [best, most] = [own, modularityWith(block, own)];
      for (const group of others) {
        const modularity = modularityWith(block, group);
        if (modularity > most) [best, most] = [group, modularity];
      }
      if (best === own) continue;
      groups[block] = best;
      for (const near of nearTo(block)) if (groups[near] !== best) due.add(near);
    }
  }
  return groups;
};

const groupBy = <T>(items: readonly T[], groupOf: (item: T, at: number) => number): T[][] => {
  const groups = new Map<number, T[]>();
  for (const [at, item] of items.entries()) {
    const group = groupOf(item, at);
    groups.set(group, [...(groups.get(group) ?? []), item]);
  }
  return [...groups.values()];
};

/** The communities of numbered nodes, each as its nodes in ascending order, by their first nodes. */
export const slowCommunities = (size: number, arcs: readonly Arc[]): readonly (readonly number[])[] => {
  let blocks: readonly (readonly number[])[] = Array.from({ length: size }, (_, node) => [node]);
  for (let before = size + 1; blocks.length < before; ) {
    before = blocks.length;
    const groups = moveBlocks(blocks, size, arcs);
    blocks = groupBy(blocks, (_, block) => groups[block] ?? 0).map((some) => some.flat());
  }
  return blocks
    .flatMap((nodes) => partsOf(nodes, arcs))
    .map((nodes) => [...nodes].sort((a, b) => a - b))
    .sort((one, other) => (one[0] ?? 0) - (other[0] ?? 0));
};
