import * as assert from 'uvu/assert';
import { CSV_LAYOUTS, layoutHeader } from '../../src/csv/layout.ts';
import {
  createDatabaseTree,
  exportFile,
  filePathOf,
  formatFile,
  importFile,
  parseRecords,
  parseRows,
  readStateBelow,
} from '../support/csv-files.ts';
import { ok } from '../support/expect.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the contents of services, databases and schemas are exported and imported (csv.md 3.2–3.5, 4–7). */

const test = suite('csv: hierarchies');

let service: Service;
let admin: Client;

test.before(async () => {
  service = await openService();
  ({ admin } = service);
});

const namesIn = (text: string): string[] =>
  parseRows(text).map(({ entityType, name }) => `${entityType ?? ''} ${name}`);

const record = async (collection: string, fqn: string, fields = '*') =>
  ok(await admin.get(`/v1/${collection}/name/${encodeURIComponent(fqn)}?fields=${fields}`));

test('each asset has the layouts of the contract, with and without the flag', async () => {
  const tree = await createDatabaseTree(admin);
  const headers = {
    recursive: layoutHeader(CSV_LAYOUTS.recursive),
    databases: layoutHeader(CSV_LAYOUTS.databases),
    children: layoutHeader(CSV_LAYOUTS.children),
  };
  const whole = [
    'database db',
    'databaseSchema sc',
    'table orders',
    'column id',
    'column name',
    'column address',
    'column address.zip',
    'column address."city.name"',
    'storedProcedure tidy',
  ];
  const cases = [
    ['databaseService', tree.service, '', headers.recursive, whole.slice(0, 2)],
    ['databaseService', tree.service, '?recursive=false', headers.databases, [' db']],
    ['databaseService', tree.service, '?recursive=true', headers.recursive, whole],
    ['database', tree.database, '', headers.children, [' sc']],
    ['database', tree.database, '?recursive=false', headers.children, [' sc']],
    ['database', tree.database, '?recursive=true', headers.recursive, whole.slice(1)],
    ['databaseSchema', tree.schema, '', headers.children, [' orders']],
    ['databaseSchema', tree.schema, '?recursive=true', headers.recursive, whole.slice(2)],
  ] as const;
  for (const [type, fqn, query, header, names] of cases) {
    const text = await exportFile(admin, type, fqn, query);
    assert.equal(parseRecords(text)[0], header, `${type} ${query}`);
    assert.equal(namesIn(text), names, `${type} ${query}`);
    assert.ok(parseRecords(text).every(({ length }) => length === header.length));
  }
  const [column] = parseRows(await exportFile(admin, 'databaseSchema', tree.schema, '?recursive=true')).slice(2);
  assert.equal(
    [column?.['fullyQualifiedName'], column?.['column.dataType'], column?.['column.dataLength']],
    [`${tree.table}.name`, 'VARCHAR', '40'],
  );
  const alias = await admin.get(`/v1/databaseServices/name/${tree.service}/export?recursive=true`);
  assert.equal(namesIn(alias.text), whole);
});

test('siblings are sorted by full name, whatever characters follow their dots', async () => {
  const name = uniqueName('svc');
  ok(await admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await admin.post('/v1/databases', { name: 'db', service: name }), 201);
  const names = ['sales', 'sales-eu', 'sales eu', 'a.b', 'Zoo', 'été', '😀'];
  for (const schema of names) {
    ok(await admin.post('/v1/databaseSchemas', { name: schema, database: `${name}.db` }), 201);
  }
  const told = namesIn(await exportFile(admin, 'databaseService', name));
  const sorted = ['"a.b"', 'Zoo', 'sales', 'sales eu', 'sales-eu', 'été', '😀'];
  assert.equal(told, ['database db', ...sorted.map((schema) => `databaseSchema ${schema}`)]);
});

test('importing an unchanged export changes nothing, in any layout', async () => {
  const tree = await createDatabaseTree(admin);
  const before = await readStateBelow(service, tree.service);
  for (const [type, fqn, query] of [
    ['databaseService', tree.service, '?recursive=true'],
    ['databaseService', tree.service, '?recursive=false'],
    ['database', tree.database, ''],
    ['databaseSchema', tree.schema, ''],
    ['databaseSchema', tree.schema, '?recursive=true'],
  ] as const) {
    const text = await exportFile(admin, type, fqn, query);
    const result = await importFile(admin, type, fqn, text);
    assert.is(result.status, 'success', result.importResultsCsv);
    assert.ok(result.details.every((one: string) => one === 'success: Entity updated'));
    assert.equal(await readStateBelow(service, tree.service), before);
  }
});

