import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { TIMEZONES } from '../../src/model/schemas/contracts/contract-status.ts';
import { createPerson, expectList, expectRefused, ok } from '../support/expect.ts';
import { CONTRACTS } from '../support/odcs-exchange.ts';
import { CASES, createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { type CreatedRecord, strayId } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that contracts accept the kinds and members of the specification, and refuse others (data-contracts.md 3 and
 * 5).
 */

const test = suite('contracts: kinds and members');

let service: Service;
let testing: QualityTests;
let rights: RightsFactory;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  rights = createRightsFactory(service);
});

test.after(() => rights.clear());

const ref = ({ id }: Pick<CreatedRecord, 'id'>, type = 'table') => ({ id, type });

const body = (record: Pick<CreatedRecord, 'id'>, more: JsonObject = {}, type = 'table'): JsonObject => ({
  name: uniqueName('contract'),
  entity: ref(record, type),
  ...more,
});

const post = (record: Pick<CreatedRecord, 'id'>, more: JsonObject = {}, type = 'table') =>
  service.admin.post(CONTRACTS, body(record, more, type));

const COLUMN: JsonObject = { name: 'id', dataType: 'INT' };

const named = (name: string): JsonObject => ({ name, dataType: 'STRING' });

/** The columns or fields that records of a kind say of themselves, and those that a contract about one promises. */
const SHAPED: Readonly<Record<string, readonly [JsonObject, readonly JsonObject[]]>> = {
  table: [{ columns: [COLUMN] }, [COLUMN]],
  container: [{ dataModel: { columns: [COLUMN] } }, [COLUMN]],
  dashboardDataModel: [{ columns: [COLUMN], dataModelType: 'TableauDataModel' }, [COLUMN]],
  file: [{ columns: [COLUMN] }, [COLUMN]],
  topic: [{ messageSchema: { schemaFields: [named('order')] } }, [named('order')]],
  apiEndpoint: [
    {
      requestSchema: { schemaFields: [named('asked')] },
      responseSchema: { schemaFields: [named('answered')] },
    },
    [named('asked'), named('answered')],
  ],
};

const UNSHAPED = [
  'storedProcedure',
  'database',
  'databaseSchema',
  'dashboard',
  'chart',
  'pipeline',
  'searchIndex',
  'apiCollection',
  'mlmodel',
  'directory',
  'dataProduct',
] as const;

test('columns of every kind with columns can be promised, and are found at every depth', async () => {
  for (const [type, [more, schema]] of Object.entries(SHAPED)) {
    const record = await testing.samples.create(type, more);
    const absent = [...schema, named('nowhere')];
    expectRefused(await post(record, { schema: absent }, type), 400, /nowhere/);
    const made = ok(await post(record, { schema }, type), 201);
    assert.is(made.entity.type, type);
    const judged = ok(await service.admin.post(`${CONTRACTS}/${made.id}/validate`, {}));
    assert.equal(judged.schemaValidation, { passed: schema.length, failed: 0, total: schema.length }, type);
  }
});

test('a contract of a kind without columns has no schema', async () => {
  for (const type of UNSHAPED) {
    const record = await testing.samples.create(type);
    expectRefused(await post(record, { schema: [COLUMN] }, type), 400, `[schema is not possible for a ${type}]`);
    const made = ok(await post(record, {}, type), 201);
    assert.equal([made.entity.id, made.entity.type], [record.id, type]);
  }
  for (const type of ['api', 'directory', 'file', 'spreadsheet', 'worksheet']) {
    expectRefused(await post({ id: strayId() }, {}, type), 404);
  }
  for (const type of ['user', 'glossaryTerm', 'tag', 'nonsense'])
    expectRefused(await post({ id: strayId() }, {}, type), 400);
});

