import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { CHANGE_HEADER_NAME, createPerson, expectRef, expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { CASES, createQualityTests, entityLinkOf, type QualityTests, SUITES } from '../support/quality-tests.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that test cases of tables and columns follow the contract. */

const test = suite('quality: test cases');

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

test('tests of a table and of a column are named below their target and connected to it in the graph', async () => {
  const table = await testing.table();
  const onTable = await testing.test(table, undefined, { name: 'rows.all' });
  assert.is(onTable.fullyQualifiedName, `${table.fullyQualifiedName}."rows.all"`);
  assert.is(onTable.entityFQN, table.fullyQualifiedName);
  const onColumn = await testing.test(table, 'AMOUNT', { name: 'present' });
  assert.is(onColumn.fullyQualifiedName, `${table.fullyQualifiedName}.amount.present`);
  assert.is(onColumn.entityLink, entityLinkOf(table, 'amount'), 'in the spelling of the table');
  const below = await testing.test(table, 'address.city', { name: 'present' });
  assert.is(below.fullyQualifiedName, `${table.fullyQualifiedName}.address.city.present`);
  const reached = await service.graph.query(
    'MATCH (test:TestCase)-[:TESTS]->(target) WHERE test.id IN $ids RETURN test.id AS id, target.fullyQualifiedName AS fqn, target:Column AS isColumn',
    { ids: [onTable.id, onColumn.id, below.id] },
  );
  assert.equal(
    new Map(reached.map(({ id, fqn, isColumn }) => [id, [fqn, isColumn]])),
    new Map([
      [onTable.id, [table.fullyQualifiedName, false]],
      [onColumn.id, [`${table.fullyQualifiedName}.amount`, true]],
      [below.id, [`${table.fullyQualifiedName}.address.city`, true]],
    ]),
  );
});

test('the first test case creates the basic suite of a table, also with concurrent requests', async () => {
  const table = await testing.table();
  const all = await Promise.all(Array.from({ length: 20 }, () => testing.test(table)));
  const suites = new Set(all.map(({ testSuite }) => testSuite.id));
  assert.is(suites.size, 1);
  const suite = ok(await service.admin.get(`${SUITES}/${[...suites][0]}?fields=tests`));
  assert.is(suite.fullyQualifiedName, `${table.fullyQualifiedName}.testSuite`);
  assert.is(suite.basic, true);
  assert.is(suite.tests.length, 20);
  assert.is(suite.basicEntityReference.id, table.id);
});

test('the name of a test case is unique per target', async () => {
  const table = await testing.table();
  const body = testing.body(table, 'id', { name: 'present' });
  ok(await testing.post(body), 201);
  expectRefused(await testing.post(body), 409, 'Entity already exists');
  ok(await testing.post({ ...body, entityLink: entityLinkOf(table, 'amount') }), 201);
  const again = ok(await service.admin.put(CASES, { ...body, description: 'changed' }));
  assert.is(again.description, 'changed');
});

const read = async (id: string, query = '') => ok(await service.admin.get(`${CASES}/${id}${query}`));

const sortedKeys = (record: object): string[] => Object.keys(record).sort();

/** What a test always says; a description and the like come when there are any. */
const ALWAYS = [
  'computePassedFailedRowCount',
  'createdBy',
  'deleted',
  'dimensionColumns',
  'entityFQN',
  'entityLink',
  'entityStatus',
  'fullyQualifiedName',
  'href',
  'id',
  'name',
  'parameterValues',
  'testDefinition',
  'testSuite',
  'topDimensions',
  'updatedAt',
  'updatedBy',
  'useDynamicAssertion',
  'version',
];
const GATED = ['dataProducts', 'domains', 'followers', 'owners', 'reviewers', 'tags', 'testSuites'];

test('a test case has exactly the members of the contract', async () => {
  const table = await testing.table();
  const made = await testing.test(table);
  assert.equal(sortedKeys(await read(made.id)), ALWAYS);
  assert.equal(sortedKeys(await read(made.id, '?fields=*')), [...ALWAYS, ...GATED].sort());
  assert.is(made.entityStatus, 'Approved');
  assert.is(made.createdBy, 'admin');
  assert.is(made.topDimensions, 5);
  assert.equal(made.dimensionColumns, []);
  assert.is(made.computePassedFailedRowCount, false);
  assert.is(made.useDynamicAssertion, false);
  assert.equal(made.parameterValues, [{ name: 'value', value: '1' }]);
  for (const member of ['testDefinition', 'testSuite']) expectRef(made[member]);
  assert.is(made.testDefinition.fullyQualifiedName, 'tableRowCountToEqual');
  assert.equal(made.owners, [], 'the answer of a write tells of owners');
});

const FULL = {
  displayName: 'Rows',
  description: 'as many as there should be',
  computePassedFailedRowCount: true,
  useDynamicAssertion: true,
  dimensionColumns: ['amount'],
  topDimensions: 50,
  parameterValues: [
    { name: 'value', value: '7' },
    { name: 'threshold', value: '2' },
  ],
};

test('a test case stores its members, and null means absent', async () => {
  const table = await testing.table();
  const owner = await createPerson(service, uniqueName('owner'));
  const refs = [{ id: owner.id, type: 'user' }];
  const given = { ...FULL, owners: refs, reviewers: refs, tags: [{ tagFQN: 'Tier.Tier2' }] };
  const made = await testing.test(table, undefined, given);
  for (const [name, value] of Object.entries(FULL)) assert.equal(made[name], value, name);
  for (const name of ['owners', 'reviewers'])
    assert.equal(
      made[name].map(({ id }: JsonObject) => id),
      [owner.id],
    );
  assert.equal(
    made.tags.map(({ tagFQN }: JsonObject) => tagFQN),
    ['Tier.Tier2'],
  );
  const nulls = Object.fromEntries([...Object.keys(given), 'testSuite'].map((name) => [name, null]));
  const { parameterValues: _values, ...rest } = nulls;
  const plain = await testing.test(table, undefined, rest);
  assert.is(plain.topDimensions, 5);
  assert.is('description' in plain, false);
});

test('PUT updates a test case, and a repeated PUT changes nothing', async () => {
  const table = await testing.table();
  const body = testing.body(table, undefined, FULL);
  const first = await service.admin.put(CASES, body);
  assert.is(first.status, 201);
  assert.is(first.headers.get(CHANGE_HEADER_NAME), 'entityCreated');
  const same = await expectUnchanged(service, first.json.id, () => service.admin.put(CASES, body));
  assert.is(same.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  const { description: _text, ...rest } = body;
  const put = ok(
    await service.admin.put(CASES, { ...rest, topDimensions: 3, parameterValues: [{ name: 'value', value: '8' }] }),
  );
  assert.is(put.id, first.json.id);
  assert.is(put.version, 0.2);
  assert.is('description' in put, false);
  assert.is(put.topDimensions, 3);
  assert.equal(put.parameterValues, [{ name: 'value', value: '8' }]);
  assert.is(put.createdBy, 'admin');
});

test('a test case may name no suite, that of its table by either name, or a logical one, and any other is refused', async () => {
  const [table, other] = [await testing.table(), await testing.table()];
  const chosen = ok(await service.admin.post(SUITES, { name: uniqueName('chosen.suite') }), 201);
  const foreign = (await testing.test(other)).testSuite;
  const suitesOf = async (id: string) =>
    (await read(id, '?fields=testSuites')).testSuites.map(({ id: suiteId }: JsonObject) => suiteId).sort();
  const basic = `${table.fullyQualifiedName}.testSuite`;
  const first = await testing.test(table, undefined, { testSuite: basic });
  const basicId = first.testSuite.id;
  assert.is(first.testSuite.fullyQualifiedName, basic, 'created although it was not there');
  for (const testSuite of [basic, `${table.fullyQualifiedName}.TestSuite`]) {
    assert.equal(await suitesOf((await testing.test(table, undefined, { testSuite })).id), [basicId]);
  }
  for (const testSuite of [chosen.fullyQualifiedName, chosen.name]) {
    const made = await testing.test(table, 'id', { testSuite });
    assert.is(made.testSuite.id, basicId);
    assert.equal(await suitesOf(made.id), [basicId, chosen.id].sort());
  }
  const lonely = await testing.table();
  for (const [testSuite, status] of [
    [foreign.fullyQualifiedName, 400],
    [`${uniqueName('nowhere')}`, 404],
    ['no.such.table.here.testSuite', 404],
  ] as const) {
    expectRefused(await testing.post(testing.body(lonely, undefined, { testSuite })), status);
    expectRefused(await service.admin.put(CASES, testing.body(lonely, undefined, { testSuite })), status);
  }
  const left = await service.admin.get(
    `${SUITES}/name/${encodeURIComponent(`${lonely.fullyQualifiedName}.testSuite`)}`,
  );
  expectRefused(left, 404);
});

test('PUT of an existing test case adds it to the named logical suite', async () => {
  const table = await testing.table();
  const chosen = ok(await service.admin.post(SUITES, { name: uniqueName('chosen') }), 201);
  const body = testing.body(table);
  const made = ok(await testing.post(body), 201);
  const members = async () =>
    ok(await service.admin.get(`${SUITES}/${chosen.id}?fields=tests`)).tests.map(({ id }: JsonObject) => id);
  const put = ok(await service.admin.put(CASES, { ...body, testSuite: chosen.name }));
  assert.is(put.version, made.version, 'to what it belongs is no part of what it says');
  assert.equal(await members(), [made.id]);
  ok(await service.admin.put(CASES, { ...body, testSuite: chosen.name, description: 'told' }));
  assert.equal(await members(), [made.id], 'once');
  ok(await service.admin.put(CASES, { ...body, testSuite: `${table.fullyQualifiedName}.testSuite` }));
  assert.equal(await members(), [made.id], 'naming another takes it out of none');
  const other = ok(await service.admin.post(SUITES, { name: uniqueName('chosen') }), 201);
  ok(await service.admin.put(CASES, { ...body, testSuite: other.name, description: 'told anew' }));
  const found = (await read(made.id, '?fields=testSuites')).testSuites;
  assert.equal(found.map(({ id }: JsonObject) => id).sort(), [made.testSuite.id, chosen.id, other.id].sort());
});

test('own members of a test case are patched, and derived ones are not', async () => {
  const table = await testing.table();
  const made = await testing.test(table);
  const patched = ok(
    await service.admin.patch(`${CASES}/${made.id}`, [
      { op: 'replace', path: '/parameterValues/0/value', value: '9' },
      { op: 'add', path: '/description', value: 'told' },
      { op: 'replace', path: '/name', value: 'other' },
      { op: 'replace', path: '/topDimensions', value: 7 },
      { op: 'replace', path: '/entityStatus', value: 'Deprecated' },
    ]),
  );
  assert.equal(patched.parameterValues, [{ name: 'value', value: '9' }]);
  assert.is(patched.name, made.name);
  assert.is(patched.entityStatus, 'Deprecated');
  assert.is(patched.version, 0.2);
  for (const patch of [
    [{ op: 'replace', path: '/entityLink', value: entityLinkOf(table, 'id') }],
    [{ op: 'replace', path: '/createdBy', value: 'somebody' }],
    [{ op: 'replace', path: '/topDimensions', value: 0 }],
    [{ op: 'replace', path: '/topDimensions', value: 51 }],
    [{ op: 'remove', path: '/parameterValues' }],
    [{ op: 'replace', path: '/parameterValues/0/name', value: 'depth' }],
    [{ op: 'add', path: '/dimensionColumns', value: ['nowhere'] }],
    [{ op: 'add', path: '/colour', value: 'red' }],
    { deleted: true },
  ]) {
    const reply = await expectUnchanged(service, made.id, () => service.admin.patch(`${CASES}/${made.id}`, patch));
    expectRefused(reply, 400);
  }
  const whole = await read(made.id, '?fields=*');
  assert.is(ok(await service.admin.patch(`${CASES}/${made.id}`, whole)).version, 0.2, 'what was read can be sent back');
});

test('test cases are soft-deleted, listed on request, restored and hard-deleted', async () => {
  const table = await testing.table();
  const made = await testing.test(table, 'id');
  const named = `${CASES}/name/${encodeURIComponent(made.fullyQualifiedName)}`;
  assert.is(ok(await service.admin.delete(named)).deleted, true);
  expectRefused(await service.admin.get(named), 404);
  expectRefused(await service.admin.patch(`${CASES}/${made.id}`, { description: 'x' }), 404);
  const hidden = ok(await service.admin.get(`${named}?include=deleted`));
  assert.is(hidden.testSuite.id, made.testSuite.id);
  assert.is(hidden.testDefinition.id, made.testDefinition.id);
  expectRefused(await testing.post(testing.body(table, 'id', { name: made.name })), 409);
  const put = ok(await service.admin.put(CASES, testing.body(table, 'id', { name: made.name })));
  assert.is(put.id, made.id);
  assert.is(put.deleted, false);
  const [joined] = await service.graph.query(
    'MATCH (:TestCase {id: $id})-[:TESTS]->(c:Column) RETURN count(c) AS columns',
    { id: made.id },
  );
  assert.is(joined?.['columns'], 1, 'it reaches its column again, once');
  ok(await service.admin.delete(`${CASES}/${made.id}?hardDelete=true`));
  expectRefused(await service.admin.get(`${CASES}/${made.id}?include=all`), 404);
  const again = await testing.test(table, 'id', { name: made.name });
  assert.is.not(again.id, made.id);
});

test('of concurrent POSTs of one test case one succeeds, and PUT never conflicts', async () => {
  const table = await testing.table();
  const body = testing.body(table, 'id');
  const posts = await Promise.all(Array.from({ length: 10 }, () => testing.post(body)));
  assert.is(posts.filter(({ status }) => status === 201).length, 1);
  for (const reply of posts.filter(({ status }) => status !== 201))
    expectRefused(reply, 409, undefined, 'ENTITY_ALREADY_EXISTS');
  const puts = await Promise.all(
    Array.from({ length: 10 }, (_, at) => service.admin.put(CASES, { ...body, description: `text ${at}` })),
  );
  for (const { status } of puts) assert.is(status, 200);
  const { version } = ok(await service.admin.get(`${CASES}/${posts.find(({ status }) => status === 201)?.json.id}`));
  assert.is(version, 1.1, 'ten changes, none lost');
  const other = testing.body(table, 'amount');
  const both = await Promise.all(Array.from({ length: 10 }, () => service.admin.put(CASES, other)));
  assert.is(both.filter(({ status }) => status === 201).length, 1);
  assert.is(new Set(both.map(({ json }) => json.id)).size, 1);
});

test('owners, domains, labels and followers are inherited from table and column until the test case has its own', async () => {
  const [owner, reader] = [
    await createPerson(service, uniqueName('owner')),
    await createPerson(service, uniqueName('reader')),
  ];
  const domain = await testing.samples.create('domain');
  const table = await testing.table(
    [
      { name: 'id', dataType: 'INT', tags: [{ tagFQN: 'PII.Sensitive' }] },
      { name: 'amount', dataType: 'INT' },
    ],
    {
      owners: [{ id: owner.id, type: 'user' }],
      domains: [domain.fullyQualifiedName],
      tags: [{ tagFQN: 'Tier.Tier1' }],
    },
  );
  ok(await service.admin.put(`/v1/tables/${table.id}/followers`, reader.id));
  const [onTable, onColumn, onOther] = [
    await testing.test(table),
    await testing.test(table, 'id'),
    await testing.test(table, 'amount'),
  ];
  const tagsOf = (record: { tags: readonly JsonObject[] }) => record.tags.map(({ tagFQN }) => tagFQN);
  const seen = async (id: string) => {
    const whole = await read(id, '?fields=owners,domains,tags,followers');
    assert.equal(
      whole.owners.map((ref: JsonObject) => [ref['id'], ref['inherited']]),
      [[owner.id, true]],
    );
    assert.equal(
      whole.domains.map((ref: JsonObject) => [ref['id'], ref['inherited']]),
      [[domain.id, true]],
    );
    assert.equal(
      whole.followers.map((ref: JsonObject) => ref['id']),
      [reader.id],
    );
    return tagsOf(whole);
  };
  assert.equal(await seen(onTable.id), ['Tier.Tier1']);
  assert.equal(await seen(onColumn.id), ['PII.Sensitive', 'Tier.Tier1']);
  assert.equal(await seen(onOther.id), ['Tier.Tier1']);
  assert.equal(tagsOf(onColumn), ['PII.Sensitive', 'Tier.Tier1'], 'the answer of the write tells of them too');
  const { data } = ok(
    await service.admin.get(`${CASES}?testSuiteId=${onTable.testSuite.id}&fields=tags,followers&columnName=id`),
  );
  assert.equal(tagsOf(data[0]), ['PII.Sensitive', 'Tier.Tier1']);
  assert.is(data[0].followers[0].id, reader.id);

  const described = ok(await service.admin.patch(`${CASES}/${onColumn.id}`, { description: 'told' }));
  assert.equal(
    described.changeDescription.fieldsAdded.map(({ name }: JsonObject) => name),
    ['description'],
  );
  ok(await service.admin.patch(`${CASES}/${onColumn.id}`, await read(onColumn.id, '?fields=*')));
  ok(await service.admin.put(CASES, { ...testing.body(table, 'id', { name: onColumn.name }), description: 'anew' }));
  const [own] = await service.graph.query(
    'MATCH (n:TestCase {id: $id}) RETURN COUNT { (n)-[:TAGGED]->() } AS labels, COUNT { (n)<-[:FOLLOWS]-() } AS followers',
    { id: onColumn.id },
  );
  assert.equal(own, { labels: 0, followers: 0 }, 'nothing that it inherits became its own');

  ok(await service.admin.patch(`/v1/tables/${table.id}`, [{ op: 'remove', path: '/tags/0' }]));
  assert.equal(await seen(onColumn.id), ['PII.Sensitive'], 'it follows the table');

  const added = ok(
    await service.admin.patch(`${CASES}/${onColumn.id}`, [
      { op: 'add', path: '/tags/-', value: { tagFQN: 'Tier.Tier3', source: 'Classification' } },
    ]),
  );
  assert.equal(tagsOf(added), ['Tier.Tier3'], 'its own take the place of the others');
  assert.equal(
    added.changeDescription.fieldsAdded.map(({ newValue }: JsonObject) => JSON.parse(String(newValue)).length),
    [1],
  );
  const bare = ok(await service.admin.patch(`${CASES}/${onColumn.id}`, { tags: [] }));
  assert.equal(tagsOf(bare), ['PII.Sensitive'], 'without its own it inherits again');
});

test('an inherited label can be made an own one, and a follower of the table can follow the test case', async () => {
  const reader = await createPerson(service, uniqueName('reader'));
  const table = await testing.table(undefined, { tags: [{ tagFQN: 'Tier.Tier1' }] });
  ok(await service.admin.put(`/v1/tables/${table.id}/followers`, reader.id));
  const made = await testing.test(table, undefined, { tags: [{ tagFQN: 'Tier.Tier1' }] });
  assert.equal(
    made.tags.map(({ labelType }: JsonObject) => labelType),
    ['Manual'],
  );
  ok(await service.admin.patch(`/v1/tables/${table.id}`, { tags: [] }));
  assert.equal((await read(made.id, '?fields=tags')).tags.length, 1);
  ok(await reader.put(`${CASES}/${made.id}/followers`, reader.id));
  ok(await service.admin.delete(`/v1/tables/${table.id}/followers/${reader.id}`));
  assert.equal(
    (await read(made.id, '?fields=followers')).followers.map(({ id }: JsonObject) => id),
    [reader.id],
  );
  ok(await reader.delete(`${CASES}/${made.id}/followers/${reader.id}`));
  assert.equal((await read(made.id, '?fields=followers')).followers, []);
});

test('the search document of a test case contains its table', async () => {
  const table = await testing.table();
  const made = await testing.test(table, 'id');
  const { hits } = ok(
    await service.admin.get(`/v1/search/query?index=test_case_search_index&q=${encodeURIComponent(made.name)}`),
  );
  const source = hits.hits[0]['_source'];
  assert.is(source.originEntityFQN, table.fullyQualifiedName);
  assert.is(source.entityLink, made.entityLink);
  assert.is(source.testDefinition.name, 'columnValuesToBeNotNull');
  assert.is(source.testSuite.id, made.testSuite.id);
  assert.equal(
    source.testSuites.map(({ id }: JsonObject) => id),
    [made.testSuite.id],
  );
  const suites = ok(
    await service.admin.get(
      `/v1/search/query?index=test_suite_search_index&q=${encodeURIComponent(table.name)}&size=100`,
    ),
  ).hits.hits;
  const found = suites.find((hit: JsonObject) => hit['_id'] === made.testSuite.id)?.['_source'];
  assert.is(found.basic, true);
  assert.type(found.summary, 'object');
});

test.run();
