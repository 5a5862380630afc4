import { setImmediate as turn } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { Graph } from '../../../src/graph/client.ts';
import { withAbortSignal } from '../../../src/lineage/read/abort-signal.ts';
import { createLineageWalker } from '../../../src/lineage/read/walker.ts';
import { suite } from '../../support/suite.ts';
import { type Made, openWorld, type World } from '../fixture.ts';
import { chain, tablesOf } from './graph/fixture.ts';

/** Shows that reads and walks stop when their caller disconnects. */

const test = suite('lineage: aborted requests');

let world: World;

test.before(async () => {
  world = await openWorld();
});

/** What is read with which signal. */
const watched = () => {
  const seen: (readonly [string, AbortSignal | undefined])[] = [];
  const read: Graph['read'] = async (statement, _params, options) => {
    seen.push([statement.name, options?.signal]);
    return [];
  };
  const { engine } = world.service.app;
  const graph = { ...engine.graph, read };
  const budget = { nodes: 10, edges: 10 };
  const broken = () => Promise.resolve(new Map());
  return {
    seen,
    room: { engine: { ...engine, graph }, walker: createLineageWalker(graph), budget, maxDepth: 50, broken },
  };
};

test('reads and long walks get the signal of the request, and short shared walks do not', async () => {
  const { seen, room } = watched();
  const { signal } = new AbortController();
  const { engine, walker, budget } = withAbortSignal(room, signal);
  await walker.walk('downstream', ['x'], 10, budget);
  await walker.walk('upstream', ['x'], 2, budget);
  const statement = { name: 'any', text: 'RETURN 1', checkParams: () => {}, checkColumns: () => {} };
  await engine.graph.read(statement, {});
  assert.equal(
    seen.map(([name, given]) => [name, given === signal]),
    [
      ['lineage/walk:downstream:9', true],
      ['lineage/walk:upstream:1', false],
      ['any', true],
    ],
  );
});

test('an aborted request is not processed', async () => {
  const table = await world.table('a');
  const token = await world.service.token('admin');
  const ask = (path: string, signal: AbortSignal) =>
    world.service.app.hono.request(path, { headers: { authorization: `Bearer ${token}` }, signal });
  const before = world.service.sent('lineage/graph/count_neighbours');
  const fqn = encodeURIComponent(table.fullyQualifiedName);
  const paths = [
    `/v1/lineage/graph?id=${table.id}&downstreamDepth=10`,
    `/v1/lineage/table/${table.id}?downstreamDepth=10`,
    `/v1/lineage/getLineage?fqn=${fqn}&downstreamDepth=10`,
    `/v1/lineage/getLineage/Downstream?fqn=${fqn}&downstreamDepth=10`,
    `/v1/lineage/getLineageByEntityCount?fqn=${fqn}&direction=Downstream`,
    '/v1/lineage/getPlatformLineage?view=service',
    `/v1/lineage/databaseService/name/${encodeURIComponent(world.serviceFqn)}`,
  ];
  for (const path of paths) {
    assert.is((await ask(path, AbortSignal.abort())).status, 503);
    assert.is((await ask(path, new AbortController().signal)).status, 200);
  }
  assert.is(world.service.sent('lineage/graph/count_neighbours'), before + 1);
});

test('a long walk stops when its caller disconnects', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `t${at}`);
  const made = await tablesOf(world, ...names);
  const tables = names.map((name) => made[name] as Made);
  await chain(world.admin, ...tables);
  const statement = 'lineage/graph/list_next:downstream';
  const before = world.service.sent(statement);
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${await world.service.token('admin')}` };
  const path = `/v1/lineage/impact?id=${tables[0]?.id}`;
  const asked = world.service.app.hono.request(path, { headers, signal: leaving.signal });
  while (world.service.sent(statement) === before) await turn();
  leaving.abort();
  assert.is((await asked).status, 503);
  const steps = world.service.sent(statement) - before;
  assert.ok(steps < tables.length - 1, `it took ${steps} steps`);
});

test.run();
