import * as assert from 'uvu/assert';
import type { Json } from '../../src/model/json.ts';
import { expectRecord, expectRefused, expectUnchanged, ok, readStored } from '../support/expect.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that columns are validated, stored as nodes and carried over by an update. */

const test = suite('catalog: columns');

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const kind = () => {
  const found = service.registry.byType.get('table');
  if (!found) throw new Error('no tables');
  return found;
};

type Column = { readonly [member: string]: Json };

const column = (name: string, more: Column = {}): Column => ({ name, dataType: 'INT', ...more });

const NESTED: Column[] = [
  column('id'),
  column('address', {
    dataType: 'STRUCT',
    children: [column('street'), column('geo.point', { dataType: 'STRUCT', children: [column('lat'), column('lon')] })],
  }),
  column('tail', { description: 'Last' }),
];

const newTable = async (columns: readonly Column[]) => {
  const body = await samples.body(kind(), { columns });
  return { body, made: ok(await service.admin.post('/v1/tables', body), 201), at: '' };
};

const names = (columns: readonly { name: string; children?: readonly { name: string }[] }[]): unknown[] =>
  columns.map((shown) => (shown.children ? [shown.name, names(shown.children as never)] : shown.name));

type ColumnNode = { readonly node: string; readonly fqn: string; readonly key: string };

/** The column nodes of a record, by their identity in the graph, so that a rename can be told from a replacement. */
const columnNodes = async (id: string): Promise<ColumnNode[]> =>
  (await service.graph.query(
    `MATCH (:Entity {id: $id})-[:HAS_COLUMN*1..10]->(c:Column)
     RETURN elementId(c) AS node, c.fullyQualifiedName AS fqn, c.key AS key ORDER BY fqn`,
    { id },
  )) as unknown as ColumnNode[];

const nodeOf = async (id: string, fqn: string) => (await columnNodes(id)).find((shown) => shown.fqn === fqn)?.node;

test('nested columns keep order, names and FQNs, in the response and in the graph', async () => {
  const { made } = await newTable(NESTED);
  expectRecord(kind(), made);
  const read = ok(await service.admin.get(`/v1/tables/${made.id}`));
  assert.equal(names(read.columns), ['id', ['address', ['street', ['geo.point', ['lat', 'lon']]]], 'tail']);
  const fqn = read.fullyQualifiedName;
  assert.is(read.columns[1].children[1].children[0].fullyQualifiedName, `${fqn}.address."geo.point".lat`);
  assert.equal(
    (await columnNodes(made.id)).map((node) => node.fqn).sort(),
    [
      'id',
      'address',
      'address.street',
      'address."geo.point"',
      'address."geo.point".lat',
      'address."geo.point".lon',
      'tail',
    ]
      .map((path) => `${fqn}.${path}`)
      .sort(),
  );
});

test('tags of columns are returned only with fields=tags, at every depth', async () => {
  const { made } = await newTable(NESTED);
  const plain = ok(await service.admin.get(`/v1/tables/${made.id}`));
  assert.is('tags' in plain.columns[0], false);
  for (const answer of [made, ok(await service.admin.get(`/v1/tables/${made.id}?fields=tags`))]) {
    assert.equal(answer.columns[0].tags, []);
    assert.equal(answer.columns[1].children[1].children[1].tags, []);
  }
});

test('duplicates among siblings in any case are refused with 400, and one name at two levels is accepted', async () => {
  const bad: Column[][] = [
    [column('a'), column('a')],
    [column('a'), column('A')],
    [column('s', { dataType: 'STRUCT', children: [column('x'), column('X')] })],
  ];
  const { body, made } = await newTable([column('a')]);
  for (const columns of bad) {
    const fresh = await samples.body(kind(), { columns });
    expectRefused(await service.admin.post('/v1/tables', fresh), 400);
    expectRefused(
      await expectUnchanged(service, made.id, () => service.admin.put('/v1/tables', { ...body, columns })),
      400,
    );
    const patch = { columns };
    expectRefused(
      await expectUnchanged(service, made.id, () => service.admin.patch(`/v1/tables/${made.id}`, patch)),
      400,
    );
  }
  await newTable([column('a', { dataType: 'STRUCT', children: [column('a')] })]);
});

