import * as assert from 'uvu/assert';
import { countStored, expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { createRightsFactory, type Person, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import { openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows which operations each request needs. */

const test = suite('access: required operations');

let service: Service;
let rights: RightsFactory;
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
  rights = createRightsFactory(service);
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

const deny = (...operations: string[]): RuleOptions => ({ effect: 'deny', operations, resources: ['table'] });
const allow = (...operations: string[]): RuleOptions => ({ operations, resources: ['table'] });

const at = (tail = ''): string => `/v1/tables/${table.id}${tail}`;

const newRobot = async () => {
  const name = uniqueName('robot');
  return ok(await service.admin.post('/v1/users', { name, email: `${name}@example.com`, isBot: true }), 201);
};

const forbids = (reply: Reply, caller: Person, ...operations: string[]): void =>
  expectRefused(
    reply,
    403,
    `Principal: CatalogPrincipal{name='${caller.name}'} operations [${operations.join(', ')}] not allowed`,
  );

test('each field requires its operation, on records, lists and its own route', async () => {
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

test('a denied operation stays denied whatever else is requested or known', async () => {
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
  expectRefused(await blind.get('/v1/tables/3f2504e0-4f89-41d3-9a0c-0305e82c3301'), 404);
});

const op = (path: string, value: unknown) => ({ op: 'add', path, value });
const label = (tagFQN: string) => ({ tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed' });

test('a patch requires the operations of all its paths', async () => {
  const caller = await rights.person();
  const patches = (body: object) => caller.patch(at(), body);
  ok(await patches([op('/description', 'What it is.'), op('/columns/0/description', 'Its number.')]));
  ok(await patches([op('/columns/0/tags/0', label('PII.None')), op('/tags/0', label('Tier.Tier1'))]));
  ok(await patches({ description: 'What it really is.' }));
  await expectUnchanged(service, table.id, async () => {
    forbids(await patches([op('/displayName', 'Orders')]), caller, 'EditDisplayName');
    forbids(await patches([op('/description', 'x'), op('/displayName', 'x')]), caller, 'EditDisplayName');
    forbids(await patches({ displayName: 'x', domain: null, domains: [] }), caller, 'EditDisplayName');
    expectRefused(await patches({ domain: 'no_such_domain' }), 404);
    forbids(await patches([op('/extension', {}), op('/description', 'x')]), caller, 'EditCustomFields');
    forbids(await patches([op('/retentionPeriod', 'P1D')]), caller, 'EditAll');
    forbids(await patches([op('/description', 'x'), op('/columns/0/dataType', 'STRING')]), caller, 'EditAll');
    forbids(await patches({ description: 'x', columns: [] }), caller, 'EditAll');
  });
  const curator = await rights.person([allow('EditDisplayName', 'EditCustomFields')]);
  ok(await curator.patch(at(), { displayName: 'Orders', description: 'x' }));
});

test('tiers, certifications and other labels require different operations, also on removal', async () => {
  const caller = await rights.person([deny('EditTier')]);
  const { fullyQualifiedName: classification } = await rights.make('classifications', 'plain', { description: 'x' });
  const plainLabel = (await rights.make('tags', 'label', { classification, description: 'x' })).fullyQualifiedName;
  ok(await caller.patch(at(), [op('/tags/0', label(plainLabel))]));
  forbids(await caller.patch(at(), [op('/tags/0', label('Tier.Tier1'))]), caller, 'EditTier');
  ok(await service.admin.patch(at(), [op('/tags/0', label('Tier.Tier1'))]));
  const tags: { tagFQN: string }[] = ok(await service.admin.get(at('?fields=tags'))).tags;
  const place = tags.findIndex(({ tagFQN }) => tagFQN === 'Tier.Tier1');
  forbids(await caller.patch(at(), [{ op: 'remove', path: `/tags/${place}` }]), caller, 'EditTier');
  forbids(await caller.patch(at(), [op(`/tags/${place}/tagFQN`, 'PII.Sensitive')]), caller, 'EditTier');
  forbids(await caller.patch(at(), { tags: [] }), caller, 'EditTier');
  ok(await caller.patch(at(), { tags: [label('Tier.Tier1')] }));
});

test('a label is authorized by its normalized name', async () => {
  const caller = await rights.person([deny('EditTier', 'EditCertification')]);
  const patch = (path: string, wish: object) => caller.patch(at(), [op(path, wish)]);
  for (const [tagFQN, needed] of [
    ['"Tier".Tier1', 'EditTier'],
    ['Tier."Tier1"', 'EditTier'],
    ['"Tier"."Tier1"', 'EditTier'],
    ['"Certification".Gold', 'EditCertification'],
  ] as const) {
    await expectUnchanged(service, table.id, async () => {
      for (const path of ['/tags/0', '/columns/0/tags/0']) {
        forbids(await patch(path, label(tagFQN)), caller, needed);
        forbids(await patch(path, { tagFQN }), caller, needed);
      }
      forbids(await caller.patch(at(), { tags: [label(tagFQN)] }), caller, needed);
    });
  }
  // No other spelling leads to the same tag.
  await expectUnchanged(service, table.id, async () => {
    for (const tagFQN of ['tier.Tier1', 'TIER.Tier1', 'Tier.tier1', ' Tier.Tier1', 'Tier .Tier1', 'Tier.Tier1 ']) {
      const reply = await patch('/tags/0', label(tagFQN));
      assert.ok([403, 404].includes(reply.status), `${tagFQN}: ${reply.text}`);
    }
    expectRefused(await patch('/tags/0', label('"Tier.Tier1"')), 404);
    expectRefused(await patch('/tags/0', label('"Tier.Tier1')), 400);
  });
  const plain = await rights.person();
  const { tags } = ok(await plain.patch(at(), [op('/tags/0', label('"Tier".Tier1'))]));
  assert.equal(
    tags.map(({ tagFQN }: { tagFQN: string }) => tagFQN),
    ['Tier.Tier1'],
  );
});

test('sub-resources of users, teams, roles and tables require their own operation and no other', async () => {
  const [team, role] = [await rights.team(), await rights.role(allow('ViewBasic'))];
  const [policy, somebody] = [await rights.policy(allow('ViewBasic')), await rights.person()];
  const ref = (type: string, { id }: { readonly id: string }) => [{ id, type }];
  const certification = { tagLabel: label('Certification.Gold'), appliedDate: 1, expiryDate: 2 };
  for (const [resource, path, member, value, operation] of [
    ['team', `/v1/teams/${team.id}`, 'users', ref('user', somebody), 'EditUsers'],
    ['team', `/v1/teams/${team.id}`, 'policies', ref('policy', policy), 'EditPolicy'],
    ['team', `/v1/teams/${team.id}`, 'defaultRoles', ref('role', role), 'EditRole'],
    ['role', `/v1/roles/${role.id}`, 'policies', ref('policy', policy), 'EditPolicy'],
    ['user', `/v1/users/${somebody.id}`, 'roles', ref('role', role), 'EditRole'],
    ['user', `/v1/users/${somebody.id}`, 'teams', ref('team', team), 'EditTeams'],
    ['table', at(), 'certification', certification, 'EditCertification'],
  ] as const) {
    const lacking = await rights.person([{ effect: 'deny', operations: [operation], resources: [resource] }]);
    const having = await rights.person([{ operations: [operation], resources: [resource] }]);
    const { id } = ok(await having.get(path));
    await expectUnchanged(service, id, async () => {
      forbids(await lacking.patch(path, [op(`/${member}`, value)]), lacking, operation);
    });
    ok(await having.patch(path, [op(`/${member}`, value)]));
    const shown = ok(await having.get(`${path}?fields=${member}`))[member];
    const isThere = Array.isArray(shown) ? shown.map(({ id: one }) => one) : shown.tagLabel.tagFQN;
    assert.equal(isThere, Array.isArray(value) ? value.map(({ id: one }) => one) : 'Certification.Gold', member);
  }
  ok(await service.admin.patch(`/v1/teams/${team.id}`, { users: [], policies: [], defaultRoles: [] }));
});

test('profile, test and query fields each require their own operation', async () => {
  for (const [field, operation] of [
    ['profile', 'ViewDataProfile'],
    ['tableProfilerConfig', 'ViewDataProfile'],
    ['testSuite', 'ViewTests'],
    ['customMetrics', 'ViewTests'],
    ['queries', 'ViewQueries'],
  ] as const) {
    const caller = await rights.person([deny(operation)]);
    forbids(await caller.get(at(`?fields=${field}`)), caller, operation);
    forbids(await caller.get(at(`?fields=owners,${field}`)), caller, operation);
    ok(await caller.get(at('?fields=owners,usageSummary,sampleData')));
  }
});

test('fields=* requires ViewAll, also for kinds with few fields', async () => {
  const seen = await rights.make('bots', 'bot', { botUser: (await newRobot()).name });
  const reader = await rights.person([{ operations: ['ViewBasic'], resources: ['bot'] }]);
  const viewer = await rights.person([{ operations: ['ViewAll'], resources: ['bot'] }]);
  const policy = '/v1/policies/name/DataConsumerPolicy';
  try {
    // Everybody may view everything by this policy, and a denial of that would be one of the least sight too.
    ok(await service.admin.patch(policy, { enabled: false }));
    for (const path of [`/v1/bots/${seen.id}?`, `/v1/bots/name/${seen.name}?`]) {
      ok(await reader.get(`${path}fields=domains`));
      forbids(await reader.get(`${path}fields=*`), reader, 'ViewAll');
      ok(await viewer.get(`${path}fields=*`));
    }
    // Of a list he is left what he owns, which is nothing.
    const total = async (caller: Person, fields: string): Promise<number> =>
      ok(await caller.get(`/v1/bots?limit=1&fields=${fields}`)).paging.total;
    assert.ok((await total(reader, 'domains')) > 0);
    assert.is(await total(reader, '*'), 0);
    assert.ok((await total(viewer, '*')) > 0);
  } finally {
    ok(await service.admin.patch(policy, { enabled: true }));
  }
});

const NOBODY = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

test('a missing reference is reported before a denial and before a taken name', async () => {
  const plain = await rights.person();
  const { admin } = service;
  const strays: readonly object[] = [
    { owners: [{ id: NOBODY, type: 'user' }] },
    { owners: [{ type: 'user', fullyQualifiedName: 'nobody' }] },
    { domains: ['no_such_domain'] },
    { dataProducts: ['no_such_product'] },
    { tags: [label('No.Such')] },
    {
      columns: [
        { name: 'id', dataType: 'STRUCT', children: [{ name: 'x', dataType: 'INT', tags: [label('No.Such')] }] },
      ],
    },
  ];
  const before = await countStored(service);
  for (const stray of strays) {
    for (const name of ['orders', 'fresh']) {
      const body = { ...newTable(name), ...stray };
      expectRefused(await plain.post('/v1/tables', body), 404, /not found$/);
      expectRefused(await plain.put('/v1/tables', body), 404, /not found$/);
      expectRefused(await admin.post('/v1/tables', body), 404, /not found$/);
      const [row] = ok(await plain.put('/v1/tables/bulk', [body])).failedRequest;
      assert.equal([row.status, /not found$/.test(row.message)], [400, true]);
    }
  }
  const user = { name: uniqueName('usr'), email: `${uniqueName('usr')}@example.com` };
  expectRefused(await plain.post('/v1/users', { ...user, roles: [NOBODY] }), 404);
  const rules = [
    { name: 'r', effect: 'allow', operations: ['All'], resources: ['all'], condition: "hasAnyRole('nobody')" },
  ];
  expectRefused(await plain.post('/v1/policies', { name: uniqueName('pol'), rules }), 404);
  const patches: readonly unknown[] = [
    [op('/owners', [{ id: NOBODY, type: 'user' }])],
    [op('/retentionPeriod', 'P1D'), op('/owners/-', { id: NOBODY, type: 'user' })],
    [op('', { ...table, owners: [{ id: NOBODY, type: 'user' }] })],
    { displayName: 'x', owners: [{ id: NOBODY, type: 'user' }] },
    { displayName: 'x', domains: [{ type: 'domain', fullyQualifiedName: 'no_such_domain' }] },
    { displayName: 'x', tags: [label('No.Such')] },
    { displayName: 'x', columns: [{ name: 'id', dataType: 'INT', tags: [label('No.Such')] }] },
  ];
  for (const patch of patches) expectRefused(await plain.patch(at(), patch), 404, /not found$/);
  const stale = { 'if-match': '"00000000-9.9-1"' };
  expectRefused(await admin.patch(at(), { owners: [{ id: NOBODY, type: 'user' }] }, stale), 404);
  expectRefused(await admin.patch(at(), { owners: [{ id: plain.id, type: 'user' }] }, stale), 412);
  const member = [op('/users/-', { id: NOBODY, type: 'user' })];
  expectRefused(await plain.patch('/v1/teams/name/Organization', member), 404, `user instance for ${NOBODY} not found`);
  forbids(
    await plain.patch(at(), { displayName: 'x', owners: [{ id: plain.id, type: 'user' }] }),
    plain,
    'EditDisplayName',
  );
  // What makes no sense is told last, and with everything there the answers are those of before.
  const senseless = { owners: [{ id: table.id, type: 'table' }] };
  forbids(await plain.post('/v1/tables', { ...newTable('fresh'), ...senseless }), plain, 'Create');
  forbids(await plain.put('/v1/tables', { ...newTable('orders'), tags: [label('PII.None')] }), plain, 'EditAll');
  expectRefused(await admin.post('/v1/tables', newTable('orders')), 409);
  assert.equal(await countStored(service), before);
});

test('the missing operation of a patch reveals nothing of the record', async () => {
  const blind = await rights.person([deny('ViewBasic', 'EditOwners')]);
  for (const [place, wish, status] of [
    ['/owners/0', { id: NOBODY, type: 'user' }, 404],
    ['/owners/7', { id: NOBODY, type: 'user' }, 404],
    ['/owners/0/id', NOBODY, 403],
    ['/owners/7/id', NOBODY, 403],
    ['/owners/0', { id: blind.id, type: 'user' }, 403],
    ['/owners/7', { id: blind.id, type: 'user' }, 403],
  ] as const) {
    expectRefused(await blind.patch(at(), [op(place, wish)]), status);
  }
});

test('EditOwners on all resources does not cover policies and teams, and EditAll on them does', async () => {
  const everywhere = (...operations: string[]): RuleOptions => ({ operations, resources: ['all'] });
  const taker = await rights.person([everywhere('EditOwners', 'EditDescription')]);
  const steward = await rights.person([], { roles: [ok(await service.admin.get('/v1/roles/name/DataSteward')).id] });
  const editor = await rights.person([everywhere('EditAll')]);
  const named = await rights.person([{ operations: ['EditOwners'], resources: ['policy', 'team'] }]);
  const policy = await rights.policy(allow('ViewBasic'));
  const team = await rights.team();
  const rules = ok(await service.admin.get(`/v1/policies/${policy.id}`)).rules;
  for (const [kind, { id, name }, more] of [
    ['policies', policy, { rules }],
    ['teams', team, { teamType: 'Group' }],
  ] as const) {
    const path = `/v1/${kind}/${id}`;
    const owners = (caller: Person) => [{ id: caller.id, type: 'user' }];
    const patch = (caller: Person) => caller.patch(path, [op('/owners', owners(caller))]);
    const put = (caller: Person) => caller.put(`/v1/${kind}`, { name, ...more, owners: owners(caller) });
    const bulk = (caller: Person) => caller.put(`/v1/${kind}/bulk`, [{ name, ...more, owners: owners(caller) }]);
    const owner = async () => ok(await service.admin.get(`${path}?fields=owners`)).owners.map((one: Person) => one.id);
    await expectUnchanged(service, id, async () => {
      for (const caller of [await rights.person(), taker, steward]) {
        forbids(await patch(caller), caller, 'EditOwners');
        forbids(await put(caller), caller, 'EditAll');
        assert.equal(statuses(await bulk(caller)), [403]);
      }
    });
    for (const set of [patch, put, bulk]) {
      ok(await service.admin.patch(path, { owners: [] }));
      ok(await set(editor));
      assert.equal(await owner(), [editor.id]);
    }
    ok(await patch(named));
    assert.equal(await owner(), [named.id]);
  }
});

test('any user can take ownership of an asset without owners, and then only its owner can edit it', async () => {
  const [owner, other] = [await rights.person(), await rights.person()];
  const own = (caller: Person) => caller.patch(at(), [op('/owners', [{ id: caller.id, type: 'user' }])]);
  ok(await own(owner));
  forbids(await own(other), other, 'EditOwners');
  ok(await owner.patch(at(), [op('/retentionPeriod', 'P1D')]));
});

test('a malformed patch is 400, an unknown record 404, missing rights 403, and only then is the content validated', async () => {
  const caller = await rights.person();
  const stale = { 'if-match': '"00000000-9.9-1"' };
  expectRefused(await caller.patch(at(), [{ op: 'jump', path: '/displayName' }]), 400);
  expectRefused(await caller.patch('/v1/tables/3f2504e0-4f89-41d3-9a0c-0305e82c3301', [op('/displayName', 'x')]), 404);
  expectRefused(await caller.patch(at(), [op('/displayName', 'x')], stale), 403);
  expectRefused(await caller.patch(at(), [{ op: 'remove', path: '/displayName' }]), 403);
  expectRefused(await caller.patch(at(), [op('/retentionPeriod', 'no duration')]), 403);
  expectRefused(await caller.patch(at(), [op('/description', 'x')], stale), 412);
  expectRefused(await caller.patch(at(), [{ op: 'remove', path: '/tags/7' }]), 400);
});

test('a patch, its answer and the history reveal nothing hidden from the caller', async () => {
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
    // Shorter pieces of it may stand in any id.
    assert.not.match(answer.text, '4111 1111');
  }
  assert.equal(ok(await service.admin.get(at('/sampleData'))).sampleData, SAMPLE);
  assert.equal(ok(await service.admin.put(at('/sampleData'), SAMPLE)).sampleData, SAMPLE);
});

test('other writes require EditAll or their own operation', async () => {
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
  await expectUnchanged(service, table.id, async () => {
    for (const [reply, operation] of needs) forbids(reply, caller, operation);
  });
  const editor = await rights.person([allow('EditAll')]);
  ok(await editor.put(at('/sampleData'), SAMPLE));
  ok(await editor.put(at('/joins'), join));
  forbids(await editor.delete(at()), editor, 'Delete');
});

test('pipeline runs are read with the operation of their field and written with that of the pipeline', async () => {
  const { admin } = service;
  ok(await admin.post('/v1/services/pipelineServices', { name: root, serviceType: 'Airflow' }), 201);
  ok(await admin.post('/v1/pipelines', { name: 'load', service: root }), 201);
  const path = `/v1/pipelines/${root}.load/status`;
  const run = { timestamp: 1, executionStatus: 'Successful' };
  const caller = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['pipeline'] }]);
  forbids(await caller.get(path), caller, 'ViewBasic', 'ViewAll');
  const plain = await rights.person();
  for (const [one, operation] of [
    [plain, 'EditAll'],
    [caller, 'ViewBasic'],
  ] as const) {
    forbids(await one.put(path, run), one, operation);
    forbids(await one.put(`${path}/bulk`, [run]), one, operation);
    forbids(await one.delete(`${path}/1`), one, operation);
  }
});

test('following requires a view operation, and adding another follower requires an edit operation', async () => {
  const [caller, other] = [await rights.person(), await rights.person()];
  const follow = (who: string) => caller.raw('PUT', at('/followers'), `"${who}"`);
  ok(await follow(caller.id));
  forbids(await follow(other.id), caller, 'EditAll');
  forbids(await caller.delete(at(`/followers/${other.id}`)), caller, 'EditAll');
  expectRefused(await follow('3f2504e0-4f89-41d3-9a0c-0305e82c3301'), 404);
  ok(await caller.delete(at(`/followers/${caller.id}`)));
});

const statuses = (reply: Reply): unknown[] => {
  const { successRequest, failedRequest } = ok(reply);
  return [...successRequest, ...failedRequest].map(({ status }) => status).sort();
};

test('each bulk row is authorized separately, with EditAll or its own operations', async () => {
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

test('deleteStale refuses row by row and reveals nothing hidden from the caller', async () => {
  const [plain, blind] = [await rights.person(), await rights.person([deny('ViewBasic')])];
  assert.equal(statuses(await stale(plain)), [403]);
  for (const dryRun of [true, false]) {
    const answer = await stale(blind, { dryRun });
    assert.equal(statuses(answer), []);
    assert.is(ok(answer).numberOfRowsProcessed, 0);
  }
  const remover = await rights.person([allow('Delete'), deny('ViewBasic')]);
  assert.equal(statuses(await stale(remover)), [], 'nobody removes what is hidden from them');
  assert.equal(statuses(await stale(await rights.person([allow('Delete')]))), [200]);
});

test('an asset change requires edit rights on the container, and on each asset for what changes', async () => {
  const domain = await rights.make('domains', 'dom', { description: 'x', domainType: 'Aggregate' });
  const add = (caller: Person) =>
    caller.put(`/v1/domains/${domain.name}/assets/add`, { assets: [{ id: table.id, type: 'table' }] });
  const plain = await rights.person();
  forbids(await add(plain), plain, 'EditAll');
  const editing: RuleOptions = { operations: ['EditAll'], resources: ['domain'] };
  const holder = await rights.person([editing]);
  expectRefused(await add(holder), 400, /EditDomains/);
  assert.equal(statuses(await add(await rights.person([editing, allow('EditDomains')]))), [200]);
});

test('a job runs with the current rights of its owner', async () => {
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
  assert.match((await waitForJobEnd(caller, removal)).error, 'operations [Delete] not allowed');
  assert.match((await waitForJobEnd(caller, idle)).error, 'operations [EditAll] not allowed');
  assert.is((await waitForJobEnd(caller, bulk)).result.failedRequest[0].status, 403);
  ok(await service.admin.get(at()));
});

test('a job of a deleted user does not run', async () => {
  const caller = await rights.person([allow('Delete')]);
  const { runner } = service.app;
  await runner.stop();
  const { jobId } = ok(await caller.delete(`/v1/tables/async/${table.id}`), 202);
  ok(await service.admin.delete(`/v1/users/${caller.id}`));
  runner.start();
  assert.match((await waitForJobEnd(service.admin, jobId)).error, `The user ${caller.name} no longer exists`);
  ok(await service.admin.get(at()));
});

test.run();
