/** Shows how names of OpenLineage datasets and jobs are resolved to records (clarifications, Lineage). */
import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../support/expect.ts';
import { uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, graphOf, type Made, openWorld, pipelineIn, ref, type World } from '../fixture.ts';

const test = suite('lineage: OpenLineage names');

let world: World;

test.before(async () => {
  world = await openWorld();
});

type Name = { readonly namespace: string; readonly name: string };

const run = async (job: Name, inputs: readonly Name[], outputs: readonly Name[]) =>
  ok(
    await world.admin.post('/v1/lineage/openlineage', {
      eventType: 'COMPLETE',
      eventTime: '2025-03-01T10:00:00Z',
      job,
      inputs,
      outputs,
    }),
  );

/** The record that a dataset turned out to be: what feeds a table of which nothing else is known. */
const meant = async (dataset: Name): Promise<{ readonly id: string; readonly type: string; readonly fqn: string }> => {
  const target = await world.table('target');
  const anywhere = { namespace: 'anywhere', name: target.fullyQualifiedName };
  await run({ namespace: uniqueName('ns'), name: 'job' }, [dataset], [anywhere]);
  const { nodes } = await graphOf(world.admin, target);
  assert.is(nodes.length, 1);
  const [{ id, type, fullyQualifiedName: fqn }] = nodes;
  return { id, type, fqn };
};

const made = (namespace: string, name: string): string =>
  ['openlineage', namespace, 'default', name].map((part) => (part.includes('.') ? `"${part}"` : part)).join('.');

/** A container that is called by itself what a table is called below its service. */
const namesakes = async () => {
  const shared = uniqueName('shared');
  const database = await world.make('databases', { name: shared, service: world.serviceFqn });
  const schema = await world.make('databaseSchemas', { name: 'public', database: database.fullyQualifiedName });
  const table = await world.make('tables', { name: 'orders', databaseSchema: schema.fullyQualifiedName, columns: [] });
  const storage = await world.make('services/storageServices', { name: shared, serviceType: 'S3' });
  const outer = await world.make('containers', { name: 'public', service: storage.fullyQualifiedName });
  const container = await world.make('containers', {
    name: 'orders',
    service: storage.fullyQualifiedName,
    parent: ref(outer, 'container'),
  });
  const name = container.fullyQualifiedName;
  assert.is(table.fullyQualifiedName, `${world.serviceFqn}.${name}`, 'they are called alike');
  return { table, container, name };
};

test('a dataset resolves to a record of its service, else to one of that full name, else to a new table', async () => {
  const { table, container, name } = await namesakes();
  const inService = await meant({ namespace: world.serviceFqn, name });
  assert.equal([inService.id, inService.type], [table.id, 'table']);
  const anywhere = await meant({ namespace: uniqueName('anywhere'), name });
  assert.equal([anywhere.id, anywhere.type], [container.id, 'container']);
  const namespace = uniqueName('anywhere');
  const nowhere = await meant({ namespace, name: `${name}.more` });
  assert.equal([nowhere.type, nowhere.fqn], ['table', made(namespace, `${name}.more`)]);
});

test('a dataset unknown to its service resolves to a record of that full name, else to a new table', async () => {
  const { container, name, table } = await namesakes();
  const other = await world.make('services/databaseServices', { name: uniqueName('other'), serviceType: 'Mysql' });
  assert.is((await meant({ namespace: other.name, name })).id, container.id);
  const below = table.fullyQualifiedName.slice(world.serviceFqn.length + 1);
  ok(await world.admin.delete(`/v1/containers/${container.id}`));
  const fresh = await meant({ namespace: other.name, name: below });
  assert.equal([fresh.type, fresh.fqn], ['table', `${other.name}.${below}`], 'it is created in the service');
  assert.equal(await meant({ namespace: other.name, name: below }), fresh, 'and is made only once');
});

const carrierOf = async (job: Name): Promise<Made> => {
  const [from, to] = await Promise.all([world.table('from'), world.table('to')]);
  const named = ({ fullyQualifiedName }: Made) => ({ namespace: 'anywhere', name: fullyQualifiedName });
  await run(job, [named(from)], [named(to)]);
  return (await detailsOf(world.admin, from, to)).pipeline;
};

test('a job resolves to a pipeline of its namespace, else to a new one', async () => {
  const pipeline = await pipelineIn(world, 'load');
  const [namespace = ''] = pipeline.fullyQualifiedName.split('.');
  assert.is((await carrierOf({ namespace, name: pipeline.name })).id, pipeline.id);
  const unknown = await carrierOf({ namespace, name: 'unload' });
  assert.is(unknown.fullyQualifiedName, `openlineage.${namespace}/unload`);
  const elsewhere = await carrierOf({ namespace: uniqueName('ns'), name: pipeline.name });
  assert.is.not(elsewhere.id, pipeline.id);
  assert.is((await carrierOf({ namespace, name: 'unload' })).id, unknown.id, 'once');
  const dotted = await carrierOf({ namespace, name: 'dag.task' });
  assert.is(dotted.fullyQualifiedName, `openlineage."${namespace}/dag.task"`);
  ok(await world.admin.delete(`/v1/pipelines/${pipeline.id}`));
  const again = await carrierOf({ namespace, name: pipeline.name });
  assert.is(again.fullyQualifiedName, `openlineage.${namespace}/${pipeline.name}`, 'what is deleted is not there');
});

test('a created job does not turn its namespace into a service', async () => {
  const namespace = uniqueName('ns');
  await carrierOf({ namespace, name: 'job' });
  expectRefused(await world.admin.get(`/v1/services/pipelineServices/name/${namespace}`), 404);
  expectRefused(await world.admin.get(`/v1/services/databaseServices/name/${namespace}`), 404);
});

test.run();
