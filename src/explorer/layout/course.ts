import type { Place } from './placement.ts';

/** The course of a line from the right of one box to the left of another. */
export type Course = { readonly from: Place; readonly to: Place; readonly bends?: readonly Place[] | undefined };

/** The two bends of a loop stand below or above all layers that it goes back over; other bends come from left to right. */
export const leadsBack = ([first, second]: readonly Place[]): boolean =>
  first !== undefined && second !== undefined && second.x < first.x;

/** The points of a line. A loop goes straight away from its boxes and turns at right angles, so that it passes between them. */
export const coursePoints = ({ from, to, bends = [] }: Course): readonly Place[] => {
  const [first, second] = bends;
  if (!first || !second || !leadsBack(bends)) return [from, ...bends, to];
  return [from, { x: first.x, y: from.y }, first, second, { x: second.x, y: to.y }, to];
};
