import * as assert from 'uvu/assert';
import { ok } from '../../../support/expect.ts';
import { confirmAnswers, expectAsInGraph, SOON } from '../../../support/kept-answers.ts';
import { createRightsFactory } from '../../../support/rights.ts';
import { openSecondProcessWith } from '../../../support/second-process.ts';
import { type Client, uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, feed, type Made, mapping, openWorld, pipelineIn, ref, type World } from '../../fixture.ts';
import { HIDING, lots, SENSITIVE, tablesOf } from '../graph/fixture.ts';
import { tested } from '../record-tests-fixture.ts';

/**
 * Shows that maps and graphs of lineage that are kept in memory are what the store gives, after every change of what they
 * tell of, for callers who see everything; and that nobody else gets them.
 */

const test = suite('lineage: kept maps');

let world: World;
/** Calls a service that confirms answers soon. */
let soon: Client;

test.before(async () => {
  world = await openWorld();
  soon = (await openSecondProcessWith(world.service, SOON)).client;
});

const pathsOf = ({ id, fullyQualifiedName }: Made): readonly string[] => {
  const graph = `/v1/lineage/graph?id=${id}&upstreamDepth=2&downstreamDepth=2`;
  const root = `fqn=${encodeURIComponent(fullyQualifiedName)}&type=table`;
  return [
    `/v1/lineage/getLineage?${root}&upstreamDepth=2&downstreamDepth=2`,
    `/v1/lineage/getLineage/Upstream?${root}&fields=name,owners`,
    `/v1/lineage/getLineageByEntityCount?${root}&direction=Downstream&size=2`,
    `/v1/lineage/getLineage?${root}&includeDeleted=true`,
    `/v1/lineage/getLineage?${root}&column_filter=a`,
    graph,
    `${graph}&columns=true&compact=true&edgeFields=source,pipeline`,
    `${graph}&include=all&groupBy=owner`,
  ];
};

/** Documents have to be kept before maps of them are. */
const keep = async (client: Client, paths: readonly string[]): Promise<void> => {
  for (let round = 0; round < 2; round += 1) await confirmAnswers(client, paths, 30);
};

const check = async (paths: readonly string[], what: string): Promise<void> => {
  await expectAsInGraph(soon, paths, what);
  await keep(soon, paths);
};

const patch = async (path: string, { id }: Pick<Made, 'id'>, member: string, value: unknown): Promise<void> => {
  ok(await soon.patch(`/v1/${path}/${id}`, [{ op: 'add', path: `/${member}`, value }]));
};

/** Tables in a row, `beyond → far → near → root → next → last → after`, whose second edge runs through a pipeline. */
const makeRow = async () => {
  const { beyond, far, near, root, next, last, after } = await tablesOf(
    world,
    ...(['beyond', 'far', 'near', 'root', 'next', 'last', 'after'] as const),
  );
  const run = await pipelineIn(world, 'run');
  ok(await feed(world.admin, beyond, far));
  ok(await feed(world.admin, far, near, { pipeline: ref(run, 'pipeline'), source: 'PipelineLineage' }));
  ok(await feed(world.admin, near, root, { columnsLineage: [mapping(near, ['a'], root, 'b')] }));
  ok(await feed(world.admin, root, next, { columnsLineage: [mapping(root, ['b'], next, 'a')] }));
  ok(await feed(world.admin, next, last));
  ok(await feed(world.admin, last, after));
  return { beyond, far, near, root, next, last, after, run };
};

const sent = (part: RegExp): number =>
  [...world.service.allSent()].reduce((sum, [name, count]) => sum + (part.test(name) ? count : 0), 0);

test('what is kept costs no walk and no document', async () => {
  const { root } = await makeRow();
  for (const path of pathsOf(root)) {
    await keep(soon, [path]);
    const counted = () => [sent(/^lineage\/walk/), sent(/^catalog\/record\/read(:|$)/)];
    const before = counted();
    ok(await soon.get(path));
    assert.equal(counted(), before, path);
  }
});

