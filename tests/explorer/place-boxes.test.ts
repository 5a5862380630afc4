import * as assert from 'uvu/assert';
import type { Link, Place, Placement } from '../../src/explorer/layout/placement.ts';
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

/** Shows that boxes stand apart, that data flows from left to right past all boxes, and that boxes stay where they were. */

const test = suite('explorer: layout');

/** The boxes that a line runs beneath. */
const boxesBeneath = (placement: Placement, link: Link): readonly string[] => {
  const course = courseOf(placement, link);
  return [...placement.places].flatMap(([id, { x, y }]) => {
    const isHit = course.slice(1).some((end, at) => {
      const start = course[at] ?? end;
      if (start.x >= x + BOX_WIDTH || end.x <= x) return false;
      const heightAt = (to: number) => start.y + ((end.y - start.y) * (to - start.x)) / Math.max(1, end.x - start.x);
      const ends = [heightAt(Math.max(start.x, x)), heightAt(Math.min(end.x, x + BOX_WIDTH))];
      return Math.max(...ends) > y && Math.min(...ends) < y + BOX_HEIGHT;
    });
    return isHit ? [id] : [];
  });
};

const countCrossings = (placement: Placement, pairs: Pairs): number => {
  const courses = linksOf(pairs).map((link) => courseOf(placement, link));
  const side = (a: Place, b: Place, c: Place): number =>
    Math.sign((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
  let crossings = 0;
  courses.forEach((one, at) => {
    for (const other of courses.slice(at + 1)) {
      for (let i = 1; i < one.length; i += 1) {
        for (let j = 1; j < other.length; j += 1) {
          const [a, b, c, d] = [one[i - 1], one[i], other[j - 1], other[j]] as [Place, Place, Place, Place];
          if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) crossings += 1;
        }
      }
    }
  });
  return crossings;
};

test('every box is to the right of those it is made from', () => {
  const pairs = [
    ['a', 'b'],
    ['b', 'c'],
    ['a', 'c'],
    ['d', 'c'],
  ] as const;
  const placement = place(['c', 'b', 'a', 'd'], pairs);
  for (const [from, to] of pairs) assert.ok(placeOf(placement, from).x < placeOf(placement, to).x, `${from} ${to}`);
  assert.is(placeOf(placement, 'd').x, placeOf(placement, 'b').x, 'a source stands right before what it feeds');
});

test('cycles, links to themselves and to unknown boxes do no harm', () => {
  const placement = place(
    ['a', 'b', 'c', 'alone'],
    [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['b', 'b'],
      ['a', 'unknown'],
    ],
  );
  assert.is(placement.places.size, 4);
  assert.is(findOverlap(placement), undefined);
  assert.is(place([], []).places.size, 0);
});

test('of a circle, only one link leads back', () => {
  const circle: Pairs = Array.from({ length: 9 }, (_, at) => [`${at}`, `${(at + 1) % 9}`] as const);
  // Sources and readers beside it, which a walk could come from.
  const pairs: Pairs = [
    ...circle,
    ...circle.flatMap(([id]) => [[`source ${id}`, id] as const, [id, `reader ${id}`] as const]),
  ];
  const placement = place(pairs.flat(), pairs);
  const back = pairs.filter(([from, to]) => placeOf(placement, from).x >= placeOf(placement, to).x);
  assert.is(back.length, 1);
});

test('no line runs beneath a box', () => {
  for (const seed of SEEDS) {
    const pairs = growGraph(seed);
    const placement = place(pairs.flat(), pairs);
    assert.is(findOverlap(placement), undefined, `seed ${seed}`);
    for (const link of linksOf(pairs)) {
      const others = boxesBeneath(placement, link).filter((id) => id !== link.from && id !== link.to);
      assert.equal(others, [], `seed ${seed}, ${link.id}`);
    }
  }
});

test('lines that need not cross do not', () => {
  const ladder: Pairs = Array.from({ length: 12 }, (_, at) => [
    [`a${at}`, `b${11 - at}`] as const,
    [`b${11 - at}`, `c${(at * 5) % 12}`] as const,
  ]).flat();
  assert.is(countCrossings(place(ladder.flat().sort(), ladder), ladder), 0, 'boxes in the wrong order');
  const tree: Pairs = Array.from({ length: 31 }, (_, at) =>
    [1, 2].map((nth) => [`${at}`, `${2 * at + nth}`] as const),
  ).flat();
  assert.is(countCrossings(place(tree.flat().reverse(), tree), tree), 0, 'a tree');
});

test('a way that leads on is level', () => {
  const way: Pairs = [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'd'],
    ['a', 'x'],
    ['x', 'd'],
  ];
  const placement = place(way.flat(), way);
  assert.is(placeOf(placement, 'b').y, placeOf(placement, 'c').y);
  const long = place(['a', 'b', 'c', 'd'], [...way.slice(0, 3), ['a', 'd']]);
  const [first, ...others] = long.bends.get('a d') ?? [];
  assert.is(others.length, 3, 'into and out of each of two layers');
  for (const { y } of others) assert.is(y, first?.y);
});

