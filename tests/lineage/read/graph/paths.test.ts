import * as assert from 'uvu/assert';
import { type ExpandFrontier, findShortestPaths } from '../../../../src/lineage/read/graph/shortest-paths.ts';
import { expectRef, expectRefused, ok } from '../../../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import { strayId } from '../../../support/samples.ts';
import { suite } from '../../../support/suite.ts';
import { detailsOf, feed, type Made, mapping, openWorld, type World } from '../../fixture.ts';
import { chain, HIDING, type Pair, randomPairs, tablesOf } from './fixture.ts';

/** Shows how paths between two records or columns are found. */

const test = suite('lineage: paths');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

type Path = { readonly length: number; readonly nodes: readonly Made[]; readonly edges: readonly unknown[] };

const between = async (from: Made, to: Made, query = '', client = world.admin) =>
  ok(await client.get(`/v1/lineage/paths?from=${from.id}&to=${to.id}${query}`));

const passed = ({ paths }: { readonly paths: readonly Path[] }): string[][] =>
  paths.map(({ nodes }) => nodes.map(({ id }) => id));

test('all paths between two records are returned, shortest first, with the details of each step', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  await chain(world.admin, a, b, c, d, b);
  await chain(world.admin, a, c);
  ok(await feed(world.admin, b, d, { sqlQuery: 'select 1' }));
  const answer = await between(a, d);
  assert.equal(Object.keys(answer), ['paths', 'truncated']);
  assert.is(answer.truncated, false);
  const wanted = [
    [a, b, c, d],
    [a, b, d],
    [a, c, d],
  ].map((path) => path.map(({ id }) => id));
  assert.equal(passed(answer).map(String).sort(), wanted.map(String).sort());
  assert.equal(
    answer.paths.map(({ length }: Path) => length),
    [2, 2, 3],
  );
  const direct = answer.paths.find(({ nodes }: Path) => nodes[1]?.id === b.id && nodes.length === 3);
  for (const node of direct.nodes) expectRef(node);
  const step = (from: Made, to: Made, lineageDetails: unknown) => ({
    fromEntity: from.id,
    toEntity: to.id,
    lineageDetails,
  });
  assert.equal(direct.edges, [
    step(a, b, await detailsOf(world.admin, a, b)),
    step(b, d, await detailsOf(world.admin, b, d)),
  ]);
  assert.equal(await between(d, a), { paths: [], truncated: false });
  assert.equal(await between(a, a), { paths: [], truncated: false });
});

test('number, length and avoided records of paths are limited as requested', async () => {
  const { a, b, c, d } = await tablesOf(world, 'a', 'b', 'c', 'd');
  await chain(world.admin, a, b, c, d);
  await chain(world.admin, a, c);
  const one = await between(a, d, '&maxPaths=1');
  assert.equal([passed(one), one.truncated], [[[a.id, c.id, d.id]], true]);
  const two = await between(a, d, '&maxPaths=2');
  assert.equal([two.paths.length, two.truncated], [2, false]);
  assert.equal(passed(await between(a, d, '&maxLength=2')), [[a.id, c.id, d.id]]);
  assert.equal(passed(await between(a, d, '&maxLength=1')), []);
  assert.equal(passed(await between(a, d, `&avoid=${b.id}`)), [[a.id, c.id, d.id]]);
  assert.equal(passed(await between(a, d, `&avoid=${strayId()},${c.id}`)), []);
  assert.equal(passed(await between(a, d, `&avoid=${a.id}`)), []);
});

test('paths lead from column to column, and from records to columns', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'b'), mapping(a, ['c'], b, 'c')] }));
  ok(await feed(world.admin, b, c, { columnsLineage: [mapping(b, ['b'], c, 'c')] }));
  const link = (table: Made, name?: string): string =>
    encodeURIComponent(`<#E::table::${table.fullyQualifiedName}${name === undefined ? '' : `::columns::${name}`}>`);
  const get = async (from: string, to: string) =>
    ok(await world.admin.get(`/v1/lineage/paths?from=${from}&to=${to}`)).paths;
  const step = (from: Made, fromColumn: string, to: Made, toColumn: string) => ({
    fromEntity: from.id,
    fromColumn: `${from.fullyQualifiedName}.${fromColumn}`,
    toEntity: to.id,
    toColumn: `${to.fullyQualifiedName}.${toColumn}`,
  });
  const steps = [step(a, 'a', b, 'b'), step(b, 'b', c, 'c')];
  const whole = await get(link(a, 'a'), link(c, 'c'));
  assert.equal(
    whole.map(({ edges }: Path) => edges),
    [steps],
  );
  assert.equal(
    whole[0].nodes.map(({ id }: Made) => id),
    [a.id, b.id, c.id],
  );
  for (const [from, to] of [
    [link(a), link(c, 'c')],
    [a.id, link(c, 'c')],
    [link(a, 'a'), c.id],
  ] as const) {
    assert.equal(
      (await get(from, to)).map(({ edges }: Path) => edges),
      [steps],
    );
  }
  assert.equal(await get(link(a, 'c'), link(c, 'c')), []);
  assert.equal((await get(link(a), link(c)))[0].length, 2);
  expectRefused(await world.admin.get(`/v1/lineage/paths?from=${link(a, 'nope')}&to=${c.id}`), 404);
});

