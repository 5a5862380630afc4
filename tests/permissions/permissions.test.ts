import * as assert from 'uvu/assert';
import { listPolicyResources, POLICY_OPERATIONS } from '../../src/model/schemas/access/policy.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { anonymous, type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the permission routes report what the policies decide, and why. */

const test = suite('permissions: routes');

const strayUuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

let service: Service;
let rights: RightsFactory;

test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
});

type Permission = {
  readonly operation: string;
  readonly access: string;
  readonly rule?: { readonly [member: string]: unknown };
  readonly policy?: string;
  readonly role?: string;
};
type ResourcePermission = { readonly resource: string; readonly permissions: readonly Permission[] };

const MEMBERS = new Set(['operation', 'access', 'rule', 'policy', 'role']);
const RULE_MEMBERS = new Set([
  'name',
  'fullyQualifiedName',
  'description',
  'effect',
  'operations',
  'resources',
  'condition',
]);
const ACCESSES = ['deny', 'allow', 'conditionalDeny', 'conditionalAllow', 'notAllow'];

const isWhole = ({ resource, permissions, ...rest }: ResourcePermission) => {
  assert.equal(rest, {});
  assert.type(resource, 'string');
  assert.equal(permissions.map(({ operation }) => operation).sort(), [...POLICY_OPERATIONS].sort());
  for (const permission of permissions) {
    for (const name of Object.keys(permission)) assert.ok(MEMBERS.has(name), name);
    for (const name of Object.keys(permission.rule ?? {})) assert.ok(RULE_MEMBERS.has(name), name);
    assert.ok(ACCESSES.includes(permission.access), permission.access);
    assert.is(permission.access === 'notAllow', permission.rule === undefined, permission.operation);
  }
};

const ask = async (caller: Client, path: string): Promise<ResourcePermission> => {
  const answer = ok(await caller.get(`/v1/permissions/${path}`)) as ResourcePermission;
  isWhole(answer);
  return answer;
};

const of = ({ permissions }: ResourcePermission, operation: string): Permission => {
  const found = permissions.find((permission) => permission.operation === operation);
  assert.ok(found, operation);
  return found ?? { operation, access: 'missing' };
};

test('every resource has every operation, and a caller without a token gets none', async () => {
  const caller = await rights.person();
  const { data, paging } = ok(await caller.get('/v1/permissions'));
  assert.equal(data.map(({ resource }: ResourcePermission) => resource).sort(), [...listPolicyResources()].sort());
  assert.equal(paging, { total: data.length });
  for (const one of data as ResourcePermission[]) {
    isWhole(one);
    // Rules about everything do not reach the jobs of others.
    const [view, edit] = one.resource === 'job' ? ['notAllow', 'notAllow'] : ['allow', 'conditionalAllow'];
    assert.is(of(one, 'ViewBasic').access, view, one.resource);
    assert.is(of(one, 'EditAll').access, edit, one.resource);
    assert.is(of(one, 'Create').access, 'notAllow', one.resource);
  }
  for (const path of ['', '/table', `/table/${strayUuid}`, '/table/name/x', `/policies?ids=${strayUuid}`]) {
    expectRefused(await anonymous(service).get(`/v1/permissions${path}`), 401);
  }
});

test('the deciding rule, its policy and its role are returned', async () => {
  const caller = await rights.person();
  const view = of(await ask(caller, 'table'), 'ViewUsage');
  assert.equal([view.access, view.policy, view.role], ['allow', 'DataConsumerPolicy', 'DataConsumer']);
  assert.is(view.rule?.['fullyQualifiedName'], `DataConsumerPolicy.${view.rule?.['name']}`);
  const keep = of(await ask(caller, 'TABLE'), 'Delete');
  assert.equal([keep.access, keep.policy, 'role' in keep], ['conditionalAllow', 'OrganizationPolicy', false]);
  assert.is(keep.rule?.['condition'], 'isOwner()');
});

test('the first of deny, allow, conditional deny, conditional allow and none is returned', async () => {
  const on = { resources: ['chart'] };
  const caller = await rights.person([
    { ...on, operations: ['Create', 'Deploy'] },
    { ...on, effect: 'deny', operations: ['Create'] },
    { ...on, effect: 'deny', operations: ['Deploy', 'Kill'], condition: 'noOwner()' },
    { ...on, operations: ['Kill', 'Trigger'], condition: 'hasDomain()' },
    { ...on, operations: ['EditTask'], condition: "inAnyTeam('Organization')" },
    { ...on, operations: ['CreateTask'], condition: "!inAnyTeam('Organization')" },
  ]);
  const answer = await ask(caller, 'chart');
  const access = (operation: string) => of(answer, operation).access;
  assert.equal(['Create', 'Deploy', 'Kill', 'Trigger', 'CloseTask'].map(access), ACCESSES);
  assert.equal([access('EditTask'), access('CreateTask')], ['allow', 'notAllow']);
  assert.is(of(await ask(caller, 'dashboard'), 'Create').access, 'notAllow');
});

