import { bendLinks, type Knots } from './bend-links.ts';
import { orderFirst } from './first-order.ts';
import { findHeights } from './heights.ts';
import { type Layers, sortLayers } from './ordering.ts';
import type { Box, FormerPlaces, Link, Place, Placement } from './placement.ts';

/**
 * Places the boxes of a graph from left to right: layers by the longest way to a box (`layering.ts`), sorted so that few
 * links cross (`ordering.ts`), at heights near to their neighbours (`heights.ts`). Links that pass a layer get a bend
 * there, which takes part like a small box, so that no line runs beneath a box. Boxes that stood somewhere before stay
 * in their order, and where they are held also at their height.
 */

const LAYER_GAP = 96;
const BOX_GAP = 24;
const BEND_ROOM = 14;
/** Between the columns of one layer. */
const COLUMN_GAP = 36;

/**
 * Taller layers stand in several columns: nobody finds a way along a thousand boxes. The more layers there are, the
 * wider is the graph, and the taller it may be.
 */
const rowsFor = (boxes: number, layers: number): number => Math.max(25, Math.ceil(Math.sqrt(boxes)), 8 * layers);

type Column = readonly number[];

/** The columns of a layer. All but the last are full, so that they stay as they are when boxes come. */
const splitLayer = (boxes: Column, rows: number): readonly Column[] =>
  Array.from({ length: Math.max(1, Math.ceil(boxes.length / rows)) }, (_, nth) =>
    boxes.slice(nth * rows, (nth + 1) * rows),
  );

/** The middles of boxes that stand one below the other, the first column of a layer around zero. */
const stack = (columns: readonly Column[], sizes: readonly number[]): readonly (readonly [number, number])[] => {
  const heightOf = (column: Column): number => column.reduce((sum, box) => sum + (sizes[box] ?? 0), 0);
  const top = -heightOf(columns[0] ?? []) / 2;
  return columns.flatMap((column) => {
    let bottom = top;
    return column.map((box) => {
      const size = sizes[box] ?? 0;
      bottom += size;
      return [box, bottom - size / 2] as const;
    });
  });
};

type Arranged = {
  readonly boxes: readonly Box[];
  readonly knots: Knots;
  readonly layers: readonly { readonly columns: readonly Column[]; readonly isTall: boolean }[];
  readonly middles: Float64Array;
};

/** Where boxes stand, column by column, and the left and right end of each layer. */
const drawColumns = ({ boxes, layers, middles }: Arranged) => {
  const places = new Map<string, Place>();
  let x = 0;
  const ends = layers.map(({ columns }) => {
    const left = x;
    columns.forEach((column, nth) => {
      x += nth > 0 ? COLUMN_GAP : 0;
      for (const box of column) {
        const { id = '', height = 0 } = boxes[box] ?? {};
        places.set(id, { x, y: (middles[box] ?? 0) - height / 2 });
      }
      x += column.reduce((widest, box) => Math.max(widest, boxes[box]?.width ?? 0), 0);
    });
    const right = x;
    x += LAYER_GAP;
    return { left, right };
  });
  return { places, ends };
};

/** The points of links. Layers in several columns leave no way between their boxes. */
const drawBends = ({ knots, layers, middles }: Arranged, ends: ReturnType<typeof drawColumns>['ends']) => {
  const bends = new Map<string, readonly Place[]>();
  for (const [link, spots] of knots.bendsOf) {
    const points = spots.flatMap((spot): Place[] => {
      const layer = knots.layerOf[spot] ?? 0;
      const end = ends[layer];
      const y = middles[spot] ?? 0;
      if (!end || layers[layer]?.isTall) return [];
      return [
        { x: end.left, y },
        { x: end.right, y },
      ];
    });
    if (points.length > 0) bends.set(link, points);
  }
  return bends;
};

/** The middles of the boxes that stood somewhere before. Those that have grown since keep their tops. */
const formerMiddles = (boxes: readonly Box[], former: FormerPlaces | undefined): ReadonlyMap<number, number> =>
  new Map(
    boxes.flatMap(({ id, height }, at) => {
      const top = former?.tops.get(id);
      return top === undefined ? [] : [[at, top + height / 2] as const];
    }),
  );

/** How high each box would stand if no layer had several columns. */
const findTops = ({ boxes, layers, middles }: Arranged, sizes: readonly number[]): ReadonlyMap<string, number> => {
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
  const boxesIn = (layer: readonly number[]): Column => layer.filter((spot) => !isBend(spot));
  const isTall = (layer: readonly number[]): boolean => boxesIn(layer).length > rows;
  const sorted: Layers = sortLayers({ layers: orderFirst(knots, known, isTall), ends, former: known });
  const layers = sorted.map((layer) => ({ columns: splitLayer(boxesIn(layer), rows), isTall: isTall(layer) }));
  const sizes = layerOf.map((_, spot) => (isBend(spot) ? BEND_ROOM : (boxes[spot]?.height ?? 0) + BOX_GAP));
  const stacked = new Map(layers.flatMap((layer) => (layer.isTall ? stack(layer.columns, sizes) : [])));
  const middles = findHeights(
    sorted.filter((layer) => !isTall(layer)),
    { ends, sizes, isBend, held, stacked },
  );
  const arranged: Arranged = { boxes, knots, layers, middles };
  const drawn = drawColumns(arranged);
  return { places: drawn.places, bends: drawBends(arranged, drawn.ends), tops: findTops(arranged, sizes), rows };
};
