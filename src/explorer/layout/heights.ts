import type { Ends } from './layering.ts';
import type { Layers } from './ordering.ts';

/** Finds how high spots stand: as near to their neighbours as the order of their layer allows. */

const ROUNDS = 6;

/** What draws a spot to a place, and how much of the layer it takes. */
export type Spots = {
  readonly ends: Ends;
  /** Room from the middle of the gap above to the middle of the gap below. */
  readonly sizes: readonly number[];
  readonly isBend: (spot: number) => boolean;
  /** The middles of spots that stood somewhere before and are to stay there as far as possible. */
  readonly held: ReadonlyMap<number, number>;
  /** The middles of spots of layers that are not placed here. */
  readonly stacked: ReadonlyMap<number, number>;
};

/** A box that somebody has before them moves only when it must; a long line is rather straight than short. */
const HELD_WEIGHT = 50;
const BEND_WEIGHT = 4;
const LONE_WEIGHT = 0.1;

type Wish = { readonly middle: number; readonly weight: number };

type Block = { sum: number; weight: number; readonly first: number };

/**
 * The middles nearest to what is wished where each spot stands below the one before it: spots that want the same place
 * form a block, which stands where they do on average.
 */
const spread = (layer: readonly number[], wishes: readonly Wish[], sizes: readonly number[]): readonly number[] => {
  const blocks: Block[] = [];
  const offsets: number[] = [];
  let offset = 0;
  layer.forEach((spot, at) => {
    const size = sizes[spot] ?? 0;
    offset += at === 0 ? 0 : size / 2;
    offsets.push(offset);
    offset += size / 2;
    const { middle, weight } = wishes[at] ?? { middle: 0, weight: 1 };
    let block: Block = { sum: (middle - (offsets[at] ?? 0)) * weight, weight, first: at };
    for (
      let former = blocks.at(-1);
      former && former.sum / former.weight > block.sum / block.weight;
      former = blocks.at(-1)
    ) {
      blocks.pop();
      block = { sum: former.sum + block.sum, weight: former.weight + block.weight, first: former.first };
    }
    blocks.push(block);
  });
  const middles: number[] = [];
  blocks.forEach(({ sum, weight, first }, nth) => {
    for (let at = first; at < (blocks[nth + 1]?.first ?? layer.length); at += 1)
      middles.push(sum / weight + (offsets[at] ?? 0));
  });
  return middles;
};

/** Links between bends draw most, so that long lines are straight. */
const linkWeight = (one: boolean, other: boolean): number => (one && other ? 8 : one || other ? 2 : 1);

const createAlign = ({ ends, sizes, isBend, held }: Spots, middles: Float64Array) => {
  const wishOf = (spot: number, neighbours: readonly (readonly number[])[]): Wish => {
    const place = held.get(spot);
    if (place !== undefined) return { middle: place, weight: HELD_WEIGHT };
    const isOwn = isBend(spot);
    let [sum, weight] = [0, 0];
    for (const end of neighbours) {
      for (const its of end) {
        const pull = linkWeight(isOwn, isBend(its));
        sum += (middles[its] ?? 0) * pull;
        weight += pull;
      }
    }
    if (weight === 0) return { middle: middles[spot] ?? 0, weight: LONE_WEIGHT };
    return { middle: sum / weight, weight: isOwn ? BEND_WEIGHT : 1 };
  };
  return (layer: readonly number[], sides: readonly (keyof Ends)[]): void => {
    const wishes = layer.map((spot) =>
      wishOf(
        spot,
        sides.map((side) => ends[side][spot] ?? []),
      ),
    );
    spread(layer, wishes, sizes).forEach((middle, at) => {
      middles[layer[at] ?? 0] = middle;
    });
  };
};

/** A line that rises or falls by less than this looks crooked rather than meant. */
const CROOKED = 30;

/** Moves spots onto the height of the neighbour that they almost stand at, where those above and below leave room. */
const straighten = (layers: Layers, { ends, sizes, held }: Spots, middles: Float64Array): void => {
  const pass = (layer: readonly number[], side: keyof Ends, other: keyof Ends): void => {
    layer.forEach((spot, at) => {
      const now = middles[spot] ?? 0;
      const nearest = (all: readonly number[]): number =>
        all.reduce((least, end) => {
          const off = (middles[end] ?? 0) - now;
          return Math.abs(off) < Math.abs(least) ? off : least;
        }, Number.POSITIVE_INFINITY);
      const off = nearest(ends[side][spot] ?? []);
      // What is straight on the other side stays so.
      if (held.has(spot) || off === 0 || Math.abs(off) > CROOKED || nearest(ends[other][spot] ?? []) === 0) return;
      const half = (sizes[spot] ?? 0) / 2;
      const [above, below] = [layer[at - 1], layer[at + 1]];
      if (above !== undefined && now + off - half < (middles[above] ?? 0) + (sizes[above] ?? 0) / 2) return;
      if (below !== undefined && now + off + half > (middles[below] ?? 0) - (sizes[below] ?? 0) / 2) return;
      middles[spot] = now + off;
    });
  };
  for (const layer of layers) pass(layer, 'before', 'after');
  for (const layer of layers.toReversed()) pass(layer, 'after', 'before');
};

/** The middle of each spot. */
export const findHeights = (layers: Layers, spots: Spots): Float64Array => {
  const middles = new Float64Array(spots.sizes.length);
  for (const [spot, middle] of spots.stacked) middles[spot] = middle;
  for (const layer of layers) {
    let top = -layer.reduce((sum, spot) => sum + (spots.sizes[spot] ?? 0), 0) / 2;
    for (const spot of layer) {
      const size = spots.sizes[spot] ?? 0;
      middles[spot] = spots.held.get(spot) ?? top + size / 2;
      top += size;
    }
  }
  const align = createAlign(spots, middles);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const layer of layers) align(layer, ['before']);
    for (const layer of layers.toReversed()) align(layer, ['after']);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const layer of round % 2 === 0 ? layers : layers.toReversed()) align(layer, ['before', 'after']);
  }
  straighten(layers, spots, middles);
  return middles;
};