test('kept maps and graphs follow edges that come, change and go', async () => {
  const { far, near, root, next, last } = await makeRow();
  const paths = pathsOf(root);
  await check(paths, 'as made');
  const more = await world.table('more');
  const edges = {
    'into the record': [more, root],
    'out of the record': [root, more],
    'into the farthest record upstream': [more, far],
    'out of the farthest record downstream': [last, more],
    'between reached records': [near, next],
  } as const;
  for (const [where, [from, to]] of Object.entries(edges)) {
    ok(await feed(soon, from, to));
    await check(paths, `an edge ${where}`);
    ok(await feed(soon, from, to, { sqlQuery: 'select 1', description: 'made so' }));
    await check(paths, `the details of the edge ${where}`);
    ok(await soon.delete(`/v1/lineage/table/${from.id}/table/${to.id}`));
    await check(paths, `no edge ${where}`);
  }
  await patch('tables', near, 'columns', [column('renamed'), column('b'), column('c')]);
  await check(paths, 'a column is gone');
});

test('kept maps and graphs follow their records, what these refer to, and what lies beyond the map', async () => {
  const { beyond, far, near, root, next, after, run } = await makeRow();
  const paths = pathsOf(root);
  await check(paths, 'as made');
  const owner = await createRightsFactory(world.service).person();
  const domain = await world.make('domains', { name: uniqueName('d'), description: 'd', domainType: 'Aggregate' });
  const { id: classificationId, name } = await world.make('classifications', {
    name: uniqueName('c'),
    description: 'c',
  });
  const tag = await world.make('tags', { name: 'gold', description: 'd', classification: name });
  for (const [path, record] of [
    ['tables', root],
    ['tables', far],
    ['pipelines', run],
  ] as const) {
    await patch(path, record, 'displayName', uniqueName('shown'));
    await check(paths, `${record.name} shown under another name`);
    await patch(path, record, 'owners', [{ id: owner.id, type: 'user' }]);
    await check(paths, `${record.name} owned`);
    await patch(path, record, 'domains', [{ id: domain.id, type: 'domain' }]);
    await check(paths, `${record.name} in a domain`);
    await patch(path, record, 'tags', [{ tagFQN: tag.fullyQualifiedName, source: 'Classification' }]);
    await check(paths, `${record.name} tagged`);
  }
  await patch('users', owner, 'displayName', uniqueName('renamed'));
  await check(paths, 'an owner renamed');
  await patch('domains', domain, 'displayName', uniqueName('renamed'));
  await check(paths, 'a domain renamed');
  await patch('classifications', { id: classificationId }, 'name', uniqueName('renamed'));
  await check(paths, 'a classification renamed');
  const schema = ok(await soon.get(`/v1/databaseSchemas/name/${encodeURIComponent(world.schemaFqn)}`));
  await patch('databaseSchemas', schema, 'displayName', uniqueName('renamed'));
  await check(paths, 'the schema renamed');
  const query = { query: uniqueName('select'), queryUsedIn: [ref(near)], service: world.serviceFqn };
  await world.make('queries', { name: uniqueName('q'), ...query });
  await check(paths, 'a query uses a table');
  await tested(world, near, 'Failed');
  await check(paths, 'a test fails');
  for (const record of [beyond, after, next, root, far]) {
    ok(await soon.delete(`/v1/tables/${record.id}`));
    await check(paths, `${record.name} deleted`);
    ok(await soon.put('/v1/tables/restore', { id: record.id }));
    await check(paths, `${record.name} restored`);
  }
  ok(await soon.delete(`/v1/pipelines/${run.id}`));
  await check(paths, 'the pipeline deleted');
  for (const record of [beyond, far]) {
    ok(await soon.delete(`/v1/tables/${record.id}?hardDelete=true&recursive=true`));
    await check(paths, `${record.name} deleted for good`);
  }
});

