import * as assert from 'uvu/assert';
import { CSV_LAYOUTS, layoutHeader } from '../../src/csv/layout.ts';
import { writeCsvLines } from '../../src/http/csv-writer.ts';
import { type Corpus, openCorpus } from '../search/schema-fixture.ts';
import { exportFile, importFile, parseRecords } from '../support/csv-files.ts';
import { ok } from '../support/expect.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that columns of tables are exported and imported. */

const test = suite('csv: tables');

let corpus: Corpus;
let glossary: string;

test.before(async () => {
  corpus = await openCorpus('csv');
  glossary = uniqueName('csv;glossary.one');
  const { admin } = corpus;
  ok(await admin.post('/v1/glossaries', { name: glossary, description: 'words' }), 201);
  ok(await admin.post('/v1/glossaryTerms', { name: 'a,b', glossary: `"${glossary}"`, description: 'word' }), 201);
});

const term = () => `"${glossary}".a,b`;

const label = (tagFQN: string, more: object = {}) => ({ tagFQN, source: 'Classification', ...more });

const FIELDS = '?fields=tags,owners,tableConstraints';

// biome-ignore lint/suspicious/noExplicitAny: records are looked at in many ways.
const read = async (id: string): Promise<any> => ok(await corpus.admin.get(`/v1/tables/${id}${FIELDS}`));

const HEADER = layoutHeader(CSV_LAYOUTS.table);

/** A row about a column; what is left out is empty. */
const row = (name: string, cells: Readonly<Record<string, string>> = {}): string[] =>
  CSV_LAYOUTS.table.fields.map((field) => ({ 'column.name': name, ...cells })[field.name] ?? '');

const typed = (name: string, type: string, more: Readonly<Record<string, string>> = {}): string[] =>
  row(name, { 'column.dataType': type, ...more });

const back = async (fqn: string, text: string, query?: string) => {
  const { told: _, details: rows, ...result } = await importFile(corpus.admin, 'table', fqn, text, query);
  return { result, rows, records: parseRecords(result.importResultsCsv) };
};

const take = (fqn: string, rows: readonly (readonly string[])[], query?: string) =>
  back(fqn, writeCsvLines([HEADER, ...rows]), query);

const exportOf = (fqn: string, query?: string) => exportFile(corpus.admin, 'table', fqn, query);

// biome-ignore lint/suspicious/noExplicitAny: columns are looked at in many ways.
const pathsOf = (columns: any[], above = ''): string[] =>
  columns.flatMap(({ name, children = [] }) => [`${above}${name}`, ...pathsOf(children, `${above}${name}/`)]);

const COLUMNS = () => [
  { name: 'id', dataType: 'BIGINT', constraint: 'PRIMARY_KEY', ordinalPosition: 1 },
  {
    name: 'address',
    dataType: 'STRUCT',
    dataTypeDisplay: 'struct<zip:varchar(5),a.b:array<int>>',
    ordinalPosition: 2,
    children: [
      { name: 'zip', dataType: 'VARCHAR', dataLength: 5, displayName: 'Zip, or "code"', description: 'one\ntwo' },
      {
        name: 'a.b',
        dataType: 'ARRAY',
        arrayDataType: 'INT',
        tags: [label('PII.Sensitive'), label('Tier.Tier3'), { tagFQN: term(), source: 'Glossary' }],
      },
    ],
  },
];

test('a table is exported column by column, nested columns after their parents', async () => {
  const { fullyQualifiedName } = await corpus.table(uniqueName('t'), { columns: COLUMNS() });
  const text = await exportOf(fullyQualifiedName);
  assert.is(text.split('\r\n')[0], HEADER.join(','));
  assert.ok(text.endsWith('\r\n'));
  assert.equal(parseRecords(text).slice(1), [
    typed('id', 'BIGINT'),
    typed('address', 'STRUCT', { 'column.dataTypeDisplay': 'struct<zip:varchar(5),a.b:array<int>>' }),
    typed('address.zip', 'VARCHAR', {
      'column.displayName': 'Zip, or "code"',
      'column.description': 'one\ntwo',
      'column.dataLength': '5',
    }),
    typed('address."a.b"', 'ARRAY', {
      'column.arrayDataType': 'INT',
      'column.tags': 'PII.Sensitive',
      'column.glossaryTerms': `"""${glossary}"".a,b"`,
    }),
  ]);
  for (const recursive of ['true', 'false'])
    assert.is(await exportOf(fullyQualifiedName, `?recursive=${recursive}`), text);
});

