import type { Arranged, DrawnColumns } from './columns.ts';
import type { Bends, Place } from './placement.ts';
import { drawReturns, type LayerExtent } from './return-loops.ts';

/** Finds the points through which lines go, past the boxes between their ends. */

/** The points of links that lead onward. Layers in several columns leave no way between their boxes. */
const drawBends = ({ knots, layers, middles }: Arranged, { ends }: DrawnColumns): Map<string, readonly Place[]> => {
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

/** How far up and down the boxes of each layer reach, and the lines that pass it. */
const findExtents = ({ boxes, knots, layers, middles, sizes }: Arranged): readonly LayerExtent[] => {
  const extents = layers.map(() => ({ top: Number.POSITIVE_INFINITY, bottom: Number.NEGATIVE_INFINITY }));
  knots.layerOf.forEach((layer, spot) => {
    const extent = extents[layer];
    if (!extent || (spot >= boxes.length && layers[layer]?.isTall)) return;
    const [middle, half] = [middles[spot] ?? 0, (sizes[spot] ?? 0) / 2];
    extent.top = Math.min(extent.top, middle - half);
    extent.bottom = Math.max(extent.bottom, middle + half);
  });
  return extents;
};

/** The points of all links that have any. */
export const drawLines = (arranged: Arranged, drawn: DrawnColumns): Bends => {
  const { knots, middles } = arranged;
  const bends = drawBends(arranged, drawn);
  if (knots.returns.length === 0) return bends;
  const extents = findExtents(arranged);
  for (const [link, points] of drawReturns({ ...knots, middles, extents, columnOf: drawn.columnOf }))
    bends.set(link, points);
  return bends;
};
