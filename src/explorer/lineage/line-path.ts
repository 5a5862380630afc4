import { getBezierPath, Position } from '@xyflow/react';
import type { Place } from '../layout/placement.ts';

/** The course of a line from one box to another, on the page and in files. */

export type Course = { readonly from: Place; readonly to: Place; readonly bends?: readonly Place[] | undefined };

/** A line leaves and enters boxes and layers level, so that parts of it join without a corner. */
const curve = (from: Place, to: Place): string => {
  if (from.y === to.y) return `L${to.x} ${to.y}`;
  const half = (to.x - from.x) / 2;
  return `C${from.x + half} ${from.y} ${to.x - half} ${to.y} ${to.x} ${to.y}`;
};

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
  const points = [from, ...bends, to];
  const parts = points.slice(1).map((point, at) => curve(points[at] ?? from, point));
  // Bends come in pairs, so between the two in the middle the line is level.
  const [one, other] = [points[points.length / 2 - 1] ?? from, points[points.length / 2] ?? to];
  return {
    path: `M${from.x} ${from.y}${parts.join('')}`,
    middle: { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 },
  };
};
