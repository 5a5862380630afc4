import * as assert from 'uvu/assert';
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
import { createRoleFor } from '../support/rights.ts';
import { openSecondProcess } from '../support/second-process.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a bot belongs to exactly one user, also under concurrent writes. */

const test = suite('catalog: bots');

let service: Service;
test.before(async () => {
  service = await openService();
});

type Made = { readonly id: string; readonly name: string };

const newUser = async (more: object = { isBot: true }): Promise<Made> => {
  const name = uniqueName('machine');
  return ok(await service.admin.post('/v1/users', { name, email: `${name}@example.com`, ...more }), 201);
};
const body = (user: Made, more: object = {}) => ({ name: uniqueName('bot'), botUser: user.name, ...more });
const newBot = async (user: Made, more: object = {}) => ok(await service.admin.post('/v1/bots', body(user, more)), 201);
const read = async (path: string, { id }: Made) => ok(await service.admin.get(`/v1/${path}/${id}`));

/** The bots that act as a user, as the graph has it. */
const actors = async (user: Made): Promise<string[]> => {
  const rows = await service.graph.query('MATCH (b:Bot)-[:ACTS_AS]->(:User {id: $id}) RETURN b.name AS name', {
    id: user.id,
  });
  return rows.map(({ name }) => String(name));
};

test('a bot is created for a user and every response references that user', async () => {
  const user = await newUser();
  const made = await newBot(user, { provider: 'automation', description: 'Loads' });
  const kind = service.registry.byType.get('bot');
  assert.ok(kind);
  expectRecord(kind, made);
  assert.equal([made.botUser.id, made.botUser.type, made.provider], [user.id, 'user', 'automation']);
  assert.equal([made.fullyQualifiedName, 'allowImpersonation' in made], [made.name, false]);
  assert.is((await read('bots', made)).botUser.id, user.id);
  const list = ok(await service.admin.get('/v1/bots?limit=1000'));
  assert.is(list.data.find(({ id }: Made) => id === made.id).botUser.name, user.name);
  assert.is((await newBot(await newUser())).provider, 'user');
  const upper = await newUser();
  assert.is((await newBot(upper, { botUser: upper.name.toUpperCase() })).botUser.id, upper.id);
});

test('botUser must be an existing user that is a bot', async () => {
  const before = await newUser({});
  const counted = await countStored(service);
  expectRefused(
    await service.admin.post('/v1/bots', body(before)),
    400,
    '[botUser must be a user whose isBot is true]',
  );
  expectRefused(await service.admin.put('/v1/bots', body(before)), 400, '[botUser must be a user whose isBot is true]');
  expectRefused(
    await service.admin.post('/v1/bots', { name: 'b', botUser: 'nobody.here' }),
    404,
    'user instance for nobody.here not found',
  );
  expectRefused(await service.admin.post('/v1/bots', { name: 'b' }), 400, '[botUser must not be null]');
  expectRefused(await service.admin.post('/v1/bots', { name: 'b', botUser: null }), 400, '[botUser must not be null]');
  expectRefused(await service.admin.post('/v1/bots', { name: 'b', botUser: { id: before.id, type: 'user' } }), 400);
  assert.equal(await countStored(service), counted);
  const made = await newBot(await newUser());
  for (const patch of [
    { botUser: null },
    [{ op: 'remove', path: '/botUser' }],
    { botUser: { id: before.id, type: 'user' } },
  ]) {
    expectRefused(
      await expectUnchanged(service, made.id, () => service.admin.patch(`/v1/bots/${made.id}`, patch)),
      400,
      /botUser/,
    );
  }
  const stranger = { botUser: { id: made.id, type: 'bot' } };
  expectRefused(
    await expectUnchanged(service, made.id, () => service.admin.patch(`/v1/bots/${made.id}`, stranger)),
    404,
  );
});

