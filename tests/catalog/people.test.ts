import * as assert from 'uvu/assert';
import {
  countStored,
  createPerson,
  expectRecord,
  expectRefused,
  expectUnchanged,
  ok,
  readStored,
} from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that users and teams follow the contract, including passwords, e-mail addresses and the team hierarchy. */

const test = suite('catalog: people and teams');

let service: Service;
test.before(async () => {
  service = await openService();
});

const user = (more: object = {}) => {
  const name = uniqueName('usr');
  return { name, email: `${name}@example.com`, ...more };
};
const newUser = async (more: object = {}) => ok(await service.admin.post('/v1/users', user(more)), 201);
const newTeam = async (teamType: string, more: object = {}) =>
  ok(await service.admin.post('/v1/teams', { name: uniqueName('team'), teamType, ...more }), 201);

test('e-mail addresses are validated for form, length and reserved domains, and stored in lower case', async () => {
  const bad = [
    'x',
    'a@b',
    '@example.com',
    'a b@example.com',
    'a@example',
    'a@b.c',
    `${'x'.repeat(120)}@example.com`,
    'me@home.local',
    'me@my.localhost',
    'me@x.invalid',
    'me@x.test',
    'me@x.arpa',
    '',
    7,
  ];
  for (const email of bad) expectRefused(await service.admin.post('/v1/users', { ...user(), email }), 400, /email/);
  const { email: _none, ...without } = user();
  expectRefused(await service.admin.post('/v1/users', without), 400, '[email must not be null]');
  const made = await newUser({ email: `${uniqueName('Upper')}@Example.COM` });
  assert.is(made.email, made.email.toLowerCase());
});

test('an e-mail that is taken in any case is 409 on POST and 400 on PUT, and refused on PATCH', async () => {
  const first = await newUser();
  const twin = { ...user(), email: first.email.toUpperCase() };
  expectRefused(await service.admin.post('/v1/users', twin), 409, undefined, 'ENTITY_ALREADY_EXISTS');
  expectRefused(await service.admin.put('/v1/users', twin), 400);
  expectRefused(await service.admin.get(`/v1/users/name/${twin.name}`), 404);
  const second = await newUser();
  const reply = await expectUnchanged(service, second.id, () =>
    service.admin.patch(`/v1/users/${second.id}`, { email: first.email }),
  );
  assert.ok(reply.status === 400 || reply.status === 409, `${reply.status}`);
  assert.is(ok(await service.admin.get(`/v1/users/${second.id}`)).email, second.email);
});

test('passwords are never returned, and stored only as a hash', async () => {
  const password = 'Correct-Horse-7-Battery';
  const body = user({ password, confirmPassword: password, createPasswordType: 'ADMIN_CREATE' });
  const reply = await service.admin.post('/v1/users', body);
  const made = ok(reply, 201);
  const texts = [reply.text];
  for (const at of ['', '?fields=*', '/versions', '/versions/0.1']) {
    const read = await service.admin.get(`/v1/users/${made.id}${at}`);
    ok(read);
    texts.push(read.text);
  }
  const patched = await service.admin.patch(`/v1/users/${made.id}`, { displayName: 'Shown' });
  ok(patched);
  texts.push(patched.text, (await service.admin.get('/v1/users?limit=1000&fields=*')).text);
  const events = await service.graph.query('MATCH (e:ChangeEvent {entityId: $id}) RETURN e.json AS json', {
    id: made.id,
  });
  texts.push(JSON.stringify(events), JSON.stringify(await readStored(service, made.id)));
  for (const text of texts) assert.not.ok(text.includes(password));
  for (const text of texts.slice(0, -1)) assert.not.match(text, /scrypt|"password"|confirmPassword/);
  const kept = await readStored(service, made.id);
  assert.match(String(kept?.properties['password']), /^\$scrypt\$/);
  assert.is('confirmPassword' in (kept?.properties ?? {}), false);
  assert.is(service.logged.join('').includes(password), false);
});

test('only administrators create administrators and bots', async () => {
  const bot = await createPerson(service, uniqueName('bot'), { isBot: true });
  expectRefused(await bot.post('/v1/users', user({ isAdmin: true })), 403);
  expectRefused(await bot.post('/v1/users', user({ isBot: true })), 403);
  const plain = ok(await bot.post('/v1/users', user()), 201);
  assert.equal([plain.isAdmin, plain.isBot], [false, false]);
  for (const patch of [{ isAdmin: true }, { isBot: true }, [{ op: 'replace', path: '/isAdmin', value: true }]]) {
    expectRefused(await expectUnchanged(service, plain.id, () => bot.patch(`/v1/users/${plain.id}`, patch)), 403);
  }
  const self = await expectUnchanged(service, bot.id, () => bot.patch(`/v1/users/${bot.id}`, { isAdmin: true }));
  expectRefused(self, 403);
  const put = { name: plain.name, email: plain.email, isAdmin: true };
  expectRefused(await expectUnchanged(service, plain.id, () => bot.put('/v1/users', put)), 403);
  assert.is(ok(await service.admin.patch(`/v1/users/${plain.id}`, { isAdmin: true })).isAdmin, true);
});

