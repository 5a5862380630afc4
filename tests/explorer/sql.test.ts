import * as assert from 'uvu/assert';
import { breakLines, type SqlKind, splitSql } from '../../src/explorer/lineage/sql.ts';
import { expectLinearCalls } from '../support/count-calls.ts';
import { suite } from '../support/suite.ts';

/** Shows that SQL is cut into the right parts, whatever it holds, and that nothing of it is lost. */

const test = suite('explorer: SQL in colours');

const partsOf = (sql: string, kind: SqlKind): readonly string[] =>
  splitSql(sql)
    .filter((part) => part.kind === kind)
    .map(({ text }) => text);

const whole = (sql: string): string =>
  splitSql(sql)
    .map(({ text }) => text)
    .join('');

test('keywords, texts, numbers, names and calls are told apart', () => {
  const sql = `SELECT sum(o.total), "from", \`order\`, 12.5 FROM orders o WHERE o.state = 'from ''here''' -- where\n`;
  assert.equal(partsOf(sql, 'keyword'), ['SELECT', 'FROM', 'WHERE']);
  assert.equal(partsOf(sql, 'call'), ['sum']);
  assert.equal(partsOf(sql, 'name'), ['"from"', '`order`']);
  assert.equal(partsOf(sql, 'number'), ['12.5']);
  assert.equal(partsOf(sql, 'text'), [`'from ''here'''`]);
  assert.equal(partsOf(sql, 'comment'), ['-- where']);
  assert.is(whole(sql), sql);
});

test('comments and texts hold what looks like SQL, and may never end', () => {
  assert.equal(partsOf('/* select\n1 */ select 2', 'comment'), ['/* select\n1 */']);
  assert.equal(partsOf('select 1 /* and then', 'comment'), ['/* and then']);
  assert.equal(partsOf("select 'no end", 'text'), ["'no end"]);
  assert.equal(partsOf('as $$ select 1 $$ language sql', 'text'), ['$$ select 1 $$']);
  assert.equal(partsOf('select fromage, selected from t', 'keyword'), ['select', 'from']);
});

test('nothing is lost or added, tags and emoji included', () => {
  for (const sql of [
    '',
    '<img src=x onerror=alert(1)>',
    'sélect ❄️ {{ ref("a") }} %(x)s',
    "'\\'' || E'\\n'",
    '[a b] [1]',
  ])
    assert.is(whole(sql), sql);
});

test('a statement of a megabyte is one part, and work grows with its length', () => {
  assert.is(splitSql(`select ${'a, '.repeat(300_000)}b`).length, 1);
  assert.is(whole(`${'('.repeat(20_000)}'`).length, 20_001);
  expectLinearCalls(2_000, (size) => `select ${'a, '.repeat(size)}b`, splitSql);
});

test('a statement in one line is broken before its clauses, and no other is', () => {
  assert.is(
    breakLines("select a, ' from ' from t left outer join u using (a) where b group by 1"),
    "select a, ' from '\nfrom t\nleft outer join u using (a)\nwhere b\ngroup by 1",
  );
  assert.is(breakLines('select 1\n from t where a'), 'select 1\n from t where a');
});

test.run();
