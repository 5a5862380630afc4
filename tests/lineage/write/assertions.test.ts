import * as assert from 'uvu/assert';
import { ok } from '../../support/expect.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, feed, type Made, mapping, openWorld, type World } from '../fixture.ts';

/** Shows that adding and withdrawing assertions at random leaves exactly the remaining ones. */

const test = suite('lineage: assertions in random order');

let world: World;

test.before(async () => {
  world = await openWorld();
});

/** A small generator of numbers that is the same in every run. */
const numbers = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
};

const SOURCES = ['Manual', 'QueryLineage', 'DbtLineage'] as const;
const COLUMNS = ['a', 'b', 'c'] as const;

type Saying = { readonly source: string; readonly sqlQuery?: string; readonly columns: readonly string[] };

/** What an edge must show when these sources say this, the last of them last. */
const expected = (said: readonly Saying[], from: Made, to: Made) => {
  const newest = said.at(-1);
  const sqlQuery = said.findLast((saying) => saying.sqlQuery !== undefined)?.sqlQuery;
  const columns = new Set(said.flatMap((saying) => saying.columns));
  return {
    source: newest?.source,
    sqlQuery,
    columnsLineage: [...columns].map((name) => mapping(from, [name], to, name)),
  };
};

for (const seed of [1, 2, 3, 4]) {
  test(`random additions and withdrawals leave the remaining assertions (seed ${seed})`, async () => {
    const next = numbers(seed);
    const tables = [await world.table('t'), await world.table('t'), await world.table('t')] as const;
    const pairs = [
      [tables[0], tables[1]],
      [tables[1], tables[2]],
      [tables[2], tables[0]],
    ] as const;
    const model = pairs.map((): Saying[] => []);
    const act = async (): Promise<void> => {
      const at = next(pairs.length);
      const [from, to] = pairs[at] ?? pairs[0];
      const said = model[at] ?? [];
      const source = SOURCES[next(SOURCES.length)] ?? 'Manual';
      const known = said.findIndex((saying) => saying.source === source);
      if (next(3) === 0) {
        ok(await world.admin.delete(`/v1/lineage/table/${to.id}/type/${source}`));
        if (known >= 0) said.splice(known, 1);
        return;
      }
      if (next(12) === 0) {
        const reply = await world.admin.delete(`/v1/lineage/table/${from.id}/table/${to.id}`);
        assert.is(reply.status, said.length > 0 ? 200 : 404);
        said.length = 0;
        return;
      }
      const columns = COLUMNS.filter(() => next(2) === 0);
      const sqlQuery = next(2) === 0 ? `select ${next(1000)}` : undefined;
      const details = {
        source,
        ...(sqlQuery === undefined ? {} : { sqlQuery }),
        columnsLineage: columns.map((name) => mapping(from, [name], to, name)),
      };
      ok(await feed(world.admin, from, to, details));
      const saying = { source, ...(sqlQuery === undefined ? {} : { sqlQuery }), columns };
      // The same again is no newer word.
      if (known >= 0 && JSON.stringify(said[known]) === JSON.stringify(saying)) return;
      if (known >= 0) said.splice(known, 1);
      said.push(saying);
    };
    for (let step = 0; step < 40; step += 1) await act();
    for (const [at, [from, to]] of pairs.entries()) {
      const said = model[at] ?? [];
      const reply = await world.admin.get(`/v1/lineage/getLineageEdge/${from.id}/${to.id}`);
      assert.is(reply.status, said.length > 0 ? 200 : 404, reply.text);
      if (said.length === 0) continue;
      const { source, sqlQuery, columnsLineage } = await detailsOf(world.admin, from, to);
      assert.equal({ source, sqlQuery, columnsLineage }, expected(said, from, to));
      const rows = await world.service.graph.query(
        `MATCH (:Entity {id: $from})-[:HAS_COLUMN]->(a)-[d:DERIVES]->(b)<-[:HAS_COLUMN]-(:Entity {id: $to})
         RETURN a.name AS name ORDER BY name`,
        { from: from.id, to: to.id },
      );
      assert.equal(
        rows.map(({ name }) => name),
        [...new Set(said.flatMap(({ columns }) => columns))].sort(),
      );
    }
    const [open] = await world.service.graph.query(
      'MATCH (s:Assertion) WHERE s.fromId IN $ids AND s.until IS NULL RETURN count(s) AS count',
      { ids: tables.map(({ id }) => id) },
    );
    assert.is(open?.['count'], model.flat().length);
  });
}

test.run();
