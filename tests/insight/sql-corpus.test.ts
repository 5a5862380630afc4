import * as assert from 'uvu/assert';
import { column, openWorld, type World } from '../lineage/fixture.ts';
import { ok } from '../support/expect.ts';
import { suite } from '../support/suite.ts';
import { CORPUS_TABLES, type CorpusScript, SQL_CORPUS } from './sql-corpus.ts';

/** Measures how much of the lineage of a corpus is found, and how much of what is found is true. */

const test = suite('insight: precision and recall of SQL lineage');

let world: World;

test.before(async () => {
  world = await openWorld();
  await Promise.all(
    Object.entries(CORPUS_TABLES).map(([name, columns]) =>
      world.make('tables', {
        name,
        databaseSchema: world.schemaFqn,
        columns: columns.split(' ').map((one) => column(one)),
      }),
    ),
  );
});

type Facts = { readonly tables: ReadonlySet<string>; readonly columns: ReadonlySet<string> };

const expectedFacts = ({ edges }: CorpusScript): Facts => {
  const split = edges.map((edge) => {
    const [ends = '', maps = ''] = edge.split(':');
    const [from = '', to = ''] = ends.split(' -> ');
    return { from: from.trim(), to: to.trim(), maps: maps.trim() };
  });
  return {
    tables: new Set(split.map(({ from, to }) => `${from} -> ${to}`)),
    columns: new Set(
      split.flatMap(({ from, to, maps }) =>
        maps === '' ? [] : maps.split(' ').map((map) => `${from}.${map.replace('>', ` -> ${to}.`)}`),
      ),
    ),
  };
};

const foundFacts = async (script: CorpusScript): Promise<Facts> => {
  const { dialect, sql: text } = script;
  const place = { service: world.serviceFqn, database: 'db', schema: 'public', dialect };
  const { edges } = ok(await world.admin.post('/v1/lineage/sql', { ...place, text }));
  const short = (fqn: string): string => fqn.slice(world.schemaFqn.length + 1);
  type Edge = { from: { name: string }; to: { name: string }; columns: { fromColumns: string[]; toColumn: string }[] };
  return {
    tables: new Set(edges.map(({ from, to }: Edge) => `${from.name} -> ${to.name}`)),
    columns: new Set(
      edges.flatMap(({ columns }: Edge) =>
        columns.flatMap((one) => one.fromColumns.map((from) => `${short(from)} -> ${short(one.toColumn)}`)),
      ),
    ),
  };
};

type Tally = { expected: number; found: number; both: number };

const startTally = (): Tally => ({ expected: 0, found: 0, both: 0 });

const count = (tally: Tally, expected: ReadonlySet<string>, found: ReadonlySet<string>): void => {
  tally.expected += expected.size;
  tally.found += found.size;
  tally.both += [...found].filter((one) => expected.has(one)).length;
};

const ratio = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const describeTally = (name: string, { expected, found, both }: Tally): string =>
  `${name}: ${expected} expected, ${found} found, precision ${percent(ratio(both, found))}, recall ${percent(ratio(both, expected))}`;

const difference = (one: ReadonlySet<string>, other: ReadonlySet<string>): readonly string[] =>
  [...one].filter((fact) => !other.has(fact));

test('nothing is guessed, and nearly everything that is written down is found', async () => {
  const total = { tables: startTally(), columns: startTally() };
  const lines: string[] = [];
  for (const [part, scripts] of SQL_CORPUS) {
    const own = { tables: startTally(), columns: startTally() };
    for (const script of scripts) {
      const [expected, found] = [expectedFacts(script), await foundFacts(script)];
      for (const kind of ['tables', 'columns'] as const) {
        count(own[kind], expected[kind], found[kind]);
        count(total[kind], expected[kind], found[kind]);
        const wrong = difference(found[kind], expected[kind]);
        const missing = difference(expected[kind], found[kind]);
        if (wrong.length + missing.length > 0)
          lines.push(`  ${script.dialect}, ${script.name}: wrong ${wrong.join('; ')} missing ${missing.join('; ')}`);
      }
    }
    lines.push(describeTally(`${part} (${scripts.length}), edges`, own.tables));
    lines.push(describeTally(`${part}, columns`, own.columns));
  }
  lines.push(describeTally('all, edges', total.tables), describeTally('all, columns', total.columns));
  console.log(lines.join('\n'));
  for (const { expected, found, both } of Object.values(total)) {
    assert.is(both, found, 'no edge and no column is guessed');
    assert.ok(both / expected > 0.85, `recall ${both / expected}`);
  }
});

test.run();
