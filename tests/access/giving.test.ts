import { expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { createRightsFactory, type Person, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that nobody gives rights that they do not have, whatever they own. */

const test = suite('access: giving rights');

let service: Service;
let rights: RightsFactory;

test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
  test.after(() => rights.clear());
});

type Made = Awaited<ReturnType<RightsFactory['role']>>;

const RULERS = ['team', 'user', 'role', 'policy'];

/** Whoever may give rights by name, beside what they may do otherwise. */
const giver = (...rules: readonly RuleOptions[]): Promise<Person> =>
  rights.person([{ operations: ['EditRole', 'EditPolicy', 'Create', 'EditAll'], resources: RULERS }, ...rules]);

const builtIn = async (name: string): Promise<Made> => ok(await service.admin.get(`/v1/roles/name/${name}`));

const owned = async (path: string, body: object, owner: Person): Promise<Made> => {
  const made = ok(await service.admin.post(`/v1/${path}`, { name: uniqueName('own'), ...body }), 201);
  return ok(await service.admin.patch(`/v1/${path}/${made.id}`, { owners: [{ id: owner.id, type: 'user' }] }, MERGE));
};

const MERGE = { 'content-type': 'application/merge-patch+json' };

const patch = (caller: Person, path: string, { id }: Pick<Made, 'id'>, body: object) =>
  caller.patch(`/v1/${path}/${id}`, body, MERGE);

const ref = ({ id }: Pick<Made, 'id'>, type: string) => ({ id, type });

/** A change that has to be refused, and that leaves its record as it is. */
const refuses = async (caller: Person, path: string, made: Made, body: object, operation: string): Promise<void> =>
  expectRefused(
    await expectUnchanged(service, made.id, () => patch(caller, path, made, body)),
    403,
    new RegExp(`operations \\[${operation}\\] not allowed`),
  );

test('owning a team or a policy gives no right to give rights', async () => {
  const owner = await rights.person();
  const bringer = await builtIn('IngestionBotRole');
  const team = await owned('teams', { teamType: 'Group' }, owner);
  ok(await patch(owner, 'teams', team, { description: 'mine' }));
  await refuses(owner, 'teams', team, { defaultRoles: [ref(bringer, 'role')] }, 'EditRole');
  const policy = await rights.policy({ operations: ['All'] });
  await refuses(owner, 'teams', team, { policies: [ref(policy, 'policy')] }, 'EditPolicy');
  const rule = { name: 'r', effect: 'allow', operations: ['ViewAll'], resources: ['all'] };
  const own = await owned('policies', { rules: [rule] }, owner);
  await refuses(owner, 'policies', own, { rules: [{ ...rule, operations: ['All'] }] }, 'EditPolicy');
  await refuses(owner, 'policies', own, { enabled: false }, 'EditPolicy');
});

test('a rule about all records gives none either, and nor does the right to edit everything', async () => {
  const wide = await rights.person([{ operations: ['All'] }]);
  const narrow = await rights.person([{ operations: ['EditAll', 'Create'], resources: RULERS }]);
  const byOwning = await rights.person([{ operations: ['EditRole'], resources: ['team'], condition: 'isOwner()' }]);
  const team = await owned('teams', { teamType: 'Group' }, byOwning);
  const role = await rights.role({ operations: ['ViewAll'] });
  for (const caller of [wide, narrow, byOwning])
    await refuses(caller, 'teams', team, { defaultRoles: [ref(role, 'role')] }, 'EditRole');
  for (const caller of [wide, narrow]) {
    const name = uniqueName('usr');
    const account = { name, email: `${name}@example.com`, roles: [role.id] };
    expectRefused(await caller.post('/v1/users', account), 403, /EditRole/);
    const body = { name: uniqueName('role'), policies: [(await rights.policy({ operations: ['ViewAll'] })).name] };
    expectRefused(await caller.post('/v1/roles', body), 403, /EditPolicy/);
    const [failed] = ok(await caller.put('/v1/roles/bulk', [body])).failedRequest;
    expectRefused(await caller.put('/v1/roles', body), 403, /EditPolicy/);
    if (failed?.status !== 403) throw new Error('a row gave rights');
  }
});

test('nobody gives an operation that they do not have, by a role, a policy or a rule', async () => {
  const small = await giver({ operations: ['ViewAll', 'EditDescription'], resources: ['table'] });
  const team = await rights.team();
  const secrets = await rights.role({ operations: ['ViewSecrets'], resources: ['databaseService'] });
  await refuses(small, 'teams', team, { defaultRoles: [ref(secrets, 'role')] }, 'ViewSecrets');
  const harmless = await rights.role({ operations: ['EditDescription'], resources: ['table'] });
  ok(await patch(small, 'teams', team, { defaultRoles: [ref(harmless, 'role')] }));
  await refuses(
    small,
    'roles',
    harmless,
    { policies: [ref(await rights.policy({ operations: ['All'] }), 'policy')] },
    'All',
  );
  const policy = await rights.policy({ operations: ['EditDescription'], resources: ['table'] });
  const rule = { name: 'rule0', effect: 'allow', operations: ['EditTags', 'EditDescription'], resources: ['table'] };
  const wider = { ...rule, operations: ['EditLineage'] };
  await refuses(small, 'policies', policy, { rules: [wider] }, 'EditLineage');
  const condition = { ...rule, operations: ['EditDescription'], condition: 'isOwner()' };
  ok(await patch(small, 'policies', policy, { rules: [condition] }));
});

test('a role that somebody has is theirs to give, and a denial takes nothing from others', async () => {
  const role = await rights.role({ operations: ['ViewSecrets'], resources: ['databaseService'] });
  const having = await giver();
  ok(await service.admin.patch(`/v1/users/${having.id}`, [{ op: 'add', path: '/roles/-', value: ref(role, 'role') }]));
  ok(await patch(having, 'teams', await rights.team(), { defaultRoles: [ref(role, 'role')] }));
  const denial = { name: 'r', effect: 'deny', operations: ['All'], resources: ['all'], condition: 'isOwner()' };
  ok(await having.post('/v1/policies', { name: uniqueName('pol'), rules: [denial] }), 201);
});

test('what is switched on again counts as given', async () => {
  const small = await giver();
  const policy = await rights.policy({ operations: ['ViewSecrets'], resources: ['databaseService'] });
  ok(await service.admin.patch(`/v1/policies/${policy.id}`, { enabled: false }, MERGE));
  await refuses(small, 'policies', policy, { enabled: true }, 'ViewSecrets');
});

test('built-in roles and policies are changed by administrators only', async () => {
  const strong = await giver({ operations: ['All'] });
  const role = await builtIn('DataSteward');
  const policy: Made = ok(await service.admin.get('/v1/policies/name/DataStewardPolicy'));
  await refuses(strong, 'roles', role, { displayName: 'Mine' }, 'EditAll');
  await refuses(strong, 'policies', policy, { description: 'Mine.' }, 'EditAll');
  ok(await service.admin.patch(`/v1/roles/${role.id}`, { displayName: 'Data Steward' }, MERGE));
});

test.run();
