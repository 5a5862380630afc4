import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { createShop, openShell, SHOP_SCHEMA, type Shell } from '../support/shell.ts';
import { suite } from '../support/suite.ts';

/** Shows that files are brought into a running service and written from it. */

const test = suite('cli: import and export');

let shell: Shell;

const ORDERS = `${SHOP_SCHEMA}.orders`;

const file = (name: string) => join(shell.folder, name);

test.before(async () => {
  shell = await openShell();
  await createShop(shell);
  const columns = ['id', 'total'].map((name) => ({ name, dataType: 'INT' }));
  await shell.send('POST', 'tables', { name: 'orders', databaseSchema: SHOP_SCHEMA, columns });
});

test.after(() => shell.stop());

const event = (run: string, output: string, facets: object = {}) => ({
  eventTime: '2026-01-01T00:00:00Z',
  eventType: 'COMPLETE',
  producer: 'https://example.org/producer',
  schemaURL: 'https://example.org/schema',
  run: { runId: run },
  job: { namespace: 'jobs', name: `make_${output}`, facets },
  inputs: [{ namespace: 'shop_db', name: 'shop.public.orders' }],
  outputs: [{ namespace: 'elsewhere', name: output }],
});

const RUN = '0190a2b4-0000-7000-8000-000000000001';

test('events come from a list, from lines, from a packed file and from the standard input', async () => {
  const events = [event(RUN, 'daily', { colour: { _producer: 'x', _schemaURL: 'y' } }), event(RUN, 'weekly')];
  await writeFile(file('list.json'), JSON.stringify(events, null, 2));
  const list = await shell.run('import', 'openlineage', 'list.json');
  assert.is(list.code, 0, list.stderr);
  assert.match(list.stdout, /^2 events: 2 accepted, 0 refused\n1 assets matched, 2 created\n/);
  assert.match(list.stdout, /openlineage\.elsewhere\.default\.weekly/);
  assert.match(list.stdout, /Not applied\n {2}colour of a job: not known\n/);
  assert.match(list.stdout, /Namespaces that match no service\n(?: {2}.*\n)* {2}elsewhere/);
  await writeFile(file('lines.jsonl.gz'), gzipSync(events.map((one) => `${JSON.stringify(one)}\n`).join('')));
  const lines = JSON.parse((await shell.run('import', 'openlineage', 'lines.jsonl.gz', '--json')).stdout);
  // What the list made is matched by the lines.
  const made = ['daily', 'weekly'].map((name) => `openlineage.elsewhere.default.${name}`);
  assert.equal([lines.events, lines.accepted, lines.matched], [2, 2, [ORDERS, ...made]]);
  const one = await shell.pipe(JSON.stringify(event(RUN, 'yearly'), null, 2), 'import', 'openlineage', '-');
  assert.match(one.stdout, /^1 event: 1 accepted/);
  const tree = await shell.run('lineage', ORDERS, '--direction', 'downstream', '--depth', '1');
  for (const name of ['daily', 'weekly', 'yearly']) assert.match(tree.stdout, new RegExp(`default\\.${name}`));
});

test('refused events are named by their place, and the others are taken', async () => {
  const text = [JSON.stringify(event(RUN, 'good')), 'no json', '{"job": 1}', JSON.stringify(event(RUN, 'last'))];
  const mixed = await shell.pipe(text.join('\n'), 'import', 'openlineage', '-');
  assert.is(mixed.code, 1);
  assert.match(mixed.stdout, /^4 events: 2 accepted, 2 refused\n/);
  assert.match(mixed.stdout, /- line 2: .*JSON/);
  assert.match(mixed.stdout, /- line 3: /);
  const nothing = await shell.pipe('', 'import', 'openlineage', '-');
  assert.equal([nothing.code, nothing.stderr], [1, '- holds no event.\n']);
  const broken = await shell.run('import', 'openlineage', 'missing.json');
  assert.equal([broken.code, broken.stdout], [1, '']);
  assert.match(broken.stderr, /missing\.json cannot be read/);
  await writeFile(file('cut.json.gz'), gzipSync(JSON.stringify(event(RUN, 'cut'))).subarray(0, 60));
  const cut = await shell.run('import', 'openlineage', 'cut.json.gz');
  assert.equal([cut.code, /cut\.json\.gz cannot be read/.test(cut.stderr)], [1, true]);
});

