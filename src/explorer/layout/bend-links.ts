import { type Ends, findLayers, findReturns, type Pair } from './layering.ts';
import type { Box, Link } from './placement.ts';

/** Gives links a bend in every layer that they pass, so that links lead from one layer to the next only. */

/** More bends than these take longer than they help; the longest links then go straight. */
const MOST_BENDS = 40_000;

type Known = { readonly link: string; readonly pair: Pair };

/** The links between boxes that are there, by the numbers of these; one that leads back is turned round. */
const readLinks = (boxes: readonly Box[], links: readonly Link[]) => {
  const numbers = new Map(boxes.map(({ id }, at) => [id, at]));
  const known: Known[] = [];
  for (const { id, from, to } of links) {
    const [start, end] = [numbers.get(from), numbers.get(to)];
    if (start !== undefined && end !== undefined && start !== end) known.push({ link: id, pair: [start, end] });
  }
  const returns = findReturns(
    boxes.length,
    known.map(({ pair }) => pair),
  );
  return known.map(({ link, pair: [from, to] }, at) => ({
    link,
    isReturn: returns.has(at),
    pair: (returns.has(at) ? [to, from] : [from, to]) as Pair,
  }));
};

export type Knots = {
  /** The layer of each spot: of the boxes, and after them of the bends. */
  readonly layerOf: number[];
  readonly ends: Ends;
  /** The bends of each link that has any, from left to right. */
  readonly bendsOf: ReadonlyMap<string, readonly number[]>;
};

export const bendLinks = (boxes: readonly Box[], all: readonly Link[]): Knots => {
  const links = readLinks(boxes, all);
  const layerOf = [
    ...findLayers(
      boxes.length,
      links.map(({ pair }) => pair),
    ),
  ];
  const spanOf = ({ pair: [from, to] }: { readonly pair: Pair }) => (layerOf[to] ?? 0) - (layerOf[from] ?? 0);
  const ends: Ends = { before: layerOf.map(() => []), after: layerOf.map(() => []) };
  const bendsOf = new Map<string, readonly number[]>();
  const join = (from: number, to: number): void => {
    ends.after[from]?.push(to);
    ends.before[to]?.push(from);
  };
  let room = MOST_BENDS;
  for (const known of [...links].sort((one, other) => spanOf(one) - spanOf(other))) {
    const [from, to] = known.pair;
    const count = spanOf(known) - 1;
    if (count > room) continue;
    room -= count;
    const bends: number[] = [];
    let last = from;
    for (let nth = 0; nth < count; nth += 1) {
      const bend = layerOf.length;
      layerOf.push((layerOf[from] ?? 0) + 1 + nth);
      ends.before.push([]);
      ends.after.push([]);
      bends.push(bend);
      join(last, bend);
      last = bend;
    }
    join(last, to);
    // A link that leads back is drawn as a curve of its own.
    if (count > 0 && !known.isReturn) bendsOf.set(known.link, bends);
  }
  return { layerOf, ends, bendsOf };
};
