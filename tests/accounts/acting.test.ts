import * as assert from 'uvu/assert';
import { entriesSoon } from '../support/audit.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, createRoleFor, type RuleOptions } from '../support/rights.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { generate, type Member, newBot, newMember, withApp } from './fixture.ts';

/** Shows impersonation by bots, and who counts as an administrator. */

const test = suite('accounts: impersonation and administrators');

let service: Service;
test.before(async () => {
  service = await openService();
});

type Actor = { readonly robot: Member; readonly boss: Member; readonly client: Client; readonly as: object };

/** A bot that may act for others, and somebody with every right that policies give, for whom it does. */
const newActor = async (): Promise<Actor & { readonly headers: Record<string, string> }> => {
  const [impersonating, ruling] = [await createRoleFor(service, 'Impersonate'), await createRoleFor(service, 'All')];
  const robot = await newBot(service, { roles: [impersonating] });
  const boss = await newMember(service, { roles: [ruling] });
  const bot = { name: uniqueName('bot'), botUser: robot.name, allowImpersonation: true };
  ok(await service.admin.post('/v1/bots', bot), 201);
  const client = withToken(service, ok(await generate(service.admin, robot.id)).JWTToken);
  const headers = { 'X-Impersonate-User': boss.name };
  return { robot, boss, client, headers, as: { updatedBy: boss.name, impersonatedBy: robot.name } };
};

const eventsOf = async (id: string) => {
  const rows = await service.graph.query(
    'MATCH (e:ChangeEvent {entityId: $id}) RETURN e.json AS json ORDER BY e.timestamp, e.eventType',
    { id },
  );
  return rows.map(({ json }) => JSON.parse(String(json)));
};

const shownAs = ({ updatedBy, impersonatedBy }: Record<string, unknown>) => ({ updatedBy, impersonatedBy });

test('records and events name the impersonated user and the bot', async () => {
  const { robot, boss, client, headers, as } = await newActor();
  const path = '/v1/domains';
  const body = { name: uniqueName('Dom'), description: 'x', domainType: 'Aggregate' };
  const made = ok(await client.post(path, body, headers), 201);
  assert.equal(shownAs(made), as);
  const patched = ok(await client.patch(`${path}/${made.id}`, { displayName: 'Shown' }, headers));
  assert.equal(shownAs(patched), as);
  const put = ok(await client.put(path, { ...body, description: 'y' }, headers));
  assert.equal(shownAs(put), as);
  assert.equal(shownAs(ok(await service.admin.get(`${path}/${made.id}`))), as);
  assert.equal(shownAs(ok(await service.admin.get(`${path}/${made.id}/versions/0.2`))), as);
  const voted = ok(await client.put(`${path}/${made.id}/followers`, boss.id, headers));
  assert.equal([voted.userName, voted.impersonatedBy], [boss.name, robot.name]);
  const events = await eventsOf(made.id);
  assert.is(events.length, 4);
  for (const event of events) assert.equal([event.userName, event.impersonatedBy], [boss.name, robot.name]);
  // The next one who changes it does so by themselves.
  const own = ok(await service.admin.patch(`${path}/${made.id}`, { displayName: 'Again' }));
  assert.equal([own.updatedBy, 'impersonatedBy' in own], ['admin', false]);
  const later = (await eventsOf(made.id)).at(-1);
  assert.equal([later.userName, 'impersonatedBy' in later], ['admin', false]);
});

test('deletions, restores and bulk requests name both too', async () => {
  const { robot, boss, client, headers, as } = await newActor();
  const path = '/v1/services/databaseServices';
  const body = { name: uniqueName('svc'), serviceType: 'Mysql' };
  ok(await client.put(`${path}/bulk`, [body], headers));
  const { id } = ok(await service.admin.get(`${path}/name/${body.name}`));
  assert.equal(shownAs(ok(await client.delete(`${path}/${id}`, headers))), as);
  assert.equal(shownAs(ok(await client.put(`${path}/restore`, { id }, headers))), as);
  assert.equal(shownAs(ok(await client.delete(`${path}/${id}?hardDelete=true`, headers))), as);
  const events = await eventsOf(id);
  assert.equal(events.map(({ eventType }) => eventType).sort(), [
    'entityCreated',
    'entityDeleted',
    'entityRestored',
    'entitySoftDeleted',
  ]);
  for (const event of events) assert.equal([event.userName, event.impersonatedBy], [boss.name, robot.name]);
});

