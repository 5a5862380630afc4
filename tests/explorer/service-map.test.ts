import * as assert from 'uvu/assert';
import {
  arrangeServices,
  BOX,
  drawFlow,
  flowWidth,
  type PlatformAnswer,
  readServiceMap,
} from '../../src/explorer/home/service-map.ts';
import { suite } from '../support/suite.ts';

/** Shows which services the start page draws, and where. */

const test = suite('explorer: map of services');

const node = (name: string, displayName?: string) => ({
  entity: {
    id: `id-${name}`,
    entityType: 'databaseService',
    name,
    fullyQualifiedName: name,
    ...(displayName === undefined ? {} : { displayName }),
  },
});

const answerOf = (names: readonly string[], flows: readonly (readonly [string, string, number])[]): PlatformAnswer => ({
  nodes: Object.fromEntries(names.map((name) => [name, node(name, name === 'shop' ? 'The shop' : undefined)])),
  upstreamEdges: Object.fromEntries(
    flows.map(([from, to, assetEdges]) => [
      `${from}-${to}`,
      { fromEntity: { id: `id-${from}` }, toEntity: { id: `id-${to}` }, assetEdges },
    ]),
  ),
  downstreamEdges: {},
});

const COMPANY = answerOf(
  ['alone', 'shop', 'stores', 'warehouse', 'boards'],
  [
    ['stores', 'warehouse', 14],
    ['shop', 'warehouse', 20],
    ['warehouse', 'boards', 9],
    ['warehouse', 'shop', 1],
    ['warehouse', 'warehouse', 100],
  ],
);

test('services between which data flows are shown, the largest flows first', () => {
  const { services, flows } = readServiceMap(COMPANY, 10);
  assert.equal(
    services.map(({ name }) => name),
    ['warehouse', 'The shop', 'stores', 'boards'],
  );
  assert.equal(
    flows.map(({ from, to, edges, isBack }) => [from, to, edges, isBack]),
    [
      ['id-shop', 'id-warehouse', 20, false],
      ['id-stores', 'id-warehouse', 14, false],
      ['id-warehouse', 'id-boards', 9, false],
      ['id-warehouse', 'id-shop', 1, true],
    ],
  );
});

test('of many services those with the most edges are shown, and no flow to one that is not', () => {
  const { services, flows } = readServiceMap(COMPANY, 2);
  assert.equal(
    services.map(({ id }) => id),
    ['id-warehouse', 'id-shop'],
  );
  assert.is(flows.length, 2);
  assert.equal(readServiceMap(answerOf(['alone'], []), 10), { services: [], flows: [] });
});

test('of flows in a circle the smallest leads back, however long the circle is', () => {
  const { flows } = readServiceMap(
    answerOf(
      ['a', 'b', 'c', 'd'],
      [
        ['d', 'a', 2],
        ['a', 'b', 5],
        ['b', 'c', 4],
        ['c', 'd', 3],
      ],
    ),
    10,
  );
  assert.equal(
    flows.filter(({ isBack }) => isBack).map(({ from, to }) => [from, to]),
    [['id-d', 'id-a']],
  );
});

test('pipelines, which carry what flows, are left out', () => {
  const pipelines = { entity: { ...node('airflow').entity, entityType: 'pipelineService' } };
  const answer = answerOf(
    ['shop', 'warehouse', 'airflow'],
    [
      ['shop', 'airflow', 9],
      ['airflow', 'warehouse', 9],
      ['shop', 'warehouse', 9],
    ],
  );
  const { services, flows } = readServiceMap({ ...answer, nodes: { ...answer.nodes, airflow: pipelines } }, 10);
  assert.equal(services.map(({ id }) => id).sort(), ['id-shop', 'id-warehouse']);
  assert.is(flows.length, 1);
});

test('what feeds stands left of what it feeds, no box lies on another, and all fit into the room there is', () => {
  const map = readServiceMap(COMPANY, 10);
  for (const room of [400, 900, 3000]) {
    const { width, height, places } = arrangeServices(map, room);
    const at = (name: string) => places.get(`id-${name}`) ?? { x: Number.NaN, y: Number.NaN };
    assert.ok(at('stores').x < at('warehouse').x && at('warehouse').x < at('boards').x);
    const all = [...places.values()];
    for (const [index, one] of all.entries())
      for (const other of all.slice(index + 1)) {
        const isApart = Math.abs(one.x - other.x) >= BOX.width || Math.abs(one.y - other.y) >= BOX.height;
        assert.ok(isApart, JSON.stringify([one, other]));
      }
    for (const { x, y } of all) assert.ok(x >= 0 && y >= 0 && x + BOX.width <= width && y + BOX.height <= height);
    if (room >= 900) assert.ok(width <= room, `${width} of ${room}`);
  }
});

test('a flow that leads back is drawn around below the boxes', () => {
  const [left, right] = [
    { x: 0, y: 0 },
    { x: 300, y: 10 },
  ];
  assert.is(drawFlow(left, right), 'M148 23C224 23 224 33 300 33');
  assert.is(drawFlow(right, left), 'M374 56C374 82 74 82 74 46');
});

test('more edges are a wider line, and no number of them a line that hides the boxes', () => {
  const widths = [1, 10, 100, 10_000, 1_000_000].map(flowWidth);
  assert.equal(
    widths,
    [...widths].sort((one, other) => one - other),
  );
  assert.ok((widths.at(-1) ?? 0) < 20);
});

test.run();
