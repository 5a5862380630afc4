import * as assert from 'node:assert/strict';
import type { Worker } from 'node:worker_threads';
import type { ColumnLineage } from '../../../src/lineage/sql/column-lineage.ts';
import { DIALECT_NAMES } from '../../../src/lineage/sql/dialect.ts';
import { openSqlReader } from '../../../src/lineage/sql/reader.ts';
import { PATIENCE_MS, waitFor, waitUntil } from '../../support/patience.ts';
import { requireDialect } from '../../support/sql.ts';
import { suite } from '../../support/suite.ts';

/** Shows the limits of the SQL reader and its recovery from parser failures. */

const test = suite('lineage: SQL reader');
/** What is read does not depend on how busy the machine is, except where a case is about time. */
const reader = openSqlReader({ timeoutMs: PATIENCE_MS });
test.after(() => reader.close());

const many = (count: number, made: (index: number) => string, between: string): string =>
  Array.from({ length: count }, (_, index) => made(index)).join(between);

const read = (sql: string, dialect = 'postgres'): Promise<ColumnLineage> =>
  reader.columnLineageOf(sql, requireDialect(dialect), () => undefined);

const reasonsOf = ({ unresolved }: ColumnLineage): readonly string[] => unresolved.map(({ reason }) => reason);

test('a long text is parsed', async () => {
  const list = await read(`select a from t where b in (${many(30_000, String, ',')})`);
  assert.equal(list.mappings.length, 1);
  const unions = await read(many(2_000, (index) => `select a from t${index}`, ' union all '));
  assert.equal(unions.mappings.length, 1);
  assert.equal(unions.mappings[0]?.fromColumns.length, 2_000);
  const wide = await read(
    `select ${many(3_000, (index) => `f(a.c${index}) as c${index}`, ', ')} from a join b on true`,
  );
  assert.equal(wide.mappings.length, 3_000);
  assert.equal(wide.mappings[2_999]?.function, 'f(a.c2999)');
});

test('a nested text is parsed up to a limit and reported beyond it', async () => {
  const nested = (depth: number): string => `select ${'('.repeat(depth)}a${')'.repeat(depth)} as x from t`;
  const cases = (depth: number): string =>
    `select ${'case when a then '.repeat(depth)}b${' end'.repeat(depth)} as x from t`;
  for (const sql of [
    nested(50),
    cases(40),
    many(700, (index) => `a${index}`, ' + ').replace(/^(.*)$/, 'select $1 as x from t'),
  ]) {
    const lineage = await read(sql, 'snowflake');
    assert.deepEqual(reasonsOf(lineage), [], sql.slice(0, 40));
    assert.equal(lineage.mappings.length, 1, sql.slice(0, 40));
  }
  for (const sql of [nested(51), nested(50_000), cases(51), `select ${'('.repeat(50_000)}`]) {
    assert.deepEqual(reasonsOf(await read(sql, 'snowflake')), ['too deep'], sql.slice(0, 40));
  }
});

test('a text that breaks the parser is reported, and the next one is parsed', async () => {
  const broken = await read(`select a from t where ${many(5_000, (index) => `b = ${index}`, ' or ')}`);
  assert.deepEqual(reasonsOf(broken), ['too deep']);
  assert.deepEqual(broken.mappings, []);
  assert.equal((await read('select a from t')).mappings.length, 1);
});

test('texts that are too long, too wide or too many are reported', async () => {
  assert.deepEqual(reasonsOf(await read(`select a from t -- ${'x'.repeat(200_000)}`)), ['too long']);
  const doubling = many(40, (index) => `c${index + 1} as (select * from c${index} x, c${index} y)`, ',');
  assert.deepEqual(reasonsOf(await read(`with c0 as (select 1 a, 2 b), ${doubling} select * from c40`)), [
    'too many columns',
  ]);
  const statements = await read(many(1_001, () => 'select a from t', ';'));
  assert.deepEqual(reasonsOf(statements), ['too long']);
  assert.equal(statements.mappings.length, 1);
});

