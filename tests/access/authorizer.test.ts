import * as assert from 'uvu/assert';
import type { RecordFacts } from '../../src/access/authorization.ts';
import { createAuthorizer } from '../../src/access/authorizer.ts';
import type { Principal } from '../../src/access/principal.ts';
import type {
  PolicyRightsRow,
  PolicyRuleData,
  RightsData,
  RoleRightsRow,
  TeamRightsRow,
} from '../../src/access/rights.ts';
import { CatalogError } from '../../src/errors.ts';
import { countCalls } from '../support/count-calls.ts';
import { prepareDecisions } from '../support/seeded-rights.ts';
import { suite } from '../support/suite.ts';
import { createClock } from './fixture.ts';

/** Shows how the authorizer decides from policies, roles, teams and record facts. */

const test = suite('access: authorizer');

type Data = {
  readonly policies?: readonly PolicyRightsRow[];
  readonly roles?: readonly RoleRightsRow[];
  readonly teams?: readonly TeamRightsRow[];
};

const rule = (more: Partial<PolicyRuleData> = {}): PolicyRuleData => ({
  name: 'rule',
  effect: 'allow',
  operations: ['ViewAll'],
  resources: ['all'],
  ...more,
});

const policy = (
  id: string,
  rules: readonly PolicyRuleData[],
  more: Partial<PolicyRightsRow> = {},
): PolicyRightsRow => ({
  id,
  name: id,
  fullyQualifiedName: id,
  enabled: true,
  rules,
  ...more,
});

const role = (id: string, policyIds: readonly string[], more: Partial<RoleRightsRow> = {}): RoleRightsRow => ({
  id,
  name: id,
  fullyQualifiedName: id,
  enabled: true,
  policyIds,
  ...more,
});

const team = (id: string, more: Partial<TeamRightsRow> = {}): TeamRightsRow => ({
  id,
  fullyQualifiedName: id,
  parentIds: id === 'Organization' ? [] : ['Organization'],
  roleIds: [],
  policyIds: [],
  domainIds: [],
  ...more,
});

const ORGANIZATION = team('Organization');

/** A judge over some rights, who has read them. */
const judgeOf = async ({ policies = [], roles = [], teams = [ORGANIZATION] }: Data) => {
  const clock = createClock();
  const state = { data: { policies, roles, teams } as RightsData, revision: 1, reads: 0, looks: 0, isAway: false };
  const judge = createAuthorizer({
    readRevision: async () => {
      state.looks += 1;
      if (state.isAway) throw new CatalogError('unavailable', 'away');
      return state.revision;
    },
    readRights: async () => {
      state.reads += 1;
      return state.data;
    },
    subjectTypes: new Map(),
    assets: new Set(['table']),
    clock,
  });
  await judge.ensureFresh();
  return { judge, state, clock };
};

const who = (
  more: Partial<Principal> & { readonly teamIds?: readonly string[]; readonly roleIds?: readonly string[] } = {},
) => {
  const { teamIds = [], roleIds = [], ...rest } = more;
  const membership = { teamIds, roleIds, domainIds: [] };
  return { id: 'ann', name: 'ann', email: '', isAdmin: false, isBot: false, roles: [], membership, ...rest };
};

const facts = (more: Partial<RecordFacts> = {}): RecordFacts => ({
  ownerIds: [],
  owningTeamIds: [],
  peoplesTeamIds: [],
  domainIds: [],
  tags: new Set(),
  certification: undefined,
  ...more,
});

type Judge = Awaited<ReturnType<typeof judgeOf>>['judge'];

/** The operations a refusal names; none when the caller may pass. */
const refusal = (
  judge: Judge,
  principal: Principal,
  operations: readonly string[],
  known?: RecordFacts,
  resource = 'table',
) => {
  try {
    judge.authorize(principal, operations, known ? { resource, facts: known } : { resource });
    return undefined;
  } catch (failure) {
    if (!(failure instanceof CatalogError) || failure.code !== 'forbidden') throw failure;
    return failure.message;
  }
};

const may = (judge: Judge, principal: Principal, operation: string, known?: RecordFacts, resource = 'table'): boolean =>
  refusal(judge, principal, [operation], known, resource) === undefined;

const asked = (judge: Judge, principal: Principal, operation: string, resource = 'table') =>
  [...judge.requiredFacts(principal, [operation], resource)].sort();

const onRole = (...rules: PolicyRuleData[]): Data => ({ policies: [policy('p', rules)], roles: [role('r', ['p'])] });
const ANN = who({ roleIds: ['r'] });

