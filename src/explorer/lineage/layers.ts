import type { Box, Link, Places } from './placement.ts';

/**
 * Places thousands of boxes from left to right in a fraction of a second: layers by the longest way to a box, each sorted
 * by where the neighbours stand, and then drawn towards them. For graphs that a thorough layout takes too long for.
 */

const LAYER_GAP = 96;
const BOX_GAP = 24;
/** Between the columns of one layer. */
const COLUMN_GAP = 36;

/** Sorting by one side unsettles the other; the gain ends after a few turns. */
const SWEEPS = 4;

type Ends = { readonly before: readonly number[][]; readonly after: readonly number[][] };

/** Neighbours by number. Links that would close a cycle are turned round, so that layers exist. */
const collectEnds = (boxes: readonly Box[], links: readonly Link[]): Ends => {
  const numbers = new Map(boxes.map(({ id }, at) => [id, at]));
  const leaving: number[][] = boxes.map(() => []);
  for (const { from, to } of links) {
    const [start, end] = [numbers.get(from), numbers.get(to)];
    if (start !== undefined && end !== undefined && start !== end) leaving[start]?.push(end);
  }
  const before: number[][] = boxes.map(() => []);
  const after: number[][] = boxes.map(() => []);
  const state = new Uint8Array(boxes.length);
  const join = (start: number, end: number): void => {
    after[start]?.push(end);
    before[end]?.push(start);
  };
  for (let first = 0; first < boxes.length; first += 1) {
    if (state[first] !== 0) continue;
    state[first] = 1;
    const way: { readonly at: number; next: number }[] = [{ at: first, next: 0 }];
    for (let step = way.at(-1); step !== undefined; step = way.at(-1)) {
      const end = leaving[step.at]?.[step.next];
      step.next += 1;
      if (end === undefined) {
        state[step.at] = 2;
        way.pop();
      } else if (state[end] === 1) join(end, step.at);
      else {
        join(step.at, end);
        if (state[end] === 0) {
          state[end] = 1;
          way.push({ at: end, next: 0 });
        }
      }
    }
  }
  return { before, after };
};

const findLayers = ({ before, after }: Ends): readonly number[][] => {
  const waiting = before.map((all) => all.length);
  const layer = before.map(() => 0);
  const ready = waiting.flatMap((count, at) => (count === 0 ? [at] : []));
  for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
    for (const end of after[at] ?? []) {
      layer[end] = Math.max(layer[end] ?? 0, (layer[at] ?? 0) + 1);
      waiting[end] = (waiting[end] ?? 0) - 1;
      if (waiting[end] === 0) ready.push(end);
    }
  }
  // What nothing here is made from stands right before what it feeds, not far to the left.
  before.forEach((all, at) => {
    const nearest = (after[at] ?? []).reduce(
      (least, end) => Math.min(least, layer[end] ?? 0),
      Number.POSITIVE_INFINITY,
    );
    if (all.length === 0 && Number.isFinite(nearest)) layer[at] = Math.max(0, nearest - 1);
  });
  const layers: number[][] = [];
  layer.forEach((at, box) => {
    const boxesThere = layers[at] ?? [];
    layers[at] = boxesThere;
    boxesThere.push(box);
  });
  return layers.map((boxesThere) => boxesThere ?? []);
};

const mean = (numbers: readonly number[], otherwise: number): number =>
  numbers.length === 0 ? otherwise : numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** Moves boxes as near to where they would like to stand as those before them in their layer allow. */
const spread = (layer: readonly number[], wished: readonly number[], heights: readonly number[]): readonly number[] => {
  // Neighbours that want the same place form a block, which stands where they do on average.
  const blocks: { start: number; size: number; sum: number; count: number; first: number }[] = [];
  layer.forEach((box, at) => {
    const size = (heights[box] ?? 0) + BOX_GAP;
    const wish = wished[at] ?? 0;
    let block = { start: wish, size, sum: wish, count: 1, first: at };
    for (let former = blocks.at(-1); former && former.start + former.size > block.start; former = blocks.at(-1)) {
      blocks.pop();
      const sum = former.sum + block.sum - block.count * former.size;
      const count = former.count + block.count;
      block = { start: sum / count, size: former.size + block.size, sum, count, first: former.first };
    }
    blocks.push(block);
  });
  const tops: number[] = [];
  blocks.forEach(({ start, first }, nth) => {
    let top = start;
    for (let at = first; at < (blocks[nth + 1]?.first ?? layer.length); at += 1) {
      tops[at] = top;
      top += (heights[layer[at] ?? -1] ?? 0) + BOX_GAP;
    }
  });
  return tops;
};

/** Taller layers stand in several columns: nobody finds a way along a thousand boxes. */
const rowsFor = (boxes: number): number => Math.max(25, Math.ceil(Math.sqrt(boxes)));

/** The columns in which a layer stands, of about the same height. */
const splitLayer = (layer: readonly number[], most: number): readonly (readonly number[])[] => {
  const columns = Math.max(1, Math.ceil(layer.length / most));
  const size = Math.ceil(layer.length / columns);
  return Array.from({ length: columns }, (_, nth) => layer.slice(nth * size, (nth + 1) * size));
};

export const placeInLayers = (boxes: readonly Box[], links: readonly Link[]): Places => {
  const ends = collectEnds(boxes, links);
  const layers = findLayers(ends);
  const heights = boxes.map(({ height }) => height);
  const tops: number[] = boxes.map(() => 0);
  const most = rowsFor(boxes.length);
  const middleOf = (box: number): number => (tops[box] ?? 0) + (heights[box] ?? 0) / 2;
  const align = (layer: number[], neighboursOf: (box: number) => readonly number[]): void => {
    const wishes = new Map(
      layer.map((box) => [box, mean(neighboursOf(box).map(middleOf), middleOf(box)) - (heights[box] ?? 0) / 2]),
    );
    layer.sort((one, other) => (wishes.get(one) ?? 0) - (wishes.get(other) ?? 0));
    const wished = layer.map((box) => wishes.get(box) ?? 0);
    spread(layer, wished, heights).forEach((top, at) => {
      tops[layer[at] ?? -1] = top;
    });
  };
  const before = (box: number) => ends.before[box] ?? [];
  const after = (box: number) => ends.after[box] ?? [];
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const layer of layers) align(layer, before);
    for (const layer of layers.toReversed()) align(layer, after);
  }
  const tall = layers.filter((layer) => layer.length > most);
  for (const column of tall.flatMap((layer) => splitLayer(layer, most))) {
    const height = column.reduce((sum, box) => sum + (heights[box] ?? 0) + BOX_GAP, -BOX_GAP);
    let top = -height / 2;
    for (const box of column) {
      tops[box] = top;
      top += (heights[box] ?? 0) + BOX_GAP;
    }
  }
  // What is not tall then stands where its neighbours came to stand.
  const low = tall.length === 0 ? [] : layers.filter((layer) => layer.length <= most);
  for (const box of low.flat()) tops[box] = 0;
  for (const layer of [...low.toReversed(), ...low]) align(layer, (box) => [...before(box), ...after(box)]);
  const places = new Map<string, { x: number; y: number }>();
  let x = 0;
  for (const column of layers.flatMap((layer) =>
    splitLayer(layer, most).map((part, nth, all) => ({ part, gap: nth < all.length - 1 ? COLUMN_GAP : LAYER_GAP })),
  )) {
    for (const box of column.part) places.set(boxes[box]?.id ?? '', { x, y: tops[box] ?? 0 });
    x += column.part.reduce((most, box) => Math.max(most, boxes[box]?.width ?? 0), 0) + column.gap;
  }
  return places;
};