test('granted and revoked rights take effect with the next request', async () => {
  const someone = await createPerson(service, uniqueName('rise'));
  expectRefused(await someone.post('/v1/users', user()), 403);
  ok(await service.admin.patch(`/v1/users/${someone.id}`, { isAdmin: true }));
  ok(await someone.post('/v1/users', user()), 201);
  ok(await service.admin.patch(`/v1/users/${someone.id}`, { isAdmin: false }));
  expectRefused(await someone.post('/v1/users', user()), 403);
});

test('teams list their users, and users list their teams', async () => {
  const member = await newUser();
  const team = await newTeam('Group', { users: [member.id] });
  const kind = service.registry.byType.get('user');
  assert.ok(kind);
  const read = ok(await service.admin.get(`/v1/users/${member.id}?fields=teams`));
  expectRecord(kind, read);
  assert.equal(
    read.teams.map((ref: { id: string }) => ref.id),
    [team.id],
  );
  const list = ok(await service.admin.get(`/v1/users?team=${team.name}`));
  assert.equal([list.data[0].id, list.paging.total], [member.id, 1]);
  const shown = ok(await service.admin.get(`/v1/teams/${team.id}?fields=users,userCount,parents`));
  assert.equal([shown.users[0].id, shown.userCount, shown.parents[0].name], [member.id, 1, 'Organization']);
  const left = ok(await service.admin.patch(`/v1/teams/${team.id}`, [{ op: 'remove', path: '/users/0' }]));
  assert.equal(left.users, []);
  assert.equal(ok(await service.admin.get(`/v1/users/${member.id}?fields=teams`)).teams, []);
  expectRefused(await service.admin.post('/v1/teams', { name: uniqueName('t'), users: [team.id] }), 404);
  expectRefused(await service.admin.post('/v1/users', user({ teams: [member.id] })), 404);
});

const MAY: Readonly<Record<string, readonly string[]>> = {
  BusinessUnit: ['BusinessUnit', 'Division', 'Department', 'Group'],
  Division: ['Division', 'Department', 'Group'],
  Department: ['Department', 'Group'],
  Group: [],
};

test('the team hierarchy allows only valid types of parents and children', async () => {
  for (const [parentType, allowed] of Object.entries(MAY)) {
    const parent = await newTeam(parentType);
    for (const type of Object.keys(MAY)) {
      const body = { name: uniqueName('sub'), teamType: type, parents: [parent.id] };
      const reply = await service.admin.post('/v1/teams', body);
      if (allowed.includes(type)) ok(reply, 201);
      else expectRefused(reply, 400);
      const child = await newTeam(type);
      const above = await service.admin.post('/v1/teams', {
        name: uniqueName('sup'),
        teamType: parentType,
        children: [child.id],
      });
      // A Division or BusinessUnit has exactly one parent, and this one stands below the Organization already.
      const isFree = type === 'Department' || type === 'Group';
      if (allowed.includes(type) && isFree) ok(above, 201);
      else expectRefused(above, 400);
    }
  }
});

test('no request gives a division or business unit a second parent', async () => {
  const { admin } = service;
  for (const teamType of ['Division', 'BusinessUnit']) {
    const child = await newTeam(teamType);
    const other = await newTeam('BusinessUnit', { children: [(await newTeam('Group')).id] });
    const name = uniqueName('team');
    const before = await countStored(service);
    const body = { teamType: 'BusinessUnit', children: [child.id] };
    const add = { op: 'add', path: '/children/-', value: { id: child.id, type: 'team' } };
    const message = `[children ${child.name} already belongs to another team]`;
    await expectUnchanged(service, child.id, async () => {
      expectRefused(await admin.post('/v1/teams', { name, ...body }), 400, message);
      expectRefused(await admin.put('/v1/teams', { name, ...body }), 400, message);
      expectRefused(await admin.put('/v1/teams', { name: other.name, ...body }), 400, message);
      expectRefused(await admin.patch(`/v1/teams/${other.id}`, [add]), 400, message);
      expectRefused(
        await admin.patch(`/v1/teams/${other.id}`, { children: [{ id: child.id, type: 'team' }] }),
        400,
        message,
      );
      const [row] = ok(await admin.put('/v1/teams/bulk', [{ name, ...body }])).failedRequest;
      assert.equal([row.status, row.message], [400, message]);
    });
    assert.equal(await countStored(service), before);
    // It is the child that moves; whoever has it already may say so again.
    ok(await admin.patch(`/v1/teams/${child.id}`, { parents: [{ id: other.id, type: 'team' }] }));
    const kept = ok(await admin.put('/v1/teams', { name: other.name, ...body }));
    assert.equal(
      kept.children.map((ref: { id: string }) => ref.id),
      [child.id],
    );
    const { parents } = ok(await admin.get(`/v1/teams/${child.id}?fields=parents`));
    assert.equal(
      parents.map((ref: { id: string }) => ref.id),
      [other.id],
    );
  }
});

