import * as assert from 'uvu/assert';
import type { ResourceFact } from '../../src/model/language/condition-evaluation.ts';
import { expectRefused, ok, createPerson as plainPerson } from '../support/expect.ts';
import { createRightsFactory, type Person, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import { openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows the decisions of policies over records in the real graph, through the API. */

const test = suite('access: decisions over the graph');

let service: Service;
let rights: RightsFactory;
/** A service with a database below it, made anew for every case. */
let root: string;

test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
});

test.after(() => rights.clear());

const ref = (id: string, type: string) => ({ id, type });

const databaseAt = (): string => `/v1/databases/name/${root}.db`;

const patch = async (path: string, body: object) => ok(await service.admin.patch(path, body));

test.beforeEach(async () => {
  root = uniqueName('acc');
  ok(await service.admin.post('/v1/services/databaseServices', { name: root, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: root }), 201);
});

const putDatabase = (caller: Person, description = uniqueName('text')): Promise<Reply> =>
  caller.put('/v1/databases', { name: 'db', service: root, description });

const sees = async (caller: Person, path = databaseAt()): Promise<boolean> => {
  const reply = await caller.get(path);
  if (reply.status !== 200) expectRefused(reply, 403);
  return reply.status === 200;
};

const edits = async (caller: Person): Promise<boolean> => {
  const reply = await putDatabase(caller);
  if (reply.status !== 200) expectRefused(reply, 403);
  return reply.status === 200;
};

const hiding = (condition: string): RuleOptions => ({
  effect: 'deny',
  operations: ['ViewAll'],
  resources: ['database'],
  condition,
});
const editing = (condition: string): RuleOptions => ({ operations: ['EditAll'], resources: ['database'], condition });

test('a user without roles can view everything, and cannot edit or delete anything', async () => {
  const caller = await rights.person();
  const forbids = (reply: Reply, operation: string) =>
    expectRefused(
      reply,
      403,
      `Principal: CatalogPrincipal{name='${caller.name}'} operations [${operation}] not allowed`,
    );
  assert.is(await sees(caller), true);
  ok(await caller.get('/v1/databases?limit=1'));
  forbids(await caller.post('/v1/databases', { name: 'mine', service: root }), 'Create');
  forbids(await putDatabase(caller), 'EditAll');
  forbids(await caller.delete(databaseAt()), 'Delete');
});

test('a deny beats every allow and does not affect other resources', async () => {
  const deny: RuleOptions = { effect: 'deny', operations: ['All'], resources: ['database'] };
  const caller = await rights.person([{ operations: ['All'] }, deny]);
  assert.is(await sees(caller), false);
  assert.is(await edits(caller), false);
  assert.is(await sees(caller, `/v1/services/databaseServices/name/${root}`), true);
  ok(await caller.post('/v1/services/databaseServices', { name: uniqueName('acc'), serviceType: 'Postgres' }), 201);
});

test('owners may do everything with what they own, themselves or through a team, and with its descendants', async () => {
  const caller = await rights.person();
  const team = await rights.team();
  const member = await rights.person([], { teams: [team.id] });
  assert.equal([await edits(caller), await edits(member)], [false, false]);
  await patch(databaseAt(), { owners: [ref(caller.id, 'user')] });
  assert.equal([await edits(caller), await edits(member)], [true, false]);
  await patch(databaseAt(), { owners: [ref(team.id, 'team')] });
  assert.equal([await edits(caller), await edits(member)], [false, true]);
  await patch(databaseAt(), { owners: [] });
  await patch(`/v1/services/databaseServices/name/${root}`, { owners: [ref(caller.id, 'user')] });
  assert.equal([await edits(caller), await edits(member)], [true, false]);
  // Own owners stand in place of those that are passed down.
  await patch(databaseAt(), { owners: [ref(member.id, 'user')] });
  assert.equal([await edits(caller), await edits(member)], [false, true]);
  ok(await member.delete(databaseAt()));
});

