import * as assert from 'uvu/assert';
import { findLines, lineOfMessage } from '../../src/explorer/contract/odcs-place.ts';
import { suite } from '../support/suite.ts';

/** Shows that messages about a document lead to the line that they are about. */

const test = suite('explorer: lines of ODCS documents');

const DOCUMENT = `kind: DataContract
status: fun
schema:
  - name: orders
    properties:
      - name: id
      - name: total
        logicalType: strung
`;

test('a path leads to the line of its deepest part that is there', () => {
  const lineOf = findLines(DOCUMENT);
  assert.is(lineOf('status'), 2);
  assert.is(lineOf('schema[0].properties[1].logicalType'), 8);
  assert.is(lineOf('schema[0].properties[1].missing'), 7);
  assert.is(lineOf('schema[3]'), 3);
  assert.is(lineOf(''), 1);
});

test('JSON has lines as well', () => {
  assert.is(findLines('{\n "status": 1,\n "schema": [\n  {"name": "a"}]}')('schema[0].name'), 4);
});

test('a document that cannot be read has no lines to fail on', () => {
  assert.type(findLines('a: [1\n b: {')('a[0]'), 'number');
  assert.is(findLines('')('a'), undefined);
});

test('a fault of the syntax names its line itself', () => {
  assert.is(lineOfMessage('Invalid YAML content: line 12, column 5: no'), 12);
  assert.is(lineOfMessage('Invalid ODCS content: $: missing'), undefined);
});

test.run();