test('when two teams claim one division concurrently, one of them gets it', async () => {
  const child = await newTeam('Division');
  const parents = await Promise.all([1, 2, 3, 4].map(() => newTeam('Division')));
  await service.graph.query('MATCH (:Team)-[r:PARENT_OF]->(:Team {id: $id}) DELETE r', { id: child.id });
  const wish = { children: [{ id: child.id, type: 'team' }] };
  const replies = await Promise.all(parents.map(({ id }) => service.admin.patch(`/v1/teams/${id}`, wish)));
  assert.equal(replies.map(({ status }) => status).sort(), [200, 400, 400, 400]);
  assert.is(ok(await service.admin.get(`/v1/teams/${child.id}?fields=parents`)).parents.length, 1);
});

test('there is one Organization, divisions and business units have one parent, and other teams may have several', async () => {
  expectRefused(await service.admin.post('/v1/teams', { name: uniqueName('org'), teamType: 'Organization' }), 400);
  const [one, two] = [await newTeam('BusinessUnit'), await newTeam('BusinessUnit')];
  const parents = [one.id, two.id];
  for (const teamType of ['Division', 'BusinessUnit']) {
    expectRefused(await service.admin.post('/v1/teams', { name: uniqueName('t'), teamType, parents }), 400);
  }
  const both = await newTeam('Department', { parents });
  const read = ok(await service.admin.get(`/v1/teams/${both.id}?fields=parents`));
  assert.equal(read.parents.map((ref: { id: string }) => ref.id).sort(), [...parents].sort());
  expectRefused(await service.admin.post('/v1/teams', { name: uniqueName('t'), teamType: 'Club' }), 400);
  assert.is((await newTeam('Group')).teamType, 'Group');
  const plain = ok(await service.admin.post('/v1/teams', { name: uniqueName('t') }), 201);
  assert.is(plain.teamType, 'Group');
});

const idsOf = (refs: readonly { id: string }[]): string[] => refs.map(({ id }) => id).sort();
const sorted = (...teams: readonly { id: string }[]): string[] => idsOf(teams);

/** A department above two others, and a group below both of them. */
const newDiamond = async () => {
  const top = await newTeam('Department', { displayName: 'Top' });
  const [left, right] = [
    await newTeam('Department', { parents: [top.id] }),
    await newTeam('Department', { parents: [top.id], isJoinable: false }),
  ];
  const group = await newTeam('Group', { parents: [left.id, right.id] });
  return { top, left, right, group };
};

test('a team lists its descendants once each and counts its children', async () => {
  const { top, left, right, group } = await newDiamond();
  const below = async ({ id }: { id: string }) => {
    const read = ok(await service.admin.get(`/v1/teams/${id}?fields=descendantTeams,childrenCount,children`));
    return [idsOf(read.descendantTeams), read.childrenCount, idsOf(read.children)];
  };
  assert.equal(await below(top), [sorted(left, right, group), 2, sorted(left, right)]);
  assert.equal(await below(left), [[group.id], 1, [group.id]]);
  assert.equal(await below(group), [[], 0, []]);
  const plain = ok(await service.admin.get(`/v1/teams/${top.id}`));
  assert.equal(['descendantTeams' in plain, 'childrenCount' in plain], [false, false]);
  ok(await service.admin.delete(`/v1/teams/${group.id}`));
  assert.equal(await below(top), [sorted(left, right), 2, sorted(left, right)]);
  assert.equal(await below(left), [[], 0, []]);
});

