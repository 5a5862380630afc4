import { getBezierPath, Position } from '@xyflow/react';
import { type Course, coursePoints, leadsBack } from '../layout/course.ts';
import type { Place } from '../layout/placement.ts';

/** Draws the course of a line from one box to another, on the page and in files. */

/** A line leaves and enters boxes and layers level, so that parts of it join without a corner. */
const curve = (from: Place, to: Place): string => {
  if (from.y === to.y) return `L${to.x} ${to.y}`;
  const half = (to.x - from.x) / 2;
  return `C${from.x + half} ${from.y} ${to.x - half} ${to.y} ${to.x} ${to.y}`;
};

/** How round the corners of a loop are, where its pieces are long enough. */
const CORNER_RADIUS = 10;

/** The point before or after a corner at which it begins to be round. */
const nearCorner = (corner: Place, other: Place): Place => {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y);
  const part = length === 0 ? 0 : Math.min(CORNER_RADIUS, length / 2) / length;
  return { x: corner.x + (other.x - corner.x) * part, y: corner.y + (other.y - corner.y) * part };
};

/** Straight pieces, of which each turns into the next by a round corner. */
const roundCorners = (points: readonly Place[]): string =>
  points
    .slice(1)
    .map((point, at) => {
      const [before, after] = [points[at] ?? point, points[at + 2]];
      if (after === undefined) return `L${point.x} ${point.y}`;
      const [start, end] = [nearCorner(point, before), nearCorner(point, after)];
      return `L${start.x} ${start.y}Q${point.x} ${point.y} ${end.x} ${end.y}`;
    })
    .join('');

type DrawnCourse = {
  readonly path: string;
  /** The middle, where a label stands. */
  readonly middle: Place;
};

export const drawCourse = ({ from, to, bends = [] }: Course): DrawnCourse => {
  if (bends.length === 0) {
    const [path, x, y] = getBezierPath({
      sourceX: from.x,
      sourceY: from.y,
      sourcePosition: Position.Right,
      targetX: to.x,
      targetY: to.y,
      targetPosition: Position.Left,
    });
    return { path, middle: { x, y } };
  }
  const points = coursePoints({ from, to, bends });
  const parts = leadsBack(bends)
    ? roundCorners(points)
    : points
        .slice(1)
        .map((point, at) => curve(points[at] ?? from, point))
        .join('');
  // Bends come in pairs, so between the two in the middle the line is level.
  const [one, other] = [points[points.length / 2 - 1] ?? from, points[points.length / 2] ?? to];
  return {
    path: `M${from.x} ${from.y}${parts}`,
    middle: { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 },
  };
};
