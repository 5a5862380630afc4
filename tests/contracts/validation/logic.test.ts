import * as assert from 'uvu/assert';
import { evaluateExpression, parseRule } from '../../../src/contracts/validation/logic/evaluate.ts';
import type { Json } from '../../../src/model/json.ts';
import { refusal } from '../../support/refusal.ts';
import { suite } from '../../support/suite.ts';

/** Shows that JsonLogic expressions are evaluated by their specification. */

const test = suite('contracts/validation: JsonLogic');

const context = { members: new Map([['t1', new Set(['ada', 'bob'])]]) };

const FACTS: Json = {
  name: 'orders',
  description: null,
  displayName: '',
  updatedAt: 5000,
  rowCount: 12,
  columns: [
    { name: 'id', dataType: 'INT', tags: [{ tagFQN: 'PII.None', source: 'Classification' }], children: [] },
    { name: 'amount', dataType: 'DOUBLE', description: 'in euro', tags: [] },
    { name: 'note', dataType: 'STRUCT', tags: [{ tagFQN: 'G.Note', source: 'Glossary' }, { tagFQN: 'PII.Sensitive' }] },
  ],
  tags: [
    { tagFQN: 'Tier.Tier1', source: 'Classification' },
    { tagFQN: 'G.Order', source: 'Glossary' },
    { tagFQN: 'X.Y' },
  ],
  owners: [
    { id: 'u1', type: 'user', name: 'carla' },
    { id: 't1', type: 'team', name: 'data' },
  ],
  reviewers: [{ id: 'u2', type: 'user', name: 'Dan' }],
  changeDescription: {
    fieldsAdded: [{ name: 'columns' }],
    fieldsUpdated: [{ name: 'owners' }, { name: 'columns.amount.description' }],
    fieldsDeleted: [{ name: 'tags' }],
  },
};

const value = (expression: Json, facts: Json = FACTS): Json => evaluateExpression(expression, facts, context);

/** Expressions, as JSON where that is shorter, and their values of the facts above. */
const answers = (cases: readonly (readonly [Json, Json])[]): void => {
  for (const [expression, wanted] of cases) assert.equal(value(expression), wanted, JSON.stringify(expression));
};

test('plain values and lists evaluate to themselves', () => {
  answers([
    [null, null],
    [1.5, 1.5],
    ['a', 'a'],
    [
      [1, { var: 'name' }, [true]],
      [1, 'orders', [true]],
    ],
  ]);
});

test('var reads own members and items only, and its default for missing ones', () => {
  answers([
    [{ var: 'name' }, 'orders'],
    [{ var: ['name'] }, 'orders'],
    [{ var: 'columns.1.name' }, 'amount'],
    [{ var: 'columns.01.name' }, null],
    [{ var: 'columns.-1' }, null],
    [{ var: ['nothing', 7] }, 7],
    [{ var: ['columns.9.name', 'none'] }, 'none'],
    [{ var: ['description.inner', 'none'] }, 'none'],
    [{ var: ['description', 'none'] }, null],
    [{ var: { cat: ['na', 'me'] } }, 'orders'],
    [{ var: '' }, FACTS],
    [{ var: [] }, FACTS],
    [{ var: null }, FACTS],
    [{ map: [[['x', 'y']], { var: 1 }] }, ['y']],
  ]);
});

test('var does not read inherited members', () => {
  for (const path of ['constructor', '__proto__', 'toString', 'columns.length', 'name.length', 'columns.constructor']) {
    assert.is(value({ var: path }), null, path);
    assert.equal(value({ missing: [path] }), [path], path);
    assert.equal(value({ tableColumnValues: path }), [], path);
  }
  assert.is(value({ var: '__proto__' }, JSON.parse('{"__proto__": 1}')), 1);
});

test('missing and missing_some list absent members', () => {
  answers([
    [{ missing: ['name', 'nothing', 'description', 'displayName'] }, ['nothing', 'description', 'displayName']],
    [{ missing: 'name' }, []],
    [{ missing: [['nothing', 'name']] }, ['nothing']],
    [{ missing: { merge: ['nothing', ['name']] } }, ['nothing']],
    [{ missing_some: [1, ['nothing', 'name']] }, []],
    [{ missing_some: [2, ['nothing', 'name']] }, ['nothing']],
  ]);
});

