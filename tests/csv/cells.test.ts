import * as assert from 'uvu/assert';
import type { CellContext } from '../../src/csv/cells/cell-context.ts';
import { buildTargetColumn, columnCells } from '../../src/csv/cells/column-cells.ts';
import { type CustomProperties, readExtension, writeExtension } from '../../src/csv/cells/extension.ts';
import { ITEM_STYLE, NAME_STYLE, readItems, writeItem, writeItems } from '../../src/csv/cells/item-list.ts';
import { readOwnerCell, writeOwnerCell } from '../../src/csv/cells/owners.ts';
import { buildTargetRecord, writeRecordCells } from '../../src/csv/cells/record-cells.ts';
import { CSV_LAYOUTS, type CsvLayout, createLayoutRow } from '../../src/csv/layout.ts';
import { openRowReader } from '../../src/csv/row-reader.ts';
import { CatalogError, recordNotFound } from '../../src/errors.ts';
import { database } from '../../src/kinds/database.ts';
import { storedProcedure } from '../../src/kinds/stored-procedure.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { defineCustomProperty } from '../../src/model/schemas/types/custom-property.ts';
import { suite } from '../support/suite.ts';

/** Shows that cells are read and written by the contract. */

const test = suite('csv: cells');

const AWKWARD = [
  'a',
  'a b',
  'a;b',
  'a,b',
  'a|b',
  '"',
  '""',
  '"a',
  'a"',
  'x "y" z',
  ' a',
  'a ',
  '\na',
  'a:b',
  "'",
  '=1+1',
  '🦉;',
  ';',
];

test('a list in a cell is read back as written, whatever its items contain', () => {
  for (const first of AWKWARD) {
    for (const second of AWKWARD) {
      const cell = writeItems([first, second]);
      assert.equal(readItems(cell), [first, second], cell);
    }
  }
});

test('single-part names keep their own quotes, and only names with separators are quoted', () => {
  const names = ['"a.b"', '"a.b".c', 'x."a.b"', 'a', '"a;b.c"', 'a;b', '"a.b;c"."d"', 'a,b'];
  assert.equal(readItems(writeItems(names, NAME_STYLE), NAME_STYLE), names);
  assert.is(writeItem('PII.Sensitive'), 'PII.Sensitive');
  assert.is(writeItem('Sales."a.b"'), 'Sales."a.b"');
  assert.is(writeItem('a.b;c'), '"a.b;c"');
  assert.is(writeItem('a.b,c'), '"a.b,c"');
  assert.is(writeItem('"a.b"', NAME_STYLE), '"a.b"');
  assert.equal(readItems('"Tier.Tier1" ; ;PII.None;', ITEM_STYLE), ['Tier.Tier1', 'PII.None']);
});

test('owners are written as types with names, without inherited ones', () => {
  const refs: Json = [
    { type: 'user', name: 'alice', fullyQualifiedName: 'alice' },
    { type: 'team', name: 'data; eng', fullyQualifiedName: 'data; eng' },
    { type: 'user', name: 'bob', fullyQualifiedName: 'bob', inherited: true },
  ];
  assert.is(writeOwnerCell(refs), 'user:alice;"team:data; eng"');
  assert.equal(readOwnerCell(writeOwnerCell(refs)), [
    { type: 'user', fqn: 'alice' },
    { type: 'team', fqn: 'data; eng' },
  ]);
  assert.equal(readOwnerCell('user;john'), [{ type: 'user', fqn: 'john' }]);
  assert.equal(readOwnerCell(' user:a ; team:b'), [
    { type: 'user', fqn: 'a' },
    { type: 'team', fqn: 'b' },
  ]);
  for (const bad of ['john', 'user:', ':john', 'bot:john', 'user:a;john', 'user;john;jane', 'user:a;"b'])
    assert.throws(() => readOwnerCell(bad), /owner must be|quote/, bad);
});

const CONFIGS: Readonly<Record<string, Json>> = {
  enum: { multiSelect: false, values: ['a|b', 'c', '"d'] },
  'enum:many': { multiSelect: true, values: ['a|b', 'c', '"d', 'e;f'] },
  'date-cp': 'yyyy-MM-dd',
  'dateTime-cp': 'yyyy-MM-dd HH:mm:ss',
  'time-cp': 'HH:mm:ss',
  entityReference: ['table', 'user'],
  entityReferenceList: ['table', 'user'],
  'table-cp': { columns: ['one', 'two'] },
  'table-cp:single': { columns: ['only'] },
};

