import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { deleteStale } from '../../src/catalog/write/delete-stale.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { everyKind, type KindFixture } from '../support/every-kind.ts';
import { countStored, expectRefused, expectUnchanged, ok, readStored } from '../support/expect.ts';
import { openService, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that DELETE deleteStale removes the stale assets of every kind, and only those (conventions 13). */

const test = suite('catalog: deletion of stale records of every kind');
const each = everyKind(test);

type Made = { readonly id: string; readonly fullyQualifiedName: string };

/** Two records of the kind below a scope of their own, or undefined where records of the kind lie below nothing. */
const plant = async ({ service, samples, kind }: KindFixture) => {
  const parent = kind.parents.filter(({ isFqnRoot }) => !isFqnRoot).at(-1);
  const scopeKind = parent && service.registry.byType.get(parent.kind);
  // Of some kinds there is one below each record, and no second.
  if (!parent || !scopeKind || kind.naturalKey?.alone) return undefined;
  const scope = await samples.create(scopeKind);
  const [kept, stale] = [
    await samples.create(kind, samples.placeIn(kind, parent, scope)),
    await samples.create(kind, samples.placeIn(kind, parent, scope)),
  ];
  if (!stale.fullyQualifiedName.startsWith(`${scope.fullyQualifiedName}.`)) return undefined;
  return { scope, scopeEntityType: scopeKind.entityType, kept: kept as Made, stale: stale as Made };
};

const send = ({ service, path }: KindFixture, body: unknown) =>
  service.admin.raw('DELETE', `${path}/deleteStale`, JSON.stringify(body));

const counts = (result: JsonObject) => [
  result['dryRun'],
  result['status'],
  result['numberOfRowsProcessed'],
  result['numberOfRowsPassed'],
  result['numberOfRowsFailed'],
];

each('seen records stay and all others are deleted, and a dry run only reports them', async (bench) => {
  const { service, path } = bench;
  const planted = await plant(bench);
  if (!planted) return;
  const { scope, scopeEntityType, kept, stale } = planted;
  const body = { scopeFqn: scope.fullyQualifiedName, scopeEntityType, seenFqns: [kept.fullyQualifiedName] };
  const said = await expectUnchanged(service, stale.id, () => send(bench, { ...body, dryRun: true, hardDelete: null }));
  const told = { request: stale.fullyQualifiedName, status: 200 };
  assert.equal(counts(ok(said)), [true, 'success', 1, 1, 0]);
  assert.equal([ok(said).successRequest, ok(said).failedRequest], [[told], []]);
  const done = ok(await expectUnchanged(service, kept.id, () => send(bench, body)));
  assert.equal(counts(done), [false, 'success', 1, 1, 0]);
  assert.equal(done.successRequest, [told]);
  expectRefused(await service.admin.get(`${path}/${stale.id}`), 404);
  assert.equal(counts(ok(await send(bench, body))), [false, 'success', 0, 0, 0]);
  if (!bench.kind.softDeletable) return;
  ok(await service.admin.get(`${path}/${stale.id}?include=deleted`));
  ok(await send(bench, { ...body, seenFqns: [], hardDelete: true }));
  assert.is(await readStored(service, kept.id), undefined);
});

each('rows of a caller without the right to delete fail with 403', async (bench) => {
  const { service, path } = bench;
  const planted = await plant(bench);
  if (!planted) return;
  const reply = await service.admin.put('/v1/users', { name: 'stalelooker', email: 'stalelooker@example.com' });
  assert.ok(reply.status < 300, reply.text);
  const looker = await service.as('stalelooker');
  const { scope, scopeEntityType, kept, stale } = planted;
  const body = { scopeFqn: scope.fullyQualifiedName, scopeEntityType, seenFqns: [kept.fullyQualifiedName] };
  const result = ok(
    await expectUnchanged(service, stale.id, () => looker.raw('DELETE', `${path}/deleteStale`, JSON.stringify(body))),
  );
  assert.equal(counts(result), [false, 'failure', 1, 0, 1]);
  assert.is(result.failedRequest[0].status, 403);
});

each('an invalid request is refused and changes nothing', async (bench) => {
  const { service, samples } = bench;
  const kind = service.registry.byType.get('databaseService');
  assert.ok(kind);
  const { fullyQualifiedName: scopeFqn } = await samples.create(kind);
  const good = { scopeFqn, scopeEntityType: kind.entityType, seenFqns: [] };
  const before = await countStored(service);
  expectRefused(await send(bench, { ...good, scopeFqn: undefined }), 400, '[scopeFqn must not be null]');
  expectRefused(await send(bench, { ...good, scopeEntityType: undefined }), 400, '[scopeEntityType must not be null]');
  expectRefused(await send(bench, { ...good, seenFqns: undefined }), 400, '[seenFqns must not be null]');
  expectRefused(await send(bench, { ...good, seenFqns: 'x' }), 400);
  expectRefused(await send(bench, { ...good, dryRun: 'perhaps' }), 400);
  expectRefused(await send(bench, { ...good, nonsense: 1 }), 400, /nonsense/);
  expectRefused(await send(bench, { ...good, scopeEntityType: 'nonsense' }), 400);
  expectRefused(await send(bench, [good]), 400);
  expectRefused(await bench.service.admin.raw('DELETE', `${bench.path}/deleteStale`, undefined), 400);
  expectRefused(
    await send(bench, { ...good, scopeFqn: 'nowhere' }),
    404,
    'databaseService instance for nowhere not found',
  );
  assert.equal(await countStored(service), before);
});

test('a scope with the same prefix is another scope, and ancestors of seen assets are kept', async () => {
  const service = await openService();
  const name = uniqueName('scope');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/services/databaseServices', { name: `${name}2`, serviceType: 'Postgres' }), 201);
  for (const owner of [name, `${name}2`]) {
    ok(await service.admin.post('/v1/databases', { name: 'db', service: owner }), 201);
    ok(await service.admin.post('/v1/databaseSchemas', { name: 's', database: `${owner}.db` }), 201);
  }
  const remove = async (path: string, body: object) =>
    ok(await service.admin.raw('DELETE', `/v1/${path}/deleteStale`, JSON.stringify(body)));
  const domain = { name, description: 'x', domainType: 'Aggregate' };
  ok(await service.admin.post('/v1/domains', domain), 201);
  const otherType = { scopeFqn: name, scopeEntityType: 'domain', seenFqns: [] };
  assert.equal(counts(await remove('databases', otherType)), [false, 'success', 0, 0, 0]);
  const scope = { scopeFqn: name, scopeEntityType: 'databaseService' };
  assert.equal(counts(await remove('databases', { ...scope, seenFqns: [`"${name}".db`] })), [
    false,
    'success',
    0,
    0,
    0,
  ]);
  const full = await remove('databases', { ...scope, seenFqns: [], recursive: false });
  assert.equal(counts(full), [false, 'failure', 1, 0, 1]);
  assert.is(full.failedRequest[0].message, 'database is not empty');
  assert.equal(counts(await remove('databases', { ...scope, seenFqns: [] })), [false, 'success', 1, 1, 0]);
  expectRefused(await service.admin.get(`/v1/databaseSchemas/name/${name}.db.s`), 404);
  ok(await service.admin.get(`/v1/databases/name/${name}2.db`));
});

test('ancestors of seen assets are kept and reported; nested assets are deleted with their parent', async () => {
  const service = await openService();
  const scopeFqn = uniqueName('nest');
  const create = (name: string, parent?: string) =>
    service.admin.post('/v1/domains', {
      name,
      description: 'x',
      domainType: 'Aggregate',
      ...(parent ? { parent } : {}),
    });
  ok(await create(scopeFqn), 201);
  for (const name of ['held', 'gone']) ok(await create(name, scopeFqn), 201);
  for (const name of ['held', 'gone']) ok(await create('inner', `${scopeFqn}.${name}`), 201);
  const body = { scopeFqn, scopeEntityType: 'domain', seenFqns: [`${scopeFqn}.held.inner`] };
  const result = ok(await service.admin.raw('DELETE', '/v1/domains/deleteStale', JSON.stringify(body)));
  assert.equal(counts(result), [false, 'partialSuccess', 3, 2, 1]);
  assert.equal(result.failedRequest, [
    { request: `${scopeFqn}.held`, status: 400, message: `${scopeFqn}.held has descendants that are not stale` },
  ]);
  ok(await service.admin.get(`/v1/domains/name/${scopeFqn}.held.inner`));
  expectRefused(await service.admin.get(`/v1/domains/name/${scopeFqn}.gone.inner`), 404);
});

test('a request deletes at most one batch and reports that more are left', async () => {
  const service = await openService();
  const scopeFqn = uniqueName('many');
  ok(await service.admin.post('/v1/services/databaseServices', { name: scopeFqn, serviceType: 'Postgres' }), 201);
  for (const name of ['a', 'b', 'c']) ok(await service.admin.post('/v1/databases', { name, service: scopeFqn }), 201);
  const kind = service.registry.byType.get('database');
  assert.ok(kind);
  const engine = { ...service.app.engine, limits: { ...service.app.engine.limits, bulkRows: 2 } };
  const body = { scopeFqn, scopeEntityType: 'databaseService', seenFqns: [] };
  const first = await deleteStale(engine, { kind, principal: SYSTEM_PRINCIPAL }, body);
  assert.equal(counts(first), [false, 'aborted', 2, 2, 0]);
  assert.type(first['abortReason'], 'string');
  assert.equal(counts(await deleteStale(engine, { kind, principal: SYSTEM_PRINCIPAL }, body)), [
    false,
    'success',
    1,
    1,
    0,
  ]);
});

test.run();
