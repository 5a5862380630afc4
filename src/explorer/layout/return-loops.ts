import type { KnownLink } from './bend-links.ts';
import type { Place } from './placement.ts';

/**
 * Leads links that go back around the boxes: out at the right, along below or above all layers on the way, and in from
 * the left. Each goes along and up and down in a lane of its own, short loops inside long ones.
 */

/** Between loops that go along one below the other. */
const LANE_GAP = 14;
/** Between loops that go down or up side by side, where there is room. */
const CHANNEL_GAP = 16;

/** A column of boxes, and the room for loops between it and the middles of the gaps beside it. */
export type ColumnFrame = {
  readonly left: number;
  readonly right: number;
  readonly roomBefore: number;
  readonly roomAfter: number;
};

const NO_FRAME: ColumnFrame = { left: 0, right: 0, roomBefore: 0, roomAfter: 0 };

export type LayerExtent = { readonly top: number; readonly bottom: number };

type Loops = {
  readonly returns: readonly KnownLink[];
  readonly layerOf: readonly number[];
  readonly middles: Float64Array;
  readonly extents: readonly LayerExtent[];
  readonly columnOf: ReadonlyMap<number, ColumnFrame>;
};

/** How far down the loops of one side reach in each layer; above the boxes, down is counted upwards. */
type Side = { readonly sign: 1 | -1; readonly depths: Float64Array };

type Loop = KnownLink & {
  readonly side: Side;
  /** The first and the last layer on the way. */
  readonly first: number;
  readonly last: number;
  /** How far down the box stands from which the loop comes. */
  readonly start: number;
};

const deepest = ({ depths }: Side, first: number, last: number): number => {
  let depth = Number.NEGATIVE_INFINITY;
  for (let layer = first; layer <= last; layer += 1) depth = Math.max(depth, depths[layer] ?? depth);
  return depth;
};

const createSides = (extents: readonly LayerExtent[]): readonly [below: Side, above: Side] => [
  { sign: 1, depths: Float64Array.from(extents, ({ bottom }) => bottom) },
  { sign: -1, depths: Float64Array.from(extents, ({ top }) => -top) },
];

/** Finds the side on which each loop is shorter. */
const chooseSides = ({ returns, layerOf, middles, extents }: Loops): readonly Loop[] => {
  const [below, above] = createSides(extents);
  return returns.map((known) => {
    const [from, to] = known.pair;
    const [first, last] = [layerOf[to] ?? 0, layerOf[from] ?? 0];
    const [start, end] = [middles[from] ?? 0, middles[to] ?? 0];
    const isBelow = 2 * deepest(below, first, last) - start - end <= 2 * deepest(above, first, last) + start + end;
    const side = isBelow ? below : above;
    return { ...known, side, first, last, start: side.sign * start };
  });
};

/** Short loops come first, and of those that are as long the one whose box is nearest: the others go around it. */
const fromInside = (one: Loop, other: Loop): number =>
  one.last - one.first - (other.last - other.first) || other.start - one.start;

/** Gives out lanes beside columns, from the column on; closer together where there are many. */
const createChannels = (columns: readonly ColumnFrame[]) => {
  const counts = new Map<ColumnFrame, number>();
  for (const column of columns) counts.set(column, (counts.get(column) ?? 0) + 1);
  const taken = new Map<ColumnFrame, number>();
  return (column: ColumnFrame, room: number): number => {
    const nth = (taken.get(column) ?? 0) + 1;
    taken.set(column, nth);
    return nth * Math.min(CHANNEL_GAP, room / ((counts.get(column) ?? 0) + 1));
  };
};

/** The two bends of each loop, in which it turns from its way down and to its way up. */
export const drawReturns = (loops: Loops): ReadonlyMap<string, readonly [Place, Place]> => {
  const sorted = [...chooseSides(loops)].sort(fromInside);
  const frameOf = (box: number): ColumnFrame => loops.columnOf.get(box) ?? NO_FRAME;
  const startOf = ({ pair: [from] }: Loop) => frameOf(from);
  const endOf = ({ pair: [, to] }: Loop) => frameOf(to);
  const leave = createChannels(sorted.map(startOf));
  const enter = createChannels(sorted.map(endOf));
  return new Map(
    sorted.map((loop) => {
      const { link, side, first, last } = loop;
      const depth = deepest(side, first, last) + LANE_GAP;
      side.depths.fill(depth, first, last + 1);
      const [start, end] = [startOf(loop), endOf(loop)];
      const y = side.sign * depth;
      return [
        link,
        [
          { x: start.right + leave(start, start.roomAfter), y },
          { x: end.left - enter(end, end.roomBefore), y },
        ],
      ] as const;
    }),
  );
};
