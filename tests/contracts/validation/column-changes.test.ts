import * as assert from 'uvu/assert';
import { diffColumns } from '../../../src/contracts/validation/column-changes.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { keepCase } from '../../../src/model/kind/columns.ts';
import { suite } from '../../support/suite.ts';

/** Shows that two versions of columns are compared. */

const test = suite('contracts/validation: column changes');

const column = (name: string, dataType = 'INT', more: JsonObject = {}): JsonObject => ({ name, dataType, ...more });
const struct = (name: string, ...children: JsonObject[]) => column(name, 'STRUCT', { children });

test('equal columns have no changes', () => {
  const columns = [
    column('a'),
    struct('s', column('x'), struct('t', column('y'))),
    column('v', 'VARCHAR', { dataLength: 5 }),
  ];
  assert.equal(diffColumns(columns, columns), []);
  assert.equal(diffColumns(columns, columns.toReversed()), []);
  assert.equal(diffColumns([], []), []);
  const described = columns.map((one) => ({ ...one, description: 'new', tags: [] }));
  assert.equal(diffColumns(columns, described), []);
});

test('dropped and added columns are reported, the outermost of each', () => {
  const [before, after] = [
    [column('a'), struct('s', column('x'), column('y')), struct('gone', column('z'))],
    [column('a'), struct('s', column('x'), column('new')), column('b', 'TEXT'), struct('more', column('z'))],
  ];
  assert.equal(diffColumns(before, [...after, column('c')]), [
    { column: 's.y', change: 'renamed', before: 'y', after: 'new' },
    { column: 'gone', change: 'dropped', before: 'STRUCT' },
    { column: 'b', change: 'added', after: 'TEXT' },
    { column: 'more', change: 'added', after: 'STRUCT' },
    { column: 'c', change: 'added', after: 'INT' },
  ]);
});

test('a name with dots is quoted in a path', () => {
  assert.equal(diffColumns([struct('a.b', column('x'))], [struct('a.b')]), []);
  assert.equal(diffColumns([struct('a.b', column('x'), column('y'))], [struct('a.b', column('y'))]), [
    { column: '"a.b".x', change: 'dropped', before: 'INT' },
  ]);
});

test('a rename is one removed name with one added in its place with its type', () => {
  const renamed = diffColumns([column('a'), column('b'), column('c')], [column('a'), column('total'), column('c')]);
  assert.equal(renamed, [{ column: 'b', change: 'renamed', before: 'b', after: 'total' }]);
  const elsewhere = diffColumns([column('a'), column('b')], [column('total'), column('a')]);
  assert.equal(
    elsewhere.map(({ change }) => change),
    ['dropped', 'added'],
  );
  const retyped = diffColumns([column('a'), column('b')], [column('a'), column('total', 'TEXT')]);
  assert.equal(
    retyped.map(({ change }) => change),
    ['dropped', 'added'],
  );
  const two = diffColumns([column('a'), column('b')], [column('x'), column('y')]);
  assert.equal(
    two.map(({ change }) => change),
    ['dropped', 'dropped', 'added', 'added'],
  );
});

test('children of a renamed column are compared and have its old path', () => {
  assert.equal(diffColumns([struct('s', column('x'), column('y'))], [struct('t', column('x', 'TEXT'), column('y'))]), [
    { column: 's', change: 'renamed', before: 's', after: 't' },
    { column: 's.x', change: 'retyped', before: 'INT', after: 'TEXT' },
  ]);
});

test('a change of case is ignored unless case distinguishes names', () => {
  const [before, after] = [
    [column('userId'), column('b')],
    [column('userID'), column('b')],
  ];
  assert.equal(diffColumns(before, after), []);
  assert.equal(diffColumns(before, after, keepCase), [
    { column: 'userId', change: 'renamed', before: 'userId', after: 'userID' },
  ]);
});

