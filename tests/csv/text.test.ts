import * as assert from 'uvu/assert';
import { CSV_LAYOUTS, layoutsFor } from '../../src/csv/layout.ts';
import { readCsvFile } from '../../src/csv/text/read-file.ts';
import { readCsvRows } from '../../src/csv/text/read-rows.ts';
import { surveyFile } from '../../src/csv/text/survey-file.ts';
import { createTextSource, cutText, type TextSource } from '../../src/csv/text/text-source.ts';
import { CatalogError } from '../../src/errors.ts';
import { type CsvRow, writeCsvLines } from '../../src/http/csv-writer.ts';
import { suite } from '../support/suite.ts';

/** Shows that CSV text is parsed and written by RFC 4180. */

const test = suite('csv: texts');

const HEADER = 'name*,displayName,description,owner,tags,glossaryTerms,tiers,certification,domains,extension';

const among = layoutsFor('databaseService');

const call = (text: string, contentType = 'text/csv') => ({
  header: (name: string) => (name === 'content-type' ? contentType : undefined),
  body: {
    pieces: () => Promise.resolve([text]),
    text: () => Promise.reject(new Error('it is asked for in pieces')),
    json: () => Promise.reject(new Error('no JSON is asked for')),
  },
});

const thrownBy = async (work: Promise<unknown>): Promise<CatalogError> => {
  const failure = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(failure instanceof CatalogError)) throw new Error(`expected a refusal, got ${failure}`);
  return failure;
};

type Result = { readonly [name: string]: unknown };

const resultOf = (failure: CatalogError): Result => failure.result as Result;

const judged = async (text: string): Promise<unknown> => {
  const file = await readCsvFile(call(text), true);
  return surveyFile(createTextSource(file), { among, dryRun: true });
};

const reasonOf = async (text: string): Promise<string> => {
  const failure = await thrownBy(judged(text));
  assert.is(failure.status, 400);
  assert.is(failure.message, resultOf(failure)['abortReason']);
  return failure.message;
};

const rowsOf = async (text: string, isSafe = false): Promise<readonly CsvRow[]> => {
  const rows: CsvRow[] = [];
  for await (const some of readCsvRows(createTextSource([text]), { isSafe, atOnce: 2 })) rows.push(...some);
  return rows;
};

test('a file is parsed by RFC 4180, with any line ending', async () => {
  const text = `a,b\r\n1,"x ""y"" z"\n2, spaced \r3,"two\r\nlines"\n\n\r\n4,"a,b"\r"",5`;
  assert.equal(await rowsOf(text), [
    ['1', 'x "y" z'],
    ['2', ' spaced '],
    ['3', 'two\r\nlines'],
    ['4', 'a,b'],
    ['', '5'],
  ]);
});

test('written text is read back unchanged', async () => {
  const cells = [
    '',
    ' ',
    'a',
    'a,b',
    '"',
    '""',
    'x\ny',
    'x\r\ny',
    '\r',
    ' a',
    'a ',
    '=1+1',
    "'",
    '🦉',
    '\\"',
    ';',
    '\t',
  ];
  const rows = cells.flatMap((first) => cells.map((second) => [first, second]));
  for (const isSafe of [false, true]) {
    const text = writeCsvLines([['a', 'b'], ...rows], isSafe);
    // A line with nothing at all in it would be an empty one, but for the quotes of its first cell.
    assert.equal(await rowsOf(text, isSafe), rows);
  }
});

test('cells that spreadsheets take for formulas are prefixed with an apostrophe, which is removed again', () => {
  const row = ['=1', '+1', '-1', '@a', '\tx', '\rx', "'x", 'x', ''];
  assert.is(writeCsvLines([row], true), `'=1,'+1,'-1,'@a,'\tx,"'\rx",''x,x,\r\n`);
  assert.is(writeCsvLines([['', 'x']]), '"",x\r\n');
});

test('a text is split without splitting a character', () => {
  const text = `ab🦉c🦉🦉`;
  for (let most = 2; most < 8; most += 1) {
    const pieces = [...cutText(text, most)];
    assert.is(pieces.join(''), text);
    for (const piece of pieces) assert.is(Buffer.from(piece).toString(), piece, `${most}: ${pieces.join('|')}`);
  }
});

test('the chunks of a file do not matter', async () => {
  const text = `${HEADER}\r\n"a ""b"" 🦉",x\r\nc,"d\r\ne"\r\n`;
  const whole = await rowsOf(text);
  for (const most of [2, 3, 7]) {
    const source: TextSource = async function* () {
      yield* cutText(text, most);
    };
    const rows: CsvRow[] = [];
    for await (const some of readCsvRows(source, { isSafe: false, atOnce: 100 })) rows.push(...some);
    assert.equal(rows, whole);
  }
});

