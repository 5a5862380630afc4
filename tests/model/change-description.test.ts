import * as assert from 'uvu/assert';
import {
  buildChangeSummary,
  type ColumnRenames,
  describeChange,
  type FieldRule,
} from '../../src/model/change-description.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { detectColumnRenames } from '../../src/model/kind/columns.ts';
import { expectLinearCalls } from '../support/count-calls.ts';
import { suite } from '../support/suite.ts';

/** Shows that a change description lists what was added, updated and deleted. */

const test = suite('model: change descriptions');

const RULES: readonly FieldRule[] = [
  { name: 'displayName' },
  { name: 'description' },
  { name: 'owners', list: 'id' },
  { name: 'service', list: 'id' },
  { name: 'tags', list: 'tag' },
  { name: 'aliases', list: 'value' },
  { name: 'tasks', list: 'name' },
  { name: 'columns', list: 'name', nested: true },
  { name: 'dataModel.isPartitioned' },
  { name: 'dataModel.columns', nested: true },
  { name: 'retention' },
  { name: 'extension' },
  { name: 'constructor' },
];

/** The three lists of a change, with their JSON text parsed so that cases stay readable. */
const changes = (before: JsonObject, after: JsonObject, renames?: ColumnRenames) => {
  const change = describeChange(before, after, RULES, 0.1, renames);
  return change && { added: change.fieldsAdded, updated: change.fieldsUpdated, deleted: change.fieldsDeleted };
};

const json = (value: Json) => JSON.stringify(value);

test('no change, or none of versioned members, yields an empty description', () => {
  assert.is(changes({}, {}), undefined);
  assert.is(changes({ description: 'x', updatedAt: 1 }, { description: 'x', updatedAt: 2 }), undefined);
  assert.is(changes({ tags: [], extension: {} }, { owners: [], columns: [] }), undefined);
});

test('the example of the contract is reproduced', () => {
  const before = { columns: [{ name: 'amount', dataType: 'INT', description: 'x' }] };
  const after = {
    columns: [{ name: 'amount', dataType: 'INT', description: 'y' }],
    tags: [{ tagFQN: 'Tier.Tier1' }],
  };
  assert.equal(describeChange(before, after, RULES, 0.1), {
    previousVersion: 0.1,
    fieldsAdded: [{ name: 'tags', newValue: '[{"tagFQN":"Tier.Tier1"}]' }],
    fieldsUpdated: [{ name: 'columns.amount.description', oldValue: 'x', newValue: 'y' }],
    fieldsDeleted: [],
  });
});

test('scalars keep their type, and arrays and objects become JSON text', () => {
  assert.equal(changes({ retention: 1, description: 'x' }, { retention: false, displayName: 'D' }), {
    added: [{ name: 'displayName', newValue: 'D' }],
    updated: [{ name: 'retention', oldValue: 1, newValue: false }],
    deleted: [{ name: 'description', oldValue: 'x' }],
  });
  assert.equal(changes({ extension: { a: 1 } }, { extension: { a: [2] } })?.updated, [
    { name: 'extension', oldValue: '{"a":1}', newValue: '{"a":[2]}' },
  ]);
  assert.equal(changes({ retention: [1] }, { retention: 'P1D' })?.updated, [
    { name: 'retention', oldValue: '[1]', newValue: 'P1D' },
  ]);
});

test('empty text and zero are values', () => {
  assert.equal(changes({}, { description: '', retention: 0 })?.added, [
    { name: 'description', newValue: '' },
    { name: 'retention', newValue: 0 },
  ]);
});

test('entries are in the order of the rules, not of the documents', () => {
  const change = changes({}, { extension: { a: 1 }, owners: [{ id: 'u' }], description: 'x', displayName: 'D' });
  assert.equal(
    change?.added.map(({ name }) => name),
    ['displayName', 'description', 'owners', 'extension'],
  );
});

