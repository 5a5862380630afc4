import type { Place, Places } from '../../src/explorer/layout/placement.ts';
import type { LaidOut } from './layout-engines.ts';
import type { LayoutGraph } from './layout-graphs.ts';

/** What makes a layout good: few lines that cross or run beneath boxes, and boxes that stay where they were. */

type Piece = { readonly start: Place; readonly end: Place; readonly line: number };

/** The straight pieces of all lines, from left to right. */
const piecesOf = (courses: readonly (readonly Place[])[]): readonly Piece[] =>
  courses
    .flatMap((course, line) =>
      course.slice(1).map((end, at): Piece => {
        const start = course[at] ?? end;
        return start.x <= end.x ? { start, end, line } : { start: end, end: start, line };
      }),
    )
    .sort((one, other) => one.start.x - other.start.x);

const side = (a: Place, b: Place, c: Place): number => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);

const crosses = ({ start: a, end: b }: Piece, { start: c, end: d }: Piece): boolean =>
  Math.max(a.y, b.y) >= Math.min(c.y, d.y) &&
  Math.max(c.y, d.y) >= Math.min(a.y, b.y) &&
  side(a, b, c) * side(a, b, d) < 0 &&
  side(c, d, a) * side(c, d, b) < 0;

export const countCrossings = (courses: readonly (readonly Place[])[]): number => {
  const pieces = piecesOf(courses);
  let crossings = 0;
  pieces.forEach((one, at) => {
    for (let next = at + 1; next < pieces.length; next += 1) {
      const other = pieces[next];
      if (!other || other.start.x >= one.end.x) break;
      if (crosses(one, other)) crossings += 1;
    }
  });
  return crossings;
};

const heightAt = ({ start, end }: Piece, x: number): number =>
  end.x === start.x ? start.y : start.y + ((end.y - start.y) * (x - start.x)) / (end.x - start.x);

/** How many lines run beneath a box on their way. */
export const countBeneath = ({ boxes }: LayoutGraph, { places, courses }: LaidOut): number => {
  const all = boxes
    .map(({ id, width, height }) => ({ ...(places.get(id) ?? { x: 0, y: 0 }), width, height }))
    .sort((one, other) => one.x - other.x);
  const hidden = new Set<number>();
  // Pieces come from left to right, so boxes that end before one begins are passed by all that follow.
  let first = 0;
  for (const piece of piecesOf(courses)) {
    for (let box = all[first]; box && box.x + box.width <= piece.start.x; box = all[first]) first += 1;
    if (hidden.has(piece.line)) continue;
    for (let at = first; at < all.length; at += 1) {
      const { x, y, width, height } = all[at] ?? { x: 0, y: 0, width: 0, height: 0 };
      if (x >= piece.end.x) break;
      // A line touches the boxes at its ends, and a layout may round.
      const [left, right] = [Math.max(piece.start.x, x + 1), Math.min(piece.end.x, x + width - 1)];
      if (right <= left) continue;
      const ends = [heightAt(piece, left), heightAt(piece, right)];
      if (Math.max(...ends) > y + 1 && Math.min(...ends) < y + height - 1) hidden.add(piece.line);
    }
  }
  return hidden.size;
};

/** The box with the most links, which somebody looks at. */
export const mostLinked = ({ boxes, links }: LayoutGraph): string => {
  const counts = new Map<string, number>();
  for (const { from, to } of links) for (const end of [from, to]) counts.set(end, (counts.get(end) ?? 0) + 1);
  const count = (id: string): number => counts.get(id) ?? 0;
  return boxes.reduce((most, { id }) => (count(id) > count(most) ? id : most), boxes[0]?.id ?? '');
};

/** How far half of the boxes move at least, seen from the box that somebody looks at. */
export const medianMove = (before: Places, after: Places, anchor: string): number => {
  const shiftOf = (id: string) => {
    const [from, to] = [before.get(id), after.get(id)];
    return from && to ? { x: to.x - from.x, y: to.y - from.y } : { x: 0, y: 0 };
  };
  const held = shiftOf(anchor);
  const moves = [...before.keys()]
    .map((id) => shiftOf(id))
    .map(({ x, y }) => Math.hypot(x - held.x, y - held.y))
    .sort((one, other) => one - other);
  return moves[Math.floor(moves.length / 2)] ?? 0;
};