test('column types, array types and lengths are validated', async () => {
  const post = async (shown: Column) =>
    service.admin.post('/v1/tables', await samples.body(kind(), { columns: [shown] }));
  expectRefused(await post(column('a', { dataType: 'NONSENSE' })), 400);
  expectRefused(await post({ name: 'a' }), 400);
  expectRefused(await post({ dataType: 'INT' }), 400);
  expectRefused(await post(column('a', { dataType: 'ARRAY' })), 400);
  expectRefused(await post(column('a', { nonsense: 1 })), 400);
  expectRefused(await post(column('a', { constraint: 'SOMETIMES' })), 400);
  for (const dataType of ['CHAR', 'VARCHAR', 'BINARY', 'VARBINARY']) {
    assert.is(ok(await post(column('a', { dataType })), 201).columns[0].dataLength, 1, dataType);
  }
  assert.is('dataLength' in ok(await post(column('a', { dataType: 'STRING' })), 201).columns[0], false);
  const list = ok(await post(column('a', { dataType: 'ARRAY', arrayDataType: 'INT' })), 201);
  assert.is(list.columns[0].arrayDataType, 'INT');
});

test('every member of a column is returned, and read-only members are ignored', async () => {
  const full = column('a', {
    dataType: 'DECIMAL',
    displayName: 'A',
    precision: 10,
    scale: 2,
    dataTypeDisplay: 'decimal(10,2)',
    description: 'Money',
    constraint: 'NOT_NULL',
    ordinalPosition: 1,
    jsonSchema: '{}',
    extension: { any: null, deep: [1] },
    fullyQualifiedName: 'some.where.else',
    profile: { timestamp: 1 },
    customMetrics: [],
  });
  const { made } = await newTable([full]);
  const [read] = ok(await service.admin.get(`/v1/tables/${made.id}`)).columns;
  const { profile: _profile, customMetrics: _metrics, ...wanted } = full;
  assert.equal(read, { ...wanted, fullyQualifiedName: `${made.fullyQualifiedName}.a` });
});

test('PUT replaces columns and carries over descriptions and tags', async () => {
  const { body, made } = await newTable([
    column('keep', { description: 'Kept', displayName: 'Keep', tags: [{ tagFQN: 'PII.Sensitive' }] }),
    column('drop'),
  ]);
  const put = ok(await service.admin.put('/v1/tables', { ...body, columns: [column('keep'), column('new')] }));
  assert.equal(names(put.columns), ['keep', 'new']);
  assert.is(put.columns[0].description, 'Kept');
  assert.is(put.columns[0].tags[0].tagFQN, 'PII.Sensitive');
  assert.is(put.version, 1.1);
  assert.equal(
    (await columnNodes(made.id)).map((node) => node.fqn),
    ['keep', 'new'].map((name) => `${made.fullyQualifiedName}.${name}`),
  );
});

/** The same columns with their members in the other order. */
const reversed = (columns: readonly Column[]): Column[] =>
  columns.map((shown) => Object.fromEntries(Object.entries(shown).reverse()));

test('sending the same columns again changes nothing', async () => {
  const columns = [
    column('first', { dataType: 'VARCHAR', description: 'First' }),
    column('outer', { dataType: 'STRUCT', children: [column('inner', { description: 'Inner' })] }),
  ];
  const { body, made } = await newTable(columns);
  const ways = [
    columns,
    reversed(columns),
    columns.map((shown) => ({ ...shown, tags: [] })),
    columns.map(({ description: _, ...shown }) => shown as Column),
  ];
  const sendAgain = async () => {
    for (const way of ways) {
      const same = { ...body, columns: way };
      await expectUnchanged(service, made.id, async () => ok(await service.admin.put('/v1/tables', same)));
      await expectUnchanged(service, made.id, async () => ok(await service.admin.put('/v1/tables/bulk', [same])));
    }
  };
  await sendAgain();
  const read = async () => ok(await service.admin.get(`/v1/tables/${made.id}?fields=columns,tags`));
  const before = await read();
  const tags = [{ tagFQN: 'PII.Sensitive' }];
  const labelled = [columns[0], { ...columns[1], children: [column('inner', { description: 'Inner', tags })] }];
  ok(await service.admin.put('/v1/tables', { ...body, columns: labelled }));
  await sendAgain();
  const after = await read();
  assert.is(after.columns[1].children[0].tags[0].tagFQN, 'PII.Sensitive');
  assert.equal(names(after.columns), names(before.columns));
});