test('no path leads through a hidden asset', async () => {
  const tables = await tablesOf(world, 'a', 'hidden!', 'b', 'c');
  const [{ a, b, c }, hidden] = [tables, tables['hidden!']];
  ok(await feed(world.admin, a, hidden, { columnsLineage: [mapping(a, ['a'], hidden, 'a')] }));
  ok(await feed(world.admin, hidden, b, { columnsLineage: [mapping(hidden, ['a'], b, 'a')] }));
  const caller = await rights.person([HIDING]);
  assert.is((await between(a, b)).paths.length, 1);
  assert.equal(await between(a, b, '', caller), { paths: [], truncated: false });
  const column = (table: Made) => encodeURIComponent(`<#E::table::${table.fullyQualifiedName}::columns::a>`);
  const columns = `/v1/lineage/paths?from=${column(a)}&to=${column(b)}`;
  assert.is(ok(await world.admin.get(columns)).paths.length, 1);
  assert.equal(ok(await caller.get(columns)).paths, []);
  await chain(world.admin, a, c, b);
  assert.equal(passed(await between(a, b, '', caller)), [[a.id, c.id, b.id]]);
  expectRefused(await caller.get(`/v1/lineage/paths?from=${a.id}&to=${hidden.id}`), 403);
});

test('an invalid request is refused with a reason', async () => {
  const { a } = await tablesOf(world, 'a');
  const get = (query: string) => world.admin.get(`/v1/lineage/paths?${query}`);
  expectRefused(await get(`to=${a.id}`), 400, /from must be given/);
  expectRefused(await get(`from=${a.id}&to=x`), 400, /entity link/);
  expectRefused(await get(`from=${a.id}&to=${strayId()}`), 404);
  expectRefused(await get(`from=${a.id}&to=${a.id}&maxPaths=101`), 400, /maxPaths/);
  expectRefused(await get(`from=${a.id}&to=${a.id}&maxLength=51`), 400, /maxLength/);
  expectRefused(await get(`from=${a.id}&to=${a.id}&avoid=x`), 400, /avoid/);
});

/** All paths that pass nothing twice, by trying everything. */
const everyPath = (pairs: readonly Pair[], from: number, to: number, most: number): number[][] => {
  const found: number[][] = [];
  const follow = (path: readonly number[]): void => {
    const last = path.at(-1);
    if (last === to && path.length > 1) found.push([...path]);
    else if (path.length <= most) {
      for (const [one, other] of pairs) if (one === last && !path.includes(other)) follow([...path, other]);
    }
  };
  follow([from]);
  return found.sort((a, b) => a.length - b.length);
};

const graphOf = (pairs: readonly Pair[]) => async (direction: 'upstream' | 'downstream', ids: readonly string[]) =>
  pairs
    .filter((pair) => ids.includes(String(pair[direction === 'downstream' ? 0 : 1])))
    .map(([from, to]) => [String(from), String(to)] as const);

test('paths equal those of an exhaustive search on random graphs with cycles', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const pairs = randomPairs(seed, 9, 8 + (seed % 20));
    for (const maxLength of [1, 3, 50]) {
      const search = { starts: ['0'], targets: ['8'], maxLength, maxHops: 1000 };
      const wanted = everyPath(pairs, 0, 8, maxLength).map(String).sort();
      const all = await findShortestPaths({ ...search, maxPaths: 100_000 }, graphOf(pairs));
      assert.equal(all.paths.map(String).sort(), wanted, `seed ${seed}, length ${maxLength}`);
      assert.is(all.truncated, false);
      const lengths = all.paths.map(({ length }) => length);
      assert.equal(
        lengths,
        [...lengths].sort((a, b) => a - b),
      );
      const few = await findShortestPaths({ ...search, maxPaths: 2 }, graphOf(pairs));
      assert.equal(few.paths, all.paths.slice(0, 2));
      assert.is(few.truncated, wanted.length > 2);
    }
  }
});

test('a search beyond its budget ends and says so, and one without a way out ends after two reads', async () => {
  const wide: Pair[] = Array.from({ length: 50 }, (_, at) => [[0, at + 1] as const, [at + 1, 99] as const]).flat();
  const search = { starts: ['0'], targets: ['99'], maxLength: 5, maxPaths: 5 };
  assert.is((await findShortestPaths({ ...search, maxHops: 10 }, graphOf(wide))).truncated, true);
  const full = Array.from({ length: 24 }, (_, one) => Array.from({ length: 24 }, (_, other) => [one, other] as const));
  const pairs = full.flat().filter(([one, other]) => one !== other && other !== 23);
  const among = { starts: ['0'], targets: ['23'], maxLength: 50, maxPaths: 5, maxHops: 10_000 };
  let reads = 0;
  const counted: ExpandFrontier = (...args) => {
    reads += 1;
    return graphOf(pairs)(args[0], args[1]);
  };
  // It would be truncated if it tried the ways among the others, which are far more than it may try.
  assert.equal(await findShortestPaths(among, counted), { paths: [], truncated: false });
  assert.is(reads, 2);
});

test.run();
