import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { CASES, createQualityTests, type QualityTests, SUITES } from '../support/quality-tests.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the test routes serve the requests of existing clients (client-compat.md, data-quality.md 1). */

const test = suite('quality: client compatibility');

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

const SAMPLE = {
  columns: ['id', 'amount'],
  rows: [
    [1, null],
    [2, -1.5],
  ],
};

test('failed rows are stored separately and read with an operation of their own', async () => {
  const made = await testing.test(await testing.table());
  const path = `${CASES}/${made.id}/failedRowsSample`;
  expectRefused(await service.admin.get(path), 404);
  const put = ok(await service.admin.put(path, SAMPLE));
  assert.is(put.id, made.id);
  assert.is(put.version, made.version);
  assert.equal(put.failedRowsSample, SAMPLE);
  assert.equal(ok(await service.admin.get(path)), SAMPLE);
  for (const query of ['', '?fields=*']) {
    assert.is('failedRowsSample' in ok(await service.admin.get(`${CASES}/${made.id}${query}`)), false);
  }
  expectRefused(await service.admin.get(`${CASES}/${made.id}?fields=failedRowsSample`), 400);
  for (const body of [{ columns: ['id'], rows: 'none' }, { columns: 1, rows: [] }, { more: 1 }, []]) {
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.put(path, body)), 400);
  }
  const stray = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
  expectRefused(await service.admin.put(`${CASES}/${stray}/failedRowsSample`, SAMPLE), 404);
  expectRefused(await service.admin.get(`${CASES}/${stray}/failedRowsSample`), 404);
  ok(await service.admin.patch(`${CASES}/${made.id}`, { description: 'told' }));
  assert.equal(ok(await service.admin.get(path)), SAMPLE, 'a patch leaves it alone');
  ok(await service.admin.delete(`${CASES}/${made.id}`));
  expectRefused(await service.admin.get(path), 404);
});

test('the inspection query is read as text, whatever its media type', async () => {
  const made = await testing.test(await testing.table());
  const path = `${CASES}/${made.id}/inspectionQuery`;
  const sql = "SELECT *\nFROM orders WHERE name = 'ä'";
  for (const type of ['text/plain', 'application/json', 'application/sql', 'application/octet-stream']) {
    const put = ok(await service.admin.raw('PUT', path, `${sql} -- ${type}`, { 'content-type': type }));
    assert.is(put.inspectionQuery, `${sql} -- ${type}`);
  }
  assert.is(ok(await service.admin.get(`${CASES}/${made.id}`)).inspectionQuery, `${sql} -- application/octet-stream`);
  expectRefused(await service.admin.raw('PUT', path, '', { 'content-type': 'text/plain' }), 400);
  expectRefused(
    await service.admin.raw('PUT', `${CASES}/3f2504e0-4f89-41d3-9a0c-0305e82c3301/inspectionQuery`, sql),
    404,
  );
});

test('incidents are not supported', async () => {
  const made = await testing.test(await testing.table());
  expectRefused(await service.admin.get(`${CASES}/testCaseIncidentStatus`), 404);
  expectRefused(await service.admin.get(`${CASES}/testCaseIncidentStatus/stateId/${made.id}`), 404);
});

test('the former path prefix works, and hrefs repeat it', async () => {
  const table = await testing.table();
  const made = ok(await service.admin.post(`/api${CASES}`, testing.body(table, 'id')), 201);
  assert.match(made.href, /^https?:\/\/.+\/api\/v1\/dataQuality\/testCases\/[0-9a-f-]{36}$/);
  assert.match(made.testSuite.href, /\/api\/v1\/dataQuality\/testSuites\/[0-9a-f-]{36}$/);
  const fqn = encodeURIComponent(made.fullyQualifiedName);
  assert.is(ok(await service.admin.get(`/api${CASES}/name/${fqn}?fields=owners&include=all`)).id, made.id);
  const result = { timestamp: 1_763_700_000_000, testCaseStatus: 'Success' };
  ok(await service.admin.post(`/api${CASES}/testCaseResults/${fqn}`, result), 201);
  assert.is(ok(await service.admin.get(`/api${CASES}/testCaseResults/${fqn}`)).paging.total, 1);
});

test('names with any characters work in paths', async () => {
  const table = await testing.table(undefined, { name: 'a/b c%20"'.replace('"', "'") + Math.random() });
  const made = await testing.test(table, 'id', { name: 'x/y %2F ü?&=#' });
  const fqn = encodeURIComponent(made.fullyQualifiedName);
  assert.is(ok(await service.admin.get(`${CASES}/name/${fqn}`)).id, made.id);
  const result = { timestamp: 1_763_700_000_000, testCaseStatus: 'Failed' };
  ok(await service.admin.post(`${CASES}/testCaseResults/${fqn}`, result), 201);
  ok(await service.admin.put(`${CASES}/${fqn}/testCaseResult`, result));
  assert.is(
    ok(await service.admin.get(`${CASES}/testCaseResults/${fqn}?startTs=1&endTs=9999999999999`)).paging.total,
    1,
  );
  ok(await service.admin.delete(`${CASES}/testCaseResults/${fqn}/${result.timestamp}`));
  ok(await service.admin.delete(`${CASES}/name/${fqn}`));
});

test('fixed path segments win over ids, and an invalid id is 404', async () => {
  expectRefused(await service.admin.get(`${CASES}/nothing`), 404);
  expectRefused(await service.admin.get(`${SUITES}/nothing`), 404);
  expectRefused(await service.admin.delete(`${SUITES}/basic/nothing`), 404);
  expectRefused(await service.admin.delete(`${CASES}/logicalTestCases/nothing/nothing`), 404);
});

test('a client creates a suite, test cases and results in the usual sequence', async () => {
  const table = await testing.table();
  const suiteBody = {
    name: `${table.fullyQualifiedName}.TestSuite`,
    basicEntityReference: table.fullyQualifiedName,
    displayName: null,
    description: null,
    owners: null,
    domains: null,
  };
  const made = ok(await service.admin.put(`/api${SUITES}/executable`, suiteBody), 201);
  ok(await service.admin.put(`/api${SUITES}/executable`, suiteBody));
  const body = testing.body(table, 'id', { testSuite: made.fullyQualifiedName, displayName: null, reviewers: null });
  const one = ok(await service.admin.put(`/api${CASES}`, body), 201);
  assert.is(one.testSuite.id, made.id);
  const listed = ok(
    await service.admin.get(`/api${CASES}?testSuiteId=${made.id}&fields=testSuite,testDefinition&limit=1000000`),
  );
  assert.equal(
    listed.data.map(({ id }: JsonObject) => id),
    [one.id],
  );
  const named = ok(
    await service.admin.get(`/api${SUITES}/name/${encodeURIComponent(made.fullyQualifiedName)}?fields=tests%2Csummary`),
  );
  assert.is(named.tests.length, 1);
  const tableRead = ok(await service.admin.get(`/api/v1/tables/${table.id}?fields=testSuite`));
  assert.is(tableRead.testSuite.fullyQualifiedName, made.fullyQualifiedName);
});

test.run();
