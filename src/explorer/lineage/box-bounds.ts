import type { Bends, Box, Places } from '../layout/placement.ts';

export type Bounds = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

const NO_BENDS: Bends = new Map();

/** The rectangle in which all boxes are, and the bends of lines that pass beyond them. */
export const boundsOf = (boxes: readonly Box[], places: Places, bends = NO_BENDS): Bounds => {
  const [far, near] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let [left, top, right, bottom] = [far, far, near, near];
  for (const { id, width, height } of boxes) {
    const place = places.get(id);
    if (!place) continue;
    left = Math.min(left, place.x);
    top = Math.min(top, place.y);
    right = Math.max(right, place.x + width);
    bottom = Math.max(bottom, place.y + height);
  }
  for (const { x, y } of [...bends.values()].flat()) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return left > right
    ? { x: 0, y: 0, width: 1, height: 1 }
    : { x: left, y: top, width: right - left, height: bottom - top };
};
