/**
 * The graph of lineage that is measured: eleven layers of tables, each table feeding three of the next layer. Which ones
 * follows from where it stands, so that what a walk must find can be told without asking the database.
 */

export const LAYERS = 11;
export const MIDDLE = 5;

/**
 * How far along the next layer the three tables lie that a table feeds, by its layer. Some layers share their steps, so
 * that ways part and meet again: about 400 tables are within reach of one in the middle, and over 11,000 of one at the top.
 * All steps are even: tables at even and at odd places are two graphs.
 */
const STEPS: readonly (readonly number[])[] = [
  [0, 346, 2550],
  [0, 4156, 2610],
  [0, 4156, 2610],
  [0, 346, 2550],
  [0, 3040, 4320],
  [0, 1390, 2930],
  [0, 3492, 3278],
  [0, 1544, 18],
  [0, 1544, 18],
  [0, 3492, 3278],
];

/** How many tables a layer has. Even, so that even places stay even where a layer begins again. */
export const widthOf = (tables: number): number => 2 * Math.floor(tables / LAYERS / 2);

export type Direction = 'upstream' | 'downstream';

/** Tables are numbered layer by layer. */
const numberAt = (width: number, layer: number, place: number): number =>
  layer * width + (((place % width) + width) % width);

const layerOf = (width: number, table: number): number => Math.floor(table / width);

/** The tables one step away from one; none beyond the first and the last layer. */
const next = (width: number, direction: Direction, table: number): readonly number[] => {
  const layer = layerOf(width, table);
  const place = table - layer * width;
  if (direction === 'downstream') {
    return [...new Set((STEPS[layer] ?? []).map((step) => numberAt(width, layer + 1, place + step)))];
  }
  return [...new Set((STEPS[layer - 1] ?? []).map((step) => numberAt(width, layer - 1, place - step)))];
};

/** The column that both ends of a table's edges have to do with: at odd places, the third edge joins another one. */
const columnOf = (table: number, nth: number): string => (table % 2 === 1 && nth === 2 ? 'column_1' : 'column_0');

export type Joint = { readonly from: number; readonly to: number; readonly column: string };

/** The edges that leave a table. */
export const edgesFrom = (width: number, table: number): readonly Joint[] =>
  next(width, 'downstream', table).map((to, nth) => ({ from: table, to, column: columnOf(table, nth) }));

export type Reach = { readonly nodes: number; readonly edges: number };

/** How many tables and edges a walk finds, the start left out. */
export const reach = (width: number, direction: Direction, start: number, depth: number): Reach => {
  const seen = new Set([start]);
  let layer: readonly number[] = [start];
  let edges = 0;
  for (let step = 0; step < depth; step += 1) {
    const found = layer.flatMap((table) => next(width, direction, table));
    edges += found.length;
    layer = [...new Set(found)].filter((table) => !seen.has(table));
    for (const table of layer) seen.add(table);
  }
  return { nodes: seen.size - 1, edges };
};

/** How many tables have columns that are made from the first column of a table. */
export const affectedBy = (width: number, start: number): number => {
  const seen = new Set<number>();
  let layer: readonly number[] = [start];
  while (layer.length > 0) {
    const found = layer.flatMap((table) => edgesFrom(width, table).filter(({ column }) => column === 'column_0'));
    layer = [...new Set(found.map(({ to }) => to))];
    for (const table of layer) seen.add(table);
  }
  return seen.size;
};

/** In how many ways data gets from one table to each in the last layer. */
export const waysFrom = (width: number, start: number): ReadonlyMap<number, number> => {
  let ways = new Map([[start, 1]]);
  while (true) {
    const longer = new Map<number, number>();
    for (const [table, count] of ways) {
      for (const to of next(width, 'downstream', table)) longer.set(to, (longer.get(to) ?? 0) + count);
    }
    if (longer.size === 0) return ways;
    ways = longer;
  }
};

/** So many tables of a layer, spread over it. `odd` takes those at odd places only, otherwise even ones. */
export const someOf = (width: number, layer: number, count: number, odd: 0 | 1): readonly number[] =>
  Array.from({ length: count }, (_, at) => numberAt(width, layer, 2 * Math.floor((at * width) / count / 2) + odd));
