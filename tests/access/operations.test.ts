import * as assert from 'uvu/assert';
import { ok, refused, unchanged } from '../support/expect.ts';
import { jobDone } from '../support/job.ts';
import { createRightsMaker, type Person, type RightsMaker, type RuleWish } from '../support/rights.ts';
import { openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('access: which operations a request needs');

let service: Service;
let rights: RightsMaker;
/** A service with a schema and a table below it, made anew for every case. */
let root: string;
// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
let table: any;

const SAMPLE = { columns: ['id'], rows: [['4111 1111']] };

const newTable = (name: string) => ({
  name,
  databaseSchema: `${root}.db.public`,
  columns: [{ name: 'id', dataType: 'INT' }],
});

test.before(async () => {
  service = await openService();
  rights = createRightsMaker(service);
  test.after(() => rights.clear());
});

test.beforeEach(async () => {
  root = uniqueName('ops');
  const { admin } = service;
  ok(await admin.post('/v1/services/databaseServices', { name: root, serviceType: 'Postgres' }), 201);
  ok(await admin.post('/v1/databases', { name: 'db', service: root }), 201);
  ok(await admin.post('/v1/databaseSchemas', { name: 'public', database: `${root}.db` }), 201);
  table = ok(await admin.post('/v1/tables', newTable('orders')), 201);
});

const deny = (...operations: string[]): RuleWish => ({ effect: 'deny', operations, resources: ['table'] });
const allow = (...operations: string[]): RuleWish => ({ operations, resources: ['table'] });

const at = (tail = ''): string => `/v1/tables/${table.id}${tail}`;

const forbids = (reply: Reply, caller: Person, ...operations: string[]): void =>
  refused(
    reply,
    403,
    `Principal: CatalogPrincipal{name='${caller.name}'} operations [${operations.join(', ')}] not allowed`,
  );

test('fields: each needs its operation, of one record and of lists, and by its own address', async () => {
  const caller = await rights.person([deny('ViewUsage', 'ViewSampleData')]);
  const list = `/v1/tables?databaseSchema=${root}.db.public`;
  for (const path of [at('?'), `/v1/tables/name/${table.fullyQualifiedName}?`, `${list}&`]) {
    ok(await caller.get(path));
    ok(await caller.get(`${path}fields=owners,tags,joins`));
    forbids(await caller.get(`${path}fields=usageSummary`), caller, 'ViewUsage');
    forbids(await caller.get(`${path}fields=owners,usageSummary,joins`), caller, 'ViewUsage');
    forbids(await caller.get(`${path}fields=sampleData`), caller, 'ViewSampleData');
    forbids(await caller.get(`${path}fields=*`), caller, 'ViewUsage', 'ViewSampleData');
  }
  forbids(await caller.get(at('/sampleData')), caller, 'ViewSampleData');
  forbids(await caller.get(`/v1/usage/table/${table.id}`), caller, 'ViewUsage');
});

test('what is denied stays so whatever else is asked for, and whatever the caller knows already', async () => {
  const blind = await rights.person([deny('ViewBasic')]);
  const etag = (await service.admin.get(at())).headers.get('etag') ?? '';
  for (const tail of ['', '?fields=owners', '?fields=*', '?fields=joins', '/versions', '/columns', '/columns/search']) {
    forbids(await blind.get(at(tail)), blind, 'ViewBasic');
  }
  forbids(await blind.get(at(), { 'if-none-match': etag }), blind, 'ViewBasic');
  assert.is((await blind.raw('HEAD', at(), undefined)).status, 403);
  forbids(await blind.get('/v1/tables?limit=0'), blind, 'ViewBasic');
  forbids(await blind.get('/v1/tables/history?limit=1'), blind, 'ViewBasic');
  forbids(await blind.get(`/v1/tables/name/${table.fullyQualifiedName}/context`), blind, 'ViewBasic');
  forbids(await blind.put(at('/vote'), { updatedVoteType: 'votedUp' }), blind, 'ViewBasic');
  forbids(await blind.raw('PUT', at('/followers'), `"${blind.id}"`), blind, 'ViewBasic');
  // What does not exist is told to everybody, as the order of checks in the contract has it.
  refused(await blind.get('/v1/tables/3f2504e0-4f89-41d3-9a0c-0305e82c3301'), 404);
});

const op = (path: string, value: unknown) => ({ op: 'add', path, value });
const label = (tagFQN: string) => ({ tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed' });

test('a patch needs one operation for each path, and all of them', async () => {
  const caller = await rights.person();
  const patches = (body: object) => caller.patch(at(), body);
  ok(await patches([op('/description', 'What it is.'), op('/columns/0/description', 'Its number.')]));
  ok(await patches([op('/columns/0/tags/0', label('PII.None')), op('/tags/0', label('Tier.Tier1'))]));
  ok(await patches({ description: 'What it really is.' }));
  await unchanged(service, table.id, async () => {
    forbids(await patches([op('/displayName', 'Orders')]), caller, 'EditDisplayName');
    forbids(await patches([op('/description', 'x'), op('/displayName', 'x')]), caller, 'EditDisplayName');
    forbids(await patches({ displayName: 'x', domain: null, domains: [] }), caller, 'EditDisplayName');
    forbids(await patches({ domain: 'no_such_domain' }), caller, 'EditDomains');
    forbids(await patches([op('/extension', {}), op('/description', 'x')]), caller, 'EditCustomFields');
    forbids(await patches([op('/retentionPeriod', 'P1D')]), caller, 'EditAll');
    forbids(await patches([op('/description', 'x'), op('/columns/0/dataType', 'STRING')]), caller, 'EditAll');
    forbids(await patches({ description: 'x', columns: [] }), caller, 'EditAll');
  });
  const curator = await rights.person([allow('EditDisplayName', 'EditCustomFields')]);
  ok(await curator.patch(at(), { displayName: 'Orders', description: 'x' }));
});

test('tiers, certifications and other labels are told apart, also when they go', async () => {
  const caller = await rights.person([deny('EditTier')]);
  ok(await caller.patch(at(), [op('/tags/0', label('PII.None'))]));
  forbids(await caller.patch(at(), [op('/tags/0', label('Tier.Tier1'))]), caller, 'EditTier');
  ok(await service.admin.patch(at(), [op('/tags/0', label('Tier.Tier1'))]));
  const tags: { tagFQN: string }[] = ok(await service.admin.get(at('?fields=tags'))).tags;
  const place = tags.findIndex(({ tagFQN }) => tagFQN === 'Tier.Tier1');
  forbids(await caller.patch(at(), [{ op: 'remove', path: `/tags/${place}` }]), caller, 'EditTier');
  forbids(await caller.patch(at(), [op(`/tags/${place}/tagFQN`, 'PII.Sensitive')]), caller, 'EditTier');
  forbids(await caller.patch(at(), { tags: [] }), caller, 'EditTier');
  ok(await caller.patch(at(), { tags: [label('Tier.Tier1')] }));
});

test('what nobody owns anybody may take; after that only its owner changes it', async () => {
  const [owner, other] = [await rights.person(), await rights.person()];
  const own = (caller: Person) => caller.patch(at(), [op('/owners', [{ id: caller.id, type: 'user' }])]);
  ok(await own(owner));
  forbids(await own(other), other, 'EditOwners');
  ok(await owner.patch(at(), [op('/retentionPeriod', 'P1D')]));
});

test('a patch: malformed is 400, unknown is 404, forbidden is 403, and only then is looked at what it says', async () => {
  const caller = await rights.person();
  const stale = { 'if-match': '"00000000-9.9-1"' };
  refused(await caller.patch(at(), [{ op: 'jump', path: '/displayName' }]), 400);
  refused(await caller.patch('/v1/tables/3f2504e0-4f89-41d3-9a0c-0305e82c3301', [op('/displayName', 'x')]), 404);
  refused(await caller.patch(at(), [op('/displayName', 'x')], stale), 403);
  refused(await caller.patch(at(), [{ op: 'remove', path: '/displayName' }]), 403);
  refused(await caller.patch(at(), [op('/retentionPeriod', 'no duration')]), 403);
  refused(await caller.patch(at(), [op('/description', 'x')], stale), 412);
  refused(await caller.patch(at(), [{ op: 'remove', path: '/tags/7' }]), 400);
});

test('a patch tells nothing of what its sender may not see, and nor do its answer and the history', async () => {
  ok(await service.admin.put(at('/sampleData'), SAMPLE));
  const caller = await rights.person([deny('ViewSampleData')]);
  const guess = [{ op: 'test', path: '/sampleData/rows/0/0', value: '4111 1111' }];
  forbids(await caller.patch(at(), guess), caller, 'ViewSampleData');
  const copy = [{ op: 'copy', from: '/sampleData/rows/0/0', path: '/description' }];
  forbids(await caller.patch(at(), copy), caller, 'ViewSampleData');
  const answers = [
    await caller.patch(at(), { description: 'New.' }),
    await caller.get(at('/versions')),
    await caller.get(at('/versions/0.2')),
    await caller.get('/v1/tables/history?limit=100'),
    await caller.get(`/v1/events?entityUpdated=table&entityId=${table.id}`),
    await caller.put(at('/vote'), { updatedVoteType: 'votedUp' }),
  ];
  for (const answer of answers) {
    ok(answer);
    assert.not.match(answer.text, '4111');
  }
  assert.equal(ok(await service.admin.get(at('/sampleData'))).sampleData, SAMPLE);
  assert.equal(ok(await service.admin.put(at('/sampleData'), SAMPLE)).sampleData, SAMPLE);
});

test('everything but a patch needs the right to edit all, or the one of its own', async () => {
  const caller = await rights.person();
  const join = { startDate: '2024-01-01', dayCount: 1, columnJoins: [], directTableJoins: [] };
  const needs: readonly (readonly [Reply, string])[] = [
    [await caller.put('/v1/tables', { ...newTable('orders'), description: 'x' }), 'EditAll'],
    [await caller.put('/v1/tables', newTable('fresh')), 'Create'],
    [await caller.post('/v1/tables', newTable('fresh')), 'Create'],
    [await caller.post('/v1/tables', newTable('orders')), 'Create'],
    [await caller.put('/v1/tables/restore', { id: table.id }), 'EditAll'],
    [await caller.put('/v1/tables/restore?async=true', { id: table.id }), 'EditAll'],
    [await caller.put(at('/dataModel'), { modelType: 'DBT' }), 'EditAll'],
    [await caller.put(at('/joins'), join), 'EditAll'],
    [await caller.put(at('/sampleData'), SAMPLE), 'EditSampleData'],
    [await caller.delete(at('/sampleData')), 'EditSampleData'],
    [await caller.put(at('/customMetric'), { name: 'm', expression: 'SELECT 1' }), 'EditDataProfile'],
    [await caller.delete(at('/customMetric/m')), 'EditDataProfile'],
    [await caller.post(`/v1/usage/table/${table.id}`, { date: '2024-01-01', count: 1 }), 'EditUsage'],
    [await caller.delete(at()), 'Delete'],
    [await caller.delete(at('?hardDelete=true')), 'Delete'],
    [await caller.delete(`/v1/tables/async/${table.id}`), 'Delete'],
  ];
  await unchanged(service, table.id, async () => {
    for (const [reply, operation] of needs) forbids(reply, caller, operation);
  });
  const editor = await rights.person([allow('EditAll')]);
  ok(await editor.put(at('/sampleData'), SAMPLE));
  ok(await editor.put(at('/joins'), join));
  forbids(await editor.delete(at()), editor, 'Delete');
});

test('runs of pipelines are read like the member they show in, and written like the pipeline', async () => {
  const { admin } = service;
  ok(await admin.post('/v1/services/pipelineServices', { name: root, serviceType: 'Airflow' }), 201);
  ok(await admin.post('/v1/pipelines', { name: 'load', service: root }), 201);
  const path = `/v1/pipelines/${root}.load/status`;
  const run = { timestamp: 1, executionStatus: 'Successful' };
  const caller = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['pipeline'] }]);
  forbids(await caller.get(path), caller, 'ViewBasic', 'ViewAll');
  forbids(await caller.put(path, run), caller, 'EditAll');
  forbids(await caller.put(`${path}/bulk`, [run]), caller, 'EditAll');
  forbids(await caller.delete(`${path}/1`), caller, 'EditAll');
});

