import * as assert from 'uvu/assert';
import { createPerson, expectRefused, ok } from '../support/expect.ts';
import { strayId } from '../support/samples.ts';
import { anonymous, openService, type Service, uniqueName, withToken } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that errors have the status, the order and the messages of the contract. */

const test = suite('catalog: errors');

let service: Service;
test.before(async () => {
  service = await openService();
});

const SERVICES = '/v1/services/databaseServices';
const newService = async () =>
  ok(await service.admin.post(SERVICES, { name: uniqueName('err'), serviceType: 'Mysql' }), 201);

test('error messages match the contract word for word', async () => {
  const made = await newService();
  const stray = strayId();
  const { admin } = service;
  expectRefused(await admin.get(`${SERVICES}/${stray}`), 404, `databaseService instance for ${stray} not found`);
  expectRefused(
    await admin.get(`${SERVICES}/name/no.such`),
    404,
    /^databaseService instance for "?no\.such"? not found$/,
  );
  expectRefused(
    await admin.get(`${SERVICES}/${made.id}/versions/5.5`),
    404,
    `databaseService instance for ${made.id} and version 5.5 not found`,
  );
  expectRefused(await admin.post(SERVICES, { name: made.name, serviceType: 'Mysql' }), 409, 'Entity already exists');
  expectRefused(await admin.get(`${SERVICES}?fields=joy`), 400, 'Invalid field name joy');
  expectRefused(await admin.get(`${SERVICES}?limit=1000001`), 400, '[limit must be less than or equal to 1000000]');
  expectRefused(await admin.post(SERVICES, { serviceType: 'Mysql' }), 400, '[name must not be null]');
  expectRefused(
    await admin.put(SERVICES, { name: made.name, serviceType: 'Oracle' }),
    400,
    "databaseService attribute serviceType can't be modified",
  );
  expectRefused(
    await admin.patch(`${SERVICES}/${made.id}`, { serviceType: 'Oracle' }),
    400,
    "databaseService attribute serviceType can't be modified",
  );
  expectRefused(await admin.post(SERVICES, { name: 'a::b', serviceType: 'Mysql' }), 400, 'Invalid name a::b');
  ok(await admin.post('/v1/databases', { name: 'd', service: made.name }), 201);
  expectRefused(await admin.delete(`${SERVICES}/${made.id}`), 400, 'databaseService is not empty');
  const tier = ok(await admin.get('/v1/classifications/name/Tier'));
  expectRefused(
    await admin.delete(`/v1/classifications/${tier.id}?recursive=true`),
    400,
    'System entity [Tier] of type classification can not be deleted.',
  );
  const root = ok(await admin.get('/v1/teams/name/Organization'));
  expectRefused(
    await admin.delete(`/v1/teams/${root.id}?recursive=true&hardDelete=true`),
    400,
    'System entity [Organization] of type team can not be deleted.',
  );
});

test('a token that is missing, malformed, of an unknown or deleted user, or a bot token of a person is refused', async () => {
  expectRefused(await anonymous(service).get(SERVICES), 401, 'Not Authorized! Token not present');
  for (const token of ['x', 'a.b.c', `${await service.token('admin')}x`]) {
    const reply = await withToken(service, token).get(SERVICES);
    expectRefused(reply, 401, 'Not Authorized! Invalid Token');
    assert.is(reply.headers.get('www-authenticate'), 'Bearer');
  }
  expectRefused(await (await service.as(uniqueName('ghost'))).get(SERVICES), 401, 'Not Authorized! Invalid Token');
  const leaver = await createPerson(service, uniqueName('leaver'));
  ok(await leaver.get(SERVICES));
  ok(await service.admin.delete(`/v1/users/${leaver.id}`));
  expectRefused(await leaver.get(SERVICES), 401, 'Not Authorized! Invalid Token');
  const human = await createPerson(service, uniqueName('human'));
  expectRefused(
    await (await service.as(human.name, { isBot: true })).get(SERVICES),
    401,
    'Not Authorized! Invalid Token',
  );
});

test('errors are checked in the order token, route, syntax, record, rights, conflict', async () => {
  const made = await newService();
  const onlooker = await createPerson(service, uniqueName('order'));
  const stray = strayId();
  expectRefused(await anonymous(service).get('/v1/no/such/route'), 401);
  expectRefused(await onlooker.get('/v1/no/such/route'), 404);
  expectRefused(await onlooker.get(`${SERVICES}/${stray}?fields=joy`), 400);
  expectRefused(await onlooker.patch(`${SERVICES}/${stray}`, { description: 'x' }), 404);
  expectRefused(await onlooker.delete(`${SERVICES}/${stray}`), 404);
  expectRefused(await onlooker.patch(`${SERVICES}/${made.id}`, { displayName: 'x' }, { 'if-match': '"old"' }), 403);
  expectRefused(await onlooker.post(SERVICES, { name: made.name, serviceType: 'Mysql', joy: 1 }), 400);
  expectRefused(await onlooker.post(SERVICES, { name: made.name, serviceType: 'Mysql' }), 403);
  expectRefused(await onlooker.post('/v1/databases', { name: 'x', service: 'nowhere' }), 404);
});

test('an unsupported method is refused with 405 and an Allow header', async () => {
  const made = await newService();
  for (const [method, at] of [
    ['DELETE', SERVICES],
    ['PATCH', SERVICES],
    ['POST', `${SERVICES}/${made.id}`],
    ['PUT', `${SERVICES}/name/${made.name}`],
    ['POST', `${SERVICES}/bulk`],
  ] as const) {
    const reply = await service.admin.raw(method, at, '{}');
    expectRefused(reply, 405);
    assert.ok(reply.headers.get('allow'), `${method} ${at} has no Allow`);
  }
});

test('a wrong media type is refused with 415, and every media type of the contract is accepted', async () => {
  const made = await newService();
  const at = `${SERVICES}/${made.id}`;
  for (const type of ['text/plain', 'application/xml', 'text/csv', 'application/x-www-form-urlencoded']) {
    expectRefused(await service.admin.patch(at, [], { 'content-type': type }), 415);
    expectRefused(await service.admin.post(SERVICES, {}, { 'content-type': type }), 415);
  }
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON-PATCH+JSON',
    'application/merge-patch+json',
  ]) {
    ok(await service.admin.patch(at, [{ op: 'test', path: '/name', value: made.name }], { 'content-type': type }));
  }
});

test('the request id is echoed or created', async () => {
  const named = await service.admin.get(SERVICES, { 'x-request-id': 'abc-123' });
  assert.is(named.headers.get('x-request-id'), 'abc-123');
  const made = await service.admin.get(`${SERVICES}/${strayId()}`);
  assert.match(String(made.headers.get('x-request-id')), /^[\w-]{8,}$/);
});

test.run();
