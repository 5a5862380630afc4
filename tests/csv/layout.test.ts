import * as assert from 'uvu/assert';
import { CellError } from '../../src/csv/cells/cell-error.ts';
import {
  addRowCounts,
  escapeForJsonString,
  NO_ROW_COUNTS,
  openResult,
  RESULT_END,
  writeReportHeader,
  writeReportLines,
} from '../../src/csv/import-report.ts';
import {
  CSV_LAYOUTS,
  createLayoutRow,
  describeLayout,
  exportLayoutOf,
  fieldIndex,
  layoutHeader,
  layoutsFor,
} from '../../src/csv/layout.ts';
import { openRowReader } from '../../src/csv/row-reader.ts';
import { badRequest, CatalogError } from '../../src/errors.ts';
import { suite } from '../support/suite.ts';

/** Shows that CSV layouts, rows and reports follow the contract. */

const test = suite('csv: layouts, rows and reports');

const TABLE =
  'column.name*,column.displayName,column.description,column.dataTypeDisplay,column.dataType*,column.arrayDataType,' +
  'column.dataLength,column.tags,column.glossaryTerms';
const DATABASES = 'name*,displayName,description,owner,tags,glossaryTerms,tiers,certification,domains,extension';
const CHILDREN =
  'name*,displayName,description,owner,tags,glossaryTerms,tiers,certification,retentionPeriod,sourceUrl,domains,extension';
const RECURSIVE =
  `${CHILDREN},entityType*,fullyQualifiedName,column.dataTypeDisplay,column.dataType,column.arrayDataType,` +
  'column.dataLength,storedProcedure.code,storedProcedure.language';

test('the four layouts are those of the contract', () => {
  assert.is(layoutHeader(CSV_LAYOUTS.table).join(','), TABLE);
  assert.is(layoutHeader(CSV_LAYOUTS.databases).join(','), DATABASES);
  assert.is(layoutHeader(CSV_LAYOUTS.children).join(','), CHILDREN);
  assert.is(layoutHeader(CSV_LAYOUTS.recursive).join(','), RECURSIVE);
});

test('each resource has its layouts', () => {
  const names = (type: string) => layoutsFor(type).map(({ name }) => name);
  assert.equal(names('table'), ['table']);
  assert.equal(names('databaseService'), ['databases', 'recursive']);
  assert.equal(names('database'), ['children', 'recursive']);
  assert.equal(names('databaseSchema'), ['children', 'recursive']);
  assert.is(exportLayoutOf('table', true).name, 'table');
  assert.is(exportLayoutOf('databaseService', false).name, 'databases');
  assert.is(exportLayoutOf('databaseSchema', true).name, 'recursive');
  assert.is(exportLayoutOf('databaseSchema', false).name, 'children');
});

test('a layout documents every column, without asterisks', () => {
  for (const layout of Object.values(CSV_LAYOUTS)) {
    const { summary, headers } = describeLayout(layout) as unknown as {
      summary: string;
      headers: { name: string; required: boolean; description: string; examples: string[] }[];
    };
    assert.ok(summary.length > 10);
    assert.is(headers.length, layout.fields.length);
    for (const { name, description, examples } of headers) {
      assert.not.ok(name.includes('*'), name);
      assert.ok(description.length > 10 && examples.length > 0, name);
    }
    assert.is(headers[0]?.required, true);
  }
});

test('cells are read by the position of their column', () => {
  assert.is(fieldIndex(CSV_LAYOUTS.databases, 'tags'), 4);
  assert.is(fieldIndex(CSV_LAYOUTS.databases, 'sourceUrl'), undefined);
  assert.equal(createLayoutRow(CSV_LAYOUTS.databases, { name: 'a', domains: 'd', sourceUrl: 'x' }), [
    'a',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    'd',
    '',
  ]);
});

test('every fault of a row is reported', async () => {
  const row = openRowReader(CSV_LAYOUTS.table, ['a', 'b', '', '', '', '', 'x', '', '']);
  assert.is(await row.read('column.displayName', (cell) => cell), 'b');
  await row.read('column.dataLength', () => {
    throw new CellError('x is no number');
  });
  await row.read('column.tags', () => Promise.reject(badRequest('no such tag')));
  assert.equal(row.faults, [
    '#FIELD_REQUIRED: Field 5 is required',
    '#INVALID_FIELD: Field 7 error - x is no number',
    '#INVALID_FIELD: Field 8 error - no such tag',
  ]);
  const unwell = row.read('column.tags', () => Promise.reject(new CatalogError('unavailable', 'later')));
  assert.is(
    await unwell.then(
      () => 'read',
      (failure: Error) => failure.message,
    ),
    'later',
  );
});

test('rows have the length of their layout, and only those of the longest layout may be shorter', () => {
  const short = openRowReader(CSV_LAYOUTS.databases, ['a']);
  assert.equal(short.faults, ['#INVALID_FIELD_COUNT: The row has 1 fields instead of 10']);
  const cells = Array.from({ length: 13 }, (_, at) => (at === 0 ? 'a' : at === 12 ? 'database' : ''));
  assert.equal(openRowReader(CSV_LAYOUTS.recursive, cells).faults, []);
  const long = Array.from({ length: 21 }, () => 'a');
  assert.match(openRowReader(CSV_LAYOUTS.recursive, long).faults.join(), /^#INVALID_FIELD_COUNT/);
  assert.is(openRowReader(CSV_LAYOUTS.recursive, cells).cell('storedProcedure.code'), '');
});

test('a result reports the outcome of every row', () => {
  const told = [
    { cells: ['a', '=1'], outcome: { status: 'success', isNew: true } },
    { cells: ['b', ''], outcome: { status: 'success', isNew: false } },
    { cells: ['c', 'x"y\n🦉'], outcome: { status: 'failure', faults: ['#A: one', '#B: two'] } },
  ] as const;
  const tally = addRowCounts(NO_ROW_COUNTS, told);
  const text =
    openResult(false, tally) +
    escapeForJsonString(writeReportHeader(CSV_LAYOUTS.databases)) +
    told.map((one) => escapeForJsonString(writeReportLines([one], true))).join('') +
    RESULT_END;
  const result = JSON.parse(text) as Record<string, unknown>;
  assert.equal(result, {
    dryRun: false,
    status: 'partialSuccess',
    numberOfRowsProcessed: 4,
    numberOfRowsPassed: 3,
    numberOfRowsFailed: 1,
    importResultsCsv: [
      `status,details,${DATABASES}`,
      `success,Entity created,a,'=1`,
      'success,Entity updated,b,',
      'failure,#A: one;#B: two,c,"x""y\n🦉"',
      '',
    ].join('\r\n'),
  });
});

test('a file without a valid row has failed, and one without rows has succeeded', () => {
  const statusOf = (passed: number, failed: number): unknown =>
    JSON.parse(`${openResult(true, { passed, failed })}${RESULT_END}`).status;
  assert.equal(
    [statusOf(0, 0), statusOf(0, 2), statusOf(1, 1), statusOf(3, 0)],
    ['success', 'failure', 'partialSuccess', 'success'],
  );
});

test.run();