const NEW_ROWS = (name: string) => [
  { name: 'new', entityType: 'database', description: 'A new one' },
  { name: 's', entityType: 'databaseSchema', fullyQualifiedName: `${name}.new.s`, retentionPeriod: 'P30D' },
  { name: 't', entityType: 'table', fullyQualifiedName: `${name}.new.s.t`, tiers: 'Tier.Tier2' },
  { name: 'x', entityType: 'column', fullyQualifiedName: `${name}.new.s.t.x`, 'column.dataType': 'STRUCT' },
  {
    name: 'x."y.z"',
    entityType: 'column',
    fullyQualifiedName: `${name}.new.s.t.x."y.z"`,
    'column.dataType': 'VARCHAR',
    'column.dataLength': '7',
    tags: 'PII.Sensitive',
  },
  {
    name: 'p',
    entityType: 'storedProcedure',
    fullyQualifiedName: `${name}.new.s.p`,
    'storedProcedure.code': 'SELECT 1',
    'storedProcedure.language': 'SQL',
  },
];

test('missing assets are created, parents first; a dry run reports them and creates nothing', async () => {
  const { service: name } = await createDatabaseTree(admin);
  const file = formatFile('recursive', NEW_ROWS(name));
  const before = await readStateBelow(service, name);
  const dry = await importFile(admin, 'databaseService', name, file, '');
  assert.equal([dry.dryRun, dry.status, dry.numberOfRowsProcessed, dry.numberOfRowsPassed], [true, 'success', 7, 7]);
  assert.ok(
    dry.details.every((one: string) => one === 'success: Entity created'),
    dry.importResultsCsv,
  );
  assert.equal(await readStateBelow(service, name), before);
  const real = await importFile(admin, 'databaseService', name, file);
  assert.equal(real.details, dry.details);
  const table = await record('tables', `${name}.new.s.t`);
  assert.equal([table.version, table.columns[0].children[0].dataLength], [0.1, 7]);
  assert.is(table.columns[0].children[0].tags[0].tagFQN, 'PII.Sensitive');
  assert.is((await record('databaseSchemas', `${name}.new.s`)).retentionPeriod, 'P30D');
  const { storedProcedureCode } = await record('storedProcedures', `${name}.new.s.p`);
  assert.equal(storedProcedureCode, { language: 'SQL', code: 'SELECT 1' });
});

test('an empty cell clears, members without a cell stay, and each record gets one version', async () => {
  const tree = await createDatabaseTree(admin);
  ok(await admin.put('/v1/tables', { ...(await tableBody(tree.table)), description: 'Old', displayName: 'Shown' }));
  const before = await record('tables', tree.table);
  const rows = parseRows(await exportFile(admin, 'databaseSchema', tree.schema, '?recursive=true'));
  const changed = rows.map((row) => {
    if (row['entityType'] === 'table') return { ...row, description: '', displayName: 'Other' };
    return row['name'] === 'name' ? { ...row, description: 'Her name', 'column.dataLength': '41' } : row;
  });
  const result = await importFile(admin, 'databaseSchema', tree.schema, formatFile('recursive', changed));
  assert.is(result.status, 'success', result.importResultsCsv);
  const after = await record('tables', tree.table);
  assert.equal([after.description, after.displayName], [undefined, 'Other']);
  assert.is(after.version, Math.round((before.version + 0.1) * 10) / 10);
  assert.equal(after.tableConstraints, before.tableConstraints);
  const [id, name, address] = after.columns;
  assert.equal([id.constraint, id.ordinalPosition, name.ordinalPosition], ['PRIMARY_KEY', 1, 2]);
  assert.equal([name.description, name.dataLength], ['Her name', 41]);
  assert.equal(address, before.columns[2]);
  assert.is((await record('storedProcedures', `${tree.schema}.tidy`)).version, 0.1);
});

