import * as assert from 'uvu/assert';
import { assetLineageOf, drawTree } from '../../src/cli/lineage-tree.ts';
import { createShop, openShell, SHOP_SCHEMA as SCHEMA, type Shell } from '../support/shell.ts';
import { suite } from '../support/suite.ts';

/** Shows what the commands that read the catalog print, against a service of their own. */

const test = suite('cli: reading the catalog');

let shell: Shell;

const run = (...args: string[]) => shell.run(...args);
const send = (method: string, path: string, body: object) => shell.send(method, path, body);

const table = (fullyQualifiedName: string) => ({ type: 'table', fullyQualifiedName });

const makeTable = (name: string, description?: string) =>
  send('POST', 'tables', {
    name,
    databaseSchema: SCHEMA,
    columns: [{ name: 'id', dataType: 'INT' }],
    ...(description === undefined ? {} : { description }),
  });

const feed = (from: string, to: string) =>
  send('PUT', 'lineage', {
    edge: {
      fromEntity: table(`${SCHEMA}.${from}`),
      toEntity: table(`${SCHEMA}.${to}`),
      lineageDetails: { columnsLineage: [{ fromColumns: [`${SCHEMA}.${from}.id`], toColumn: `${SCHEMA}.${to}.id` }] },
    },
  });

test.before(async () => {
  shell = await openShell();
  await createShop(shell);
  await makeTable('orders', `Every order \u001b[31mred\u001b[0m\u0007\nand its id`);
  for (const name of ['daily', 'weekly', 'report']) await makeTable(name);
  await feed('orders', 'daily');
  await feed('daily', 'weekly');
  await feed('daily', 'report');
  await feed('weekly', 'report');
  await feed('report', 'orders');
});

test.after(() => shell.stop());

/** What a terminal would obey instead of showing it. */
const controlsIn = (text: string): readonly string[] => [...text.replaceAll('\n', '')].filter((letter) => letter < ' ');

test('the status names the service, the caller and what it holds', async () => {
  const { code, stdout } = await run('status');
  assert.is(code, 0);
  assert.match(stdout, /You are admin, an administrator\./);
  assert.match(stdout, /^table +4$/m);
  const told = JSON.parse((await run('status', '--json')).stdout);
  assert.equal([told.server, told.user, told.isAdmin], [shell.service.address, 'admin', true]);
});

test('a search prints a table without control characters, and ends with 1 when nothing is found', async () => {
  const found = await run('search', 'orders', '--type', 'table');
  assert.is(found.code, 0);
  assert.match(
    found.stdout,
    /^Type +Name +Owners +Description\ntable +shop_db\.shop\.public\.orders .*Every order red and/,
  );
  assert.equal(controlsIn(found.stdout), []);
  const { hits } = JSON.parse((await run('search', 'orders', '--type', 'table', '--json')).stdout);
  assert.is(hits[0].fqn, `${SCHEMA}.orders`);
  const nothing = await run('search', 'zzzzzzzz');
  assert.equal([nothing.code, nothing.stdout, nothing.stderr], [1, '', 'Nothing was found.\n']);
});

test('an asset is shown as a page or as JSON', async () => {
  const { code, stdout } = await run('show', `${SCHEMA}.orders`);
  assert.is(code, 0);
  assert.match(stdout, /orders/);
  assert.equal(controlsIn(stdout), []);
  const record = JSON.parse((await run('show', `${SCHEMA}.orders`, '--json')).stdout);
  assert.equal([record.fullyQualifiedName, record.columns.length], [`${SCHEMA}.orders`, 1]);
  const missing = await run('show', `${SCHEMA}.nothing`);
  assert.equal([missing.code, missing.stdout], [1, '']);
  assert.match(missing.stderr, /There is no asset shop_db\.shop\.public\.nothing\. «tributary search» finds names\./);
  const near = await run('show', `${SCHEMA}.ordres`);
  assert.is(near.code, 1);
  assert.match(
    near.stderr,
    /There is no asset shop_db\.shop\.public\.ordres\. Did you mean .*table shop_db\.shop\.public\.orders/,
  );
  const cased = await run('show', `${SCHEMA}.ORDERS`, '--type', 'table');
  assert.is(cased.code, 1);
  assert.match(cased.stderr, /not found\. Did you mean .*orders/);
});

