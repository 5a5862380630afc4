import * as assert from 'uvu/assert';
import { listDescendants } from '../../src/catalog/cascade/queries.ts';
import { readOwnFacts } from '../../src/catalog/read/facts-queries.ts';
import { createDatabaseTree } from '../support/csv-files.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { createRightsFactory, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a recursive deletion or restore changes nothing when the caller may not change one of the descendants. */
const test = suite('access: recursive deletion and restore');

const TAG = 'PII.Sensitive';

const FREE: RuleOptions = { operations: ['Delete', 'EditAll', 'Create', 'ViewAll'] };

const unless = (operation: string, resource: string): RuleOptions => ({
  effect: 'deny',
  operations: [operation],
  resources: [resource],
  condition: `matchAnyTag('${TAG}')`,
});

let service: Service;
let admin: Client;
let rights: RightsFactory;

test.before(async () => {
  service = await openService();
  ({ admin } = service);
  rights = createRightsFactory(service);
  test.after(() => rights.clear());
});

/** A schema with a table that is labelled as sensitive beside one that is not. */
const plant = async () => {
  const tree = await createDatabaseTree(admin);
  const body = { databaseSchema: tree.schema, columns: [{ name: 'c', dataType: 'INT' }] };
  const secret = ok(await admin.post('/v1/tables', { ...body, name: 'secret', tags: [{ tagFQN: TAG }] }), 201);
  const schema = ok(await admin.get(`/v1/databaseSchemas/name/${tree.schema}`));
  const service = ok(await admin.get(`/v1/services/databaseServices/name/${tree.service}`));
  return { tree, schema, service, secret, at: `/v1/databaseSchemas/${schema.id}` };
};

/** Every record below a name, each with its state. */
const statesBelow = async (fqn: string): Promise<unknown[]> => {
  const rows = await service.graph.query(
    `MATCH (n:Entity) WHERE n.fullyQualifiedName = $fqn OR n.fullyQualifiedName STARTS WITH $fqn + '.'
     RETURN n.fullyQualifiedName + ' ' + n.version + ' ' + n.deleted AS state ORDER BY state`,
    { fqn },
  );
  return rows.map(({ state }) => state);
};

const CLEAR = /Delete\] not allowed for 1 of the descendants of databaseSchema .*: table .*\.secret$/;

test('a recursive deletion is refused with 403 naming the forbidden descendants, and nothing is deleted', async () => {
  const { tree, schema, at, service: root } = await plant();
  const caller = await rights.person([FREE, unless('Delete', 'table')]);
  const before = await statesBelow(tree.service);
  for (const query of ['recursive=true', 'recursive=true&hardDelete=true']) {
    expectRefused(await caller.delete(`${at}?${query}`), 403, CLEAR);
    expectRefused(await caller.delete(`/v1/databaseSchemas/name/${tree.schema}?${query}`), 403, CLEAR);
    expectRefused(await caller.delete(`/v1/databaseSchemas/async/${schema.id}?${query}`), 403, CLEAR);
    expectRefused(await caller.delete(`/v1/services/databaseServices/${root.id}?${query}`), 403, /for 1 of .*secret$/);
  }
  const scope = { scopeFqn: tree.database, scopeEntityType: 'database', seenFqns: [] };
  for (const more of [{ dryRun: true }, {}, { hardDelete: true }]) {
    const body = JSON.stringify({ ...scope, ...more });
    const { failedRequest, numberOfRowsFailed } = ok(
      await caller.raw('DELETE', '/v1/databaseSchemas/deleteStale', body),
    );
    assert.is(numberOfRowsFailed, 1);
    assert.equal([failedRequest[0].request, failedRequest[0].status], [tree.schema, 403]);
    assert.match(failedRequest[0].message, CLEAR);
  }
  assert.equal(await statesBelow(tree.service), before);
  ok(await admin.patch(`/v1/tables/name/${tree.schema}.secret`, [{ op: 'remove', path: '/tags' }]));
  ok(await caller.delete(`${at}?recursive=true`));
  expectRefused(await admin.get(`/v1/tables/name/${tree.schema}.secret`), 404);
});

test('hidden descendants are neither counted nor named', async () => {
  const { tree, at } = await plant();
  const caller = await rights.person([FREE, unless('Delete', 'table'), unless('ViewAll', 'table')]);
  expectRefused(await caller.get(`/v1/tables/name/${tree.schema}.secret`), 403);
  const reply = await caller.delete(`${at}?recursive=true&hardDelete=true`);
  expectRefused(reply, 403, /not allowed for descendants of databaseSchema [^:]+$/);
  assert.not.match(reply.text, /secret/);
  const other = await rights.person([
    FREE,
    { effect: 'deny', operations: ['Delete'], resources: ['table'] },
    unless('ViewAll', 'table'),
  ]);
  expectRefused(
    await other.delete(`${at}?recursive=true`),
    403,
    /for 1 of the descendants of .*: table [^,]+\.orders$/,
  );
});