test('unchanged columns stay the same nodes when something else changes', async () => {
  const columns = [column('first', { description: 'First' }), column('second')];
  const { body, made } = await newTable(columns);
  const before = await columnNodes(made.id);
  assert.is(before.length, 2);
  const put = ok(await service.admin.put('/v1/tables', { ...body, description: 'Another one' }));
  assert.equal([put.version, names(put.columns)], [0.2, ['first', 'second']]);
  assert.equal(put.changeDescription.fieldsUpdated.length + put.changeDescription.fieldsAdded.length, 1);
  assert.equal(await columnNodes(made.id), before);
  const changes = [{ op: 'add', path: '/displayName', value: 'Patched' }];
  ok(await service.admin.patch(`/v1/tables/${made.id}`, changes));
  ok(await service.admin.put('/v1/tables', { ...body, columns: reversed(columns), displayName: 'Put' }));
  ok(await service.admin.patch(`/v1/tables/${made.id}`, { displayName: 'Merged' }));
  assert.equal(await columnNodes(made.id), before);
  const refusal = await service.admin.put('/v1/tables', {
    ...body,
    tableConstraints: [{ constraintType: 'UNIQUE', columns: ['third'] }],
  });
  expectRefused(refusal, 400);
  const constrained = ok(
    await service.admin.put('/v1/tables', {
      ...body,
      tableConstraints: [{ constraintType: 'UNIQUE', columns: ['second'] }],
    }),
  );
  assert.equal(constrained.columns, put.columns);
});

type Step = 'major' | 'minor' | 'none';

const STEPS: readonly (readonly [string, Column, Column | undefined, Step])[] = [
  ['removed', column('a'), undefined, 'major'],
  ['another type', column('a'), column('a', { dataType: 'STRING' }), 'major'],
  [
    'another array type',
    column('a', { dataType: 'ARRAY', arrayDataType: 'INT' }),
    column('a', { dataType: 'ARRAY', arrayDataType: 'STRING' }),
    'major',
  ],
  [
    'shorter',
    column('a', { dataType: 'VARCHAR', dataLength: 9 }),
    column('a', { dataType: 'VARCHAR', dataLength: 5 }),
    'major',
  ],
  [
    'longer',
    column('a', { dataType: 'VARCHAR', dataLength: 5 }),
    column('a', { dataType: 'VARCHAR', dataLength: 9 }),
    'minor',
  ],
  ['a length no more', column('a', { dataLength: 9 }), column('a'), 'major'],
  ['a length at last', column('a'), column('a', { dataLength: 9 }), 'major'],
  [
    'less precise',
    column('a', { dataType: 'DECIMAL', precision: 9, scale: 2 }),
    column('a', { dataType: 'DECIMAL', precision: 8, scale: 2 }),
    'major',
  ],
  [
    'a scale no more',
    column('a', { dataType: 'DECIMAL', precision: 9, scale: 2 }),
    column('a', { dataType: 'DECIMAL', precision: 9 }),
    'major',
  ],
  [
    'more precise',
    column('a', { dataType: 'DECIMAL', precision: 9 }),
    column('a', { dataType: 'DECIMAL', precision: 12 }),
    'minor',
  ],
  ['described', column('a'), column('a', { description: 'x' }), 'minor'],
  ['spelled otherwise', column('a'), column('A'), 'minor'],
  ['the same', column('a'), column('a'), 'none'],
];