test('truthiness follows JsonLogic', () => {
  for (const one of [null, false, 0, Number.NaN, '', []]) {
    assert.is(value({ '!': [one] }), true, JSON.stringify(one));
    assert.is(value({ '!!': [one] }), false, JSON.stringify(one));
  }
  for (const one of [true, 1, -1, '0', 'false', ' ', [0], [[]]]) {
    assert.is(value({ '!!': [one] }), true, JSON.stringify(one));
    assert.is(value({ '!': [one] }), false, JSON.stringify(one));
  }
  assert.is(value({ '!!': { var: 'x' } }, { x: {} }), true);
  assert.is(value({ '!': { var: 'x' } }, { x: [] }), true);
});

test('conditions select a branch', () => {
  for (const choose of ['if', '?:']) {
    answers([
      [{ [choose]: [true, 'a', 'b'] }, 'a'],
      [{ [choose]: [[], 'a', 'b'] }, 'b'],
      [{ [choose]: [false, 'a'] }, null],
      [{ [choose]: [false, 'a', 0, 'b', 'c'] }, 'c'],
      [{ [choose]: [false, 'a', 1, 'b', 'c'] }, 'b'],
      [{ [choose]: ['alone'] }, 'alone'],
      [{ [choose]: [] }, null],
      [{ [choose]: [true, 'a', { nonsense: 1 }] }, 'a'],
    ]);
  }
  answers([
    [{ and: [true, 'x', 0, { nonsense: 1 }] }, 0],
    [{ and: [true, 'x'] }, 'x'],
    [{ or: [0, '', 'x', { nonsense: 1 }] }, 'x'],
    [{ or: [0, []] }, []],
    [{ and: [] }, null],
    [{ or: [] }, null],
  ]);
});

test('equality is loose with coercion, or strict', () => {
  const cases: readonly (readonly [Json, Json, boolean, boolean])[] = [
    [1, 1, true, true],
    [1, '1', true, false],
    ['', 0, true, false],
    [true, 1, true, false],
    [false, '', true, false],
    [null, 0, false, false],
    [null, null, true, true],
    ['a', 'b', false, false],
    ['x', 0, false, false],
    [[1], '1', true, false],
    [[], '', true, false],
    [[1, 2], '1,2', true, false],
    [[1, [2]], [1, [2]], true, true],
    [[1], [2], false, false],
  ];
  for (const [one, other, isLoose, isStrict] of cases) {
    const note = JSON.stringify([one, other]);
    for (const pair of [
      [one, other],
      [other, one],
    ]) {
      assert.is(value({ '==': pair }), isLoose, note);
      assert.is(value({ '!=': pair }), !isLoose, note);
      assert.is(value({ '===': pair }), isStrict, note);
      assert.is(value({ '!==': pair }), !isStrict, note);
    }
  }
  assert.is(value({ '==': [{ var: 'a' }, { var: 'b' }] }, { a: { x: 1, y: 2 }, b: { y: 2, x: 1 } }), true);
  assert.is(value({ '==': [{ var: 'a' }, 1] }, { a: {} }), false);
});

test('comparisons order values', () => {
  answers([
    [{ '<': [1, 2] }, true],
    [{ '<': [2, 2] }, false],
    [{ '<': ['10', '9'] }, true],
    [{ '<': ['10', 9] }, false],
    [{ '<': [1, 2, 3] }, true],
    [{ '<': [1, 3, 3] }, false],
    [{ '<=': [1, 3, 3] }, true],
    [{ '<=': [4, 3, 5] }, false],
    [{ '<=': ['a', 1] }, false],
    [{ '>': [2, 1] }, true],
    [{ '>': [1, 1] }, false],
    [{ '>=': [1, 1] }, true],
    [{ '>=': ['a', 1] }, false],
    [{ '<': [null, 1] }, true],
  ]);
});

test('arithmetic works on numbers', () => {
  answers([
    [{ max: [1, 3, 2] }, 3],
    [{ min: [1, '-3', 2] }, -3],
    [{ max: { var: 'columns.0.children' } }, null],
    [{ min: [[4, 2]] }, 2],
    [{ '+': [1, '2', '3 apples'] }, 6],
    [{ '+': '7' }, 7],
    [{ '+': [] }, 0],
    [{ '-': [5, '2'] }, 3],
    [{ '-': 5 }, -5],
    [{ '*': [2, '3', 4] }, 24],
    [{ '/': [9, 2] }, 4.5],
    [{ '%': [9, 4] }, 1],
  ]);
  assert.ok(Number.isNaN(value({ '+': [1, null] })));
  assert.is(value({ '!!': { '/': [0, 0] } }), false);
});