test('following for oneself needs sight, for somebody else the right to edit', async () => {
  const [caller, other] = [await rights.person(), await rights.person()];
  const follow = (who: string) => caller.raw('PUT', at('/followers'), `"${who}"`);
  ok(await follow(caller.id));
  forbids(await follow(other.id), caller, 'EditAll');
  forbids(await caller.delete(at(`/followers/${other.id}`)), caller, 'EditAll');
  refused(await follow('3f2504e0-4f89-41d3-9a0c-0305e82c3301'), 404);
  ok(await caller.delete(at(`/followers/${caller.id}`)));
});

const statuses = (reply: Reply): unknown[] => {
  const { successRequest, failedRequest } = ok(reply);
  return [...successRequest, ...failedRequest].map(({ status }) => status).sort();
};

test('bulk: each row by itself, and the operations of its own are as good', async () => {
  const rows = [newTable('fresh'), { ...newTable('orders'), description: 'x' }];
  const put = (caller: Person) => caller.put('/v1/tables/bulk', rows);
  const plain = await rights.person();
  assert.equal(statuses(await put(plain)), [403, 403]);
  const [failed] = ok(await put(plain)).failedRequest;
  assert.match(failed.message, 'operations [Create] not allowed');
  assert.equal(statuses(await put(await rights.person([allow('EditAll')]))), [200, 403]);
  assert.equal(statuses(await put(await rights.person([allow('BulkUpdate')]))), [200, 403]);
  const creator = await rights.person([allow('BulkCreate')]);
  assert.equal(statuses(await put(creator)), [200, 403]);
  forbids(await creator.post('/v1/tables', newTable('other')), creator, 'Create');
  const denied = await rights.person([allow('BulkCreate', 'BulkUpdate'), deny('Create', 'EditAll')]);
  assert.equal(statuses(await put(denied)), [403, 403]);
  const withheld = await rights.person([allow('Create', 'EditAll'), deny('BulkCreate', 'BulkUpdate')]);
  assert.equal(statuses(await put(withheld)), [403, 403]);
  ok(await withheld.post('/v1/tables', newTable('other')), 201);
});

