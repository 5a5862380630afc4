import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react';
import type { Place } from '../layout/placement.ts';
import { drawCourse } from './line-path.ts';

/** The line of an edge, through the bends that keep it off the boxes between its ends. */

export type LineEdge = Edge<{ readonly bends: readonly Place[] }, 'line'>;

export const Line = ({ sourceX, sourceY, targetX, targetY, data, label, style, markerStart }: EdgeProps<LineEdge>) => {
  const from = { x: sourceX, y: sourceY };
  const { path, middle } = drawCourse({ from, to: { x: targetX, y: targetY }, bends: data?.bends });
  return (
    <BaseEdge
      path={path}
      labelX={middle.x}
      labelY={middle.y}
      {...(label === undefined ? {} : { label })}
      {...(style === undefined ? {} : { style })}
      {...(markerStart === undefined ? {} : { markerStart })}
    />
  );
};