test('without a rule there is no right, and the error names the missing operation', async () => {
  const { judge } = await judgeOf(onRole(rule({ operations: ['EditTags'] })));
  assert.is(may(judge, who(), 'ViewBasic'), false);
  assert.is(
    refusal(judge, ANN, ['EditTags', 'Create', 'Delete']),
    "Principal: CatalogPrincipal{name='ann'} operations [Create, Delete] not allowed",
  );
});

test('administrators may do everything despite any deny, and no record facts are loaded', async () => {
  const { judge } = await judgeOf(onRole(rule({ effect: 'deny', operations: ['All'], condition: 'isOwner()' })));
  const admin = who({ isAdmin: true, roleIds: ['r'] });
  assert.is(may(judge, admin, 'Delete', facts({ ownerIds: ['ann'] })), true);
  assert.equal(asked(judge, admin, 'Delete'), []);
  assert.is(judge.filter(admin, ['Delete'], 'table'), 'all');
});

test('All covers every operation, ViewAll and EditAll cover theirs', async () => {
  const allows = async (operations: string[], operation: string) =>
    may((await judgeOf(onRole(rule({ operations })))).judge, ANN, operation);
  for (const operation of ['Create', 'ViewUsage', 'EditTier', 'Kill', 'All'])
    assert.is(await allows(['All'], operation), true);
  for (const operation of ['ViewBasic', 'ViewSampleData', 'ViewAll'])
    assert.is(await allows(['ViewAll'], operation), true);
  for (const operation of ['EditTier', 'EditAll', 'EditLineage']) assert.is(await allows(['EditAll'], operation), true);
  assert.is(await allows(['ViewAll'], 'EditTags'), false);
  assert.is(await allows(['EditAll'], 'ViewBasic'), false);
  assert.is(await allows(['EditAll'], 'Delete'), false);
  assert.is(await allows(['ViewBasic'], 'ViewAll'), false);
});

test('a rule applies to the resources it names, or to all', async () => {
  const { judge } = await judgeOf(onRole(rule({ resources: ['table', 'lineage'] })));
  assert.is(may(judge, ANN, 'ViewAll', undefined, 'table'), true);
  assert.is(may(judge, ANN, 'ViewAll', undefined, 'lineage'), true);
  assert.is(may(judge, ANN, 'ViewAll', undefined, 'topic'), false);
});

test('a deny beats every allow, and the error names denied operations before missing ones', async () => {
  const { judge } = await judgeOf({
    policies: [
      policy('p', [rule({ operations: ['All'] })]),
      policy('q', [rule({ effect: 'deny', operations: ['Delete'] })]),
    ],
    roles: [role('r', ['p']), role('s', ['q'])],
  });
  const both = who({ roleIds: ['r', 's'] });
  assert.is(may(judge, both, 'EditTags'), true);
  assert.match(refusal(judge, both, ['EditTags', 'Delete']) ?? '', /\[Delete\] not allowed/);
  assert.match(refusal(judge, who({ roleIds: ['s'] }), ['EditTags', 'Delete']) ?? '', /\[Delete\] not allowed/);
});

test('a deny whose condition is not met has no effect', async () => {
  const { judge } = await judgeOf(
    onRole(
      rule({ operations: ['All'] }),
      rule({ effect: 'deny', operations: ['ViewAll'], condition: "matchAnyTag('PII.Sensitive')" }),
    ),
  );
  assert.equal(asked(judge, ANN, 'ViewBasic'), ['tags']);
  assert.equal(asked(judge, ANN, 'Delete'), []);
  assert.is(may(judge, ANN, 'ViewBasic', facts({ tags: new Set(['PII.Sensitive']) })), false);
  assert.is(may(judge, ANN, 'ViewBasic', facts()), true);
});

test('policies come from own roles, teams and all their ancestors, and provider roles count by name', async () => {
  const { judge } = await judgeOf({
    policies: ['own', 'mid', 'top', 'given'].map((id) => policy(id, [rule({ operations: ['All'], resources: [id] })])),
    roles: [role('own', ['own']), role('mid', ['mid']), role('given', ['given'])],
    teams: [
      team('Organization', { policyIds: ['top'] }),
      team('division', { roleIds: ['mid'] }),
      team('crew', { parentIds: ['division'] }),
      team('other'),
    ],
  });
  const allowed = (principal: Principal) =>
    ['own', 'mid', 'top', 'given'].filter((resource) => may(judge, principal, 'Delete', undefined, resource));
  assert.equal(allowed(who()), ['top']);
  assert.equal(allowed(who({ teamIds: ['other'] })), ['top']);
  assert.equal(allowed(who({ teamIds: ['crew'], roleIds: ['own'] })), ['own', 'mid', 'top']);
  assert.equal(allowed(who({ roles: ['given', 'unknown'] })), ['top', 'given']);
  assert.equal(allowed(who({ teamIds: ['gone'], roleIds: ['gone'] })), ['top']);
});