test('list operators work', () => {
  answers([
    [{ map: [[1, 2], { '*': [{ var: '' }, 2] }] }, [2, 4]],
    [{ map: [{ var: 'nothing' }, 1] }, []],
    [{ filter: [[1, 2, 3], { '>': [{ var: '' }, 1] }] }, [2, 3]],
    [{ filter: ['text', true] }, []],
    [{ reduce: [[1, 2, 3], { '+': [{ var: 'current' }, { var: 'accumulator' }] }, 10] }, 16],
    [{ reduce: [{ var: 'nothing' }, 1, 'start'] }, 'start'],
    [{ reduce: [[], 1] }, null],
    [{ all: [[1, 2], { var: '' }] }, true],
    [{ all: [[1, 0], { var: '' }] }, false],
    [{ all: [[], true] }, false],
    [{ some: [[0, 2], { var: '' }] }, true],
    [{ some: [[], true] }, false],
    [{ none: [[0, ''], { var: '' }] }, true],
    [{ none: [[0, 1], { var: '' }] }, false],
    [{ none: [[], true] }, true],
    [{ merge: [1, [2, [3]], []] }, [1, 2, [3]]],
    [{ merge: [] }, []],
    [{ in: [2, [1, 2]] }, true],
    [{ in: ['2', [1, 2]] }, false],
    [{ in: [[2], [1, [2]]] }, true],
    [{ all: [{ var: 'columns' }, { in: [{ var: 'dataType' }, ['INT', 'DOUBLE', 'STRUCT']] }] }, true],
  ]);
});

test('text operators work', () => {
  answers([
    [{ in: ['ord', 'orders'] }, true],
    [{ in: [1, 'a1'] }, true],
    [{ in: ['x', 'orders'] }, false],
    [{ in: [null, 'null'] }, false],
    [{ in: ['a', null] }, false],
    [{ in: ['a', 5] }, false],
    [{ cat: ['a', 1, null, true, [2, [3]]] }, 'a1true2,3'],
    [{ cat: 'a' }, 'a'],
    [{ cat: [] }, ''],
    [{ substr: ['jsonlogic', 4] }, 'logic'],
    [{ substr: ['jsonlogic', -5] }, 'logic'],
    [{ substr: ['jsonlogic', 1, 3] }, 'son'],
    [{ substr: ['jsonlogic', 4, -2] }, 'log'],
    [{ substr: ['jsonlogic', 4, 0] }, ''],
    [{ substr: [12345, 1, 2] }, '23'],
    [{ log: 'said' }, 'said'],
    [{ log: [{ var: 'name' }, 2] }, 'orders'],
  ]);
  assert.is(value({ cat: [{ var: 'o' }] }, { o: { a: 1 } }), '{"a":1}');
});

test('length counts items and characters', () => {
  answers([
    [{ length: { var: 'columns' } }, 3],
    [{ length: [{ var: 'columns' }] }, 3],
    [{ length: [1, 2] }, 2],
    [{ length: { var: 'nothing' } }, 0],
    [{ length: [null] }, 0],
    [{ length: [[null]] }, 1],
    [{ length: [] }, 0],
    [{ '<=': [{ length: { filterTagsBySource: [{ var: 'tags' }, 'Glossary'] } }, 1] }, true],
  ]);
});

test('owners and reviewers include members of teams, wherever they are read', () => {
  answers([
    [{ isOwner: 'carla' }, true],
    [{ isOwner: ['Carla'] }, true],
    [{ isOwner: 'ada' }, true],
    [{ isOwner: 'Bob' }, true],
    [{ isOwner: 'data' }, false],
    [{ isOwner: 'dan' }, false],
    [{ isOwner: null }, false],
    [{ isOwner: [] }, false],
    [{ isReviewer: 'dan' }, true],
    [{ isReviewer: 'ada' }, false],
    [{ all: [{ var: 'columns' }, { isOwner: 'ada' }] }, true],
  ]);
  assert.is(value({ isOwner: 'ada' }, {}), false);
  assert.is(value({ isOwner: 'ada' }, { owners: 'ada' }), false);
});

test('changed fields and update times are read', () => {
  answers([
    [{ isChanged: 'owners' }, true],
    [{ isChanged: ['name', 'tags'] }, true],
    [{ isChanged: [['name', 'tags']] }, true],
    [{ isChanged: 'columns.amount' }, true],
    [{ isChanged: 'columns.am' }, false],
    [{ isChanged: 'name' }, false],
    [{ isChanged: [] }, false],
    [{ isUpdatedBefore: 5001 }, true],
    [{ isUpdatedBefore: 5000 }, false],
    [{ isUpdatedAfter: 4999 }, true],
    [{ isUpdatedAfter: '4999' }, true],
    [{ isUpdatedAfter: 5000 }, false],
    [{ isUpdatedAfter: null }, false],
    [{ isUpdatedAfter: [] }, false],
    [{ isUpdatedBefore: 'soon' }, false],
  ]);
  assert.is(value({ isUpdatedAfter: -1 }, {}), false);
  assert.is(value({ isUpdatedBefore: 1 }, {}), false);
  assert.is(value({ isChanged: 'name' }, {}), false);
});