test('teams are listed by their direct parent', async () => {
  const { top, left, right, group } = await newDiamond();
  const list = async (query: string) => ok(await service.admin.get(`/v1/teams?limit=100&${query}`));
  for (const [parent, children] of [
    [top, sorted(left, right)],
    [left, [group.id]],
    [right, [group.id]],
    [group, []],
  ] as const) {
    const { data, paging } = await list(`parentTeam=${parent.name}`);
    assert.equal([idsOf(data), paging.total], [children, children.length], parent.name);
  }
  assert.equal(idsOf((await list(`parentTeam=${top.name}&isJoinable=false`)).data), [right.id]);
  const page = ok(await service.admin.get(`/v1/teams?limit=1&parentTeam=${top.name}`));
  assert.equal([page.data.length, page.paging.total, typeof page.paging.after], [1, 2, 'string']);
  const organization = await service.admin.get('/v1/teams?limit=1000000&parentTeam=Organization');
  const above = idsOf(ok(organization).data);
  assert.equal([above.includes(top.id), above.includes(left.id)], [true, false]);
});

type TeamNode = { readonly id: string; readonly name: string; readonly children: readonly TeamNode[] };

/** Every team of a tree by its id, as often as it stands in it. */
const everywhere = (nodes: readonly TeamNode[]): readonly TeamNode[] =>
  nodes.flatMap((node) => [node, ...everywhere(node.children)]);

test('the hierarchy is one tree below the Organization, and a team appears below each of its parents', async () => {
  const { top, left, right, group } = await newDiamond();
  const deleted = await newTeam('Group', { parents: [left.id] });
  ok(await service.admin.delete(`/v1/teams/${deleted.id}`));
  const { data, paging } = ok(await service.admin.get('/v1/teams/hierarchy'));
  assert.equal([paging.total, data.map(({ name }: TeamNode) => name)], [1, ['Organization']]);
  const [root] = data;
  const shown = root.children.find(({ id }: TeamNode) => id === top.id);
  assert.equal(
    [idsOf(shown.children), shown.displayName, shown.fullyQualifiedName, shown.teamType, shown.isJoinable],
    [sorted(left, right), 'Top', top.name, 'Department', true],
  );
  for (const { children } of shown.children) {
    assert.equal(
      children.map((node: TeamNode) => [node.id, node.children]),
      [[group.id, []]],
    );
  }
  const all = everywhere(data);
  const times = ({ id }: { id: string }) => all.filter((node) => node.id === id).length;
  assert.equal([times(top), times(left), times(right), times(group), times(deleted)], [1, 1, 1, 2, 0]);
  assert.equal(Object.keys(shown).sort(), [
    'children',
    'displayName',
    'fullyQualifiedName',
    'id',
    'isJoinable',
    'name',
    'teamType',
  ]);
});

test('the root team can be changed and stays the root', async () => {
  const path = '/v1/teams/name/Organization';
  const before = ok(await service.admin.get(`${path}?fields=parents`));
  const told = ok(await service.admin.patch(path, { displayName: uniqueName('Shown') }));
  assert.equal([told.parents, told.version], [[], Math.round(before.version * 10 + 1) / 10]);
  ok(await service.admin.patch(path, { displayName: before.displayName }));
});

test('no request changes the type of the root team', async () => {
  const { admin } = service;
  const path = '/v1/teams/name/Organization';
  const { id } = ok(await admin.get(path));
  try {
    await expectUnchanged(service, id, async () => {
      for (const teamType of ['Group', 'Department', 'Division', 'BusinessUnit']) {
        expectRefused(await admin.patch(path, { teamType }), 400);
        expectRefused(await admin.patch(path, [{ op: 'replace', path: '/teamType', value: teamType }]), 400);
        expectRefused(await admin.put('/v1/teams', { name: 'Organization', teamType }), 400);
        assert.is(
          ok(await admin.put('/v1/teams/bulk', [{ name: 'Organization', teamType }])).failedRequest[0].status,
          400,
        );
      }
      await admin.patch(path, [{ op: 'remove', path: '/teamType' }]);
    });
  } finally {
    // Everybody hangs below it: what a fault did to it must not be the fault of other tests.
    await service.graph.query("MATCH (n:Team {id: $id}) SET n.teamType = 'Organization'", { id });
  }
  assert.is(ok(await admin.get(path)).teamType, 'Organization');
});