test('columns are exported by position, in whatever order they are stored', async () => {
  const column = (name: string, ordinalPosition?: number) => ({
    name,
    dataType: 'INT',
    ...(ordinalPosition === undefined ? {} : { ordinalPosition }),
  });
  const columns = [column('c', 3), column('x'), column('a', 1), column('w'), column('b', 2)];
  const made = await corpus.table(uniqueName('t'), { columns });
  const text = await exportOf(made.fullyQualifiedName);
  assert.equal(
    parseRecords(text)
      .slice(1)
      .map(([name]) => name),
    ['a', 'b', 'c', 'x', 'w'],
  );
  assert.is((await back(made.fullyQualifiedName, text)).result.status, 'success');
  const after = await read(made.id);
  assert.equal([after.version, ...pathsOf(after.columns)], [0.1, 'c', 'x', 'a', 'w', 'b']);
});

test('importing an unchanged export changes nothing', async () => {
  const made = await corpus.table(uniqueName('t'), {
    columns: COLUMNS(),
    tableConstraints: [{ constraintType: 'PRIMARY_KEY', columns: ['id'] }],
  });
  const before = await read(made.id);
  for (const query of ['', '?dryRun=false', '?dryRun=true', '?dryRun=false&recursive=true']) {
    const text = await exportOf(made.fullyQualifiedName);
    const { result, rows } = await back(made.fullyQualifiedName, text, query);
    assert.is(result.dryRun, !query.includes('dryRun=false'));
    assert.is(result.status, 'success');
    assert.equal(
      rows,
      Array.from({ length: 4 }, () => 'success: Entity updated'),
    );
    assert.equal(await read(made.id), before);
  }
});

test('rows change members with a cell, add missing columns and keep the rest, in one version', async () => {
  const made = await corpus.table(uniqueName('t'), {
    columns: COLUMNS(),
    tableConstraints: [{ constraintType: 'PRIMARY_KEY', columns: ['id'] }],
  });
  const before = await read(made.id);
  const { result, rows } = await take(made.fullyQualifiedName, [
    typed('ID', 'BIGINT', { 'column.description': 'key', 'column.tags': 'PII.None' }),
    typed('address."a.b"', 'ARRAY', { 'column.arrayDataType': 'BIGINT' }),
    typed('address.street', 'STRUCT'),
    typed('address.street.number', 'VARCHAR', { 'column.dataLength': '9' }),
    typed('added', 'INT', { 'column.displayName': 'Added' }),
  ]);
  assert.equal(rows, [
    'success: Entity updated',
    'success: Entity updated',
    'success: Entity created',
    'success: Entity created',
    'success: Entity created',
  ]);
  assert.equal(
    [result.numberOfRowsProcessed, result.numberOfRowsPassed, result.numberOfRowsFailed, result.status],
    [6, 6, 0, 'success'],
  );
  const after = await read(made.id);
  assert.equal(pathsOf(after.columns), [
    'id',
    'address',
    'address/zip',
    'address/a.b',
    'address/street',
    'address/street/number',
    'added',
  ]);
  const [id, address] = after.columns;
  assert.equal(
    [
      id.name,
      id.description,
      id.constraint,
      id.ordinalPosition,
      id.tags.map(({ tagFQN }: { tagFQN: string }) => tagFQN),
    ],
    ['id', 'key', 'PRIMARY_KEY', 1, ['PII.None']],
  );
  assert.is(address.children[1].arrayDataType, 'BIGINT');
  // Neither tags, terms nor texts were given; tiers have no cell.
  assert.equal(
    address.children[1].tags.map(({ tagFQN }: { tagFQN: string }) => tagFQN),
    ['Tier.Tier3'],
  );
  assert.equal(address.children[0], before.columns[1].children[0]);
  assert.equal(after.tableConstraints, before.tableConstraints);
  // A column that was of another type is a change that readers may not bear.
  assert.is(after.version, 1.1);
  const { versions } = ok(await corpus.admin.get(`/v1/tables/${made.id}/versions`));
  assert.is(versions.length, 2);
});

