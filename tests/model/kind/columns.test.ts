import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import {
  applyColumnRenames,
  type ColumnJson,
  carryOverColumns,
  detectCaseRenames,
  detectColumnRenames,
  findDuplicateColumn,
  hasBreakingColumnChange,
  mergeTags,
} from '../../../src/model/kind/columns.ts';
import { expectLinearCalls } from '../../support/count-calls.ts';
import { suite } from '../../support/suite.ts';

/** Shows that column changes are compared, classified and carried over. */

const test = suite('model: columns');

const column = (name: string, more: JsonObject = {}): ColumnJson => ({ name, dataType: 'INT', ...more });
const struct = (name: string, ...children: ColumnJson[]): ColumnJson => ({ name, dataType: 'STRUCT', children });
const columnsOf = (names: string) => names.split(' ').map((name) => column(name));

test('duplicates: siblings are compared in any case, at any depth', () => {
  assert.is(findDuplicateColumn(columnsOf('a b c')), undefined);
  assert.is(findDuplicateColumn(columnsOf('a b A')), 'A');
  assert.is(findDuplicateColumn([struct('s', column('x'), column('X')), column('a')]), 's.X');
  assert.is(findDuplicateColumn([struct('s', column('a')), column('a'), struct('t', column('a'))]), undefined);
  assert.is(findDuplicateColumn([struct('s.t', column('a.b'), column('A.B'))]), '"s.t"."A.B"');
  assert.is(findDuplicateColumn([struct('__proto__', column('constructor')), column('constructor')]), undefined);
});

test('compatible: additions, wider types, reordering and documentation', () => {
  const before = [column('a', { dataLength: 10, precision: 5, scale: 2 }), struct('s', column('x'))];
  for (const after of [
    before,
    before.toReversed(),
    [...before, column('new')],
    [column('A', { dataLength: 20, precision: 6, scale: 3, description: 'd' }), struct('s', column('x'), column('y'))],
  ]) {
    assert.not.ok(hasBreakingColumnChange(before, after));
  }
  assert.not.ok(hasBreakingColumnChange([], before));
  assert.not.ok(hasBreakingColumnChange([column('a')], [column('a', { precision: 1, scale: 1, constraint: 'NULL' })]));
});

test('incompatible: removals, other types and narrower types, at any depth', () => {
  const wide = { dataLength: 10, precision: 5, scale: 2 };
  const array = { dataType: 'ARRAY', arrayDataType: 'INT' };
  const cases: readonly (readonly [JsonObject, JsonObject])[] = [
    [wide, { ...wide, dataLength: 9 }],
    [wide, { precision: 5, scale: 2 }],
    [{}, { dataLength: 10 }],
    [wide, { ...wide, precision: 4 }],
    [wide, { dataLength: 10, scale: 2 }],
    [wide, { ...wide, scale: 1 }],
    [wide, { dataLength: 10, precision: 5 }],
    [{}, { dataType: 'BIGINT' }],
    [array, { ...array, arrayDataType: 'STRING' }],
    [array, { dataType: 'ARRAY' }],
  ];
  for (const [before, after] of cases) {
    const note = JSON.stringify([before, after]);
    assert.ok(hasBreakingColumnChange([column('a', before)], [column('a', after)]), note);
    assert.ok(hasBreakingColumnChange([struct('s', column('a', before))], [struct('s', column('a', after))]), note);
  }
  assert.ok(hasBreakingColumnChange(columnsOf('a b'), columnsOf('a c')));
  assert.ok(hasBreakingColumnChange([struct('s', column('x'))], [struct('s')]));
  assert.ok(hasBreakingColumnChange([struct('s', column('x'))], [{ name: 's', dataType: 'STRUCT' }]));
});

test('carry over: description and tags stay when the request omits them', () => {
  const stored = [
    column('a', { description: 'old', displayName: 'A', tags: [{ tagFQN: 'T.x' }] }),
    struct('s', column('n', { description: 'nested' })),
    column('gone', { description: 'bye' }),
  ];
  const incoming = [column('A'), struct('s', column('n'), column('m')), column('new')];
  assert.equal(carryOverColumns(stored, incoming), [
    column('A', { description: 'old', tags: [{ tagFQN: 'T.x' }] }),
    struct('s', column('n', { description: 'nested' }), column('m')),
    column('new'),
  ]);
});

test('carry over: values of the request win, and null is ignored', () => {
  const stored = [column('a', { description: 'old' }), column('b', { description: 'old' })];
  const incoming = [column('a', { description: 'new' }), column('b', { description: null })];
  assert.equal(carryOverColumns(stored, incoming), [
    column('a', { description: 'new' }),
    column('b', { description: 'old' }),
  ]);
  assert.equal(carryOverColumns(stored, [column('a', { description: '' })]), [column('a', { description: '' })]);
});

test('carry over: protected texts stay when a bot writes', () => {
  const stored = [column('a', { description: 'old', displayName: 'A' }), column('b', { description: '' })];
  const incoming = [column('a', { description: 'bot', displayName: 'bot' }), column('b', { description: 'bot' })];
  assert.equal(carryOverColumns(stored, incoming, { keepStored: true }), [
    stored[0],
    column('b', { description: 'bot' }),
  ]);
});