/** The highest band in which no box stands. */
const highestGap = ({ places }: Placement): number => {
  const tops = [...places.values()].map(({ y }) => y).sort((one, other) => one - other);
  return tops.slice(1).reduce((most, top, at) => Math.max(most, top - (tops[at] ?? top) - BOX_HEIGHT), 0);
};

test('parts that no link joins stand close together', () => {
  for (const seed of SEEDS) {
    // Stars of different sizes, whose middles stand far apart.
    const pairs: Pairs = Array.from({ length: 5 }, (_, star) => star).flatMap((star) =>
      Array.from({ length: 1 + ((seed * (star + 3)) % 7) }, (_, at) =>
        (seed + star) % 2 === 0
          ? ([`hub ${star}`, `${star}.${at}`] as const)
          : ([`${star}.${at}`, `hub ${star}`] as const),
      ),
    );
    const gap = highestGap(place(pairs.flat(), pairs));
    assert.ok(gap <= 25, `seed ${seed}: ${gap}`);
  }
});

test('thousands of boxes are placed apart, and a fan of thousands stands in several columns', () => {
  const ids = Array.from({ length: 3001 }, (_, at) => `box ${at}`);
  const fan = place(
    ids,
    ids.slice(1).map((id) => ['box 0', id] as const),
  );
  assert.is(fan.places.size, 3001);
  assert.is(findOverlap(fan), undefined);
  const tops = [...fan.places.values()].map(({ y }) => y);
  assert.ok(Math.max(...tops) - Math.min(...tops) < 60 * 98, 'nobody has to scroll along a thousand boxes');
  const tree = place(
    ids,
    ids.flatMap((id, at) => [1, 2].map((nth) => [id, `box ${2 * at + nth}`] as const)),
  );
  assert.is(findOverlap(tree), undefined);
});

test('a chain of 10,000 boxes with links over all of it is placed', () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `${at}`);
  const pairs: Pairs = ids.slice(1).flatMap((id, at) => [[`${at}`, id] as const, [`${at}`, '9999'] as const]);
  const { places, bends } = place(ids, pairs);
  assert.is(places.size, 10_000);
  const points = [...bends.values()].reduce((sum, all) => sum + all.length, 0);
  assert.ok(points > 0 && points <= 80_000, `${points} points are what a page can take`);
});

test('the same graph is placed in the same way', () => {
  for (const seed of SEEDS.slice(0, 5)) {
    const pairs = growGraph(seed);
    assert.equal([...place(pairs.flat(), pairs).places], [...place(pairs.flat(), pairs).places]);
  }
});

const orderIn = ({ places }: Placement, ids: readonly string[]): readonly string[] =>
  [...ids].sort((one, other) => (places.get(one)?.y ?? 0) - (places.get(other)?.y ?? 0));