test('only tables have quality expectations', async () => {
  const table = await testing.table();
  const qualityExpectations = [ref(await testing.test(table), 'testCase')];
  const topic = await testing.samples.create('topic');
  expectRefused(await post(topic, { qualityExpectations }, 'topic'), 400, /qualityExpectations are not possible/);
  const made = ok(await post(topic, {}, 'topic'), 201);
  expectRefused(await service.admin.patch(`${CONTRACTS}/${made.id}`, { qualityExpectations }), 400);
  expectRefused(await service.admin.patch(`${CONTRACTS}/${made.id}`, { schema: [COLUMN] }), 400);
});

test('terms of use are a text or an object, and null means absent', async () => {
  const table = await testing.table();
  const text = ok(await post(table, { termsOfUse: '# Be kind' }), 201);
  assert.equal(text.termsOfUse, { content: '# Be kind' });
  const sent = body(await testing.table(), {
    termsOfUse: { content: 'Mine', inherited: true },
    description: null,
    owners: null,
    schema: null,
    sla: null,
    semantics: [{ name: 'r', description: 'd', rule: '{"==": [1, 1]}', enabled: true, entityType: null }],
    security: { dataClassification: null, policies: [{ accessPolicy: 'open', identities: null }] },
  });
  const made = ok(await service.admin.post(CONTRACTS, sent), 201);
  assert.equal(made.termsOfUse, { content: 'Mine' }, 'what is sent is the contract’s own');
  assert.equal(made.semantics, [
    { name: 'r', description: 'd', rule: '{"==": [1, 1]}', enabled: true, provider: 'user' },
  ]);
  assert.equal(made.security, { policies: [{ accessPolicy: 'open' }] });
  const found = ok(await service.admin.get(`${CONTRACTS}/${made.id}`));
  for (const absent of ['description', 'schema', 'sla', 'qualityExpectations', 'testSuite', 'latestResult']) {
    assert.is(found[absent]?.length ?? 0, 0, absent);
  }
  assert.not.match(JSON.stringify(found), /null/);
});

const MEMBERS = `id name displayName fullyQualifiedName description version updatedAt updatedBy createdAt createdBy href
entityStatus entity testSuite schema semantics termsOfUse security sla qualityExpectations odcsQualityRules
odcsElementExtensions effectiveFrom effectiveUntil sourceUrl latestResult deleted inherited changeDescription
incrementalChangeDescription owners reviewers extension`.split(/\s+/);

test('a contract has the members that clients know, and optional ones on request only', async () => {
  const table = await testing.table();
  const { id } = await createPerson(service, uniqueName('owner'));
  const made = ok(
    await post(table, {
      displayName: 'Orders',
      owners: [{ id, type: 'user' }],
      reviewers: [{ id, type: 'user' }],
      schema: [{ ...COLUMN, constraint: 'NOT_NULL', description: 'The key' }],
      qualityExpectations: [ref(await testing.test(table), 'testCase')],
      odcsQualityRules: [{ type: 'sql', query: 'SELECT 1', column: 'id', mustBe: 1 }],
      odcsElementExtensions: [{ element: 'id', transformSourceObjects: ['a'] }],
      effectiveFrom: '2026-01-01T00:00:00Z',
      effectiveUntil: '2027-01-01T00:00:00Z',
      sourceUrl: 'https://example.com/orders',
    }),
    201,
  );
  for (const query of ['', '?fields=owners,reviewers,extension', '?fields=*']) {
    const found = ok(await service.admin.get(`${CONTRACTS}/${made.id}${query}`));
    for (const member of Object.keys(found)) assert.ok(MEMBERS.includes(member), `${member} is not listed`);
    assert.is('owners' in found, query !== '', query);
    assert.is('reviewers' in found, query !== '', query);
    assert.equal(found.odcsElementExtensions, [{ element: 'id', transformSourceObjects: ['a'] }]);
    assert.equal([found.schema[0].name, found.schema[0].constraint], ['id', 'NOT_NULL']);
    assert.is(found.testSuite.type, 'testSuite');
  }
  const list = expectList(await service.admin.get(`${CONTRACTS}?entity=${table.id}&fields=owners,status`)).data[0];
  assert.equal([list.owners[0].id, list.status, 'reviewers' in list], [id, 'Draft', false]);
  expectRefused(await service.admin.get(`${CONTRACTS}?fields=nonsense`), 400, 'Invalid field name nonsense');
  expectRefused(
    await post(await testing.table(), { odcsElementExtensions: [{ element: 'id', more: 1 }] }),
    400,
    /more is not a known property/,
  );
  expectRefused(await post(await testing.table(), { latestResult: { timestamp: 1 } }), 400, /latestResult/);
});