test('impersonation without the flag or by a person is 403, and of an unknown user 401', async () => {
  const { client, boss, headers } = await newActor();
  const me = '/v1/users/loggedInUser';
  assert.is(ok(await client.get(me, headers)).name, boss.name);
  assert.is(ok(await client.get(me, { 'X-Impersonate-User': ` ${boss.name.toUpperCase()} ` })).name, boss.name);
  expectRefused(
    await client.get(me, { 'X-Impersonate-User': uniqueName('nobody') }),
    401,
    'Not Authorized! Invalid Token',
  );
  const timid = await newBot(service);
  const refusal = /operations \[Impersonate\] not allowed$/;
  const without = withToken(service, ok(await generate(service.admin, timid.id)).JWTToken);
  expectRefused(await without.get(me, headers), 403, refusal);
  expectRefused(await service.admin.get(me, headers), 403, refusal);
  ok(await service.admin.delete(`/v1/users/${boss.id}`));
  expectRefused(await client.get(me, headers), 401);
});

test('policies must allow the bot to impersonate, and may revoke that', async () => {
  const [robot, member] = [await newBot(service), await newMember(service)];
  ok(await service.admin.post('/v1/bots', { name: robot.name, botUser: robot.name, allowImpersonation: true }), 201);
  const client = withToken(service, ok(await generate(service.admin, robot.id)).JWTToken);
  const headers = { 'X-Impersonate-User': member.name };
  const me = '/v1/users/loggedInUser';
  expectRefused(await client.get(me, headers), 403, /operations \[Impersonate\] not allowed$/);
  const role = await createRoleFor(service, 'Impersonate');
  const roles = (ids: readonly string[]) => ({ roles: ids.map((id) => ({ id, type: 'role' })) });
  ok(await service.admin.patch(`/v1/users/${robot.id}`, roles([role])));
  assert.is(ok(await client.get(me, headers)).name, member.name);
  ok(await service.admin.patch(`/v1/users/${robot.id}`, roles([])));
  expectRefused(await client.get(me, headers), 403);
});

const RULE: RuleOptions = { operations: ['Impersonate'], resources: ['user'] };

/** Somebody to act for, and whether a bot with these rules may. */
const judgeBy = async (rules: readonly RuleOptions[]) => {
  const rights = createRightsFactory(service);
  const domain = async (): Promise<string> => {
    const body = { name: uniqueName('Dom'), description: 'x', domainType: 'Aggregate' };
    return ok(await service.admin.post('/v1/domains', body), 201).fullyQualifiedName;
  };
  const [ours, theirs] = [await domain(), await domain()];
  const roles = [(await rights.role(...rules)).id];
  const robot = await newBot(service, { roles, domains: [ours] });
  ok(await service.admin.post('/v1/bots', { name: robot.name, botUser: robot.name, allowImpersonation: true }), 201);
  const client = withToken(service, ok(await generate(service.admin, robot.id)).JWTToken);
  const statusFor = async (domains: readonly string[]): Promise<number> => {
    const { name } = await newMember(service, { domains });
    return (await client.get('/v1/users/loggedInUser', { 'X-Impersonate-User': name })).status;
  };
  const nobody = await client.get('/v1/users/loggedInUser', { 'X-Impersonate-User': uniqueName('nobody') });
  return { inOurs: await statusFor([ours]), inTheirs: await statusFor([theirs]), inNone: await statusFor([]), nobody };
};

