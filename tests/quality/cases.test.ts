import * as assert from 'uvu/assert';
import { ok, refused } from '../support/expect.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { CASES, createTesting, linkTo, SUITES, type Testing } from '../support/testing.ts';

const test = suite('quality: test cases');

let service: Service;
let testing: Testing;
test.before(async () => {
  service = await openService();
  testing = createTesting(service);
});

test('a test of a table and one of a column are named after them and reach them in the graph', async () => {
  const table = await testing.table();
  const onTable = await testing.test(table, undefined, { name: 'rows.all' });
  assert.is(onTable.fullyQualifiedName, `${table.fullyQualifiedName}."rows.all"`);
  assert.is(onTable.entityFQN, table.fullyQualifiedName);
  const onColumn = await testing.test(table, 'AMOUNT', { name: 'present' });
  assert.is(onColumn.fullyQualifiedName, `${table.fullyQualifiedName}.amount.present`);
  assert.is(onColumn.entityLink, linkTo(table, 'amount'), 'in the spelling of the table');
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

test('the first test of a table brings its basic suite into being, however many come at once', async () => {
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

test('the name of a test is taken once per target', async () => {
  const table = await testing.table();
  const body = testing.body(table, 'id', { name: 'present' });
  ok(await testing.post(body), 201);
  refused(await testing.post(body), 409, 'Entity already exists');
  ok(await testing.post({ ...body, entityLink: linkTo(table, 'amount') }), 201);
  const again = ok(await service.admin.put(CASES, { ...body, description: 'changed' }));
  assert.is(again.description, 'changed');
});

test.run();