test('a recursive restore is refused with 403, and nothing is restored', async () => {
  const { tree, schema, at } = await plant();
  const caller = await rights.person([FREE, unless('EditAll', 'table')]);
  ok(await admin.delete(`${at}?recursive=true`));
  const before = await statesBelow(tree.service);
  const path = '/v1/databaseSchemas';
  const named = /EditAll\] not allowed for 1 of .*secret$/;
  expectRefused(await caller.put(`${path}/restore`, { id: schema.id }), 403, named);
  expectRefused(await caller.put(`${path}/restore?async=true`, { id: schema.id }), 403, named);
  const again = { name: schema.name, database: tree.database };
  expectRefused(await caller.put(path, again), 403, named);
  const { failedRequest } = ok(await caller.put(`${path}/bulk`, [again]));
  assert.is(failedRequest[0].status, 403);
  assert.match(failedRequest[0].message, named);
  assert.equal(await statesBelow(tree.service), before);
  ok(await admin.put(`${path}/restore`, { id: schema.id }));
  ok(await caller.get(`/v1/tables/name/${tree.schema}.orders`));
});

test('glossaries, domains and teams are authorized like services', async () => {
  const make = async (path: string, body: object) => ok(await admin.post(`/v1/${path}`, body), 201);
  const caller = await rights.person([
    FREE,
    unless('Delete', 'glossaryTerm'),
    unless('Delete', 'domain'),
    { effect: 'deny', operations: ['Delete'], resources: ['team'], condition: 'noOwner()' },
  ]);
  const tags = [{ tagFQN: TAG }];
  const glossary = await make('glossaries', { name: uniqueName('glo'), description: 'x' });
  const term = await make('glossaryTerms', { name: 'a', description: 'x', glossary: glossary.name });
  await make('glossaryTerms', {
    name: 'b',
    description: 'x',
    glossary: glossary.name,
    parent: term.fullyQualifiedName,
    tags,
  });
  const domain = await make('domains', { name: uniqueName('dom'), description: 'x', domainType: 'Aggregate' });
  await make('domains', {
    name: 'below',
    description: 'x',
    domainType: 'Aggregate',
    parent: domain.fullyQualifiedName,
    tags,
  });
  const owned = { owners: [{ id: caller.id, type: 'user' }] };
  const team = await make('teams', { name: uniqueName('team'), teamType: 'Division', ...owned });
  await make('teams', { name: uniqueName('team'), teamType: 'Group', parents: [team.id] });
  for (const path of [`glossaries/${glossary.id}`, `glossaryTerms/${term.id}`, `domains/${domain.id}`]) {
    expectRefused(
      await caller.delete(`/v1/${path}?recursive=true&hardDelete=true`),
      403,
      /for 1 of the descendants of/,
    );
    ok(await admin.get(`/v1/${path}`));
  }
  const below = await caller.delete(`/v1/teams/${team.id}?recursive=true&hardDelete=true`);
  expectRefused(below, 403);
  for (const path of [`glossaries/${glossary.id}`, `domains/${domain.id}`, `teams/${team.id}`]) {
    ok(await admin.delete(`/v1/${path}?recursive=true&hardDelete=true`));
  }
});

test('a cascade beyond one request is authorized before it begins and again by its job', async () => {
  const { tree, secret, at, schema } = await plant();
  const person = await rights.person([FREE, unless('Delete', 'table')]);
  const { app, client, as } = await openSecondProcessWith(service, {
    cascadeRows: 2,
    jobs: { pollMs: 20, idlePollMs: 50 },
  });
  await service.app.runner.stop();
  await app.runner.stop();
  try {
    const caller = await as(person.name);
    const before = await statesBelow(tree.service);
    for (const query of ['recursive=true', 'recursive=true&hardDelete=true']) {
      expectRefused(await caller.delete(`${at}?${query}`), 403, CLEAR);
    }
    assert.equal(await statesBelow(tree.service), before);
    const untagged = ok(await admin.patch(`/v1/tables/${secret.id}`, [{ op: 'remove', path: '/tags' }]));
    assert.equal(untagged.tags ?? [], []);
    const path = `/v1/databaseSchemas/async/${schema.id}?recursive=true&hardDelete=true`;
    const { jobId } = ok(await caller.delete(path), 202);
    // Accepted, and then somebody says that one of the tables is none of the caller's business.
    ok(await admin.patch(`/v1/tables/${secret.id}`, [{ op: 'add', path: '/tags', value: [{ tagFQN: TAG }] }]));
    app.runner.start();
    const job = await waitForJobEnd(client, jobId);
    assert.is(job.status, 'FAILED');
    assert.match(JSON.stringify(job), /not allowed for 1 of the descendants of/);
    ok(await admin.get(at));
    ok(await admin.get(`/v1/tables/name/${tree.schema}.orders`));
  } finally {
    await app.runner.stop();
    service.app.runner.start();
  }
});

test('callers who may edit everything need no check of descendants', async () => {
  const { at, schema } = await plant();
  const count = () => service.sent(listDescendants.name) + service.sent(readOwnFacts.name);
  // What people are told of earlier changes asks for the facts of other records.
  const telling = [service.app.notifications, service.app.dispatcher];
  await Promise.all(telling.map((loop) => loop.stop()));
  try {
    const before = count();
    ok(await admin.delete(`${at}?recursive=true`));
    ok(await admin.put('/v1/databaseSchemas/restore', { id: schema.id }));
    ok(await admin.delete(`${at}?recursive=true&hardDelete=true`));
    assert.is(count(), before);
  } finally {
    for (const loop of telling) loop.start();
  }
});

test.run();
