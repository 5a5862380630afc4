import * as assert from 'uvu/assert';
import { textOfCell, writeAnswerCsv } from '../../src/explorer/query/answer-cell.ts';
import { parseParameters, readQueryChoice, writeQueryChoice } from '../../src/explorer/query/query-choice.ts';
import { suite } from '../support/suite.ts';

/** Shows how answers of queries are written, and queries into addresses. */

const test = suite('explorer: answers of queries');

const NODE = { label: 'Table', entityType: 'table', fullyQualifiedName: 's.d.p.orders' };

test('nodes are told by their names, lists by their entries, and the rest as JSON', () => {
  assert.is(textOfCell(NODE), 's.d.p.orders');
  assert.is(textOfCell([NODE, 1, null]), 's.d.p.orders, 1, ');
  assert.is(textOfCell({ a: 1 }), '{"a":1}');
  assert.is(textOfCell(null), '');
  assert.is(textOfCell(false), 'false');
});

test('an answer as CSV quotes what needs it and starts no formula', () => {
  const rows = [
    ['a,b', 1],
    ['say "x"', -2],
    ['=1+1', null],
    ['-x', NODE],
  ];
  const text = 'name,n\r\n"a,b",1\r\n"say ""x""",-2\r\n\'=1+1,\r\n\'-x,s.d.p.orders\r\n';
  assert.is(writeAnswerCsv(['name', 'n'], rows), text);
});

test('a query and its parameters survive the address', () => {
  const choice = { query: 'MATCH (t)\nRETURN t & 1', parameters: '{"a": "ü"}' };
  assert.equal(readQueryChoice(new URLSearchParams(writeQueryChoice(choice).toString())), choice);
  assert.equal(readQueryChoice(new URLSearchParams()), { query: '', parameters: '' });
});

test('parameters are a JSON object or nothing', () => {
  assert.equal(parseParameters(' '), {});
  assert.equal(parseParameters('{"a": [1]}'), { a: [1] });
  for (const text of ['[1]', '1', 'null', '{a: 1}', '"x"']) assert.is(parseParameters(text), undefined, text);
});

test.run();