test('a cycle of teams is refused with 400', async () => {
  const top = await newTeam('Department');
  const middle = await newTeam('Department', { parents: [top.id] });
  const low = await newTeam('Department', { parents: [middle.id] });
  const loop = [{ op: 'replace', path: '/parents', value: [{ id: low.id, type: 'team' }] }];
  expectRefused(await expectUnchanged(service, top.id, () => service.admin.patch(`/v1/teams/${top.id}`, loop)), 400);
  const self = [{ op: 'replace', path: '/parents', value: [{ id: top.id, type: 'team' }] }];
  expectRefused(await expectUnchanged(service, top.id, () => service.admin.patch(`/v1/teams/${top.id}`, self)), 400);
  const below = [{ op: 'add', path: '/children/-', value: { id: top.id, type: 'team' } }];
  expectRefused(await expectUnchanged(service, low.id, () => service.admin.patch(`/v1/teams/${low.id}`, below)), 400);
});

test('a team with children cannot become a group', async () => {
  const department = await newTeam('Department');
  await newTeam('Group', { parents: [department.id] });
  const shrunk = await expectUnchanged(service, department.id, () =>
    service.admin.patch(`/v1/teams/${department.id}`, { teamType: 'Group' }),
  );
  expectRefused(shrunk, 400);
});

test('a team with two parents loses only the removed one', async () => {
  const [one, two] = [await newTeam('Department'), await newTeam('Department')];
  const child = await newTeam('Group', { parents: [one.id, two.id] });
  ok(await service.admin.delete(`/v1/teams/${one.id}?recursive=true&hardDelete=true`));
  const read = ok(await service.admin.get(`/v1/teams/${child.id}?fields=parents`));
  assert.equal(
    read.parents.map((ref: { id: string }) => ref.id),
    [two.id],
  );
});

test('owners are users or one team of type Group', async () => {
  const [ann, ben] = [await newUser(), await newUser()];
  const [group, other] = [await newTeam('Group'), await newTeam('Group')];
  const department = await newTeam('Department');
  const ref = (type: string, { id }: { id: string }) => ({ id, type });
  const make = (owners: unknown) =>
    service.admin.post('/v1/services/databaseServices', { name: uniqueName('own'), serviceType: 'Mysql', owners });
  const both = ok(await make([ref('user', ben), ref('user', ann)]), 201);
  const names = both.owners.map((owner: { name: string }) => owner.name);
  assert.equal(names, [ann.name, ben.name].sort());
  assert.is(ok(await make([ref('team', group)]), 201).owners[0].id, group.id);
  expectRefused(await make([ref('team', group), ref('user', ann)]), 400);
  expectRefused(await make([ref('team', group), ref('team', other)]), 400);
  expectRefused(await make([ref('team', department)]), 400);
  expectRefused(await make([ref('database', group)]), 400);
  expectRefused(await make([{ id: ann.id }, { type: 'user' }]), 400);
  expectRefused(await make([ref('user', group)]), 404);
  const named = ok(await make([{ type: 'user', fullyQualifiedName: ann.name }]), 201);
  assert.is(named.owners[0].id, ann.id);
  expectRefused(
    await make([{ type: 'user', fullyQualifiedName: 'nobody' }]),
    404,
    'user instance for nobody not found',
  );
});

test('a user lists the assets that they own and follow', async () => {
  const ann = await newUser();
  const made = ok(
    await service.admin.post('/v1/services/databaseServices', {
      name: uniqueName('own'),
      serviceType: 'Mysql',
      owners: [{ id: ann.id, type: 'user' }],
    }),
    201,
  );
  ok(await service.admin.put(`/v1/services/databaseServices/${made.id}/followers`, ann.id));
  const read = ok(await service.admin.get(`/v1/users/${ann.id}?fields=owns,follows`));
  assert.equal([read.owns[0].id, read.follows[0].id], [made.id, made.id]);
  ok(await service.admin.delete(`/v1/users/${ann.id}`));
  assert.equal(ok(await service.admin.get(`/v1/services/databaseServices/${made.id}?fields=owners`)).owners, []);
  const all = `/v1/services/databaseServices/${made.id}?fields=owners&includeRelations=owners:all`;
  assert.is(ok(await service.admin.get(all)).owners[0].deleted, true);
});

test('references to collections that are not offered may be absent or empty, and any other is refused', async () => {
  const made = ok(await service.admin.post('/v1/users', user({ personas: [] })), 201);
  assert.equal(ok(await service.admin.get(`/v1/users/${made.id}?fields=personas`)).personas, []);
  expectRefused(await service.admin.post('/v1/users', user({ personas: [{ id: made.id, type: 'persona' }] })), 404);
  expectRefused(await service.admin.post('/v1/teams', { name: uniqueName('t'), defaultPersona: made.id }), 400);
  const persona = { id: made.id, type: 'persona' };
  expectRefused(await service.admin.post('/v1/teams', { name: uniqueName('t'), defaultPersona: persona }), 404);
});

test.run();