test('references are compared by id, with one entry per field', () => {
  const [ann, bob, eve] = ['ann', 'bob', 'eve'].map((name) => ({ id: name, type: 'user', name }));
  assert.ok(ann && bob && eve);
  assert.equal(changes({ owners: [ann] }, { owners: [bob, eve] }), {
    added: [{ name: 'owners', newValue: json([bob, eve]) }],
    updated: [],
    deleted: [{ name: 'owners', oldValue: json([ann]) }],
  });
  assert.is(
    changes({ owners: [ann, bob] }, { owners: [bob, { ...ann, displayName: 'Ann', deleted: true }] }),
    undefined,
  );
});

test('a single reference is compared by id', () => {
  assert.is(changes({ service: { id: 's', name: 'old' } }, { service: { id: 's', name: 'new' } }), undefined);
  assert.equal(changes({ service: { id: 's' } }, { service: { id: 't' } })?.updated, [
    { name: 'service', oldValue: '{"id":"s"}', newValue: '{"id":"t"}' },
  ]);
});

test('labels are identified by tag and source, and their own members are compared', () => {
  const label = { tagFQN: 'PII.None', source: 'Classification', labelType: 'Manual', state: 'Confirmed' };
  assert.is(changes({ tags: [{ tagFQN: 'PII.None' }] }, { tags: [{ ...label, name: 'None', href: 'x' }] }), undefined);
  const suggested = { ...label, state: 'Suggested' };
  assert.equal(changes({ tags: [label] }, { tags: [suggested] }), {
    added: [],
    updated: [{ name: 'tags', oldValue: json([label]), newValue: json([suggested]) }],
    deleted: [],
  });
  const term = { ...label, source: 'Glossary' };
  assert.equal(changes({ tags: [label] }, { tags: [term] }), {
    added: [{ name: 'tags', newValue: json([term]) }],
    updated: [],
    deleted: [{ name: 'tags', oldValue: json([label]) }],
  });
});

test('plain lists report added, removed, reordered and repeated values', () => {
  assert.equal(changes({ aliases: ['a', 'b'] }, { aliases: ['b', 'c'] }), {
    added: [{ name: 'aliases', newValue: '["c"]' }],
    updated: [],
    deleted: [{ name: 'aliases', oldValue: '["a"]' }],
  });
  assert.equal(changes({ aliases: ['a', 'b'] }, { aliases: ['b', 'a'] })?.updated, [
    { name: 'aliases', oldValue: '["a","b"]', newValue: '["b","a"]' },
  ]);
  assert.equal(changes({ aliases: ['a', 'a'] }, { aliases: ['a'] })?.updated, [
    { name: 'aliases', oldValue: '["a","a"]', newValue: '["a"]' },
  ]);
  assert.equal(changes({ aliases: [1] }, { aliases: ['1'] })?.added, [{ name: 'aliases', newValue: '["1"]' }]);
});

test('changed items of a flat list with names share one entry', () => {
  const [old, now] = [
    { name: 'a', x: 1 },
    { name: 'a', x: 2 },
  ];
  const same = { name: 'b' };
  assert.equal(changes({ tasks: [old, same] }, { tasks: [same, now] })?.updated, [
    { name: 'tasks', oldValue: json([old]), newValue: json([now]) },
  ]);
});

const column = (name: string, more: JsonObject = {}): JsonObject => ({ name, dataType: 'INT', ...more });

test('columns: added and removed ones are listed', () => {
  assert.equal(changes({ columns: [column('a'), column('b')] }, { columns: [column('a'), column('c')] }), {
    added: [{ name: 'columns', newValue: json([column('c')]) }],
    updated: [],
    deleted: [{ name: 'columns', oldValue: json([column('b')]) }],
  });
});