test('lineage is a tree that ends at cycles and counts what it does not show', async () => {
  const whole = await run('lineage', `${SCHEMA}.orders`, '--direction', 'downstream', '--depth', '5');
  assert.equal(whole, {
    code: 0,
    stderr: '',
    stdout: [
      `${SCHEMA}.orders`,
      'feeds',
      `└─ ${SCHEMA}.daily`,
      `   ├─ ${SCHEMA}.report`,
      `   │  └─ ${SCHEMA}.orders (see above)`,
      `   └─ ${SCHEMA}.weekly`,
      `      └─ ${SCHEMA}.report (see above)`,
      '',
    ].join('\n'),
  });
  const near = await run('lineage', `${SCHEMA}.orders`, '--direction', 'downstream', '--depth', '1');
  assert.match(near.stdout, /└─ shop_db\.shop\.public\.daily\n {3}└─ … 2 more\n$/);
  assert.match((await run('lineage', `${SCHEMA}.orders`)).stdout, /is made from\n└─ shop_db\.shop\.public\.report/);
});

test('the trail of a column is a tree of columns, whole unless a depth is given', async () => {
  const way = ['--column', 'id', '--direction', 'downstream'];
  const whole = await run('lineage', `${SCHEMA}.orders`, ...way);
  assert.equal(whole, {
    code: 0,
    stderr: '4 columns in 4 assets.\n',
    stdout: [
      `${SCHEMA}.orders.id`,
      'feeds',
      `└─ ${SCHEMA}.daily.id`,
      `   ├─ ${SCHEMA}.report.id`,
      `   │  └─ ${SCHEMA}.orders.id (see above)`,
      `   └─ ${SCHEMA}.weekly.id`,
      `      └─ ${SCHEMA}.report.id (see above)`,
      '',
    ].join('\n'),
  });
  assert.equal(await run('lineage', `${SCHEMA}.orders`, '--column', `${SCHEMA}.orders.id`, ...way.slice(2)), whole);
  const near = await run('lineage', `${SCHEMA}.orders`, ...way, '--depth', '1');
  assert.match(near.stdout, /feeds\n└─ shop_db\.shop\.public\.daily\.id\n$/);
  assert.match(near.stderr, /^2 columns in 2 assets\. \d+ further columns lie beyond: raise --depth\.\n$/);
  const none = await run('lineage', `${SCHEMA}.orders`, '--column', 'nothing');
  assert.is(none.code, 1);
  assert.match(none.stderr, /nothing/);
});

test('an impact lists what a change breaks, and a path how data flows', async () => {
  const impact = await run('impact', `${SCHEMA}.orders`, '--column', 'id');
  assert.is(impact.code, 0);
  assert.match(impact.stdout, /^certain +shop_db\.shop\.public\.daily/m);
  assert.match(impact.stderr, /^\d+ assets, \d+ columns/);
  const path = await run('path', `${SCHEMA}.orders`, `${SCHEMA}.report`);
  assert.equal(path, {
    code: 0,
    stderr: '',
    stdout: `${SCHEMA}.orders\n  └─ ${SCHEMA}.daily\n    └─ ${SCHEMA}.report\n${SCHEMA}.orders\n  └─ ${SCHEMA}.daily\n    └─ ${SCHEMA}.weekly\n      └─ ${SCHEMA}.report\n`,
  });
});

test('a hidden asset has no name in a tree, and a deep chain is drawn', () => {
  const nodes = [
    { id: 'a', type: 'table', fullyQualifiedName: 'a' },
    { id: 'b', type: 'table', hidden: true },
  ];
  const chain = Array.from({ length: 40 }, (_, at) => ({ id: `n${at}`, type: 'topic', fullyQualifiedName: `n${at}` }));
  const edges = [
    { fromEntity: 'a', toEntity: 'b' },
    { fromEntity: 'a', toEntity: 'n0' },
    ...chain.slice(1).map((node, at) => ({ fromEntity: `n${at}`, toEntity: node.id })),
  ];
  const graph = assetLineageOf({ root: nodes[0], nodes: [...nodes, ...chain], edges, hiddenCounts: {} });
  const lines = drawTree(graph, 'downstream');
  assert.is(lines[0], '├─ (a table that you may not see)');
  assert.is(lines.length, 41);
  assert.is(lines.at(-1)?.trimStart(), '└─ n39 (topic)');
});

test.run();