test('a second bot of one user is refused with 400 on POST, PUT, PATCH and in bulk, and nothing is stored', async () => {
  const [taken, free] = [await newUser(), await newUser()];
  const first = await newBot(taken);
  const other = await newBot(free);
  const sentence = `[botUser ${taken.name} already belongs to another bot]`;
  const before = await countStored(service);
  expectRefused(await service.admin.post('/v1/bots', body(taken)), 400, sentence);
  expectRefused(await service.admin.put('/v1/bots', body(taken)), 400, sentence);
  expectRefused(await service.admin.put('/v1/bots', { name: other.name, botUser: taken.name }), 400, sentence);
  expectRefused(
    await service.admin.patch(`/v1/bots/${other.id}`, { botUser: { id: taken.id, type: 'user' } }),
    400,
    sentence,
  );
  const result = ok(await service.admin.put('/v1/bots/bulk', [body(taken), body(taken)]));
  assert.equal([result.status, result.failedRequest[0].message], ['failure', sentence]);
  assert.equal(await countStored(service), before);
  assert.equal(await actors(taken), [first.name]);
  assert.is((await read('bots', other)).botUser.id, free.id);
  // The bot's own user is no other's.
  const again = await service.admin.put('/v1/bots', { name: first.name, botUser: taken.name });
  assert.equal([ok(again).version, again.headers.get(CHANGE_HEADER_NAME)], [0.1, 'entityNoChange']);
});

test('a bot can move to another user and frees the first one', async () => {
  const [one, two] = [await newUser(), await newUser()];
  const made = await newBot(one);
  const moved = ok(await service.admin.put('/v1/bots', { name: made.name, botUser: two.name }));
  assert.equal([moved.version, moved.botUser.id], [0.2, two.id]);
  const next = await newBot(one);
  assert.equal([await actors(one), await actors(two)], [[next.name], [made.name]]);
  const back = [{ op: 'replace', path: '/botUser', value: { id: (await newUser()).id, type: 'user' } }];
  assert.is(ok(await service.admin.patch(`/v1/bots/${made.id}`, back)).version, 0.3);
  assert.equal(await actors(two), []);
});

test('concurrent writers on two processes create one bot per user', async () => {
  const twin = await openSecondProcess(service);
  const either = (at: number) => (at % 2 === 0 ? service.admin : twin);
  for (let round = 0; round < 5; round += 1) {
    const user = await newUser();
    const moving = await Promise.all(Array.from({ length: 4 }, async () => newBot(await newUser())));
    const requests = Array.from({ length: 12 }, (_, at) => {
      const mover = moving[at];
      const ref = { botUser: { id: user.id, type: 'user' } };
      if (mover) return either(at).patch(`/v1/bots/${mover.id}`, ref);
      return at % 3 === 0 ? either(at).put('/v1/bots', body(user)) : either(at).post('/v1/bots', body(user));
    });
    const replies = await Promise.all(requests);
    const done = replies.filter(({ status }) => status < 300);
    assert.is(done.length, 1, replies.map(({ status }) => status).join(' '));
    for (const reply of replies) if (reply.status >= 300) expectRefused(reply, 400, /already belongs to another bot/);
    assert.equal(await actors(user), [done[0]?.json.name]);
  }
});

test('two bots that swap their users concurrently never share one', async () => {
  const [one, two] = [await newUser(), await newUser()];
  const [left, right] = [await newBot(one), await newBot(two)];
  const to = (bot: Made, user: Made) =>
    service.admin.patch(`/v1/bots/${bot.id}`, { botUser: { id: user.id, type: 'user' } });
  const replies = await Promise.all([to(left, two), to(right, one)]);
  for (const reply of replies) assert.ok(reply.status === 200 || reply.status === 400, reply.text);
  const [first, second] = [await actors(one), await actors(two)];
  assert.ok(first.length <= 1 && second.length <= 1, `${first} and ${second}`);
  assert.is(first.length + second.length, 2);
});

test('deleting a bot keeps its user and needs no recursive, and a soft-deleted bot still occupies its user', async () => {
  const user = await newUser();
  const made = await newBot(user);
  ok(await service.admin.delete(`/v1/bots/${made.id}`));
  assert.is((await read('users', user)).deleted, false);
  expectRefused(await service.admin.post('/v1/bots', body(user)), 400, /already belongs to another bot/);
  ok(await service.admin.put('/v1/bots/restore', { id: made.id }));
  assert.is((await read('bots', made)).botUser.id, user.id);
  ok(await service.admin.delete(`/v1/bots/${made.id}?hardDelete=true`));
  const kept = await readStored(service, user.id);
  assert.ok(kept);
  assert.is(ok(await service.admin.post('/v1/bots', body(user)), 201).botUser.id, user.id);
});