test('a name may be long and contain dots, up to a limit', async () => {
  const table = await testing.table();
  expectRefused(await post(table, { name: 'a::b' }), 400);
  expectRefused(await post(table, { name: '' }), 400);
  expectRefused(await post(table, { name: 'n'.repeat(257) }), 400);
  const made = ok(await post(table, { name: 'n'.repeat(256) }), 201);
  assert.is(made.fullyQualifiedName, `${table.fullyQualifiedName}.dataContract_${'n'.repeat(256)}`);
});

const ZONE = 'GMT+00:00 (Europe/London)';

test('an SLA has a time zone of the list, by default that of London', async () => {
  const sla: JsonObject = { availabilityTime: '09:00' };
  assert.is(TIMEZONES.length, 36);
  const made = ok(await post(await testing.table(), { sla }), 201);
  assert.equal(made.sla, { ...sla, timezone: ZONE });
  for (const timezone of ['UTC', 'Europe/London', 'GMT+00:00', 'GMT+05:30 (Asia/Calcutta)']) {
    expectRefused(await post(await testing.table(), { sla: { ...sla, timezone } }), 400, /timezone/);
  }
  const path = `${CONTRACTS}/${made.id}`;
  for (const timezone of TIMEZONES) {
    const said = ok(await service.admin.patch(path, [{ op: 'replace', path: '/sla/timezone', value: timezone }]));
    assert.is(said.sla.timezone, timezone);
  }
  const bare = ok(await post(await testing.table()), 201);
  const merged = ok(await service.admin.patch(`${CONTRACTS}/${bare.id}`, { sla }));
  assert.equal(merged.sla, { ...sla, timezone: ZONE });
  const other = ok(await post(await testing.table()), 201);
  const added = [{ op: 'add', path: '/sla', value: { refreshFrequency: { interval: 1, unit: 'day' } } }];
  assert.is(ok(await service.admin.patch(`${CONTRACTS}/${other.id}`, added)).sla.timezone, ZONE);
  const put = ok(await service.admin.put(CONTRACTS, body(await testing.table(), { sla })), 201);
  assert.is(put.sla.timezone, ZONE);
});

test('an SLA stored without a time zone keeps none', async () => {
  const table = await testing.table();
  const document = `apiVersion: v3.1.0
kind: DataContract
id: ${strayId()}
version: 1.0.0
status: active
slaProperties:
  - { property: latency, value: 2, unit: h }
`;
  const made = ok(
    await service.admin.raw('POST', `${CONTRACTS}/odcs/yaml?entityId=${table.id}&entityType=table`, document, {
      'content-type': 'application/yaml',
    }),
    201,
  );
  assert.equal([made.sla.maxLatency, made.sla.timezone], [{ value: 2, unit: 'hour' }, undefined]);
  const patched = ok(await service.admin.patch(`${CONTRACTS}/${made.id}`, { description: 'x' }));
  assert.is(patched.sla.timezone, undefined);
});

test('every reference of a contract must exist', async () => {
  const table = await testing.table();
  const gone = await testing.table();
  const goneCase = await testing.test(await testing.table());
  const goneUser = await createPerson(service, uniqueName('gone'));
  ok(await service.admin.delete(`/v1/tables/${gone.id}`));
  ok(await service.admin.delete(`${CASES}/${goneCase.id}`));
  ok(await service.admin.delete(`/v1/users/${goneUser.id}`));
  expectRefused(await post(gone), 404);
  for (const member of ['owners', 'reviewers']) {
    expectRefused(await post(table, { [member]: [{ id: strayId(), type: 'user' }] }), 404);
    expectRefused(await post(table, { [member]: [{ id: goneUser.id, type: 'user' }] }), 404);
  }
  for (const id of [strayId(), goneCase.id]) {
    expectRefused(await post(table, { qualityExpectations: [{ id, type: 'testCase' }] }), 404);
  }
  const made = ok(await post(table), 201);
  const patches: readonly JsonObject[] = [
    { owners: [{ id: strayId(), type: 'user' }] },
    { reviewers: [{ id: goneUser.id, type: 'user' }] },
    { qualityExpectations: [{ id: goneCase.id, type: 'testCase' }] },
  ];
  for (const patch of patches) expectRefused(await service.admin.patch(`${CONTRACTS}/${made.id}`, patch), 404);
  assert.is(ok(await service.admin.get(`${CONTRACTS}/${made.id}`)).version, 0.1);
});

