import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { CHANGE_HEADER_NAME, expectRefused, ok } from '../support/expect.ts';
import {
  CONTRACTS,
  createOdcsExchange,
  type OdcsExchange,
  odcsJson,
  odcsPath,
  odcsRoot,
} from '../support/odcs-exchange.ts';
import { createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { anonymous, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that requests with ODCS documents are validated. */

const test = suite('contracts: requests with ODCS documents');

let service: Service;
let testing: QualityTests;
let exchange: OdcsExchange;
let rights: RightsFactory;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  exchange = createOdcsExchange(service);
  rights = createRightsFactory(service);
});
test.after(() => rights.clear());

const PARSE = `${CONTRACTS}/odcs/parse/yaml`;

const COLUMNS = [
  { name: 'id', dataType: 'INT' },
  { name: 'amount', dataType: 'DOUBLE' },
];

const object = (name: string, columns: readonly string[], more = ''): string =>
  `  - name: ${name}\n    logicalType: object\n${more}    properties:\n${columns.map((column) => `      - {name: ${column}, logicalType: number}\n`).join('')}`;

test('missing, malformed, unknown and unsupported parameters are refused', async () => {
  const table = await testing.table(COLUMNS);
  const unknown = { id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' };
  for (const [method, path] of [
    ['POST', '/odcs/yaml'],
    ['PUT', '/odcs/yaml'],
    ['POST', '/odcs/validate/yaml'],
  ] as const) {
    const send = (query: Record<string, string>, about = table) =>
      exchange.send(method, odcsPath(about, query, path), odcsRoot());
    expectRefused(await exchange.send(method, `${CONTRACTS}${path}?entityType=table`, odcsRoot()), 400, /entityId/);
    expectRefused(
      await exchange.send(method, `${CONTRACTS}${path}?entityId=${table.id}`, odcsRoot()),
      400,
      /entityType/,
    );
    expectRefused(await send({ entityId: 'no-uuid' }), 400, /entityId/);
    expectRefused(await send({ entityType: 'pipelineService' }), 400, /entityType/);
    expectRefused(await send({ entityType: 'topic' }), 404);
    expectRefused(await send({}, { ...table, ...unknown }), 404);
    expectRefused(await send({ createTestCases: 'perhaps' }), 400, /createTestCases/);
    expectRefused(await send({ objectName: 'none' }), 400, /schema object 'none' not found, available: none/);
  }
  expectRefused(await exchange.send('PUT', odcsPath(table, { mode: 'both' }), odcsRoot()), 400, /mode/);
  expectRefused(await service.admin.get(`${CONTRACTS}/entity?entityId=${table.id}&entityType=table`), 404);
});

test('parameter values are case-insensitive, and empty ones are ignored', async () => {
  const table = await testing.table(COLUMNS);
  const made = await exchange.imported(
    table,
    odcsRoot(`tenant: shop\nschema:\n${object('A', ['id'])}${object('B', ['amount'])}`),
    {
      objectName: 'b',
      createTestCases: 'False',
      mode: '',
    },
  );
  assert.equal(
    made.schema.map(({ name }: JsonObject) => name),
    ['amount'],
  );
  const whole = await exchange.exported(made);
  const merged = await exchange.put(table, odcsRoot('domain: sales\n'), { mode: 'MERGE' });
  assert.equal(merged.schema, made.schema);
  assert.equal(await exchange.exported(made), { ...whole, domain: 'sales' }, 'it is about the same object as before');
  const replaced = await exchange.put(table, odcsRoot('domain: sales\n'), { mode: 'Replace', objectName: '' });
  assert.is(replaced.schema, undefined);
  const left = await exchange.exported(made, { odcsVersion: '', fields: '' });
  assert.equal([left.tenant, left.domain, left.schema], [undefined, 'sales', undefined]);
});

test('media types of YAML and JSON are accepted, and a missing one or any other is refused', async () => {
  for (const type of [
    'application/yaml',
    'text/yaml',
    'application/x-yaml',
    'text/x-yaml',
    'text/plain; charset=utf-8',
  ]) {
    assert.is(ok(await exchange.send('POST', PARSE, odcsRoot(), type)).id, 'x', type);
  }
  assert.is(ok(await exchange.send('POST', PARSE, JSON.stringify(odcsJson()), 'application/json')).id, 'x');
  const untyped = await service.admin.raw('POST', PARSE, new TextEncoder().encode(odcsRoot()), { 'content-type': '' });
  expectRefused(untyped, 415);
  const table = await testing.table(COLUMNS);
  for (const type of ['text/html', 'application/xml', 'multipart/form-data']) {
    expectRefused(await exchange.send('POST', PARSE, odcsRoot(), type), 415);
    expectRefused(await exchange.send('POST', odcsPath(table), odcsRoot(), type), 415);
    expectRefused(await exchange.send('PUT', odcsPath(table, {}, '/odcs'), JSON.stringify(odcsJson()), type), 415);
    expectRefused(await exchange.send('POST', odcsPath(table, {}, '/odcs/validate/yaml'), odcsRoot(), type), 415);
  }
});

test('JSON routes accept no YAML', async () => {
  const table = await testing.table(COLUMNS);
  const path = odcsPath(table, {}, '/odcs');
  for (const method of ['POST', 'PUT']) {
    expectRefused(await exchange.send(method, path, odcsRoot()), 415);
    expectRefused(
      await exchange.send(method, path, odcsRoot(), 'application/json'),
      400,
      /^Invalid JSON content: line 1, column 1: /,
    );
    expectRefused(
      await exchange.send(method, path, '{"id": 1, "id": 2}', 'application/json'),
      400,
      /id: duplicate key/,
    );
    expectRefused(await exchange.send(method, path, '', 'application/json'), 400);
    expectRefused(await exchange.send(method, path, '[]', 'application/json'), 400, /\$: expected object, got array/);
  }
  const made = ok(
    await exchange.send('POST', path, JSON.stringify(odcsJson({ version: 1.5, name: 'j' })), 'application/json'),
    201,
  );
  assert.is(made.name, 'j');
  const untyped = new TextEncoder().encode(JSON.stringify(odcsJson({ domain: 'd' })));
  expectRefused(await service.admin.raw('PUT', path, untyped, { 'content-type': '' }), 415);
  ok(await exchange.send('PUT', path, JSON.stringify(odcsJson({ version: 1.5 })), 'application/json'));
  assert.is((await exchange.exported(made)).version, '1.5', 'a number is kept as the text it was');
  assert.is(
    ok(await exchange.send('PUT', path, JSON.stringify(odcsJson({ tenant: 't' })), 'application/json')).id,
    made.id,
  );
});

test('a body beyond 10 MiB is refused on every route that accepts one', async () => {
  const table = await testing.table(COLUMNS);
  const large = new Uint8Array(10 * 1024 * 1024 + 1).fill(0x20);
  const type = { 'content-type': 'application/yaml' };
  expectRefused(await service.admin.raw('POST', PARSE, large, type), 413);
  expectRefused(await service.admin.raw('POST', odcsPath(table), large, type), 413);
  expectRefused(await service.admin.raw('PUT', odcsPath(table), large, type), 413);
  expectRefused(await service.admin.raw('POST', odcsPath(table, {}, '/odcs/validate/yaml'), large, type), 413);
  const asJson = { 'content-type': 'application/json' };
  expectRefused(await service.admin.raw('POST', odcsPath(table, {}, '/odcs'), large, asJson), 413);
  expectRefused(await service.admin.raw('PUT', odcsPath(table, {}, '/odcs'), large, asJson), 413);
});

test('documents beyond the limits and forbidden YAML are refused', async () => {
  const rows: readonly (readonly [text: string, message: RegExp])[] = [
    [odcsRoot(`x: ${'['.repeat(70)}${']'.repeat(70)}`), /nested more than 64 levels deep/],
    [odcsRoot(`x: [${'1,'.repeat(500_001)}]`), /more than 500000 nodes/],
    [odcsRoot(`a: &a [1]\nx: [${'*a,'.repeat(1001)}]`), /more than 1000 aliases/],
    [odcsRoot('a: &a [*a]'), /the alias a stands inside/],
    [odcsRoot(`x: ${'y'.repeat(1024 * 1024 + 1)}`), /text longer than 1048576 characters/],
    [odcsRoot(`schema: [${'{name: a},'.repeat(1001)}]`), /1000/],
    [`${odcsRoot()}---\n${odcsRoot()}`, /only one document/],
    [odcsRoot('x: !!js/function "f"'), /tag .* is not allowed/],
    [odcsRoot('x: !!python/object {}'), /tag .* is not allowed/],
    [odcsRoot('x: !mine 1'), /tag .* is not allowed/],
    [odcsRoot('tenant: a\ntenant: b'), /tenant: duplicate key/],
    [odcsRoot('x: {1: a}'), /a key in x is not text/],
    [odcsRoot('x: .nan'), /x: must be a finite number/],
    [odcsRoot('x: .inf'), /x: must be a finite number/],
    [odcsRoot('x: [1'), /^Invalid YAML content: line \d+, column \d+: /],
    ['', /\$: expected object, got null/],
    ['- a', /\$: expected object, got array/],
  ];
  for (const [text, message] of rows) expectRefused(await exchange.send('POST', PARSE, text), 400, message);
  const columns = Array.from({ length: 20_001 }, (_, at) => ({ name: `c${at}` }));
  const wide = JSON.stringify(odcsJson({ schema: [{ name: 't', logicalType: 'object', properties: columns }] }));
  expectRefused(await exchange.send('POST', PARSE, wide), 400, /20000/);
  const table = await testing.table(COLUMNS);
  const rules = Array.from({ length: 10_001 }, () => ({ metric: 'rowCount', mustBe: 1 }));
  const ruled = JSON.stringify(odcsJson({ schema: [{ name: 't', logicalType: 'object', quality: rules }] } as never));
  for (const path of [odcsPath(table), odcsPath(table, {}, '/odcs/validate/yaml')]) {
    expectRefused(await exchange.send('POST', path, ruled), 400, /schema\[0\]: more than 10000 quality rules/);
  }
  const plain = odcsRoot(
    'x-day: 2024-01-01\nx-merge: {<<: {a: 1}}\n__proto__: {a: 1}\nconstructor: c\nprototype: p\nx-yes: yes\n',
  );
  const made = await exchange.imported(table, plain);
  const back = await exchange.exported(made);
  assert.equal(
    [
      back['x-day'],
      back['x-merge'],
      Object.entries(back).find(([name]) => name === '__proto__')?.[1],
      back.prototype,
      back['x-yes'],
    ],
    ['2024-01-01', { '<<': { a: 1 } }, { a: 1 }, 'p', 'yes'],
  );
  assert.is(Object.getOwnPropertyDescriptor(back, 'constructor')?.value, 'c');
});

test('each version is accepted by its names, and a document without one is refused', async () => {
  const said = async (text: string) => ok(await exchange.send('POST', PARSE, text)).apiVersion;
  const three = odcsRoot().replace('apiVersion: v3.1.0\n', '');
  for (const version of ['3.2.0', '3.1.0', '3.0.2', '3.0.1', '3.0.0']) {
    assert.is(await said(`apiVersion: ${version}\n${three}`), `v${version}`);
    assert.is(await said(`apiVersion: v${version}\n${three}`), `v${version}`);
  }
  const two = 'version: 1.0.0\nkind: DataContract\nuuid: u\nstatus: current\n';
  assert.is(await said(`apiVersion: v2.3.0\n${two}`), 'v2.2.1');
  assert.is(await said(`apiVersion: 2.2.2\n${two}`), 'v2.2.2');
  assert.is(await said(`standardVersion: 2.2.0\n${two}`), 'v2.2.0');
  assert.is(await said(`templateName: 2.2.1\n${two}`), 'v2.2.1');
  assert.is(await said(two), 'v2.2.2');
  const bad = (text: string) => exchange.send('POST', PARSE, text);
  expectRefused(await bad(three), 400, 'Invalid ODCS content: apiVersion: required field is missing');
  expectRefused(
    await bad(`apiVersion: v4.0.0\n${three}`),
    400,
    'Invalid ODCS content: apiVersion: must be one of v3.2.0, v3.1.0, v3.0.2, v3.0.1, v3.0.0, v2.2.2, v2.2.1, v2.2.0',
  );
  expectRefused(
    await bad('apiVersion: v3.0.2\nkind: Other\nschema: [{name: 7, properties: [{name: a}, {name: a}]}]\n'),
    400,
    'Invalid ODCS content: schema[0].name: expected string, got number; id: required field is missing; version: required field is missing; status: required field is missing; kind: must be one of DataContract; schema[0].properties[1].name: duplicate property name',
  );
  expectRefused(
    await bad(odcsRoot('schema: [{name: t, properties: [{name: a}, {name: a}]}]')),
    400,
    /duplicate property name/,
  );
  expectRefused(await bad(odcsRoot('team: 7')), 400, /team: expected .*, got number/);
});

test('a parsed document is summarized with its warnings', async () => {
  const full = ok(
    await exchange.send(
      'POST',
      PARSE,
      odcsRoot(
        `name: n\nx-mine: 1\nstatus: Production\nschema:\n${object('b', ['id'])}${object('a', ['id'])}`.replace(
          'status: Production\n',
          '',
        ),
      ),
    ),
  );
  const { warnings, ...said } = full;
  assert.equal(said, {
    name: 'n',
    version: '1.0.0',
    status: 'active',
    schemaObjects: ['b', 'a'],
    hasMultipleObjects: true,
    apiVersion: 'v3.1.0',
    id: 'x',
    kind: 'DataContract',
  });
  const [warning] = warnings;
  assert.equal(
    [warning.severity, warning.field, warning.path, warning.occurrences],
    ['warning', 'x-mine', 'x-mine', 1],
  );
  const bare = ok(await exchange.send('POST', PARSE, odcsRoot('', { status: 'Retired' })));
  assert.is('name' in bare, false);
  assert.equal([bare.status, bare.schemaObjects, bare.hasMultipleObjects], ['deprecated', [], false]);
});

test('the object of the asset is selected by parameter', async () => {
  const table = await testing.table(COLUMNS);
  const names = async (text: string, query = {}) => {
    const { schemaValidation, odcsImportReport } = await exchange.validated(table, odcsRoot(`schema:\n${text}`), query);
    const warned = odcsImportReport.issues.filter(
      ({ severity, field }: JsonObject) => severity === 'warning' && field === 'schema',
    );
    return [schemaValidation.failedFields ?? [], warned.length];
  };
  const { name } = table;
  assert.equal(await names(object('one', ['wrong']) + object(name.toUpperCase(), ['id'])), [[], 0]);
  assert.equal(await names(object('one', ['wrong']) + object('two', ['id'], `    physicalName: ${name}\n`)), [[], 0]);
  assert.equal(await names(object('one', ['wrong'])), [['wrong'], 0]);
  assert.equal(await names(object('one', ['wrong']) + object('two', ['id'])), [['wrong'], 1]);
  assert.equal(await names(object('one', ['wrong']) + object('two', ['id']), { objectName: 'TWO' }), [[], 0]);
  assert.equal(await names('  - {name: id, logicalType: integer}\n  - {name: gone, logicalType: string}\n'), [
    ['gone'],
    0,
  ]);
});

test('a dry run reports the import and ignores an existing contract', async () => {
  const table = await testing.table(COLUMNS);
  await exchange.imported(table, odcsRoot());
  const text = odcsRoot(
    `team:\n  - {username: nobody-of-that-name, role: owner}\nschema:\n${object('t', ['id'])}${object('other', ['x'])}`,
  );
  const { odcsImportReport: report, ...judged } = await exchange.validated(table, text);
  assert.is(judged.valid, true);
  assert.equal(Object.keys(report).sort(), [
    'canCreateTestCases',
    'canImport',
    'issues',
    'odcsVersion',
    'qualityRules',
  ]);
  assert.equal([report.odcsVersion, report.canImport, report.canCreateTestCases], ['v3.1.0', true, false]);
  const categories = report.issues.map(({ severity, category }: JsonObject) => `${severity} ${category}`).sort();
  assert.equal(categories, ['info schema', 'warning schema', 'warning team']);
  const nobody = report.issues.find(({ category }: JsonObject) => category === 'team');
  assert.equal([nobody.field, nobody.path], ['username', 'team[0]']);
  const topic = await testing.samples.create('container');
  const other = ok(
    await exchange.send('POST', odcsPath(topic, { entityType: 'container' }, '/odcs/validate/yaml'), text),
  );
  assert.is(other.valid, false);
});

test('the response of an import and the format of an export are negotiated', async () => {
  const table = await testing.table(COLUMNS);
  const owner = await rights.person();
  const path = odcsPath(table);
  const text = odcsRoot(
    `x-mine: "yes"\ncustomProperties:\n  - {property: a, value: "1.0"}\nteam:\n  - {username: ${owner.name}, role: owner}\n  - {username: ${owner.name}, role: reviewer}\nname: "2024-01-01"\ntags: [&t no, *t]\n`,
  );
  const reply = await exchange.send('PUT', path, text);
  const made = ok(reply, 201);
  assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityCreated');
  assert.is(reply.headers.get('location'), made.href);
  assert.equal([made.owners[0].id, made.reviewers[0].id, made.extension], [owner.id, owner.id, { a: '1.0' }]);
  const again = await exchange.send('PUT', path, text);
  assert.is(ok(again).version, made.version);
  assert.is(again.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  const out = await service.admin.get(`${CONTRACTS}/${made.id}/odcs/yaml`);
  assert.match(out.headers.get('content-type') ?? '', /^application\/yaml; charset=utf-8$/i);
  assert.not.match(out.text, /[&*]t|\{|\[/, 'block style without anchors');
  assert.match(out.text, /^name: "2024-01-01"$/m);
  assert.match(out.text, /^x-mine: "yes"$/m);
  assert.match(out.text, /value: "1\.0"$/m);
  const keys = [...out.text.matchAll(/^([\w-]+):/gm)].map(([, key]) => key);
  assert.equal(keys, [
    'apiVersion',
    'kind',
    'id',
    'name',
    'version',
    'status',
    'tags',
    'team',
    'customProperties',
    'x-mine',
  ]);
  const byName = await service.admin.get(`${CONTRACTS}/name/${encodeURIComponent(made.fullyQualifiedName)}/odcs/yaml`);
  assert.is(byName.text, out.text);
});

test('sections that are not selected are ignored, whatever they contain', async () => {
  const table = await testing.table(COLUMNS);
  const { name } = await rights.person();
  const made = await exchange.imported(
    table,
    odcsRoot(
      `tenant: t\nsupport:\n  - {channel: c}\nschema:\n${object('t', ['id'])}slaDefaultElement: t.id\nslaProperties:\n  - {property: latency, value: 4, unit: h}\nroles:\n  - {role: r, access: read}\nteam:\n  - {username: ${name}, role: owner}\n  - {username: ${name}, role: reviewer}\n  - {username: z, role: dpo}\ncustomProperties:\n  - {property: p, value: 1}\n`,
    ),
  );
  const rest = ['apiVersion', 'kind', 'id', 'version', 'status', 'tenant', 'support'];
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['schema', ['schema']],
    ['sla', ['slaDefaultElement', 'slaProperties']],
    ['security', ['roles']],
    ['extension', ['customProperties']],
    ['schema, sla', ['schema', 'slaDefaultElement', 'slaProperties']],
  ];
  for (const [fields, sections] of rows) {
    const keys = Object.keys(await exchange.exported(made, { fields }));
    assert.equal(keys.sort(), [...rest, ...sections].sort(), fields);
  }
  const roles = async (fields: string) =>
    (await exchange.exported(made, { fields })).team?.map(({ role }: JsonObject) => role);
  assert.equal(await roles('owners'), ['owner', 'dpo']);
  assert.equal(await roles('reviewers'), ['reviewer', 'dpo']);
  assert.is(await roles('schema'), undefined);
  assert.equal(await exchange.exported(made, { fields: '*' }), await exchange.exported(made));
  expectRefused(
    await service.admin.get(`${CONTRACTS}/${made.id}/odcs?fields=schema,team`),
    400,
    'Invalid field name team',
  );
  expectRefused(await service.admin.get(`${CONTRACTS}/${made.id}/odcs/yaml?odcsVersion=3.3.0`), 400, /odcsVersion/);
  expectRefused(await service.admin.get(`${CONTRACTS}/3f2504e0-4f89-41d3-9a0c-0305e82c3301/odcs`), 404);
  expectRefused(await service.admin.get(`${CONTRACTS}/no-uuid/odcs/yaml`), 404);
  expectRefused(await service.admin.get(`${CONTRACTS}/name/no.such.contract/odcs`), 404);
});

test('imports and exports require the rights of the contract', async () => {
  const table = await testing.table(COLUMNS);
  const made = await exchange.imported(table, odcsRoot());
  const other = await testing.table(COLUMNS);
  const validate = (about: { id: string }) => odcsPath(about, {}, '/odcs/validate/yaml');
  const nobody = anonymous(service);
  for (const [method, path] of [
    ['POST', odcsPath(other)],
    ['PUT', odcsPath(other)],
    ['POST', PARSE],
    ['POST', validate(other)],
  ] as const) {
    expectRefused(await exchange.send(method, path, odcsRoot(), 'text/yaml', nobody), 401);
  }
  expectRefused(await nobody.get(`${CONTRACTS}/${made.id}/odcs`), 401);
  const plain = await rights.person();
  const by = (method: string, path: string, who = plain) =>
    exchange.send(method, path, odcsRoot('tenant: t\n'), 'text/yaml', who);
  expectRefused(await by('POST', odcsPath(other)), 403);
  expectRefused(await by('PUT', odcsPath(other)), 403);
  expectRefused(await by('PUT', odcsPath(table)), 403);
  ok(await by('POST', PARSE));
  ok(await by('POST', validate(other)));
  ok(await plain.get(`${CONTRACTS}/${made.id}/odcs/yaml`));
  const blind = await rights.person([
    { effect: 'deny', operations: ['ViewBasic'], resources: ['table', 'dataContract'] },
  ]);
  expectRefused(await by('POST', validate(other), blind), 403);
  expectRefused(await blind.get(`${CONTRACTS}/${made.id}/odcs`), 403);
  expectRefused(await blind.get(`${CONTRACTS}/name/${encodeURIComponent(made.fullyQualifiedName)}/odcs/yaml`), 403);
  const editor = await rights.person([{ operations: ['EditAll'], resources: ['dataContract'] }]);
  expectRefused(await by('PUT', odcsPath(other), editor), 403);
  ok(await by('PUT', odcsPath(table), editor));
  const maker = await rights.person([{ operations: ['Create'], resources: ['dataContract'] }]);
  expectRefused(await by('PUT', odcsPath(table), maker), 403);
  ok(await by('PUT', odcsPath(other), maker), 201);
  expectRefused(
    await service.admin.get(`${CONTRACTS}/entity?entityId=${(await testing.table()).id}&entityType=table`),
    404,
  );
});

test('If-Match with a stale tag is refused, and nothing is written', async () => {
  const table = await testing.table(COLUMNS);
  for (const path of [odcsPath(table), odcsPath(table, {}, '/odcs'), odcsPath(table, { mode: 'replace' })]) {
    const put = (more: JsonObject, match: string) =>
      service.admin.raw('PUT', path, JSON.stringify(odcsJson(more)), {
        'content-type': 'application/json',
        'if-match': match,
      });
    const known = await service.admin.get(`${CONTRACTS}/entity?entityId=${table.id}&entityType=table`);
    if (known.status === 404) {
      expectRefused(await put({}, '*'), 412);
      expectRefused(await service.admin.get(`${CONTRACTS}/entity?entityId=${table.id}&entityType=table`), 404);
      ok(await exchange.send('PUT', path, odcsRoot()), 201);
    }
    const { id } = ok(await service.admin.get(`${CONTRACTS}/entity?entityId=${table.id}&entityType=table`));
    const etag = (await service.admin.get(`${CONTRACTS}/${id}`)).headers.get('etag') ?? '';
    const before = await exchange.exported({ id });
    expectRefused(await put({ customProperties: [{ property: 'a', value: path }] }, '"stale"'), 412);
    expectRefused(await put({ tenant: 'unwanted' }, 'W/"7.7"'), 412);
    assert.equal(await exchange.exported({ id }), before);
    const changed = await put({ customProperties: [{ property: 'a', value: path }] }, etag);
    assert.equal(ok(changed).extension, { a: path });
    expectRefused(await put({ customProperties: [] }, etag), 412);
    ok(await put({ tenant: 'again' }, changed.headers.get('etag') ?? ''));
    ok(await put({ tenant: 'any' }, '*'));
  }
});

test.run();
