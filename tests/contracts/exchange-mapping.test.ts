import { readdirSync, readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { readOdcs } from '../../src/contracts/odcs/texts/documents.ts';
import { ODCS_VERSIONS } from '../../src/contracts/odcs/versions/version.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { expectRefused, ok } from '../support/expect.ts';
import {
  CONTRACTS,
  createOdcsExchange,
  type OdcsExchange,
  odcsJson,
  odcsPath,
  odcsRoot,
} from '../support/odcs-exchange.ts';
import { imported, tableOf } from '../support/odcs-mapping.ts';
import { createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { missing, objections, WITH_SCHEMA } from './odcs/official.ts';

/** Shows that ODCS documents are mapped to contracts. */

const test = suite('contracts: mapping of ODCS documents');

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

const COLUMNS = [
  { name: 'id', dataType: 'INT' },
  { name: 'amount', dataType: 'DOUBLE' },
];

/** What the official schema says against a document, where the schemas are there. */
const conforms = (document: unknown, version: Parameters<typeof objections>[1] = 'v3.1.0'): void => {
  if (missing === undefined && WITH_SCHEMA.includes(version)) assert.equal(objections(document, version), [], version);
};

const idsOf = (refs: readonly { readonly id: string }[] = []): readonly string[] => refs.map(({ id }) => id).sort();

test('an unused id becomes the id of the contract, and any other stays in the document', async () => {
  const [one, two] = [await testing.table(COLUMNS), await testing.table(COLUMNS)];
  const id = crypto.randomUUID();
  const first = await exchange.imported(one, odcsJson({ id: id.toUpperCase() }));
  assert.is(first.id, id);
  const second = await exchange.imported(two, odcsJson({ id }));
  assert.is.not(second.id, id);
  assert.is((await exchange.exported(second)).id, id);
  const third = await exchange.imported(await testing.table(COLUMNS), odcsJson({ id: 'orders contract' }));
  assert.match(third.id, /^[0-9a-f-]{36}$/);
  assert.is((await exchange.exported(third)).id, 'orders contract');
  const merged = await exchange.put(one, odcsJson({ id: crypto.randomUUID() }));
  assert.is(merged.id, id);
});

test('a contract is named by the document, else after its asset, and keeps its name', async () => {
  const table = await testing.table(COLUMNS);
  expectRefused(await exchange.send('POST', odcsPath(table), odcsRoot(`name: ${'n'.repeat(257)}\n`)), 400, /name/);
  expectRefused(await exchange.send('POST', odcsPath(table), odcsRoot('name: "a::b"\n')), 400, /name/);
  const made = await exchange.imported(table, odcsRoot());
  assert.is(made.name, `${table.name}_contract`);
  assert.is('name' in (await exchange.exported(made)), false);
  for (const mode of ['merge', 'replace']) {
    assert.is((await exchange.put(table, odcsRoot('name: other\n'), { mode })).name, made.name);
    assert.is((await exchange.exported(made)).name, 'other');
  }
});

test('statuses are mapped both ways', async () => {
  const table = await testing.table(COLUMNS);
  const made = await exchange.imported(table, odcsRoot());
  const rows: readonly (readonly [string, string])[] = [
    ['active', 'Approved'],
    ['Production', 'Approved'],
    ['CURRENT', 'Approved'],
    ['deprecated', 'Deprecated'],
    ['retired', 'Deprecated'],
    ['proposed', 'Draft'],
    ['in development', 'Draft'],
    ['whatever', 'Draft'],
  ];
  for (const [word, entityStatus] of rows) {
    const put = await exchange.put(table, odcsRoot('', { status: word }), { mode: 'replace' });
    assert.is(put.entityStatus, entityStatus, word);
    assert.is((await exchange.exported(made)).status, word);
  }
  const warned = async (status: string) =>
    (await exchange.validated(table, odcsRoot('', { status }))).odcsImportReport.issues.length;
  assert.equal([await warned('pending'), await warned('whatever')], [0, 1]);
  ok(
    await service.admin.patch(`${CONTRACTS}/${made.id}`, [{ op: 'replace', path: '/entityStatus', value: 'Approved' }]),
  );
  assert.is((await exchange.exported(made)).status, 'active');
});

test('purpose, limitations and usage are joined to one text and split again', async () => {
  const table = await testing.table(COLUMNS);
  const description = {
    purpose: 'P',
    limitations: 'L',
    usage: 'U',
    authoritativeDefinitions: [{ type: 'privacy', url: 'https://example.org' }],
    customProperties: [{ property: 'a', value: 1 }],
  };
  const made = await exchange.imported(table, odcsJson({ description }));
  assert.is(made.description, 'P\n\n**Limitations:**\nL\n\n**Usage:**\nU');
  const value = 'New\n\n**Usage:**\nother';
  ok(await service.admin.patch(`${CONTRACTS}/${made.id}`, [{ op: 'replace', path: '/description', value }]));
  const { purpose: _p, limitations: _l, usage: _u, ...kept } = description;
  assert.equal((await exchange.exported(made)).description, { purpose: 'New', usage: 'other', ...kept });
  const merged = await exchange.put(table, odcsRoot('description: as text\n'));
  assert.is(merged.description, 'as text');
  assert.is((await exchange.exported(made)).description, 'as text');
});

test('owners and reviewers are matched by name, e-mail and team, and unknown or former ones stay in the document', async () => {
  const [ada, ben, eve] = [await rights.person(), await rights.person(), await rights.person()];
  const crew = await rights.team();
  const owner = (username: string, more: JsonObject = {}): JsonObject => ({ username, role: 'owner', ...more });
  const rows: readonly (readonly [team: Json, owners: readonly string[], reviewers: readonly string[]])[] = [
    [[owner(ada.name), owner(`${ben.name}@example.com`, { role: 'OWNER' })], [ada.id, ben.id], []],
    [[owner('somebody', { name: eve.name }), { username: ada.name, role: 'reviewer' }], [eve.id], [ada.id]],
    [[owner(crew.name)], [crew.id], []],
    [[owner(ada.name), owner(crew.name)], [ada.id], []],
    [[owner(ada.name, { dateOut: '2020-01-01' }), owner(ben.name, { dateOut: '2999-01-01' })], [ben.id], []],
    [[owner('nobody-at-all'), { username: eve.name, role: 'dpo' }], [], []],
    [{ name: 'crew', members: [owner(ada.name, { description: 'd' })] }, [ada.id], []],
  ];
  for (const [team, owners, reviewers] of rows) {
    const document = odcsJson({ team });
    const made = await exchange.imported(await testing.table(COLUMNS), document);
    assert.equal(idsOf(made.owners), [...owners].sort(), JSON.stringify(team));
    assert.equal(idsOf(made.reviewers), reviewers, JSON.stringify(team));
    assert.equal(await exchange.exported(made), document, 'everybody goes out again');
  }
  const table = await testing.table(COLUMNS);
  const issuesOf = async (team: Json) =>
    (await exchange.validated(table, odcsJson({ team }))).odcsImportReport.issues.map(
      ({ message }: JsonObject) => message,
    );
  assert.match(
    (await issuesOf([owner(ada.name), owner(crew.name)]))[0],
    new RegExp(`the team ${crew.name} cannot both be owners`),
  );
  assert.match((await issuesOf([owner('nobody-at-all')]))[0], /nobody-at-all/);
  const made = await exchange.imported(
    table,
    odcsJson({ team: [owner(ada.name, { role: 'Owner', dateIn: '2020-01-01' }), owner('gone')] }),
  );
  ok(
    await service.admin.patch(`${CONTRACTS}/${made.id}`, [
      { op: 'replace', path: '/owners', value: [{ id: ben.id, type: 'user' }] },
    ]),
  );
  assert.equal((await exchange.exported(made)).team, [
    owner('gone'),
    { username: ben.name, name: ben.name, role: 'owner' },
  ]);
});

test('a dry run reveals no hidden users, teams or tags', async () => {
  const [ada, crew] = [await rights.person(), await rights.team()];
  const kind = await testing.samples.create('classification');
  const tag = await testing.samples.create('tag', { classification: kind.fullyQualifiedName });
  const table = await testing.table(COLUMNS);
  const blind = await rights.person([
    { effect: 'deny', operations: ['ViewBasic'], resources: ['user', 'team', 'tag'] },
  ]);
  const said = async (text: string, by = blind) => {
    const document = odcsJson({
      team: [{ username: text, role: 'owner' }],
      schema: [
        { name: 't', logicalType: 'object', properties: [{ name: 'id', logicalType: 'integer', tags: [text] }] },
      ],
    });
    const path = odcsPath(table, {}, '/odcs/validate/yaml');
    const reply = await exchange.send('POST', path, JSON.stringify(document), 'application/json', by);
    return JSON.stringify(ok(reply)).replaceAll(text, '(name)');
  };
  const nothing = await said('nobody-at-all');
  for (const text of [ada.name, `${ada.name}@example.com`, crew.name, tag.fullyQualifiedName]) {
    assert.is(await said(text), nothing, text);
  }
  assert.is.not(await said(ada.name, service.admin as never), await said('nobody-at-all', service.admin as never));
});

test('an import by a caller who may not see the owners removes none', async () => {
  const ada = await rights.person();
  const table = await testing.table(COLUMNS);
  const document = odcsJson({ team: [{ username: ada.name, role: 'owner' }], tenant: 'a' });
  const made = await exchange.imported(table, document);
  const blind = await rights.person([
    { operations: ['EditAll'], resources: ['dataContract'] },
    { effect: 'deny', operations: ['ViewBasic'], resources: ['user'] },
  ]);
  const put = (more: JsonObject) =>
    exchange.send('PUT', odcsPath(table), JSON.stringify({ ...document, ...more }), 'application/json', blind);
  ok(await put({ tenant: 'b' }));
  assert.equal(idsOf(ok(await service.admin.get(`${CONTRACTS}/${made.id}?fields=owners`)).owners), [ada.id]);
  assert.equal(await exchange.exported(made), { ...document, tenant: 'b' });
  const seen = ok(await exchange.send('PUT', odcsPath(table), JSON.stringify(document), 'application/json'));
  assert.equal(idsOf(seen.owners), [ada.id]);
  assert.equal(await exchange.exported(made), document);
});

test('properties of the asset are exported where there is no document', async () => {
  const domain = await testing.samples.create('domain');
  const product = await testing.samples.create('dataProduct', { domains: [domain.fullyQualifiedName] });
  const owner = await rights.person();
  const table = await testing.table(COLUMNS, {
    description: 'What was ordered.',
    domains: [domain.fullyQualifiedName],
    dataProducts: [product.fullyQualifiedName],
  });
  const body = {
    name: 'own',
    entity: { id: table.id, type: 'table' },
    entityStatus: 'Approved',
    description: 'Said.',
    schema: [{ name: 'id', dataType: 'INT', constraint: 'PRIMARY_KEY' }],
    owners: [{ id: owner.id, type: 'user' }],
    sla: { maxLatency: { value: 4, unit: 'hour' }, availabilityTime: '09:00' },
    security: { dataClassification: 'PII', policies: [{ accessPolicy: 'reader', identities: ['a', 'b'] }] },
    extension: { b: 1, a: [2] },
    termsOfUse: 'Be kind.',
    semantics: [{ name: 's', description: 'd', rule: '{"==": [1, 1]}', enabled: true }],
    effectiveFrom: '2026-01-01T00:00:00Z',
    sourceUrl: 'https://example.org/c',
    displayName: 'Own',
  };
  const made = ok(await service.admin.post(CONTRACTS, body), 201);
  const out = await exchange.exported(made);
  conforms(out);
  assert.equal(
    [out.id, out.name, out.kind, out.status, out.domain, out.dataProduct, out.description],
    [made.id, 'own', 'DataContract', 'active', domain.name, product.name, { purpose: 'Said.' }],
  );
  assert.is(out.version, made.version.toFixed(1));
  assert.is(Date.parse(out.contractCreatedTs), made.createdAt);
  assert.equal(out.schema, [
    {
      name: table.name,
      logicalType: 'object',
      physicalType: 'table',
      description: 'What was ordered.',
      properties: [
        {
          name: 'id',
          physicalName: 'id',
          logicalType: 'integer',
          physicalType: 'int',
          primaryKey: true,
          required: true,
          primaryKeyPosition: 1,
        },
      ],
    },
  ]);
  assert.equal(out.team, [{ username: owner.name, name: owner.name, role: 'owner' }]);
  assert.equal(
    out.roles.map(({ role, access, firstLevelApprovers }: JsonObject) => [role, access, firstLevelApprovers]),
    [
      ['reader', 'read', 'a, b'],
      ['classification-PII', 'read', undefined],
    ],
  );
  assert.equal(
    out.customProperties.map(({ property }: JsonObject) => property),
    ['a', 'b', 'openMetadataContract'],
  );
  assert.is((await exchange.exported(made, { fields: 'schema' })).customProperties, undefined);
  for (const odcsVersion of ODCS_VERSIONS) conforms(await exchange.exported(made, { odcsVersion }), odcsVersion);
  // Another record learns from it all that the first one knew.
  const other = await testing.table(COLUMNS);
  const { id: _id, ...document } = out;
  const learnt = await exchange.imported(other, { ...document, id: 'x' });
  for (const name of [
    'displayName',
    'semantics',
    'termsOfUse',
    'effectiveFrom',
    'sourceUrl',
    'extension',
    'security',
    'description',
  ]) {
    assert.equal(learnt[name], made[name], name);
  }
  const odd = odcsJson({ customProperties: [{ property: 'openMetadataContract', value: 'no JSON' }] });
  assert.equal((await exchange.put(other, odd, { mode: 'replace' })).extension, { openMetadataContract: 'no JSON' });
  assert.is((await exchange.validated(other, odd)).odcsImportReport.issues.length, 1);
});

test('contracts of topics, containers, endpoints and kinds without a schema are exported and imported', async () => {
  const field = { name: 'id', dataType: 'INT' };
  const rows: readonly (readonly [type: string, more: JsonObject, physicalType: string])[] = [
    ['topic', { messageSchema: { schemaType: 'JSON', schemaFields: [field] } }, 'topic'],
    ['apiEndpoint', { responseSchema: { schemaType: 'JSON', schemaFields: [field] } }, 'endpoint'],
    ['container', { dataModel: { isPartitioned: false, columns: [field] } }, 'file'],
  ];
  const schema = (name: string) => [
    {
      name: 'o',
      logicalType: 'object',
      properties: [{ name, logicalType: 'integer', quality: [{ metric: 'nullValues', mustBe: 0 }] }],
    },
  ];
  for (const [entityType, more, physicalType] of rows) {
    const record = await testing.samples.create(entityType as never, more);
    const query = { entityType, createTestCases: 'true' };
    const wrong = await exchange.send(
      'POST',
      odcsPath(record, query),
      JSON.stringify(odcsJson({ schema: schema('gone') })),
    );
    expectRefused(wrong, 400, /gone/);
    const judged = await exchange.validated(record, odcsJson({ schema: schema('gone') }), query);
    assert.equal([judged.valid, judged.schemaValidation.failedFields], [false, ['gone']], entityType);
    const { odcsImportReport: report, valid } = await exchange.validated(
      record,
      odcsJson({ schema: schema('id') }),
      query,
    );
    assert.equal([valid, report.canCreateTestCases], [true, false], entityType);
    assert.equal(report.qualityRules, [{ column: 'id', outcome: 'notExecuted', reason: 'Only tables are tested' }]);
    const made = await exchange.imported(record, odcsJson({ schema: schema('id') }), query);
    assert.is(made.entity.type, entityType);
    assert.equal(made.qualityExpectations ?? [], []);
    assert.equal(await exchange.exported(made), odcsJson({ schema: schema('id') }));
    ok(await service.admin.delete(`${CONTRACTS}/${made.id}?hardDelete=true`));
    const own = { name: 'own', entity: { id: record.id, type: entityType }, schema: [field] };
    const plain = await exchange.exported(ok(await service.admin.post(CONTRACTS, own), 201));
    assert.equal([plain.schema[0].physicalType, plain.schema[0].name], [physicalType, record.name], entityType);
    conforms(plain);
  }
  const database = await testing.samples.create('database');
  const query = { entityType: 'database' };
  expectRefused(
    await exchange.send('POST', odcsPath(database, query), JSON.stringify(odcsJson({ schema: schema('id') }))),
    400,
  );
  const judged = await exchange.validated(database, odcsJson({ schema: schema('id') }), query);
  assert.equal([judged.valid, judged.odcsImportReport.canImport], [false, false]);
  assert.equal((await exchange.imported(database, odcsJson({ description: 'd' }), query)).description, 'd');
});

/** A property, the type that its column must have, and what else the column says. */
const TYPES: readonly (readonly [property: JsonObject, column: JsonObject])[] = [
  [{ logicalType: 'string' }, { dataType: 'STRING' }],
  [{ logicalType: 'Date' }, { dataType: 'DATE' }],
  [{ logicalType: 'TIMESTAMP' }, { dataType: 'TIMESTAMP' }],
  [{ logicalType: 'time' }, { dataType: 'TIME' }],
  [{ logicalType: 'number' }, { dataType: 'NUMBER' }],
  [{ logicalType: 'number', logicalTypeOptions: { format: 'f32' } }, { dataType: 'FLOAT' }],
  [{ logicalType: 'number', logicalTypeOptions: { format: 'f64' } }, { dataType: 'DOUBLE' }],
  [{ logicalType: 'integer' }, { dataType: 'INT' }],
  [{ logicalType: 'integer', logicalTypeOptions: { format: 'i8' } }, { dataType: 'TINYINT' }],
  [{ logicalType: 'integer', logicalTypeOptions: { format: 'i16' } }, { dataType: 'SMALLINT' }],
  [{ logicalType: 'integer', logicalTypeOptions: { format: 'u64' } }, { dataType: 'BIGINT' }],
  [{ logicalType: 'integer', logicalTypeOptions: { format: 'u128' } }, { dataType: 'LARGEINT' }],
  [{ logicalType: 'integer', logicalTypeOptions: { format: 'u32' } }, { dataType: 'UINT' }],
  [{ logicalType: 'boolean' }, { dataType: 'BOOLEAN' }],
  [{ logicalType: 'text' }, { dataType: 'TEXT' }],
  [{ logicalType: 'long' }, { dataType: 'BIGINT' }],
  [{ logicalType: 'decimal' }, { dataType: 'DECIMAL' }],
  [{ logicalType: 'bytes' }, { dataType: 'BINARY' }],
  [{ logicalType: 'Numeric' }, { dataType: 'NUMERIC' }],
  [{ logicalType: 'UUID' }, { dataType: 'UUID' }],
  [{}, { dataType: 'STRING' }],
  [{ physicalType: 'serial' }, { dataType: 'INT' }],
  [{ physicalType: 'int8' }, { dataType: 'BIGINT' }],
  [{ physicalType: 'INT2' }, { dataType: 'SMALLINT' }],
  [{ physicalType: 'real' }, { dataType: 'FLOAT' }],
  [{ physicalType: 'double precision' }, { dataType: 'DOUBLE' }],
  [{ physicalType: 'dec(10, 2)' }, { dataType: 'DECIMAL', precision: 10, scale: 2, dataTypeDisplay: 'dec(10, 2)' }],
  [{ physicalType: 'numeric(8)' }, { dataType: 'NUMERIC', precision: 8, dataTypeDisplay: 'numeric(8)' }],
  [{ physicalType: 'nvarchar(20)' }, { dataType: 'VARCHAR', dataLength: 20, dataTypeDisplay: 'nvarchar(20)' }],
  [{ physicalType: 'varchar[50]' }, { dataType: 'VARCHAR', dataLength: 50, dataTypeDisplay: 'varchar[50]' }],
  [{ physicalType: 'bpchar(3)' }, { dataType: 'CHAR', dataLength: 3, dataTypeDisplay: 'bpchar(3)' }],
  [{ physicalType: 'bool', logicalType: 'string' }, { dataType: 'BOOLEAN' }],
  [{ physicalType: 'timestamp with time zone' }, { dataType: 'TIMESTAMPZ' }],
  [{ physicalType: 'strange', logicalType: 'date' }, { dataType: 'DATE' }],
  [
    { logicalType: 'string', logicalTypeOptions: { maxLength: 7 } },
    { dataType: 'STRING', dataLength: 7 },
  ],
  [
    { logicalType: 'array', items: { logicalType: 'integer' } },
    { dataType: 'ARRAY', arrayDataType: 'INT' },
  ],
];

test('property types are mapped to column types and exported again', async () => {
  const columns = TYPES.map(
    ([, { dataTypeDisplay: _display, ...column }], at): JsonObject => ({ name: `c${at}`, ...column }),
  );
  const sized = columns.map(
    (column): JsonObject =>
      /CHAR|BINARY/.test(String(column['dataType'])) && !('dataLength' in column)
        ? { ...column, dataLength: 1 }
        : column,
  );
  const table = await testing.table(sized);
  const properties = TYPES.map(([property], at) => ({ name: `c${at}`, ...property }));
  const schema = [{ name: 't', logicalType: 'object', properties }];
  const made = await exchange.imported(table, odcsJson({ schema }));
  TYPES.forEach(([property, wanted], at) => {
    const found = made.schema[at];
    for (const [name, value] of Object.entries(wanted)) {
      assert.is(found[name], value, `${name} of ${JSON.stringify(property)}`);
    }
  });
  assert.equal((await exchange.exported(made)).schema, schema);
  const fresh = await testing.table(sized);
  const own = { name: 'own', entity: { id: fresh.id, type: 'table' }, schema: sized };
  const out = await exchange.exported(ok(await service.admin.post(CONTRACTS, own), 201));
  conforms(out);
  const saidOf = (dataType: string) => {
    const at = sized.findIndex((column) => column['dataType'] === dataType);
    const { logicalType, logicalTypeOptions } = out.schema[0].properties[at];
    return [logicalType, logicalTypeOptions];
  };
  assert.equal(saidOf('TIMESTAMPZ'), ['timestamp', { timezone: true }]);
  assert.equal(saidOf('FLOAT'), ['number', { format: 'f32' }]);
  assert.equal(saidOf('BIGINT'), ['integer', { format: 'i64' }]);
  assert.equal(saidOf('UUID'), ['string', { format: 'uuid' }]);
  assert.equal(saidOf('BINARY')[1]?.format, 'binary');
  assert.equal(saidOf('DECIMAL'), ['number', undefined]);
});

test('properties are mapped to columns by either name, and the rest stays in the document', async () => {
  const kind = await testing.samples.create('classification');
  const tag = await testing.samples.create('tag', { classification: kind.fullyQualifiedName });
  const table = await testing.table([
    { name: 'ID_COL', dataType: 'INT' },
    { name: 'address', dataType: 'STRUCT', children: [{ name: 'city', dataType: 'STRING' }] },
    { name: 'lines', dataType: 'ARRAY', arrayDataType: 'STRUCT', children: [{ name: 'sku', dataType: 'STRING' }] },
  ]);
  const schema = [
    {
      name: 'orders',
      physicalName: 'ORD',
      logicalType: 'object',
      relationships: [{ type: 'foreignKey', from: ['orders.id'], to: ['o.id'] }],
      authoritativeDefinitions: [{ url: 'https://example.org/o', type: 'x' }],
      properties: [
        {
          name: 'id',
          physicalName: 'id_col',
          businessName: 'Number',
          description: 'd',
          logicalType: 'integer',
          primaryKey: true,
          unique: true,
          required: false,
          classification: 'restricted',
          criticalDataElement: true,
          examples: [1, 2],
          tags: [tag.fullyQualifiedName, 'unheard-of'],
          transformSourceObjects: ['raw.orders'],
        },
        { name: 'address', logicalType: 'object', properties: [{ name: 'city', logicalType: 'string', unique: true }] },
        {
          name: 'lines',
          logicalType: 'array',
          items: { logicalType: 'object', properties: [{ name: 'sku', logicalType: 'string', required: true }] },
        },
      ],
    },
  ];
  const made = await exchange.imported(
    table,
    odcsJson({ schema, authoritativeDefinitions: [{ url: 'https://example.org', type: 'root' }] }),
  );
  const [id, address, lines] = made.schema;
  assert.equal([id.name, id.displayName, id.description, id.constraint], ['ID_COL', 'Number', 'd', 'PRIMARY_KEY']);
  assert.equal(
    id.tags.map(({ tagFQN }: JsonObject) => tagFQN),
    [tag.fullyQualifiedName],
  );
  assert.equal([address.children[0].name, address.children[0].constraint], ['city', 'UNIQUE']);
  assert.equal([lines.arrayDataType, lines.children[0].constraint], ['STRUCT', 'NOT_NULL']);
  assert.equal(made.odcsElementExtensions.map(({ element }: JsonObject) => element).sort(), [
    'ID_COL',
    'orders',
    undefined,
  ]);
  const out = await exchange.exported(made);
  assert.equal(out.schema, schema);
  ok(await service.admin.patch(`${CONTRACTS}/${made.id}`, [{ op: 'remove', path: '/schema/1' }]));
  const left = (await exchange.exported(made)).schema[0];
  assert.equal(
    left.properties.map(({ name }: JsonObject) => name),
    ['id', 'lines'],
  );
  assert.equal(left.properties[0], schema[0]?.properties[0]);
});

test('service levels are mapped by all their names and matching units, and the rest stays in the document', async () => {
  const table = await testing.table(COLUMNS);
  const made = await exchange.imported(table, odcsRoot());
  const rows: readonly (readonly [JsonObject, JsonObject | undefined])[] = [
    [
      { property: 'Freshness', value: 2, unit: 'hrs', element: 'orders.amount' },
      { refreshFrequency: { interval: 2, unit: 'hour' }, columnName: 'amount' },
    ],
    [{ property: 'fy', value: '3', unit: 'wk' }, { refreshFrequency: { interval: 3, unit: 'week' } }],
    [{ property: 'ly', value: 1, unit: 'w' }, { maxLatency: { value: 7, unit: 'day' } }],
    [{ property: 'latency', value: 5 }, { maxLatency: { value: 5, unit: 'day' } }],
    [{ property: 'retention', value: 48, unit: 'h' }, { retention: { period: 2, unit: 'day' } }],
    [{ property: 're', value: 3, unit: 'yrs' }, { retention: { period: 3, unit: 'year' } }],
    [{ property: 'retention', value: 5, unit: 'hours' }, undefined],
    [{ property: 'latency', value: 1.5, unit: 'd' }, undefined],
    [{ property: 'latency', value: -1, unit: 'd' }, undefined],
    [{ property: 'availability', value: '99.9', unit: 'percent' }, undefined],
    [{ property: 'generalAvailability', value: '2022-05-12' }, undefined],
  ];
  for (const [property, sla] of rows) {
    const document = odcsJson({ slaProperties: [property] });
    const put = await exchange.put(table, document, { mode: 'replace' });
    assert.equal(put.sla, sla, JSON.stringify(property));
    assert.equal(await exchange.exported(made), document);
  }
  const timed = odcsJson({
    slaProperties: [{ property: 'timeOfAvailability', value: '09:00-08:00', driver: 'regulatory' }],
  });
  const { sla } = await exchange.put(table, timed, { mode: 'replace' });
  assert.is(sla.availabilityTime, '09:00');
  assert.match(sla.timezone, /GMT-08:00/);
  const twice = [
    { property: 'latency', value: 1, unit: 'd' },
    { property: 'latency', value: 2, unit: 'd' },
  ];
  assert.equal((await exchange.put(table, odcsJson({ slaProperties: twice }), { mode: 'replace' })).sla, {
    maxLatency: { value: 1, unit: 'day' },
  });
});

const FOLDER = new URL('odcs/documents/', import.meta.url);

const asColumns = (columns: readonly JsonObject[]): readonly JsonObject[] =>
  columns.map(({ name = '', dataType = '', arrayDataType, dataLength, children }) => ({
    name,
    dataType,
    ...(arrayDataType === undefined ? {} : { arrayDataType }),
    ...(dataLength === undefined ? (/CHAR|BINARY/.test(String(dataType)) ? { dataLength: 1 } : {}) : { dataLength }),
    ...(children === undefined ? {} : { children: asColumns(children as readonly JsonObject[]) }),
  }));

test('a document of each version is imported and exported in every version', async () => {
  for (const file of readdirSync(FOLDER)) {
    const text = readFileSync(new URL(file, FOLDER), 'utf8').replace(/^(id|uuid): .*$/m, `$1: ${crypto.randomUUID()}`);
    const read = readOdcs(text);
    const { contract, objectName } = imported(read.document, { target: tableOf(uniqueName('t'), []) });
    const table = await testing.table(asColumns(contract['schema'] as readonly JsonObject[]));
    const made = await exchange.imported(table, text, objectName === undefined ? {} : { objectName });
    const isStrange = file.startsWith('strange-');
    for (const odcsVersion of ODCS_VERSIONS) {
      const reply = await service.admin.get(`${CONTRACTS}/${made.id}/odcs?odcsVersion=${odcsVersion}`);
      const out = ok(reply);
      if (odcsVersion !== read.version) {
        if (!isStrange) conforms(out, odcsVersion);
        assert.is(readOdcs(JSON.stringify(out)).version, odcsVersion);
      } else {
        const declared = isStrange && read.version !== 'v2.2.0' ? { apiVersion: read.version } : {};
        assert.equal(out, JSON.parse(JSON.stringify({ ...read.source, ...declared })), file);
        assert.is(reply.headers.get('x-odcs-dropped'), null);
      }
    }
  }
});

test('members without a place in a version are dropped and reported', async () => {
  const table = await testing.table(COLUMNS);
  const document = odcsJson({
    'x-mine': 1,
    'x-ünlich': 2,
    schema: [
      { name: 't', logicalType: 'object', properties: [{ name: 'id', logicalType: 'integer', 'x-inner': { a: 1 } }] },
    ],
  });
  const made = await exchange.imported(table, document);
  const dropped = async (odcsVersion: string, suffix = '') => {
    const reply = await service.admin.get(`${CONTRACTS}/${made.id}/odcs${suffix}?odcsVersion=${odcsVersion}`);
    assert.is(reply.status, 200);
    return [reply.headers.get('x-odcs-dropped')?.split(', ').map(decodeURI).sort(), reply.text];
  };
  assert.is((await dropped('3.1.0'))[0], undefined);
  const [paths, text] = await dropped('v3.0.2');
  assert.equal(paths, ['schema[0].properties[0].x-inner', 'x-mine', 'x-ünlich']);
  assert.not.match(String(text), /x-mine|x-inner/);
  assert.equal((await dropped('3.0.2', '/yaml'))[0], paths);
  const secret = `apiVersion: v2.2.2\nkind: DataContract\nuuid: u\nversion: 1.0.0\nstatus: current\nusername: root\npassword: hunter2\n`;
  const old = await exchange.imported(await testing.table(COLUMNS), secret);
  assert.not.match(JSON.stringify(await exchange.exported(old, { odcsVersion: 'v2.2.2' })), /hunter2|root/);
  const [row] = await service.graph.query('MATCH (s:ContractSource {contractId: $id}) RETURN s.json AS json', {
    id: old.id,
  });
  assert.not.match(String(row?.['json']), /hunter2|root/);
});

test.run();
