/**
 * Shows the history of column mappings that a source changes while the edge between the tables stays (clarifications,
 * Lineage).
 */
import * as assert from 'uvu/assert';
import { ok } from '../../support/expect.ts';
import { moment } from '../../support/patience.ts';
import { suite } from '../../support/suite.ts';
import { detailsOf, feed, type Made, mapping, openWorld, type World } from '../fixture.ts';
import { drawnAround, tablesOf } from '../read/graph/fixture.ts';

const test = suite('lineage: column history');

let world: World;

test.before(async () => {
  world = await openWorld();
});

type Joined = { readonly fromColumn: string; readonly toColumn: string; readonly function?: string };

const joined = (from: Made, one: string, to: Made, other: string): string =>
  `${from.fullyQualifiedName}.${one} > ${to.fullyQualifiedName}.${other}`;

const shown = (edges: readonly Joined[]): string[] =>
  edges
    .map(
      ({ fromColumn, toColumn, function: how }) => `${fromColumn} > ${toColumn}${how === undefined ? '' : ` ${how}`}`,
    )
    .sort();

const columnsAt = async (root: Made, at?: number): Promise<string[]> => {
  const { columnEdges } = await drawnAround(world.admin, root, `&columns=true${at === undefined ? '' : `&asOf=${at}`}`);
  return shown(columnEdges);
};

const compared = async ({ id }: Made, from: number, to: number) => {
  const { added, removed, changed } = ok(await world.admin.get(`/v1/lineage/diff?id=${id}&from=${from}&to=${to}`));
  for (const { nodes, edges } of [added, removed]) assert.equal([nodes, edges], [[], []], 'the edge lives on');
  return { added: shown(added.columnEdges), removed: shown(removed.columnEdges), changed };
};

test('a replaced mapping ends, and the edge stays the same', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  const say = async (from: string, to: string) =>
    ok(await feed(world.admin, a, b, { source: 'DbtLineage', columnsLineage: [mapping(a, [from], b, to)] }));
  await say('a', 'a');
  const { createdAt } = await detailsOf(world.admin, a, b);
  const before = await moment();
  await say('b', 'c');
  const after = await moment();
  const [old, fresh] = [joined(a, 'a', b, 'a'), joined(a, 'b', b, 'c')];
  assert.equal(await columnsAt(a, before), [old]);
  assert.equal(await columnsAt(a, after), [fresh]);
  assert.equal(await columnsAt(a), [fresh]);
  const { added, removed, changed } = await compared(a, before, after);
  assert.equal([added, removed], [[fresh], [old]]);
  assert.equal(
    changed.map(({ edge, before: was, after: is }: { edge: object; before: Said; after: Said }) => [
      edge,
      was.lineageDetails.columnsLineage,
      is.lineageDetails.columnsLineage,
    ]),
    [[{ fromEntity: a.id, toEntity: b.id }, [mapping(a, ['a'], b, 'a')], [mapping(a, ['b'], b, 'c')]]],
  );
  const back = await compared(a, after, before);
  assert.equal([back.added, back.removed], [[old], [fresh]]);
  assert.is((await detailsOf(world.admin, a, b)).createdAt, createdAt);
  const pairs = await world.service.graph.query(
    `MATCH (:Entity {id: $a})-[e:FEEDS]->(:Entity {id: $b})
     MATCH (one:Column)-[d:DERIVES|DERIVED {edgeId: e.id}]->(other:Column)
     RETURN type(d) AS type, one.fullyQualifiedName + ' > ' + other.fullyQualifiedName AS pair,
       d.since <= $before AS wasThere, d.until > $before AND d.until <= $after AS ended ORDER BY type`,
    { a: a.id, b: b.id, before, after },
  );
  assert.equal(pairs, [
    { type: 'DERIVED', pair: old, wasThere: true, ended: true },
    { type: 'DERIVES', pair: fresh, wasThere: false, ended: null },
  ]);
});

type Said = { readonly lineageDetails: { readonly columnsLineage: unknown } };

test('a mapping of several sources ends with the last of them', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  const say = async (source: string, ...columns: readonly string[]) =>
    ok(await feed(world.admin, a, b, { source, columnsLineage: columns.map((name) => mapping(a, [name], b, name)) }));
  const pairs = (...columns: readonly string[]) => columns.map((name) => joined(a, name, b, name));
  await say('Manual', 'a');
  await say('DbtLineage', 'a', 'b');
  const both = await moment();
  await say('Manual', 'c');
  const one = await moment();
  await say('DbtLineage', 'b');
  const none = await moment();
  assert.equal(await Promise.all([both, one, none].map((at) => columnsAt(a, at))), [
    pairs('a', 'b'),
    pairs('a', 'b', 'c'),
    pairs('b', 'c'),
  ]);
  const first = await compared(a, both, one);
  assert.equal([first.added, first.removed], [pairs('c'), []]);
  const second = await compared(a, one, none);
  assert.equal([second.added, second.removed], [[], pairs('a')]);
});

test('a mapping with another function is a change, and restoring it brings the old one back', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  const say = async (...columnsLineage: readonly ReturnType<typeof mapping>[]) =>
    ok(await feed(world.admin, a, b, { columnsLineage }));
  await say(mapping(a, ['a'], b, 'a'));
  const plain = await moment();
  await say(mapping(a, ['a'], b, 'a', { function: 'upper(a)' }));
  const made = await moment();
  await say();
  const nothing = await moment();
  await say(mapping(a, ['a'], b, 'a'));
  const again = await moment();
  const old = joined(a, 'a', b, 'a');
  assert.equal(await Promise.all([plain, made, nothing, again].map((at) => columnsAt(a, at))), [
    [old],
    [`${old} upper(a)`],
    [],
    [old],
  ]);
  const first = await compared(a, plain, made);
  assert.equal([first.added, first.removed], [[`${old} upper(a)`], [old]]);
  const whole = await compared(a, plain, again);
  assert.equal([whole.added, whole.removed], [[], []]);
});

test.run();
