import * as assert from 'node:assert/strict';
import { openSqlReader } from '../../../src/lineage/sql/reader.ts';
import type { SessionTemporary } from '../../../src/lineage/sql/temporary-table.ts';
import { createRandom } from '../../support/random.ts';
import { requireDialect } from '../../support/sql.ts';
import { suite } from '../../support/suite.ts';

/** Compares what is read of random chains of temporary tables with a list of origins kept by hand. */

const test = suite('lineage: random sessions');
const reader = openSqlReader({ timeoutMs: 30_000 });
test.after(() => reader.close());

const LASTING = ['r0', 'r1', 'r2'];
const COLUMNS = ['a', 'b', 'c'];
const TARGET = ['x', 'y'];

type Random = ReturnType<typeof createRandom>;

/** A relation as the reference knows it: its columns in order, each with all its origins, and the tables behind it. */
type Relation = { readonly columns: Map<string, Set<string>>; readonly sources: Set<string> };

const lasting = (name: string): Relation => ({
  columns: new Map(COLUMNS.map((column) => [column, new Set([`${name}.${column}`])])),
  sources: new Set([name]),
});

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T;

type Session = { readonly relations: Map<string, Relation>; readonly statements: string[]; next: number };

const addCreated = (random: Random, session: Session): void => {
  const name = `t${session.next}`;
  session.next += 1;
  const [from, relation] = pick(random, [...session.relations]);
  if (random(3) === 0) {
    session.statements.push(`create temp table ${name} as select * from ${from}`);
    session.relations.set(name, {
      columns: new Map([...relation.columns].map(([column, origins]) => [column, new Set(origins)])),
      sources: new Set(relation.sources),
    });
    return;
  }
  const [other, second] = pick(random, [...session.relations]);
  const [one, two] = [pick(random, [...relation.columns]), pick(random, [...second.columns])];
  session.statements.push(
    `create temp table ${name} as select l.${one[0]} as k, l.${one[0]} || m.${two[0]} as v from ${from} l cross join ${other} m`,
  );
  session.relations.set(name, {
    columns: new Map([
      ['k', new Set(one[1])],
      ['v', new Set([...one[1], ...two[1]])],
    ]),
    sources: new Set([...relation.sources, ...second.sources]),
  });
};

const addFilled = (random: Random, session: Session): void => {
  const temporaries = [...session.relations].filter(([name]) => name.startsWith('t'));
  if (temporaries.length === 0) return;
  const [into, filled] = pick(random, temporaries);
  const [from, relation] = pick(random, [...session.relations]);
  const [column, origins] = pick(random, [...filled.columns]);
  const [source, added] = pick(random, [...relation.columns]);
  session.statements.push(`insert into ${into} (${column}) select ${source} from ${from}`);
  for (const origin of added) origins.add(origin);
  for (const one of relation.sources) filled.sources.add(one);
};

test('every chain leads back to the columns that it was made from', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = createRandom(seed);
    const session: Session = {
      relations: new Map(LASTING.map((name) => [name, lasting(name)])),
      statements: [],
      next: 0,
    };
    for (let step = 0; step < 12; step += 1) (random(3) === 0 ? addFilled : addCreated)(random, session);
    const [from, relation] = pick(
      random,
      [...session.relations].filter(([name]) => name.startsWith('t')),
    );
    const [one, two] = [pick(random, [...relation.columns]), pick(random, [...relation.columns])];
    session.statements.push(`insert into target select ${one[0]}, ${two[0]} from ${from}`);

    const known = [
      ...LASTING.map((name) => [[name], COLUMNS.map((column) => [column])] as const),
      [['target'], TARGET.map((column) => [column])] as const,
    ];
    const temporaries = new Map<string, SessionTemporary>();
    let found = new Map<string, Set<string>>();
    let reads: readonly string[] = [];
    for (const sql of session.statements) {
      const reading = await reader.sessionStatementOf(sql, requireDialect('postgres'), known, [
        ...temporaries.values(),
      ]);
      assert.deepEqual(reading.unresolved, [], `seed ${seed}: ${sql}`);
      for (const made of reading.temporaries) temporaries.set(made.name[0]?.text ?? '', made);
      reads = reading.reads.map((table) => table.join('.'));
      found = new Map();
      for (const { toColumn, fromColumns } of reading.mappings) {
        const origins = found.get(toColumn) ?? new Set();
        found.set(toColumn, origins);
        for (const { table, column } of fromColumns) origins.add([...table, ...column].join('.'));
      }
    }
    const sorted = (set: Iterable<string> = []) => [...set].sort();
    assert.deepEqual(sorted(found.get('x')), sorted(one[1]), `seed ${seed}\n${session.statements.join(';\n')}`);
    assert.deepEqual(sorted(found.get('y')), sorted(two[1]), `seed ${seed}\n${session.statements.join(';\n')}`);
    assert.deepEqual(sorted(reads), sorted(relation.sources), `seed ${seed}`);
  }
});

test.run();
