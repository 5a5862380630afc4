import { type Ends, findLayers, findReturns, type Pair } from './layering.ts';
import type { Box, Link } from './placement.ts';

/** Gives links a bend in every layer that they pass, so that links lead from one layer to the next only. */

/** More bends than these take longer than they help; the longest links then go straight. */
const MOST_BENDS = 40_000;

export type KnownLink = { readonly link: string; readonly pair: Pair };

/** The links between boxes that are there, by the numbers of these, and which of them lead back. */
const readLinks = (boxes: readonly Box[], links: readonly Link[]) => {
  const numbers = new Map(boxes.map(({ id }, at) => [id, at]));
  const known: KnownLink[] = [];
  for (const { id, from, to } of links) {
    const [start, end] = [numbers.get(from), numbers.get(to)];
    if (start !== undefined && end !== undefined && start !== end) known.push({ link: id, pair: [start, end] });
  }
  const returns = findReturns(
    boxes.length,
    known.map(({ pair }) => pair),
  );
  return {
    onward: known.filter((_, at) => !returns.has(at)),
    returns: known.filter((_, at) => returns.has(at)),
  };
};

export type Knots = {
  /** The layer of each spot: of the boxes, and after them of the bends. */
  readonly layerOf: number[];
  readonly ends: Ends;
  /** The bends of each link that has any, from left to right. */
  readonly bendsOf: ReadonlyMap<string, readonly number[]>;
  /** The links that lead back. They go around the layers, so they neither have bends nor draw boxes to each other. */
  readonly returns: readonly KnownLink[];
};

const pairOf = ({ pair }: KnownLink): Pair => pair;

/** The box that a link leads back to stands left of the one from which it comes. */
const turnedPairOf = ({ pair: [from, to] }: KnownLink): Pair => [to, from];

export const bendLinks = (boxes: readonly Box[], all: readonly Link[]): Knots => {
  const { onward, returns } = readLinks(boxes, all);
  const layerOf = [...findLayers(boxes.length, [...onward.map(pairOf), ...returns.map(turnedPairOf)])];
  const spanOf = ({ pair: [from, to] }: KnownLink) => (layerOf[to] ?? 0) - (layerOf[from] ?? 0);
  const ends: Ends = { before: layerOf.map(() => []), after: layerOf.map(() => []) };
  const bendsOf = new Map<string, readonly number[]>();
  const join = (from: number, to: number): void => {
    ends.after[from]?.push(to);
    ends.before[to]?.push(from);
  };
  let room = MOST_BENDS;
  for (const known of [...onward].sort((one, other) => spanOf(one) - spanOf(other))) {
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
    if (count > 0) bendsOf.set(known.link, bends);
  }
  return { layerOf, ends, bendsOf, returns };
};
