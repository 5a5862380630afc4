import * as assert from 'uvu/assert';
import { edgesOfBox, findNext, type Placed, stepEdge } from '../../src/explorer/lineage/steer.ts';
import { suite } from '../support/suite.ts';

/** Shows to which box or edge the keys lead. */

const test = suite('explorer: keys of the lineage');

const at = (id: string, x: number, y: number): Placed => ({ id, x, y, width: 200, height: 60 });

const BOXES = [
  at('a', 0, 0),
  at('b', 0, 100),
  at('c', 0, 200),
  at('m', 300, 90),
  at('x', 600, 300),
  at('far', 20, 900),
];
const EDGES = [
  { source: 'a', target: 'm' },
  { source: 'b', target: 'm' },
  { source: 'm', target: 'x' },
  { source: 'm', target: 'm' },
];

test('left and right follow the edges, to the neighbour at the nearest height', () => {
  assert.is(findNext(BOXES, EDGES, 'm', 'ArrowLeft'), 'b');
  assert.is(findNext(BOXES, EDGES, 'm', 'ArrowRight'), 'x');
  assert.is(findNext(BOXES, EDGES, 'a', 'ArrowRight'), 'm');
  assert.is(findNext(BOXES, EDGES, 'a', 'ArrowLeft'), undefined, 'nothing feeds it');
  assert.is(findNext(BOXES, EDGES, 'c', 'ArrowRight'), undefined, 'it feeds nothing, however near others are');
});

test('up and down stay in the column, and leave it only at its end', () => {
  assert.is(findNext(BOXES, EDGES, 'a', 'ArrowDown'), 'b');
  assert.is(findNext(BOXES, EDGES, 'c', 'ArrowUp'), 'b');
  assert.is(findNext(BOXES, EDGES, 'c', 'ArrowDown'), 'far', 'boxes of a column overlap');
  assert.is(findNext(BOXES, EDGES, 'm', 'ArrowDown'), 'b', 'no box of its own column is lower, so the nearest is');
  assert.is(findNext(BOXES, EDGES, 'a', 'ArrowUp'), undefined);
});

test('a box that is gone leads nowhere', () => {
  assert.is(findNext(BOXES, EDGES, 'gone', 'ArrowUp'), undefined);
  assert.is(findNext([], EDGES, 'a', 'ArrowDown'), undefined);
});

test('the edges of a box come one after the other, those that lead to it first, from top to bottom', () => {
  const edges = [...EDGES, { source: 'm', target: 'a' }].map((edge) => ({
    ...edge,
    id: `${edge.source} ${edge.target}`,
  }));
  const around = edgesOfBox(BOXES, [...edges].reverse(), 'm');
  assert.equal(
    around.map(({ id }) => id),
    ['a m', 'm m', 'b m', 'm a', 'm x'],
    'one that leads back to the box comes once',
  );
  assert.is(stepEdge(around, undefined, 1)?.id, 'a m');
  assert.is(stepEdge(around, 'a m', 1)?.id, 'm m');
  assert.is(stepEdge(around, 'm x', 1)?.id, 'a m');
  assert.is(stepEdge(around, 'a m', -1)?.id, 'm x');
  assert.is(stepEdge([], undefined, 1), undefined);
});

test.run();
