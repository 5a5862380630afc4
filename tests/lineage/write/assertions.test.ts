import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../src/model/json.ts';
import { ok } from '../../support/expect.ts';
import { moment } from '../../support/patience.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, feed, type Made, mapping, openWorld, pipelineIn, type World } from '../fixture.ts';

/** Shows that adding and withdrawing assertions at random leaves exactly the remaining ones, and how they are listed. */

const test = suite('lineage: assertions');

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

const pathOf = (from: Made, to: Made): string => `/v1/lineage/getLineageEdge/${from.id}/${to.id}`;

type Saying = { readonly source: string; readonly sqlQuery?: string; readonly columns: readonly string[] };

/** What is listed of each source when these sources say this, the last of them last. */
const listed = (said: readonly Saying[], from: Made, to: Made) =>
  said.toReversed().map(({ source, sqlQuery, columns }) => ({
    source,
    sqlQuery,
    columnsLineage: columns.map((name) => mapping(from, [name], to, name)),
  }));

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
      const reply = await world.admin.get(`${pathOf(from, to)}?assertions=true`);
      assert.is(reply.status, said.length > 0 ? 200 : 404, reply.text);
      if (said.length === 0) continue;
      const { source, sqlQuery, columnsLineage } = await detailsOf(world.admin, from, to);
      assert.equal({ source, sqlQuery, columnsLineage }, expected(said, from, to));
      const assertions: readonly JsonObject[] = reply.json.assertions;
      assert.equal(
        assertions.map((one) => ({
          source: one['source'],
          sqlQuery: one['sqlQuery'],
          columnsLineage: one['columnsLineage'],
        })),
        listed(said, from, to),
      );
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

test('an assertion tells when its source last said the same, and is listed only when asked for', async () => {
  const [from, to] = [await world.table('t'), await world.table('t')];
  const pipeline = await pipelineIn(world, 'load');
  const carried = { source: 'PipelineLineage', pipeline: { id: pipeline.id, type: 'pipeline' } };
  ok(await feed(world.admin, from, to, carried));
  ok(await feed(world.admin, from, to, { source: 'Manual', description: 'As agreed.' }));
  const read = async () => ok(await world.admin.get(`${pathOf(from, to)}?assertions=true`)).assertions;
  const [byHand, byPipeline] = await read();
  assert.is(byHand.description, 'As agreed.');
  assert.not.ok('pipeline' in byHand, 'what another source says is not mixed in');
  assert.is(byPipeline.pipeline.id, pipeline.id);
  assert.is(byPipeline.seenAt, byPipeline.updatedAt);
  await moment();
  ok(await feed(world.admin, from, to, carried));
  const [, again] = await read();
  assert.ok(again.seenAt > byPipeline.seenAt, 'the same again is a newer sight');
  assert.is(again.updatedAt, byPipeline.updatedAt);
  assert.not.ok('assertions' in ok(await world.admin.get(pathOf(from, to))));
});

test.run();