test('valid combinations of owners are recognized', () => {
  const [user, team] = [{ type: 'user' }, { type: 'team' }];
  const cases: readonly (readonly [Json, boolean])[] = [
    [[], true],
    [null, true],
    [[user], true],
    [[user, user], true],
    [[team], true],
    [[team, team], false],
    [[user, team], false],
  ];
  for (const [owners, wanted] of cases) {
    const facts = { owners };
    assert.is(
      value({ multipleUsersOrSingleTeamOwnership: [{ var: 'owners' }] }, facts),
      wanted,
      JSON.stringify(owners),
    );
    assert.is(value({ multipleUsersOrSingleTeamOwnership: { var: 'owners' } }, facts), wanted, JSON.stringify(owners));
  }
});

test('references are read by type, tags by source', () => {
  const names = (expression: Json, name: string): Json => ({ map: [expression, { var: name }] });
  answers([
    [names({ filterReferenceByType: [{ var: 'owners' }, 'team'] }, 'name'), ['data']],
    [{ filterReferenceByType: [{ var: 'nothing' }, 'team'] }, []],
    [{ filterReferenceByType: [{ var: 'owners' }] }, []],
    [names({ filterTagsBySource: [{ var: 'tags' }, 'Glossary'] }, 'tagFQN'), ['G.Order']],
    [names({ filterTagsBySource: [{ var: 'tags' }, 'Classification'] }, 'tagFQN'), ['Tier.Tier1', 'X.Y']],
    [{ filterTagsBySource: ['text', 'Glossary'] }, []],
  ]);
});

test('every value at a path is read', () => {
  answers([
    [{ tableColumnValues: 'columns.name' }, ['id', 'amount', 'note']],
    [{ tableColumnValues: 'columns.tags.tagFQN' }, ['PII.None', 'G.Note', 'PII.Sensitive']],
    [{ tableColumnValues: 'columns.description' }, ['in euro']],
    [{ tableColumnValues: 'name' }, ['orders']],
    [{ tableColumnValues: 'description' }, []],
    [{ tableColumnValues: 'nothing.name' }, []],
    [{ contains: ['amount', { tableColumnValues: 'columns.name' }] }, true],
    [{ length: { tableColumnValues: 'columns' } }, 3],
  ]);
});

test('contains takes the needle first', () => {
  answers([
    [{ contains: ['b', ['a', 'b']] }, true],
    [{ contains: ['der', 'orders'] }, true],
    [{ contains: ['orders', 'der'] }, false],
    [{ contains: ['a', null] }, false],
  ]);
});

test('malformed expressions and unknown operators are reported', () => {
  const nested = (expression: Json) => refusal(() => value({ or: [false, expression] }));
  assert.match(nested({ nonsense: 1 }), /unknown operator "nonsense"/);
  assert.match(nested({ constructor: 1 }), /unknown operator "constructor"/);
  assert.match(nested(JSON.parse('{"__proto__": [1]}')), /unknown operator "__proto__"/);
  assert.match(nested({ ['x'.repeat(5000)]: 1 }), /^unknown operator "x{64}…"$/);
  assert.match(nested({ var: 'a', '==': [1, 1] }), /malformed.*exactly one operator and has 2/);
  assert.match(nested({}), /malformed.*has 0/);
});

test('rule texts are JSON, or JSON in a JSON string, and nothing else', () => {
  const rule = { '==': [1, 1] };
  assert.equal(parseRule(JSON.stringify(rule)), rule);
  assert.equal(parseRule(JSON.stringify(JSON.stringify(rule))), rule);
  assert.is(parseRule(JSON.stringify(JSON.stringify(JSON.stringify(rule)))), JSON.stringify(rule));
  assert.match(
    refusal(() => parseRule('')),
    /no JSON/,
  );
  assert.match(
    refusal(() => parseRule('{"==": [1, 1]')),
    /no JSON/,
  );
  assert.match(
    refusal(() => parseRule('"words"')),
    /no JSON/,
  );
  assert.match(
    refusal(() => parseRule(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)),
    /no JSON/,
  );
  assert.match(
    refusal(() => parseRule(JSON.stringify('['.repeat(100_000)))),
    /no JSON/,
  );
});

test.run();