test('a changed type, item type or stated length is reported', () => {
  const cases: readonly (readonly [JsonObject, JsonObject, string, string])[] = [
    [{ dataType: 'INT' }, { dataType: 'BIGINT' }, 'INT', 'BIGINT'],
    [{ dataType: 'VARCHAR', dataLength: 10 }, { dataType: 'VARCHAR', dataLength: 5 }, 'VARCHAR(10)', 'VARCHAR(5)'],
    [
      { dataType: 'DECIMAL', precision: 10, scale: 2 },
      { dataType: 'DECIMAL', precision: 10, scale: 3 },
      'DECIMAL(10,2)',
      'DECIMAL(10,3)',
    ],
    [
      { dataType: 'ARRAY', arrayDataType: 'INT' },
      { dataType: 'ARRAY', arrayDataType: 'TEXT' },
      'ARRAY<INT>',
      'ARRAY<TEXT>',
    ],
  ];
  for (const [one, other, before, after] of cases) {
    assert.equal(diffColumns([{ name: 'a', ...one }], [{ name: 'a', ...other }]), [
      { column: 'a', change: 'retyped', before, after },
    ]);
  }
  assert.equal(diffColumns([column('a', 'int')], [column('a', 'INT')]), []);
  assert.equal(diffColumns([column('a', 'VARCHAR', { dataLength: 5 })], [column('a', 'VARCHAR')]), []);
  assert.equal(diffColumns([column('a', 'ARRAY', { arrayDataType: 'INT' })], [column('a', 'ARRAY')]), []);
});

test('a nested column without stated parts still has them, unless its type changes', () => {
  const before = [struct('s', column('x'))];
  assert.equal(diffColumns(before, [column('s', 'STRUCT')]), []);
  assert.equal(diffColumns(before, [column('s', 'TEXT')]), [
    { column: 's', change: 'retyped', before: 'STRUCT', after: 'TEXT' },
    { column: 's.x', change: 'dropped', before: 'INT' },
  ]);
});

test('changes of nullability are reported', () => {
  const constrained = (constraint?: string) => [column('a', 'INT', constraint === undefined ? {} : { constraint })];
  const cases: readonly (readonly [string | undefined, string | undefined, readonly [string, string] | undefined])[] = [
    ['NOT_NULL', undefined, ['NOT_NULL', 'NULL']],
    ['PRIMARY_KEY', 'UNIQUE', ['PRIMARY_KEY', 'UNIQUE']],
    [undefined, 'NOT_NULL', ['NULL', 'NOT_NULL']],
    ['NULL', 'PRIMARY_KEY', ['NULL', 'PRIMARY_KEY']],
    ['NULL', undefined, undefined],
    ['NOT_NULL', 'PRIMARY_KEY', undefined],
    ['UNIQUE', 'NULL', undefined],
  ];
  for (const [before, after, told] of cases) {
    const wanted = told ? [{ column: 'a', change: 'nullability', before: told[0], after: told[1] }] : [];
    assert.equal(diffColumns(constrained(before), constrained(after)), wanted, `${before} to ${after}`);
  }
});

test('inherited property names are ordinary names', () => {
  const names = ['constructor', '__proto__', 'toString'].map((name) => column(name));
  assert.equal(diffColumns(names, names), []);
  assert.is(diffColumns(names, [column('a')]).length, 4);
});

test('property: a tree equals itself, and a dropped column is an added one in reverse', () => {
  let seed = 11;
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  const tree = (depth: number): JsonObject[] =>
    [...'abcdef']
      .filter(() => next() < 0.5)
      .map((name) => (depth > 0 && next() < 0.5 ? struct(name, ...tree(depth - 1)) : column(name, 'INT')));
  for (let round = 0; round < 300; round += 1) {
    const [one, other] = [tree(2), tree(2)];
    assert.equal(diffColumns(one, one), []);
    const count = (changes: ReturnType<typeof diffColumns>, change: string) =>
      changes.filter((told) => told.change === change && !told.column.includes('.')).length;
    const [there, back] = [diffColumns(one, other), diffColumns(other, one)];
    assert.is(count(there, 'dropped'), count(back, 'added'));
    assert.is(count(there, 'renamed'), count(back, 'renamed'));
  }
});

test.run();