test('noOwner and negated isOwner apply', async () => {
  const caller = await rights.person([editing('noOwner()'), hiding('!isOwner() && !noOwner()')]);
  assert.equal([await sees(caller), await edits(caller)], [true, true]);
  const other = await rights.person();
  await patch(databaseAt(), { owners: [ref(other.id, 'user')] });
  assert.equal([await sees(caller), await edits(caller)], [false, false]);
});

test('hasDomain and noDomain use own and inherited domains of users and their teams', async () => {
  const domain = await rights.make('domains', 'dom', { description: 'x', domainType: 'Aggregate' });
  const other = await rights.make('domains', 'dom', { description: 'x', domainType: 'Aggregate' });
  const rules = [hiding('!hasDomain()'), editing('noDomain()')];
  const outside = await rights.person(rules);
  const inside = await rights.person(rules, { domains: [domain.fullyQualifiedName] });
  const team = await rights.team({ domains: [domain.fullyQualifiedName] });
  const member = await rights.person(rules, { teams: [team.id] });
  const all = async () => [await sees(outside), await sees(inside), await sees(member)];
  assert.equal(await all(), [true, false, false]);
  assert.is(await edits(outside), true);
  await patch(`/v1/services/databaseServices/name/${root}`, { domains: [domain.fullyQualifiedName] });
  assert.equal(await all(), [false, true, true]);
  assert.is(await edits(outside), false);
  await patch(databaseAt(), { domains: [other.fullyQualifiedName] });
  assert.equal(await all(), [false, false, false]);
});

const label = (tagFQN: string, source = 'Classification') => ({ tagFQN, source });

test('matchAnyTag and matchAllTags match tags and terms of a record', async () => {
  const glossary = await rights.make('glossaries', 'glo', { description: 'x' });
  const term = await rights.make('glossaryTerms', 'term', { glossary: glossary.name, description: 'x' });
  const fqn = `${glossary.name}.${term.name}`;
  const any = await rights.person([hiding(`matchAnyTag('PII.Sensitive', '${fqn}')`)]);
  const all = await rights.person([hiding(`matchAllTags('PII.Sensitive', '${fqn}')`)]);
  const both = async () => [await sees(any), await sees(all)];
  assert.equal(await both(), [true, true]);
  await patch(databaseAt(), { tags: [label(fqn, 'Glossary')] });
  assert.equal(await both(), [false, true]);
  await patch(databaseAt(), { tags: [label(fqn, 'Glossary'), label('PII.Sensitive')] });
  assert.equal(await both(), [false, false]);
  await patch(databaseAt(), { tags: [label('PII.None')] });
  assert.equal(await both(), [true, true]);
});