test('a bot whose user is deleted can still be changed and given another user', async () => {
  const [hidden, gone] = [await newUser(), await newUser()];
  const [one, two] = [await newBot(hidden), await newBot(gone)];
  ok(await service.admin.delete(`/v1/users/${hidden.id}`));
  ok(await service.admin.delete(`/v1/users/${gone.id}?hardDelete=true`));
  for (const bot of [one, two]) {
    assert.is('botUser' in (await read('bots', bot)), false);
    assert.is(ok(await service.admin.patch(`/v1/bots/${bot.id}`, { description: 'Told' })).version, 0.2);
    const fresh = await newUser();
    const put = ok(await service.admin.put('/v1/bots', { name: bot.name, botUser: fresh.name, description: 'Told' }));
    assert.equal([put.version, put.botUser.id], [0.3, fresh.id]);
  }
  assert.equal(await actors(hidden), []);
});

/** Lets somebody who is no administrator make bots and change them and their users. */
const letKeepBots = async (userId: string): Promise<void> => {
  const rule = { name: 'keep', effect: 'allow', operations: ['Create', 'EditAll'], resources: ['bot', 'user'] };
  const policy = ok(await service.admin.post('/v1/policies', { name: uniqueName('keep'), rules: [rule] }), 201);
  const role = ok(await service.admin.post('/v1/roles', { name: uniqueName('keep'), policies: [policy.name] }), 201);
  ok(await service.admin.patch(`/v1/users/${userId}`, { roles: [{ id: role.id, type: 'role' }] }));
};

test('allowImpersonation is passed on to the user, by administrators only', async () => {
  const user = await newUser();
  const made = await newBot(user, { allowImpersonation: true });
  const kept = await read('users', user);
  assert.equal([kept.allowImpersonation, kept.version], [true, 0.1]);
  assert.is('allowImpersonation' in made, false);
  const put = (client: { put: Service['admin']['put'] }, allowImpersonation: unknown) =>
    client.put('/v1/bots', { name: made.name, botUser: user.name, allowImpersonation });
  for (const same of [true, null]) {
    const reply = await expectUnchanged(service, user.id, () => put(service.admin, same));
    assert.equal([ok(reply).version, reply.headers.get(CHANGE_HEADER_NAME)], [0.1, 'entityNoChange']);
  }
  assert.is(ok(await put(service.admin, false)).version, 0.1);
  assert.is((await read('users', user)).allowImpersonation, false);
  const machine = await createPerson(service, uniqueName('machine'));
  await letKeepBots(machine.id);
  expectRefused(await expectUnchanged(service, user.id, () => put(machine, true)), 403);
  ok(await put(machine, false));
  const other = await newUser();
  expectRefused(await machine.post('/v1/bots', body(other, { allowImpersonation: true })), 403);
  ok(await machine.post('/v1/bots', body(other, { allowImpersonation: false })), 201);
  const self = { allowImpersonation: true };
  expectRefused(await expectUnchanged(service, machine.id, () => machine.patch(`/v1/users/${machine.id}`, self)), 403);
  expectRefused(await service.admin.post('/v1/bots', body(await newUser(), { allowImpersonation: 'yes' })), 400);
});

test('granting and revoking impersonation takes effect with the next request of the bot', async () => {
  const user = await newUser({ isBot: true, roles: [await createRoleFor(service, 'Impersonate')] });
  const target = await newUser({ isAdmin: false });
  const machine = await service.as(user.name, { isBot: true });
  const as = { 'x-impersonate-user': target.name };
  expectRefused(await machine.get('/v1/bots?limit=0', as), 403);
  const made = await newBot(user, { allowImpersonation: true });
  ok(await machine.get('/v1/bots?limit=0', as));
  ok(await service.admin.put('/v1/bots', { name: made.name, botUser: user.name, allowImpersonation: false }));
  expectRefused(await machine.get('/v1/bots?limit=0', as), 403);
});

test('a name with a dot is found with and without quotes', async () => {
  const made = await newBot(await newUser(), { name: `${uniqueName('bot')}.x` });
  assert.is(made.fullyQualifiedName, `"${made.name}"`);
  const kind = service.registry.byType.get('bot');
  assert.ok(kind);
  for (const fqn of [made.name, made.fullyQualifiedName]) {
    assert.is(ok(await service.admin.get(pathByName(kind, fqn))).id, made.id);
  }
});

test.run();
