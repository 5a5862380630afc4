import type { Knots } from './bend-links.ts';
import type { Layers } from './ordering.ts';

/** The layers in the order from which sorting begins. */

/** Each in the order in which a walk from left to right first comes to its spots. */
const walkLayers = ({ layerOf, ends }: Knots): number[][] => {
  const layers: number[][] = Array.from({ length: layerOf.reduce((most, at) => Math.max(most, at), -1) + 1 }, () => []);
  const isSeen = new Uint8Array(layerOf.length);
  const visit = (first: number): void => {
    const way = [first];
    for (let spot = way.pop(); spot !== undefined; spot = way.pop()) {
      if (isSeen[spot]) continue;
      isSeen[spot] = 1;
      layers[layerOf[spot] ?? 0]?.push(spot);
      for (const end of (ends.after[spot] ?? []).toReversed()) if (!isSeen[end]) way.push(end);
    }
  };
  ends.before.forEach((feeders, spot) => {
    if (feeders.length === 0) visit(spot);
  });
  return layers;
};

/** Adds heights of spots that are new: those where their neighbours stand. */
const guessHeights = (layers: Layers, { ends }: Knots, former: ReadonlyMap<number, number>) => {
  const heights = new Map(former);
  for (const spot of [...layers, ...layers.toReversed()].flat()) {
    if (heights.has(spot)) continue;
    const near = [...(ends.before[spot] ?? []), ...(ends.after[spot] ?? [])].flatMap((end) => heights.get(end) ?? []);
    if (near.length > 0) heights.set(spot, near.reduce((sum, one) => sum + one, 0) / near.length);
  }
  return heights;
};

/** What comes to a layer in several columns comes at its end, so that all columns but the last stay as they are. */
export const orderFirst = (
  knots: Knots,
  former: ReadonlyMap<number, number>,
  isTall: (layer: readonly number[]) => boolean,
): Layers => {
  const layers = walkLayers(knots);
  if (former.size === 0) return layers;
  const guessed = guessHeights(layers, knots, former);
  const last = Number.POSITIVE_INFINITY;
  return layers.map((layer) => {
    const heights = isTall(layer) ? former : guessed;
    const heightOf = (spot: number): number => heights.get(spot) ?? last;
    return layer.sort((one, other) => (heightOf(one) === heightOf(other) ? 0 : heightOf(one) - heightOf(other)));
  });
};