test('columns: every changed member is listed, quoted where a name has a dot', () => {
  const before = { columns: [column('a.b', { dataLength: 1, constraint: 'NULL', tags: [] })] };
  const after = {
    columns: [column('a.b', { dataType: 'STRING', dataLength: 2, tags: [{ tagFQN: 'T.x' }], precision: 1 })],
  };
  assert.equal(changes(before, after), {
    added: [
      { name: 'columns."a.b".tags', newValue: '[{"tagFQN":"T.x"}]' },
      { name: 'columns."a.b".precision', newValue: 1 },
    ],
    updated: [
      { name: 'columns."a.b".dataType', oldValue: 'INT', newValue: 'STRING' },
      { name: 'columns."a.b".dataLength', oldValue: 1, newValue: 2 },
    ],
    deleted: [{ name: 'columns."a.b".constraint', oldValue: 'NULL' }],
  });
});

test('columns: children are described below their parent', () => {
  const before = { columns: [column('a', { children: [column('b', { description: 'x' }), column('c')] })] };
  const after = { columns: [column('a', { children: [column('b', { description: 'y' }), column('d')] })] };
  assert.equal(changes(before, after), {
    added: [{ name: 'columns.a', newValue: json([column('d')]) }],
    updated: [{ name: 'columns.a.b.description', oldValue: 'x', newValue: 'y' }],
    deleted: [{ name: 'columns.a', oldValue: json([column('c')]) }],
  });
  assert.equal(changes({ columns: [column('a')] }, before)?.added, [
    { name: 'columns.a', newValue: json(before.columns[0]?.['children'] ?? []) },
  ]);
});

test('columns: derived and measured members are ignored', () => {
  const before = { columns: [column('a', { fullyQualifiedName: 'x.a', profile: { max: 1 }, children: [], tags: [] })] };
  assert.is(changes(before, { columns: [column('a', { fullyQualifiedName: 'y.a' })] }), undefined);
});

test('columns: a new order is one entry, and shifted positions are none', () => {
  const [a, b] = [column('a', { ordinalPosition: 1 }), column('b', { ordinalPosition: 2 })];
  assert.equal(changes({ columns: [column('a'), column('b')] }, { columns: [column('b'), column('a')] }), {
    added: [],
    updated: [{ name: 'columns', oldValue: '["a","b"]', newValue: '["b","a"]' }],
    deleted: [],
  });
  const inserted = changes({ columns: [a] }, { columns: [b, { ...a, ordinalPosition: 3 }] });
  assert.equal(inserted?.updated, []);
  const moved = changes({ columns: [a] }, { columns: [{ ...a, ordinalPosition: 3 }] });
  assert.equal(moved?.updated, [{ name: 'columns.a.ordinalPosition', oldValue: 1, newValue: 3 }]);
});

test('columns: names match in any case, and a new spelling is a change', () => {
  const before = { columns: [column('Amount', { description: 'x' })] };
  const after = { columns: [column('amount', { description: 'y' })] };
  assert.equal(changes(before, after), {
    added: [],
    updated: [
      { name: 'columns.Amount.name', oldValue: 'Amount', newValue: 'amount' },
      { name: 'columns.amount.description', oldValue: 'x', newValue: 'y' },
    ],
    deleted: [],
  });
});

test('columns: a rename is one update, not removal and addition', () => {
  const before = { columns: [column('s', { children: [column('a', { description: 'x' }), column('b')] })] };
  const after = { columns: [column('s', { children: [column('n.w', { description: 'y' }), column('b')] })] };
  assert.equal(changes(before, after, { columns: detectColumnRenames(before.columns, after.columns) }), {
    added: [],
    updated: [
      { name: 'columns.s.a.name', oldValue: 'a', newValue: 'n.w' },
      { name: 'columns.s."n.w".description', oldValue: 'x', newValue: 'y' },
    ],
    deleted: [],
  });
  assert.equal(changes(before, after)?.added.length, 1);
});

