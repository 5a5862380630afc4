/** Which box or edge the keys lead to. */

export type Placed = {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
type Joined = { readonly source: string; readonly target: string };

export const ARROWS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'] as const;
export type Arrow = (typeof ARROWS)[number];

const nearest = (boxes: readonly Placed[], distance: (box: Placed) => number): string | undefined => {
  let best: { readonly id: string; readonly far: number } | undefined;
  for (const box of boxes) {
    const far = distance(box);
    if (!best || far < best.far) best = { id: box.id, far };
  }
  return best?.id;
};

/** Left and right follow the edges, to the neighbour at the nearest height. */
const findNeighbour = (boxes: readonly Placed[], edges: readonly Joined[], at: Placed, arrow: Arrow) => {
  const ids = new Set(
    edges.flatMap(({ source, target }) => {
      if (arrow === 'ArrowLeft') return target === at.id ? [source] : [];
      return source === at.id ? [target] : [];
    }),
  );
  const middle = at.y + at.height / 2;
  return nearest(
    boxes.filter(({ id }) => id !== at.id && ids.has(id)),
    ({ y, height }) => Math.abs(y + height / 2 - middle),
  );
};

/** Up and down lead to the next box of the same column, and beyond its last to the nearest in that direction. */
const findSibling = (boxes: readonly Placed[], at: Placed, arrow: Arrow) => {
  const sign = arrow === 'ArrowDown' ? 1 : -1;
  const further = boxes.filter(({ id, y }) => id !== at.id && (y - at.y) * sign > 0);
  const column = further.filter(({ x, width }) => x < at.x + at.width && at.x < x + width);
  return nearest(column.length > 0 ? column : further, ({ x, y }) => Math.abs(y - at.y) + Math.abs(x - at.x));
};

export const findNext = (
  boxes: readonly Placed[],
  edges: readonly Joined[],
  from: string,
  arrow: Arrow,
): string | undefined => {
  const at = boxes.find(({ id }) => id === from);
  if (!at) return undefined;
  return arrow === 'ArrowLeft' || arrow === 'ArrowRight'
    ? findNeighbour(boxes, edges, at, arrow)
    : findSibling(boxes, at, arrow);
};

type Line = Joined & { readonly id: string };

/** The edges of a box as one goes through them: those that lead to it, then those that lead on, each from top to bottom. */
export const edgesOfBox = (boxes: readonly Placed[], edges: readonly Line[], box: string): readonly Line[] => {
  const middles = new Map(boxes.map(({ id, y, height }) => [id, y + height / 2]));
  const sorted = (found: readonly Line[], end: 'source' | 'target') =>
    [...found].sort((one, other) => (middles.get(one[end]) ?? 0) - (middles.get(other[end]) ?? 0));
  return [
    ...sorted(
      edges.filter(({ target }) => target === box),
      'source',
    ),
    ...sorted(
      edges.filter(({ source, target }) => source === box && target !== box),
      'target',
    ),
  ];
};

/** The edge of a box that is so many further than another, around the end; the first where none was before. */
export const stepEdge = (around: readonly Line[], from: string | undefined, steps: 1 | -1): Line | undefined => {
  const at = around.findIndex(({ id }) => id === from);
  return at < 0 ? around[0] : around[(at + steps + around.length) % around.length];
};
