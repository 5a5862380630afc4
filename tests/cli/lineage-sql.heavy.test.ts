import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createShop, openShell, SHOP_SCHEMA, type Shell } from '../support/shell.ts';
import { suite } from '../support/suite.ts';

/** Shows that scripts, folders of scripts and query logs are read on the command line. */

const test = suite('cli: lineage from SQL');

let shell: Shell;

const PLACE = ['--service', 'shop_db', '--database', 'shop', '--schema', 'public'];

const run = (path: string, ...more: string[]) => shell.run('lineage', 'sql', path, ...PLACE, ...more);

test.before(async () => {
  shell = await openShell();
  await createShop(shell);
  const columns = ['id', 'total'].map((name) => ({ name, dataType: 'INT' }));
  for (const name of ['orders', 'daily', 'weekly'])
    await shell.send('POST', 'tables', { name, databaseSchema: SHOP_SCHEMA, columns });
  const folder = join(shell.folder, 'scripts');
  await mkdir(join(folder, 'later'), { recursive: true });
  await writeFile(
    join(folder, 'a.sql'),
    'create temp table t as select * from orders; insert into daily select * from t;',
  );
  await writeFile(join(folder, 'later', 'b.sql'), 'insert into weekly select * from daily;\nselect * from nowhere;');
  await writeFile(join(folder, 'later', 'c.sql'), 'insert into weekly select * from t;');
  await writeFile(join(folder, 'notes.txt'), 'insert into orders select * from weekly');
  await writeFile(join(shell.folder, 'log.csv'), 'sql,count\nselect * from orders,3\n');
});

test.after(() => shell.stop());

test('a folder is read script by script, and nothing is written', async () => {
  const shown = await run('scripts');
  assert.is(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /orders +shop_db\.shop\.public\.daily +2 +0\.8/);
  assert.match(shown.stdout, /daily +shop_db\.shop\.public\.weekly +2 +0\.8/);
  assert.match(shown.stdout, /unknown table t \(1\)/, 'a temporary table of another script is not known');
  assert.match(shown.stdout, /unknown table nowhere \(1\)/);
  assert.match(shown.stderr, /3 of 5 statements understood\. Nothing was written: add --apply\./);
  const tree = await shell.run('lineage', `${SHOP_SCHEMA}.orders`, '--direction', 'downstream');
  assert.not.match(tree.stdout, /daily/);
});

test('what is shown is written when that is asked for', async () => {
  const shown = await run('scripts', '--apply');
  assert.is(shown.code, 0, shown.stderr);
  assert.match(shown.stderr, /2 edges written/);
  const tree = await shell.run('lineage', `${SHOP_SCHEMA}.orders`, '--direction', 'downstream');
  assert.match(tree.stdout, /daily[\s\S]*weekly/);
});

test('a query log tells what was asked', async () => {
  const shown = await run('log.csv');
  assert.match(shown.stdout, /Asked\n {2}shop_db\.shop\.public\.orders: 3/);
  const json = JSON.parse((await run('log.csv', '--json')).stdout);
  assert.equal([json.statements, json.usage[0].count], [3, 3]);
});

test('what cannot be read or sent is told', async () => {
  await mkdir(join(shell.folder, 'empty'));
  const cases = [
    [await run('nothing.sql'), /nothing\.sql cannot be read/],
    [await run('empty'), /empty has no file that ends with \.sql/],
    [await shell.run('lineage', 'sql', 'scripts', '--service', 'none'), /404/],
    [await shell.run('lineage', 'sql', 'scripts'), /--service/],
  ] as const;
  for (const [{ code, stderr }, message] of cases) {
    assert.is.not(code, 0);
    assert.match(stderr, message);
  }
});

test.run();
