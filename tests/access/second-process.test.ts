import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { waitFor } from '../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a change of rights in one process takes effect in another. */

const test = suite('access: rights across processes');

let service: Service;
let rights: RightsFactory;
let twin: Awaited<ReturnType<typeof openSecondProcessWith>>;

test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
  twin = await openSecondProcessWith(service, {});

  test.after(() => rights.clear());
});

/** The other process must come to the same answer soon, whoever asks it meanwhile. */
const becomes = (caller: Client, status: number): Promise<unknown> =>
  waitFor(
    async () => (await caller.get('/v1/glossaries?limit=1')).status,
    (answered) => answered === status,
    `the other process answers ${status}`,
  );

test('a change of a policy, role, team or membership takes effect in the other process', async () => {
  const policy = await rights.policy({ effect: 'deny', operations: ['ViewAll'], resources: ['glossary'] });
  const role = await rights.make('roles', 'role', { policies: [policy.name] });
  const team = await rights.team({ defaultRoles: [role.id] });
  const person = await rights.person([], { teams: [team.id] });
  const there = await twin.as(person.name);
  const change = async (path: string, body: object, status: number) => {
    ok(await service.admin.patch(path, body));
    assert.is((await person.get('/v1/glossaries?limit=1')).status, status, 'the process that wrote');
    await becomes(there, status);
  };
  await becomes(there, 403);
  await change(`/v1/policies/${policy.id}`, { enabled: false }, 200);
  await change(`/v1/policies/${policy.id}`, { enabled: true }, 403);
  await change(`/v1/teams/${team.id}`, { defaultRoles: [] }, 200);
  await change(`/v1/users/${person.id}`, { roles: [{ id: role.id, type: 'role' }] }, 403);
  await change(`/v1/roles/${role.id}`, { disabled: true }, 200);
  await change(`/v1/roles/${role.id}`, { disabled: false }, 403);
  await change(`/v1/users/${person.id}`, { roles: [] }, 200);
  await change(`/v1/teams/${team.id}`, { policies: [{ id: policy.id, type: 'policy' }] }, 403);
  await change(`/v1/teams/${team.id}`, { users: [] }, 200);
});

test('a change in the other process takes effect in this one', async () => {
  const policy = await rights.policy({ effect: 'deny', operations: ['ViewAll'], resources: ['glossary'] });
  const role = await rights.make('roles', 'role', { policies: [policy.name] });
  const person = await rights.person([], { roles: [role.id] });
  await becomes(person, 403);
  ok(await twin.client.delete(`/v1/policies/${policy.id}`));
  await becomes(person, 200);
});

test('checking for changed rights costs one read per second, and nothing without requests', async () => {
  const person = await rights.person();
  let looks = 0;
  const counted = {
    ...service.graph,
    read: ((statement, params) => {
      if (statement.name.startsWith('permissions/read_revision')) looks += 1;
      return service.graph.read(statement, params);
    }) as Service['graph']['read'],
  };
  const other = await openSecondProcessWith({ ...service, graph: counted }, {});
  const caller = await other.as(person.name);
  const started = Date.now();
  for (let at = 0; at < 40; at += 1) ok(await caller.get('/v1/glossaries?limit=1'));
  const seconds = Math.ceil((Date.now() - started) / 1000);
  assert.ok(looks >= 1 && looks <= seconds + 1, `${looks} looks in ${seconds} s`);
  const before = looks;
  await sleep(1500);
  assert.is(looks, before);
});

test.run();
