import * as assert from 'uvu/assert';
import { placeInLayers } from '../../src/explorer/lineage/layers.ts';
import { suite } from '../support/suite.ts';

/** Shows that boxes of a large graph stand apart and data flows from left to right, in cycles as well. */

const test = suite('explorer: layout of large graphs');

const box = (id: string) => ({ id, width: 264, height: 74 });

const link = (from: string, to: string) => ({ id: `${from} ${to}`, from, to });

const place = (ids: readonly string[], pairs: readonly (readonly [string, string])[]) =>
  placeInLayers(
    ids.map(box),
    pairs.map(([from, to]) => link(from, to)),
  );

const findOverlap = (places: ReturnType<typeof place>): string | undefined => {
  const all = [...places].sort(([, a], [, b]) => a.x - b.x || a.y - b.y);
  return all.find(([, { x, y }], at) => {
    const next = all[at + 1]?.[1];
    return next !== undefined && next.x === x && next.y < y + 74;
  })?.[0];
};

test('every box is to the right of those it is made from', () => {
  const pairs = [
    ['a', 'b'],
    ['b', 'c'],
    ['a', 'c'],
    ['d', 'c'],
  ] as const;
  const places = place(['c', 'b', 'a', 'd'], pairs);
  for (const [from, to] of pairs) assert.ok((places.get(from)?.x ?? 0) < (places.get(to)?.x ?? 0), `${from} ${to}`);
  assert.is(places.get('d')?.x, places.get('b')?.x, 'a source stands right before what it feeds');
});

test('cycles, links to themselves and to unknown boxes do no harm', () => {
  const places = place(
    ['a', 'b', 'c', 'alone'],
    [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['b', 'b'],
      ['a', 'unknown'],
    ],
  );
  assert.is(places.size, 4);
  assert.is(findOverlap(places), undefined);
  assert.ok((places.get('a')?.x ?? 0) < (places.get('b')?.x ?? 0));
});

test('thousands of boxes are placed apart, and a layer of thousands stands in several columns', () => {
  const ids = Array.from({ length: 3001 }, (_, at) => `box ${at}`);
  const fan = place(
    ids,
    ids.slice(1).map((id) => ['box 0', id] as const),
  );
  assert.is(fan.size, 3001);
  assert.is(findOverlap(fan), undefined);
  const tops = [...fan.values()].map(({ y }) => y);
  assert.ok(Math.max(...tops) - Math.min(...tops) < 60 * 98, 'nobody has to scroll along a thousand boxes');
  const tree = place(
    ids,
    ids.flatMap((id, at) => [1, 2].map((nth) => [id, `box ${2 * at + nth}`] as const)),
  );
  assert.is(findOverlap(tree), undefined);
});

test.run();
