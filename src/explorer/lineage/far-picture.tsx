import { useStore } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import { coursePoints } from '../layout/course.ts';
import type { Bends, Places } from '../layout/placement.ts';
import { FAMILIES, looksOf } from '../parts/kind-looks.ts';
import type { Drawing } from './flow.ts';
import { BOX_WIDTH } from './measures.ts';

/** A picture of thousands of boxes that are too far away to be read: moving it costs a few milliseconds, whatever it shows. */

type OverviewProps = {
  readonly drawing: Drawing;
  readonly places: Places;
  readonly bends: Bends | undefined;
};

const colorOf = (element: Element, name: string): string => getComputedStyle(element).getPropertyValue(name);

/** Colours of the theme are resolved by a property that takes colours. */
const readColors = (canvas: HTMLCanvasElement) => {
  const resolve = (name: string): string => {
    canvas.style.color = `var(${name})`;
    return colorOf(canvas, 'color');
  };
  const families = new Map(FAMILIES.map((family) => [family, resolve(`--family-${family}`)]));
  return { line: resolve('--line-strong'), box: resolve('--raised'), root: resolve('--accent'), families };
};

/** The part of a box that shows the family of its kind. */
const BAND = 0.12;

type Frame = {
  readonly canvas: HTMLCanvasElement;
  readonly transform: readonly [number, number, number];
  readonly width: number;
  readonly height: number;
};

const draw = (
  { canvas, transform: [x, y, zoom], width, height }: Frame,
  { drawing, places, bends }: OverviewProps,
): void => {
  const context = canvas.getContext('2d');
  if (!context) return;
  const scale = window.devicePixelRatio;
  const { line, box, root, families } = readColors(canvas);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const sizes = new Map(drawing.boxes.map(({ id, height: size }) => [id, size]));
  context.globalAlpha = 0.55;
  context.strokeStyle = line;
  context.lineWidth = 1;
  context.beginPath();
  for (const { id, from, to } of drawing.links) {
    const [start, end] = [places.get(from), places.get(to)];
    if (!start || !end) continue;
    const points = coursePoints({
      from: { x: start.x + BOX_WIDTH, y: start.y + (sizes.get(from) ?? 0) / 2 },
      to: { x: end.x, y: end.y + (sizes.get(to) ?? 0) / 2 },
      bends: bends?.get(id),
    });
    if (points.every((point) => y + point.y * zoom < 0) || points.every((point) => y + point.y * zoom > height))
      continue;
    context.moveTo(x + (start.x + BOX_WIDTH) * zoom, y + (points[0]?.y ?? 0) * zoom);
    for (const point of points.slice(1)) context.lineTo(x + point.x * zoom, y + point.y * zoom);
  }
  context.stroke();
  context.globalAlpha = 1;
  for (const { id, height: size } of drawing.boxes) {
    const place = places.get(id);
    if (!place) continue;
    const top = y + place.y * zoom;
    if (top > height || top + size * zoom < 0) continue;
    context.fillStyle = id === drawing.graph.rootId ? root : box;
    context.fillRect(x + place.x * zoom, top, BOX_WIDTH * zoom, Math.max(1.5, size * zoom));
    const type = drawing.graph.nodes.get(id)?.type;
    const hue = type === undefined ? undefined : families.get(looksOf(type).family);
    if (hue !== undefined && id !== drawing.graph.rootId) {
      context.fillStyle = hue;
      context.fillRect(x + place.x * zoom, top, Math.max(2, BOX_WIDTH * zoom * BAND), Math.max(1.5, size * zoom));
    }
    if (zoom > 0.1) context.strokeRect(x + place.x * zoom, top, BOX_WIDTH * zoom, size * zoom);
  }
};

export const FarPicture = ({ drawing, places, bends }: OverviewProps) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const transform = useStore((state) => state.transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  useEffect(() => {
    if (canvas.current) draw({ canvas: canvas.current, transform, width, height }, { drawing, places, bends });
  }, [transform, width, height, drawing, places, bends]);
  const scale = window.devicePixelRatio;
  return (
    <canvas
      ref={canvas}
      className="overview"
      role="img"
      aria-label={`${drawing.boxes.length.toLocaleString()} boxes, seen from far away. The list shows the same.`}
      width={width * scale}
      height={height * scale}
      style={{ width, height }}
    />
  );
};