test('for one record nothing is conditional, and the permissions are those that are enforced', async () => {
  const name = uniqueName('perm');
  const path = '/v1/services/databaseServices';
  const made = ok(await service.admin.post(path, { name, serviceType: 'Postgres' }), 201);
  const caller = await rights.person([
    {
      effect: 'deny',
      operations: ['ViewAll'],
      resources: ['databaseService'],
      condition: "matchAnyTag('PII.Sensitive')",
    },
  ]);
  const owned = { owners: [{ id: caller.id, type: 'user' }] };
  const tagged = { tags: [{ tagFQN: 'PII.Sensitive', source: 'Classification' }] };
  for (const change of [{}, owned, tagged, { ...owned, tags: [] }]) {
    ok(await service.admin.patch(`${path}/${made.id}`, { owners: [], tags: [], ...change }));
    const byId = await ask(caller, `databaseService/${made.id}`);
    assert.equal(await ask(caller, `databaseService/name/${name}`), byId);
    assert.ok(byId.permissions.every(({ access }) => !access.startsWith('conditional')));
    const allows = (operation: string) => of(byId, operation).access === 'allow';
    const text = uniqueName('text');
    const edit = await caller.put(path, { name, serviceType: 'Postgres', description: text });
    assert.is(allows('EditAll'), edit.status === 200, JSON.stringify(change));
    assert.is(allows('ViewBasic'), (await caller.get(`${path}/${made.id}`)).status === 200, JSON.stringify(change));
  }
});

test('administrators may do everything, without a rule', async () => {
  const answer = await service.admin.get('/v1/permissions/table');
  for (const permission of (ok(answer) as ResourcePermission).permissions) {
    assert.equal(Object.keys(permission).sort(), ['access', 'operation']);
    assert.is(permission.access, 'allow');
  }
});

test('administrators read the permissions of others, and everybody else only their own', async () => {
  const caller = await rights.person([{ operations: ['Create'], resources: ['topic'] }]);
  const other = await rights.person();
  const own = await ask(caller, 'topic');
  assert.is(of(own, 'Create').access, 'allow');
  assert.equal(await ask(service.admin, `topic?user=${caller.name}`), own);
  assert.equal(await ask(caller, `topic?user=${caller.name}`), own);
  assert.is(of(await ask(service.admin, `topic?user=${other.name}`), 'Create').access, 'notAllow');
  expectRefused(await other.get(`/v1/permissions/topic?user=${caller.name}`), 403);
  expectRefused(await other.get(`/v1/permissions?user=${caller.name}`), 403);
  expectRefused(
    await service.admin.get('/v1/permissions?user=nobody_here'),
    404,
    'user instance for nobody_here not found',
  );
  const all = ok(await service.admin.get(`/v1/permissions?user=${caller.name}`));
  assert.equal(
    all.data.find(({ resource }: ResourcePermission) => resource === 'topic'),
    own,
  );
});

test('the permissions that a set of policies would grant are returned', async () => {
  const one = await rights.policy({ operations: ['Create'], resources: ['topic'] });
  const two = await rights.policy({ effect: 'deny', operations: ['Create', 'Delete'], condition: 'isOwner()' });
  const caller = await rights.person();
  const topicOf = async (query: string) => {
    const { data } = ok(await caller.get(`/v1/permissions/policies?${query}`));
    const topic = (data as ResourcePermission[]).find(({ resource }) => resource === 'topic');
    assert.ok(topic);
    if (topic) isWhole(topic);
    const access = (operation: string) => topic && of(topic, operation).access;
    return [access('Create'), access('Delete'), access('ViewAll')];
  };
  assert.equal(await topicOf(`ids=${one.id}`), ['allow', 'notAllow', 'notAllow']);
  assert.equal(await topicOf(`ids=${two.id}`), ['conditionalDeny', 'conditionalDeny', 'notAllow']);
  const both = ['allow', 'conditionalDeny', 'notAllow'];
  assert.equal(await topicOf(`ids=${one.id},${two.id}`), both);
  assert.equal(await topicOf(`ids=${two.id}&ids=${one.id}`), both);
  ok(await service.admin.patch(`/v1/policies/${one.id}`, { enabled: false }));
  assert.equal(await topicOf(`ids=${one.id}`), ['notAllow', 'notAllow', 'notAllow']);
  expectRefused(await caller.get(`/v1/permissions/policies?ids=${strayUuid}`), 404);
  expectRefused(await caller.get('/v1/permissions/policies'), 400, '[ids must not be null]');
  expectRefused(await caller.get('/v1/permissions/policies?ids=one'), 400);
  const blind = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['policy'] }]);
  expectRefused(await blind.get(`/v1/permissions/policies?ids=${two.id}`), 403);
});

test('an unknown resource and an unknown asset are 404', async () => {
  const caller = await rights.person();
  for (const path of [
    'nothing',
    `nothing/${strayUuid}`,
    'table/none',
    `table/${strayUuid}`,
    'table/name/a.b.c.d',
    `lineage/${strayUuid}`,
  ]) {
    expectRefused(await caller.get(`/v1/permissions/${path}`), 404);
  }
  const name = uniqueName('perm');
  const made = ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.delete(`/v1/services/databaseServices/${made.id}`));
  expectRefused(await caller.get(`/v1/permissions/databaseService/${made.id}`), 404);
});

test.run();
