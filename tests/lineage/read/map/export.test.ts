import * as assert from 'uvu/assert';
import { createPerson, expectRefused, ok } from '../../../support/expect.ts';
import { waitForJobEnd } from '../../../support/job.ts';
import { createRightsFactory } from '../../../support/rights.ts';
import { type Client, uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, feed, type Made, mapping, openWorld, ref, type World } from '../../fixture.ts';
import { address } from './fixture.ts';

/** Shows exports of lineage as CSV, in a response and by a job. */

const test = suite('lineage: exports');

let world: World;
let pipeline: Made;
let owner: Client & { readonly id: string; readonly name: string };

test.before(async () => {
  world = await openWorld();
  const service = await world.make('services/pipelineServices', {
    name: `${world.serviceFqn}_etl`,
    serviceType: 'Airflow',
  });
  owner = await createPerson(world.service, uniqueName('owner'));
  pipeline = await world.make('pipelines', {
    name: 'nightly',
    displayName: 'Every night',
    description: 'Loads, then tells',
    service: service.fullyQualifiedName,
    owners: [{ id: owner.id, type: 'user' }],
  });
});

const SHORT =
  'fromId*,fromEntityType*,fromFullyQualifiedName*,toId*,toEntityType*,toFullyQualifiedName*,description,pipelineId,pipelineFullyQualifiedName,columnLineage,sqlQuery,source';
const LONG =
  'fromEntityFQN,fromServiceName,fromServiceType,fromOwners,fromDomain,toEntityFQN,toServiceName,toServiceType,toOwners,toDomain,fromChildEntityFQN,toChildEntityFQN,pipelineName,pipelineDisplayName,pipelineType,pipelineDescription,pipelineOwners,pipelineDomain,pipelineServiceName,pipelineServiceType';

const ends = (from: Made, to: Made): string =>
  `${from.id},table,${from.fullyQualifiedName},${to.id},table,${to.fullyQualifiedName}`;

test('a CSV export has one line per edge, with its details', async () => {
  const [a, b, c] = await Promise.all([
    world.table('a'),
    world.table('b', [column('x'), column('y')]),
    world.table('c'),
  ]);
  ok(
    await feed(world.admin, a, b, {
      description: 'says "so", twice',
      sqlQuery: 'insert into b\nselect a from a',
      columnsLineage: [mapping(a, ['a', 'b'], b, 'x'), mapping(a, ['c'], b, 'y')],
      pipeline: ref(pipeline, 'pipeline'),
    }),
  );
  ok(await feed(world.admin, b, c, { sqlQuery: '=1+1', source: 'QueryLineage' }));
  const reply = await world.admin.get(address('export', b, 'safeCsv=false'));
  ok(reply);
  assert.is(reply.headers.get('content-type'), 'text/plain; charset=UTF-8');
  assert.match(String(reply.headers.get('content-disposition')), /^attachment; filename="[\w.-]+\.csv"$/);
  assert.is(reply.headers.get('x-content-type-options'), 'nosniff');
  const [from, to] = [a.fullyQualifiedName, b.fullyQualifiedName];
  const columns = `${from}.a:${to}.x;${from}.b:${to}.x;${from}.c:${to}.y`;
  assert.is(
    reply.text,
    [
      SHORT,
      `${ends(a, b)},"says ""so"", twice",${pipeline.id},${pipeline.fullyQualifiedName},${columns},"insert into b\nselect a from a",Manual`,
      `${ends(b, c)},,,,,=1+1,QueryLineage`,
      '',
    ].join('\r\n'),
  );
  const safe = await world.admin.get(address('export', b, 'upstreamDepth=0'));
  assert.is(safe.text, `${SHORT}\r\n${ends(b, c)},,,,,'=1+1,QueryLineage\r\n`);
  const filter = encodeURIComponent(`name:${a.name}`);
  const filtered = await world.admin.get(address('export', b, `query_filter=${filter}`));
  assert.is(filtered.text.split('\r\n').length, 3);
  const csv = await world.admin.get(address('export', b), { accept: 'text/csv' });
  assert.is(csv.headers.get('content-type'), 'text/csv; charset=UTF-8');
});

