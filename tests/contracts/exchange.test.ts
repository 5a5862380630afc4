import { existsSync, readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/model/json.ts';
import { createPerson, expectRefused, ok } from '../support/expect.ts';
import { createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { createRightsFactory } from '../support/rights.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that contracts are imported from ODCS documents and exported again. */

const test = suite('contracts: import and export of ODCS');

const CONTRACTS = '/v1/dataContracts';

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

const at = ({ id }: JsonObject, more = '', path = '/odcs/yaml'): string =>
  `${CONTRACTS}${path}?entityId=${id}&entityType=table${more}`;

const send = (method: string, path: string, text: string, type = 'application/yaml') =>
  service.admin.raw(method, path, text, { 'content-type': type });

const COLUMNS = [
  { name: 'id', dataType: 'INT' },
  { name: 'amount', dataType: 'DOUBLE' },
];

const DOCUMENT = `apiVersion: v3.1.0
kind: DataContract
id: sales-orders
name: orders
version: 1.2.0
status: active
domain: sales
x-mine: {kept: [1, 2]}
description:
  purpose: What was ordered.
  usage: For reports.
schema:
  - name: orders
    logicalType: object
    properties:
      - name: id
        logicalType: integer
        primaryKey: true
        required: true
        x-note: kept as well
      - name: amount
        logicalType: number
        quality:
          - metric: nullValues
            mustBe: 0
  - name: others
    logicalType: object
    properties:
      - name: x
        logicalType: string
team:
  - username: nobody@example.com
    role: Owner
support:
  - channel: "#orders"
slaProperties:
  - property: latency
    value: 4
    unit: h
  - property: generalAvailability
    value: "2022-05-12T09:30:10-08:00"
customProperties:
  - property: costCentre
    value: 17
`;

test('an imported document is exported unchanged', async () => {
  const table = await testing.table(COLUMNS);
  const made = ok(await send('POST', at(table), DOCUMENT), 201);
  assert.is(made.name, 'orders');
  assert.is(made.entityStatus, 'Approved');
  assert.is(made.description, 'What was ordered.\n\n**Usage:**\nFor reports.');
  assert.equal(
    made.schema.map(({ name, dataType, constraint }: JsonObject) => [name, dataType, constraint]),
    [
      ['id', 'INT', 'PRIMARY_KEY'],
      ['amount', 'NUMBER', undefined],
    ],
  );
  assert.equal(made.sla, { maxLatency: { value: 4, unit: 'hour' } });
  assert.equal(made.extension, { costCentre: 17 });
  assert.is(made.odcsQualityRules.length, 1);
  const out = await service.admin.get(`${CONTRACTS}/${made.id}/odcs/yaml`);
  assert.is(out.status, 200, out.text);
  assert.match(out.headers.get('content-type') ?? '', /^application\/yaml; charset=utf-8$/i);
  assert.equal(parse(out.text), parse(DOCUMENT));
  const json = ok(await service.admin.get(`${CONTRACTS}/name/${encodeURIComponent(made.fullyQualifiedName)}/odcs`));
  assert.equal(json, parse(DOCUMENT));
  const part = ok(await service.admin.get(`${CONTRACTS}/${made.id}/odcs?fields=schema`));
  assert.is('team' in part, false);
  assert.is('slaProperties' in part, false);
  assert.is(part.schema.length, 2);
  expectRefused(await service.admin.get(`${CONTRACTS}/${made.id}/odcs?fields=nonsense`), 400);
  expectRefused(await service.admin.get(`${CONTRACTS}/${made.id}/odcs?odcsVersion=v9`), 400);
  const older = ok(await service.admin.get(`${CONTRACTS}/${made.id}/odcs?odcsVersion=3.0.2`));
  assert.is(older.apiVersion, 'v3.0.2');
});

test('importing the same document changes nothing, and changes of the asset are exported', async () => {
  const table = await testing.table(COLUMNS);
  const made = ok(await send('PUT', at(table), DOCUMENT), 201);
  const again = ok(await send('PUT', at(table), DOCUMENT));
  assert.is(again.version, made.version);
  ok(
    await service.admin.patch(`${CONTRACTS}/${made.id}`, [{ op: 'replace', path: '/sla/maxLatency/value', value: 6 }]),
  );
  const json = ok(await service.admin.get(`${CONTRACTS}/${made.id}/odcs`));
  const wanted = parse(DOCUMENT);
  // A value that changes is written as text, as the standard wants it.
  wanted.slaProperties[0].value = '6';
  assert.equal(json, wanted);
  const replaced = ok(
    await send(
      'PUT',
      at(table, '&mode=replace'),
      'apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 1\nstatus: draft\n',
    ),
  );
  assert.is(replaced.name, 'orders');
  assert.is(replaced.schema, undefined);
  assert.is(replaced.sla, undefined);
  assert.equal(replaced.extension ?? {}, {});
});

test('merge keeps what the document does not contain', async () => {
  const table = await testing.table(COLUMNS);
  const made = ok(await send('POST', at(table), DOCUMENT), 201);
  const merged = ok(
    await send(
      'PUT',
      at(table),
      'apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 2.0.0\nstatus: draft\ncustomProperties:\n  - property: team\n    value: red\n',
    ),
  );
  assert.is(merged.id, made.id);
  assert.equal(merged.extension, { costCentre: 17, team: 'red' });
  assert.is(merged.schema.length, 2);
  assert.is(merged.entityStatus, 'Draft');
  const json = ok(await service.admin.get(`${CONTRACTS}/${made.id}/odcs`));
  assert.is(json.version, '2.0.0');
  assert.equal(json['x-mine'], { kept: [1, 2] });
});

test('rules become test cases on request', async () => {
  const table = await testing.table(COLUMNS);
  const made = ok(await send('POST', at(table, '&createTestCases=true'), DOCUMENT), 201);
  assert.is(made.qualityExpectations.length, 1);
  const [ref] = made.qualityExpectations;
  const found = ok(await service.admin.get(`/v1/dataQuality/testCases/${ref.id}?fields=testDefinition`));
  assert.is(found.testDefinition.name, 'columnValuesToBeNotNull');
  assert.is(found.entityFQN, `${table.fullyQualifiedName}.amount`);
  const { name } = await createPerson(service, uniqueName('reader'));
  const looker = await service.as(name);
  const other = await testing.table(COLUMNS);
  expectRefused(
    await looker.raw('POST', at(other, '&createTestCases=true'), DOCUMENT, { 'content-type': 'text/yaml' }),
    403,
  );
});

test('an invalid or mismatching document is refused with 400, and nothing is stored', async () => {
  const table = await testing.table(COLUMNS);
  expectRefused(await send('POST', at(table), 'a: [1'), 400, /^Invalid YAML content: line \d+, column \d+: /);
  expectRefused(
    await send('POST', at(table), 'apiVersion: v3.1.0\nkind: DataContract\n'),
    400,
    /id: required field is missing/,
  );
  const strange = DOCUMENT.replace('- name: amount', '- name: nowhere');
  expectRefused(await send('POST', at(table), strange), 400, /nowhere/);
  expectRefused(
    await send('POST', at(table, '&objectName=none'), DOCUMENT),
    400,
    /schema object 'none' not found, available: orders, others/,
  );
  expectRefused(await send('POST', at(table), DOCUMENT, 'text/html'), 415);
  expectRefused(await send('PUT', at(table, '&mode=sometimes'), DOCUMENT), 400);
  expectRefused(await send('POST', `${CONTRACTS}/odcs/yaml?entityType=table`, DOCUMENT), 400);
  expectRefused(await send('POST', `${CONTRACTS}/odcs/yaml?entityId=x&entityType=table`, DOCUMENT), 400);
  expectRefused(await send('POST', at({ id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' }), DOCUMENT), 404);
  expectRefused(await service.admin.get(`${CONTRACTS}/entity?entityId=${table.id}&entityType=table`), 404);
  ok(await send('POST', at(table), DOCUMENT), 201);
  expectRefused(await send('POST', at(table), DOCUMENT), 400);
});

test('a document is parsed and validated without being stored', async () => {
  const table = await testing.table(COLUMNS);
  const said = ok(await send('POST', `${CONTRACTS}/odcs/parse/yaml`, DOCUMENT));
  assert.equal(
    [said.name, said.version, said.status, said.schemaObjects, said.hasMultipleObjects, said.apiVersion],
    ['orders', '1.2.0', 'active', ['orders', 'others'], true, 'v3.1.0'],
  );
  const judged = ok(await send('POST', at(table, '', '/odcs/validate/yaml'), DOCUMENT));
  assert.is(judged.valid, true);
  assert.is(judged.odcsImportReport.canImport, true);
  assert.is(judged.odcsImportReport.qualityRules[0].outcome, 'notExecuted');
  const strange = DOCUMENT.replace('- name: amount', '- name: nowhere');
  const wrong = ok(await send('POST', at(table, '', '/odcs/validate/yaml'), strange));
  assert.is(wrong.valid, false);
  assert.equal(wrong.schemaValidation.failedFields, ['nowhere']);
  expectRefused(await service.admin.get(`${CONTRACTS}/entity?entityId=${table.id}&entityType=table`), 404);
});

test('expected test cases are exported to callers who may see them', async () => {
  const table = await testing.table(COLUMNS);
  const one = await testing.test(table, 'id');
  const made = ok(
    await service.admin.post(CONTRACTS, {
      name: 'tested',
      entity: { id: table.id, type: 'table' },
      schema: [{ name: 'id', dataType: 'INT' }],
      qualityExpectations: [{ id: one.id, type: 'testCase' }],
    }),
    201,
  );
  const path = `${CONTRACTS}/${made.id}/odcs`;
  const quality = (json: JsonObject) =>
    parse(JSON.stringify(json)).schema[0].properties[0].quality?.map(({ metric }: JsonObject) => metric);
  assert.equal(quality(ok(await service.admin.get(path))), ['nullValues']);
  const rights = createRightsFactory(service);
  test.after(() => rights.clear());
  const blind = await rights.person([{ effect: 'deny', operations: ['ViewBasic'], resources: ['testCase'] }]);
  assert.is(quality(ok(await blind.get(path))), undefined);
});

test('a refused import leaves nothing, not even test cases', async () => {
  const table = await testing.table(COLUMNS);
  const nonsense = `${DOCUMENT}  - property: openMetadataContract
    value: '{"semantics":[{"name":"r","description":"d","rule":"true","enabled":"yes"}]}'
`;
  const tests = async () => {
    const query = `entityFQN=${encodeURIComponent(table.fullyQualifiedName)}&includeAllTests=true`;
    return ok(await service.admin.get(`/v1/dataQuality/testCases?${query}`)).paging.total;
  };
  expectRefused(await send('POST', at(table, '&createTestCases=true'), nonsense), 400, /enabled/);
  assert.is(await tests(), 0);
  const made = ok(await send('POST', at(table), DOCUMENT), 201);
  ok(await service.admin.delete(`${CONTRACTS}/${made.id}`));
  expectRefused(await send('PUT', at(table, '&createTestCases=true'), nonsense), 400, /enabled/);
  assert.is(await tests(), 0);
  expectRefused(await service.admin.get(`${CONTRACTS}/${made.id}`), 404);
  const unknown = DOCUMENT.replace(
    'mustBe: 0',
    `mustBe: 0
          - type: custom
            engine: openmetadata
            implementation: '{"name":"strange","testDefinition":"nope","parameterValues":[]}'`,
  );
  expectRefused(await send('PUT', at(table, '&createTestCases=true'), unknown), 404, /nope/);
  assert.is(await tests(), 0);
  const trial = ok(await send('POST', at(table, '', '/odcs/validate/yaml'), nonsense));
  assert.is(trial.valid, false);
  const back = ok(await send('PUT', at(table), DOCUMENT));
  assert.equal([back.id, back.deleted], [made.id, false]);
});

test('concurrent imports are all applied, and an id is assigned once', async () => {
  const table = await testing.table(COLUMNS);
  const small = (more: string) =>
    `apiVersion: v3.1.0\nkind: DataContract\nid: x\nname: both\nversion: 1.0.0\nstatus: active\n${more}\n`;
  const replies = await Promise.all(['x-a: 1', 'x-b: 2', 'x-c: 3'].map((more) => send('PUT', at(table), small(more))));
  assert.equal(replies.map(({ status }) => status).sort(), [200, 200, 201]);
  const id = replies[0]?.json.id;
  const json = ok(await service.admin.get(`${CONTRACTS}/${id}/odcs`));
  assert.equal([json['x-a'], json['x-b'], json['x-c']], [1, 2, 3]);
  const uuid = crypto.randomUUID();
  const twins = await Promise.all(
    [await testing.table(COLUMNS), await testing.table(COLUMNS)].map((each) =>
      send('POST', at(each), small('').replace('id: x', `id: ${uuid}`)),
    ),
  );
  const ids = twins.map((reply) => ok(reply, 201).id);
  assert.is(ids.filter((one) => one === uuid).length, 1);
});

const LARGEST = '../shared/odcs/examples/v3.1.0/all__postgresql-adventureworks-contract.odcs.yaml';

const readLargest = async () => {
  const text = readFileSync(LARGEST, 'utf8');
  const [object] = parse(text).schema;
  const columns = object.properties.map(({ name }: JsonObject) => ({ name, dataType: 'STRING' }));
  const table = await testing.table(columns);
  const objectName = encodeURIComponent(object.name);
  const made = ok(await send('POST', at(table, `&objectName=${objectName}`), text), 201);
  const { apiVersion } = parse(text);
  const out = ok(await service.admin.get(`${CONTRACTS}/${made.id}/odcs?odcsVersion=${apiVersion}`));
  assert.equal(out, parse(text));
};

const TITLE = 'the largest official document comes in and goes out again';
if (existsSync(LARGEST)) test(TITLE, readLargest);
else test.skipped(TITLE, 'the official documents are not there');

test.run();