test('more events than one request takes are sent in several', async () => {
  const lines = Array.from({ length: 450 }, () => JSON.stringify(event(RUN, 'daily')));
  const many = JSON.parse((await shell.pipe(lines.join('\n'), 'import', 'openlineage', '-', '--json')).stdout);
  assert.equal([many.events, many.accepted, many.refused], [450, 450, 0]);
});

test('a CSV file is judged first and written with --apply', async () => {
  const exported = await shell.run('export', ORDERS, '--out', 'orders.csv');
  assert.equal(exported, { code: 0, stdout: '', stderr: `${ORDERS} was written to orders.csv.\n` });
  const text = await readFile(file('orders.csv'), 'utf8');
  await writeFile(file('orders.csv'), `${text.replace('id,,', 'id,Number,')}extra,,,,NONSENSE,,,,\r\n`);
  const description = async () => {
    const { columns } = JSON.parse((await shell.run('show', ORDERS, '--json')).stdout);
    return columns[0].displayName;
  };
  const judged = await shell.run('import', 'csv', ORDERS, 'orders.csv');
  assert.is(judged.code, 1);
  assert.match(judged.stdout, /^Row +Name +Result\n4 +extra +.*NONSENSE.*\n2 +id +updated\n3 +total +updated\n$/);
  assert.match(judged.stderr, /2 of 3 rows would be applied\. Nothing was written/);
  assert.is(await description(), undefined);
  const applied = JSON.parse((await shell.run('import', 'csv', ORDERS, 'orders.csv', '--apply', '--json')).stdout);
  assert.equal([applied.dryRun, applied.numberOfRowsFailed, applied.rows[2].status], [false, 1, 'failure']);
  assert.is(await description(), 'Number');
  const header = await shell.pipe('a,b\n', 'import', 'csv', ORDERS, '-');
  assert.equal([header.code, header.stdout, /INVALID_HEADER/.test(header.stderr)], [1, '', true]);
});

test('what changes or checks the whole service answers JSON when asked', async () => {
  const answer = async (...line: readonly string[]) => {
    const { code, stdout, stderr } = await shell.run(...line, '--json');
    assert.equal([code, stderr], [0, ''], line.join(' '));
    return JSON.parse(stdout);
  };
  assert.match((await answer('reindex', 'table')).message, /^\d+ documents written/);
  const { isIntact, entries, lastHash } = await answer('audit', 'verify');
  assert.equal([isIntact, entries > 0, lastHash.length], [true, true, 64]);
  const seeded = await answer('seed');
  assert.ok(seeded.records > 200 && seeded.login.password.length > 10);
});

test('an export overwrites nothing by itself, and writes CSV, graphs and contracts', async () => {
  await writeFile(file('kept.txt'), 'kept');
  const refused = await shell.run('export', ORDERS, '--out', 'kept.txt');
  assert.equal([refused.code, await readFile(file('kept.txt'), 'utf8')], [1, 'kept']);
  assert.match(refused.stderr, /kept\.txt exists: --force overwrites it/);
  assert.is((await shell.run('export', ORDERS, '--out', 'kept.txt', '--force')).code, 0);
  assert.match(await readFile(file('kept.txt'), 'utf8'), /^column\.name/);
  const whole = await shell.run('export', 'shop_db', '--recursive');
  assert.match(whole.stdout, /shop_db\.shop\.public\.orders/);
  const graph = await shell.run('export', ORDERS, '--lineage', 'mermaid');
  assert.match(graph.stdout, /^flowchart LR\n/);
  const none = await shell.run('export', ORDERS, '--odcs');
  assert.equal([none.code, none.stderr], [1, `${ORDERS} has no contract\n`]);
  const { id } = (await shell.send('GET', `tables/name/${ORDERS}`)) as { id: string };
  const schema = [{ name: 'id', dataType: 'INT' }];
  await shell.send('POST', 'dataContracts', { name: 'promise', entity: { id, type: 'table' }, schema });
  assert.match((await shell.run('export', ORDERS, '--odcs')).stdout, /^apiVersion: v3.*\nkind: DataContract\n/);
  assert.is((await shell.run('export', ORDERS, '--odcs', '--lineage', 'dot')).code, 2);
});

test.run();
