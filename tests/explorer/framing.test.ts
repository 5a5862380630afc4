import * as assert from 'uvu/assert';
import { findActed } from '../../src/explorer/lineage/acted.ts';
import type { Bounds } from '../../src/explorer/lineage/box-bounds.ts';
import { readChoice } from '../../src/explorer/lineage/choice.ts';
import {
  comeNear,
  frameAround,
  frameBounds,
  frameStart,
  frameWhole,
  isVisible,
  isWholeInView,
  keepInView,
  showBeside,
  type Viewport,
} from '../../src/explorer/lineage/framing.ts';
import { suite } from '../support/suite.ts';

/** Shows which part of a graph is in view, on a desktop and on a phone. */

const test = suite('explorer: view of the lineage');

const DESKTOP = { width: 1280, height: 650, top: 24 };
const PHONE = { width: 390, height: 600, top: 24 };

/** A box at the nth place of a row of boxes. */
const boxAt = (nth: number, y = 0): Bounds => ({ x: nth * 360, y, width: 264, height: 74 });
const row = (from: number, to: number): Bounds => ({ x: from * 360, y: 0, width: (to - from) * 360 + 264, height: 74 });

const inPane = ({ x, y, zoom }: Viewport, bounds: Bounds, { width, height }: typeof PHONE): boolean =>
  x + bounds.x * zoom >= 0 &&
  y + bounds.y * zoom >= 0 &&
  x + (bounds.x + bounds.width) * zoom <= width &&
  y + (bounds.y + bounds.height) * zoom <= height;

test('a small graph is shown whole, and never larger than it is', () => {
  const start = frameStart({ all: row(0, 2), near: row(0, 2), root: boxAt(1), isGrouped: false }, DESKTOP);
  assert.is(start.zoom, 1);
  assert.ok(inPane(start, row(0, 2), DESKTOP));
});

test('a wide graph begins with its root and the neighbours of that, large enough to be read', () => {
  const graph = { all: row(0, 12), near: row(5, 7), root: boxAt(6), isGrouped: false };
  for (const pane of [DESKTOP, PHONE]) {
    const start = frameStart(graph, pane);
    assert.ok(inPane(start, graph.near, pane), `${pane.width} px`);
    assert.not(inPane(start, graph.all, pane));
    assert.ok(start.zoom >= 0.36);
  }
  assert.ok(frameStart(graph, DESKTOP).zoom > 0.9);
  const whole = frameWhole(graph.all, PHONE);
  assert.ok(inPane(whole, graph.all, PHONE));
  assert.ok(whole.zoom < 0.1);
});

test('a trail is shown whole if it can be read then, or else what is around the column that was lit', () => {
  const readable = frameAround(row(0, 5), boxAt(4), DESKTOP);
  assert.ok(inPane(readable, row(0, 5), DESKTOP));
  assert.ok(isWholeInView(readable, row(0, 5), DESKTOP));
  assert.not(isWholeInView(readable, row(0, 7), DESKTOP));
  assert.not(isWholeInView(frameWhole(row(0, 12), PHONE), row(0, 12), PHONE), 'nobody can read it');
  const long = frameAround(row(0, 12), boxAt(6), PHONE);
  assert.is(long.zoom, 0.36);
  assert.is(Math.round(long.x + (boxAt(6).x + boxAt(6).width / 2) * long.zoom), PHONE.width / 2);
});

test('groups are an overview, which is whole but on a phone', () => {
  const graph = { all: row(0, 12), near: row(5, 7), root: boxAt(6), isGrouped: true };
  assert.ok(inPane(frameStart(graph, DESKTOP), graph.all, DESKTOP));
  assert.not(inPane(frameStart(graph, PHONE), graph.all, PHONE));
});

test('of more neighbours than can be read at once, those around the root are shown', () => {
  const near = { x: 0, y: 0, width: 984, height: 9000 };
  const root = boxAt(1, 4000);
  const start = frameStart({ all: near, near, root, isGrouped: false }, DESKTOP);
  assert.is(start.zoom, 0.65);
  assert.ok(inPane(start, root, DESKTOP));
  assert.ok(inPane(start, { ...near, y: 4000, height: 74 }, DESKTOP));
});

test('a path that is too long to be read begins with its first box', () => {
  const view = frameBounds(row(0, 12), boxAt(0), PHONE);
  assert.ok(inPane(view, boxAt(0), PHONE));
  assert.is(view.zoom, 0.36);
  assert.is(frameBounds(row(0, 12), boxAt(0), DESKTOP).x, 24, 'at the side, so that what comes after it has room');
});