test('a dry run reports the same result and changes nothing', async () => {
  const made = await corpus.table(uniqueName('t'), { columns: COLUMNS() });
  const before = await read(made.id);
  const wish = [typed('new', 'STRUCT'), typed('new.inner', 'INT'), typed('none.inner', 'INT'), typed('id', 'NOTYPE')];
  const dry = await take(made.fullyQualifiedName, wish, '?dryRun=true');
  assert.equal(await read(made.id), before);
  const wet = await take(made.fullyQualifiedName, wish);
  assert.equal(dry.rows, wet.rows);
  assert.equal({ ...dry.result, dryRun: false }, wet.result);
  assert.equal(pathsOf((await read(made.id)).columns), [...pathsOf(before.columns), 'new', 'new/inner']);
});

test('an invalid row is reported and is the only one skipped', async () => {
  const made = await corpus.table(uniqueName('t'), { columns: [{ name: 'id', dataType: 'INT' }] });
  const { result, rows, records } = await take(made.fullyQualifiedName, [
    typed('good', 'INT'),
    typed('', 'INT'),
    row('untyped'),
    typed('a', 'NOTYPE'),
    typed('b', 'VARCHAR'),
    typed('c', 'VARCHAR', { 'column.dataLength': '-1' }),
    typed('d', 'ARRAY'),
    typed('e', 'INT', { 'column.tags': 'No.Such', 'column.glossaryTerms': 'Nor.This' }),
    typed('no.parent', 'INT'),
    typed('GOOD', 'BIGINT'),
    typed('f"g', 'INT'),
    typed('h::i', 'INT'),
    ['short'],
    typed('j', 'INT', { 'column.tags': 'PII.Sensitive;PII.None' }),
    typed('x'.repeat(300), 'INT'),
  ]);
  const fields = (text: string | undefined) =>
    [...(text ?? '').matchAll(/#(\w+): (?:Field (\d+))?/g)].map(([, ...at]) => at.join(' ').trim());
  assert.equal(
    rows.map((text: string) => [text.slice(0, text.indexOf(':')), ...fields(text)].join(', ')),
    [
      'success',
      'failure, FIELD_REQUIRED 1',
      'failure, FIELD_REQUIRED 5',
      'failure, INVALID_FIELD 5',
      'failure, INVALID_FIELD 7',
      'failure, INVALID_FIELD 7',
      'failure, INVALID_FIELD 6',
      'failure, INVALID_FIELD 8, INVALID_FIELD 9',
      'failure, INVALID_FIELD 1',
      'failure, INVALID_FIELD 1',
      'failure, INVALID_FIELD 1',
      'failure, INVALID_FIELD 1',
      'failure, INVALID_FIELD_COUNT',
      'failure, INVALID_FIELD 8',
      'failure, INVALID_FIELD 1',
    ],
    rows.join('\n'),
  );
  assert.is(records[0]?.join(','), `status,details,${HEADER.join(',')}`);
  assert.equal(records[4]?.slice(2), typed('a', 'NOTYPE'));
  assert.equal(
    [result.status, result.numberOfRowsProcessed, result.numberOfRowsPassed, result.numberOfRowsFailed],
    ['partialSuccess', 16, 2, 14],
  );
  assert.equal(pathsOf((await read(made.id)).columns), ['id', 'good']);
});

test('a file without a valid row has failed, and one without rows has succeeded', async () => {
  const made = await corpus.table(uniqueName('t'), { columns: [{ name: 'id', dataType: 'INT' }] });
  const failed = await take(made.fullyQualifiedName, [typed('a', 'NOTYPE')]);
  assert.equal([failed.result.status, failed.result.numberOfRowsPassed], ['failure', 1]);
  const none = await take(made.fullyQualifiedName, []);
  assert.equal([none.result.status, none.result.numberOfRowsProcessed], ['success', 1]);
  assert.is((await read(made.id)).version, 0.1);
});

test('a child fails before its parent, and with an invalid parent', async () => {
  const made = await corpus.table(uniqueName('t'), { columns: [{ name: 'id', dataType: 'INT' }] });
  const { rows } = await take(made.fullyQualifiedName, [
    typed('early.child', 'INT'),
    typed('early', 'STRUCT'),
    typed('bad', 'NOTYPE'),
    typed('bad.child', 'INT'),
  ]);
  assert.equal(
    rows.map((text: string) => text.split(':')[0]),
    ['failure', 'success', 'failure', 'failure'],
  );
  assert.equal(pathsOf((await read(made.id)).columns), ['id', 'early']);
});

test('an empty cell clears a member', async () => {
  const made = await corpus.table(uniqueName('t'), {
    columns: [
      {
        name: 'id',
        dataType: 'INT',
        displayName: 'x',
        description: 'y',
        dataTypeDisplay: 'z',
        dataLength: 4,
        precision: 7,
        tags: [label('PII.None')],
      },
    ],
  });
  await take(made.fullyQualifiedName, [typed('id', 'INT')]);
  const [{ tags, ...column }] = (await read(made.id)).columns;
  assert.equal(tags, []);
  assert.equal(column, {
    name: 'id',
    dataType: 'INT',
    precision: 7,
    fullyQualifiedName: `${made.fullyQualifiedName}.id`,
  });
});

test('formulas are exported and imported unchanged, escaped or not', async () => {
  const texts = ['=1+1', '+1', '-1', '@a', "'quoted", '\tx', '\rx', "''", ' =x'];
  const made = await corpus.table(uniqueName('t'), {
    columns: texts.map((description, at) => ({ name: `c${at}`, dataType: 'INT', description })),
  });
  const before = await read(made.id);
  const plain = parseRecords(await exportOf(made.fullyQualifiedName));
  assert.equal(
    plain.slice(1).map((cells) => cells[2]),
    texts,
  );
  const text = await exportOf(made.fullyQualifiedName, '?safeCsv=true');
  assert.equal(
    parseRecords(text)
      .slice(1)
      .map((cells) => cells[2]),
    texts.map((one) => (one === ' =x' ? one : `'${one}`)),
  );
  const { result } = await back(made.fullyQualifiedName, text, '?dryRun=false&safeCsv=true');
  assert.is(result.status, 'success');
  assert.equal(await read(made.id), before);
});

test('a report can be imported again', async () => {
  const made = await corpus.table(uniqueName('t'), { columns: [{ name: 'id', dataType: 'INT' }] });
  const { records } = await take(made.fullyQualifiedName, [typed('a', 'INT', { 'column.description': '"x",\r\ny' })]);
  assert.equal(records[1], ['success', 'Entity created', ...typed('a', 'INT', { 'column.description': '"x",\r\ny' })]);
});

test('a table accepts no more columns than its maximum', async () => {
  const made = await corpus.table(uniqueName('t'), { columns: [{ name: 'id', dataType: 'INT' }] });
  const rows = Array.from({ length: 20_001 }, (_, at) => typed(`c${at}`, 'INT'));
  const { result, rows: told } = await take(made.fullyQualifiedName, [...rows, typed('ID', 'INT')], '?dryRun=true');
  assert.equal([result.numberOfRowsPassed, result.numberOfRowsFailed], [20_001, 2]);
  assert.equal([told[19_998], told[20_001]], ['success: Entity created', 'success: Entity updated']);
  assert.match(told[19_999] ?? '', /^failure: #INVALID_FIELD: Field 1 error - .*20000/);
});

test('an import is recorded in the history like any other change', async () => {
  const made = await corpus.table(uniqueName('t'), { columns: [{ name: 'id', dataType: 'INT' }] });
  await take(made.fullyQualifiedName, [typed('id', 'INT', { 'column.description': 'told' })]);
  await waitForSequencing(corpus.service);
  const { data } = ok(await corpus.admin.get(`/v1/events?entityId=${made.id}&entityUpdated=table`));
  const last = data.find(({ eventType }: { eventType: string }) => eventType === 'entityUpdated');
  assert.is(last.userName, 'admin');
  assert.match(JSON.stringify(last.changeDescription), /columns\.id\.description/);
});

test.run();