test('a member of several teams inherits from each, and a cycle of teams ends', async () => {
  const { judge } = await judgeOf({
    policies: ['one', 'two'].map((id) => policy(id, [rule({ operations: ['All'], resources: [id] })])),
    teams: [
      ORGANIZATION,
      team('one', { policyIds: ['one'], parentIds: ['two'] }),
      team('two', { policyIds: ['two'], parentIds: ['one'] }),
    ],
  });
  for (const teamIds of [['one'], ['two'], ['one', 'two']]) {
    for (const resource of ['one', 'two']) assert.is(may(judge, who({ teamIds }), 'Create', undefined, resource), true);
  }
});

test('a disabled rule or policy neither grants nor denies', async () => {
  const { judge } = await judgeOf({
    policies: [
      policy('on', [rule()]),
      policy('off', [rule({ effect: 'deny', operations: ['All'] })], { enabled: false }),
      policy('idle', [rule({ operations: ['Delete'] })]),
    ],
    roles: [role('r', ['on', 'off']), role('s', ['idle'], { enabled: false })],
  });
  const principal = who({ roleIds: ['r', 's'] });
  assert.is(may(judge, principal, 'ViewBasic'), true);
  assert.is(may(judge, principal, 'Delete'), false);
});

const owningTeams: Data = {
  policies: [
    policy('open', [rule({ operations: ['EditTags'] })]),
    policy('closed', [rule({ effect: 'deny', operations: ['ViewAll'], condition: "!inAnyTeam('crew')" })]),
    policy('mates', [rule({ operations: ['EditAll'], condition: 'matchTeam()' })]),
    policy('view', [rule()]),
  ],
  roles: [role('viewer', ['view'])],
  teams: [
    team('Organization', { roleIds: ['viewer'] }),
    team('division', { policyIds: ['open'] }),
    team('crew', { parentIds: ['division'], policyIds: ['closed', 'mates'] }),
    team('other'),
  ],
};

test('teams that own a record contribute their policies and those of their ancestors', async () => {
  const { judge } = await judgeOf(owningTeams);
  const stranger = who({ teamIds: ['other'] });
  const member = who({ teamIds: ['crew'] });
  const owned = facts({ ownerIds: ['crew'], owningTeamIds: ['crew'] });
  assert.equal(asked(judge, stranger, 'ViewBasic'), ['owners']);
  assert.is(may(judge, stranger, 'ViewBasic', facts()), true);
  assert.is(may(judge, stranger, 'ViewBasic', owned), false);
  assert.is(may(judge, stranger, 'EditTags', facts()), false);
  assert.is(may(judge, stranger, 'EditTags', owned), true);
  assert.is(may(judge, member, 'ViewBasic', owned), true);
  assert.equal(asked(judge, member, 'ViewBasic'), []);
});

test('matchTeam requires caller and record to belong to the team of the policy', async () => {
  const { judge } = await judgeOf(owningTeams);
  const [member, stranger] = [who({ teamIds: ['crew'] }), who({ id: 'ben', teamIds: ['other'] })];
  const ofTeam = facts({ ownerIds: ['crew'], owningTeamIds: ['crew'] });
  const ofMate = facts({ ownerIds: ['cleo'], peoplesTeamIds: ['crew'] });
  for (const known of [ofTeam, ofMate]) {
    assert.is(may(judge, member, 'EditOwners', known), true);
    assert.is(may(judge, stranger, 'EditOwners', known), false);
  }
  assert.is(may(judge, member, 'EditOwners', facts({ ownerIds: ['dan'], peoplesTeamIds: ['other'] })), false);
  assert.is(may(judge, member, 'EditOwners', facts()), false);
});