test('kept maps follow records to which others refer by relations of their own', async () => {
  const { root, next } = await makeRow();
  const { fullyQualifiedName: service } = await world.make('services/dashboardServices', {
    ...{ name: uniqueName('bi'), serviceType: 'Metabase' },
  });
  const charts = await Promise.all(
    ['one', 'two'].map((name) => world.make('charts', { name: uniqueName(name), service })),
  );
  const [one, two] = charts as [Made, Made];
  const dashboard = await world.make('dashboards', {
    ...{ name: uniqueName('board'), service, charts: [one.fullyQualifiedName] },
  });
  const storage = await world.make('services/storageServices', { name: uniqueName('s3'), serviceType: 'S3' });
  const bucket = await world.make('containers', { name: uniqueName('bucket'), service: storage.fullyQualifiedName });
  const folder = await world.make('containers', {
    ...{ name: uniqueName('folder'), service: storage.fullyQualifiedName, parent: ref(bucket, 'container') },
  });
  const edges = [
    [ref(root), ref(dashboard, 'dashboard')],
    [ref(folder, 'container'), ref(root)],
    [ref(next), ref(dashboard, 'dashboard')],
  ];
  for (const [fromEntity, toEntity] of edges)
    ok(await world.admin.put('/v1/lineage', { edge: { fromEntity, toEntity } }));
  const paths = pathsOf(root);
  await check(paths, 'as made');
  const before = sent(/^lineage\/walk/);
  for (const path of paths) ok(await soon.get(path));
  assert.is(sent(/^lineage\/walk/), before, 'the maps are kept');
  await patch('charts', one, 'displayName', uniqueName('renamed'));
  await check(paths, 'a chart renamed');
  await patch('dashboards', dashboard, 'charts', [ref(one, 'chart'), ref(two, 'chart')]);
  await check(paths, 'a chart added');
  ok(await soon.delete(`/v1/charts/${one.id}`));
  await check(paths, 'a chart deleted');
  await patch('containers', bucket, 'displayName', uniqueName('renamed'));
  await check(paths, 'a parent renamed');
});

test('kept maps follow random changes', async () => {
  const pick = lots(5);
  const made = Object.values(await tablesOf(world, 'a', 'b', 'c', 'd', 'e', 'f', 'g'));
  const one = () => made[pick(made.length)] as Made;
  const deleted = new Set<Made>();
  const paths = [...pathsOf(made[0] as Made), ...pathsOf(made[1] as Made)];
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    feed: () => feed(soon, one(), one()),
    unfeed: () => soon.delete(`/v1/lineage/table/${one().id}/table/${one().id}`),
    describe: () =>
      patch('tables', made[2 + pick(5)] as Made, 'description', uniqueName('text')).catch(() => undefined),
    delete: async () => {
      const record = made[2 + pick(5)] as Made;
      deleted.add(record);
      await soon.delete(`/v1/tables/${record.id}`);
    },
    restore: async () => {
      for (const record of deleted) await soon.put('/v1/tables/restore', { id: record.id });
      deleted.clear();
    },
  };
  const names = Object.keys(changes);
  for (let round = 0; round < 24; round += 1) {
    const name = names[pick(names.length)] ?? 'feed';
    await changes[name]?.();
    await check(paths, `${name} in round ${round}`);
  }
});

test('callers who do not see every record never get a map that was kept for others', async () => {
  const { near, root } = await makeRow();
  const [path = ''] = pathsOf(root);
  const person = await createRightsFactory(world.service).person([HIDING]);
  await keep(world.admin, [path]);
  await patch('tables', near, 'tags', [SENSITIVE]);
  await keep(world.admin, [path]);
  assert.not.match((await person.get(path)).text, near.name);
  assert.match((await world.admin.get(path)).text, near.name);
  const { nodes } = ok(await person.get(path));
  assert.is(nodes[root.fullyQualifiedName].paging.entityUpstreamCount, 0);
});

test.run();
