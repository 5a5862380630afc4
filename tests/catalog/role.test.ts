import * as assert from 'uvu/assert';
import { requireKind } from '../../src/catalog/registry.ts';
import {
  CHANGE_HEADER_NAME,
  countStored,
  createPerson,
  expectRecord,
  expectRefused,
  expectUnchanged,
  ok,
  pathByName,
  readStored,
} from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that roles have policies and are assigned to users and teams. */

const test = suite('catalog: roles');

let service: Service;
test.before(async () => {
  service = await openService();
});

type Made = { readonly id: string; readonly name: string };

const RULE = { name: 'look', effect: 'allow', operations: ['ViewAll'], resources: ['all'] };

const make = async (path: string, body: object): Promise<Made> =>
  ok(await service.admin.post(`/v1/${path}`, body), 201);
const newPolicy = () => make('policies', { name: uniqueName('pol'), rules: [RULE] });
const newRole = async (more: object = {}) =>
  make('roles', { name: uniqueName('role'), policies: [(await newPolicy()).name], ...more });
const newTeam = (more: object = {}) => make('teams', { name: uniqueName('team'), teamType: 'Department', ...more });
const newUser = (more: object = {}) => {
  const name = uniqueName('usr');
  return make('users', { name, email: `${name}@example.com`, ...more });
};

const ids = (refs: readonly Made[]): string[] => refs.map(({ id }) => id).sort();
const names = (refs: readonly Made[]): string[] => refs.map(({ name }) => name).sort();
const idsOf = async (path: string, { id }: Made, field: string): Promise<string[]> =>
  ids(ok(await service.admin.get(`/v1/${path}/${id}?fields=${field}`))[field]);

test('policies are given by name and returned as references, with edges in the graph', async () => {
  const [one, two] = [await newPolicy(), await newPolicy()];
  const made = ok(
    await service.admin.post('/v1/roles', { name: uniqueName('role'), policies: [one.name, two.name, one.name] }),
    201,
  );
  const kind = service.registry.byType.get('role');
  assert.ok(kind);
  expectRecord(kind, made);
  assert.equal(ids(made.policies), ids([one, two]));
  assert.equal([made.provider, made.fullyQualifiedName], ['user', made.name]);
  for (const absent of ['allowDelete', 'allowEdit', 'disabled', 'users', 'teams']) assert.is(absent in made, false);
  const rows = await service.graph.query('MATCH (:Role {id: $id})-[:HAS_POLICY]->(p:Policy) RETURN p.id AS id', {
    id: made.id,
  });
  assert.equal(rows.map(({ id }) => id).sort(), ids([one, two]));
  assert.equal(await idsOf('policies', one, 'roles'), [made.id]);
});

test('a role without policies is 400, and an unknown policy is 404', async () => {
  const before = await countStored(service);
  const name = uniqueName('role');
  expectRefused(await service.admin.post('/v1/roles', { name }), 400, '[policies must not be null]');
  expectRefused(await service.admin.post('/v1/roles', { name, policies: null }), 400, '[policies must not be null]');
  expectRefused(
    await service.admin.post('/v1/roles', { name, policies: [] }),
    400,
    '[policies must have at least one item]',
  );
  expectRefused(
    await service.admin.put('/v1/roles', { name, policies: [] }),
    400,
    '[policies must have at least one item]',
  );
  expectRefused(
    await service.admin.post('/v1/roles', { name, policies: ['nothing'] }),
    404,
    'policy instance for nothing not found',
  );
  assert.equal(await countStored(service), before);
  const role = await newRole();
  const empty = '[policies must have at least one item]';
  for (const patch of [{ policies: [] }, { policies: null }, [{ op: 'remove', path: '/policies/0' }]]) {
    expectRefused(
      await expectUnchanged(service, role.id, () => service.admin.patch(`/v1/roles/${role.id}`, patch)),
      400,
      empty,
    );
  }
  expectRefused(
    await expectUnchanged(service, role.id, () => service.admin.put('/v1/roles', { name: role.name, policies: [] })),
    400,
    empty,
  );
});

test('PUT and PATCH replace the policies, one version each', async () => {
  const role = await newRole();
  const [one, two] = [await newPolicy(), await newPolicy()];
  const put = ok(await service.admin.put('/v1/roles', { name: role.name, policies: [one.name] }));
  assert.equal([put.version, ids(put.policies)], [0.2, [one.id]]);
  assert.equal(
    put.changeDescription.fieldsAdded.map((field: { name: string }) => field.name),
    ['policies'],
  );
  const added = ok(
    await service.admin.patch(`/v1/roles/${role.id}`, [
      { op: 'add', path: '/policies/-', value: { id: two.id, type: 'policy' } },
    ]),
  );
  assert.equal([added.version, ids(added.policies)], [0.3, ids([one, two])]);
  const merged = ok(await service.admin.patch(`/v1/roles/${role.id}`, { policies: [two.name] }));
  assert.equal([merged.version, ids(merged.policies)], [0.4, [two.id]]);
  const stranger = { policies: [{ id: role.id, type: 'role' }] };
  expectRefused(
    await expectUnchanged(service, role.id, () => service.admin.patch(`/v1/roles/${role.id}`, stranger)),
    404,
  );
});

