import * as assert from 'uvu/assert';
import { compareAgain } from '../../../insight/compare-again.ts';
import { ok } from '../../../support/expect.ts';
import { moment } from '../../../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import { type Client, uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { type Made, openWorld, pipelineIn, type World } from '../../fixture.ts';
import { tested } from '../record-tests-fixture.ts';
import { chain, drawnAround, tablesOf } from './fixture.ts';

/** Shows the members of nodes that graphs have only where they are named. */

const test = suite('lineage: named members of nodes');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const NAMED = ['serviceType', 'tableType', 'tags', 'certification', 'failingTests', 'importance'];

const nodesOf = async (client: Client, root: Made, query = `&fields=${NAMED.join(',')}`) => {
  const { nodes } = await drawnAround(client, root, query);
  return new Map(nodes.map((node: { readonly id: string }) => [node.id, node]));
};

const labelsIn = async (...names: readonly string[]) => {
  const classification = await world.make('classifications', { name: uniqueName('kinds'), description: 'Some' });
  const tags = [];
  for (const name of names) {
    const made = await world.make('tags', { name, classification: classification.name, description: name });
    tags.push({ tagFQN: made.fullyQualifiedName, source: 'Classification' });
  }
  return tags;
};

test('they are those of the records, as whoever reads the records gets them', async () => {
  const { admin } = world;
  const [{ a, b }, labels] = [await tablesOf(world, 'a', 'b'), await labelsIn('Gold')];
  await chain(admin, a, b);
  const certification = { tagLabel: labels[0], appliedDate: 1_763_700_000_000, expiryDate: 1_863_700_000_000 };
  ok(
    await admin.patch(`/v1/tables/${a.id}`, [
      { op: 'add', path: '/tags', value: labels },
      { op: 'add', path: '/tableType', value: 'View' },
      { op: 'add', path: '/certification', value: certification },
    ]),
  );
  await tested(world, b, 'Failed');
  await tested(world, b, 'Failed', 'a');
  await tested(world, b, 'Success', 'b');
  await compareAgain(admin);
  const [nodes, record] = [
    await nodesOf(admin, b),
    ok(await admin.get(`/v1/tables/${a.id}?fields=tags,certification`)),
  ];
  const { serviceType, tableType, tags } = record;
  assert.equal([serviceType, tableType, tags.length], ['Snowflake', 'View', 1]);
  const { importance, ...told } = nodes.get(a.id) as Record<string, unknown>;
  const { certification: certified } = record;
  assert.equal(told, {
    ...{ id: a.id, type: 'table', serviceType, tableType, tags, certification: certified, failingTests: 0 },
  });
  const fed = nodes.get(b.id) as Record<string, unknown>;
  assert.equal([fed['failingTests'], fed['tags'], 'certification' in fed], [2, [], false]);
  assert.ok((importance as number) > (fed['importance'] as number), 'more depends on what comes first');
});

test('nobody gets them without naming them, and kinds that lack one are without it', async () => {
  const { admin } = world;
  const { a } = await tablesOf(world, 'a');
  const pipeline = await pipelineIn(world, 'load');
  ok(
    await admin.put('/v1/lineage', {
      edge: { fromEntity: { id: pipeline.id, type: 'pipeline' }, toEntity: { id: a.id, type: 'table' } },
    }),
  );
  const plain = await nodesOf(admin, a, '');
  for (const node of plain.values()) for (const name of NAMED) assert.not.ok(name in (node as object), name);
  const named = await nodesOf(admin, a);
  const load = named.get(pipeline.id) as Record<string, unknown>;
  assert.equal([load['serviceType'], 'tableType' in load], ['Airflow', false]);
});

test('what is hidden is not among them, and failures of hidden tests do not count', async () => {
  const { admin } = world;
  const labels = await labelsIn('Open', 'Secret');
  const { a, b } = await tablesOf(world, 'a', 'b');
  await chain(admin, a, b);
  ok(await admin.patch(`/v1/tables/${a.id}`, [{ op: 'add', path: '/tags', value: labels }]));
  const secret = labels[1]?.tagFQN ?? '';
  const { id } = ok(await admin.get(`/v1/tags/name/${encodeURIComponent(secret)}`));
  const owner = await rights.person();
  ok(await admin.patch(`/v1/tags/${id}`, [{ op: 'add', path: '/owners', value: [{ id: owner.id, type: 'user' }] }]));
  await tested(world, a, 'Failed');
  const viewer = await rights.person([
    { effect: 'deny', operations: ['ViewAll'], resources: ['tag'], condition: '!noOwner()' },
    { effect: 'deny', operations: ['ViewAll'], resources: ['testCase'] },
  ]);
  const seen = (await nodesOf(viewer, b)).get(a.id) as { failingTests: number; tags: { tagFQN: string }[] };
  assert.equal([seen.failingTests, seen.tags.map(({ tagFQN }) => tagFQN)], [0, [labels[0]?.tagFQN]]);
  const whole = (await nodesOf(admin, b)).get(a.id) as typeof seen;
  assert.equal([whole.failingTests, whole.tags.length], [1, 2]);
});

test('graphs of the past have no results and no importance of today', async () => {
  const { admin } = world;
  const { a, b } = await tablesOf(world, 'a', 'b');
  await chain(admin, a, b);
  await tested(world, a, 'Failed');
  const past = await nodesOf(admin, b, `&fields=${NAMED.join(',')}&asOf=${await moment()}`);
  const node = past.get(a.id) as Record<string, unknown>;
  assert.equal(['failingTests' in node, 'importance' in node, node['serviceType']], [false, false, 'Snowflake']);
});

test('they come with the lineage among named assets too', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  await chain(world.admin, a, b);
  const answer = ok(await world.admin.post('/v1/lineage/graph?fields=serviceType&compact=true', { ids: [a.id, b.id] }));
  assert.equal(answer.entities[a.id], { id: a.id, type: 'table', serviceType: 'Snowflake' });
});

test.run();