test('an invalid request is refused before the export begins', async () => {
  const a = await world.table('a');
  for (const operation of ['export', 'exportAsync']) {
    expectRefused(await world.admin.get(`/v1/lineage/${operation}?fqn=no.such.table`), 404);
    expectRefused(await world.admin.get(`/v1/lineage/${operation}`), 400, /fqn/);
    expectRefused(await world.admin.get(address(operation, a, 'upstreamDepth=11')), 400, /upstreamDepth/);
    expectRefused(await world.admin.get(address(operation, a, 'query_filter=%7B')), 400, /query_filter/);
  }
  expectRefused(await world.admin.get(address('exportByEntityCountAsync', a)), 400, /direction/);
  expectRefused(await world.admin.get('/v1/lineage/exportByEntityCountAsync?fqn=no.such&direction=Upstream'), 404);
});

const exported = async (client: Client, path: string): Promise<string> => {
  const started = ok(await client.get(path), 202);
  assert.equal(Object.keys(started).sort(), ['jobId', 'message']);
  assert.is(started.message, 'Export initiated successfully.');
  const job = await waitForJobEnd(client, started.jobId);
  assert.equal([job.status, job.operation, job.entityType], ['COMPLETED', 'EXPORT', 'lineage'], job.error);
  const result = await client.get(`/v1/csvAsyncJobs/${started.jobId}/result`);
  ok(result);
  assert.match(String(result.headers.get('content-type')), /^text\/csv/);
  return result.text;
};

test('an export job contains both endpoints, columns and pipelines', async () => {
  const domain = await world.make('domains', {
    name: uniqueName('dom'),
    description: 'x',
    domainType: 'Aggregate',
  });
  const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map((name) => world.table(name)));
  if (!a || !b || !c || !d) throw new Error('there are four');
  const patch = [
    { op: 'add', path: '/owners', value: [{ id: owner.id, type: 'user' }] },
    { op: 'add', path: '/domains', value: [{ id: domain.id, type: 'domain' }] },
  ];
  ok(await world.admin.patch(`/v1/tables/${a.id}`, patch));
  const through = { pipeline: ref(pipeline, 'pipeline') };
  ok(await feed(world.admin, a, b, { ...through, columnsLineage: [mapping(a, ['a', 'b'], b, 'c')] }));
  ok(await feed(world.admin, b, c, through));
  ok(await feed(world.admin, c, d));
  const service = `${world.serviceFqn},Snowflake`;
  const [fa, fb, fc, fd] = [a, b, c, d].map((made) => made.fullyQualifiedName);
  const known = `${fa},${service},${owner.name},${domain.fullyQualifiedName}`;
  const lines = [
    LONG,
    `${known},${fb},${service},,,${fa}.a,${fb}.c,,,,,,,,`,
    `${known},${fb},${service},,,${fa}.b,${fb}.c,,,,,,,,`,
    `${fb},${service},,,${fc},${service},,,,,nightly,Every night,pipeline,"Loads, then tells",${owner.name},,${world.serviceFqn}_etl,Airflow`,
    `${fc},${service},,,${fd},${service},,,,,,,,,,,,`,
  ];
  assert.is(await exported(world.admin, address('exportAsync', a)), `${lines.join('\r\n')}\r\n`);
  const page = await exported(world.admin, address('exportByEntityCountAsync', a, 'direction=Downstream&size=1'));
  assert.is(page, `${lines.slice(0, 3).join('\r\n')}\r\n`);
});

test('an export contains what its caller may see, and nobody else may read it', async () => {
  const shielded = await createRightsFactory(world.service).person([
    { effect: 'deny', operations: ['All'], resources: ['all'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  const [a, b, c] = await Promise.all([world.table('a'), world.table('b'), world.table('c')]);
  ok(await feed(world.admin, a, b));
  ok(await feed(world.admin, a, c));
  const label = { tagFQN: 'PII.Sensitive', source: 'Classification', labelType: 'Manual', state: 'Confirmed' };
  ok(await world.admin.patch(`/v1/tables/${b.id}`, [{ op: 'add', path: '/tags/-', value: label }]));
  const now = await shielded.get(address('export', a));
  assert.is(now.text.split('\r\n').length, 3);
  assert.not.match(now.text, new RegExp(b.id));
  const later = await exported(shielded, address('exportAsync', a));
  assert.match(later, new RegExp(c.name));
  assert.not.match(later, new RegExp(b.name));
  expectRefused(await shielded.get(address('export', b)), 403);
  expectRefused(await shielded.get(address('exportAsync', b)), 403);
  const { jobId } = ok(await shielded.get(address('exportAsync', a)), 202);
  expectRefused(await owner.get(`/v1/csvAsyncJobs/${jobId}/result`), 403);
});

test.run();