test('a slow text is aborted, which only works outside the event loop, and the next one is parsed', async () => {
  const hasty = openSqlReader({ timeoutMs: 300 });
  try {
    // The grammar of this dialect tries every call in two ways.
    const sql = `select ${'f('.repeat(45)}a${')'.repeat(45)} as x from t`;
    const slow = await hasty.columnLineageOf(sql, requireDialect('postgres'), () => undefined);
    assert.deepEqual(reasonsOf(slow), ['too slow']);
    // The limit holds for a short text too, and a busy machine may need several tries to keep it.
    const next = () => hasty.columnLineageOf('select a from t', requireDialect('postgres'), () => undefined);
    await waitFor(next, ({ mappings }) => mappings.length === 1, 'the next one is parsed');
  } finally {
    await hasty.close();
  }
});

test('concurrent texts each get their own result', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => read(`select c${index} from t`)));
  assert.deepEqual(
    answers.map(({ mappings }) => mappings.map(({ toColumn }) => toColumn)),
    answers.map((_, index) => [`c${index}`]),
  );
});

test('a closed reader completes pending requests, and an idle one restarts', async () => {
  const closing = openSqlReader({ timeoutMs: PATIENCE_MS });
  const waiting = [1, 2].map(() => closing.columnLineageOf('select a from t', requireDialect('ansi'), () => undefined));
  await closing.close();
  assert.deepEqual((await Promise.all(waiting)).map(reasonsOf), [['failed'], ['failed']]);
  const idle = openSqlReader({ timeoutMs: PATIENCE_MS, idleMs: 1 });
  const ask = () => idle.tablesOf('select a from t', requireDialect('ansi'));
  const threads: Worker[] = [];
  const note = (thread: Worker) => threads.push(thread);
  process.on('worker', note);
  assert.deepEqual(await ask(), [['t']]);
  // Node gives a thread that has ended the number -1.
  await waitUntil(() => threads[0]?.threadId === -1, 'the thread has ended');
  assert.deepEqual(await ask(), [['t']]);
  assert.equal(threads.length, 2);
  process.off('worker', note);
  await idle.close();
});

/** Numbers that look random and are the same in every run. */
const numbers = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const WORDS =
  `select from where with recursive as union all except insert into values update set merge using when matched
  then create table view delete join left natural on group by order limit case end over partition lateral unnest exists
  in not null distinct * ( ) , ; . = + || :: -> [ ] { } {{ }} ' " \` -- /* */ $1 @v #x 'text' "name" 1 2.5 a b t u t.a c.* é 😀`.split(
    /\s+/,
  );

test('no random text makes the reader fail', async () => {
  const next = numbers(7);
  for (let round = 0; round < 600; round += 1) {
    const dialect = DIALECT_NAMES[round % DIALECT_NAMES.length] ?? 'generic';
    const words = Array.from({ length: 1 + next(25) }, () => WORDS[next(WORDS.length)]).join(next(4) === 0 ? '' : ' ');
    const { mappings, unresolved } = await read(words, dialect);
    for (const { fromColumns } of mappings) assert.ok(fromColumns.length > 0, words);
    assert.ok(!reasonsOf({ mappings, tables: [], unresolved }).includes('failed'), `${dialect}: ${words}`);
  }
});

const QUERY = `with c (x) as (select a from t where b > 1) insert into k (m, n) select c.x, coalesce(u.y, 0) + sum(z) over
  (partition by u.q) from c join u using (id) left join (select z, id from v union select 1, 2) w on w.id = u.id`;

test('no mangled statement makes the reader fail', async () => {
  const next = numbers(11);
  for (let round = 0; round < 300; round += 1) {
    const [one, other] = [next(QUERY.length), next(QUERY.length)];
    const sql = QUERY.slice(0, one) + QUERY.slice(other);
    const lineage = await read(sql, DIALECT_NAMES[round % DIALECT_NAMES.length] ?? 'generic');
    assert.ok(!reasonsOf(lineage).includes('failed'), sql);
  }
});

test.run();