/** Values of every type, with their cells. */
const VALUES: readonly (readonly [type: string, value: Json, cell: string])[] = [
  ['string', 'plain', 'plain'],
  ['string', 'a: b; "c", d\r\n ', 'a: b; "c", d\r\n '],
  ['markdown', '# one\n\n* `two`', '# one\n\n* `two`'],
  ['sqlQuery', `SELECT 'x;', "y" FROM t;`, `SELECT 'x;', "y" FROM t;`],
  ['email', 'a@example.com', 'a@example.com'],
  ['duration', 'P1Y2M', 'P1Y2M'],
  ['integer', -42, '-42'],
  ['number', 1.5, '1.5'],
  ['number', 1e-9, '1e-9'],
  ['timestamp', 1763719200000, '1763719200000'],
  ['date-cp', '2026-11-22', '2026-11-22'],
  ['dateTime-cp', '2026-11-22 10:20:30', '2026-11-22 10:20:30'],
  ['time-cp', '10:20:30', '10:20:30'],
  ['enum', 'c', 'c'],
  ['enum', 'a|b', '"a|b"'],
  ['enum', '"d', '"""d"'],
  ['enum:many', ['c', 'a|b', 'e;f'], 'c|"a|b"|e;f'],
  ['enum:many', ['c'], 'c'],
  ['timeInterval', { start: 1, end: 20 }, '1:20'],
  ['table-cp', { columns: ['one', 'two'], rows: [{ one: 'a,b', two: 'c' }, { two: '|' }] }, '"a,b",c|,"|"'],
  ['table-cp:single', { columns: ['only'], rows: [{ only: 'a,"b"' }, { only: ' c' }] }, '"a,""b"""|" c"'],
  ['hyperlink-cp', { url: 'https://example.com/;x' }, 'https://example.com/;x'],
  [
    'hyperlink-cp',
    { url: 'https://example.com/', displayText: 'x' },
    '{"url":"https://example.com/","displayText":"x"}',
  ],
  ['ofTheirOwn', { any: ['thing', 1] }, '{"any":["thing",1]}'],
  ['ofTheirOwn', 'text', 'text'],
  ['ofTheirOwn', '5', '"5"'],
];

const propertiesOf = (types: readonly string[]): CustomProperties =>
  new Map(
    types.map(
      (type, at) => [`p${at}`, defineCustomProperty(`p${at}`, type.split(':')[0] ?? '', CONFIGS[type])] as const,
    ),
  );

test('custom values of every type are written by the contract and read back unchanged', () => {
  const properties = propertiesOf(VALUES.map(([type]) => type));
  const values = Object.fromEntries(VALUES.map(([, value], at) => [`p${at}`, value]));
  VALUES.forEach(([type, value, text], at) => {
    const cell = writeExtension({ [`p${at}`]: value }, properties);
    assert.equal(readItems(cell), [`p${at}:${text}`], type);
    assert.equal(readExtension(cell, properties, undefined), { [`p${at}`]: value }, type);
  });
  const whole = writeExtension(values, properties);
  assert.equal(readExtension(whole, properties, undefined), values);
});

test('references are written as types with names', () => {
  const properties = propertiesOf(['entityReference', 'entityReferenceList']);
  const shown: JsonObject = {
    p0: { id: 'x', type: 'table', name: 't', fullyQualifiedName: 's.d."a.b".t;u' },
    p1: [
      { id: 'y', type: 'user', name: 'a|b', fullyQualifiedName: 'a|b' },
      { id: 'z', type: 'table', name: 't', fullyQualifiedName: 's.d.x.t' },
    ],
  };
  const cell = writeExtension(shown, properties);
  assert.is(cell, '"p0:table:s.d.""a.b"".t;u";p1:"user:a|b"|table:s.d.x.t');
  assert.equal(readExtension(cell, properties, undefined), {
    p0: { type: 'table', fullyQualifiedName: 's.d."a.b".t;u' },
    p1: [
      { type: 'user', fullyQualifiedName: 'a|b' },
      { type: 'table', fullyQualifiedName: 's.d.x.t' },
    ],
  });
});

