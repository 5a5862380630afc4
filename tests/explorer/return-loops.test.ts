import * as assert from 'uvu/assert';
import { leadsBack } from '../../src/explorer/layout/course.ts';
import type { Place, Placement } from '../../src/explorer/layout/placement.ts';
import { suite } from '../support/suite.ts';
import {
  BOX_HEIGHT,
  BOX_WIDTH,
  courseOf,
  findOverlap,
  growGraph,
  linksOf,
  type Pairs,
  place,
  placeOf,
  SEEDS,
} from './placed-graphs.ts';

/** Shows that links that lead back pass beside all boxes and beside each other. */

const test = suite('explorer: loops of links that lead back');

type Piece = { readonly link: string; readonly start: Place; readonly end: Place };

/** A graph of layers in which every fifth link leads back. */
const growCycles = (seed: number): Pairs =>
  growGraph(seed).map(([from, to], at) => (at % 5 === 0 ? ([to, from] as const) : ([from, to] as const)));

/** The pieces of the loops, without those in which they leave and enter boxes. */
const loopPieces = (placement: Placement, pairs: Pairs): readonly Piece[] =>
  linksOf(pairs)
    .filter(({ id }) => leadsBack(placement.bends.get(id) ?? []))
    .flatMap((link) => {
      const course = courseOf(placement, link);
      return course.slice(1).map((end, at) => ({ link: link.id, start: course[at] ?? end, end }));
    });

const rangeOf = ({ start, end }: Piece, axis: 'x' | 'y'): readonly [number, number] => [
  Math.min(start[axis], end[axis]),
  Math.max(start[axis], end[axis]),
];

const boxesUnder = ({ places }: Placement, piece: Piece): readonly string[] => {
  const [[left, right], [top, bottom]] = [rangeOf(piece, 'x'), rangeOf(piece, 'y')];
  return [...places].flatMap(([id, { x, y }]) =>
    left < x + BOX_WIDTH && right > x && top < y + BOX_HEIGHT && bottom > y ? [id] : [],
  );
};

/** Whether two pieces run along each other. */
const isUpon = (one: Piece, other: Piece): boolean =>
  (['x', 'y'] as const).some((across) => {
    const along = across === 'x' ? 'y' : 'x';
    const [from, to] = rangeOf(one, along);
    const [start, end] = rangeOf(other, along);
    const isAlong = [one, other].every((piece) => piece.start[across] === piece.end[across]);
    return isAlong && one.start[across] === other.start[across] && from < end && start < to;
  });

const linksThatLeadBack = (placement: Placement, pairs: Pairs): Pairs =>
  pairs.filter(([from, to]) => placeOf(placement, from).x > placeOf(placement, to).x);

test('a link that leads back leaves at the right, goes around the layers on the way and enters from the left', () => {
  const pairs: Pairs = [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'a'],
  ];
  const placement = place(pairs.flat(), pairs);
  const [a, c] = [placeOf(placement, 'a'), placeOf(placement, 'c')];
  const [back] = linksOf([['c', 'a']]);
  assert.ok(back);
  const [start, out, first, second, before, end] = courseOf(placement, back) as [
    Place,
    Place,
    Place,
    Place,
    Place,
    Place,
  ];
  assert.equal([start.x, end.x], [c.x + BOX_WIDTH, a.x]);
  assert.ok(out.x > start.x && before.x < end.x);
  assert.equal([out.x, before.x], [first.x, second.x]);
  assert.is(first.y, second.y);
  assert.ok(first.y > a.y + BOX_HEIGHT, 'below, where both sides are as near');
});

test('a loop takes the nearer side', () => {
  // The circle stands at one end of the layers, whose other end is far.
  const readers: Pairs = Array.from({ length: 12 }, (_, at) => ['root', `reader ${at}`] as const);
  const circle: Pairs = [
    ['a', 'b'],
    ['b', 'a'],
  ];
  for (const pairs of [
    [...circle, ...readers],
    [...readers, ...circle],
  ]) {
    const placement = place(pairs.flat(), pairs);
    const ys = [...placement.places.values()].map(({ y }) => y);
    const [top, bottom] = [Math.min(...ys), Math.max(...ys) + BOX_HEIGHT];
    const middle = placeOf(placement, 'a').y + BOX_HEIGHT / 2;
    const loop = placement.bends.get('b a') ?? placement.bends.get('a b');
    const y = loop?.[0]?.y ?? 0;
    assert.is(y > bottom, bottom - middle < middle - top, 'below where that is nearer');
    assert.ok(y > bottom || y < top);
  }
});

test('loops pass beside all boxes and beside each other', () => {
  for (const seed of SEEDS) {
    const pairs = [...new Map(growCycles(seed).map((pair) => [pair.join(' '), pair])).values()];
    const placement = place(pairs.flat(), pairs);
    assert.is(findOverlap(placement), undefined, `seed ${seed}`);
    const pieces = loopPieces(placement, pairs);
    const back = linksThatLeadBack(placement, pairs);
    assert.ok(back.length > 0);
    assert.is(pieces.length, back.length * 5, `seed ${seed}: every link that leads back is a loop`);
    for (const piece of pieces) assert.equal(boxesUnder(placement, piece), [], `seed ${seed}, ${piece.link}`);
    // Several lines leave or enter a box at the same point; from where they turn they are apart.
    const turned = pieces.filter((_, at) => at % 5 > 0 && at % 5 < 4);
    turned.forEach((one, at) => {
      const upon = turned.slice(at + 1).filter((other) => other.link !== one.link && isUpon(one, other));
      assert.equal(
        upon.map(({ link }) => link),
        [],
        `seed ${seed}, ${one.link}`,
      );
    });
  }
});

test('loops go between the columns of a tall layer', () => {
  const readers = Array.from({ length: 120 }, (_, at) => `reader ${at}`);
  const pairs: Pairs = readers.flatMap((id, at) => [
    ['hub', id] as const,
    ...(at % 10 === 0 ? [[id, 'hub'] as const] : []),
  ]);
  const placement = place(pairs.flat(), pairs);
  assert.ok(new Set([...placement.places.values()].map(({ x }) => x)).size > 3, 'several columns');
  const pieces = loopPieces(placement, pairs);
  assert.is(pieces.length, 12 * 5);
  for (const [at, piece] of pieces.entries())
    if (at % 5 > 0 && at % 5 < 4) assert.equal(boxesUnder(placement, piece), [], piece.link);
});

test('what is placed stays where it is when a link back comes', () => {
  const pairs = growGraph(7);
  const [from = '', to = ''] = pairs[0] ?? [];
  const former = { ...place(pairs.flat(), pairs), isHeld: true };
  const before = place(pairs.flat(), pairs, former);
  const after = place(pairs.flat(), [...pairs, [to, from]], former);
  assert.ok(leadsBack(after.bends.get(`${to} ${from}`) ?? []));
  assert.equal([...after.places], [...before.places]);
});

test('thousands of loops over a chain of 10,000 boxes are placed, the same in every run', () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `${at}`);
  const pairs: Pairs = ids
    .slice(1)
    .flatMap((id, at) => [[`${at}`, id] as const, ...(at % 3 === 0 ? [[id, `${Math.floor(at / 2)}`] as const] : [])]);
  const placement = place(ids, pairs);
  assert.is(loopPieces(placement, pairs).length, linksThatLeadBack(placement, pairs).length * 5);
  assert.equal([...place(ids, pairs).bends], [...placement.bends]);
});

test.run();