const tableBody = async (fqn: string) => {
  const { name, columns, databaseSchema } = await record('tables', fqn);
  return { name, columns, databaseSchema: databaseSchema.fullyQualifiedName };
};

test('each invalid row fails with its reason, and the others are applied', async () => {
  const tree = await createDatabaseTree(admin);
  const schema = (name: string, more = {}) => ({
    name,
    entityType: 'databaseSchema',
    fullyQualifiedName: `${tree.database}.${name}`,
    ...more,
  });
  const cases = [
    [schema('good'), /^success: Entity created$/],
    [schema('bad_owner', { owner: 'user:nobody_at_all' }), /^failure: #INVALID_FIELD: Field 4 error - .*nobody_at_all/],
    [schema('bad_owner_form', { owner: 'nobody' }), /^failure: #INVALID_FIELD: Field 4 error - /],
    [schema('bad_tag', { tags: 'No.Such' }), /^failure: #INVALID_FIELD: Field 5 error - .*No\.Such/],
    [schema('bad_term', { glossaryTerms: 'No.Term' }), /^failure: #INVALID_FIELD: Field 6 error - /],
    [schema('two_tiers', { tiers: 'Tier.Tier1;Tier.Tier2' }), /^failure: #INVALID_FIELD: Field 7 error - /],
    [schema('bad_certification', { certification: 'No.Such' }), /^failure: #INVALID_FIELD: Field 8 error - /],
    [schema('bad_retention', { retentionPeriod: '3 days' }), /^failure: #INVALID_FIELD: Field 9 error - /],
    [schema('bad_domain', { domains: 'NoSuchDomain' }), /^failure: #INVALID_FIELD: Field 11 error - /],
    [schema('bad_extension', { extension: 'nosuch:1' }), /^failure: #INVALID_FIELD: Field 12 error - /],
    [schema('bad_type', { entityType: 'topic' }), /^failure: #INVALID_FIELD: Field 13 error - /],
    [schema('bad_type2', { entityType: 'databaseService' }), /^failure: #INVALID_FIELD: Field 13 error - /],
    [
      { ...schema('elsewhere'), fullyQualifiedName: 'elsewhere.db.elsewhere' },
      /Field 14 error - .*is not a descendant of/,
    ],
    [
      { ...schema('else'), fullyQualifiedName: `${tree.service}x.db.else` },
      /Field 14 error - .*is not a descendant of/,
    ],
    [{ ...schema('other_name'), fullyQualifiedName: `${tree.database}.another` }, /Field 14 error - /],
    [{ ...schema('too_deep'), fullyQualifiedName: `${tree.schema}.x.too_deep` }, /Field 14 error - /],
    [{ ...schema('no_fqn'), fullyQualifiedName: '' }, /^failure: #FIELD_REQUIRED: .*14/],
    [schema(''), /^failure: #FIELD_REQUIRED: .*1/],
    [schema('bad::name'), /^failure: #INVALID_FIELD: Field 1/],
    [schema('good'), /^failure: #INVALID_FIELD: Field 14 error - an earlier row is about/],
    [
      schema('two_faults', { tags: 'No.Such', domains: 'NoSuch' }),
      /Field 5 error - .*;#INVALID_FIELD: Field 11 error - /,
    ],
    [
      { name: 't', entityType: 'table', fullyQualifiedName: `${tree.database}.nosuch.t` },
      /^failure: #INVALID_FIELD: Field 14 error - .*nosuch/,
    ],
    [
      { name: 'c', entityType: 'column', fullyQualifiedName: `${tree.schema}.nosuch.c`, 'column.dataType': 'INT' },
      /^failure: #INVALID_FIELD: Field 14 error - .*nosuch/,
    ],
    [
      { name: 'q', entityType: 'column', fullyQualifiedName: `${tree.table}.q`, 'column.dataType': 'NONE' },
      /^failure: #INVALID_FIELD: Field 16 error - /,
    ],
    [
      { name: 'a.b', entityType: 'column', fullyQualifiedName: `${tree.table}.a.b`, 'column.dataType': 'INT' },
      /^failure: #INVALID_FIELD: Field 14 error - there is no column a/,
    ],
    [
      {
        name: 'p',
        entityType: 'storedProcedure',
        fullyQualifiedName: `${tree.schema}.p`,
        'storedProcedure.language': 'Cobol',
      },
      /^failure: #INVALID_FIELD: Field 20 error - /,
    ],
  ] as const;
  const file = formatFile(
    'recursive',
    cases.map(([row]) => row),
  );
  for (const query of ['', '?dryRun=false']) {
    const result = await importFile(admin, 'databaseService', tree.service, file, query);
    result.details.forEach((told: string, at: number) => {
      assert.match(told, cases[at]?.[1] ?? /^$/, `${query} row ${at}`);
    });
    assert.equal(
      [result.status, result.numberOfRowsProcessed, result.numberOfRowsPassed, result.numberOfRowsFailed],
      ['partialSuccess', cases.length + 1, 2, cases.length - 1],
    );
  }
  const { data } = ok(await admin.get(`/v1/databaseSchemas?database=${tree.database}`));
  assert.equal(data.map(({ name }: { name: string }) => name).sort(), ['good', 'sc']);
});

test('rows below a failed parent fail, in a dry run too; other rows pass', async () => {
  const { service: name } = await createDatabaseTree(admin);
  const [database = {}, ...below] = NEW_ROWS(name);
  const file = formatFile('recursive', [
    { ...database, owner: 'user:nobody_at_all' },
    ...below,
    { name: 'fine', entityType: 'database' },
  ]);
  for (const query of ['', '?dryRun=false']) {
    const result = await importFile(admin, 'databaseService', name, file, query);
    const failed = result.details.slice(0, -1);
    assert.ok(
      failed.every((told: string) => told.startsWith('failure: #INVALID_FIELD: ')),
      result.importResultsCsv,
    );
    assert.is(result.details.at(-1), 'success: Entity created');
    assert.is(result.status, 'partialSuccess');
  }
});

test('a child before its parent fails', async () => {
  const { service: name } = await createDatabaseTree(admin);
  const [database = {}, schema = {}] = NEW_ROWS(name);
  for (const query of ['', '?dryRun=false']) {
    const { details } = await importFile(
      admin,
      'databaseService',
      name,
      formatFile('recursive', [schema, database]),
      query,
    );
    assert.match(details[0], /^failure: #INVALID_FIELD: Field 14 error - .*not found/);
    assert.is(details[1], 'success: Entity created');
  }
});

test('a fault found only for the whole table fails the row that causes it, and no other', async () => {
  const tree = await createDatabaseTree(admin);
  const column = (name: string, more = {}) => ({
    name,
    entityType: 'column',
    fullyQualifiedName: `${tree.table}.${name}`,
    'column.dataType': 'INT',
    ...more,
  });
  const long = 'x'.repeat(300);
  const file = formatFile('recursive', [
    column('one'),
    column(long),
    column('rivals', { tags: 'PII.None;PII.Sensitive' }),
    column('two'),
  ]);
  const result = await importFile(admin, 'databaseSchema', tree.schema, file);
  assert.equal(
    result.told.map(({ status }: Record<string, string>) => status),
    ['success', 'failure', 'failure', 'success'],
  );
  const { columns, version } = await record('tables', tree.table);
  assert.equal(
    columns.map(({ name }: { name: string }) => name),
    ['id', 'name', 'address', 'one', 'two'],
  );
  assert.is(version, 0.2);
});

test('owners, labels, domains and custom values are imported, and inherited ones are not exported', async () => {
  const tree = await createDatabaseTree(admin);
  const user = uniqueName('user').toLowerCase();
  ok(await admin.post('/v1/users', { name: user, email: `${user}@example.com` }), 201);
  const domain = uniqueName('dom');
  ok(await admin.post('/v1/domains', { name: domain, description: 'x', domainType: 'Aggregate' }), 201);
  const owned = formatFile('databases', [
    { name: 'db', owner: `user:${user}`, domains: domain, certification: 'Certification.Gold' },
  ]);
  const result = await importFile(admin, 'databaseService', tree.service, owned);
  assert.is(result.status, 'success', result.importResultsCsv);
  const db = await record('databases', tree.database);
  assert.equal([db.owners[0].name, db.domains[0].name], [user, domain]);
  assert.is(db.certification.tagLabel.tagFQN, 'Certification.Gold');
  const [row] = parseRows(await exportFile(admin, 'databaseService', tree.service, '?recursive=false'));
  assert.equal(
    [row?.['owner'], row?.['domains'], row?.['certification']],
    [`user:${user}`, domain, 'Certification.Gold'],
  );
  const [schema] = parseRows(await exportFile(admin, 'database', tree.database));
  assert.equal([schema?.['owner'], schema?.['domains']], ['', '']);
  const { events } = ok(await admin.get(`/v1/databases/${db.id}/versions`));
  assert.is(events, undefined);
});

test('a custom value may reference a record of an earlier row, in a dry run as well', async () => {
  const tree = await createDatabaseTree(admin);
  const property = uniqueName('twin').toLowerCase();
  const types = '/v1/metadata/types/name';
  const [{ id: schemaType }, { id: pointer }] = await Promise.all(
    ['databaseSchema', 'entityReference'].map(async (name) => ok(await admin.get(`${types}/${name}`))),
  );
  const customPropertyConfig = { config: ['databaseSchema'] };
  const propertyType = { id: pointer, type: 'type' };
  ok(
    await admin.put(`/v1/metadata/types/${schemaType}`, {
      name: property,
      description: 'x',
      propertyType,
      customPropertyConfig,
    }),
  );
  const schema = (name: string, twin?: string) => ({
    name,
    entityType: 'databaseSchema',
    fullyQualifiedName: `${tree.database}.${name}`,
    ...(twin ? { extension: `${property}:databaseSchema:${tree.database}.${twin}` } : {}),
  });
  const names = Array.from({ length: 40 }, (_, at) => `s${at}`);
  const file = formatFile('recursive', [
    ...names.map((name, at) => schema(name, at === 0 ? undefined : names[at - 1])),
    schema('lonely', 'nobody'),
    schema('backward', 'later'),
    schema('later'),
  ]);
  for (const query of ['', '?dryRun=false']) {
    const { details } = await importFile(admin, 'databaseService', tree.service, file, query);
    assert.equal(details.slice(0, names.length), Array(names.length).fill('success: Entity created'), query);
    assert.match(details[names.length], /^failure: #INVALID_FIELD: Field 12 error - .*nobody/);
    assert.is(details.at(-1), 'success: Entity created');
  }
  const last = await record('databaseSchemas', `${tree.database}.s39`);
  assert.is(last.extension[property].fullyQualifiedName, `${tree.database}.s38`);
});

test('an import notifies followers, updates the search index, and publishes events by the caller', async () => {
  const tree = await createDatabaseTree(admin);
  const word = uniqueName('word').replace('_', '');
  const file = formatFile('children', [{ name: 'orders', description: `About ${word}` }]);
  assert.is((await importFile(admin, 'databaseSchema', tree.schema, file)).status, 'success');
  const { id } = await record('tables', tree.table);
  const [event] = await service.graph.query(
    'MATCH (e:ChangeEvent)-[:ABOUT]->(n:Entity {id: $id}) RETURN e.eventType AS type, e.userName AS by ORDER BY e.timestamp DESC LIMIT 1',
    { id },
  );
  assert.equal(event, { type: 'entityUpdated', by: 'admin' });
  const found = ok(await admin.get(`/v1/search/query?q=${word}&index=table_search_index`));
  assert.is(found.hits.hits[0]?._source.fullyQualifiedName, tree.table);
});

test('export and import require their rights, and neither show nor change hidden records', async () => {
  const tree = await createDatabaseTree(admin);
  const plain = uniqueName('plain');
  ok(await admin.post('/v1/users', { name: plain, email: `${plain}@example.com` }), 201);
  const client = await service.as(plain);
  const path = filePathOf('databaseSchema', tree.schema, 'export');
  ok(await client.get(path));
  const file = formatFile('children', [{ name: 'orders', description: 'mine' }]);
  const put = (query: string) =>
    client.raw('PUT', filePathOf('databaseSchema', tree.schema, `import${query}`), file, {
      'content-type': 'text/csv',
    });
  assert.equal([(await put('')).status, (await put('?dryRun=false')).status], [403, 403]);
  assert.is((await client.get(filePathOf('databaseSchema', `${tree.schema}x`, 'export'))).status, 404);
  assert.is((await put('?dryRun=maybe')).status, 400);
});

test.run();
