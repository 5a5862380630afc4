import { coursePoints } from '../../src/explorer/layout/course.ts';
import { placeBoxes } from '../../src/explorer/layout/place-boxes.ts';
import type { Box, FormerPlaces, Link, Place, Placement } from '../../src/explorer/layout/placement.ts';

/** Graphs of boxes of one size, placed by the layout, for tests of where boxes and lines come. */

export const BOX_WIDTH = 264;
export const BOX_HEIGHT = 74;

export type Pairs = readonly (readonly [string, string])[];

const boxesOf = (ids: Iterable<string>): readonly Box[] =>
  [...new Set(ids)].map((id) => ({ id, width: BOX_WIDTH, height: BOX_HEIGHT }));

export const linksOf = (pairs: Pairs): readonly Link[] =>
  pairs.map(([from, to]) => ({ id: `${from} ${to}`, from, to }));

export const place = (ids: Iterable<string>, pairs: Pairs, former?: FormerPlaces): Placement =>
  placeBoxes(boxesOf(ids), linksOf(pairs), former);

export const placeOf = ({ places }: Placement, id: string): Place => {
  const at = places.get(id);
  if (!at) throw new Error(`${id} has no place`);
  return at;
};

export const findOverlap = ({ places }: Placement): string | undefined => {
  const all = [...places].sort(([, a], [, b]) => a.x - b.x || a.y - b.y);
  return all.find(([, { x, y }], at) => {
    const next = all[at + 1]?.[1];
    return next !== undefined && next.x === x && next.y < y + BOX_HEIGHT;
  })?.[0];
};

/** The points through which a line goes from the right of one box to the left of another. */
export const courseOf = (placement: Placement, { id, from, to }: Link): readonly Place[] => {
  const [start, end] = [placeOf(placement, from), placeOf(placement, to)];
  return coursePoints({
    from: { x: start.x + BOX_WIDTH, y: start.y + BOX_HEIGHT / 2 },
    to: { x: end.x, y: end.y + BOX_HEIGHT / 2 },
    bends: placement.bends.get(id),
  });
};

/** A graph of layers in which links pass up to three layers, the same in every run. */
export const growGraph = (seed: number): Pairs => {
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: 90 }, () => {
    const layer = random(6);
    return [`${layer}.${random(8)}`, `${layer + 1 + random(4)}.${random(8)}`] as const;
  });
};

export const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);