test('faults of custom values are reported', () => {
  const properties = propertiesOf(['string', 'integer', 'enum', 'timeInterval', 'table-cp', 'date-cp']);
  const reason = (cell: string): string => {
    try {
      readExtension(cell, properties, undefined);
    } catch (failure) {
      return (failure as Error).message;
    }
    return 'read';
  };
  assert.match(reason('p9:x'), /Unknown custom field p9/);
  assert.match(reason('p0'), /name:value/);
  assert.match(reason(':x'), /name:value/);
  assert.match(reason('p0:'), /has no value/);
  assert.match(reason('p0:a;p0:b'), /more than once/);
  assert.match(reason('p1:1.5'), /not a whole number/);
  assert.match(reason('p1:99999999999999999999'), /whole number/);
  assert.match(reason('p2:x'), /must be one of/);
  assert.match(reason('p2:c|c'), /p2/);
  assert.match(reason('p3:1'), /whole number/);
  assert.match(reason('p3:2:1'), /must not end before/);
  assert.match(reason('p4:a,b,c'), /more than 2 cells/);
  assert.match(reason('p5:22.11.2026'), /must have the format/);
  assert.match(reason('"p0:a'), /not closed/);
});

test('unchanged custom values stay as stored, including those that no cell can show', () => {
  const properties = propertiesOf(['enum:many', 'string', 'string']);
  const present: JsonObject = { p0: 'c', p1: ' ', gone: { a: 1 }, p2: 'x' };
  const cell = writeExtension(present, properties);
  assert.equal(readItems(cell), ['p0:c', 'gone:{"a":1}', 'p2:x']);
  assert.equal(readExtension(cell, properties, present), present);
  const changed = readExtension(cell.replace('p2:x', 'p2:y'), properties, present);
  assert.equal(changed, { ...present, p2: 'y' });
  assert.is(readExtension('', properties, present), undefined);
});

test('a name with a colon is found when the part before the colon is no name', () => {
  const properties: CustomProperties = new Map([['a:b', defineCustomProperty('a:b', 'string', undefined)]]);
  const cell = writeExtension({ 'a:b': 'c:d' }, properties);
  assert.is(cell, 'a:b:c:d');
  assert.equal(readExtension(cell, properties, undefined), { 'a:b': 'c:d' });
});

/** A catalog in which what is called so is there. */
const deskOf = (properties: CustomProperties, tags: readonly string[]): CellContext => ({
  now: () => 1_000,
  properties: () => Promise.resolve(properties),
  owners: (named) => Promise.resolve(named.map(({ type, fqn }) => ({ id: fqn, type }))),
  domains: (names) => Promise.resolve(names.map((fqn) => ({ id: fqn, type: 'domain' }))),
  checkLabel: (source, tagFQN) =>
    tags.includes(tagFQN)
      ? Promise.resolve()
      : Promise.reject(recordNotFound(source === 'Glossary' ? 'glossaryTerm' : 'tag', tagFQN)),
  checkLabelsTogether: () => Promise.resolve(),
  resolveReferences: (value) => Promise.resolve(value),
});

const label = (tagFQN: string, more: JsonObject = {}): JsonObject => ({
  tagFQN,
  source: 'Classification',
  labelType: 'Manual',
  state: 'Confirmed',
  ...more,
});

const DOCUMENT: JsonObject = {
  id: '1',
  name: 'a.b',
  fullyQualifiedName: 'svc."a.b"',
  displayName: '',
  description: 'one,\n"two"',
  default: true,
  owners: [
    { id: 'alice', type: 'user', name: 'alice', fullyQualifiedName: 'alice' },
    { id: 'bob', type: 'user', name: 'bob', fullyQualifiedName: 'bob', inherited: true },
  ],
  tags: [
    label('Certification.Gold'),
    label('PII.Sensitive', { state: 'Suggested' }),
    label('PII.None', { labelType: 'Derived' }),
    label('Sales.Revenue', { source: 'Glossary' }),
    label('Tier.Tier1'),
  ],
  certification: { tagLabel: label('Certification.Gold'), appliedDate: 1, expiryDate: 2 },
  domains: [{ id: 'd', type: 'domain', name: 'x.y', fullyQualifiedName: '"x.y"' }],
  dataProducts: [{ id: 'p', type: 'dataProduct', name: 'p', fullyQualifiedName: 'p' }],
  extension: { p0: 'x' },
  retentionPeriod: 'P1D',
};

const PROPERTIES = propertiesOf(['string']);

