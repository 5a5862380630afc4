import type { Ends } from './layering.ts';

/** Sorts the spots of each layer so that few links cross. */

/** Sorting by one side unsettles the other: a turn may be worse than the one before, but after some there is no gain. */
const MOST_TURNS = 16;
const MOST_TURNS_WITHOUT_GAIN = 4;
/** Which order is found depends on the first one, so small graphs begin with several. */
const MOST_STARTS = 12;
const SIZE_OF_ALL_STARTS = 10_000;
/** Swapping neighbours looks at every pair of links of both, which pays where there are few. */
const MOST_SWAPPED_SIZE = 4000;
const MOST_SWAP_ROUNDS = 6;

export type Layers = readonly (readonly number[])[];

type Order = { readonly layers: number[][]; readonly rank: Int32Array };

const rankOf = (layers: Layers, count: number): Int32Array => {
  const rank = new Int32Array(count);
  for (const layer of layers) {
    layer.forEach((spot, at) => {
      rank[spot] = at;
    });
  }
  return rank;
};

/** How many links between a layer and the next cross: each end counts those before it in the order that stand after it. */
const countBetween = (layer: readonly number[], next: readonly number[], { after }: Ends, rank: Int32Array): number => {
  const passed = new Int32Array(next.length + 1);
  let [crossings, links] = [0, 0];
  for (const spot of layer) {
    const ranks = (after[spot] ?? []).map((end) => rank[end] ?? 0);
    for (const end of ranks) {
      let above = 0;
      for (let at = end + 1; at > 0; at -= at & -at) above += passed[at] ?? 0;
      crossings += links - above;
    }
    for (const end of ranks) {
      for (let at = end + 1; at <= next.length; at += at & -at) passed[at] = (passed[at] ?? 0) + 1;
    }
    links += ranks.length;
  }
  return crossings;
};

const countCrossings = (layers: Layers, ends: Ends, rank: Int32Array): number => {
  let crossings = 0;
  for (let at = 0; at + 1 < layers.length; at += 1)
    crossings += countBetween(layers[at] ?? [], layers[at + 1] ?? [], ends, rank);
  return crossings;
};

/** The middle of some ranks; between two, nearer to the side where they stand closer together. */
const weightedMedian = (ranks: number[]): number => {
  const { length } = ranks;
  if (length === 1) return ranks[0] ?? 0;
  ranks.sort((one, other) => one - other);
  const half = length >> 1;
  const [low, high] = [ranks[half - 1] ?? 0, ranks[half] ?? 0];
  if (length % 2 === 1) return high;
  if (length === 2) return (low + high) / 2;
  const [before, behind] = [low - (ranks[0] ?? 0), (ranks[length - 1] ?? 0) - high];
  return before + behind === 0 ? (low + high) / 2 : (low * behind + high * before) / (before + behind);
};

const meanOf = (ranks: readonly number[]): number => ranks.reduce((sum, one) => sum + one, 0) / ranks.length;

/** Sorts a layer by where neighbours on one side stand; spots without any keep their place. */
const sortLayer = (layer: number[], neighbours: readonly number[][], rank: Int32Array, isMean: boolean): void => {
  const [moving, values] = [[] as number[], new Map<number, number>()];
  for (const spot of layer) {
    const ranks = (neighbours[spot] ?? []).map((end) => rank[end] ?? 0);
    if (ranks.length === 0) continue;
    values.set(spot, isMean ? meanOf(ranks) : weightedMedian(ranks));
    moving.push(spot);
  }
  moving.sort((one, other) => (values.get(one) ?? 0) - (values.get(other) ?? 0));
  let next = 0;
  layer.forEach((spot, at) => {
    if (!values.has(spot)) return;
    layer[at] = moving[next] ?? spot;
    next += 1;
  });
  layer.forEach((spot, at) => {
    rank[spot] = at;
  });
};

/** How many links of two spots cross when the first stands before the other. */
const crossingsOfTwo = (one: readonly number[], other: readonly number[], rank: Int32Array): number => {
  let crossings = 0;
  for (const end of one) {
    const at = rank[end] ?? 0;
    for (const its of other) if ((rank[its] ?? 0) < at) crossings += 1;
  }
  return crossings;
};

type Fixed = (spot: number) => boolean;