test('conditions about the caller alone load no record facts', async () => {
  const rules = [
    rule({ condition: "hasAnyRole('r') || isOwner()" }),
    rule({ operations: ['Delete'], condition: "inAnyTeam('crew') && noOwner()" }),
    rule({ operations: ['Create'], condition: "!hasAnyRole('r') && hasDomain()" }),
    rule({ operations: ['EditTags'], condition: "hasAnyRole('r') && (noDomain() || inAnyTeam('crew'))" }),
  ];
  const { judge } = await judgeOf({ ...onRole(...rules), teams: [ORGANIZATION, team('crew')] });
  assert.equal(asked(judge, ANN, 'ViewBasic'), []);
  assert.is(may(judge, ANN, 'ViewBasic'), true);
  assert.equal(asked(judge, ANN, 'Delete'), []);
  assert.is(may(judge, ANN, 'Delete'), false);
  assert.equal(asked(judge, ANN, 'Create'), []);
  assert.equal(asked(judge, ANN, 'EditTags'), ['domains']);
  const mate = who({ roleIds: ['r'], teamIds: ['crew'] });
  assert.equal(asked(judge, mate, 'Delete'), ['owners']);
  assert.equal(asked(judge, mate, 'EditTags'), []);
});

test('a refused operation makes the facts of the others unnecessary', async () => {
  const { judge } = await judgeOf(onRole(rule({ condition: 'isOwner()' })));
  assert.equal([...judge.requiredFacts(ANN, ['ViewBasic'], 'table')], ['owners']);
  assert.equal([...judge.requiredFacts(ANN, ['ViewBasic', 'Delete'], 'table')], []);
  assert.is(judge.filter(ANN, ['ViewBasic', 'Delete'], 'table'), 'none');
});

test('a list filter is all, none, or per row, allowing and denying', async () => {
  const { judge } = await judgeOf({
    policies: [
      policy('all', [rule()]),
      policy('mine', [rule({ condition: 'isOwner()' })]),
      policy('hidden', [rule({ effect: 'deny', condition: "matchAnyTag('PII.Sensitive')" })]),
      policy('never', [rule({ effect: 'deny' })]),
    ],
    roles: ['all', 'mine', 'hidden', 'never'].map((id) => role(id, [id])),
  });
  const filterFor = (...roleIds: string[]) => judge.filter(who({ roleIds }), ['ViewBasic'], 'table');
  assert.is(filterFor('all'), 'all');
  assert.is(filterFor('all', 'mine'), 'all');
  assert.is(filterFor(), 'none');
  assert.is(filterFor('hidden'), 'none');
  assert.is(filterFor('all', 'never', 'hidden'), 'none');
  const rows = [facts({ ownerIds: ['ann'] }), facts(), facts({ ownerIds: ['ann'], tags: new Set(['PII.Sensitive']) })];
  const shownTo = (...roleIds: string[]) => {
    const filter = filterFor(...roleIds);
    assert.type(filter, 'function');
    return typeof filter === 'function' ? rows.map(filter) : [];
  };
  assert.equal(shownTo('mine'), [true, false, true]);
  assert.equal(shownTo('mine', 'hidden'), [true, false, false]);
  assert.equal(shownTo('all', 'hidden'), [true, true, false]);
});

test('an unreadable condition allows nothing and denies everything', async () => {
  const { judge } = await judgeOf({
    policies: [
      policy('allow', [rule({ condition: 'nonsense(' })]),
      policy('deny', [rule({ effect: 'deny', operations: ['Delete'], condition: 'nonsense(' })]),
      policy('all', [rule({ operations: ['Delete'] })]),
    ],
    roles: [role('r', ['allow']), role('s', ['deny', 'all'])],
  });
  assert.is(may(judge, ANN, 'ViewBasic', facts()), false);
  assert.is(may(judge, who({ roleIds: ['s'] }), 'Delete', facts()), false);
});

test('a rule about all resources grants ownership of assets only, and a rule that names the kind or allows EditAll grants it too', async () => {
  const take = rule({ operations: ['EditOwners', 'EditTags'] });
  const { judge } = await judgeOf({
    policies: [
      policy('p', [take]),
      policy('q', [rule({ ...take, resources: ['policy'] })]),
      policy('edit', [rule({ operations: ['EditAll'] })]),
      policy('all', [rule({ operations: ['All'] })]),
      policy('apart', [take, rule({ operations: ['EditAll'], resources: ['table'] })]),
      policy('own', [take, rule({ operations: ['EditAll'], condition: 'isOwner()' })]),
    ],
    roles: [role('r', ['p']), role('s', ['q']), ...['edit', 'all', 'apart', 'own'].map((name) => role(name, [name]))],
  });
  assert.is(may(judge, ANN, 'EditOwners', undefined, 'table'), true);
  assert.is(may(judge, ANN, 'EditOwners', undefined, 'policy'), false);
  assert.is(may(judge, ANN, 'EditOwners', undefined, 'team'), false);
  for (const kind of ['databaseService', 'eventsubscription', 'bot', 'glossary', 'dataContract', 'domain']) {
    assert.is(may(judge, ANN, 'EditOwners', undefined, kind), false, kind);
  }
  assert.is(may(judge, ANN, 'EditTags', undefined, 'policy'), true);
  const takes = (name: string, known?: RecordFacts): boolean =>
    may(judge, who({ roleIds: [name] }), 'EditOwners', known, 'policy');
  assert.is(takes('s'), true);
  assert.is(takes('edit'), true);
  assert.is(takes('all'), true);
  assert.is(takes('apart'), false);
  assert.equal([takes('own', facts()), takes('own', facts({ ownerIds: ['ann'] }))], [false, true]);
});