test('matchAnyTag: a tag on a column counts for the table', async () => {
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${root}.db` }), 201);
  const columns = [{ name: 'id', dataType: 'INT', tags: [label('PII.Sensitive')] }];
  ok(await service.admin.post('/v1/tables', { name: 't', databaseSchema: `${root}.db.public`, columns }), 201);
  ok(await service.admin.post('/v1/tables', { name: 'u', databaseSchema: `${root}.db.public`, columns: [] }), 201);
  const caller = await rights.person([{ ...hiding("matchAnyTag('PII.Sensitive')"), resources: ['table'] }]);
  assert.is(await sees(caller, `/v1/tables/name/${root}.db.public.t`), false);
  assert.is(await sees(caller, `/v1/tables/name/${root}.db.public.u`), true);
});

test('matchAnyCertification matches the certification tag of a record', async () => {
  const caller = await rights.person([editing("matchAnyCertification('Certification.Gold', 'Certification.Silver')")]);
  const certify = (name: string) =>
    patch(databaseAt(), {
      certification: { tagLabel: label(`Certification.${name}`), appliedDate: 1, expiryDate: 2 },
    });
  assert.is(await edits(caller), false);
  await certify('Gold');
  assert.is(await edits(caller), true);
  await certify('Bronze');
  assert.is(await edits(caller), false);
});

test('matchTeam matches users of the team of the policy, with assets owned by the team or its members', async () => {
  const policy = await rights.policy(editing('matchTeam()'));
  const above = await rights.team({ teamType: 'Department', policies: [policy.id] });
  const team = await rights.team({ parents: [above.id] });
  const [one, two] = [await rights.person([], { teams: [team.id] }), await rights.person([], { teams: [team.id] })];
  const stranger = await rights.person();
  const all = async () => [await edits(one), await edits(stranger)];
  assert.equal(await all(), [false, false]);
  await patch(databaseAt(), { owners: [ref(two.id, 'user')] });
  assert.equal(await all(), [true, false]);
  await patch(databaseAt(), { owners: [ref(stranger.id, 'user')] });
  assert.is(await edits(one), false);
});

test('inAnyTeam and hasAnyRole include ancestor teams', async () => {
  const given = await rights.role({ operations: ['ViewAll'] });
  const top = await rights.team({ teamType: 'Division', defaultRoles: [given.id] });
  const team = await rights.team({ parents: [top.id] });
  const [ofTeam, ofRole] = [[hiding(`inAnyTeam('${top.name}')`)], [editing(`hasAnyRole('${given.name}')`)]];
  assert.is(await sees(await rights.person(ofTeam, { teams: [team.id] })), false);
  assert.is(await sees(await rights.person(ofTeam)), true);
  assert.is(await edits(await rights.person(ofRole, { teams: [team.id] })), true);
  assert.is(await edits(await rights.person(ofRole)), false);
});

test('default roles and policies of all ancestor teams apply, as inheritedRoles says, until the team moves', async () => {
  const role = await rights.role({ operations: ['EditAll'], resources: ['database'] });
  const policy = await rights.policy({ operations: ['Delete'], resources: ['database'] });
  const top = await rights.team({ teamType: 'Division', defaultRoles: [role.id], policies: [policy.id] });
  const middle = await rights.team({ teamType: 'Department', parents: [top.id] });
  const other = await rights.team({ teamType: 'Division' });
  const team = await rights.team({ parents: [middle.id] });
  const caller = await rights.person([], { teams: [team.id] });
  const inherited = async () =>
    ok(await caller.get('/v1/users/loggedInUser?fields=inheritedRoles')).inheritedRoles.map(
      ({ name }: { name: string }) => name,
    );
  assert.equal((await inherited()).sort(), ['DataConsumer', role.name].sort());
  assert.is(await edits(caller), true);
  await patch(`/v1/teams/${middle.id}`, { parents: [ref(other.id, 'team')] });
  assert.equal(await inherited(), ['DataConsumer']);
  assert.is(await edits(caller), false);
  expectRefused(await caller.delete(databaseAt()), 403);
  await patch(`/v1/teams/${middle.id}`, { parents: [ref(top.id, 'team')] });
  ok(await caller.delete(databaseAt()));
});

test('a change of membership takes effect with the next request, made on the team or on the user', async () => {
  const policy = await rights.policy({ operations: ['EditAll'], resources: ['database'] });
  const team = await rights.team({ policies: [policy.id] });
  const caller = await rights.person();
  assert.is(await edits(caller), false);
  await patch(`/v1/teams/${team.id}`, { users: [ref(caller.id, 'user')] });
  assert.is(await edits(caller), true);
  await patch(`/v1/teams/${team.id}`, { users: [] });
  assert.is(await edits(caller), false);
  await patch(`/v1/users/${caller.id}`, { teams: [ref(team.id, 'team')] });
  assert.is(await edits(caller), true);
  ok(await service.admin.delete(`/v1/teams/${team.id}`));
  assert.is(await edits(caller), false);
  ok(await service.admin.put('/v1/teams/restore', { id: team.id }));
  assert.is(await edits(caller), true);
});

test('disabled, deleted or changed policies and roles take effect with the next request', async () => {
  const policy = await rights.policy({ operations: ['EditAll'], resources: ['database'] });
  const role = await rights.make('roles', 'role', { policies: [policy.name] });
  const caller = await rights.person([], { roles: [role.id] });
  const turn = async (path: string, body: object, wanted: boolean) => {
    await patch(path, body);
    assert.is(await edits(caller), wanted, JSON.stringify(body));
  };
  assert.is(await edits(caller), true);
  await turn(`/v1/policies/${policy.id}`, { enabled: false }, false);
  await turn(`/v1/policies/${policy.id}`, { enabled: true }, true);
  await turn(`/v1/roles/${role.id}`, { disabled: true }, false);
  await turn(`/v1/roles/${role.id}`, { disabled: false }, true);
  ok(await service.admin.delete(`/v1/roles/${role.id}`));
  assert.is(await edits(caller), false);
  ok(await service.admin.put('/v1/roles/restore', { id: role.id }));
  assert.is(await edits(caller), true);
  ok(await service.admin.delete(`/v1/policies/${policy.id}`));
  assert.is(await edits(caller), false);
  ok(await service.admin.put('/v1/policies/restore', { id: policy.id }));
  await turn(`/v1/policies/${policy.id}`, [{ op: 'replace', path: '/rules/0/resources', value: ['topic'] }], false);
});

test('the policies of the team that owns a record and of its ancestors apply to the record', async () => {
  const secret = await rights.policy({
    effect: 'deny',
    operations: ['ViewAll'],
    resources: ['all'],
    condition: '!isOwner()',
  });
  const open = await rights.policy({ operations: ['EditAll'], resources: ['database'] });
  const above = await rights.team({ teamType: 'Department', policies: [open.id] });
  const [team, frank] = [
    await rights.team({ parents: [above.id], policies: [secret.id] }),
    await rights.team({ parents: [above.id] }),
  ];
  const [member, stranger] = [await rights.person([], { teams: [team.id] }), await rights.person()];
  assert.equal([await sees(stranger), await edits(stranger)], [true, false]);
  await patch(databaseAt(), { owners: [ref(team.id, 'team')] });
  assert.equal([await sees(stranger), await edits(stranger)], [false, false], 'what is hidden is not changed either');
  assert.equal([await sees(member), await edits(member)], [true, true]);
  await patch(databaseAt(), { owners: [ref(frank.id, 'team')] });
  assert.equal([await sees(stranger), await edits(stranger)], [true, true]);
});

test('creating an asset is authorized by its future parent, not by its own members', async () => {
  const rule: RuleOptions = { operations: ['Create'], resources: ['databaseSchema'], condition: 'isOwner()' };
  const caller = await rights.person([rule]);
  const body = (name: string) => ({ name, database: `${root}.db`, owners: [ref(caller.id, 'user')] });
  expectRefused(await caller.post('/v1/databaseSchemas', body('one')), 403);
  expectRefused(await caller.put('/v1/databaseSchemas', body('one')), 403);
  await patch(databaseAt(), { owners: [ref(caller.id, 'user')] });
  ok(await caller.post('/v1/databaseSchemas', body('one')), 201);
  ok(await caller.put('/v1/databaseSchemas', body('two')), 201);
});

test('a new record has the domains it names, else those of its parent', async () => {
  const domain = await rights.make('domains', 'dom', { description: 'x', domainType: 'Aggregate' });
  const rule: RuleOptions = { operations: ['Create'], resources: ['databaseSchema'], condition: 'hasDomain()' };
  const caller = await rights.person([rule], { domains: [domain.fullyQualifiedName] });
  const body = { name: 'one', database: `${root}.db` };
  expectRefused(await caller.post('/v1/databaseSchemas', body), 403);
  ok(await caller.post('/v1/databaseSchemas', { ...body, domains: [domain.fullyQualifiedName] }), 201);
  await patch(databaseAt(), { domains: [domain.fullyQualifiedName] });
  ok(await caller.post('/v1/databaseSchemas', { ...body, name: 'two' }), 201);
});

test('bots have no built-in rights, and their roles allow and deny', async () => {
  const plain = await rights.person([], { isBot: true });
  assert.is(await sees(plain), true);
  assert.is(await edits(plain), false);
  const bot = await plainPerson(service, uniqueName('ingest'), { isBot: true });
  assert.is(await edits(bot), true);
  const user = await rights.make('users', 'machine', { email: `${uniqueName('m')}@example.com`, isBot: true });
  expectRefused(await bot.post('/v1/bots', { name: uniqueName('bot'), botUser: user.name }), 403);
});

test('a bot that impersonates a user has the rights of the user and none of its own', async () => {
  const bot = await plainPerson(service, uniqueName('actor'), { isBot: true });
  const role = await rights.role({ operations: ['Impersonate'], resources: ['user'] });
  await patch(`/v1/users/${bot.id}`, { allowImpersonation: true, roles: [ref(role.id, 'role')] });
  const [owner, stranger] = [await rights.person(), await rights.person()];
  await patch(databaseAt(), { owners: [ref(owner.id, 'user')] });
  const actAs = (name: string) =>
    bot.put('/v1/databases', { name: 'db', service: root, description: name }, { 'x-impersonate-user': name });
  ok(await actAs(owner.name));
  expectRefused(await actAs(stranger.name), 403);
});

test('the default rules let nobody take over policies or teams', async () => {
  const { authorizer } = service.app.engine;
  const caller = await rights.person();
  const principal = { id: caller.id, name: caller.name, email: '', isAdmin: false, isBot: false, roles: [] };
  await authorizer.ensureFresh();
  assert.equal([...authorizer.requiredFacts(principal, ['EditOwners'], 'database')], ['owners']);
  const unowned = { ownerIds: [], owningTeamIds: [], peoplesTeamIds: [], domainIds: [], tags: new Set<string>() };
  for (const resource of ['policy', 'team', 'database']) {
    const filter = authorizer.filter(principal, ['EditOwners'], resource);
    const mayTake = (ownerIds: readonly string[]): boolean =>
      typeof filter === 'function' && filter({ ...unowned, ownerIds, certification: undefined });
    // Its owner may hand on what is his, but nobody may take what is nobody's, or somebody else's.
    assert.equal(
      [mayTake([]), mayTake(['other']), mayTake([caller.id])],
      [resource === 'database', false, true],
      resource,
    );
  }
});

test('facts of many records are loaded at once and only as requested', async () => {
  const [team, owner] = [await rights.team(), await rights.person()];
  await patch(`/v1/services/databaseServices/name/${root}`, { owners: [ref(team.id, 'team')] });
  await patch(databaseAt(), { tags: [label('Tier.Tier1')] });
  const schema = ok(
    await service.admin.post('/v1/databaseSchemas', {
      name: 'own',
      database: `${root}.db`,
      owners: [ref(owner.id, 'user')],
    }),
    201,
  );
  const database = ok(await service.admin.get(databaseAt()));
  const { facts } = service.app.engine;
  const stray = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
  const found = await facts.readMany([schema.id, stray, database.id], new Set<ResourceFact>(['owners', 'tags']));
  assert.equal([...found.keys()].sort(), [schema.id, database.id].sort());
  const [first, second] = [found.get(schema.id), found.get(database.id)];
  assert.equal([first?.ownerIds, first?.owningTeamIds, [...(first?.tags ?? [])]], [[owner.id], [], []]);
  assert.equal(
    [second?.ownerIds, second?.owningTeamIds, [...(second?.tags ?? [])]],
    [[team.id], [team.id], ['Tier.Tier1']],
  );
  const fewer = await facts.read(database.id, new Set<ResourceFact>(['domains']));
  assert.equal([fewer?.ownerIds, [...(fewer?.tags ?? [])], fewer?.domainIds], [[], [], []]);
  assert.is(await facts.read(stray, new Set<ResourceFact>(['owners'])), undefined);
});

test.run();