test('conditions of impersonation rules are evaluated against the impersonated user', async () => {
  const allowing = await judgeBy([{ ...RULE, condition: 'hasDomain()' }]);
  assert.equal([allowing.inOurs, allowing.inTheirs, allowing.inNone], [200, 403, 403]);
  const denying = await judgeBy([RULE, { ...RULE, effect: 'deny', condition: 'noDomain()' }]);
  assert.equal([denying.inOurs, denying.inTheirs, denying.inNone], [200, 200, 403]);
  expectRefused(denying.nobody, 401);
  // Who is there is told to nobody who may act for no one.
  const without = await judgeBy([{ ...RULE, effect: 'deny' }]);
  assert.equal([without.inOurs, without.nobody.status], [403, 403]);
});

test('a refused impersonation is logged with the name of the bot', async () => {
  const robot = await newBot(service);
  ok(await service.admin.post('/v1/bots', { name: robot.name, botUser: robot.name, allowImpersonation: true }), 201);
  const client = withToken(service, ok(await generate(service.admin, robot.id)).JWTToken);
  const { name } = await newMember(service);
  expectRefused(await client.get('/v1/users/loggedInUser', { 'X-Impersonate-User': name }), 403);
  const [entry] = await entriesSoon(service.admin, { actor: robot.name, action: 'refused' });
  assert.equal([entry?.outcome, entry?.details], ['refused', { operation: 'GET /v1/users/loggedInUser' }]);
});

test('administrators and bots cannot be impersonated, whatever policies say', async () => {
  const robot = await newBot(service, { roles: [await createRoleFor(service, 'All')] });
  ok(await service.admin.post('/v1/bots', { name: robot.name, botUser: robot.name, allowImpersonation: true }), 201);
  const client = withToken(service, ok(await generate(service.admin, robot.id)).JWTToken);
  const [chief, member] = [await newMember(service, { isAdmin: true }), await newMember(service)];
  const refusal = /operations \[Impersonate\] not allowed$/;
  for (const name of ['admin', 'ADMIN ', chief.name, 'ingestion-bot', 'quality-bot', 'profiler-bot', robot.name]) {
    for (const path of ['/v1/users/loggedInUser', '/v1/permissions', '/v1/events?limit=1']) {
      expectRefused(await client.get(path, { 'X-Impersonate-User': name }), 403, refusal);
    }
    const body = { name: uniqueName('Dom'), description: 'x', domainType: 'Aggregate' };
    expectRefused(await client.post('/v1/domains', body, { 'X-Impersonate-User': name }), 403, refusal);
  }
  const as = { 'X-Impersonate-User': member.name };
  ok(await client.get('/v1/users/loggedInUser', as));
  // Whoever becomes an administrator is out of reach from then on.
  ok(await service.admin.patch(`/v1/users/${member.id}`, { isAdmin: true }));
  expectRefused(await client.get('/v1/users/loggedInUser', as), 403, refusal);
});

test('the names in AUTH_ADMINS are administrators from the start', async () => {
  const { ensureBuiltIns } = await import('../../src/system/built-ins.ts');
  const { SYSTEM_PRINCIPAL } = await import('../../src/access/service-identity.ts');
  const { readConfig } = await import('../../src/config.ts');
  const [known, unknown] = [await newMember(service), uniqueName('chief')];
  const env = {
    AUTH_ADMINS: `${known.name.toUpperCase()}, ${unknown}`,
    TRIBUTARY_HOME: process.env['TEST_HOME'] ?? '',
  };
  const { app } = await openSecondProcessWith(service, {}, { env });
  await ensureBuiltIns(app.engine, SYSTEM_PRINCIPAL, readConfig(env));
  for (const name of [known.name, unknown]) {
    const client = withToken(withApp(service, app), await service.token(name));
    const shown = ok(await client.get('/v1/users/loggedInUser'));
    assert.equal([shown.name, shown.isAdmin], [name, true]);
    ok(await client.post('/v1/domains', { name: uniqueName('Dom'), description: 'x', domainType: 'Aggregate' }), 201);
  }
});

test.run();