test('a soft-deleted policy is hidden, returns when restored, and blocks no other change', async () => {
  const role = await newRole();
  const [policy] = ok(await service.admin.get(`/v1/roles/${role.id}?fields=policies`)).policies;
  ok(await service.admin.delete(`/v1/policies/${policy.id}`));
  assert.equal(await idsOf('roles', role, 'policies'), []);
  const told = ok(await service.admin.patch(`/v1/roles/${role.id}`, { description: 'Told' }));
  assert.equal([told.version, told.description], [0.2, 'Told']);
  ok(await service.admin.put('/v1/policies/restore', { id: policy.id }));
  assert.equal(await idsOf('roles', role, 'policies'), [policy.id]);
  ok(await service.admin.delete(`/v1/policies/${policy.id}?hardDelete=true`));
  const bare = ok(await service.admin.patch(`/v1/roles/${role.id}`, { description: 'Bare' }));
  assert.equal([bare.version, bare.policies], [0.3, []]);
});

test('users and teams are read from the role and cannot be set on it', async () => {
  const role = await newRole();
  const user = await newUser({ roles: [role.id] });
  const team = await newTeam({ defaultRoles: [role.id] });
  assert.equal(await idsOf('roles', role, 'users'), [user.id]);
  assert.equal(await idsOf('roles', role, 'teams'), [team.id]);
  assert.is((await readStored(service, role.id))?.versions, 0);
  const list = ok(await service.admin.get('/v1/roles?limit=1000&fields=users,teams,policies'));
  const listed = list.data.find(({ id }: Made) => id === role.id);
  assert.equal([ids(listed.users), ids(listed.teams), listed.policies.length], [[user.id], [team.id], 1]);
  expectRefused(
    await service.admin.post('/v1/roles', { name: 'r', policies: [listed.policies[0].name], users: [user.id] }),
    400,
    '[users is not a known property]',
  );
  const ignored = await expectUnchanged(service, role.id, () =>
    service.admin.patch(`/v1/roles/${role.id}`, { users: [] }),
  );
  assert.is(ignored.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  assert.equal(await idsOf('roles', role, 'users'), [user.id]);
});

test('roles of a user are ids in bodies and references in patches, and an unknown role is 404', async () => {
  const [one, two] = [await newRole(), await newRole()];
  const user = await newUser({ roles: [one.id] });
  assert.equal(await idsOf('users', user, 'roles'), [one.id]);
  const add = [{ op: 'add', path: '/roles/-', value: { id: two.id, type: 'role' } }];
  const patched = ok(await service.admin.patch(`/v1/users/${user.id}`, add));
  assert.equal([patched.version, ids(patched.roles)], [0.2, ids([one, two])]);
  const fewer = ok(await service.admin.patch(`/v1/users/${user.id}`, [{ op: 'remove', path: '/roles/0' }]));
  assert.is(fewer.roles.length, 1);
  const name = uniqueName('usr');
  const body = (roles: unknown) => ({ name, email: `${name}@example.com`, roles });
  expectRefused(await service.admin.post('/v1/users', body([user.id])), 404, `role instance for ${user.id} not found`);
  expectRefused(await service.admin.post('/v1/users', body(['DataConsumer'])), 400);
  ok(await service.admin.delete(`/v1/roles/${two.id}`));
  expectRefused(await service.admin.post('/v1/users', body([two.id])), 404);
  assert.equal(ok(await service.admin.post('/v1/users', body([])), 201).roles, []);
});

test('default roles and policies of a team are given by id and shown on the other side', async () => {
  const [role, policy] = [await newRole(), await newPolicy()];
  const team = await newTeam({ defaultRoles: [role.id], policies: [policy.id] });
  const read = ok(await service.admin.get(`/v1/teams/${team.id}?fields=defaultRoles,policies,inheritedRoles`));
  assert.equal([ids(read.defaultRoles), ids(read.policies)], [[role.id], [policy.id]]);
  assert.equal(names(read.inheritedRoles), ['DataConsumer']);
  assert.equal(await idsOf('policies', policy, 'teams'), [team.id]);
  const swapped = [{ op: 'replace', path: '/policies', value: [{ id: role.id, type: 'policy' }] }];
  expectRefused(
    await expectUnchanged(service, team.id, () => service.admin.patch(`/v1/teams/${team.id}`, swapped)),
    404,
  );
  const none = ok(await service.admin.patch(`/v1/teams/${team.id}`, { defaultRoles: [], policies: [] }));
  assert.equal([none.version, none.defaultRoles, none.policies], [0.2, [], []]);
});

test('roles are inherited from all teams above, each once', async () => {
  const [top, side, own] = [await newRole(), await newRole(), await newRole()];
  const root = await newTeam({ defaultRoles: [top.id] });
  const other = await newTeam({ defaultRoles: [side.id, top.id] });
  const leaf = await newTeam({ teamType: 'Group', parents: [root.id, other.id], defaultRoles: [own.id] });
  const user = await newUser({ teams: [leaf.id], roles: [own.id] });
  const has = async (path: string, record: Made, wanted: readonly Made[]) => {
    const found = await idsOf(path, record, 'inheritedRoles');
    for (const role of [top, side, own]) {
      const times = found.filter((id) => id === role.id).length;
      assert.is(times, wanted.includes(role) ? 1 : 0, `${path} and role ${[top, side, own].indexOf(role)}`);
    }
  };
  await has('teams', leaf, [top, side]);
  await has('users', user, [top, side, own]);
  await has('teams', root, []);
  ok(await service.admin.delete(`/v1/roles/${side.id}`));
  await has('users', user, [top, own]);
  ok(await service.admin.put('/v1/roles/restore', { id: side.id }));
  ok(await service.admin.delete(`/v1/teams/${other.id}`));
  await has('teams', leaf, [top]);
  await has('users', user, [top, own]);
});

test('a user without teams inherits from the Organization', async () => {
  const role = await newRole();
  const root = ok(
    await service.admin.get(pathByName(requireKind(service.registry, 'team'), 'Organization', '?fields=defaultRoles')),
  );
  const put = (roles: readonly Made[]) =>
    service.admin.patch(`/v1/teams/${root.id}`, { defaultRoles: roles.map(({ id }) => ({ id, type: 'role' })) });
  ok(await put([...root.defaultRoles, role]));
  try {
    const [alone, member] = [await newUser(), await newUser({ teams: [(await newTeam()).id] })];
    const wanted = ids([...root.defaultRoles, role]);
    for (const user of [alone, member]) assert.equal(await idsOf('users', user, 'inheritedRoles'), wanted);
  } finally {
    ok(await put(root.defaultRoles));
  }
  assert.equal(await idsOf('users', await newUser(), 'inheritedRoles'), ids(root.defaultRoles));
});

test('a hard-deleted role is removed from everybody', async () => {
  const role = await newRole();
  const user = await newUser({ roles: [role.id] });
  ok(await service.admin.delete(`/v1/roles/${role.id}?hardDelete=true`));
  assert.equal(await idsOf('users', user, 'roles'), []);
  ok(await service.admin.get(`/v1/users/${user.id}`));
});

test('allowEdit and allowDelete are enforced and set by administrators only', async () => {
  const role = await newRole();
  const bot = await createPerson(service, uniqueName('bot'), { isBot: true });
  const at = `/v1/roles/${role.id}`;
  for (const member of ['allowEdit', 'allowDelete', 'provider']) {
    const patch = { [member]: member === 'provider' ? 'system' : false };
    expectRefused(await expectUnchanged(service, role.id, () => bot.patch(at, patch)), 403);
  }
  expectRefused(await expectUnchanged(service, role.id, () => bot.patch(at, { disabled: true })), 403);
  ok(await service.admin.patch(at, { disabled: true }));
  const frozen = ok(await service.admin.patch(at, { allowEdit: false, allowDelete: false }));
  assert.equal([frozen.allowEdit, frozen.allowDelete, frozen.disabled], [false, false, true]);
  const edit = `System entity [${role.name}] of type role can not be modified.`;
  const { policies } = ok(await service.admin.get(`${at}?fields=policies`));
  const body = { name: role.name, policies: policies.map(({ name }: Made) => name), description: 'x' };
  expectRefused(
    await expectUnchanged(service, role.id, () => service.admin.patch(at, { description: 'x' })),
    400,
    edit,
  );
  expectRefused(await expectUnchanged(service, role.id, () => service.admin.put('/v1/roles', body)), 400, edit);
  const gone = `System entity [${role.name}] of type role can not be deleted.`;
  for (const query of ['', '?hardDelete=true']) {
    expectRefused(await expectUnchanged(service, role.id, () => service.admin.delete(`${at}${query}`)), 400, gone);
  }
  expectRefused(
    await expectUnchanged(service, role.id, () => bot.patch(at, { allowEdit: true, description: 'x' })),
    403,
  );
  const freed = ok(await service.admin.patch(at, { allowEdit: true, allowDelete: null, description: 'x' }));
  assert.equal([freed.allowEdit, 'allowDelete' in freed, freed.description], [true, false, 'x']);
  ok(await service.admin.delete(at));
});

test('PUT keeps members that its body cannot contain', async () => {
  const role = await newRole({ displayName: 'Shown' });
  ok(await service.admin.patch(`/v1/roles/${role.id}`, { disabled: true, allowDelete: false }));
  const { policies } = ok(await service.admin.get(`/v1/roles/${role.id}?fields=policies`));
  const put = ok(await service.admin.put('/v1/roles', { name: role.name, policies: [policies[0].name] }));
  assert.equal([put.disabled, put.allowDelete, put.provider, 'displayName' in put], [true, false, 'user', false]);
});

test.run();