test('the view moves no farther than it must to show a box', () => {
  const view = { x: 0, y: 0, zoom: 0.5 };
  assert.equal(keepInView(view, boxAt(0, 100), { ...DESKTOP, top: 24 }), { x: 24, y: 0, zoom: 0.5 });
  assert.equal(keepInView(view, boxAt(1, 100), DESKTOP), view, 'it is in view');
  const moved = keepInView(view, boxAt(9, 100), DESKTOP);
  assert.is(moved.x + (9 * 360 + 264) * 0.5, 1280 - 24);
  assert.is(moved.y, 0);
});

test('what is larger than the view begins at its corner', () => {
  const { x, y } = keepInView({ x: 0, y: 0, zoom: 1 }, { x: 500, y: 100, width: 264, height: 2000 }, DESKTOP);
  assert.equal([x, y], [0, 24 - 100]);
});

test('nothing moves when what came beside a box has room', () => {
  const view = { x: 100, y: 100, zoom: 0.5 };
  assert.equal(showBeside(view, boxAt(0), [boxAt(1), boxAt(1, 100)], DESKTOP), view);
});

test('what came beside a box is brought into view together with the box', () => {
  const [box, came] = [boxAt(3), boxAt(4)];
  for (const pane of [DESKTOP, PHONE]) {
    // The box stands at the right edge.
    const view = { x: pane.width - 12 - (box.x + box.width) * 0.5, y: 200, zoom: 0.5 };
    assert.not(inPane(view, came, pane));
    const next = showBeside(view, box, [came], pane);
    assert.ok(inPane(next, came, pane), `${pane.width} px`);
    assert.ok(inPane(next, box, pane));
  }
});

test('the view goes back to show all that came, but not so far that it cannot be read', () => {
  const few = [0, 1, 2, 3, 4, 5, 6, 7].map((nth) => boxAt(1, nth * 100));
  const view = { x: 100, y: 100, zoom: 1 };
  const next = showBeside(view, boxAt(0), few, DESKTOP);
  assert.ok(few.every((box) => inPane(next, box, DESKTOP)));
  const many = [...Array(200).keys()].map((nth) => boxAt(1, nth * 100));
  const far = showBeside(view, boxAt(0), many, DESKTOP);
  assert.ok(far.zoom >= 0.5);
  assert.ok(inPane(far, boxAt(0), DESKTOP));
  assert.ok(inPane(far, boxAt(1), DESKTOP), 'the nearest is shown');
  // From farther away than that, it does not come nearer.
  assert.is(showBeside({ ...view, zoom: 0.4 }, boxAt(0), many, DESKTOP).zoom, 0.4);
});

test('a box is visible as soon as a part of it is', () => {
  const view = { x: -200, y: 0, zoom: 1 };
  assert.ok(isVisible(view, boxAt(0), PHONE));
  assert.not(isVisible({ ...view, x: -300 }, boxAt(0), PHONE));
  assert.not(isVisible({ ...view, y: 700 }, boxAt(0), PHONE));
});

test('the box acted on is known from what its action changed, there and back', () => {
  const nodes = new Map([
    ['a', { id: 'a', type: 'table', fullyQualifiedName: 's.a' }],
    ['ab', { id: 'ab', type: 'table', fullyQualifiedName: 's.a.b' }],
  ]);
  const cases: readonly (readonly [string, string, string | undefined])[] = [
    ['', 'open=a', 'a'],
    ['open=a,b', 'open=a', 'b'],
    ['more=upstream:x', 'more=upstream:x,downstream:a', 'a'],
    ['unfold=20:sales', 'unfold=40:sales', 'sales'],
    ['', 'alone=b', 'b'],
    ['', 'column=s.a.id', 'a'],
    ['column=s.a.id', '', 'a'],
    ['', 'column=s.a.b.id', 'ab'],
    ['asset=a', 'asset=b', undefined],
    ['up=1', 'up=3', undefined],
  ];
  for (const [before, now, expected] of cases) {
    const [former, latter] = [before, now].map((text) => readChoice(new URLSearchParams(text)));
    if (former && latter) assert.is(findActed(former, latter, { nodes }), expected, `${before} → ${now}`);
  }
});

test('a phone comes near to a box whose columns unfold', () => {
  const far = { x: 0, y: 0, zoom: 0.36 };
  const near = comeNear(far, boxAt(1), PHONE);
  assert.is(near.zoom, 0.9);
  assert.ok(inPane(near, boxAt(1), PHONE));
  assert.is(comeNear(far, boxAt(1), DESKTOP), far);
});

test.run();