/** Swaps spots that stand side by side as long as fewer links cross then. */
const swapInLayer = (layer: number[], { before, after }: Ends, rank: Int32Array, isFixed: Fixed): boolean => {
  let isBetter = false;
  for (let at = 0; at + 1 < layer.length; at += 1) {
    const [one, other] = [layer[at] ?? 0, layer[at + 1] ?? 0];
    if (isFixed(one) && isFixed(other)) continue;
    const [oneBefore, otherBefore] = [before[one] ?? [], before[other] ?? []];
    const [oneAfter, otherAfter] = [after[one] ?? [], after[other] ?? []];
    const now = crossingsOfTwo(oneBefore, otherBefore, rank) + crossingsOfTwo(oneAfter, otherAfter, rank);
    if (now === 0) continue;
    const swapped = crossingsOfTwo(otherBefore, oneBefore, rank) + crossingsOfTwo(otherAfter, oneAfter, rank);
    if (swapped >= now) continue;
    layer[at] = other;
    layer[at + 1] = one;
    rank[other] = at;
    rank[one] = at + 1;
    isBetter = true;
  }
  return isBetter;
};

const swapNeighbours = ({ layers, rank }: Order, ends: Ends, isFixed: Fixed): void => {
  for (let round = 0; round < MOST_SWAP_ROUNDS; round += 1) {
    let isBetter = false;
    for (const layer of layers) if (swapInLayer(layer, ends, rank, isFixed)) isBetter = true;
    if (!isBetter) return;
  }
};

export type Wanted = {
  /** Layers in the order from which sorting begins. */
  readonly layers: Layers;
  readonly ends: Ends;
  /** Where spots stood before, whose order among each other stays. */
  readonly former: ReadonlyMap<number, number>;
};

/** Puts the spots whose order stays into that order, in the places that they have together. */
const keepOrder = (layer: number[], former: ReadonlyMap<number, number>, rank: Int32Array): void => {
  const kept = layer.filter((spot) => former.has(spot));
  kept.sort((one, other) => (former.get(one) ?? 0) - (former.get(other) ?? 0));
  let next = 0;
  layer.forEach((spot, at) => {
    if (!former.has(spot)) return;
    layer[at] = kept[next] ?? spot;
    next += 1;
  });
  layer.forEach((spot, at) => {
    rank[spot] = at;
  });
};

/** Sorts all layers in turn, first by what stands before them and then by what stands after them. */
const sweep = ({ layers, rank }: Order, { ends, former }: Wanted, isMean: boolean): void => {
  const sort = (layer: number[], neighbours: readonly number[][]): void => {
    sortLayer(layer, neighbours, rank, isMean);
    if (former.size > 0) keepOrder(layer, former, rank);
  };
  for (const layer of layers) sort(layer, ends.before);
  for (const layer of layers.toReversed()) sort(layer, ends.after);
};

const copyOf = (layers: Layers): number[][] => layers.map((layer) => [...layer]);

/** Numbers that look random, the same for the same graph. */
const createRandom = () => {
  let state = 1;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const shuffle = (layers: Layers, random: (below: number) => number): number[][] =>
  layers.map((layer) => {
    const mixed = [...layer];
    for (let at = mixed.length - 1; at > 0; at -= 1) {
      const other = random(at + 1);
      [mixed[at], mixed[other]] = [mixed[other] ?? 0, mixed[at] ?? 0];
    }
    return mixed;
  });

type Best = { layers: Layers; crossings: number };

/** How large a graph is: how many spots and links it has. */
const sizeOf = ({ before }: Ends): number => before.reduce((sum, { length }) => sum + length, before.length);

/** Sorts layers from one first order, and keeps the best order that it meets. */
const improve = (first: number[][], wanted: Wanted, best: Best): void => {
  const { ends, former } = wanted;
  const order: Order = { layers: first, rank: rankOf(first, ends.before.length) };
  const isSwapped = sizeOf(ends) <= MOST_SWAPPED_SIZE;
  let [least, turnsWithoutGain] = [Number.POSITIVE_INFINITY, 0];
  for (let turn = 0; turn <= MOST_TURNS && turnsWithoutGain < MOST_TURNS_WITHOUT_GAIN; turn += 1) {
    if (turn > 0) sweep(order, wanted, turn % 2 === 0);
    if (isSwapped) swapNeighbours(order, ends, (spot) => former.has(spot));
    const crossings = countCrossings(order.layers, ends, order.rank);
    turnsWithoutGain += 1;
    if (crossings < least) [least, turnsWithoutGain] = [crossings, 0];
    if (crossings < best.crossings) Object.assign(best, { layers: copyOf(order.layers), crossings });
    if (crossings === 0) return;
  }
};

export const sortLayers = (wanted: Wanted): Layers => {
  const { layers, ends, former } = wanted;
  const best: Best = { layers, crossings: Number.POSITIVE_INFINITY };
  improve(copyOf(layers), wanted, best);
  const random = createRandom();
  const starts = former.size > 0 ? 1 : Math.min(MOST_STARTS, SIZE_OF_ALL_STARTS / sizeOf(ends));
  for (let start = 1; start < starts && best.crossings > 0; start += 1) improve(shuffle(layers, random), wanted, best);
  return best.layers;
};
