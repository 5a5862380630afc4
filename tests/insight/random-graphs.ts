import { buildNetwork, type LineageNetwork, type NetworkAsset } from '../../src/insight/graph/network.ts';
import { createRandom } from '../support/random.ts';

/** Random lineage, always the same for the same seed, and slow ways to tell what must be found in it. */

/** Returns numbers from 0 up to 1 that repeat for the same seed. */
export const randomFrom = (seed: number): (() => number) => {
  const random = createRandom(seed);
  return () => random(2 ** 32) / 2 ** 32;
};

export type Arc = readonly [from: number, to: number];

/** Draws distinct edges between numbered nodes; without circles, they lead from lower to higher numbers. */
export const drawArcs = (random: () => number, size: number, count: number, withCircles = true): readonly Arc[] => {
  const arcs = new Map<string, Arc>();
  for (let at = 0; at < count; at += 1) {
    const [one, other] = [Math.floor(random() * size), Math.floor(random() * size)];
    if (one === other) continue;
    const arc: Arc = withCircles || one < other ? [one, other] : [other, one];
    arcs.set(arc.join(), arc);
  }
  return [...arcs.values()];
};

export const shuffled = <T>(random: () => number, all: readonly T[]): T[] => {
  const list = [...all];
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other] as T, list[at] as T];
  }
  return list;
};

/** IDs sort like the numbers they stand for. */
const idOf = (node: number): string => `n${String(node).padStart(5, '0')}`;

export const assetsOf = (
  size: number,
  arcs: readonly Arc[],
  more: (node: number) => Partial<NetworkAsset> = () => ({}),
): NetworkAsset[] =>
  Array.from({ length: size }, (_, node) => ({
    id: idOf(node),
    entityType: 'table',
    fullyQualifiedName: `s.${idOf(node)}`,
    parentId: undefined,
    tier: undefined,
    usedOn: undefined,
    uses: 0,
    feeds: arcs.flatMap(([from, to]) => (from === node ? [idOf(to)] : [])),
    feedSources: [],
    ...more(node),
  }));

export const networkOf = (size: number, arcs: readonly Arc[]): LineageNetwork => buildNetwork(assetsOf(size, arcs));

/** The nodes that can be reached from one. */
export const reachableFrom = (arcs: readonly Arc[], start: number): ReadonlySet<number> => {
  const seen = new Set([start]);
  for (let grows = true; grows; ) {
    grows = false;
    for (const [from, to] of arcs) {
      if (!seen.has(from) || seen.has(to)) continue;
      seen.add(to);
      grows = true;
    }
  }
  return seen;
};

/** The connected parts of a graph without direction, among some of its nodes. */
export const partsOf = (nodes: readonly number[], arcs: readonly Arc[]): readonly (readonly number[])[] => {
  const kept = new Set(nodes);
  const both = arcs.flatMap(([from, to]): Arc[] =>
    kept.has(from) && kept.has(to)
      ? [
          [from, to],
          [to, from],
        ]
      : [],
  );
  const parts: number[][] = [];
  while (kept.size > 0) {
    const [start = 0] = kept;
    const part = reachableFrom(both, start);
    for (const node of part) kept.delete(node);
    parts.push([...part]);
  }
  return parts;
};

/** The sizes of the connected parts, the largest first. */
export const partSizes = (nodes: readonly number[], arcs: readonly Arc[]): readonly number[] =>
  partsOf(nodes, arcs)
    .map(({ length }) => length)
    .sort((one, other) => other - one);