for (const [what, before, after, step] of STEPS) {
  const version = { major: 1.1, minor: 0.2, none: 0.1 }[step];
  test(`a column change steps the version: ${what}`, async () => {
    for (const depth of [0, 1]) {
      const wrap = (shown: Column | undefined): Column[] => {
        const list = [column('first'), ...(shown ? [shown] : [])];
        return depth === 0 ? list : [column('s', { dataType: 'STRUCT', children: list })];
      };
      const { body } = await newTable(wrap(before));
      const put = ok(await service.admin.put('/v1/tables', { ...body, columns: wrap(after) }));
      assert.is(put.version, version, `depth ${depth}`);
      const { made } = await newTable(wrap(before));
      const patched = ok(await service.admin.patch(`/v1/tables/${made.id}`, { columns: wrap(after) }));
      assert.is(patched.version, version, `merge patch, depth ${depth}`);
    }
  });
}

test('adding a column is a minor step', async () => {
  const { body } = await newTable([column('a')]);
  assert.is(ok(await service.admin.put('/v1/tables', { ...body, columns: [column('a'), column('b')] })).version, 0.2);
});

test('a rename by JSON Patch keeps the node, its tags and its children', async () => {
  const tags = [{ tagFQN: 'PII.Sensitive' }];
  const { made } = await newTable([
    column('a'),
    column('old', { dataType: 'STRUCT', tags, children: [column('inner', { tags, description: 'In' })] }),
  ]);
  const at = (path: string) => `${made.fullyQualifiedName}.${path}`;
  const [outer, inner] = [await nodeOf(made.id, at('old')), await nodeOf(made.id, at('old.inner'))];
  const patch = [{ op: 'replace', path: '/columns/1/name', value: 'fresh' }];
  const renamed = ok(await service.admin.patch(`/v1/tables/${made.id}`, patch));
  assert.is(renamed.version, 0.2);
  const [, shown] = renamed.columns;
  assert.equal([shown.name, shown.fullyQualifiedName], ['fresh', at('fresh')]);
  assert.equal([shown.tags[0].tagFQN, shown.children[0].tags[0].tagFQN], ['PII.Sensitive', 'PII.Sensitive']);
  assert.is(shown.children[0].fullyQualifiedName, at('fresh.inner'));
  assert.ok(outer);
  assert.equal([await nodeOf(made.id, at('fresh')), await nodeOf(made.id, at('fresh.inner'))], [outer, inner]);
  const read = ok(await service.admin.get(`/v1/tables/${made.id}?fields=tags`));
  assert.is(read.columns[1].children[0].tags[0].tagFQN, 'PII.Sensitive');
  const again = ok(await service.admin.patch(`/v1/tables/${made.id}`, [{ ...patch[0], value: 'third' }]));
  assert.equal([again.version, await nodeOf(made.id, at('third'))], [0.3, outer]);
});

test('a rename with a new type, by merge patch or by PUT is a removal and an addition', async () => {
  const tags = [{ tagFQN: 'PII.Sensitive' }];
  const { made } = await newTable([column('old', { tags })]);
  const node = await nodeOf(made.id, `${made.fullyQualifiedName}.old`);
  const patch = [
    { op: 'replace', path: '/columns/0/name', value: 'fresh' },
    { op: 'replace', path: '/columns/0/dataType', value: 'STRING' },
  ];
  assert.is(ok(await service.admin.patch(`/v1/tables/${made.id}`, patch)).version, 1.1);
  assert.is.not(await nodeOf(made.id, `${made.fullyQualifiedName}.fresh`), node);
  const merged = ok(
    await service.admin.patch(`/v1/tables/${made.id}`, { columns: [column('c3', { dataType: 'STRING' })] }),
  );
  assert.equal([merged.version, merged.columns[0].tags], [2.1, []]);
});