const stale = (caller: Person, more: object = {}) => {
  const body = { scopeFqn: root, scopeEntityType: 'databaseService', seenFqns: [], ...more };
  return caller.raw('DELETE', '/v1/tables/deleteStale', JSON.stringify(body));
};

test('deleteStale: who may not remove is told so row by row, and nothing of what he may not see', async () => {
  const [plain, blind] = [await rights.person(), await rights.person([deny('ViewBasic')])];
  assert.equal(statuses(await stale(plain)), [403]);
  for (const dryRun of [true, false]) {
    const answer = await stale(blind, { dryRun });
    assert.equal(statuses(answer), []);
    assert.is(ok(answer).numberOfRowsProcessed, 0);
  }
  const remover = await rights.person([allow('Delete'), deny('ViewBasic')]);
  assert.equal(statuses(await stale(remover)), [200]);
});

test('assets: the holder must be the caller’s to edit, and each asset as far as it changes', async () => {
  const domain = await rights.make('domains', 'dom', { description: 'x', domainType: 'Aggregate' });
  const add = (caller: Person) =>
    caller.put(`/v1/domains/${domain.name}/assets/add`, { assets: [{ id: table.id, type: 'table' }] });
  const plain = await rights.person();
  forbids(await add(plain), plain, 'EditAll');
  const editing: RuleWish = { operations: ['EditAll'], resources: ['domain'] };
  const holder = await rights.person([editing]);
  refused(await add(holder), 400, /EditDomains/);
  assert.equal(statuses(await add(await rights.person([editing, allow('EditDomains')]))), [200]);
});