test('bots have only the rights of their roles and teams', async () => {
  const { judge } = await judgeOf(onRole(rule({ operations: ['Create'] })));
  assert.is(may(judge, who({ isBot: true }), 'Create'), false);
  assert.is(may(judge, who({ isBot: true, roleIds: ['r'] }), 'Create'), true);
  assert.is(may(judge, who({ isBot: true, roleIds: ['r'] }), 'Delete'), false);
});

test('two users with the same roles and teams have separate decisions', async () => {
  const { judge } = await judgeOf(onRole(rule({ condition: 'isOwner()' })));
  const mine = facts({ ownerIds: ['ann'] });
  assert.is(may(judge, ANN, 'ViewBasic', mine), true);
  assert.is(may(judge, { ...ANN, id: 'ben' }, 'ViewBasic', mine), false);
  assert.is(may(judge, ANN, 'ViewBasic', mine), true);
  assert.is(may(judge, { ...ANN, roles: ['r'] }, 'ViewBasic', mine), true);
});

test('rights are used for a second, then checked for changes, and reloaded only if changed', async () => {
  const { judge, state, clock } = await judgeOf(onRole(rule()));
  assert.equal([state.looks, state.reads], [1, 1]);
  assert.is(judge.ensureFresh(), undefined);
  clock.advance(999);
  assert.is(judge.ensureFresh(), undefined);
  clock.advance(1);
  await Promise.all([judge.ensureFresh(), judge.ensureFresh()]);
  assert.equal([state.looks, state.reads], [2, 1]);
  state.data = { ...state.data, roles: [] };
  clock.advance(1000);
  await judge.ensureFresh();
  assert.is(may(judge, ANN, 'ViewBasic'), true);
  state.revision += 1;
  clock.advance(1000);
  await judge.ensureFresh();
  assert.is(may(judge, ANN, 'ViewBasic'), false);
  assert.equal([state.looks, state.reads], [4, 2]);
});

test('a local change takes effect on every later decision, even if a load was in progress', async () => {
  const { judge, state, clock } = await judgeOf(onRole(rule()));
  clock.advance(1000);
  // This look asks before the change, so that the revision it gets is the old one.
  const underWay = judge.ensureFresh();
  state.data = { ...state.data, roles: [] };
  state.revision += 1;
  judge.invalidate();
  const after = judge.ensureFresh();
  await underWay;
  assert.is(state.reads, 1);
  await after;
  assert.is(may(judge, ANN, 'ViewBasic'), false);
  assert.is(judge.ensureFresh(), undefined);
});

test('when rights cannot be loaded only administrators are allowed, and rights that are too old are not used', async () => {
  const { judge, state, clock } = await judgeOf(onRole(rule()));
  state.isAway = true;
  clock.advance(1000);
  const failure = await Promise.resolve(judge.ensureFresh()).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(failure instanceof CatalogError && failure.code === 'unavailable');
  clock.advance(400_000);
  assert.throws(
    () => judge.authorize(ANN, ['ViewBasic'], { resource: 'table' }),
    (error: unknown) => error instanceof CatalogError && error.code === 'unavailable',
  );
  assert.is(may(judge, who({ isAdmin: true }), 'ViewBasic'), true);
  state.isAway = false;
  await judge.ensureFresh();
  assert.is(may(judge, ANN, 'ViewBasic'), true);
});

/** How many functions one condition may call. */
const MOST_CALLS = 4;

test('the work of a decision is linear in the conditions, and no decision prepares them anew', async () => {
  const [few, many] = [await prepareDecisions(50), await prepareDecisions(200)];
  for (const decide of [few, many]) decide(1);
  const [once, hundred, ofMany] = [countCalls(() => few(1)), countCalls(() => few(100)), countCalls(() => many(1))];
  assert.ok(once < 50 * MOST_CALLS, `${once} calls for 50 conditions`);
  assert.ok(hundred <= 100 * once, `one decision takes ${once} calls, a hundred take ${hundred}`);
  assert.ok(ofMany < 5 * once, `${once} calls for 50 conditions became ${ofMany} for 200`);
});

test.run();