test('removing one of three columns by index removes that one', async () => {
  const { made } = await newTable([column('a'), column('b', { description: 'B' }), column('c', { description: 'C' })]);
  const kept = await nodeOf(made.id, `${made.fullyQualifiedName}.c`);
  const patch = [
    { op: 'replace', path: '/columns/1/name', value: 'c' },
    { op: 'replace', path: '/columns/1/description', value: 'C' },
    { op: 'remove', path: '/columns/2' },
  ];
  const left = ok(await service.admin.patch(`/v1/tables/${made.id}`, patch));
  assert.equal([left.version, names(left.columns)], [1.1, ['a', 'c']]);
  assert.is(await nodeOf(made.id, `${made.fullyQualifiedName}.c`), kept);
});

test('the order of columns is stored and can be changed', async () => {
  const { body, made } = await newTable(['c', 'a', 'b'].map((name) => column(name)));
  assert.equal(names(ok(await service.admin.get(`/v1/tables/${made.id}`)).columns), ['c', 'a', 'b']);
  const put = ok(
    await service.admin.put('/v1/tables', { ...body, columns: ['a', 'b', 'c'].map((name) => column(name)) }),
  );
  assert.equal(names(put.columns), ['a', 'b', 'c']);
  assert.equal(names(ok(await service.admin.get(`/v1/tables/${made.id}`)).columns), ['a', 'b', 'c']);
  assert.is(put.version, 0.2);
});

test('the change description identifies columns by their path', async () => {
  const { made } = await newTable([column('geo.x', { description: 'x' }), column('b')]);
  const patch = [{ op: 'replace', path: '/columns/0/description', value: 'y' }];
  const patched = ok(await service.admin.patch(`/v1/tables/${made.id}`, patch));
  assert.equal(patched.changeDescription.fieldsUpdated, [
    { name: 'columns."geo.x".description', oldValue: 'x', newValue: 'y' },
  ]);
  const added = ok(
    await service.admin.patch(`/v1/tables/${made.id}`, [{ op: 'add', path: '/columns/-', value: column('n') }]),
  );
  const [entry] = added.changeDescription.fieldsAdded;
  assert.is(entry.name, 'columns');
  assert.equal(
    JSON.parse(entry.newValue).map((shown: { name: string }) => shown.name),
    ['n'],
  );
});

test('a constraint must name existing columns', async () => {
  const post = async (constraints: Json) =>
    service.admin.post(
      '/v1/tables',
      await samples.body(kind(), { columns: [column('a')], tableConstraints: constraints }),
    );
  ok(await post([{ constraintType: 'PRIMARY_KEY', columns: ['a'] }]), 201);
  expectRefused(await post([{ constraintType: 'PRIMARY_KEY', columns: ['b'] }]), 400);
  expectRefused(await post([{ constraintType: 'SOMETIMES', columns: ['a'] }]), 400);
});

test('wide and deep tables are stored and returned', async () => {
  const wide = Array.from({ length: 1500 }, (_, at) => column(`c${at}`));
  const { made } = await newTable(wide);
  assert.equal(
    names(ok(await service.admin.get(`/v1/tables/${made.id}`)).columns),
    wide.map((shown) => shown['name']),
  );
  const deep = Array.from({ length: 20 }).reduce<Column>(
    (inner, _, at) => column(`d${at}`, { dataType: 'STRUCT', children: [inner] }),
    column('leaf'),
  );
  const { made: deepTable } = await newTable([deep]);
  assert.is((await columnNodes(deepTable.id)).length < 21, true);
  ok(await service.admin.delete(`/v1/tables/${deepTable.id}?hardDelete=true`));
  const [left] = await service.graph.query('RETURN COUNT { (c:Column) WHERE c.key STARTS WITH $id } AS columns', {
    id: deepTable.id,
  });
  assert.is(left?.['columns'], 0);
  assert.is(await readStored(service, deepTable.id), undefined);
});

test('an empty column list is stored as a list', async () => {
  const { made } = await newTable([]);
  assert.equal(ok(await service.admin.get(`/v1/tables/${made.id}`)).columns, []);
});

test.run();
