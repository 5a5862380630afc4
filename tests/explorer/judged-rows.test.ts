import * as assert from 'uvu/assert';
import { parseCsvRecords } from '../../src/explorer/csv/csv-records.ts';
import { countStates, describeCounts, describeFault, readJudgedRows } from '../../src/explorer/csv/judged-rows.ts';
import { suite } from '../support/suite.ts';

/** Shows that the rows of an import are read as the service wrote them, with what is wrong in each. */

const test = suite('explorer: judged rows');

test('cells may have quotes, commas and lines of any kind', () => {
  assert.equal(parseCsvRecords('a,"b,""c""\r\nd",e\r\n\r\n"",x\n1,2\r3,"4"5'), [
    ['a', 'b,"c"\r\nd', 'e'],
    ['', 'x'],
    ['1', '2'],
    ['3', '45'],
  ]);
  assert.equal(parseCsvRecords(''), []);
  assert.equal(parseCsvRecords('a,\n,b'), [
    ['a', ''],
    ['', 'b'],
  ]);
  assert.equal(parseCsvRecords('a,"open'), [['a', 'open']]);
});

const CSV = [
  'status,details,name*,tags',
  'success,Entity updated,a,',
  'success,Entity created,b,',
  'failure,#INVALID_FIELD: Field 2 error - tag instance for x;y not found;#FIELD_REQUIRED: Field 1 is required,,x;y',
  'failure,#INVALID_FIELD_COUNT: The row has 1 fields instead of 2,c',
  'skipped,,d,',
].join('\r\n');

test('every row has its state, and every fault its cell', () => {
  const { headers, rows } = readJudgedRows(CSV);
  assert.equal(headers, ['name*', 'tags']);
  assert.equal(
    rows.map(({ number, state }) => [number, state]),
    [
      [1, 'updated'],
      [2, 'created'],
      [3, 'failed'],
      [4, 'failed'],
      [5, 'skipped'],
    ],
  );
  const [, , third, fourth] = rows;
  assert.equal(third?.faults, [
    { code: 'INVALID_FIELD', text: 'tag instance for x;y not found', cell: 1 },
    { code: 'FIELD_REQUIRED', text: 'is required', cell: 0 },
  ]);
  assert.equal(
    third?.faults.map((fault) => describeFault(fault, headers)),
    ['tags: tag instance for x;y not found', 'name: is required'],
  );
  assert.equal(fourth?.faults, [{ code: 'INVALID_FIELD_COUNT', text: 'The row has 1 fields instead of 2' }]);
});

test('what an import comes to is told before and after it is applied', () => {
  const counts = countStates(readJudgedRows(CSV).rows);
  assert.is(describeCounts(counts, false), '5 rows: 2 fail, 1 creates, 1 updates, 1 is skipped');
  assert.is(describeCounts(counts, true), '5 rows: 2 failed, 1 created, 1 updated, 1 skipped');
  assert.is(describeCounts(countStates([]), false), 'The file has no rows');
});

test.run();