test('boxes that were there keep their order and, held, their height as far as there is room', () => {
  const pairs: Pairs = [...Array.from({ length: 5 }, (_, at) => ['root', `reader ${at}`] as const), ['source', 'root']];
  const ids = ['root', 'source', ...Array.from({ length: 5 }, (_, at) => `reader ${at}`)];
  const first = place(ids, pairs);
  const came: Pairs = Array.from({ length: 4 }, (_, at) => ['reader 2', `beyond ${at}`] as const);
  const next = place([...ids, ...came.flat()], [...pairs, ...came], { ...first, isHeld: true });
  for (const id of ids) assert.ok(Math.abs(placeOf(first, id).y - placeOf(next, id).y) <= 1, `${id} has not moved`);
  assert.is(findOverlap(next), undefined);
  // What now feeds a reader from its own layer's left comes between boxes, not in their place.
  const more: Pairs = [['another', 'reader 1']];
  const third = place([...ids, ...came.flat(), 'another'], [...pairs, ...came, ...more], {
    ...next,
    isHeld: true,
  });
  assert.is(findOverlap(third), undefined);
  const readers = ids.slice(2);
  assert.equal(orderIn(third, readers), orderIn(first, readers));
});

const movedFrom = (before: Placement, after: Placement): number =>
  [...before.places].reduce((sum, [id, { y }]) => sum + Math.abs(placeOf(after, id).y - y), 0);

test('random graphs that grow keep the order of what was there, and held boxes move little', () => {
  let [held, free] = [0, 0];
  for (const seed of SEEDS) {
    const pairs = growGraph(seed);
    const half = pairs.slice(0, 60);
    const before = place(half.flat(), half);
    const ids = [...half.flat(), ...pairs.flat()];
    const after = place(ids, pairs, { ...before, isHeld: true });
    held += movedFrom(before, after);
    free += movedFrom(before, place(ids, pairs, { ...before, isHeld: false }));
    assert.is(findOverlap(after), undefined, `seed ${seed}`);
    const columns = new Map<number, string[]>();
    for (const id of before.places.keys()) {
      const { x } = placeOf(after, id);
      columns.set(x, [...(columns.get(x) ?? []), id]);
    }
    for (const ids of columns.values()) assert.equal(orderIn(after, ids), orderIn(before, ids), `seed ${seed}`);
  }
  assert.ok(held < free / 3, `${held} beside ${free}`);
});

test('what comes to a layer in several columns stands at its end', () => {
  const ids = Array.from({ length: 90 }, (_, at) => `reader ${at}`);
  const pairs: Pairs = ids.map((id) => ['hub', id] as const);
  const before = place(['hub', ...ids.slice(0, 60)], pairs.slice(0, 60));
  const after = place(['hub', ...ids], pairs, { ...before, isHeld: true });
  assert.ok(new Set([...before.places.values()].map(({ x }) => x)).size > 2, 'several columns');
  for (const id of ids.slice(0, 60)) assert.equal(after.places.get(id), before.places.get(id));
  assert.is(findOverlap(after), undefined);
});

test('where boxes went, the others keep their order and close the gap', () => {
  const ids = Array.from({ length: 9 }, (_, at) => `reader ${at}`);
  const pairs: Pairs = ids.map((id) => ['root', id] as const);
  const before = place(['root', ...ids], pairs);
  const order = orderIn(before, ids);
  const left = order.filter((_, at) => at < 2 || at > 6);
  const after = place(
    ['root', ...left],
    left.map((id) => ['root', id] as const),
    { ...before, isHeld: false },
  );
  assert.equal(orderIn(after, left), left);
  const tops = left.map((id) => placeOf(after, id).y);
  assert.ok(Math.max(...tops) - Math.min(...tops) <= (left.length - 1) * (BOX_HEIGHT + 24) + 1);
});

test.run();
