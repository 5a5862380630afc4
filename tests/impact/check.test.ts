import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { column, feed, type Made, mapping, openWorld, ref, type World } from '../lineage/fixture.ts';
import { HIDING, tablesOf } from '../lineage/read/graph/fixture.ts';
import { expectRef, expectRefused, ok } from '../support/expect.ts';
import { CASES, createQualityTests, entityLinkOf } from '../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { strayId } from '../support/samples.ts';
import { type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a proposed change reports the contracts that it breaks. */

const test = suite('impact: change check');

const CHECK = '/v1/dataContracts/check';

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Answer = any;

const COLUMNS = [
  { name: 'id', dataType: 'INT', constraint: 'NOT_NULL' },
  { name: 'amount', dataType: 'DECIMAL', precision: 10, scale: 2, constraint: 'NOT_NULL' },
  { name: 'note', dataType: 'VARCHAR', dataLength: 100 },
] as const satisfies readonly JsonObject[];

const contracted = async (table: Made, more: JsonObject): Promise<Made> =>
  ok(await world.admin.post('/v1/dataContracts', { name: uniqueName('contract'), entity: ref(table), ...more }), 201);

/** Orders, from which totals are made, from which figures are made; each with a contract about its columns. */
const openShop = async () => {
  const orders = await world.table('orders', COLUMNS);
  const totals = await world.table('totals', [
    { name: 'total', dataType: 'DECIMAL', constraint: 'NOT_NULL' },
    column('b'),
  ]);
  const figures = await world.table('figures', [{ name: 'figure', dataType: 'DECIMAL' }]);
  ok(await feed(world.admin, orders, totals, { columnsLineage: [mapping(orders, ['amount'], totals, 'total')] }));
  ok(
    await feed(world.admin, totals, figures, {
      columnsLineage: [mapping(totals, ['total'], figures, 'figure', { function: 'sum(total)' })],
    }),
  );
  const [own, near, far] = await Promise.all([
    contracted(orders, { schema: COLUMNS.slice(0, 2) }),
    contracted(totals, { schema: [{ name: 'total', dataType: 'DECIMAL', constraint: 'NOT_NULL' }] }),
    contracted(figures, { schema: [{ name: 'figure', dataType: 'DECIMAL' }] }),
  ]);
  return { orders, totals, figures, own, near, far };
};

const ask = async (table: Made, proposed: JsonObject, client: Client = world.admin): Promise<Answer> =>
  ok(await client.post(CHECK, { entity: ref(table), proposed }));

const brief = ({ breaks }: Answer) =>
  breaks.map(({ contract, depth, clause }: Answer) => [contract.id, depth, clause].join(' '));

const without = (...names: readonly string[]): JsonObject => ({
  columns: COLUMNS.filter(({ name }) => !names.includes(name)),
});

test('a dropped column breaks contracts here and downstream, and the report names owners and tests', async () => {
  const { orders, totals, figures, own, near, far } = await openShop();
  const owner = await rights.person();
  ok(await world.admin.patch(`/v1/tables/${totals.id}`, { owners: [{ id: owner.id, type: 'user' }] }));
  const tests = await Promise.all(
    [entityLinkOf(orders, 'amount'), entityLinkOf(orders, 'note'), entityLinkOf(totals, 'total')].map(
      async (entityLink) =>
        ok(
          await world.admin.post(CASES, {
            name: uniqueName('check'),
            entityLink,
            testDefinition: 'columnValuesToBeNotNull',
          }),
          201,
        ),
    ),
  );
  const answer = await ask(orders, without('amount'));
  assert.equal(Object.keys(answer), ['verdict', 'changes', 'breaks', 'affected']);
  assert.is(answer.verdict, 'breaks');
  assert.equal(answer.changes, [{ column: 'amount', change: 'dropped', before: 'DECIMAL(10,2)' }]);
  assert.equal(brief(answer), [`${own.id} 0 schema.amount`, `${near.id} 1 schema.total`, `${far.id} 2 schema.figure`]);
  for (const { contract, entity, reason } of answer.breaks) {
    expectRef(contract);
    expectRef(entity);
    assert.match(reason, /dropped/);
  }
  assert.match(answer.breaks[1].reason, orders.fullyQualifiedName);
  assert.is(answer.affected.entities, 2);
  assert.equal(
    answer.affected.owners.map(({ id }: Made) => id),
    [owner.id],
  );
  assert.equal(
    answer.affected.tests.map(({ id }: Made) => id).sort(),
    [tests[0].id, tests[2].id].sort(),
    'the test of another column stays',
  );
  assert.equal(
    answer.affected.assets.map(({ entity, certainty, depth, columns, owners, contracts, tests: own }: Answer) => [
      entity.name,
      certainty,
      depth,
      columns,
      owners.length,
      contracts.map(({ broken }: Answer) => broken),
      own.length,
    ]),
    [
      [totals.name, 'certain', 1, [`${totals.fullyQualifiedName}.total`], 1, [['schema.total']], 1],
      [figures.name, 'certain', 2, [`${figures.fullyQualifiedName}.figure`], 0, [['schema.figure']], 0],
    ],
  );
});

test('a column outside contracts breaks nothing, and a new column affects nobody', async () => {
  const { orders } = await openShop();
  const dropped = await ask(orders, without('note'));
  assert.equal([dropped.verdict, dropped.breaks, dropped.changes.length], ['ok', [], 1]);
  const added = await ask(orders, { columns: [...COLUMNS, { name: 'fresh', dataType: 'INT' }] });
  assert.equal(added, {
    verdict: 'ok',
    changes: [{ column: 'fresh', change: 'added', after: 'INT' }],
    breaks: [],
    affected: { entities: 0, owners: [], tests: [], assets: [] },
  });
  const same = await ask(orders, without());
  assert.equal([same.verdict, same.changes], ['ok', []]);
});

test('statements report renames, changed types and dropped constraints alike', async () => {
  const { orders, own, near, far } = await openShop();
  const ddl = async (text: string) => ask(orders, { ddl: `ALTER TABLE ${orders.name} ${text}` });
  const renamed = await ddl('RENAME COLUMN amount TO gross');
  assert.equal(renamed.changes, [{ column: 'amount', change: 'renamed', before: 'amount', after: 'gross' }]);
  assert.equal(brief(renamed), [`${own.id} 0 schema.amount`, `${near.id} 1 schema.total`, `${far.id} 2 schema.figure`]);
  const retyped = await ddl('ALTER COLUMN amount SET DATA TYPE VARCHAR(20)');
  assert.equal(retyped.changes, [
    { column: 'amount', change: 'retyped', before: 'DECIMAL(10,2)', after: 'VARCHAR(20)' },
  ]);
  assert.equal(
    brief(retyped),
    [`${own.id} 0 schema.amount`, `${near.id} 1 schema.total`],
    'a sum may keep its type whatever is summed up',
  );
  const loose = await ddl('ALTER COLUMN amount DROP NOT NULL');
  assert.equal(loose.changes, [{ column: 'amount', change: 'nullability', before: 'NOT_NULL', after: 'NULL' }]);
  assert.equal(brief(loose), [`${own.id} 0 schema.amount`, `${near.id} 1 schema.total`]);
  const wider = await ddl('ALTER COLUMN amount SET DATA TYPE NUMBER(12,2)');
  assert.equal([wider.verdict, wider.changes.length], ['ok', 1], 'a wider number holds what was promised');
  assert.is((await ask(orders, { ddl: 'DROP TABLE x' })).verdict, 'breaks');
});

test('the dialect is that of the service or the requested one', async () => {
  const { orders } = await openShop();
  const mysql = `ALTER TABLE \`${orders.name}\` MODIFY COLUMN note INT # as agreed`;
  assert.equal((await ask(orders, { ddl: mysql, dialect: 'mysql' })).changes, [
    { column: 'note', change: 'retyped', before: 'VARCHAR(100)', after: 'INT' },
  ]);
  const send = (proposed: JsonObject) => world.admin.post(CHECK, { entity: ref(orders), proposed });
  expectRefused(await send({ ddl: mysql, dialect: 'klingon' }), 400, /dialect/);
  expectRefused(await send({ columns: [], dialect: 'mysql' }), 400, /dialect/);
});

test('ODCS documents change what they contain and nothing else', async () => {
  const { orders, own } = await openShop();
  const document = (properties: string) => `apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
  - name: ${orders.name}
    logicalType: object
    properties:
${properties}`;
  const [id, amount, note] = ['id', 'amount', 'note'].map(
    (name) =>
      `      - name: ${name}\n        logicalType: ${name === 'id' ? 'integer' : name === 'note' ? 'string' : 'number'}\n`,
  );
  const same = await ask(orders, { odcs: document(`${id}${amount}${note}`) });
  assert.equal([same.verdict, same.changes], ['ok', []]);
  const dropped = await ask(orders, { odcs: document(`${id}${note}`) });
  assert.is(brief(dropped)[0], `${own.id} 0 schema.amount`);
  const loose = await ask(orders, { odcs: document(`${id}${amount}        required: false\n${note}`) });
  assert.equal(loose.changes, [{ column: 'amount', change: 'nullability', before: 'NOT_NULL', after: 'NULL' }]);
});

test('the record may be named, and a kind without columns is refused', async () => {
  const { orders } = await openShop();
  const entity = { type: 'table', fullyQualifiedName: orders.fullyQualifiedName };
  assert.is(ok(await world.admin.post(CHECK, { entity, proposed: without('amount') })).verdict, 'breaks');
  const schema = { type: 'databaseSchema', fullyQualifiedName: world.schemaFqn };
  expectRefused(await world.admin.post(CHECK, { entity: schema, proposed: without() }), 400, /columns/);
});

test('an unreadable proposal is 400, and an unknown asset 404', async () => {
  const { orders } = await openShop();
  const send = (proposed: unknown, entity: JsonObject = ref(orders)) => world.admin.post(CHECK, { entity, proposed });
  expectRefused(await send(without(), { id: strayId(), type: 'table' }), 404);
  expectRefused(await send(without(), { type: 'table', fullyQualifiedName: 'no.such.table.here' }), 404);
  expectRefused(await send(without(), { id: 'x', type: 'table' }), 400);
  expectRefused(await send(without(), { type: 'table' }), 400);
  for (const proposed of [
    undefined,
    {},
    { columns: [], ddl: 'x' },
    { columns: [{ name: 'a' }] },
    { columns: [{ name: 'a', dataType: 'NONSENSE' }] },
    { columns: [column('a'), column('A')] },
    { ddl: 'SELECT 1' },
    { ddl: 'ALTER TABLE' },
    { ddl: '' },
    { ddl: `ALTER TABLE t DROP COLUMN nope` },
    { ddl: `-- ${'x'.repeat(250_000)}` },
    { odcs: ': nonsense: [' },
    { odcs: '' },
    { odcs: 'apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: 1.0.0\nstatus: active\n' },
    { tables: [] },
  ]) {
    expectRefused(await send(proposed), 400);
  }
});

test('a caller who may not see the record is refused, and hidden assets are not reported', async () => {
  const tables = await tablesOf(world, 'a', 'hidden!');
  const [{ a }, hidden] = [tables, tables['hidden!']];
  ok(await feed(world.admin, a, hidden, { columnsLineage: [mapping(a, ['a'], hidden, 'b')] }));
  await contracted(hidden, { schema: [column('b')] });
  const caller = await rights.person([HIDING]);
  const answer = await ask(a, { columns: [column('b'), column('c')] }, caller);
  assert.equal([answer.verdict, answer.breaks, answer.affected.entities], ['ok', [], 1]);
  assert.not.match(JSON.stringify(answer), hidden.name);
  assert.is((await ask(a, { columns: [column('b'), column('c')] })).verdict, 'breaks');
  expectRefused(await caller.post(CHECK, { entity: ref(hidden), proposed: { columns: [] } }), 403);
});

const readsColumn = (name: string, column: string, more: JsonObject = {}): JsonObject => ({
  name,
  description: `${name} must hold`,
  rule: JSON.stringify({ some: [{ var: 'columns' }, { '==': [{ var: 'name' }, column] }] }),
  enabled: true,
  ...more,
});

test('inherited contracts break too, except for overridden parts and other kinds', async () => {
  const { orders, totals, own } = await openShop();
  const { samples } = createQualityTests(world.service);
  const domain = await samples.create('domain');
  const product = await samples.create('dataProduct', { domains: [domain.fullyQualifiedName] });
  const other = await samples.create('dataProduct', { domains: [domain.fullyQualifiedName] });
  const belong = async (table: Made, ...products: readonly Made[]) =>
    ok(
      await world.admin.patch(`/v1/tables/${table.id}`, {
        domains: [{ id: domain.id, type: 'domain' }],
        dataProducts: products.map(({ id }) => ({ id, type: 'dataProduct' })),
      }),
    );
  for (const table of [orders, totals]) await belong(table, product);
  const theirs: Made = ok(
    await world.admin.post('/v1/dataContracts', {
      name: uniqueName('contract'),
      entity: { id: product.id, type: 'dataProduct' },
      entityStatus: 'Approved',
      sla: { columnName: 'amount' },
      semantics: [
        readsColumn('amounts', 'amount'),
        readsColumn('totals', 'total'),
        readsColumn('topics', 'amount', { entityType: 'topic' }),
        readsColumn('others', 'amount', { ignoredEntities: ['table'] }),
        readsColumn('off', 'amount', { enabled: false }),
      ],
    }),
    201,
  );
  const broken = async (client: Client = world.admin) =>
    brief(await ask(orders, without('amount'), client)).filter((text: string) => text.startsWith(theirs.id));
  const whole = [
    `${theirs.id} 0 semantics.amounts`,
    `${theirs.id} 0 sla.columnName`,
    `${theirs.id} 1 semantics.totals`,
  ];
  assert.equal(await broken(), whole);
  const { breaks } = await ask(orders, without('amount'));
  const first = breaks.find(({ contract }: Answer) => contract.id === theirs.id);
  assert.is(first.entity.id, orders.id, 'it is told at which record');
  const path = `/v1/dataContracts/${own.id}`;
  ok(await world.admin.patch(path, { semantics: [readsColumn('amounts', 'id')], sla: { columnName: 'id' } }));
  assert.equal(await broken(), [`${theirs.id} 1 semantics.totals`]);
  ok(await world.admin.delete(path));
  assert.equal(await broken(), whole, 'a contract that is hidden says nothing');
  const blind = await rights.person([
    { effect: 'deny', operations: ['ViewAll'], resources: ['dataContract'], condition: '!isOwner()' },
  ]);
  assert.equal(await broken(blind), []);
  await belong(orders, product, other);
  assert.equal(await broken(), [`${theirs.id} 1 semantics.totals`], 'of two products neither counts');
  ok(await world.admin.patch(`/v1/dataContracts/${theirs.id}`, { entityStatus: 'Draft' }));
  assert.equal(await broken(), []);
});

test('an asset where only an inherited contract breaks comes before nearer ones where none does', async () => {
  const source = await world.table('source', [column('id'), column('amount')]);
  const near = await world.table('near', [column('amount')]);
  const far = await world.table('far', [column('amount')]);
  ok(await feed(world.admin, source, near, { columnsLineage: [mapping(source, ['amount'], near, 'amount')] }));
  ok(await feed(world.admin, near, far, { columnsLineage: [mapping(near, ['amount'], far, 'amount')] }));
  const own = await contracted(far, { schema: [] });
  const { samples } = createQualityTests(world.service);
  const domain = await samples.create('domain');
  const product = await samples.create('dataProduct', { domains: [domain.fullyQualifiedName] });
  const patch = { domains: [ref(domain, 'domain')], dataProducts: [ref(product, 'dataProduct')] };
  ok(await world.admin.patch(`/v1/tables/${far.id}`, patch));
  const theirs = await contracted(product, {
    entity: ref(product, 'dataProduct'),
    entityStatus: 'Approved',
    semantics: [readsColumn('amounts', 'amount')],
  });
  const { breaks, affected } = await ask(source, { columns: [column('id')] });
  assert.equal(
    breaks.map(({ contract, entity }: Answer) => [contract.id, entity.id]),
    [[theirs.id, far.id]],
  );
  assert.equal(
    affected.assets.map(({ entity, contracts }: Answer) => [
      entity.id,
      contracts.map(({ id, fqn, broken }: Answer) => [id, fqn, broken]),
    ]),
    [
      [
        far.id,
        [
          [own.id, own.fullyQualifiedName, []],
          [theirs.id, theirs.fullyQualifiedName, ['semantics.amounts']],
        ],
      ],
      [near.id, []],
    ],
  );
});

test.run();