test('a layout is recognized by its header, with or without asterisks and quotes', async () => {
  assert.equal(await judged(`${HEADER}\r\na,,,,,,,,,\r\nb,,,,,,,,,`), { layout: CSV_LAYOUTS.databases, rows: 2 });
  const bare = HEADER.replace('*', '').replace('owner', 'owners').replace('domains', 'domain');
  assert.equal(await judged(bare), { layout: CSV_LAYOUTS.databases, rows: 0 });
  assert.match(await reasonOf(HEADER.replace('tags', 'Tags')), /^#INVALID_HEADER: .*Tags.*tags/);
  assert.match(await reasonOf(HEADER.replace('tags,glossaryTerms', 'glossaryTerms,tags')), /^#INVALID_HEADER/);
  assert.match(await reasonOf('column.name*,column.displayName'), /^#INVALID_HEADER/);
});

test('a refused file is reported', async () => {
  const failure = await thrownBy(surveyFile(createTextSource(['x']), { among, dryRun: false }));
  assert.equal(failure.body.result, {
    dryRun: false,
    status: 'aborted',
    abortReason: failure.message,
    numberOfRowsProcessed: 1,
    numberOfRowsPassed: 0,
    numberOfRowsFailed: 1,
  });
  const empty = resultOf(await thrownBy(readCsvFile(call(' \r\n'), true)));
  assert.equal([empty['dryRun'], empty['numberOfRowsProcessed'], empty['status']], [true, 0, 'aborted']);
});

test('any fault in a file is found before its first row is applied', async () => {
  assert.match(await reasonOf(''), /^#PARSER_FAILURE: the file is empty/);
  assert.match(await reasonOf(`${HEADER}\r\na\0b`), /^#PARSER_FAILURE: .*NUL/);
  assert.match(await reasonOf(`${HEADER}\r\n"a,b`), /^#PARSER_FAILURE: .*not closed/);
  assert.match(await reasonOf(`${HEADER}\r\na"b",c"d"`), /^#PARSER_FAILURE: a quote is inside a cell.* line 2/);
  assert.match(await reasonOf(`${HEADER}\r\n"a"b,c`), /^#PARSER_FAILURE: a closing quote is followed.* line 2/);
  assert.match(await reasonOf(`${HEADER}\r\n${','.repeat(2000)}`), /^#PARSER_FAILURE: .*cells/);
});

test('the first fault is reported first', async () => {
  assert.match(await reasonOf(`a\0"${'\n'.repeat(100_001)}`), /NUL/);
  assert.match(await reasonOf(`a"${'\n'.repeat(100_001)}`), /lines/);
  assert.match(await reasonOf('no header, "'), /not closed|inside a cell/);
});

test('a hundred thousand lines are accepted, and one more is not', async () => {
  const rows = (count: number, end: string) => `${HEADER}${end}${`a${end}`.repeat(count - 1)}b`;
  assert.equal(await judged(rows(100_000, '\n')), { layout: CSV_LAYOUTS.databases, rows: 100_000 });
  assert.match(await reasonOf(rows(100_001, '\n')), /more than 100000 lines/);
  assert.match(await reasonOf(rows(100_001, '\r')), /more than 100000 lines/);
  assert.equal(await judged(rows(100_000, '\r\n')), { layout: CSV_LAYOUTS.databases, rows: 100_000 });
  // Line feeds within cells are line feeds.
  assert.match(await reasonOf(`${HEADER}\n"${'\n'.repeat(100_001)}"`), /more than 100000 lines/);
});

test('a character set other than UTF-8 is refused', async () => {
  for (const type of ['text/csv', 'text/plain; charset=utf-8', 'text/plain;charset="UTF-8"'])
    assert.equal(await readCsvFile(call('a', type), true), ['a']);
  const failure = await thrownBy(readCsvFile(call('a', 'text/plain; charset=iso-8859-1'), true));
  assert.is(failure.status, 415);
});

test('a body that is no text is refused', async () => {
  const broken = {
    ...call(''),
    body: { ...call('').body, pieces: () => Promise.reject(new CatalogError('bad_request', 'not valid UTF-8')) },
  };
  assert.match((await thrownBy(readCsvFile(broken, true))).message, /^#PARSER_FAILURE: not valid UTF-8/);
  const large = {
    ...call(''),
    body: { ...call('').body, pieces: () => Promise.reject(new CatalogError('payload_too_large', 'too large')) },
  };
  assert.is((await thrownBy(readCsvFile(large, true))).status, 413);
});

test.run();
