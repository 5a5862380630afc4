import { bendLinks } from './bend-links.ts';
import { type Arranged, drawColumns, type LayerColumn, splitLayer, stack } from './columns.ts';
import { drawLines } from './draw-lines.ts';
import { orderFirst } from './first-order.ts';
import { findHeights } from './heights.ts';
import { type Layers, sortLayers } from './ordering.ts';
import type { Box, FormerPlaces, Link, Placement } from './placement.ts';

/**
 * Places the boxes of a graph from left to right: layers by the longest way to a box (`layering.ts`), sorted so that few
 * links cross (`ordering.ts`), at heights near to their neighbours (`heights.ts`). Links that pass a layer get a bend
 * there, which takes part like a small box, so that no line runs beneath a box (`draw-lines.ts`); those that lead back go
 * around the layers (`return-loops.ts`). Boxes that stood somewhere before stay in their order, and where they are held
 * also at their height.
 */

const BOX_GAP = 24;
const BEND_ROOM = 14;

/**
 * Taller layers stand in several columns: nobody finds a way along a thousand boxes. The more layers there are, the
 * wider is the graph, and the taller it may be.
 */
const rowsFor = (boxes: number, layers: number): number => Math.max(25, Math.ceil(Math.sqrt(boxes)), 8 * layers);

/** The middles of the boxes that stood somewhere before. Those that have grown since keep their tops. */
const formerMiddles = (boxes: readonly Box[], former: FormerPlaces | undefined): ReadonlyMap<number, number> =>
  new Map(
    boxes.flatMap(({ id, height }, at) => {
      const top = former?.tops.get(id);
      return top === undefined ? [] : [[at, top + height / 2] as const];
    }),
  );

/** How high each box would stand if no layer had several columns. */
const findTops = ({ boxes, layers, middles, sizes }: Arranged): ReadonlyMap<string, number> => {
  const tops = new Map<string, number>();
  for (const { columns, isTall } of layers) {
    const stacked = new Map(isTall ? stack([columns.flat()], sizes) : []);
    for (const box of columns.flat()) {
      const { id = '', height = 0 } = boxes[box] ?? {};
      tops.set(id, (stacked.get(box) ?? middles[box] ?? 0) - height / 2);
    }
  }
  return tops;
};

export const placeBoxes = (boxes: readonly Box[], links: readonly Link[], former?: FormerPlaces): Placement => {
  const knots = bendLinks(boxes, links);
  const { ends, layerOf } = knots;
  const known = formerMiddles(boxes, former);
  const held = former?.isHeld ? known : new Map<number, number>();
  const isBend = (spot: number): boolean => spot >= boxes.length;
  const depth = layerOf.reduce((most, at) => Math.max(most, at + 1), 0);
  const rows = former?.isHeld ? former.rows : rowsFor(boxes.length, depth);
  const boxesIn = (layer: readonly number[]): LayerColumn => layer.filter((spot) => !isBend(spot));
  const isTall = (layer: readonly number[]): boolean => boxesIn(layer).length > rows;
  const sorted: Layers = sortLayers({ layers: orderFirst(knots, known, isTall), ends, former: known });
  const layers = sorted.map((layer) => ({ columns: splitLayer(boxesIn(layer), rows), isTall: isTall(layer) }));
  const sizes = layerOf.map((_, spot) => (isBend(spot) ? BEND_ROOM : (boxes[spot]?.height ?? 0) + BOX_GAP));
  const stacked = new Map(layers.flatMap((layer) => (layer.isTall ? stack(layer.columns, sizes) : [])));
  const middles = findHeights(
    sorted.filter((layer) => !isTall(layer)),
    { ends, sizes, isBend, held, stacked },
  );
  const arranged: Arranged = { boxes, knots, layers, middles, sizes };
  const drawn = drawColumns(arranged);
  return { places: drawn.places, bends: drawLines(arranged, drawn), tops: findTops(arranged), rows };
};