test('a job does what its owner may do when it is done, not when it was asked for', async () => {
  const role = await rights.role(allow('Delete', 'EditAll', 'Create'));
  const caller = await rights.person([], { roles: [role.id] });
  const { runner } = service.app;
  await runner.stop();
  const [removal, bulk, idle] = [
    ok(await caller.delete(`/v1/tables/async/${table.id}`), 202).jobId,
    (await caller.put('/v1/tables/bulk?async=true', [newTable('fresh')])).headers.get('x-job-id') ?? '',
    ok(await caller.put('/v1/tables/restore?async=true', { id: table.id }), 202).jobId,
  ];
  ok(await service.admin.patch(`/v1/users/${caller.id}`, { roles: [] }));
  runner.start();
  assert.match((await jobDone(caller, removal)).error, 'operations [Delete] not allowed');
  assert.match((await jobDone(caller, idle)).error, 'operations [EditAll] not allowed');
  assert.is((await jobDone(caller, bulk)).result.failedRequest[0].status, 403);
  ok(await service.admin.get(at()));
});

test('a job of somebody who is gone is not done', async () => {
  const caller = await rights.person([allow('Delete')]);
  const { runner } = service.app;
  await runner.stop();
  const { jobId } = ok(await caller.delete(`/v1/tables/async/${table.id}`), 202);
  ok(await service.admin.delete(`/v1/users/${caller.id}`));
  runner.start();
  assert.match((await jobDone(service.admin, jobId)).error, `There is no user ${caller.name} any more`);
  ok(await service.admin.get(at()));
});

test.run();
