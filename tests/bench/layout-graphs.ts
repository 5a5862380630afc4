import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Box, Link } from '../../src/explorer/layout/placement.ts';
import { packageRoot } from '../../src/graph/package-root.ts';

/** The graphs on which layouts are compared. */

export type LayoutGraph = { readonly boxes: readonly Box[]; readonly links: readonly Link[] };

const graphOf = (pairs: readonly (readonly [string, string])[]): LayoutGraph => {
  const known = new Map(pairs.filter(([from, to]) => from !== to).map((pair) => [pair.join(' '), pair]));
  const ids = [...new Set([...known.values()].flat())];
  return {
    boxes: ids.map((id) => ({ id, width: 264, height: 74 })),
    links: [...known].map(([id, [from, to]]) => ({ id, from, to })),
  };
};

type SeedEdge = {
  readonly fromEntity?: { readonly fullyQualifiedName: string };
  readonly toEntity?: { readonly fullyQualifiedName: string };
};

/** What a box is made from, and what is made from it, however far. */
const around = (pairs: readonly (readonly [string, string])[], root: string): LayoutGraph => {
  const reach = (from: 0 | 1): ReadonlySet<string> => {
    const seen = new Set([root]);
    for (const box of seen) for (const pair of pairs) if (pair[from] === box) seen.add(pair[from === 0 ? 1 : 0]);
    return seen;
  };
  const [readers, feeders] = [reach(0), reach(1)];
  const isKnown = (box: string) => readers.has(box) || feeders.has(box);
  return graphOf(pairs.filter(([from, to]) => isKnown(from) && isKnown(to)));
};

/** The lineage around the sales of the sample company. */
const readCompany = async (): Promise<LayoutGraph> => {
  const folder = join(packageRoot, 'seeds', 'company');
  const pairs: [string, string][] = [];
  for (const file of (await readdir(folder)).sort()) {
    for (const document of parseAllDocuments(await readFile(join(folder, file), 'utf8'))) {
      const { collection, records } = document.toJS() as { collection: string; records: readonly SeedEdge[] };
      if (collection !== 'lineage') continue;
      for (const { fromEntity, toEntity } of records)
        if (fromEntity && toEntity) pairs.push([fromEntity.fullyQualifiedName, toEntity.fullyQualifiedName]);
    }
  }
  return around(pairs, 'warehouse_snowflake.ANALYTICS.CORE.FCT_SALES');
};

/** Numbers that look random and are the same in every run. */
const createRandom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** Boxes in layers, most of whose links go to the next one, to boxes nearby, as data does in a warehouse. */
const growLayers = (count: number, width: number, links: number): LayoutGraph => {
  const random = createRandom(count);
  const pairs: [string, string][] = [];
  for (let at = width; at < count; at += 1) pairs.push([`box ${at - width + random(3)}`, `box ${at}`]);
  while (pairs.length < links) {
    const from = random(count - width);
    const layers = 1 + (random(4) === 0 ? random(4) : 0);
    const to = Math.floor(from / width + layers) * width + (((from % width) + random(9) - 4 + width) % width);
    if (to < count) pairs.push([`box ${from}`, `box ${to}`]);
  }
  return graphOf(pairs);
};

const fan = graphOf(
  Array.from({ length: 400 }, (_, at): [string, string] =>
    at < 40 ? [`feeder ${at}`, 'hub'] : ['hub', `reader ${at}`],
  ),
);

/** A chain with a link over several boxes at every fifth. */
const chain = graphOf(
  Array.from({ length: 300 }, (_, at) => at).flatMap((at): [string, string][] => [
    [`step ${at}`, `step ${at + 1}`],
    ...(at % 5 === 0 ? [[`step ${at}`, `step ${Math.min(300, at + 3 + (at % 7))}`] as [string, string]] : []),
  ]),
);

export const GRAPHS = {
  company: readCompany,
  fan: async () => fan,
  chain: async () => chain,
  '2,000 boxes': async () => growLayers(2000, 80, 5000),
  '10,000 boxes': async () => growLayers(10_000, 250, 22_000),
} as const;

export type GraphName = keyof typeof GRAPHS;
