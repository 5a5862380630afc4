import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import type { App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { ensureBuiltIns } from '../../src/system/built-ins.ts';
import { findAdministrator } from '../../src/system/queries.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Reply, type Service, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { type Member, newMember } from './fixture.ts';

/** Shows that no request or job can remove the last administrator. */

const test = suite('accounts: the last administrator');

let service: Service;
let admin: Member;
let others: readonly unknown[] = [];

const REFUSED = 'The last administrator can be neither deleted nor demoted';

/** Only these people are administrators, until the suite ends: the store is shared with other suites. */
const only = async (...people: readonly Member[]): Promise<void> => {
  await service.graph.query(
    `MATCH (user:User) WHERE user.isAdmin OR user.id IN $ids
     SET user.isAdmin = user.id IN $ids, user.deleted = user.deleted AND NOT user.id IN $ids`,
    { ids: people.map(({ id }) => id) },
  );
  forgetPeople();
};

/** The processes of the suite. Whoever they read a moment ago they remember for about a second. */
const processes: App[] = [];

const forgetPeople = (): void => {
  for (const process of processes) process.hear({ type: 'rights' });
};

const administrators = async (): Promise<string[]> => {
  const rows = await service.graph.query(
    'MATCH (user:User {isAdmin: true}) WHERE NOT user.deleted AND NOT user.isBot RETURN user.name AS name ORDER BY name',
    {},
  );
  return rows.map((row) => String(row['name']));
};

test.before(async () => {
  service = await openService();
  processes.push(service.app);
  admin = ok(await service.admin.get('/v1/users/name/admin'));
  others = (
    await service.graph.query('MATCH (user:User {isAdmin: true}) WHERE NOT user.deleted RETURN user.id AS id', {})
  ).map(({ id }) => id);
});
test.after(async () => {
  await service.graph.query(
    'MATCH (user:User) WHERE user.id IN $others SET user.isAdmin = true, user.isBot = false, user.deleted = false',
    { others },
  );
  forgetPeople();
});

const path = ({ id }: Member): string => `/v1/users/${id}`;

const ATTACKS: Readonly<Record<string, (client: Client, target: Member) => Promise<Reply>>> = {
  'a JSON Patch': (client, target) =>
    client.patch(path(target), [{ op: 'replace', path: '/isAdmin', value: false }], {
      'content-type': 'application/json-patch+json',
    }),
  'a JSON Patch that removes the flag': (client, target) =>
    client.patch(path(target), [{ op: 'remove', path: '/isAdmin' }], {
      'content-type': 'application/json-patch+json',
    }),
  'a merge patch': (client, target) => client.patch(path(target), { isAdmin: false }),
  'a merge patch that clears the flag': (client, target) => client.patch(path(target), { isAdmin: null }),
  'a patch that makes them a bot': (client, target) => client.patch(path(target), { isBot: true }),
  'a dry run of a merge patch': (client, target) => client.patch(`${path(target)}?dryRun=true`, { isAdmin: false }),
  'a PUT': (client, { name, email }) => client.put('/v1/users', { name, email, isAdmin: false }),
  'a PUT that makes them a bot': (client, { name, email }) => client.put('/v1/users', { name, email, isBot: true }),
  'a soft delete': (client, target) => client.delete(path(target)),
  'a hard delete': (client, target) => client.delete(`${path(target)}?hardDelete=true`),
  'a recursive hard delete': (client, target) => client.delete(`${path(target)}?hardDelete=true&recursive=true`),
  'a delete by name': (client, { name }) => client.delete(`/v1/users/name/${name}`),
};

for (const [name, attack] of Object.entries(ATTACKS)) {
  test(`the last administrator cannot be removed: ${name}`, async () => {
    await only(admin);
    const before = ok(await service.admin.get(path(admin)));
    expectRefused(await attack(service.admin, admin), 409, REFUSED, 'CONFLICT');
    assert.equal(await administrators(), ['admin']);
    assert.equal(ok(await service.admin.get(path(admin))), before);
  });
}

test('a bulk row that demotes the last administrator fails, and the others are written', async () => {
  await only(admin);
  const other = await newMember(service);
  const rows = [
    { name: admin.name, email: admin.email, isAdmin: false },
    { name: other.name, email: other.email, description: 'written' },
  ];
  const result = ok(await service.admin.put('/v1/users/bulk', rows));
  assert.equal([result.status, result.failedRequest.length], ['partialSuccess', 1], JSON.stringify(result));
  assert.is(result.failedRequest[0].message, REFUSED);
  assert.is(ok(await service.admin.get(path(other))).description, 'written');
  assert.equal(await administrators(), ['admin']);
});

test('a job refuses to delete the last administrator', async () => {
  await only(admin);
  const { jobId } = ok(await service.admin.delete(`/v1/users/async/${admin.id}?hardDelete=true`), 202);
  const job = await waitForJobEnd(service.admin, jobId);
  assert.match(JSON.stringify(job), new RegExp(REFUSED));
  assert.equal(await administrators(), ['admin']);
});

test('a bot with administrator rights does not count as the last administrator', async () => {
  const bot = await newMember(service, { isBot: true, password: undefined });
  await only(admin, bot);
  expectRefused(await service.admin.patch(path(admin), { isAdmin: false }), 409, REFUSED);
});

test('an administrator can be removed if another one is left', async () => {
  const second = await newMember(service);
  await only(admin, second);
  assert.is(ok(await service.admin.patch(path(second), { isAdmin: false })).isAdmin, false);
  await only(admin, second);
  ok(await service.admin.delete(path(second)));
  assert.equal(await administrators(), ['admin']);
});

test('of two administrators who demote or delete each other concurrently, in one process or two, one stays', async () => {
  const twin = await openSecondProcessWith(service, {});
  processes.push(twin.app);
  for (const attack of ['a merge patch', 'a hard delete', 'a soft delete']) {
    for (const process of [service.app, twin.app]) {
      await only(admin);
      const [one, other] = [await newMember(service), await newMember(service)];
      await only(one, other);
      const [here, there] = [
        withToken(service, await service.token(one.name)),
        withToken({ ...service, app: process }, await service.token(other.name)),
      ];
      const replies = await Promise.all([ATTACKS[attack]?.(here, other), ATTACKS[attack]?.(there, one)]);
      const left = await administrators();
      assert.is(left.length, 1, `${attack}: ${replies.map((reply) => reply?.status)} left ${left}`);
    }
  }
});

const startAnew = async (): Promise<void> => {
  const twin = await openSecondProcessWith(service, {});
  await ensureBuiltIns(twin.app.engine, SYSTEM_PRINCIPAL, readConfig({}));
  forgetPeople();
};

/** Whoever the token of the start would be for, as the service sees them. */
const answeredAt = async (): Promise<[string | undefined, number]> => {
  const [user] = await service.graph.read(findAdministrator, { preferred: 'admin' });
  const client = withToken(service, await service.token(user?.name ?? 'nobody'));
  return [user?.name, (await client.get('/v1/users?limit=1&isAdmin=true')).status];
};

test('a start on an older store without administrators restores one, whatever became of admin', async () => {
  for (const state of [
    'SET user.isAdmin = false',
    'SET user.isBot = true',
    'SET user.isAdmin = false, user.deleted = true',
  ]) {
    await only(admin);
    await service.graph.query(`MATCH (user:User {id: $id}) ${state}`, { id: admin.id });
    assert.equal(await administrators(), []);
    await startAnew();
    assert.equal(await administrators(), ['admin'], state);
    assert.equal(await answeredAt(), ['admin', 200], state);
  }
});

test('a start leaves admin as administrators changed it, and chooses one of them', async () => {
  const second = await newMember(service);
  await only(second);
  await startAnew();
  assert.equal(await administrators(), [second.name]);
  assert.equal(await answeredAt(), [second.name, 200]);
});

test.run();