test('columns below an object and members next to them are compared', () => {
  const before = { dataModel: { isPartitioned: false, columns: [column('a')] } };
  const after = { dataModel: { isPartitioned: true, columns: [column('a', { description: 'x' })] } };
  assert.equal(changes(before, after), {
    added: [{ name: 'dataModel.columns.a.description', newValue: 'x' }],
    updated: [{ name: 'dataModel.isPartitioned', oldValue: false, newValue: true }],
    deleted: [],
  });
  assert.equal(
    changes(before, {})?.deleted.map(({ name }) => name),
    ['dataModel.isPartitioned', 'dataModel.columns'],
  );
});

test('built-in member names are plain data', () => {
  const odd = (name: string, more: JsonObject = {}) => ({ columns: [column(name, more)] });
  for (const name of ['__proto__', 'constructor', 'toString']) {
    assert.equal(changes(odd(name), odd(name, { description: 'x' }))?.added, [
      { name: `columns.${name}.description`, newValue: 'x' },
    ]);
  }
  const polluted: JsonObject = JSON.parse('{"columns":[{"name":"a","dataType":"INT","__proto__":{"x":1}}]}');
  assert.equal(changes(odd('a'), polluted)?.added, [{ name: 'columns.a.__proto__', newValue: '{"x":1}' }]);
  assert.is(changes({}, JSON.parse('{"__proto__":{"description":"x"}}')), undefined);
});

test('items without their identifying member are compared as a whole', () => {
  assert.equal(changes({ owners: [1, null] }, { owners: [null, { type: 'user' }], columns: ['odd'] })?.added, [
    { name: 'owners', newValue: '[{"type":"user"}]' },
    { name: 'columns', newValue: '["odd"]' },
  ]);
  assert.equal(changes({ columns: 'x' }, { columns: [column('a')] })?.updated.length, 1);
});

test('five thousand changed columns take less than quadratic time', () => {
  const prepare = (size: number) => {
    const many = (description: string) => Array.from({ length: size }, (_, at) => column(`c${at}`, { description }));
    return [{ columns: many('x') }, { columns: many('y') }] as const;
  };
  const compare = ([before, after]: ReturnType<typeof prepare>) => changes(before, after)?.updated.length;
  assert.is(compare(prepare(5_000)), 5_000);
  expectLinearCalls(1_250, prepare, compare);
});

const origin = (changedBy: string) => ({ changeSource: 'Manual', changedBy, changedAt: 1 }) as const;

const changeOf = (before: JsonObject, after: JsonObject) => {
  const change = describeChange(before, after, RULES, 0.1);
  if (change === undefined) throw new Error('nothing changed');
  return change;
};

test('summary: each field has its last source, and removed fields have none', () => {
  const one = { description: 'x', columns: [column('a.b', { description: 'x' }), column('b')] };
  const two = { displayName: 'D', columns: [column('b', { description: 'y' })] };
  const first = buildChangeSummary(changeOf({}, { description: 'x' }), origin('ann'));
  assert.equal(first, { description: origin('ann') });
  const change = changeOf({ columns: [column('a.b'), column('b')] }, one);
  const second = buildChangeSummary(change, origin('bob'), first);
  assert.equal(second, { description: origin('bob'), 'columns."a.b".description': origin('bob') });
  assert.equal(buildChangeSummary(changeOf(one, two), origin('eve'), second), {
    displayName: origin('eve'),
    'columns.b.description': origin('eve'),
  });
});

test('summary: a list with one item replaced keeps its entry', () => {
  const change = changeOf({ tags: [{ tagFQN: 'a' }] }, { tags: [{ tagFQN: 'b' }] });
  assert.equal(buildChangeSummary(change, origin('ann'), { tags: origin('bob') }), { tags: origin('ann') });
});

test('summary: a deleted text that resembles JSON is a text', () => {
  for (const text of ['[{', '[{"name":"x"}]', '[{"name":1}]']) {
    const change = changeOf({ description: text, retention: 1 }, { retention: 2 });
    assert.equal(
      buildChangeSummary(change, origin('ann'), { description: origin('bob'), displayName: origin('bob') }),
      {
        displayName: origin('bob'),
        retention: origin('ann'),
      },
    );
  }
});

test.run();
