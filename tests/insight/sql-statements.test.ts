import * as assert from 'uvu/assert';
import { fingerprintOf, hideValues, normaliseSql } from '../../src/insight/sql/fingerprint.ts';
import { splitScript } from '../../src/insight/sql/split-script.ts';
import { groupStatements } from '../../src/insight/sql/statement-groups.ts';
import { requireDialect } from '../support/sql.ts';
import { suite } from '../support/suite.ts';

/** Shows how scripts are split into statements, and which statements are the same. */

const test = suite('insight: statements of scripts');

const split = (dialect: string, script: string) => splitScript(script, requireDialect(dialect));

test('a script is split at semicolons outside of texts, names and comments', () => {
  assert.equal(split('postgres', 'select \';\' as "a;b" -- no; \n, 1 /* ; */;; select $$ ; $$ ;'), [
    'select \';\' as "a;b" -- no; \n, 1',
    'select $$ ; $$',
  ]);
  assert.equal(split('postgres', ' -- nothing\n ; '), []);
  assert.equal(split('mssql', 'select 1\nGO\nselect go from t\ngo\n'), ['select 1', 'select go from t']);
});

test('a procedure is one statement', () => {
  const procedure = `create or replace procedure p as
    v number := 1;
  begin
    if v > 0 then insert into a select b from c; end if;
    select case when v = 1 then 2 end into v from dual;
    loop begin delete from a; end; end loop;
  end`;
  assert.equal(split('oracle', `${procedure};\n/\nselect 1 from dual;`), [procedure, 'select 1 from dual']);
  const trigger = 'create trigger t after insert on a for each row begin insert into b values (1); delete from c; end';
  assert.equal(split('mysql', `${trigger}; select 1`), [trigger, 'select 1']);
  const batch = 'create procedure p as insert into a select 1; insert into b select 2;';
  assert.equal(split('mssql', `${batch}\nGO\nselect 1`), [batch, 'select 1']);
  const text = 'create function f() returns int language sql as $$ select 1; select 2; $$';
  assert.equal(split('postgres', `${text}; select 1`), [text, 'select 1']);
});

test('a transaction and names like keywords do not hide what follows', () => {
  assert.equal(split('postgres', 'begin; insert into a select 1; commit'), [
    'begin',
    'insert into a select 1',
    'commit',
  ]);
  assert.equal(split('mssql', 'begin tran; select 1; commit'), ['begin tran', 'select 1', 'commit']);
  assert.equal(split('postgres', 'create table function_log (a int); select 1'), [
    'create table function_log (a int)',
    'select 1',
  ]);
  assert.equal(split('postgres', 'create index i on t (trigger); select 1'), [
    'create index i on t (trigger)',
    'select 1',
  ]);
});

const same = (dialect: string, one: string, other: string): boolean => {
  const [a, b] = [one, other].map((sql) => fingerprintOf(normaliseSql(sql, requireDialect(dialect))));
  return a === b;
};

test('values, lists of values, case, spaces and comments make no difference', () => {
  const equal = [
    ["select A from T where b = 'x' and c = 1", "SELECT a\nfrom t where b='it''s' and c = 2.5e3 -- why"],
    ['select a from t where b in (1, 2, 3)', 'select a from t where b in (7)'],
    ["insert into t values (1, 'a'), (2, 'b')", "insert into t values (9, 'z')"],
    ['select a from t where b = $1', 'select a from t where b = 4'],
  ] as const;
  for (const [one, other] of equal) assert.ok(same('postgres', one, other), one);
  const different = [
    ['select a from t', 'select b from t'],
    ['select "A" from t', 'select "a" from t'],
    ['select a from t where b = c', 'select a from t where b = 1'],
    ['select a from t where b in (1, c)', 'select a from t where b in (1)'],
    ['select a, b from t', 'select a b from t'],
  ] as const;
  for (const [one, other] of different) assert.not(same('postgres', one, other), one);
  assert.not(same('mysql', "select a as 'x' from t", "select a as 'y' from t"), 'a text after AS is a name');
});

test('values are hidden where a statement is kept', () => {
  assert.is(
    hideValues("select a1, 'x' from t -- 7\nwhere b = 12 and c like 'me@example.org'", requireDialect('postgres')),
    'select a1, ? from t -- 7\nwhere b = ? and c like ?',
  );
});

test('executions keep their order, and what is the same is one group', async () => {
  const log = [
    { sql: 'select 1; select a from t', count: 2, at: 5, user: 'ann' },
    { sql: 'select 2', count: 1 },
  ];
  const { groups, executions } = await groupStatements(log, requireDialect('postgres'), 10, () => {});
  assert.equal(
    groups.map(({ sql }) => sql),
    ['select 1', 'select a from t'],
  );
  assert.equal(
    executions.map(({ group, session, at, count }) => [groups.indexOf(group), session, at, count]),
    [
      [0, 'ann', 5, 2],
      [1, 'ann', 5, 2],
      [0, '', undefined, 1],
    ],
  );
  const refusal = await groupStatements(log, requireDialect('postgres'), 2, () => {}).catch((error: Error) => error);
  assert.match(String(refusal), /must be at most 2/);
  const long = [{ sql: `select 1;${' '.repeat(2_000_001)}`, count: 1 }];
  assert.is((await groupStatements(long, requireDialect('postgres'), 10, () => {})).groups[0]?.sql, long[0]?.sql);
});

test.run();