test('a PUT without numbers keeps those of columns that stand where they stood', () => {
  const stored = ['a', 'b', 'c'].map((name, at) => column(name, { ordinalPosition: at + 1 }));
  const numbers = (names: readonly string[], more = {}) =>
    carryOverColumns(
      stored,
      names.map((name) => column(name, more)),
    ).map(({ ordinalPosition }) => ordinalPosition);
  assert.equal(numbers(['a', 'b', 'c', 'd']), [1, 2, 3, undefined]);
  assert.equal(numbers(['a', 'new', 'b', 'c']), [1, undefined, undefined, undefined]);
  assert.equal(numbers(['a', 'b'], { ordinalPosition: 7 }), [7, 7]);
});

test('tags are added and never removed, sorted by tagFQN', () => {
  const stored: Json[] = [
    { tagFQN: 'b', state: 'Suggested', appliedBy: 'ann' },
    { tagFQN: 'c', source: 'Glossary' },
  ];
  const incoming: Json[] = [
    { tagFQN: 'c' },
    { tagFQN: 'b', source: 'Classification', state: 'Confirmed' },
    { tagFQN: 'a' },
  ];
  assert.equal(mergeTags(stored, incoming), [
    { tagFQN: 'a' },
    { tagFQN: 'b', source: 'Classification', state: 'Confirmed', appliedBy: 'ann' },
    { tagFQN: 'c', source: 'Glossary' },
    { tagFQN: 'c' },
  ]);
  assert.equal(mergeTags([], []), []);
});

const renamesOf = (before: readonly ColumnJson[], after: readonly ColumnJson[]) =>
  detectColumnRenames(before, after).map(({ from, to }) => `${from.join('/')} → ${to.join('/')}`);

test('rename: one removed and one added name at the same index with the same type', () => {
  assert.equal(renamesOf(columnsOf('a b c'), columnsOf('a x c')), ['b → x']);
  assert.equal(renamesOf([struct('s', ...columnsOf('a b'))], [struct('s', ...columnsOf('a x'))]), ['s/b → s/x']);
});

test('no rename: any other change', () => {
  for (const [before, after] of [
    ['a b c', 'a b c'],
    ['a b c', 'a x'],
    ['a b c', 'a c'],
    ['a b c', 'x y c'],
    ['a b c', 'a c x'],
    ['a b c', 'b a c'],
    ['a b c', 'a b c d'],
    ['a b', 'x b c'],
  ] as const) {
    assert.equal(renamesOf(columnsOf(before), columnsOf(after)), [], `${before} to ${after}`);
  }
  assert.equal(renamesOf([column('a')], [column('x', { dataType: 'STRING' })]), []);
});

test('removing column 2 of 3 by index renames nothing', () => {
  assert.equal(renamesOf(columnsOf('a b c'), columnsOf('a c')), []);
});

test('nested renames have old and new paths, outermost first', () => {
  const before = [struct('s', struct('t', column('x'))), column('a')];
  const after = [struct('s2', struct('t', column('y'))), column('a')];
  assert.equal(renamesOf(before, after), ['s → s2', 's/t/x → s2/t/y']);
});

test('a change of case is a new spelling of the same column, in every kind of write', () => {
  assert.equal(renamesOf(columnsOf('a b'), columnsOf('B A c')), ['a → A', 'b → B']);
  assert.equal(detectCaseRenames([struct('S', column('x'))], [struct('s', column('X'))]), [
    { from: ['S'], to: ['s'] },
    { from: ['S', 'x'], to: ['s', 'X'] },
  ]);
  assert.equal(detectCaseRenames(columnsOf('a b'), columnsOf('a x')), []);
});

test('with renames applied, old and new columns match by name', () => {
  const before = [struct('s', struct('t', column('x'))), column('a')];
  const after = [struct('s2', struct('t', column('y'))), column('a')];
  assert.ok(hasBreakingColumnChange(before, after));
  assert.equal(applyColumnRenames(before, detectColumnRenames(before, after)), after);
  assert.is(applyColumnRenames(before, []), before);
});

test('ten thousand columns take less than quadratic time', () => {
  const prepare = (size: number) => {
    const many = Array.from({ length: size }, (_, index) => column(`c${index}`, { description: 'd' }));
    return {
      many,
      changed: many.with(size / 2, column('renamed')),
      bare: many.map(({ name }) => ({ name: name ?? '' })),
    };
  };
  const compare = ({ many, changed, bare }: ReturnType<typeof prepare>) => {
    assert.is(findDuplicateColumn(many), undefined);
    assert.ok(hasBreakingColumnChange(many, changed));
    assert.equal(renamesOf(many, changed), [`c${many.length / 2} → renamed`]);
    assert.is(carryOverColumns(many, bare).at(-1)?.['description'], 'd');
  };
  expectLinearCalls(2_500, prepare, compare);
});

/** A small linear congruential generator: the same numbers on every run. */
const randomNumbers = (seed: number) => {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const randomTree = (random: (below: number) => number, depth: number): ColumnJson[] => {
  const names = ['a', 'B', 'c.d', '"', 'constructor', '__proto__', 'é'].filter(() => random(2) === 0);
  return names.map((name) => {
    const children = depth > 0 && random(3) === 0 ? randomTree(random, depth - 1) : [];
    return column(name, { dataLength: random(5), ...(children.length > 0 && { children }) });
  });
};

test('property: a tree is compatible with itself and has no renames', () => {
  const random = randomNumbers(17);
  for (let round = 0; round < 500; round += 1) {
    const tree = randomTree(random, 4);
    assert.not.ok(hasBreakingColumnChange(tree, tree));
    assert.equal(detectColumnRenames(tree, tree), []);
  }
});

test.run();