const rowFor = (layout: CsvLayout, cells: Readonly<Record<string, string>>) =>
  openRowReader(layout, createLayoutRow(layout, cells));

test('a record has the cells of the contract', () => {
  assert.equal(createLayoutRow(CSV_LAYOUTS.children, writeRecordCells(DOCUMENT, PROPERTIES)), [
    '"a.b"',
    '',
    'one,\n"two"',
    'user:alice',
    'PII.Sensitive',
    'Sales.Revenue',
    'Tier.Tier1',
    'Certification.Gold',
    'P1D',
    '',
    '"x.y"',
    'p0:x',
  ]);
});

const wanted = async (
  cells: Readonly<Record<string, string>>,
  present: JsonObject = DOCUMENT,
  layout: CsvLayout = CSV_LAYOUTS.children,
) => {
  const row = rowFor(layout, { ...writeRecordCells(present, PROPERTIES), ...cells });
  const desk = deskOf(PROPERTIES, [
    'PII.Sensitive',
    'PII.None',
    'Tier.Tier1',
    'Tier.Tier2',
    'Sales.Cost',
    'Certification.Silver',
  ]);
  return { document: await buildTargetRecord(desk, database, row, present), faults: row.faults };
};

test('unchanged cells of a record change nothing', async () => {
  assert.equal(await wanted({}), { document: DOCUMENT, faults: [] });
});

test('a cell changes its own attribute and no other', async () => {
  const { document, faults } = await wanted({ tags: 'PII.Sensitive;PII.None', tiers: 'Tier.Tier2', owner: 'team:x' });
  assert.equal(faults, []);
  const tags = document['tags'] as readonly JsonObject[];
  assert.equal(tags.map(({ tagFQN, labelType, state }) => `${tagFQN} ${labelType} ${state}`).sort(), [
    'Certification.Gold Manual Confirmed',
    'PII.None Derived Confirmed',
    'PII.Sensitive Manual Suggested',
    'Sales.Revenue Manual Confirmed',
    'Tier.Tier2 undefined undefined',
  ]);
  assert.equal({ ...document, tags: DOCUMENT['tags'], owners: DOCUMENT['owners'] }, DOCUMENT);
  assert.equal(document['owners'], [{ id: 'x', type: 'team' }]);
});

test('an empty cell clears its attribute', async () => {
  const cells = Object.fromEntries(CSV_LAYOUTS.children.fields.slice(1).map(({ name }) => [name, '']));
  const { document, faults } = await wanted(cells);
  assert.equal(faults, []);
  const { description: _d, certification: _c, extension: _e, retentionPeriod: _r, tags, ...rest } = DOCUMENT;
  const hidden = (tags as readonly JsonObject[]).filter(({ tagFQN }) =>
    ['Certification.Gold', 'PII.None'].includes(String(tagFQN)),
  );
  assert.equal(document, { ...rest, owners: [], domains: [], tags: hidden });
});

