/** Shows how a source withdraws its assertions about edges into a record or through a pipeline (lineage.md 4). */
import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../../support/rights.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, feed, type Made, openWorld, pipelineIn, procedureIn, ref, type World } from '../fixture.ts';
import { SENSITIVE, tablesOf } from '../read/graph/fixture.ts';

const test = suite('lineage: withdrawal of a source');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

/** The sources whose edges are found by what they run through. */
const CARRIED = ['PipelineLineage', 'OpenLineage'] as const;

const byName = (type: string, { fullyQualifiedName }: Made, source: string): string =>
  `/v1/lineage/source/name/${type}/${encodeURIComponent(fullyQualifiedName)}/type/${source}`;

const byId = (type: string, { id }: Made, source: string): string => `/v1/lineage/${type}/${id}/type/${source}`;

const taken = async (path: string): Promise<void> => {
  const reply = await world.admin.delete(path);
  assert.equal([reply.status, reply.text], [200, '']);
};

const isThere = async (from: Made, to: Made): Promise<boolean> =>
  (await world.admin.get(`/v1/lineage/getLineageEdge/${from.id}/${to.id}`)).status === 200;

for (const source of CARRIED) {
  for (const [how, at] of [
    ['name', byName],
    ['id', byId],
  ] as const) {
    test(`${source} is withdrawn at the pipeline, by its ${how}, and nowhere else`, async () => {
      const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
      const [run, other] = await Promise.all([pipelineIn(world, 'run'), pipelineIn(world, 'other')]);
      const through = (pipeline: Made) => ({ source, pipeline: ref(pipeline, 'pipeline') });
      ok(await feed(world.admin, a, b, through(run)));
      ok(await feed(world.admin, b, c, through(run)));
      ok(await feed(world.admin, c, d, through(other)));
      ok(await feed(world.admin, a, c, { source }));
      ok(await feed(world.admin, a, d, { source: 'Manual', pipeline: ref(run, 'pipeline') }));
      for (const table of [b, c, d]) await taken(at('table', table, source));
      assert.equal(
        await Promise.all([isThere(a, b), isThere(b, c), isThere(c, d), isThere(a, c)]),
        [true, true, true, true],
        'at a table that data runs to nothing is taken back',
      );
      await taken(at('pipeline', run, source));
      assert.equal(await Promise.all([isThere(a, b), isThere(b, c)]), [false, false]);
      assert.equal(await Promise.all([isThere(c, d), isThere(a, c), isThere(a, d)]), [true, true, true]);
      await taken(at('pipeline', run, source));
    });
  }
}

test('names tell apart those that share a source', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  const say = async (from: Made, sourceName: string | undefined, sqlQuery: string) =>
    ok(
      await feed(world.admin, from, c, {
        source: 'DbtLineage',
        ...(sourceName === undefined ? {} : { sourceName }),
        sqlQuery,
      }),
    );
  for (const [from, name] of [
    [a, 'sales'],
    [b, 'sales'],
    [a, 'stock'],
    [a, undefined],
  ] as const) {
    await say(from, name, name ?? 'nobody');
  }
  await say(a, 'sales', 'sales again');
  const shown = async () => {
    const { source, sourceName, sqlQuery } = await detailsOf(world.admin, a, c);
    return [source, sourceName, sqlQuery];
  };
  assert.equal(await shown(), ['DbtLineage', 'sales', 'sales again']);
  const at = byId('table', c, 'DbtLineage');
  for (const nobody of ['sourceName=', 'sourceName=other', `sourceName=sales&from=${c.id}`]) {
    await taken(`${at}?${nobody}`);
    assert.equal(await shown(), ['DbtLineage', 'sales', 'sales again'], nobody);
  }
  await taken(`${at}?sourceName=sales&from=${a.id}`);
  assert.equal(await shown(), ['DbtLineage', undefined, 'nobody']);
  assert.is(await isThere(b, c), true);
  await taken(`${byName('table', c, 'DbtLineage')}?sourceName=sales`);
  assert.is(await isThere(b, c), false);
  await say(a, 'stock', 'stock again');
  const patches = (value: object) => world.admin.patch(`/v1/lineage/table/${a.id}/table/${c.id}`, [value]);
  ok(await patches({ op: 'replace', path: '/sqlQuery', value: 'by patch' }));
  assert.equal(await shown(), ['DbtLineage', 'stock', 'by patch']);
  ok(await patches({ op: 'replace', path: '/source', value: 'QueryLineage' }));
  await taken(`${at}?sourceName=stock`);
  await taken(byId('table', c, 'QueryLineage'));
  assert.equal(await shown(), ['DbtLineage', undefined, 'nobody']);
  await taken(at);
  assert.is(await isThere(a, c), false);
});

test('a name that is too long and an origin that is no ID are refused', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  for (const sourceName of ['', 'x'.repeat(257)]) {
    expectRefused(await feed(world.admin, a, b, { source: 'DbtLineage', sourceName }), 400, /sourceName/);
  }
  expectRefused(await world.admin.delete(`${byId('table', b, 'DbtLineage')}?from=a`), 400, /from must be a UUID/);
  assert.is(await isThere(a, b), false);
});

test('assertions through a stored procedure are withdrawn at the procedure', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  const procedure = await procedureIn(world, 'load');
  ok(await feed(world.admin, a, b, { source: 'PipelineLineage', pipeline: ref(procedure, 'storedProcedure') }));
  await taken(byName('storedProcedure', procedure, 'PipelineLineage'));
  assert.is(await isThere(a, b), false);
});

test('assertions of other sources stay when one is withdrawn at its pipeline', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  const run = await pipelineIn(world, 'run');
  ok(await feed(world.admin, a, b, { sqlQuery: 'by hand' }));
  ok(await feed(world.admin, a, b, { source: 'OpenLineage', sqlQuery: 'as it ran', pipeline: ref(run, 'pipeline') }));
  assert.is((await detailsOf(world.admin, a, b)).sqlQuery, 'as it ran');
  await taken(byName('pipeline', run, 'OpenLineage'));
  const { sqlQuery, source, pipeline } = await detailsOf(world.admin, a, b);
  assert.equal([sqlQuery, source, pipeline], ['by hand', 'Manual', undefined]);
});

test('other sources are withdrawn at the target record, whatever pipeline they run through', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  const run = await pipelineIn(world, 'run');
  ok(await feed(world.admin, a, b, { source: 'DbtLineage', pipeline: ref(run, 'pipeline') }));
  await taken(byName('pipeline', run, 'DbtLineage'));
  await taken(byName('table', a, 'DbtLineage'));
  assert.is(await isThere(a, b), true);
  await taken(byName('table', b, 'DbtLineage'));
  assert.is(await isThere(a, b), false);
});

test('a caller without EditLineage on both endpoints or the pipeline withdraws nothing', async () => {
  const { a, 'b!': b } = await tablesOf(world, 'a', 'b!');
  const run = await pipelineIn(world, 'run');
  ok(await feed(world.admin, a, b, { source: 'PipelineLineage', pipeline: ref(run, 'pipeline') }));
  const path = byName('pipeline', run, 'PipelineLineage');
  const tablesOnly = await rights.person([{ operations: ['EditLineage'], resources: ['table'] }]);
  const notThat = await rights.person([
    { operations: ['EditLineage'] },
    {
      effect: 'deny',
      operations: ['EditLineage'],
      resources: ['table'],
      condition: `matchAnyTag('${SENSITIVE.tagFQN}')`,
    },
  ]);
  for (const person of [tablesOnly, notThat]) expectRefused(await person.delete(path), 403);
  assert.is(await isThere(a, b), true);
});

test.run();