test('owners and reviewers are given by name, and owners are users or one team', async () => {
  const table = await testing.table();
  const { id, name } = await createPerson(service, uniqueName('owner'));
  const group = await rights.team();
  const unit = await rights.team({ teamType: 'Department' });
  const made = ok(
    await post(table, {
      owners: [{ type: 'user', name }],
      reviewers: [{ type: 'team', fullyQualifiedName: group.name }],
    }),
    201,
  );
  const found = ok(await service.admin.get(`${CONTRACTS}/${made.id}?fields=owners,reviewers`));
  assert.equal([found.owners[0].id, found.reviewers[0].id], [id, group.id]);
  const own = (...owners: JsonObject[]) => service.admin.patch(`${CONTRACTS}/${made.id}`, { owners });
  expectRefused(await own({ id: unit.id, type: 'team' }), 400);
  expectRefused(await own({ id: group.id, type: 'team' }, { id, type: 'user' }), 400);
  expectRefused(await post(await testing.table(), { owners: [{ id: unit.id, type: 'team' }] }), 400);
  assert.is(ok(await own({ id: group.id, type: 'team' })).owners[0].id, group.id);
});

test('a patch of the entity of a contract has no effect', async () => {
  const [table, other] = [await testing.table(), await testing.table()];
  const made = ok(await post(table), 201);
  const patched = ok(
    await service.admin.patch(`${CONTRACTS}/${made.id}`, [
      { op: 'replace', path: '/entity', value: ref(other) },
      { op: 'add', path: '/description', value: 'x' },
    ]),
  );
  assert.equal(
    [patched.entity.id, patched.fullyQualifiedName, patched.description],
    [table.id, made.fullyQualifiedName, 'x'],
  );
  assert.is(ok(await service.admin.get(`${CONTRACTS}?entity=${other.id}&limit=0`)).paging.total, 0);
  ok(await post(other), 201);
});

test('PUT restores a deleted contract with its latest result', async () => {
  const table = await testing.table();
  const sent = body(table, { description: 'one', schema: [COLUMN] });
  const made = ok(await service.admin.post(CONTRACTS, sent), 201);
  const judged = ok(await service.admin.post(`${CONTRACTS}/${made.id}/validate`, {}));
  const other = ok(await service.admin.put(CONTRACTS, { ...sent, description: 'two' }));
  assert.equal(
    [other.id, other.createdAt, other.createdBy, other.latestResult.resultId],
    [made.id, made.createdAt, made.createdBy, judged.id],
  );
  ok(await service.admin.delete(`${CONTRACTS}/name/${encodeURIComponent(made.fullyQualifiedName)}`));
  expectRefused(await service.admin.get(`${CONTRACTS}/${made.id}`), 404);
  assert.is(ok(await service.admin.get(`${CONTRACTS}/${made.id}?include=deleted`)).deleted, true);
  expectRefused(await service.admin.post(CONTRACTS, sent), 409, undefined, 'ENTITY_ALREADY_EXISTS');
  expectRefused(await service.admin.post(`${CONTRACTS}/${made.id}/validate`, {}), 404);
  const back = ok(await service.admin.put(CONTRACTS, { ...sent, description: 'three' }));
  assert.equal([back.id, back.description, back.deleted ?? false], [made.id, 'three', false]);
  assert.is(back.latestResult, undefined);
});

test.run();