test('every invalid cell is reported with its number', async () => {
  const { faults } = await wanted({
    owner: 'john',
    tags: 'PII.Sensitive;No.Such',
    tiers: 'Tier.Tier1;Tier.Tier2',
    certification: 'No.Such',
    retentionPeriod: 'a day',
    sourceUrl: 'nowhere',
    extension: 'p7:x',
  });
  const fields = faults.map((fault) => Number(/^#INVALID_FIELD: Field (\d+) error - ./.exec(fault)?.[1]));
  assert.equal(
    fields.sort((a, b) => a - b),
    [4, 5, 7, 8, 9, 10, 12],
    faults.join('\n'),
  );
});

test('a new certification begins now', async () => {
  const { document } = await wanted({ certification: 'Certification.Silver' });
  const certification = document['certification'] as JsonObject;
  assert.is((certification['tagLabel'] as JsonObject)['tagFQN'], 'Certification.Silver');
  assert.is(certification['appliedDate'], 1_000);
  assert.ok(Number(certification['expiryDate']) > 1_000);
});

test('a new record consists of its cells', async () => {
  const { document, faults } = await wanted(
    { name: 'n', description: 'd', tags: 'PII.None' },
    {},
    CSV_LAYOUTS.databases,
  );
  assert.equal(faults, []);
  assert.equal(document, { description: 'd', tags: [{ tagFQN: 'PII.None', source: 'Classification' }] });
});

test('a cell that the kind does not have is refused', async () => {
  const row = rowFor(CSV_LAYOUTS.recursive, { name: 'p', entityType: 'storedProcedure', retentionPeriod: 'P1D' });
  await buildTargetRecord(deskOf(PROPERTIES, []), storedProcedure, row, {});
  assert.match(row.faults.join(), /Field 9 error - a storedProcedure has no retentionPeriod/);
});

const COLUMN: JsonObject = {
  name: 'a.b',
  dataType: 'ARRAY',
  arrayDataType: 'STRUCT',
  dataTypeDisplay: 'array<struct<c:varchar(3)>>',
  dataLength: 1,
  constraint: 'NOT_NULL',
  ordinalPosition: 7,
  description: 'd',
  tags: [label('PII.Sensitive'), label('Sales.Revenue', { source: 'Glossary' }), label('Tier.Tier1')],
  children: [{ name: 'c', dataType: 'VARCHAR', dataLength: 3, tags: [] }],
};

const wantedOf = async (layout: CsvLayout, cells: Readonly<Record<string, string>>, present: JsonObject = COLUMN) => {
  const name = layout.name === 'table' ? { 'column.name': '"a.b"' } : { name: '"a.b"', entityType: 'column' };
  const shown = present === COLUMN ? columnCells(COLUMN, '"a.b"') : {};
  const row = rowFor(layout, { ...shown, ...name, ...cells });
  const column = await buildTargetColumn(deskOf(PROPERTIES, ['PII.None']), row, present);
  return { column, faults: row.faults };
};

test('unchanged cells of a column change nothing, in both layouts', async () => {
  for (const layout of [CSV_LAYOUTS.table, CSV_LAYOUTS.recursive])
    assert.equal(await wantedOf(layout, {}), { column: COLUMN, faults: [] });
});

test('a column is changed by its cells and keeps members without one', async () => {
  const { column, faults } = await wantedOf(CSV_LAYOUTS.table, {
    'column.tags': 'PII.None',
    'column.description': '',
    'column.dataLength': '9',
  });
  assert.equal(faults, []);
  const { description: _, ...rest } = COLUMN;
  assert.equal(column, {
    ...rest,
    dataLength: 9,
    tags: [
      { tagFQN: 'PII.None', source: 'Classification' },
      label('Sales.Revenue', { source: 'Glossary' }),
      label('Tier.Tier1'),
    ],
  });
});

test('types are validated with their required members', async () => {
  const faultsOf = async (cells: Readonly<Record<string, string>>, layout: CsvLayout = CSV_LAYOUTS.table) =>
    (await wantedOf(layout, cells, {})).faults.join(';');
  assert.is(await faultsOf({ 'column.dataType': 'INT' }), '');
  assert.is(await faultsOf({ 'column.dataType': 'VARCHAR', 'column.dataLength': '3' }), '');
  assert.is(await faultsOf({ 'column.dataType': 'ARRAY', 'column.arrayDataType': 'INT' }), '');
  assert.match(await faultsOf({ 'column.dataType': 'VARCHAR' }), /Field 7 error/);
  assert.match(await faultsOf({ 'column.dataType': 'VARCHAR', 'column.dataLength': '0' }), /Field 7 error/);
  assert.match(await faultsOf({ 'column.dataType': 'INT', 'column.dataLength': '1.5' }), /Field 7 error/);
  assert.match(await faultsOf({ 'column.dataType': 'ARRAY' }), /Field 6 error/);
  assert.match(await faultsOf({ 'column.dataType': 'NUMB' }), /Field 5 error/);
  assert.is(await faultsOf({}), '#FIELD_REQUIRED: Field 5 is required');
  assert.is(await faultsOf({}, CSV_LAYOUTS.recursive), '#FIELD_REQUIRED: Field 16 is required');
  assert.match(await faultsOf({ 'column.dataType': 'INT', owner: 'user:a' }, CSV_LAYOUTS.recursive), /Field 4 error/);
});

test('other failures are not reported as cell errors', async () => {
  const desk = {
    ...deskOf(PROPERTIES, []),
    checkLabel: () => Promise.reject(new CatalogError('unavailable', 'later')),
  };
  const row = rowFor(CSV_LAYOUTS.databases, { name: 'a', tags: 'PII.None' });
  const failure = await buildTargetRecord(desk, database, row, {}).catch((reason: Error) => reason.message);
  assert.is(failure, 'later');
});

test.run();
