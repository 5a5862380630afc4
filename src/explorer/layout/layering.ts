/** Finds for every box the layer in which it stands, so that data flows from left to right. */

/** Neighbours of each spot, by number: `before` feed it, `after` are fed by it. */
export type Ends = { readonly before: number[][]; readonly after: number[][] };

export type Pair = readonly [from: number, to: number];

const joinPairs = (count: number, pairs: readonly Pair[]): Ends => {
  const before: number[][] = Array.from({ length: count }, () => []);
  const after: number[][] = Array.from({ length: count }, () => []);
  for (const [from, to] of pairs) {
    after[from]?.push(to);
    before[to]?.push(from);
  }
  return { before, after };
};

/** An order of the boxes in which few pairs lead back: ends go last, sources first, and of a circle whoever feeds most of it. */
const orderBoxes = (count: number, pairs: readonly Pair[]): Int32Array => {
  const { before, after } = joinPairs(count, pairs);
  const [feeders, readers] = [before.map(({ length }) => length), after.map(({ length }) => length)];
  const place = new Int32Array(count).fill(-1);
  const ready: number[] = [];
  let [first, last] = [0, count - 1];
  const remove = (box: number, isFirst: boolean): void => {
    place[box] = isFirst ? first : last;
    if (isFirst) first += 1;
    else last -= 1;
    for (const end of after[box] ?? []) {
      feeders[end] = (feeders[end] ?? 0) - 1;
      if (feeders[end] === 0) ready.push(end);
    }
    for (const end of before[box] ?? []) {
      readers[end] = (readers[end] ?? 0) - 1;
      if (readers[end] === 0) ready.push(end);
    }
  };
  let circle: number[] = [];
  for (let box = 0; box < count; box += 1) {
    if (feeders[box] === 0 || readers[box] === 0) ready.push(box);
    else circle.push(box);
  }
  while (first <= last) {
    for (let box = ready.pop(); box !== undefined; box = ready.pop()) {
      if (place[box] === -1) remove(box, readers[box] !== 0 || feeders[box] === 0);
    }
    circle = circle.filter((box) => place[box] === -1);
    const surplus = (box: number): number => (readers[box] ?? 0) - (feeders[box] ?? 0);
    const [start, ...others] = circle;
    if (start !== undefined)
      remove(
        others.reduce((most, box) => (surplus(box) > surplus(most) ? box : most), start),
        true,
      );
  }
  return place;
};

/** The pairs that lead back, without which nothing goes in circles. */
export const findReturns = (count: number, pairs: readonly Pair[]): ReadonlySet<number> => {
  const place = orderBoxes(count, pairs);
  return new Set(pairs.flatMap(([from, to], at) => ((place[from] ?? 0) > (place[to] ?? 0) ? [at] : [])));
};

/** All boxes so that each comes after those it is made from. */
const sortByFlow = ({ before, after }: Ends): readonly number[] => {
  const waiting = before.map(({ length }) => length);
  const sorted = waiting.flatMap((count, at) => (count === 0 ? [at] : []));
  for (let at = 0; at < sorted.length; at += 1) {
    for (const end of after[sorted[at] ?? 0] ?? []) {
      const left = (waiting[end] ?? 0) - 1;
      waiting[end] = left;
      if (left === 0) sorted.push(end);
    }
  }
  return sorted;
};

/** Moves boxes to the right as far as that makes their links shorter: a source stands right before what it feeds. */
const tighten = (layer: number[], sorted: readonly number[], { before, after }: Ends): void => {
  for (let at = sorted.length - 1; at >= 0; at -= 1) {
    const box = sorted[at] ?? 0;
    const [feeders, readers] = [before[box] ?? [], after[box] ?? []];
    if (readers.length === 0 || readers.length < feeders.length) continue;
    if (readers.length === feeders.length && feeders.length > 0) continue;
    const nearest = readers.reduce((least, end) => Math.min(least, layer[end] ?? 0), Number.POSITIVE_INFINITY);
    layer[box] = Math.max(layer[box] ?? 0, nearest - 1);
  }
};

/** The layer of each box by the longest way to it. Pairs must not go in circles. */
export const findLayers = (count: number, pairs: readonly Pair[]): readonly number[] => {
  const ends = joinPairs(count, pairs);
  const sorted = sortByFlow(ends);
  const layer = Array.from({ length: count }, () => 0);
  for (const box of sorted) {
    for (const end of ends.after[box] ?? []) layer[end] = Math.max(layer[end] ?? 0, (layer[box] ?? 0) + 1);
  }
  tighten(layer, sorted, ends);
  const first = layer.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  return first > 0 && Number.isFinite(first) ? layer.map((at) => at - first) : layer;
};
