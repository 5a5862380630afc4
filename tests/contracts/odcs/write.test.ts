import * as assert from 'node:assert/strict';
import { parse } from 'yaml';
import { orderRootMembers, readYaml, writeYaml } from '../../../src/contracts/odcs/texts/yaml.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';
import { plain } from './fixture.ts';

/** Shows that documents are written as readable, unambiguous YAML. */

const test = suite('contracts/odcs: YAML writer');

test('top-level members are in the order of the contract, unknown ones last', () => {
  const names = [
    'mine',
    'contractCreatedTs',
    'customProperties',
    'slaProperties',
    'slaDefaultElement',
    'roles',
    'team',
    'price',
    'support',
    'schema',
    'servers',
    'authoritativeDefinitions',
    'description',
    'tags',
    'dataProduct',
    'domain',
    'tenant',
    'status',
    'version',
    'name',
    'id',
    'kind',
    'apiVersion',
    'another',
  ];
  const document = Object.fromEntries(names.map((name) => [name, 'x']));
  const expected = [
    'apiVersion',
    'kind',
    'id',
    'name',
    'version',
    'status',
    'tenant',
    'domain',
    'dataProduct',
    'tags',
    'description',
    'authoritativeDefinitions',
    'servers',
    'schema',
    'support',
    'price',
    'team',
    'roles',
    'slaDefaultElement',
    'slaProperties',
    'customProperties',
    'contractCreatedTs',
    'mine',
    'another',
  ];
  assert.deepEqual(Object.keys(orderRootMembers(document)), expected);
  assert.deepEqual(
    [...writeYaml(document).matchAll(/^(\w+):/gm)].map(([, name]) => name),
    expected,
  );
});

test('the style is block style', () => {
  assert.equal(
    writeYaml({
      kind: 'DataContract',
      tags: ['a', 'b'],
      description: { purpose: 'why' },
      schema: [{ name: 'a', tags: [] }],
    }),
    'kind: DataContract\ntags:\n  - a\n  - b\ndescription:\n  purpose: why\nschema:\n  - name: a\n    tags: []\n',
  );
});

test('the output has no anchors and aliases', () => {
  const shared: JsonObject = { property: 'a', value: [1] };
  const text = writeYaml({ customProperties: [shared, shared], mine: shared });
  assert.doesNotMatch(text, /[&*]/);
  assert.deepEqual(parse(text), { customProperties: [shared, shared], mine: shared });
});

const TRICKY = [
  'yes',
  'No',
  'on',
  'OFF',
  'y',
  'null',
  '~',
  '',
  ' ',
  'true',
  'False',
  '1',
  '1.0',
  '-1',
  '+1',
  '1e3',
  '0x1F',
  '0o17',
  '017',
  '1_000',
  '.5',
  '.inf',
  '-.INF',
  '.nan',
  '1:30',
  '190:20:30',
  '2024-01-01',
  '2022-11-15 02:59:43',
  '2022-11-15T02:59:43Z',
  '=',
  '<<',
  '- a',
  'a: b',
  'a #b',
  '#a',
  '&a',
  '*a',
  '!a',
  '%a',
  '@a',
  '`a',
  '|',
  '>',
  '?',
  '? a',
  ': a',
  '{a}',
  '[a]',
  '"a"',
  "'a'",
  'a\nb',
  'a\n',
  '\na',
  ' a',
  'a ',
  '\ta',
  'a\tb',
  '---',
  '...',
  '--- a',
  '\u0000',
  '\u0007',
  '\u2028',
  '\u0085',
  '\ufeff',
  '😀',
  'a\\b',
  'a\r\nb',
  '\ud800',
];

test('ambiguous texts are quoted', () => {
  for (const text of ['yes', 'No', 'null', '1.0', '2024-01-01', '2022-11-15 02:59:43', '0x1F', '1:30', '~', 'on']) {
    assert.match(writeYaml({ a: text }), /^a: "/, text);
    // Readers of YAML 1.1 are meant too.
    assert.equal(parse(writeYaml({ a: text }), { version: '1.1' }).a, text);
  }
});

test('written values are read back unchanged', () => {
  const values: readonly Json[] = [
    ...TRICKY,
    true,
    false,
    null,
    0,
    -1,
    1.5,
    1e21,
    1e-7,
    [],
    {},
    [[]],
    [{}],
    [[1, [2]]],
  ];
  for (const value of values) {
    const document = { a: value, b: [value], c: { d: value }, ...(typeof value === 'string' ? { [value]: 1 } : {}) };
    assert.deepEqual(plain(readYaml(writeYaml(document), new Set())), plain(document), JSON.stringify(value));
  }
});

test('long texts are not folded', () => {
  const text = `${'word '.repeat(200)}end`;
  assert.equal(writeYaml({ a: text }), `a: ${text}\n`);
});

test('built-in member names are written as keys', () => {
  const document = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as JsonObject;
  assert.equal(writeYaml(document), '__proto__:\n  a: 1\nconstructor: 2\n');
});

test.run();
